"""SRP, the strong rule-based player, in three frozen versions. A change of play needs a new version."""

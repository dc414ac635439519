"""SOLO, the player without a partner, in two frozen versions. A change of play needs a new version."""

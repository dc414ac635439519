"""SRP version 1, frozen: later versions and `solo1` use its parts. A change of play needs a new version."""

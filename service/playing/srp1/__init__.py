"""SRP version 1, frozen: every fitted table was made with it. A change of play is a new version."""

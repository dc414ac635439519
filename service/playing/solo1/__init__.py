"""SOLO version 1, frozen: the tables of variant cutthroat were made with it. A change of play needs a new version."""

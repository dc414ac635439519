"""Logs of a studio's own games: their format, what is wrong in them, and what they can be used for."""

"""Whole games: the engine that plays them, who can play in them, and matches with their statistics.

Other packages give the arena their tables and arrays. It imports only `spades`.
"""

"""Dealt rounds for tests, and single plays, compiled."""

import numpy as np

from arena.engine.playing import play_all
from arena.engine.rounds import ROUND, Batch

NO_PLAYERS = np.zeros((4, 2), np.int64)  # nobody plays cards in compiled code


def dealt(seed, n, rules):
    """Return states (n,) with the deals 0 to n - 1; nobody has bid."""
    batch = Batch(rules, np.arange(n))
    batch.deal(seed, NO_PLAYERS)
    return batch.states


def play_cards(states, cards):
    """Play one card (n,) in each round, from the seat whose turn it is."""
    n, places = len(states), np.bitwise_count(states["played"]).astype(np.int64)
    play_all(states, np.zeros(n, ROUND), places, np.zeros((n, 4), np.int64), np.array(cards, np.int64))

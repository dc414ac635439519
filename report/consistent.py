"""The smallest possible log-loss of an inference, from random deals that fit one player's hand and all bids.

Over all deals that fit, the share in which a seat holds a card is the true probability that this seat holds it. A
sample of n deals gives shares p. Two estimates of the smallest possible log-loss come from them. The log-loss of p on
the true deal is too high by about 1 / n for three possible seats, and the entropy of p is too low by the same amount.
In the mean of the two, these errors cancel. The gap of a model q is the relative entropy of p and q, less the expected
error of the entropy.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.deal import seed_rng
from arena.engine.jit import entry
from arena.engine.rounds import bids_of, states_at
from arena.engine.simulate import tables_for
from arena.players.unseen import WAYS, count_deals, deal_unseen
from spades.options import Policy
from spades.rules import Rules
from spades.tables import Tables

STREAM = 1 << 23  # number of the stream of random numbers (`seed_rng`)


class Fitting(NamedTuple):
    """For each position, counts of the deals that fit."""

    held: NDArray[np.float64]  # (n, 3, 64): number of fitting deals in which each other seat holds each card
    found: NDArray[np.int64]  # (n,): number of fitting deals


def _count_ways(states: Any, seats: Any, seed: int, ways: Any) -> None:
    for i in range(len(states)):
        seed_rng(states[i], seed, i, STREAM)
        count_deals(states[i], seats[i], ways[i])


def _redeal(states: Any, seats: Any, rows: Any, ways: Any) -> None:
    for i in rows:
        deal_unseen(states[i], seats[i], ways[i], states[i])


_count_all, _redeal_all = entry(_count_ways), entry(_redeal)


def fitting_deals(
    seed: int,
    rules: Rules,
    policy: Policy,
    profiles: tuple[Tables, ...],
    deals: NDArray[np.void],
    seats: NDArray[np.int64],
    most_found: int,
    most_tries: int,
) -> Fitting:
    """Draw deals that fit what ``seats`` (n,) see of ``deals`` (n,) of `ROUND`, and whose other players bid the same.

    For each position, stop after ``most_found`` fitting deals, or ``most_tries`` deals.
    """
    n = len(deals)
    states = states_at(rules, deals["hands"], deals["bids"], deals["scores"][:, :2], deals["bags"][:, :2])
    tables, ways = tables_for(profiles, rules, [policy]), np.zeros((n, WAYS), np.int64)
    _count_all(states, seats, seed, ways)
    fitting = Fitting(np.zeros((n, 3, 64)), np.zeros(n, np.int64))
    rows = np.arange(n)
    for _ in range(most_tries):
        _redeal_all(states, seats, rows, ways)
        fits = rows
        for step in range(1, 4):  # a bidder sees only the bids before their own
            turn = (seats[fits] + step) & 3
            bids = bids_of(states[fits], turn, rules, policy, tables)
            fits = fits[bids == deals["bids"][fits, turn]]
        fitting.found[fits] += 1
        for step in range(1, 4):
            hands = states["hand"][fits, (seats[fits] + step) & 3]
            fitting.held[fits, step - 1] += hands[:, None] >> np.arange(64) & 1
        rows = rows[fitting.found[rows] < most_found]
        if not len(rows):
            break
    return fitting


class Bound(NamedTuple):
    """The smallest possible log-loss of a position, and by how much a model is above it, in nats per card."""

    least: float
    gap: float


def bound(p: NDArray[np.float64], n: int, q: NDArray[np.float64], holders: NDArray[np.int64]) -> Bound:
    """Return the bound of one position.

    ``p`` (m, 3): shares in ``n`` deals that fit; ``q`` (m, 3): the model's probabilities; ``holders`` (m,): column of
    the seat that holds each card.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = float(-np.where(p > 0, p * np.log(p), 0.0).sum(axis=1).mean())
    error = ((p > 0).sum(axis=1) - 1).mean() / (2 * n)  # of the entropy, to first order
    # Add half a deal to each seat, so that no probability is 0.
    smoothed = (p * n + 0.5) / (n + 1.5)
    loss = float(-np.log(smoothed[np.arange(len(p)), holders]).mean())
    cross = float(-(p * np.log(q)).sum(axis=1).mean())
    return Bound((entropy + loss) / 2, cross - entropy - error)

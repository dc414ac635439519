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

from arena.engine.bid_deals import BidDeals
from arena.engine.deal import Deals, prepare_state, seed_rng, start_round
from arena.engine.game import bid_seat
from arena.engine.jit import round_loop
from arena.engine.scratch import scratch
from arena.players.unseen import WAYS, count_deals, deal_unseen
from spades.options import Policy
from spades.play import PlayState, write_rules
from spades.rules import Rules

STREAM = 1 << 23  # number of the stream of random numbers (`seed_rng`)


class Fitting(NamedTuple):
    """For each position, counts of the deals that fit."""

    held: Any  # float64 (n, 3, 64): number of fitting deals in which each other seat holds each card
    found: Any  # int64 (n,): number of fitting deals
    most: Any  # int64 (2,): [0]: stop after this many fitting deals; [1]: try at most this many


def _fitting_deals(
    states: list[PlayState],
    deals: Deals,
    rules: Rules,
    policy: Policy,
    profiles: Any,
    made: BidDeals,
    seats: Any,
    fitting: Fitting,
) -> None:
    # Positions deals.first to deals.last - 1 of `made`, seen from `seats`.
    state = prepare_state(states, rules)
    write_rules(state, rules)
    ways = scratch(WAYS)
    for i in range(deals.first, deals.last):
        start_round(state)
        for seat in range(4):
            state.hand[seat], state.bid[seat] = made.hands[i, seat], made.bids[i, seat]
        for side in range(2):
            state.score[side], state.bags[side] = made.scores[i, 2 * side], made.scores[i, 2 * side + 1]
        me = seats[i]
        seed_rng(state, deals.seed, i, STREAM)
        count_deals(state, me, ways)
        for _ in range(fitting.most[1]):
            deal_unseen(state, me, ways, state)
            fits = True
            for step in range(1, 4):
                seat = (me + step) & 3
                # A bidder sees only the bids before their own.
                fits = fits and bid_seat(state, seat, rules, policy, profiles) == state.bid[seat]
            if fits:
                fitting.found[i] += 1
                for step in range(1, 4):
                    for card in range(64):
                        fitting.held[i, step - 1, card] += state.hand[(me + step) & 3] >> card & 1
                if fitting.found[i] >= fitting.most[0]:
                    break


fitting_deals = round_loop(_fitting_deals)


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

"""Priors: how probable it is that each bidder holds each card, by the bids made so far.

A policy bids deals at scores drawn from whole games; no card is played. Cards are counted by the four bids. Sums of
these are the counts by the first bid, the first two and the first three. The arrays `prior_bis` and `prior_best` have
the layout of `spades.inference.holders`. A cell is a probability in 255ths. It is at least 1, because a
card that was never counted there is still possible.

A sequence with fewer than ENOUGH deals also counts deals of its neighbours: the sequences in which one number is higher
or lower by one. Their weight fills up the deals to ENOUGH, and is at most 1. If that gives fewer than LEAST deals, as
for a sequence that was never bid, the probabilities after its bids without the last one fill up the deals to LEAST.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.bid_deals import BidDeals, bid_deals
from arena.engine.jit import entry
from arena.engine.simulate import kernel_tables
from spades.cards import FIRST_SPADE
from spades.inference import BID_CLASSES, FIRST_PRIOR_ROWS, PRIOR_COLUMNS, SUIT_RANKS, bid_class
from spades.legal import BLIND_NIL
from spades.rules import Rules
from tables.learning.training_data import scores_of_games
from tables.run.family import Context, Family, recorded

ALL_DEALS = 100_000_000
DEALS = 500_000  # in a chunk
SCORES = 20_000  # number of scores to draw from: those before the rounds of whole games
SCORES_BY = "bis"  # bidder of these games
ENOUGH = 1_000  # deals of a sequence that need no neighbours
LEAST = 100  # deals of a sequence, with its neighbours, that need no shorter sequence
SCALE = 255  # cell of the probability 1
SEQUENCES = BID_CLASSES**4
RULES = Rules()
_PER_DEAL = np.repeat([3.0, 1.0], SUIT_RANKS)  # cards that a deal counts in each column: of three side suits, of spades


def _count_cards(made: BidDeals, classes: Any, counts: Any) -> None:
    # classes: `bid_class` by bid. counts (SEQUENCES, 4, PRIOR_COLUMNS): the cards of each bidder, by the four bids.
    for deal in range(len(made.hands)):
        sequence = 0
        for seat in range(4):
            sequence = BID_CLASSES * sequence + classes[made.bids[deal, seat]]
        for seat in range(4):
            for suit in range(4):
                for rank in range(SUIT_RANKS):
                    column = rank + (SUIT_RANKS if 16 * suit >= FIRST_SPADE else 0)
                    counts[sequence, seat, column] += made.hands[deal, seat] >> (16 * suit + rank) & 1


count_cards = entry(_count_cards)
CLASSES = np.array([bid_class(bid) for bid in range(BLIND_NIL + 1)])


def priors_of(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the priors (rows, 4, PRIOR_COLUMNS), in 255ths.

    ``counts`` (SEQUENCES, 4, PRIOR_COLUMNS): the cards of the bidders after four bids.

    The axes are the sequence of bids, the bidder and the card, as in `spades.inference.holders`.
    """
    rows = np.zeros((FIRST_PRIOR_ROWS[-1], 4, PRIOR_COLUMNS))
    for bids in range(1, 5):
        own = counts.reshape(*(BID_CLASSES,) * bids, -1, 4, PRIOR_COLUMNS).sum(axis=bids).astype(np.float64)
        filled = _with_neighbours(own, bids).reshape(-1, 4, PRIOR_COLUMNS)
        before = (
            rows[FIRST_PRIOR_ROWS[bids - 1] : FIRST_PRIOR_ROWS[bids]]
            if bids > 1
            else np.full((1, 4, PRIOR_COLUMNS), 0.25)
        )
        missing = np.maximum(0.0, LEAST * _PER_DEAL - filled.sum(axis=1, keepdims=True))  # by card
        filled += missing * np.repeat(before, BID_CLASSES, axis=0)
        rows[FIRST_PRIOR_ROWS[bids] : FIRST_PRIOR_ROWS[bids + 1]] = filled / filled.sum(axis=1, keepdims=True)
    return np.maximum(np.round(rows * SCALE), 1).astype(np.uint8)


def _with_neighbours(own: NDArray[np.float64], bids: int) -> NDArray[np.float64]:
    # own: counts by each of the bids, seat and column. Return them with the weighted counts of the neighbours.
    near = np.zeros_like(own)
    for axis in range(bids):
        here, there = np.moveaxis(near, axis, 0), np.moveaxis(own, axis, 0)
        here[1:-1] += there[2:]  # index 0, a nil, has no neighbours
        here[2:] += there[1:-1]
    cards = 4 * SUIT_RANKS
    deals = own.sum(axis=(-2, -1), keepdims=True) / cards
    near_deals = near.sum(axis=(-2, -1), keepdims=True) / cards
    share = np.clip((ENOUGH - deals) / np.maximum(near_deals, 1.0), 0.0, 1.0)
    filled: NDArray[np.float64] = own + share * near
    return filled


def drawn_scores(ctx: Context) -> NDArray[np.int64]:
    """Return scores (SCORES, 4) before the rounds of games that SCORES_BY plays; columns as in `BidDeals.scores`."""
    profiles = kernel_tables(ctx.inputs)

    def play(_index: int, seed: int) -> Arrays:
        return {"seen": scores_of_games(profiles, RULES, SCORES_BY, SCORES, seed)}

    return cast("NDArray[np.int64]", ctx.gathered("scores", 1, play)["seen"])


def _family(name: str) -> Family:
    array = f"prior_{name}"
    bidder = BIDDERS[name]

    def make(ctx: Context) -> Arrays:
        scores = drawn_scores(ctx)
        profiles = kernel_tables(ctx.inputs)
        chunks = max(1, ctx.size("deals") // DEALS)
        deals = min(DEALS, ctx.size("deals"))

        def count(index: int, seed: int) -> Arrays:
            counts = np.zeros((SEQUENCES, 4, PRIOR_COLUMNS), np.int64)
            count_cards(bid_deals(seed, index * deals, deals, RULES, bidder, profiles, scores), CLASSES, counts)
            return {"counts": counts}

        counts = ctx.chunks("deals", chunks, count)["counts"]
        ctx.figure("deals", counts.sum() / 52)
        ctx.figure("sequences", float(np.count_nonzero(counts.any(axis=(1, 2)))))
        return {array: priors_of(counts)}

    return Family(
        name=array,
        generator=1,
        make=make,
        axes={array: ("one to four bids", "bidder", "ranks of a side suit, then of spades")},
        parameters={
            "policy": bidder,
            "scores_by": SCORES_BY,
            "scores": SCORES,
            "enough": [ENOUGH, LEAST],
            "rules": recorded(RULES),
        },
        sizes={"deals": ALL_DEALS},
        depends=BIDDER_DEPENDS[name],
    )


_BIS = ("p_length", "cnil", "side", "spades", "ruffs", "factor", "curves")
# The policies whose bids are read (`spades.inference.holders.BIDDERS`), and what they need.
BIDDERS = {"bis": "bis", "best": "winprob"}
BIDDER_DEPENDS = {"bis": _BIS, "best": (*_BIS, "rb", "means", "win", "net")}
FAMILIES = tuple(map(_family, BIDDERS))

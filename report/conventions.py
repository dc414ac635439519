"""Figures of Big 5: the results by kind of hand, and a match on tables that were fitted without the convention.

Both are played without blind nil. So partner's blind nil after a Big 6 is not measured here.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import LocalThreads
from arena.engine.simulate import kernel_tables
from arena.match import play
from arena.result import describe_match
from report.figures import query, values_of
from report.reads import BIS_FIELDS, arrays_of_match
from report.recorded_rounds import Rounds, self_play
from report.setup import LONG, PAPER, Setup, share
from spades.bis import BIG5_BID, BIG5_MOST_TAKES, covers_nil, limit_takes
from spades.legal import NO_BID

DEALS = 40  # deals of self-play for each pair of the report
BAG_POINTS = LONG.bag_penalty // LONG.bag_limit


@query(*BIS_FIELDS)
def without_own_curves(setup: Setup, a: str, b: str, goal: int) -> dict[str, Any]:
    """Return the figures of a match to ``goal`` (200 or 500) on tables that were fitted without the convention."""
    rules = PAPER if goal == PAPER.win else LONG
    kept = {name: array for name, array in setup.opened.arrays.items() if not name.startswith(("big5_", "big6_"))}
    match = setup.match(a, b, rules=rules)
    return values_of(describe_match(match, play(match, kernel_tables(kept), LocalThreads(setup.jobs)), setup.opened))


@query(lambda setup: arrays_of_match(setup.match("bis:convention=big5", "bis"), setup.opened.arrays))
def behind_big5(setup: Setup) -> dict[str, Any]:
    """Return rows of the first partners' hands by their meaning in Big 5.

    The same deals are bid without the convention and with it. Opponents always bid without it.
    """
    plain, with_it = "bis:endgame=off", "bis:convention=big5,endgame=off"
    without, first, second = (
        self_play(setup.tables, DEALS * setup.pairs, setup.seed, setup.jobs, *policies)
        for policies in ((plain,), (with_it, plain), (plain, with_it))
    )
    rows = []
    for name, members in _kinds(without).items():
        # Take each seat's hands from the rounds in which its side plays the convention.
        old = [_after(without, seat, members[:, seat]) for seat in range(2)]
        new = [_after(rounds, seat, members[:, seat]) for seat, rounds in enumerate((first, second))]
        more = np.concatenate([after.points - before.points for before, after in zip(old, new, strict=True)])
        half = 1.96 * more.std() / np.sqrt(max(len(more), 1))
        answered, made = [], []
        for side in (old, new):
            hands, nils = sum(len(after.points) for after in side), sum(after.nils for after in side)
            answered.append(share(nils / max(hands, 1)))
            made.append(share(sum(after.made for after in side) / nils if nils else None))
        rows.append(
            (name, share(members.mean()), " -> ".join(answered), " -> ".join(made), f"{more.mean():+.1f} ± {half:.1f}")
        )
    return {"deals": f"{DEALS * setup.pairs:,}", "rows": rows}


class After(NamedTuple):
    """The results of the rounds after the first partners' hands of one seat."""

    nils: int  # nils that their partners bid
    made: int  # nils made of these
    points: NDArray[np.int64]  # of the side minus the other side, by hand; a bag costs a tenth of the bag penalty


def _kinds(rounds: Rounds) -> dict[str, NDArray[np.bool_]]:
    """Return the hands of seats 0 and 1 by their meaning in Big 5, bool (rounds, 2) each; no kind includes nils."""
    hands, bids = rounds.hands[:, :2], rounds.bids[:, :2]
    takes = np.array([limit_takes(estimate, NO_BID) for estimate in rounds.estimates[:, :2].ravel().tolist()])
    covers = [covers_nil(hand, n, 4) for hand, n in zip(hands.ravel().tolist(), takes.tolist(), strict=True)]
    takes, signals = takes.reshape(bids.shape), np.array(covers).reshape(bids.shape) & (bids > 0)
    kinds = {f"signal with {n} takes": signals & (takes == n) for n in range(4, BIG5_MOST_TAKES + 1)}
    return kinds | {
        "refusal: a 5 becomes 4": ~signals & (bids == BIG5_BID),
        "others": ~signals & (bids > 0) & (bids != BIG5_BID),
    }


def _after(rounds: Rounds, seat: int, members: NDArray[np.bool_]) -> After:
    nils = (rounds.bids[:, seat + 2] == 0) & members
    made = nils & (rounds.taken[:, seat + 2] == 0)
    points = rounds.points - BAG_POINTS * _bags(rounds)
    return After(int(nils.sum()), int(made.sum()), (points[:, seat] - points[:, 1 - seat])[members])


def _bags(rounds: Rounds) -> NDArray[np.int64]:
    """Return the bags of the sides of seats 0 and 1, int64 (rounds, 2): overtricks, and tricks of failed nils."""
    bids, taken = rounds.bids.astype(np.int64), rounds.taken.astype(np.int64)
    thrown = np.where(bids == 0, taken, 0)
    over = np.where(bids == 0, 0, taken) - bids
    bags: NDArray[np.int64] = np.maximum(over[:, :2] + over[:, 2:], 0) + thrown[:, :2] + thrown[:, 2:]
    return bags

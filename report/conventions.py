"""The section about Big 5 and Big 6: pairs with a convention against pairs without it, and the results by kind of hand.

All matches of this section are played without blind nil. So partner's blind nil after a Big 6 is not measured here.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import LocalThreads
from arena.engine.simulate import kernel_tables
from arena.markdown import table
from arena.match import Match, play
from arena.result import MatchResult, describe_match
from report.recorded_rounds import Rounds, self_play
from report.setup import LONG, PAPER, Setup, both, by_points, percent, share
from spades.bis import BIG5_BID, BIG5_MOST_TAKES, covers_nil, limit_takes
from spades.legal import NO_BID

DEALS = 40  # deals of self-play for each pair of the report
BAG_POINTS = LONG.bag_penalty // LONG.bag_limit
PAIRS = (
    ("Big 5", "bis:convention=big5", "bis"),
    ("Big 5, signals from 5 takes", "bis:convention=big5,signal_takes=5", "bis"),
    ("Big 6", "bis:convention=big6", "bis"),
    ("Big 5, both tuned", "bis:convention=big5,tuned", "bis:tuned"),
    ("Big 5, signals from 5 takes, both tuned", "bis:convention=big5,tuned,signal_takes=5", "bis:tuned"),
)


def conventions(setup: Setup) -> str:
    """Return the win rates of pairs with a convention, and the results by kind of hand.

    One row plays the convention with curves that were fitted without it.
    """
    rows: list[tuple[Any, ...]] = []
    for name, a, b in PAIRS:
        rows.append((name, *_row([setup.match(a, b, rules=rules) for rules in (PAPER, LONG)])))
    name, a, b = PAIRS[0]
    rows.append(
        (f"{name}, curves fitted without it", *_row([_without_own(setup, a, b, rules) for rules in (PAPER, LONG)]))
    )
    head = "pairs with | 200/-100, % | 500, % | points per round, 200/-100 | points per round, 500 | nils made, %"
    return table(head, rows) + "\n\n" + behind(setup)


def _row(results: list[MatchResult]) -> tuple[str, ...]:
    return (*map(percent, results), *map(by_points, results), both(results[0].nil_success))


def _without_own(setup: Setup, a: str, b: str, rules: Any) -> MatchResult:
    """Return the result of a match on tables that were fitted without the convention."""
    kept = {name: array for name, array in setup.opened.arrays.items() if not name.startswith(("big5_", "big6_"))}
    match = Match(a, b, pairs=setup.pairs, rules=rules, seed=setup.seed)
    return describe_match(match, play(match, kernel_tables(kept), LocalThreads(setup.jobs)), setup.opened)


def behind(setup: Setup) -> str:
    """Return the table of the first partners' hands by their meaning in Big 5.

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
    deals = f"{DEALS * setup.pairs:,} deals, each bid without Big 5 and then with Big 5 by each side (without -> with):"
    head = "first partner's hand | of all, % | partner bids nil, % | nils made, % | points with it minus without it"
    return deals + "\n\n" + table(head, rows)


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

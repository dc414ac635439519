"""The win probability after each outcome of a round, as kernels with loops.

`spades.winprob.outcomes` lists the outcomes: OURS ways in which the round ends for our side, times THEIRS ways
for the other side.
"""

from typing import Any, NamedTuple

from arena.engine.jit import register
from spades.rules import Rules
from spades.scoring import Standing, apply_bags
from spades.tables import View
from spades.winprob import WinTableSlice, win_probability_after
from spades.winprob.outcomes import (
    NO_NIL,
    OUR_BAGS,
    OUR_BAGS_NIL,
    OUR_CONTRACT,
    OUR_CONTRACT_NIL,
    OUR_LATER,
    OUR_NIL,
    OURS,
    THEIR_BAGS,
    THEIR_BAGS_NIL,
    THEIR_CONTRACT,
    THEIR_CONTRACT_NIL,
    THEIR_LATER,
    THEIR_NIL,
    THEIRS,
)


class Contracts(NamedTuple):
    """The points that both sides' bids put at stake."""

    ours: int  # points of our contract if it is made
    our_loss: int  # points that it loses if it is set
    theirs: int  # points of their contract if it is made
    their_loss: int
    stake: int  # points at stake on our nils, NO_NIL without a nil
    their_stake: int  # points at stake on their nils, NO_NIL without a nil
    later: int  # points of a nil that partner may bid later (`later_nils`)
    their_later: int  # points of a nil that an opponent may bid later


def our_points(way: int, made: int, loss: int, stake: int, later: int) -> tuple[int, int]:
    """Return our side's points without bags, and its bags, if the round ends for it in ``way`` (0..OURS - 1).

    ``made`` is the points of the contract if it is made, ``loss`` the points lost if it is set. ``stake`` is the points
    at stake on our nils, NO_NIL without a nil. ``later``: the points of a later nil.
    """
    more = later * OUR_LATER[way]
    if stake != NO_NIL:
        return (made if OUR_CONTRACT_NIL[way] > 0 else -loss) + stake * OUR_NIL[way] + more, OUR_BAGS_NIL[way]
    return (made if OUR_CONTRACT[way] > 0 else -loss) + more, OUR_BAGS[way]


def their_points(way: int, made: int, loss: int, stake: int, later: int) -> tuple[int, int]:
    """Return the same as `our_points` for the other side; ``way`` is 0..THEIRS - 1."""
    more = later * THEIR_LATER[way]
    if stake != NO_NIL:
        return (made if THEIR_CONTRACT_NIL[way] > 0 else -loss) + stake * THEIR_NIL[way] + more, THEIR_BAGS_NIL[way]
    return (made if THEIR_CONTRACT[way] > 0 else -loss) + more, THEIR_BAGS[way]


def score_after(score: int, bags: int, points: int, more: int, rules: Rules) -> tuple[int, int]:
    """Return the score and the bags after a round that brings ``points`` and ``more`` bags."""
    gained, left = apply_bags(points, more, bags, rules)
    return score + gained, left


def nearest_outcome(points: int, bags: int, their: int, their_bags: int, contracts: Contracts) -> int:
    """Return the index 0..OUTCOMES - 1 of the outcome that is nearest to a round's result.

    The result is ``points`` without bags and ``bags`` of our side, and ``their`` points and ``their_bags``. The
    distance is the sum of all differences; a bag counts as three points. Of equally near outcomes, return the first.
    """
    best = 0
    least = 1 << 30
    for way in range(OURS):
        score, more = our_points(way, contracts.ours, contracts.our_loss, contracts.stake, contracts.later)
        ours = abs(score - points) + 3 * abs(more - bags)
        for other in range(THEIRS):
            score, more = their_points(
                other, contracts.theirs, contracts.their_loss, contracts.their_stake, contracts.their_later
            )
            away = ours + abs(score - their) + 3 * abs(more - their_bags)
            if away < least:
                least = away
                best = way * THEIRS + other
    return best


def outcome_values(
    contracts: Contracts,
    standing: Standing,
    next_first: int,
    win_slice: WinTableSlice,
    rules: Rules,
    win: View,
    values: Any,
) -> None:
    """Write the win probability after each outcome to ``values`` (OUTCOMES,).

    ``next_first`` is 1 if our side bids first in the next round.
    """
    for way in range(OURS):
        points, more = our_points(way, contracts.ours, contracts.our_loss, contracts.stake, contracts.later)
        us, us_bags = score_after(standing.us, standing.us_bags, points, more, rules)
        for other in range(THEIRS):
            points, more = their_points(
                other, contracts.theirs, contracts.their_loss, contracts.their_stake, contracts.their_later
            )
            them, them_bags = score_after(standing.them, standing.them_bags, points, more, rules)
            after = Standing(us=us, them=them, us_bags=us_bags, them_bags=them_bags)
            values[way * THEIRS + other] = win_probability_after(after, next_first, win_slice, rules, win)


register(__name__)

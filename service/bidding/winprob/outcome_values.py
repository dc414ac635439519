"""What the outcomes of all bids are worth in one go: `outcomes.outcome_values` for numpy, in 65,535ths.

Contracts are whole tens, and a ten is a row of the win table or some: a bid's cells are those of another, so many rows
on. Data comes from the contracts that `net` expects, the scores and the win tables; a parity test holds it to the
kernels.
"""

from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.rules import Rules
from service.bidding.game.scoring import effective_bag_rules
from service.bidding.winprob.games import BAGS, ROW_POINTS, WinTableSlice
from service.bidding.winprob.outcomes import (
    OUR_BAGS,
    OUR_BAGS_NIL,
    OUR_CONTRACT,
    OUR_CONTRACT_NIL,
    OUR_NIL,
    OURS,
    OUTCOMES,
    THEIR_BAGS,
    THEIR_BAGS_NIL,
    THEIR_CONTRACT,
    THEIR_CONTRACT_NIL,
    THEIR_NIL,
    THEIRS,
)

OutcomeValues = NDArray[np.uint16]
_Way = tuple[int, int, int, int]  # signs of contract and stake; whether bags are too many; bags carried on
_Ways = tuple[list[list[_Way]], list[list[_Way]]]  # without a nil on the side and with one, by bags held before


class Side(NamedTuple):
    """A side before a round, and what it may bid."""

    ways: _Ways  # of OUR_WAYS or THEIR_WAYS
    score: int
    held: int  # bags
    contracts: list[tuple[list[int], int]]  # tens of points, and the points that each of them stakes on nils beside
    reach: int  # points that it stakes at most, but for bags


def _ways(contracts: tuple[int, ...], nils: tuple[int, ...], bags: tuple[int, ...], limit: int) -> list[list[_Way]]:
    return [
        [(sign, nil, (held + more) // limit, (held + more) % limit) for sign, nil, more in zip(contracts, nils, bags)]
        for held in range(limit)
    ]


# By the bag limit, of none at all first.
OUR_WAYS: tuple[_Ways, ...] = tuple(
    (_ways(OUR_CONTRACT, (0,) * OURS, OUR_BAGS, limit), _ways(OUR_CONTRACT_NIL, OUR_NIL, OUR_BAGS_NIL, limit))
    for limit in range(BAGS + 1)
)
THEIR_WAYS: tuple[_Ways, ...] = tuple(
    (
        _ways(THEIR_CONTRACT, (0,) * THEIRS, THEIR_BAGS, limit),
        _ways(THEIR_CONTRACT_NIL, THEIR_NIL, THEIR_BAGS_NIL, limit),
    )
    for limit in range(BAGS + 1)
)
_MOST_BAGS = max(OUR_BAGS + OUR_BAGS_NIL + THEIR_BAGS + THEIR_BAGS_NIL)
_PACK = [Struct(f"{n}q").pack for n in range(14 * OURS + 1)]
_TOP = np.uint16(0xFFFF)


def outcome_value_matrix(
    ours: Side, theirs: Side, next_first: int, rules: Rules, win_slice: WinTableSlice, win: OutcomeValues
) -> OutcomeValues:
    """What each outcome of each bid is worth, (bids, OUTCOMES); the opponents' side has one contract or as many."""
    limit = win_slice.bags
    penalty = effective_bag_rules(rules)[1]
    step, long_step = limit * limit, win_slice.size * limit * limit
    our_step, their_step = (long_step, step) if next_first else (step, long_step)
    own = _cells(ours, our_step, limit if next_first else 1, win_slice, penalty)
    other = _cells(theirs, their_step, 1 if next_first else limit, win_slice, penalty)
    worths: OutcomeValues = win[win_slice.start :].take(
        _array(own).reshape(-1, OURS, 1) + _array(other).reshape(-1, 1, THEIRS)
    )
    if not next_first:
        worths = _TOP - worths
    if _may_end(ours, rules, limit, penalty) or _may_end(theirs, rules, limit, penalty):
        our, their = _array(_ended(ours, rules, penalty - limit)), _array(_ended(theirs, rules, penalty - limit))
        ahead = our.reshape(-1, OURS, 1) - their.reshape(-1, 1, THEIRS)
        worths = np.where(ahead, (ahead > 0) * _TOP, worths)
    return worths.reshape(-1, OUTCOMES)


def _array(numbers: list[int]) -> NDArray[np.int64]:
    # in half of np.array's time
    return np.frombuffer(_PACK[len(numbers)](*numbers), np.int64)


def _cells(side: Side, row_step: int, bag_step: int, win_slice: WinTableSlice, penalty: int) -> list[int]:
    """A side's share of the table's cells, by contract and way; the first and the last row stand for all beyond."""
    ways, score, held, bids, reach = side
    floor, size, _, limit, unit, _ = win_slice
    base = score - held + unit // 2 - unit * floor
    fall = (penalty - limit) // unit * row_step  # in whole rows, for the bags' own points go too
    ten = ROW_POINTS // unit * row_step
    cells: list[int] = []
    for contracts, stake in bids:
        # by the sign of the stake: 0, 1, -1
        rows = base // unit * row_step, (base + stake) // unit * row_step, (base - stake) // unit * row_step
        offsets = [
            (sign * ten, rows[nil] + bags * bag_step - over * fall) for sign, nil, over, bags in ways[stake > 0][held]
        ]
        cells += [offset + contract * step for contract in contracts for step, offset in offsets]
    sets = (held + _MOST_BAGS) // limit  # of bags, at most; with a penalty of less than their own points they add some
    if base + reach + sets * max(limit - penalty, 0) < unit * size and base >= reach + sets * penalty:
        return cells
    last = (size - 1) * row_step
    return [cell if 0 <= cell < last else cell % row_step + (0 if cell < 0 else last) for cell in cells]


def _may_end(side: Side, rules: Rules, limit: int, penalty: int) -> bool:
    """Whether the side may come to a goal: it can't where this says no."""
    _, score, held, _, reach = side
    lost = (held + _MOST_BAGS) // limit * penalty
    return score + reach + _MOST_BAGS >= rules.win or score - reach - lost <= rules.lose


def _ended(side: Side, rules: Rules, fall: int) -> list[int]:
    """A side's points at or beyond a goal, by contract and way, and 0, which lies between the goals, for all others.

    Where both sides have 0 the game goes on, as it does where both have the same; else the higher one wins.
    """
    ways, score, held, bids, _ = side
    base = score - held
    goal, lose = rules.win, rules.lose
    ended: list[int] = []
    for contracts, stake in bids:
        offsets = [
            (10 * sign, base + nil * stake + bags - over * fall) for sign, nil, over, bags in ways[stake > 0][held]
        ]
        ended += [
            0 if lose < (points := offset + contract * step) < goal else points
            for contract in contracts
            for step, offset in offsets
        ]
    return ended

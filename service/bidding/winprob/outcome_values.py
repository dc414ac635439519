"""The values of all bids' outcomes in one numpy call: what `win_table` gives cell by cell, in 65,535ths.

A contract is a multiple of ten points, and ten points are a fixed number of win-table rows. So the cells of one bid are
those of another bid, moved by a fixed number of rows. `decision` gives the contracts and scores; a parity test compares
the values with those of the kernels.
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
_Way = tuple[int, int, int, int]  # signs of contract and stake; number of bag penalties; bags after the round
_Ways = tuple[list[list[_Way]], list[list[_Way]]]  # for a side without and with a nil: by bags before the round


class Side(NamedTuple):
    """A side before a round, and its possible contracts."""

    ways: _Ways  # of OUR_WAYS or THEIR_WAYS
    score: int  # points
    held: int  # bags
    contracts: list[tuple[list[int], int]]  # contracts in tens of points, each list with the nils' stake in points
    reach: int  # most points that the side can win or lose in the round, without bags


def _ways(contracts: tuple[int, ...], nils: tuple[int, ...], bags: tuple[int, ...], limit: int) -> list[list[_Way]]:
    return [
        [(sign, nil, (held + more) // limit, (held + more) % limit) for sign, nil, more in zip(contracts, nils, bags)]
        for held in range(limit)
    ]


# By bag limit, from 0 on.
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
    """Return the value of each outcome of each bid: uint16 (bids, OUTCOMES), win probability in 65,535ths.

    The opponents have one contract for all our bids, or one for each. ``next_first`` is 1 if our side bids first in the
    next round.
    """
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
    # takes half of np.array's time
    return np.frombuffer(_PACK[len(numbers)](*numbers), np.int64)


def _cells(side: Side, row_step: int, bag_step: int, win_slice: WinTableSlice, penalty: int) -> list[int]:
    """Return the side's part of the table's cell indices, by contract and way the round ends.

    Scores beyond the first or last row use that row.
    """
    ways, score, held, bids, reach = side
    floor, size, _, limit, unit, _ = win_slice
    base = score - held + unit // 2 - unit * floor
    fall = (penalty - limit) // unit * row_step  # rows by which a penalty lowers the score; the bags' own points go too
    ten = ROW_POINTS // unit * row_step
    cells: list[int] = []
    for contracts, stake in bids:
        # indexed by the sign of the stake: 0, 1, -1
        rows = base // unit * row_step, (base + stake) // unit * row_step, (base - stake) // unit * row_step
        offsets = [
            (sign * ten, rows[nil] + bags * bag_step - over * fall) for sign, nil, over, bags in ways[stake > 0][held]
        ]
        cells += [offset + contract * step for contract in contracts for step, offset in offsets]
    sets = (held + _MOST_BAGS) // limit  # most bag penalties; a penalty below the bags' own points adds some
    if base + reach + sets * max(limit - penalty, 0) < unit * size and base >= reach + sets * penalty:
        return cells
    last = (size - 1) * row_step
    return [cell if 0 <= cell < last else cell % row_step + (0 if cell < 0 else last) for cell in cells]


def _may_end(side: Side, rules: Rules, limit: int, penalty: int) -> bool:
    """Return whether the side may reach a goal; False means that it cannot."""
    _, score, held, _, reach = side
    lost = (held + _MOST_BAGS) // limit * penalty
    return score + reach + _MOST_BAGS >= rules.win or score - reach - lost <= rules.lose


def _ended(side: Side, rules: Rules, fall: int) -> list[int]:
    """Return the side's points at or beyond a goal, by contract and way, and 0 for all others.

    0 is always between the goals. If both sides have 0, or both the same points, the game goes on; otherwise the side
    with more points wins.
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

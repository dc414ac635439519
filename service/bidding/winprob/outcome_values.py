"""The values of all bids' outcomes at once: what `win_table` gives cell by cell, in 65,535ths.

A contract is a multiple of ten points, and ten points are a fixed number of win-table rows. So a way to end the round
moves a score by the same number of cells wherever the score is, and `game_values` lists these moves for each game. The
moves of both sides are then added in one numpy call. Near a goal or the edge of the table, the points are counted
instead (in `_cells`). `decision` gives the contracts and scores; a parity test compares the values with those of
the kernels.
"""

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
Cells = NDArray[np.int64]
_Way = tuple[int, int, int, int]  # signs of contract and stake; number of bag penalties; bags after the round
_Ways = tuple[list[list[_Way]], list[list[_Way]]]  # for a side without and with a nil: by bags before the round


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
_CONTRACTS = 27  # contracts of a side in tens of points: 0 to 26
_TOP = np.uint16(0xFFFF)
_FAR = 1 << 40  # more than all cells of the win tables


class Moves(NamedTuple):
    """How a round moves a side in a game's win table."""

    cells: list[Cells]  # by bags before the round: by contract without a nil and with one (_CONTRACTS each), and way
    row_step: int  # cells from one score row to the next
    bag_step: int  # cells from one number of bags to the next, which are together less than a row
    ways: _Ways
    far: int  # cells to add for each point at or beyond a goal


class GameValues(NamedTuple):
    """A game's win table, and how a round moves both sides in it."""

    win_slice: WinTableSlice
    win: OutcomeValues  # the array that contains the table
    fall: int  # points of a bag penalty, less those of its bags
    moves: list[tuple[Moves, Moves]]  # our side's and theirs, by whether our side bids first in the next round


class Side(NamedTuple):
    """A side before a round, and its possible contracts."""

    score: int  # points
    held: int  # bags
    bids: list[tuple[list[int], int]]  # contracts in tens of points, each list with the nils' stake in points
    reach: int  # most points that the side can win or lose in the round, without bags


def game_values(rules: Rules, win_slice: WinTableSlice, win: OutcomeValues) -> GameValues:
    """Return the win table that starts at ``win_slice.start`` of ``win``, with the moves under ``rules``."""
    _, size, _, limit, unit, _ = win_slice
    fall = effective_bag_rules(rules)[1] - limit
    contracts = np.arange(0, ROW_POINTS * _CONTRACTS, ROW_POINTS).reshape(-1, 1)

    def moves(ways: _Ways, shape: tuple[int, ...], far: int, row_step: int, bag_step: int) -> Moves:
        sign, nil, over, bags = np.array(ways).transpose(3, 1, 0, 2)[:, :, :, np.newaxis]  # each by bags, nil, 1, way
        rows = (sign * contracts + nil * rules.nil_points - over * fall) // unit  # a whole number, as unit divides all
        cells = (rows * row_step + bags * bag_step).reshape(limit, 2 * _CONTRACTS, *shape)
        return Moves(list(cells), row_step, bag_step, ways, far)

    ours, theirs = (OUR_WAYS[limit], (OURS, 1), _FAR), (THEIR_WAYS[limit], (1, THEIRS), -_FAR)
    first, second = (size * limit * limit, limit), (limit * limit, 1)  # steps of the side that bids first, and not
    by_first = [(moves(*ours, *second), moves(*theirs, *first)), (moves(*ours, *first), moves(*theirs, *second))]
    return GameValues(win_slice, win, fall, by_first)


def outcome_value_matrix(ours: Side, theirs: Side, next_first: int, rules: Rules, game: GameValues) -> OutcomeValues:
    """Return the value of each outcome of each bid: uint16 (bids, OUTCOMES), win probability in 65,535ths.

    The opponents have one contract for all our bids, or one for each. ``next_first`` is 1 if our side bids first in the
    next round.
    """
    our_moves, their_moves = game.moves[next_first]
    own, our_start, ours_inside = _cells(ours, our_moves, rules, game)
    other, their_start, theirs_inside = _cells(theirs, their_moves, rules, game)
    cells = own + other
    cells += our_start + their_start + game.win_slice.start
    values: OutcomeValues = game.win.take(cells, mode="clip")
    if not next_first:
        values = _TOP - values
    if not (ours_inside and theirs_inside):
        values[cells >= _FAR] = _TOP
        values[cells < 0] = 0
    return values.reshape(-1, OUTCOMES)


def _cells(side: Side, moves: Moves, rules: Rules, game: GameValues) -> tuple[Cells, int, bool]:
    """Return the side's part of the table's cell indices, by contract and way, as an array and a number to add.

    The third value is True if the side certainly reaches neither a goal nor the first or last row, which also serves
    all scores beyond it. Otherwise, a score at or beyond a goal has so many more cells for each of its points that the
    sum of both sides is at least _FAR if our side has won, and negative if the other side has. If both have the same
    points, these cells cancel each other out, and the game goes on.
    """
    score, held, bids, reach = side
    by_bags, row_step, bag_step, ways, far = moves
    (floor, size, _, limit, unit, _), _, fall, _ = game
    before, base = score - held, unit // 2 - unit * floor  # points without bags, and from the first row
    lost = fall * ((held + _MOST_BAGS) // limit)  # by the most bag penalties; negative if the bags' points are more
    low, high = (before - reach - lost, before + reach) if lost > 0 else (before - reach, before + reach - lost)
    goal, lose, last = rules.win, rules.lose, size - 1
    least, most = max(lose + 1, -base), goal - limit - unit  # inside, with any number of bags
    inside = least <= low and high <= most
    codes: list[int] = []
    for contracts, stake in bids:
        codes += [contract + _CONTRACTS for contract in contracts] if stake else contracts
        inside = inside and (not stake or stake == rules.nil_points)
    if inside:
        return by_bags[held].take(codes, 0), (before + base) // unit * row_step, True
    cells: list[int] = []
    for contracts, stake in bids:
        offsets = [
            (10 * sign, before + nil * stake - over * fall, bags, bags * bag_step)
            for sign, nil, over, bags in ways[stake > 0][held]
        ]
        for contract in contracts:
            for step, offset, bags, cell in offsets:
                tens = offset + step * contract
                row = (tens + base) // unit
                if not least <= tens <= most:
                    row = min(max(row, 0), last)
                    if not lose < tens + bags < goal:
                        cell += (tens + bags) * far
                cells.append(cell + row * row_step)
    return np.array(cells).reshape(-1, *by_bags[held].shape[1:]), 0, False

"""The values of all outcomes of all bids at once, in 65,535ths; `win_table` gives the same values one by one.

Apart from bags, a way to end the round moves a side's score by the same points, whatever its score. For each game,
`game_values` lists these moves, and the table cell of each score and number of bags after the round. A decision then
needs only a few numpy calls. The cells are computed one by one instead (`_counted`) if the score before the round is
outside the table's rows, for stakes that are not listed, and in games whose lists would be too long. `decision` gives
the contracts and scores; a parity test compares the values with those of the kernels.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.rules import Rules
from spades.scoring import effective_bag_rules
from spades.winprob.games import WinTableSlice
from spades.winprob.outcomes import (
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
    contract_tens,
)
from spades.winprob.win_table import score_row, table_bags

OutcomeValues = NDArray[np.uint16]
Cells = NDArray[np.int64]
# For a side without and with a nil, by way to end the round: signs of contract and stake, and the bags.
Ways = tuple[NDArray[np.int64], NDArray[np.int64]]

OUR_WAYS: Ways = (
    np.array([OUR_CONTRACT, (0,) * OURS, OUR_BAGS]),
    np.array([OUR_CONTRACT_NIL, OUR_NIL, OUR_BAGS_NIL]),
)
THEIR_WAYS: Ways = (
    np.array([THEIR_CONTRACT, (0,) * THEIRS, THEIR_BAGS]),
    np.array([THEIR_CONTRACT_NIL, THEIR_NIL, THEIR_BAGS_NIL]),
)
_MOST_BAGS = max(OUR_BAGS + OUR_BAGS_NIL + THEIR_BAGS + THEIR_BAGS_NIL)
_TRICKS = range(27)  # contracts of a side in tricks: 0 to 26
_STAKES = 4  # stakes on a side's nils that are listed: none to three times the points of a nil
_TOP = np.uint16(0xFFFF)
_FAR = 1 << 40  # more than the number of cells of all win tables
_MOST_LISTED = 100_000  # longest list of cells; an ordinary game has 24,500, a bag limit of 100 would need more


class Moves(NamedTuple):
    """How a round moves a side in a game's win table.

    Each side gives a part of a cell's index in the win table, and the sum of both parts is the index. If a score is at
    or beyond a goal, its part is larger by ``far`` for each of the score's points (smaller for the opponents). The sum
    is then at least _FAR if our side has won, and negative if the other side has won. If both have the same points,
    these additions cancel out, and the game goes on.
    """

    # By bags before the round: (_STAKES * GameValues.contracts, *shape), the index in `cells` for a side with the
    # points of the table's first row. To it, add the points that the side has more, without those of its bags.
    # None: the game has no lists.
    indices: list[Cells] | None
    cells: Cells  # the side's part of the cell index: for each number of bags after the round, for each score
    ways: Ways
    row_step: int  # cells from one score row to the next
    bag_step: int  # cells from one number of bags to the next
    far: int  # what to add for each point of a score at or beyond a goal: _FAR for our side, -_FAR for theirs
    shape: tuple[int, int]  # shape of the ways, so that the parts of both sides add up to a matrix of outcomes
    start: int  # the table's first cell for our side, 0 for theirs, so that the sum counts it once


class GameValues(NamedTuple):
    """A game's win table, and how a round moves both sides in it."""

    win_slice: WinTableSlice
    win: OutcomeValues  # the array that contains the table
    first_points: int  # points of the table's first row
    covered: int  # number of points that its rows cover
    # By bags before the round, (low, high). Leave out bags and penalties: if a side's points end above ``low`` and not
    # above ``high``, it certainly reaches no goal.
    no_goal: list[tuple[int, int]]
    limit: int  # bags that bring a penalty
    fall: int  # points of the penalty, less the points of the bags that bring it
    tens: list[int]  # by tricks of a contract: its points in tens; empty if each contract counts as many tens as tricks
    contracts: int  # contracts in tens of points: 0 to contracts - 1
    moves: list[tuple[Moves, Moves]]  # (ours, theirs); index 1: our side bids first in the next round, 0: theirs


class Side(NamedTuple):
    """A side before a round, and its possible contracts."""

    score: int  # points
    held: int  # bags
    bids: list[tuple[list[int], int]]  # (contracts in tens of points, points at stake on the side's nils with them)
    reach: int  # most points that the side can win or lose in the round, without bags


def game_values(rules: Rules, win_slice: WinTableSlice, win: OutcomeValues) -> GameValues:
    """Return the win table that starts at cell ``win_slice.start`` of ``win``, with the moves under ``rules``."""
    size, bags, unit = win_slice.size, win_slice.bags, win_slice.unit
    limit, penalty = effective_bag_rules(rules)
    fall = penalty - limit
    tens = [contract_tens(contract, rules) for contract in _TRICKS]
    contracts = max(tens) + 1

    def moves(ways: Ways, shape: tuple[int, int], far: int, start: int, steps: list[tuple[int, int]]) -> list[Moves]:
        points, after = _results(ways, contracts, rules.nil_points, limit, fall)
        margin = int(abs(points).max())
        listed = unit * size + 2 * margin  # for each number of bags
        if limit * listed > _MOST_LISTED:
            return [Moves(None, np.zeros(0, np.int64), ways, *step, far, shape, start) for step in steps]
        indices = list((after * listed + points + margin).reshape(limit, -1, *shape))
        cells = [start + _cells_by_score(win_slice, rules, margin, far, *step) for step in steps]
        return [Moves(indices, own, ways, *step, far, shape, start) for own, step in zip(cells, steps)]

    first, second = (size * bags * bags, bags), (bags * bags, 1)  # steps of the side that bids first, and not
    ours = moves(OUR_WAYS, (OURS, 1), _FAR, win_slice.start, [second, first])
    theirs = moves(THEIR_WAYS, (1, THEIRS), -_FAR, 0, [first, second])
    by_first = list(zip(ours, theirs))
    no_goal = [_no_goal(held, rules, limit, fall) for held in range(limit)]
    unequal, first_points = [] if tens == [*_TRICKS] else tens, unit * win_slice.floor
    return GameValues(win_slice, win, first_points, unit * size, no_goal, limit, fall, unequal, contracts, by_first)


def _results(ways: Ways, contracts: int, nil_points: int, limit: int, fall: int) -> tuple[Cells, Cells]:
    # Points won without those of bags, and bags after the round: two arrays (limit, _STAKES, contracts, ways), by bags
    # before the round.
    tens = 10 * np.arange(contracts).reshape(-1, 1)
    held = np.arange(limit).reshape(-1, 1, 1)
    points, after = [], []
    for nils in range(_STAKES):
        contract, nil, bags = ways[nils > 0]
        over, left = np.divmod(held + bags, limit)
        points.append(contract * tens + nil * nils * nil_points - over * fall)
        after.append(np.broadcast_to(left, points[-1].shape))
    return np.stack(points, axis=1), np.stack(after, axis=1)


def _cells_by_score(
    win_slice: WinTableSlice, rules: Rules, margin: int, far: int, row_step: int, bag_step: int
) -> Cells:
    # Return `Moves.cells` without the table's start: for each number of bags, scores from ``margin`` points below the
    # table's first row to ``margin`` above its last one.
    floor, size, _, _, unit, *_ = win_slice
    points = np.arange(unit * floor - margin, unit * (floor + size) + margin)  # without those of bags
    bags = np.arange(effective_bag_rules(rules)[0]).reshape(-1, 1)
    rows = ((points + unit // 2) // unit - floor).clip(0, size - 1)  # as in `win_table.score_row`
    counted = np.maximum(bags + win_slice.bag_shift, 0)  # as in `win_table.table_bags`
    scores = points + bags
    over = (scores >= rules.win) | (scores <= rules.lose)
    cells: Cells = rows * row_step + counted * bag_step + over * scores * far
    return cells.ravel()


def outcome_value_matrix(ours: Side, theirs: Side, next_first: int, rules: Rules, game: GameValues) -> OutcomeValues:
    """Return the value of each outcome of each bid: uint16 (bids, OUTCOMES), win probability in 65,535ths.

    ``theirs`` has one contract that holds for all our bids, or one for each bid. ``next_first`` is 1 if our side bids
    first in the next round, otherwise 0.
    """
    our_moves, their_moves = game.moves[next_first]
    cells = _cells(ours, our_moves, rules, game) + _cells(theirs, their_moves, rules, game)
    values: OutcomeValues = game.win.take(cells, mode="clip")
    if not next_first:
        values = _TOP - values
    if not (_goes_on(ours, game) and _goes_on(theirs, game)):
        values[cells >= _FAR] = _TOP
        values[cells < 0] = 0
    return values.reshape(-1, OUTCOMES)


def _no_goal(held: int, rules: Rules, limit: int, fall: int) -> tuple[int, int]:
    # Return the entry of `GameValues.no_goal` for ``held`` bags.
    # Most points lost by bag penalties; negative if the bags bring more points than the penalties take.
    lost = fall * ((held + _MOST_BAGS) // limit)
    return rules.lose + max(lost, 0), rules.win - limit + min(lost, 0)


def _goes_on(side: Side, game: GameValues) -> bool:
    """Return whether the side certainly reaches no goal in the round."""
    score, held, _, reach = side
    low, high = game.no_goal[held]
    before = score - held
    return low < before - reach and before + reach <= high


def _cells(side: Side, moves: Moves, rules: Rules, game: GameValues) -> Cells:
    """Return the side's part of the cell indices (see `Moves`), (contracts, *moves.shape)."""
    score, held, bids, _ = side
    above = score - held - game.first_points  # points above the table's first row, without those of bags
    if not 0 <= above < game.covered or moves.indices is None:
        return _counted(side, moves, rules, game)
    codes: list[int] = []
    for contracts, stake in bids:
        if stake:
            nils, odd = divmod(stake, rules.nil_points) if rules.nil_points else (0, 1)
            if odd or nils >= _STAKES:
                return _counted(side, moves, rules, game)
            first = nils * game.contracts
            codes += [contract + first for contract in contracts]
        else:
            codes += contracts
    indices = moves.indices[held]
    cells: Cells = moves.cells[above:].take(indices.take(codes, 0) if len(codes) > 1 else indices[codes[0]])
    return cells


def _counted(side: Side, moves: Moves, rules: Rules, game: GameValues) -> Cells:
    """Return the same as `_cells`, for any score, stake and rules, but slower."""
    place, score, held = game.win_slice, side.score, side.held
    cells: list[int] = []
    for contracts, stake in side.bids:
        for contract in contracts:
            for sign, nil, more in moves.ways[stake > 0].T.tolist():
                over, bags = divmod(held + more, game.limit)
                points = score - held + 10 * sign * contract + nil * stake - over * game.fall + bags
                row, counted = score_row(points, bags, place), table_bags(bags, place)
                cell = moves.start + row * moves.row_step + counted * moves.bag_step
                if not rules.lose < points < rules.win:
                    cell += points * moves.far
                cells.append(cell)
    return np.array(cells).reshape(-1, *moves.shape)

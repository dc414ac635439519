"""The values of all outcomes of all bids at once, with numpy, in 65,535ths; `outcomes` gives them one by one.

`decision` gives the contracts and the stakes of each bid. A parity test compares the values with those of the kernels.
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.rules import Rules
from spades.scoring import contract_points, effective_bag_rules
from spades.tables import Tables
from spades.winprob.games import Games, WinTableSlice, cells_of
from spades.winprob.outcomes import (
    NO_NIL,
    OUR_BAGS,
    OUR_BAGS_NIL,
    OUR_CONTRACT,
    OUR_CONTRACT_NIL,
    OUR_LATER,
    OUR_NIL,
    OURS,
    OUTCOMES,
    THEIR_BAGS,
    THEIR_BAGS_NIL,
    THEIR_CONTRACT,
    THEIR_CONTRACT_NIL,
    THEIR_LATER,
    THEIR_NIL,
    THEIRS,
    likely_loss,
    win_array,
)

OutcomeValues = NDArray[np.uint16]
Integers = NDArray[np.int64]

MOST_GAMES = 32  # rule sets whose values are kept
_CONTRACTS = 27  # contracts of a side in tricks: 0 to 26
_DOUBLED = 2 * _CONTRACTS
_MOST_BAGS = max(OUR_BAGS + OUR_BAGS_NIL + THEIR_BAGS + THEIR_BAGS_NIL)
_CERTAIN = np.uint16(0xFFFF)  # the value of a game that is won


class Ways(NamedTuple):
    """A side's ways to end a round, without a nil on the side and with one."""

    contract: tuple[tuple[int, ...], tuple[int, ...]]  # by way: the sign of the contract's points
    bags: tuple[tuple[int, ...], tuple[int, ...]]  # by way
    nil: Integers  # with a nil, by way: the sign of the nil's points
    later: Integers  # by way: 1 if a later nil counts


# The arrays of a side have the shape that makes a matrix of outcomes of both sides.
OUR_WAYS = Ways(
    contract=(OUR_CONTRACT, OUR_CONTRACT_NIL),
    bags=(OUR_BAGS, OUR_BAGS_NIL),
    nil=np.array(OUR_NIL).reshape(OURS, 1),
    later=np.array(OUR_LATER).reshape(OURS, 1),
)
THEIR_WAYS = Ways(
    contract=(THEIR_CONTRACT, THEIR_CONTRACT_NIL),
    bags=(THEIR_BAGS, THEIR_BAGS_NIL),
    nil=np.array(THEIR_NIL).reshape(1, THEIRS),
    later=np.array(THEIR_LATER).reshape(1, THEIRS),
)


class Side(NamedTuple):
    """A side before a round, and what it plays for with each of our bids."""

    score: int
    bags: int
    contracts: list[int]  # for each bid: tricks of the side's contract
    stakes: list[int]  # for each bid: points at stake on the side's nils, or NO_NIL
    later: int  # points of a nil that one of the side may bid later
    factor: int = 1  # by what the points of its contract are multiplied: 2 after a blind number


class Rounds(NamedTuple):
    """What a round does to a side of a game."""

    # By bags before the round, (3, contract, *way): the points that the side wins or loses, less the bags after the
    # round and without the points of nils; these bags (0 if the table has no bags); and their part of the cell index. A
    # contract without a nil beside it has its tricks as the index, one with a nil _CONTRACTS more; and one for double
    # points _DOUBLED more.
    effects: list[Integers]
    nil: Integers  # (*way): the sign of the nil's points
    later: Integers  # (*way): 1 if a later nil counts
    row_cells: Integers  # by points above those of the table's first row: the row's part of the cell index


class GameValues(NamedTuple):
    """A game's win table, and what a round does to both sides."""

    rules: Rules
    win_slice: WinTableSlice
    win: OutcomeValues  # the cells of the table
    first_points: int  # points of the table's first row
    most_points: list[int]  # by tricks: the most points of a contract of at most so many
    most_losses: list[int]  # the same: the most points lost with such a contract
    most_penalties: int  # most points that a side loses by bags in a round
    rounds: tuple[tuple[Rounds, Rounds], tuple[Rounds, Rounds]]  # ours and theirs; second: our side bids first next


class GamesInUse(dict[Rules, GameValues]):
    """The values of each game (`game_values`), made at the game's first bid. Keeps the MOST_GAMES that it made last."""

    def __init__(self, games: Games, tables: Tables) -> None:
        super().__init__()
        self._games = games
        self._tables = tables

    def __missing__(self, rules: Rules) -> GameValues:
        nearest = self._games.nearest(rules)
        assert nearest is not None, "the request's reading refuses rules without a win table"
        if len(self) >= MOST_GAMES:
            del self[next(iter(self))]
        self[rules] = game_values(rules, nearest.win_slice, win_array(nearest.win_slice, self._tables))
        return self[rules]


def game_values(rules: Rules, win_slice: WinTableSlice, win: OutcomeValues) -> GameValues:
    """Return the values of a game with these rules, whose win table is the slice ``win_slice`` of ``win``."""
    limit, penalty = effective_bag_rules(rules)
    won = [contract_points(tricks, rules) for tricks in range(_CONTRACTS)]
    lost = [likely_loss(tricks, rules) for tricks in range(_CONTRACTS)]
    size, bags = win_slice.size, win_slice.bags
    # Cells from one row to the next and from one number of bags to the next: of the side that bids first, of the other.
    first, second = (size * bags * bags, bags), (bags * bags, 1)

    def rounds(ways: Ways, steps: tuple[int, int]) -> Rounds:
        return _rounds(ways, steps, (won, lost), rules, win_slice)

    return GameValues(
        rules=rules,
        win_slice=win_slice,
        win=win[win_slice.start : win_slice.start + cells_of(win_slice)],
        first_points=win_slice.unit * win_slice.floor,
        most_points=list(accumulate(won, max)),
        most_losses=list(accumulate(lost, max)),
        most_penalties=penalty * ((limit - 1 + _MOST_BAGS) // limit) + (_MOST_BAGS if rules.bag_points < 0 else 0),
        rounds=(
            (rounds(OUR_WAYS, second), rounds(THEIR_WAYS, first)),
            (rounds(OUR_WAYS, first), rounds(THEIR_WAYS, second)),
        ),
    )


def _rounds(
    ways: Ways,
    steps: tuple[int, int],
    contract_points: tuple[list[int], list[int]],  # by tricks: won with a contract that is made, lost with a set one
    rules: Rules,
    win_slice: WinTableSlice,
) -> Rounds:
    row_step, bag_step = steps
    limit, penalty = effective_bag_rules(rules)
    won, lost = (np.array(points).reshape(-1, 1) for points in contract_points)
    contract = np.concatenate([np.where(np.array(signs) > 0, won, -lost) for signs in ways.contract])  # (contract, way)
    more = np.repeat(ways.bags, _CONTRACTS, axis=0)  # the same: bags
    if rules.blind_min:
        contract, more = np.concatenate([contract, 2 * contract]), np.concatenate([more, more])
    penalties, after = np.divmod(np.arange(limit).reshape(-1, 1, 1) + more, limit)
    points = contract + (rules.bag_points if rules.bags else 1) * more - penalty * penalties
    counted = np.maximum(after + win_slice.bag_shift, 0)  # as `table_bags`
    in_row = after if win_slice.bags > 1 else np.zeros_like(after)  # as `score_row`
    effects = np.stack([points - in_row, in_row, counted * bag_step], axis=1)
    above = np.arange(win_slice.unit * win_slice.size)
    rows = np.minimum((above + win_slice.unit // 2) // win_slice.unit, win_slice.size - 1)  # as `score_row`
    by_bags = list(effects.reshape(limit, 3, -1, *ways.nil.shape))
    return Rounds(effects=by_bags, nil=ways.nil, later=ways.later, row_cells=rows * row_step)


def outcome_value_matrix(ours: Side, theirs: Side, next_first: int, game: GameValues) -> OutcomeValues:
    """Return the value of each outcome of each bid, (bids, OUTCOMES): the probability that our side wins the game.

    ``next_first`` is 1 if our side bids first in the next round, otherwise 0.
    """
    our_rounds, their_rounds = game.rounds[next_first]
    our_points, our_bags, our_cells = _after(ours, our_rounds, game)
    their_points, their_bags, their_cells = _after(theirs, their_rounds, game)
    values: OutcomeValues = game.win.take(our_cells + their_cells)
    if not next_first:
        values = _CERTAIN - values
    if _may_end(ours, game) or _may_end(theirs, game):
        us, them = our_points + our_bags, their_points + their_bags
        ended = _at_a_goal(us, game) | _at_a_goal(them, game)
        values[ended & (us > them)] = _CERTAIN
        values[ended & (us < them)] = 0
    return values.reshape(-1, OUTCOMES)


def _after(side: Side, rounds: Rounds, game: GameValues) -> tuple[Integers, Integers, Integers]:
    """Return what the side has after the round, arrays (bids, *way).

    These are the points above those of the win table's first row, without those of the bags; the bags; and the side's
    part of the win table's cell index.
    """
    nils = [0 if stake == NO_NIL else _CONTRACTS for stake in side.stakes]
    contracts = [tricks + nil for tricks, nil in zip(side.contracts, nils)]
    if side.factor > 1:
        contracts = [contract + _DOUBLED for contract in contracts]
    points, bags, bag_cells = rounds.effects[side.bags].take(contracts, 1)
    points += side.score - game.first_points
    if max(side.stakes) > 0:
        points += np.maximum(side.stakes, 0).reshape(-1, 1, 1) * rounds.nil
    if side.later:
        points += side.later * rounds.later
    return points, bags, rounds.row_cells.take(points, mode="clip") + bag_cells


def _may_end(side: Side, game: GameValues) -> bool:
    """Return whether the side may reach a goal in the round."""
    tricks, stake, rules = max(side.contracts), max(0, *side.stakes) + side.later, game.rules
    most = side.factor * game.most_points[tricks] + stake + _MOST_BAGS
    least = side.factor * game.most_losses[tricks] + stake + game.most_penalties
    return side.score + most >= rules.win or side.score - least <= rules.lose


def _at_a_goal(points: Integers, game: GameValues) -> NDArray[np.bool_]:
    return (points >= game.rules.win - game.first_points) | (points <= game.rules.lose - game.first_points)

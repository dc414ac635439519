"""The `winprob` policy in the service: the net's sums as numpy's matrix products, all else the shared kernels.

The simulator has the same in loops (`tables.winprob`); a parity test holds the two together. Weights come in the
tables: `net_position` (INPUTS + 1, H), `net_bid` (BID_INPUTS, H), `net_hidden` (H + 1, G), `net_out` (G + 1, OUTCOMES),
the last row of those with one more the biases.
"""

from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.auction import sequence_index
from service.bidding.features import BID_INPUTS, INPUTS, VALUED, VALUES, bid_inputs, expected_bids, position_inputs
from service.bidding.nil import LOW_FOUR, Nil, consider_nil
from service.bidding.outcome import (
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
    stakes,
)
from service.bidding.policies import FULL
from service.bidding.regular import Regular, previous_bids_factor, regular_takes
from service.bidding.rules import Rules
from service.bidding.tableset import Tables
from service.bidding.win_games import BAGS, PLACES, key_of
from service.bidding.winning import ONE
from service.bidding.winprob import LEVEL, candidates

Floats = NDArray[np.float64]
_NONE = (0,) * OURS
_VALUED = np.array(VALUED)
# By side, and whether it has a nil: signs of contract and stake, and bags, see `outcome`.
_WAYS = (
    ((OUR_CONTRACT, _NONE, OUR_BAGS), (OUR_CONTRACT_NIL, OUR_NIL, OUR_BAGS_NIL)),
    ((THEIR_CONTRACT, _NONE, THEIR_BAGS), (THEIR_CONTRACT_NIL, THEIR_NIL, THEIR_BAGS_NIL)),
)


class WinDecision(NamedTuple):
    """A bid by its win probability, with all that made it."""

    bid: int
    regular: Regular
    nil: Nil
    inputs: Sequence[float]  # of the position, see features
    bids: list[int]  # those weighed, and where asked for those that stand beside them
    contracts: list[tuple[int, int]]  # beside each bid: our side's tricks and theirs, as the outcomes count them
    stakes: list[tuple[int, int]]  # points on the nils of our side and of theirs
    p_win: list[float]  # of each bid
    outcomes: Floats  # (bids, OUTCOMES): their probabilities
    weighed: int  # the set of bids weighed


def win_decision(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    us: int,
    them: int,
    us_bags: int,
    them_bags: int,
    rules: Rules,
    allowed: int,
    legal: int,
    every: bool,
    t: Tables,
    arrays: Tables,
) -> WinDecision:
    """The bid with the highest win probability, the lower of two; rules as `win_games` takes them.

    ``allowed``: the set of bids that the rules allow; ``legal``: those that the request does, which has the last word.
    ``every``: tell of all of them, not only of those that are weighed. ``t`` and ``arrays`` are the same tables, as
    memoryviews and as ndarrays.
    """
    factor = previous_bids_factor(seat, b0, b1, b2, t)
    regular = regular_takes(hand, seat, b0, b1, b2, factor, 0.0, t)
    sequence = sequence_index(seat, b0, b1, b2)
    nil = consider_nil(hand, seat, b0, b1, sequence, FULL, 0.0, LOW_FOUR, 1, rules.nil_points, allowed, t)
    weighed = candidates(regular.takes, seat, b0, b1, nil.ruled_out, allowed)
    weighed = weighed & legal or allowed & legal or legal
    told = (allowed & legal or legal) if every else weighed
    bids = [bid for bid in range(14) if told >> bid & 1]

    x = array("d", bytes(8 * INPUTS))
    position_inputs(
        hand,
        seat,
        b0,
        b1,
        b2,
        us,
        them,
        us_bags,
        them_bags,
        PLACES[key_of(rules)],
        rules,
        regular,
        nil.value,
        t,
        x,
    )
    rows = array("d", bytes(8 * BID_INPUTS * len(bids)))
    cells = memoryview(rows)
    contracts, on_nils = [], []
    beside = stakes(seat, b0, b1, b2, 1, rules)  # of the nils that others bid
    for i, bid in enumerate(bids):
        partner, theirs = expected_bids(seat, b0, b1, b2, bid, t)
        row = cells[i * BID_INPUTS : (i + 1) * BID_INPUTS]
        bid_inputs(bid, seat, partner, theirs, rules.win - us, regular, nil.probability, row)
        contracts.append((bid + int(partner + 0.5), int(theirs + 0.5)))
        on_nils.append(beside if bid else stakes(seat, b0, b1, b2, bid, rules))
    values = _values(contracts, on_nils, us, them, us_bags, them_bags, seat & 1, rules, arrays.win)
    seen = np.frombuffer(rows).reshape(-1, BID_INPUTS)
    seen[:, VALUES:] = values[:, _VALUED]
    odds = _odds(np.frombuffer(x), seen, arrays)
    p_win: list[float] = np.minimum(np.einsum("ij,ij->i", odds, values), 1.0).tolist()
    best = -1
    most = -1.0
    for bid, p in zip(bids, p_win):
        if weighed >> bid & 1 and p > most + LEVEL:
            best, most = bid, p
    return WinDecision(best, regular, nil, x, bids, contracts, on_nils, p_win, odds, weighed)


def _odds(x: Floats, rows: Floats, arrays: Tables) -> Floats:
    """The net: probabilities (bids, OUTCOMES) of a position's numbers and each bid's."""
    position, hidden, out = arrays.net_position, arrays.net_hidden, arrays.net_out
    h = rows @ arrays.net_bid
    h += x @ position[:-1] + position[-1]
    g = np.maximum(h, 0.0, out=h) @ hidden[:-1]
    g += hidden[-1]
    odds: Floats = np.maximum(g, 0.0, out=g) @ out[:-1]
    odds += out[-1]
    np.exp(odds, out=odds)  # far from overflow: the weights are those of the tables
    odds /= np.add.reduce(odds, axis=1, keepdims=True)
    return odds


@lru_cache(maxsize=256)
def _ends(side: int, held: int, nil: bool, limit: int, penalty: int) -> list[tuple[int, int, int, int]]:
    """Each way a side's round ends with ``held`` bags before it: signs of contract and stake, points of the bags, bags.

    Contract signs count tens.
    """
    contracts, nils, bags = _WAYS[side][nil]
    ends = []
    for sign, nil_sign, more in zip(contracts, nils, bags):
        over = held + more >= limit  # once at most: no way has as many bags as the limit
        ends.append((10 * sign, nil_sign, more - over * penalty, held + more - over * limit))
    return ends


def _values(
    contracts: list[tuple[int, int]],
    on_nils: list[tuple[int, int]],
    us: int,
    them: int,
    us_bags: int,
    them_bags: int,
    next_first: int,
    rules: Rules,
    win: NDArray[np.uint16],
) -> Floats:
    """What each outcome of each bid is worth, (bids, OUTCOMES): `outcome.outcome_values` for all of them at once."""
    floor, size, start = PLACES[key_of(rules)]
    goal, lose, limit, penalty = rules.win, rules.lose, rules.bag_limit, rules.bag_penalty
    step = BAGS * BAGS
    ended = False
    points: tuple[list[int], list[int]] = [], []
    cells: tuple[list[int], list[int]] = [], []
    for side, (score, held) in enumerate(((us, us_bags), (them, them_bags))):
        row_step, bag_step = (size * step, BAGS) if side != next_first else (step, 1)
        told, found = points[side], cells[side]
        before = (-1, -1)
        for tricks, staked in zip(contracts, on_nils):
            contract, stake = tricks[side], staked[side]
            if (contract, stake) == before:  # as the opponents' mostly is, whatever we bid
                told += told[-THEIRS if side else -OURS :]
                found += found[-THEIRS if side else -OURS :]
                continue
            before = contract, stake
            for ten, nil_sign, of_bags, bags in _ends(side, held, stake > 0, limit, penalty):
                after = score + contract * ten + stake * nil_sign + of_bags
                told.append(after)
                if after >= goal or after <= lose:
                    ended = True
                row = (after - bags + 5) // 10 - floor
                row = 0 if row < 0 else (row if row < size else size - 1)
                found.append(row * row_step + bags * bag_step)
    ours = np.array(cells[0]).reshape(-1, OURS, 1)
    values: Floats = win[start:][ours + np.array(cells[1]).reshape(-1, 1, THEIRS)] / ONE
    if not next_first:
        values = 1.0 - values
    if ended:
        our, their = np.array(points[0]).reshape(-1, OURS, 1), np.array(points[1]).reshape(-1, 1, THEIRS)
        over = ((our >= goal) | (our <= lose) | (their >= goal) | (their <= lose)) & (our != their)
        values = np.where(over, our > their, values)
    return values.reshape(-1, OUTCOMES)


def summed(outcomes: Floats, which: Floats) -> list[list[float]]:
    """For each row of ``outcomes`` (bids, OUTCOMES) its sums over the outcomes that `counting` tells of."""
    sums: list[list[float]] = (outcomes @ which).tolist()
    return sums


def counting(columns: list[list[int]]) -> Floats:
    """(OUTCOMES, len(columns)): which outcomes count for what, as `summed` takes it."""
    return np.array(columns, np.float64).T.copy()

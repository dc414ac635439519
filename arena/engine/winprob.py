"""Policy `winprob` for the simulator, as kernels: the service's decision with loops instead of numpy.

The net's weights are the tables `net_*`. The values of outcomes come from the win tables `win` and `extra_win`.
"""

from math import exp
from typing import Any, NamedTuple

import numpy as np

from arena.engine.choose_bid import auction_at, standing_at, tables_of
from arena.engine.jit import register
from arena.engine.outcomes import Contracts, outcome_values
from spades.cards import suits_of
from spades.legal import EVERY_BID, simplified_rules
from spades.levels import sample_bid
from spades.options import Policy
from spades.play import PlayState
from spades.position import Auction, allowed_at_turn
from spades.rules import Rules
from spades.scoring import Standing, contract_points
from spades.tables import Tables, profile_of
from spades.winprob import win_array
from spades.winprob.candidates import best_bid, best_far_bid, last_bag_bid
from spades.winprob.features import (
    BID_INPUTS,
    CARD_INPUTS,
    INPUTS,
    VALUED,
    VALUES,
    ModelPosition,
    as_worthless_bags,
    bid_inputs,
    expected_beside,
    expected_bids,
    model_nil,
    model_position,
    p_win_before,
)
from spades.winprob.games import IDLE, KEY_CELLS, KEY_FLAGS, WinTableSlice
from spades.winprob.outcomes import (
    OUTCOMES,
    THEIRS,
    likely_loss,
    our_impossible_ways,
    their_impossible_ways,
)

BIDS = 14  # length of an array by bid, 0..13
NO_ODDS = -1e9  # log odds of an impossible outcome


def slice_of(rules: Rules, tables: Any) -> WinTableSlice:
    """Return the slice of the win table for ``rules``, from the first row of ``tables.games`` with their `key_of`.

    ``start`` is -1 if there is no such row. ``tables``: `KernelTables` or `Tables`.
    """
    games = tables.games
    first = len(KEY_CELLS)
    for i in range(len(games)):
        if _is_game(rules, i, games):
            return WinTableSlice(
                games[i, first],
                games[i, first + 1],
                games[i, first + 2],
                games[i, first + 3],
                games[i, first + 4],
                games[i, first + 5],
                games[i, first + 6],
            )
    return WinTableSlice(0, 0, -1, 1, 1, 0, 1)


def _is_game(rules: Rules, row: int, games: Any) -> bool:
    for column in range(len(KEY_CELLS)):
        flag = KEY_FLAGS[column]
        value = rules[KEY_CELLS[column]] if flag < 0 or rules[flag] else IDLE
        if games[row, column] != value:
            return False
    return True


def card_inputs(held: tuple[int, int, int, int], x: Any) -> None:
    """Write 1 for each card of ``held`` (`ModelPosition.held`) to ``x`` (CARD_INPUTS,), which holds zeros."""
    cell = 0
    for cards in held:
        while cards:
            x[cell + (cards & -cards).bit_length() - 1] = 1.0
            cards &= cards - 1
        cell += 13


def write_position(position: ModelPosition, x: Any) -> None:
    """Write a position's inputs to ``x`` (INPUTS,), which holds zeros."""
    card_inputs(position.held, x)
    for i, number in enumerate(position.inputs):
        x[CARD_INPUTS + i] = number


def write_bid(
    bid: int,
    position: ModelPosition,
    win_slice: WinTableSlice,
    rules: Rules,
    tables: Tables,
    win: Any,
    c: Any,
    values: Any,
) -> Contracts:
    """Write a bid's inputs to ``c`` (BID_INPUTS,) and its outcomes' values to ``values`` (OUTCOMES,).

    ``bid``: as in ``position``. Return the contracts of both sides with this bid. A value is the win probability after
    the outcome. ``win_slice``: where in ``win`` the game's win table is.
    """
    expected = expected_beside(bid, expected_bids(bid, position.auction, tables), position)
    for i, number in enumerate(bid_inputs(bid, expected, position)):
        c[i] = number
    tricks, opposing = bid + expected.partner_tricks, expected.opponents_tricks
    our_factor, their_factor = position.factors
    contracts = Contracts(
        ours=our_factor * contract_points(tricks, rules),
        our_loss=our_factor * likely_loss(tricks, rules),
        theirs=their_factor * contract_points(opposing, rules),
        their_loss=their_factor * likely_loss(opposing, rules),
        stake=position.stake if bid else position.stake_with_nil,
        their_stake=position.their_stake,
        later=position.later,
        their_later=position.their_later,
    )
    outcome_values(contracts, position.standing, position.seat & 1, win_slice, rules, win, values)
    for i in range(len(VALUED)):
        c[VALUES + i] = values[VALUED[i]]
    return contracts


def winprob_bid(
    hand: int,
    auction: Auction,
    standing: Standing,
    allowed: int,
    rules: Rules,
    policy: Policy,
    tables: Tables,
    net: Any,
    p_win: Any,
) -> int:
    """Return the bid with the highest win probability, as `best_bid` chooses it.

    ``allowed``: the set of bids that the rules allow. ``net``: has the net and the win tables (`KernelTables`). Write
    the win probability of each bid considered to ``p_win`` (BIDS,), and -1 for all others.
    """
    win_slice = slice_of(rules, net)
    win = win_array(win_slice, net)
    others = policy.left, policy.partner, policy.right
    before = p_win_before(auction.seat, standing, win_slice, rules, win)
    counted = as_worthless_bags(rules)
    position = model_position(hand, auction, standing, allowed, others, before, counted, tables)
    work = working_arrays(position, net)
    compared = position.weighed | position.far
    bids = np.full(BIDS, -1.0)  # as `p_win`, by the bids of the position
    for bid in range(BIDS):
        if compared >> bid & 1:
            bids[bid] = p_win_with(bid, position, win_slice, rules, tables, net, work)
    if position.far:
        kept = best_far_bid(bids, position.weighed, position.far, position.needed, policy)
        for bid in range(BIDS):
            if (position.far & ~kept) >> bid & 1:
                bids[bid] = -1.0
    best = best_bid(bids, position.regular.takes, policy)
    best = last_bag_bid(best, bids, position.needed, position.standing.us_bags, position.auction, rules)
    for bid in range(BIDS):
        p_win[bid] = -1.0
    for bid in range(BIDS):
        if bids[bid] >= 0.0:
            p_win[max(0, bid - position.shift)] = bids[bid]
    return max(0, best - position.shift)


class Work(NamedTuple):
    """Working memory for the decisions in one position; see `working_arrays`."""

    shared: Any  # sums of the first layer from the position's inputs, the same for every bid
    c: Any  # (BID_INPUTS,): inputs of a bid
    h: Any  # sums of the first hidden layer
    g: Any  # sums of the second hidden layer
    odds: Any  # (OUTCOMES,): log odds
    values: Any  # (OUTCOMES,)


def working_arrays(position: ModelPosition, net: Any) -> Work:
    """Return the working memory for ``position``. The last rows of the net's weights are the biases."""
    x = np.zeros(INPUTS)
    write_position(position, x)
    width = net.net_position.shape[1]
    shared = np.zeros(width)
    add_row(net.net_position, INPUTS, 1.0, shared)
    for i in range(INPUTS):
        if x[i] != 0.0:
            add_row(net.net_position, i, x[i], shared)
    return Work(
        shared=shared,
        c=np.zeros(BID_INPUTS),
        h=np.zeros(width),
        g=np.zeros(net.net_hidden.shape[1]),
        odds=np.zeros(OUTCOMES),
        values=np.zeros(OUTCOMES),
    )


def p_win_with(
    bid: int, position: ModelPosition, win_slice: WinTableSlice, rules: Rules, tables: Tables, net: Any, work: Work
) -> float:
    """Return the win probability of ``bid``, as in ``position``."""
    c, h, g, odds, values = work.c, work.h, work.g, work.odds, work.values
    width, depth = len(h), len(g)
    contracts = write_bid(bid, position, win_slice, rules, tables, win_array(win_slice, net), c, values)
    h[:] = work.shared
    for i in range(BID_INPUTS):
        if c[i] != 0.0:
            add_row(net.net_bid, i, c[i], h)
    g[:] = 0.0
    add_row(net.net_hidden, width, 1.0, g)
    for i in range(width):
        if h[i] > 0.0:
            add_row(net.net_hidden, i, h[i], g)
    odds[:] = 0.0
    add_row(net.net_out, depth, 1.0, odds)
    for i in range(depth):
        if g[i] > 0.0:
            add_row(net.net_out, i, g[i], odds)
    if position.seat > 1:
        exclude_impossible(bid, position, contracts.stake, tables, odds)
    return mean_value(odds, values)


def exclude_impossible(bid: int, position: ModelPosition, stake: int, tables: Tables, odds: Any) -> None:
    """Set the log odds ``odds`` (OUTCOMES,) of outcomes that the hand's certain tricks exclude to NO_ODDS.

    Call it only after partner has bid. ``stake``: points at stake on our side's nils with ``bid``.
    """
    expected = expected_beside(bid, expected_bids(bid, position.auction, tables), position)
    certain = position.certain if bid else position.certain_nil
    ours = our_impossible_ways(bid, bid + expected.partner_tricks, stake, position.stake, certain)
    theirs = 0
    if position.seat == 3:
        theirs = their_impossible_ways(expected.opponents_tricks, position.their_stake, certain)
    for k in range(OUTCOMES):
        if ours >> k // THEIRS & 1 or theirs >> k % THEIRS & 1:
            odds[k] = NO_ODDS


def add_row(weights: Any, row: int, factor: float, sums: Any) -> None:
    """Add ``factor`` times row ``row`` of ``weights`` to ``sums``."""
    for j in range(len(sums)):
        sums[j] += factor * weights[row, j]


def mean_value(odds: Any, values: Any) -> float:
    """Return the mean of ``values``, weighted by the softmax of ``odds``; both have shape (OUTCOMES,)."""
    top = odds[0]
    for k in range(1, OUTCOMES):
        if odds[k] > top:
            top = odds[k]
    total = 0.0
    value = 0.0
    for k in range(OUTCOMES):
        p = exp(odds[k] - top)
        total += p
        value += p * values[k]
    return value / total


def winprob_seat(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any) -> int:
    """Return the bid of `winprob` from ``seat``; ``profiles``: `KernelTables`."""
    return weighed_seat(state, seat, rules, policy, profiles, np.zeros(BIDS))


def weighed_seat(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any, p_win: Any) -> int:
    """Return the bid of `winprob` from ``seat``, and write the win probability of each bid to ``p_win`` (BIDS,).

    A bid that is not considered gets -1.
    """
    hand, auction, standing = state.hand[seat], auction_at(state, seat), standing_at(state, seat)
    allowed = allowed_at_turn(hand, auction, rules)
    tables = tables_of(profiles, profile_of(rules, policy, standing))
    seen = simplified_rules(rules) if policy.ignores_rules else rules
    return winprob_bid(hand, auction, standing, allowed, seen, policy, tables, profiles, p_win)


def skilled_seat(state: PlayState, seat: int, rules: Rules, policy: Policy, seed: int, profiles: Any) -> int:
    """Return the bid of a `winprob` policy with a level or a style; ``seed`` draws the random numbers."""
    p_win = np.zeros(BIDS)
    best = weighed_seat(state, seat, rules, policy, profiles, p_win)
    p_nil = 0.0
    if p_win[0] >= 0.0:
        tables = tables_of(profiles, profile_of(rules, policy, standing_at(state, seat)))
        nil = model_nil(suits_of(state.hand[seat]), auction_at(state, seat), 1, EVERY_BID, rules, tables)
        p_nil = nil.probability
    return sample_bid(p_win, best, p_nil, policy, seed)


register(__name__)

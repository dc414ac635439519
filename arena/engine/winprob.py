"""Policy `winprob` for the simulator, as kernels: the service's decision with loops instead of numpy.

The net's weights are the tables `net_*`. The values of outcomes come from the win tables `win` and `extra_win`.
`spades.winprob.outcomes` lists the outcomes: OURS ways in which the round ends for our side, times THEIRS ways for the
other side.
"""

from math import exp
from typing import Any, NamedTuple

import numpy as np

from arena.engine.choose_bid import auction_at, standing_at, tables_of
from arena.engine.jit import register
from spades.cards import suits_of
from spades.legal import BLIND_NUMBER, EVERY_BID, simplified_rules
from spades.levels import sample_bid
from spades.options import Policy
from spades.play import PlayState
from spades.position import Auction, allowed_at_turn
from spades.rules import Rules
from spades.scoring import Standing, apply_bags, contract_points
from spades.tables import Tables, View, profile_of
from spades.winprob import win_array, win_probability_after
from spades.winprob.blind_numbers import (
    HANDS,
    blind_numbers,
    is_worth_it,
    number_for_net,
    random_hand,
    with_blind_number,
)
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
    our_impossible_ways,
    their_impossible_ways,
)

BIDS = 14  # length of an array by bid, 0..13
NO_ODDS = -1e9  # log odds of an impossible outcome


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
            bids[bid] = p_win_with(bid, position, win_slice, win, rules, tables, net, work)
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
    copy_row(net.net_position, INPUTS, shared)
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
    bid: int,
    position: ModelPosition,
    win_slice: WinTableSlice,
    win: Any,
    rules: Rules,
    tables: Tables,
    net: Any,
    work: Work,
) -> float:
    """Return the win probability of ``bid``, as in ``position``; ``win``: the array of ``win_slice``."""
    c, h, g, odds, values = work.c, work.h, work.g, work.odds, work.values
    width, depth = len(h), len(g)
    contracts = write_bid(bid, position, win_slice, rules, tables, win, c, values)
    for j in range(width):
        h[j] = work.shared[j]
    for i in range(BID_INPUTS):
        if c[i] != 0.0:
            add_row(net.net_bid, i, c[i], h)
    copy_row(net.net_hidden, width, g)
    for i in range(width):
        if h[i] > 0.0:
            add_row(net.net_hidden, i, h[i], g)
    copy_row(net.net_out, depth, odds)
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


def copy_row(weights: Any, row: int, sums: Any) -> None:
    """Write row ``row`` of ``weights`` to ``sums``."""
    for j in range(len(sums)):
        sums[j] = weights[row, j]


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


class BlindNumber(NamedTuple):
    """The best number to bid blind, and what looking is worth; 0s if none may be bid."""

    number: int
    p_win: float  # win probability of the number
    p_look: float  # win probability of the best bid after looking at the hand


def best_blind_number(
    auction: Auction,
    standing: Standing,
    rules: Rules,
    policy: Policy,
    tables: Tables,
    deck: int,
    net: Any,
) -> BlindNumber:
    """Return the number with the highest win probability if it is bid blind, over random hands of ``deck``.

    ``net``: has the net and the win tables (`KernelTables`).
    """
    numbers = blind_numbers(auction, standing, rules)
    if numbers == 0:
        return BlindNumber(0, 0.0, 0.0)
    win_slice = slice_of(rules, net)
    win = win_array(win_slice, net)
    before = p_win_before(auction.seat, standing, win_slice, rules, win)
    others = policy.left, policy.partner, policy.right
    blind = with_blind_number(auction)
    look, by_number, p_win = 0.0, np.zeros(BIDS), np.zeros(BIDS)
    for i in range(HANDS):
        hand = random_hand(i, deck)
        allowed = allowed_at_turn(hand, auction, rules)
        bid = winprob_bid(hand, auction, standing, allowed, rules, policy, tables, net, p_win)
        look += p_win[bid] / HANDS
        position = model_position(hand, blind, standing, allowed, others, before, as_worthless_bags(rules), tables)
        work = working_arrays(position, net)
        for number in range(BIDS):
            if numbers >> number & 1:
                seen = number_for_net(number, position, rules, tables)
                p = p_win_with(seen, position, win_slice, win, rules, tables, net, work)
                by_number[number] += p / HANDS
    best = 0
    for number in range(BIDS):
        if by_number[number] > by_number[best]:
            best = number
    return BlindNumber(best, by_number[best], look)


def blind_number_of(state: PlayState, seat: int, rules: Rules, policy: Policy, profiles: Any) -> int:
    """Return the blind number that `winprob` bids from ``seat``, as a bid, or 0 if it looks at the hand.

    ``profiles``: `KernelTables`.
    """
    auction, standing = auction_at(state, seat), standing_at(state, seat)
    tables = tables_of(profiles, profile_of(rules, policy, standing))
    found = best_blind_number(auction, standing, rules, policy, tables, state.deck, profiles)
    return BLIND_NUMBER + found.number if found.number > 0 and is_worth_it(found.p_win, found.p_look) else 0


register(
    __name__,
    arrays=(winprob_bid, working_arrays, winprob_seat, skilled_seat, best_blind_number),
)

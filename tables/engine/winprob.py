"""The `winprob` policy compiled, for the simulator: the model's sums as loops, the same numbers as `service`'s `net`.

Weights and win tables come in the tables (`Tables.net_*`, `win`, `more_win`); what the loops write to is their own.
"""

from math import exp
from typing import Any

import numpy as np

from service.bidding.bis.nil import LOW_FOUR, consider_nil
from service.bidding.bis.regular import previous_bids_factor, regular_takes
from service.bidding.game.auction import sequence_index
from service.bidding.game.legal import EVERY_BID, allowed_bids
from service.bidding.game.rules import Rules
from service.bidding.levels import sample_bid
from service.bidding.policies import FULL, Policy
from service.bidding.winprob.candidates import MARGIN, TIE_TOLERANCE, candidates
from service.bidding.winprob.features import (
    BID_INPUTS,
    CARD_INPUTS,
    INPUTS,
    VALUED,
    VALUES,
    bid_inputs,
    card_inputs,
    expected_bids,
    holdings,
    position_inputs,
)
from service.bidding.winprob.outcomes import OUTCOMES, contract_tens, nil_stakes, outcome_values
from service.bidding.winprob.win_table import slice_of, win_array
from tables.engine.play_state import PlayState
from tables.engine.scratch import put

BIDS = 14


def winprob_bid(
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
    tables: Any,
    p_win: Any,
) -> int:
    """The bid with the highest win probability, a higher number if by MARGIN; ``p_win`` (BIDS,) of those weighed."""
    factor = previous_bids_factor(seat, b0, b1, b2, tables)
    regular = regular_takes(hand, seat, b0, b1, b2, factor, 0.0, tables)
    sequence = sequence_index(seat, b0, b1, b2)
    nil = consider_nil(hand, seat, b0, b1, sequence, FULL, 0.0, LOW_FOUR, 1, rules.nil_points, allowed, tables)
    weighed = candidates(regular.takes, seat, b0, b1, nil.ruled_out, allowed)
    win_slice = slice_of(rules, tables)
    win = win_array(win_slice, tables)
    x = np.zeros(INPUTS)
    held = holdings(hand)
    card_inputs(held, x)
    seen = position_inputs(
        held, seat, b0, b1, b2, sequence, us, them, us_bags, them_bags, win_slice, rules, regular, nil, tables
    )
    put(seen, CARD_INPUTS, x)
    width = tables.net_position.shape[1]
    depth = tables.net_hidden.shape[1]
    shared = np.zeros(width)
    add_row(tables.net_position, INPUTS, 1.0, shared)
    for i in range(INPUTS):
        if x[i] != 0.0:
            add_row(tables.net_position, i, x[i], shared)
    c = np.zeros(BID_INPUTS)
    h = np.zeros(width)
    g = np.zeros(depth)
    odds = np.zeros(OUTCOMES)
    values = np.zeros(OUTCOMES)
    best = -1
    for bid in range(BIDS):
        if not weighed >> bid & 1:
            continue
        partner, theirs = expected_bids(seat, b0, b1, b2, sequence, bid, tables)
        put(bid_inputs(bid, seat, partner, theirs, rules.win - us, regular, nil.probability), 0, c)
        stake, their_stake = nil_stakes(seat, b0, b1, b2, bid, rules)
        contract = contract_tens(bid + int(partner + 0.5), rules)
        opposing = contract_tens(int(theirs + 0.5), rules)
        outcome_values(
            contract,
            opposing,
            stake,
            their_stake,
            us,
            them,
            us_bags,
            them_bags,
            seat & 1,
            win_slice,
            rules,
            win,
            values,
        )
        for i in range(len(VALUED)):
            c[VALUES + i] = values[VALUED[i]]
        h[:] = shared
        for i in range(BID_INPUTS):
            if c[i] != 0.0:
                add_row(tables.net_bid, i, c[i], h)
        g[:] = 0.0
        add_row(tables.net_hidden, width, 1.0, g)
        for i in range(width):
            if h[i] > 0.0:
                add_row(tables.net_hidden, i, h[i], g)
        odds[:] = 0.0
        add_row(tables.net_out, depth, 1.0, odds)
        for i in range(depth):
            if g[i] > 0.0:
                add_row(tables.net_out, i, g[i], odds)
        p_win[bid] = mean_value(odds, values)
        if best < 0 or p_win[bid] > p_win[best] + (MARGIN if best > 0 else TIE_TOLERANCE):
            best = bid
    return best


def add_row(weights: Any, row: int, factor: float, sums: Any) -> None:
    """Add ``factor`` times a row of ``weights`` to ``sums``."""
    for j in range(len(sums)):
        sums[j] += factor * weights[row, j]


def mean_value(odds: Any, values: Any) -> float:
    """The mean of ``values``, weighed by the softmax of ``odds``; both (OUTCOMES,)."""
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


def winprob_seat(state: PlayState, seat: int, rules: Rules, tables: Any) -> int:
    """The `winprob` bid from ``seat`` in a state."""
    return weighed_seat(state, seat, rules, tables, np.zeros(BIDS))


def weighed_seat(state: PlayState, seat: int, rules: Rules, tables: Any, p_win: Any) -> int:
    """The same; the win probabilities of the bids weighed are written to ``p_win`` (BIDS,)."""
    us = seat & 1
    return winprob_bid(
        state.hand[seat],
        seat,
        state.bid[0],
        state.bid[1],
        state.bid[2],
        state.score[us],
        state.score[1 - us],
        state.bags[us],
        state.bags[1 - us],
        rules,
        allowed_bids(state.hand[seat], seat, state.bid[0], state.bid[1], rules),
        tables,
        p_win,
    )


def skilled_seat(state: PlayState, seat: int, rules: Rules, policy: Policy, seed: int, tables: Any) -> int:
    """What a `winprob` with a level or a style bids."""
    p_win = np.full(BIDS, -1.0)
    best = weighed_seat(state, seat, rules, tables, p_win)
    p_nil = 0.0
    if p_win[0] >= 0.0:
        sequence = sequence_index(seat, state.bid[0], state.bid[1], state.bid[2])
        p_nil = consider_nil(
            state.hand[seat],
            seat,
            state.bid[0],
            state.bid[1],
            sequence,
            FULL,
            0.0,
            1,
            1,
            rules.nil_points,
            EVERY_BID,
            tables,
        ).probability
    return sample_bid(p_win, best, p_nil, policy, seed)

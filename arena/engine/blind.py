"""Numbers that policy `winprob` bids before it sees the hand, for the simulator, as kernels."""

from typing import Any, NamedTuple

import numpy as np

from arena.engine.choose_bid import auction_at, standing_at, tables_of
from arena.engine.jit import register
from arena.engine.winprob import BIDS, p_win_with, slice_of, winprob_bid, working_arrays
from spades.legal import BLIND_NUMBER
from spades.options import Policy
from spades.play import PlayState
from spades.position import Auction, allowed_at_turn
from spades.rules import Rules
from spades.scoring import Standing
from spades.tables import Tables, profile_of
from spades.winprob import win_array
from spades.winprob.blind_numbers import (
    HANDS,
    blind_numbers,
    is_worth_it,
    number_for_net,
    random_hand,
    with_blind_number,
)
from spades.winprob.features import as_worthless_bags, model_position, p_win_before


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
    before = p_win_before(auction.seat, standing, win_slice, rules, win_array(win_slice, net))
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
                p = p_win_with(seen, position, win_slice, rules, tables, net, work)
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


register(__name__)

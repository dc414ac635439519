"""SEARCH: a card player that plays each of its cards out on deals that fit what it knows, as kernels.

The deals come from card inference (`service.bidding.inference`), so they fit the bids too. In each deal every card is
played, and SRP 3 plays the rest of the round in all seats. The worth of the result is the win probability after the
round, from the win table. All cards are played on the same deals, so that their means differ because of the cards.

SRP's card is kept unless another is better by SURE standard errors. Every LOOK deals, cards that are surely worse than
the best so far are left out. Touching cards (`touching`) are one card.

The seed of the deals depends only on what the seat sees, so that a decision can be repeated.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from service.bidding.game.cards import lowest
from service.bidding.game.rules import Rules
from service.bidding.winprob.games import WinTableSlice
from service.playing.srp1.goals import ALL_PIECES
from service.playing.srp3.srp import srp3
from service.playing.state import PlayState
from service.playing.tricks import legal_cards, play_card
from tables.engine.game import win_probability_after_round
from tables.engine.scratch import scratch
from tables.engine.states import copy_state
from tables.players.solve import solve
from tables.players.touching import cards_between, group_of
from tables.players.unseen import seed_view
from tables.players.weighted_deals import MOST_UNSEEN, SIDE, draw_deal, sum_deals

LOOK = 16
WORSE = 3.0  # standard errors
SURE = 0.3
MOST_CARDS = 13
# Columns of the row of a card that was tried: 1 if there is a card, its number, the deals on which it was played, and
# the sums over them of its win probability, of the gain over SRP's card, and of the gain's square.
PLAYABLE, CARD, DEALS, WORTH, GAIN, SQUARES = range(6)
CELLS = 6


class Value(NamedTuple):
    """What a finished round is worth: the rules, and the win table of their game."""

    rules: Rules
    win_slice: WinTableSlice
    win: Any  # the array of the win table


class Effort(NamedTuple):
    """How much to search."""

    deals: int  # most deals
    solved: int = 0  # the last tricks of each deal that are played perfectly (`solve`) instead of by SRP


def search_card(state: PlayState, sim: PlayState, me: int, weights: Any, effort: Effort, value: Value) -> int:
    """Return the card that SEARCH plays from seat ``me``; see `try_cards`."""
    return try_cards(state, sim, me, weights, effort, value, np.zeros((MOST_CARDS, CELLS)))


def try_cards(state: PlayState, sim: PlayState, me: int, weights: Any, effort: Effort, value: Value, tried: Any) -> int:
    """Return the card that SEARCH plays from seat ``me``, and write a row for each card to ``tried``.

    ``weights`` (64, 3): of each card for the next three seats. ``sim`` is working memory. The
    first row of ``tried`` (MOST_CARDS, CELLS), which holds zeros, becomes that of SRP's card.
    """
    preferred = srp3(state, me)
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    cards = scratch(MOST_CARDS)
    n = open_cards(cards, legal, preferred, cards_between(state, me))
    for i in range(n):
        tried[i, PLAYABLE] = 1.0
        tried[i, CARD] = cards[i]
    if n == 1:
        return preferred
    sums = np.zeros((MOST_UNSEEN + 1, SIDE, SIDE))
    if sum_deals(state, me, weights, sums) <= 0.0:
        return preferred
    active = (1 << n) - 1
    hands = scratch(4)
    for done in range(effort.deals):
        seed_view(state, me, done, sim)
        draw_deal(state, me, weights, sums, sim)
        for seat in range(4):
            hands[seat] = sim.hand[seat]
        usual = 0.0
        for i in range(n):
            if active >> i & 1:
                worth = worth_of(state, sim, me, cards[i], hands, effort.solved, value)
                if i == 0:
                    usual = worth
                tried[i, DEALS] += 1.0
                tried[i, WORTH] += worth
                tried[i, GAIN] += worth - usual
                tried[i, SQUARES] += (worth - usual) * (worth - usual)
        if done % LOOK == LOOK - 1:
            active = _still_good(tried, n, active, done + 1)
            if active == 1:
                return preferred
    return int(cards[_best(tried, n, active, effort.deals)])


def open_cards(cards: Any, legal: int, preferred: int, others: int) -> int:
    """Write the cards to try to ``cards``, the ``preferred`` one first, and return their number.

    Of touching cards only one is tried: the preferred one or the lowest. ``others``: the cards that may lie between.
    """
    cards[0] = preferred
    n = 1
    while legal:
        card = lowest(legal)
        group = group_of(card, legal, others)
        legal &= ~group
        if not group >> preferred & 1:
            cards[n] = card
            n += 1
    return n


def worth_of(state: PlayState, sim: PlayState, me: int, card: int, hands: Any, solved: int, value: Value) -> float:
    """Return the win probability of ``me``'s side after ``card`` and SRP's play of the rest with ``hands``.

    The last ``solved`` tricks are played perfectly.
    """
    copy_state(state, sim)
    for seat in range(4):
        sim.hand[seat] = hands[seat]
        sim.pieces[seat] = ALL_PIECES
    play_card(sim, me, card)
    for _ in range(4 * (state.hand[me].bit_count() - solved) - state.trick_size - 1):
        seat = (sim.leader + sim.trick_size) & 3
        play_card(sim, seat, srp3(sim, seat))
    if solved:
        return solve(sim, me, value)
    return win_probability_after_round(sim, me, value.rules, value.win_slice, value.win)


def _error(tried: Any, i: int, deals: int) -> float:
    mean = tried[i, GAIN] / deals
    return sqrt(max(tried[i, SQUARES] / deals - mean * mean, 0.0) / deals)


def _still_good(tried: Any, n: int, active: int, deals: int) -> int:
    # The set of cards without those that are surely worse than SRP's or than the best. SRP's card stays.
    best = 0.0
    for i in range(1, n):
        if active >> i & 1:
            best = max(best, tried[i, GAIN] / deals)
    for i in range(1, n):
        if active >> i & 1 and tried[i, GAIN] / deals + WORSE * _error(tried, i, deals) < best:
            active &= ~(1 << i)
    return active


def _best(tried: Any, n: int, active: int, deals: int) -> int:
    best = 0
    most = 0.0
    for i in range(1, n):
        if active >> i & 1:
            gain = tried[i, GAIN] / deals
            if gain > most and gain > SURE * _error(tried, i, deals):
                best, most = i, gain
    return best

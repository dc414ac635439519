"""SEARCH: a card player that tries each of its cards on deals that fit what it knows, as kernels.

The weights of the deals come from card inference (`spades.inference`), so the deals fit the bids too. On each
deal every card is tried: SRP 3 plays the rest of the round in all seats, and the worth of the result is the win
probability after the round, from the win table. All cards are tried on the same deals, so that differences between
their means come from the cards and not from the deals.

SEARCH plays SRP's card unless another is better by more than SURE standard errors. After every LOOK deals, it leaves
out cards that are worse than the best so far by more than WORSE standard errors. Touching cards (`touching`) count as
one card.

The seed of the deals depends only on what the seat sees, so that a decision can be repeated.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from arena.engine.jit import register
from arena.engine.results import win_probability_after_round
from arena.engine.scratch import scratch
from arena.players.touching import cards_between, group_of
from arena.players.unseen import PLACE_COUNTS, seed_view
from arena.players.weighted_deals import MOST_UNSEEN, draw_deal, sum_deals
from spades.cards import lowest
from spades.play import ALL_PIECES, PlayState, copy_state, legal_cards, play_card, srp3
from spades.rules import Rules
from spades.winprob import WinTableSlice

LOOK = 16  # deals
WORSE = 3.0  # standard errors of the mean gain
SURE = 0.3  # standard errors of the mean gain
MOST_CARDS = 13
# Columns of the row of a card: 1 if the row has a card, the card, the number of deals on which it was tried, and the
# sums over these deals of its win probability, of its gain over SRP's card, and of the gain's square.
PLAYABLE, CARD, DEALS, WORTH, GAIN, SQUARES = range(6)
CELLS = 6


class Value(NamedTuple):
    """What decides the worth of a finished round: the rules, and the win table of their game."""

    rules: Rules
    win_slice: WinTableSlice
    win: Any  # the array of the win table


def search_card(state: PlayState, sim: PlayState, me: int, weights: Any, most_deals: int, value: Value) -> int:
    """Return the card that SEARCH plays from seat ``me``; see `try_cards`."""
    return try_cards(state, sim, me, weights, most_deals, value, np.zeros((MOST_CARDS, CELLS)))


def try_cards(
    state: PlayState, sim: PlayState, me: int, weights: Any, most_deals: int, value: Value, tried: Any
) -> int:
    """Return the card that SEARCH plays from seat ``me``, and write a row for each card to ``tried``.

    ``sim`` is working memory. ``weights`` (64, 3): of each card for the next three seats. ``most_deals``: most deals on
    which a card is tried. ``tried`` (MOST_CARDS, CELLS) holds zeros; its first row becomes that of SRP's card. If no
    deal fits the weights, return SRP's card.
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
    sums = np.zeros((MOST_UNSEEN + 1, PLACE_COUNTS, PLACE_COUNTS))
    if sum_deals(state, me, weights, sums) <= 0.0:
        return preferred
    active = (1 << n) - 1
    hands = scratch(4)
    for done in range(most_deals):
        seed_view(state, me, done, sim)
        draw_deal(state, me, weights, sums, sim)
        for seat in range(4):
            hands[seat] = sim.hand[seat]
        usual = 0.0
        for i in range(n):
            if active >> i & 1:
                worth = worth_of(state, sim, me, cards[i], hands, value)
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
    return int(cards[_best(tried, n, active, most_deals)])


def open_cards(cards: Any, legal: int, preferred: int, others: int) -> int:
    """Write the cards to try to ``cards``, the ``preferred`` one first, and return their number.

    Of touching cards only one is tried: the preferred one, or else the lowest. ``legal``: set of the legal cards;
    ``others``: set of the cards that may lie between two of them.
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


def worth_of(state: PlayState, sim: PlayState, me: int, card: int, hands: Any, value: Value) -> float:
    """Return the win probability of ``me``'s side after the round if ``me`` plays ``card`` and SRP 3 plays the rest.

    ``hands`` (4,): the hands of the deal, before ``card``.
    """
    copy_state(state, sim)
    for seat in range(4):
        sim.hand[seat] = hands[seat]
        sim.pieces[seat] = ALL_PIECES
    play_card(sim, me, card)
    for _ in range(4 * state.hand[me].bit_count() - state.trick_size - 1):
        seat = (sim.leader + sim.trick_size) & 3
        play_card(sim, seat, srp3(sim, seat))
    return win_probability_after_round(sim, me, value.rules, value.win_slice, value.win)


def _error(tried: Any, i: int, deals: int) -> float:
    # Return the standard error of card i's mean gain.
    mean = tried[i, GAIN] / deals
    return sqrt(max(tried[i, SQUARES] / deals - mean * mean, 0.0) / deals)


def _still_good(tried: Any, n: int, active: int, deals: int) -> int:
    # Return the set ``active`` of row numbers without the cards that are surely worse than the best. SRP's card, row 0,
    # has gain 0 and stays.
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


register(__name__)

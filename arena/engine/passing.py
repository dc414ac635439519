"""The exchange of cards between partners after the bidding, as kernels.

`spades.passing` chooses the cards that a seat gives. To measure that choice, a seat can also give random
cards or its highest ranks (`PlayState.passer`).
"""

from typing import Any

from arena.engine.deal import random_bit
from arena.engine.jit import register
from spades.cards import highest
from spades.legal import is_nil
from spades.passing import cards_to_pass, given_cards
from spades.play import PlayState, start_play

CHOSEN, RANDOM, HIGHEST = range(3)  # values of `PlayState.passer`: the service's choice, random cards, highest ranks


def exchange(state: PlayState, passed: Any) -> None:
    """Exchange cards between the partners of each side that bid a nil, as `PlayState.passes` says.

    The nil bidder gives first; if both bid nil, the seat that bid first. Partner chooses after seeing these cards only
    if ``passes[2]`` is 1. ``passed`` (4,): gets the cards that each seat gave. Afterwards, write who leads.
    """
    for seat in range(2):
        partner = seat + 2
        number = cards_to_pass(state.bid[seat], state.bid[partner], state.passes[0], state.passes[1])
        if number == 0:
            continue
        first, second = (seat, partner) if is_nil(state.bid[seat]) else (partner, seat)
        given = _given(state, first, number)
        state.hand[first] &= ~given
        if state.passes[2]:
            state.hand[second] |= given
        back = _given(state, second, number)
        state.hand[second] = (state.hand[second] | given) & ~back
        state.hand[first] |= back
        passed[first] = given
        passed[second] = back
    start_play(state)


def _given(state: PlayState, seat: int, number: int) -> int:
    hand = state.hand[seat]
    if state.passer[seat] == CHOSEN:
        return given_cards(hand, state.bid[seat], number, state.deck)
    given = 0
    for _ in range(number):
        bit = random_bit(state, hand) if state.passer[seat] == RANDOM else _highest_rank(hand)
        given |= bit
        hand &= ~bit
    return given


def _highest_rank(hand: int) -> int:
    best = 0
    most = -1
    for suit in range(4):
        cards = hand >> 16 * suit & 0xFFFF
        if cards and highest(cards) >= most:  # of equal ranks, the one in the highest suit: spades come last
            most = highest(cards)
            best = 1 << 16 * suit + most
    return best


register(__name__)

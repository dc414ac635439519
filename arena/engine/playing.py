"""The play of rounds: the exchange of cards between partners after the bidding, as kernels, and the cards of players.

`spades.passing` chooses the cards that a seat gives.
"""

from typing import Any

from arena.engine.deal import NO_ANSWER
from arena.engine.jit import entry, register
from arena.engine.replay import PLAYS
from arena.players.choose_card import WRP, choose_card
from spades.legal import is_nil
from spades.passing import cards_to_pass, given_cards
from spades.play import PlayState, legal_cards, play_card, start_play
from spades.random_numbers import hash_uniform

BLEND_SEED = 1 << 40  # added to a deal's random word, so that blends draw other numbers than blind nils


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
    return given_cards(state.hand[seat], state.bid[seat], number, state.deck)


register(__name__)


def _blend(states: Any, rounds: Any, active: Any, shares: Any) -> None:
    # shares (4,): how often the card player of a chair plays a round as WRP.
    for i in range(len(rounds)):
        for seat in range(4):
            share = shares[(rounds[i].first_chair + seat) & 3]
            if active[i] and share > 0.0 and hash_uniform(states[i].rng[seat] + BLEND_SEED) < share:
                states[i].player[seat] = WRP


def _exchange(states: Any, rounds: Any, active: Any) -> None:
    for i in range(len(rounds)):
        if active[i] and (states[i].passes[0] or states[i].passes[1]):
            exchange(states[i], rounds[i].passed)


def _play(states: Any, rounds: Any, places: Any, asked_from: Any, answers: Any) -> None:
    # places (n,): number of cards played. asked_from (n, 4): by seat, the first place at which the card comes from
    # ``answers`` (n,).
    for i in range(len(rounds)):
        state, row = states[i], rounds[i]
        while places[i] < PLAYS:
            seat = (state.leader + state.trick_size) & 3
            if places[i] < asked_from[i, seat]:
                card = choose_card(state, seat)
            elif answers[i] == NO_ANSWER:
                break
            else:
                card = answers[i]
                answers[i] = NO_ANSWER
            state.choices += legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken).bit_count()
            row.plays[places[i]] = card
            play_card(state, seat, card)
            places[i] += 1


def _legal(states: Any, seats: Any, found: Any) -> None:
    for i in range(len(states)):
        state = states[i]
        found[i] = legal_cards(state.hand[seats[i]], state.trick_size, state.trick[0], state.broken)


blend_all, exchange_all, play_all, legal_of_all = entry(_blend), entry(_exchange), entry(_play), entry(_legal)

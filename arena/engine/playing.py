"""The play of rounds: the pass between partners, and the cards of compiled players. Compiled loops over rounds."""

from typing import Any

from arena.engine.deal import NO_ANSWER
from arena.engine.jit import entry
from arena.engine.passing import exchange
from arena.engine.replay import PLAYS
from arena.players.choose_card import WRP, choose_card
from spades.play import legal_cards, play_card
from spades.random_numbers import hash_uniform

BLEND_SEED = 1 << 40  # added to a deal's random word, so that blends draw other numbers than blind nils


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

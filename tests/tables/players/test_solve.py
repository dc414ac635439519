"""The last tricks played perfectly, against a plain search of every line of play."""

import pytest

from spades.cards import cards_of
from spades.play import legal_cards, play_card
from tables.engine.game import win_probability_after_round
from tables.engine.states import copy_state, new_states
from tables.players.solve import solve
from tests.tables.players.test_search import a_round, value_of


def every_line(state, me, value):
    """The win probability of the side of ``me``, by trying every legal card."""
    seat = (state.leader + state.trick_size) & 3
    legal = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
    if not legal:
        return win_probability_after_round(state, me, value.rules, value.win_slice, value.win)
    found = []
    for card in cards_of(legal):
        (after,) = new_states(1)
        copy_state(state, after)
        play_card(after, seat, card)
        found.append(every_line(after, me, value))
    return max(found) if seat & 1 == me & 1 else min(found)


@pytest.mark.parametrize("cards", [38, 40, 41, 43, 47, 50, 51])
def test_it_finds_what_a_search_of_every_line_finds(cards):
    value = value_of()
    for number in range(6):
        state, seat = a_round(number, cards)
        if number % 2:
            state.bid[number & 3] = 0  # a nil that may fail only now
        for me in (seat, (seat + 1) & 3):
            kept = (list(state.hand), list(state.taken))
            assert solve(state, me, value) == pytest.approx(every_line(state, me, value))
            assert (state.hand, state.taken) == kept

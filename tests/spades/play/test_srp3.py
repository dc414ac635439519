"""SRP version 3: SRP 2 that reads no high-low signal: one lead by hand, and its hash over the rounds of `test_srp1`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.cards import format_card, parse_card
from spades.play.srp.player import srp2, srp3
from spades.play.tricks import play_card
from tables.players.choose_card import choose_card
from tests.spades.play.test_srp1 import golden
from tests.tables.engine import states

FROZEN = "8197e17cc043c3cede9a9cceb9fc61baf8c846bf906902b3332296d38af413b6"
CLUBS = 1  # the suit's bit in `PlayState.void` and `PlayState.signalled`


@pytest.mark.parametrize(("player", "void", "card"), [("srp@2", 0, "3C"), ("srp@3", 0, "6D"), ("srp@3", CLUBS, "3C")])
def test_a_lead_for_partners_ruff(player, void, card):
    """Partner plays the nine of clubs, then the four, and still holds the deuce.

    SRP 2 leads a club as if partner could ruff it. SRP 3 does so only if partner has shown to be out of clubs.
    Otherwise it leads a diamond, because more diamonds than clubs are unseen.
    """
    s = states.of_hands(["..76.AK3", "3..9.765", "2..4.942", "..85.JT8"], players=(player,) * 4)
    for played in ("AC", "5C", "9C", "8C", "KC", "6C", "4C", "TC"):
        play_card(s, states.to_play(s), parse_card(played))
    assert s.signalled[2] == CLUBS
    s.void[2] = void
    assert format_card(choose_card(s, 0)) == card


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_without_signals_it_is_srp2(seed):
    s = states.midway(seed)
    me = states.to_play(s)
    found = srp3(s, me)
    s.signalled[:] = [0] * 4
    assert srp2(s, me) == found


@pytest.mark.compiled
def test_frozen():
    assert golden("srp@3") == FROZEN

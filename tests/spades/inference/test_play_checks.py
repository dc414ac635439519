"""Turns, suits that seats are out of, and room in the hands: what no round could have, and what one could."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.cards import CLUBS, DECK, DIAMONDS, HEARTS, SPADES, cards_of, parse_card, parse_pbn
from spades.inference.deals import deals_of
from spades.inference.knowledge import (
    SPECTATOR,
    View,
    contradictions_in,
    hand_contradictions,
    no_room,
    out_of_turn,
    unseen_of,
    with_first_trick,
)

HAND = parse_pbn("AKJ62.AQ.Q.K9543")


def cards(*names):
    return sum(1 << parse_card(name) for name in names)


def view(seat=2, hand=HAND, given=0, received=0, played=(0, 0, 0, 0), voids=(0, 0, 0, 0)):
    return View(DECK, seat, hand, given, received, played, voids)


def suits(*of):
    return sum(1 << suit for suit in of)


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ((0, 0, 0, 0), None),
        ((1, 0, 0, 0), None),
        ((1, 1, 1, 0), None),
        ((0, 1, 0, 0), ("before-leader", 1)),
        ((0, 1, 1, 1), ("before-leader", 1)),
        ((1, 0, 1, 0), ("not-next", 2)),
        ((1, 0, 0, 1), ("before-leader", 3)),
        ((2, 1, 1, 1), None),
        ((1, 2, 2, 1), None),
        ((2, 1, 1, 2), None),
        ((1, 2, 1, 2), ("not-next", 3)),
        ((2, 2, 1, 2), None),
        ((3, 3, 3, 3), None),
    ],
)
def test_turns(counts, found):
    deck = cards_of(DECK)
    played = tuple(sum(1 << card for card in deck[13 * seat : 13 * seat + n]) for seat, n in enumerate(counts))
    assert out_of_turn(view(SPECTATOR, 0, played=played)) == found


ONE_EACH = (cards("2C"), cards("TC"), cards("KC"), cards("TH"))
TWO_EACH = (cards("2C", "3H"), cards("TC", "4H"), cards("KC", "AC"), cards("TH", "5H"))


@pytest.mark.parametrize(
    ("seen", "found"),
    [
        (view(), []),
        (view(played=ONE_EACH, voids=(0, 0, 0, suits(CLUBS))), []),
        (view(played=ONE_EACH, voids=(0, 0, suits(HEARTS, DIAMONDS), 0)), [("void-held", 2, 1), ("void-held", 2, 2)]),
        (view(voids=(suits(CLUBS), 0, 0, 0)), [("void-unplayed", 0, -1)]),
        (view(played=ONE_EACH, voids=(0, 15, 0, 0)), [("void-all", 1, -1)]),
        (view(given=cards("AS"), received=cards("2S"), played=ONE_EACH, voids=(8, 0, 0, 0)), [("void-given", 0, 3)]),
        (view(given=cards("AS"), received=cards("2S"), played=ONE_EACH, voids=(0, 8, 0, 0)), [("void-unshown", 1, 3)]),
        (view(SPECTATOR, 0, played=ONE_EACH, voids=(8, 0, 8, 0)), [("void-unshown", 0, 3), ("void-unshown", 2, 3)]),
        (view(SPECTATOR, 0, played=ONE_EACH, voids=(0, 0, 0, 3)), [("void-unshown", 3, 1)]),
        (view(SPECTATOR, 0, played=TWO_EACH, voids=(8, 0, 1, 0)), [("void-unshown", 2, 0)]),
        (view(SPECTATOR, 0, played=TWO_EACH, voids=(0, 0, 0, 3)), []),
    ],
)
def test_hands(seen, found):
    assert hand_contradictions(seen) == found


def test_given_cards_must_be_left():
    """Seat 0 was given two cards, and has played twelve others."""
    deck = [card for card in cards_of(DECK & ~HAND) if card != parse_card("2S")]
    played = sum(1 << card for card in deck[:12])
    seen = view(given=cards("AS", "KS"), received=cards("2S", "TS"), played=(played, 0, 0, 0))
    assert hand_contradictions(seen) == [("given-left", 0, -1)]
    seen = view(given=cards("AS"), received=cards("2S"), played=(played, 0, 0, 0))
    assert hand_contradictions(seen) == []


@pytest.mark.parametrize(
    ("played", "voids"),
    [
        (("2D", "", "", ""), (0, 0, 0, 0)),
        (("2D", "7D", "QD", "9D"), (0, 0, 0, 0)),
        (("2D", "7C", "QD", "9S"), (0, suits(DIAMONDS), 0, suits(DIAMONDS))),
        (("2S", "7S", "6S", "9C"), (suits(CLUBS, DIAMONDS, HEARTS), 0, 0, suits(SPADES))),
    ],
)
def test_the_first_trick_shows_voids(played, voids):
    seen = view(played=tuple(cards(name) if name else 0 for name in played))
    assert with_first_trick(seen).voids == voids


def test_later_tricks_show_nothing():
    seen = view(played=(cards("2D", "3D"), cards("7C"), cards("QD"), cards("9S")))
    assert with_first_trick(seen) == seen


def test_no_room_names_the_fewest_suits():
    """The unseen hearts are 11; seat 3 has room for 10 cards."""
    deck = cards_of(DECK & ~HAND & ~(0xFFFF << 32))
    played = tuple(sum(1 << card for card in deck[3 * n : 3 * n + 3]) for n in range(4))
    seen = view(played=(*played[:2], cards("QD", "KC", "9C"), played[3]), voids=(suits(HEARTS), suits(HEARTS), 0, 0))
    found = no_room(seen)
    assert found is not None
    assert (found.suits, found.cards, found.seats, found.room) == (suits(HEARTS), 11, (3,), 10)


@given(st.integers(0, 2**32))
def test_no_room_finds_every_view_that_no_deal_fits(seed):
    """In a random view without other contradictions: there is no room if, and only if, no deal fits."""
    rng = random.Random(seed)
    number = rng.randrange(1, 13)
    deck = cards_of(DECK)
    rng.shuffle(deck)
    hands = [deck[13 * seat : 13 * seat + 13] for seat in range(4)]
    played = [sum(1 << card for card in hand[:number]) for hand in hands]
    seat = rng.choice((SPECTATOR, 0, 1, 2, 3))
    hand = 0 if seat == SPECTATOR else sum(1 << card for card in hands[seat])
    voids = [rng.choice((0, 0, rng.randrange(15))) for _ in range(4)]
    given = received = 0
    if seat != SPECTATOR:
        voids[seat] = 0
        given = sum(1 << card for card in hands[seat][number : number + 2])
        received = sum(1 << card for card in hands[seat ^ 2][number : number + 2])
        given, received = given & hand, received & ~hand
    seen = View(DECK, seat, hand, given, received, (*played,), (*voids,))  # type: ignore[arg-type]
    if given.bit_count() != received.bit_count() or contradictions_in(seen) or hand_contradictions(seen):
        return
    unseen = unseen_of(seen)
    assert (no_room(seen) is None) == (deals_of(unseen.allowed, unseen.counts) is not None)

"""The cards that a nil bidder and partner give each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine.playing import exchange
from spades.cards import DECK, DECK_BITS, cards_of, format_card, parse_pbn
from spades.passing import MOST_PASSED, cards_to_pass, given_by_nil, given_cards, suits_after_pass
from spades.rules import make_rules
from tests.arena.engine import states


def names(bits):
    return {format_card(card) for card in cards_of(bits)}


def by_nil(hand, number):
    cards = parse_pbn(hand)
    return names(given_by_nil(cards, number, DECK & ~cards))


@pytest.mark.parametrize(
    ("hand", "number", "given"),
    [
        ("A32.5432.432.432", 1, {"AS"}),
        ("AK2.5432.432.432", 2, {"AS", "KS"}),
        ("32.5432.5432.A32", 1, {"AC"}),
        ("32.5432.65432.AK", 2, {"AC", "KC"}),
        ("K2.A5432.432.432", 1, {"KS"}),  # long hearts protect their ace
        ("Q32.K.65432.5432", 2, {"QS", "KH"}),
    ],
)
def test_a_nil_bidder_gives_what_would_win(hand, number, given):
    assert by_nil(hand, number) == given


@pytest.mark.parametrize(
    ("hand", "number", "given"),
    [
        ("AKQ2.AK3.AK4.Q52", 2, {"2C", "3H"}),
        ("AKQ2.AK2.AK2.QJ2", 3, {"2H", "2D", "2C"}),
        ("AKQJ98765.AK.A.K", 1, {"5S"}),
    ],
)
def test_partner_gives_the_lowest(hand, number, given):
    assert names(given_cards(parse_pbn(hand), 5, number, DECK)) == given


@pytest.mark.parametrize(
    ("bid", "partner", "number"),
    [(0, 4, 2), (4, 0, 2), (0, 0, 2), (4, 5, 0), (14, 4, 3), (4, 14, 3), (0, 14, 3)],
)
def test_who_passes(bid, partner, number):
    assert cards_to_pass(bid, partner, 2, 3) == number


@given(st.sampled_from(DECK_BITS), st.data())
def test_the_right_number_of_own_cards(deck, data):
    hand = sum(1 << card for card in data.draw(st.permutations(cards_of(deck)))[:13])
    number, bid = data.draw(st.integers(0, MOST_PASSED)), data.draw(st.sampled_from([0, 3, 14]))
    given = given_cards(hand, bid, number, deck)
    assert given.bit_count() == number
    assert given & ~hand == 0


def test_what_is_kept():
    kept = suits_after_pass((0b111, 0b111, 0b1111, 0b1000000000011), make_rules("pass-2"))
    assert sum(cards.bit_count() for cards in kept) == 11
    assert kept[3] == 0b11


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("bids", [(0, 3, 4, 3), (4, 0, 3, 0), (0, 14, 5, 2), (3, 3, 3, 3)])
def test_an_exchange_keeps_the_deck(first, bids):
    s = states.empty()
    deck = cards_of(DECK)
    before = []
    for seat in range(4):
        s.hand[seat] = sum(1 << card for card in deck[seat::4])
        s.bid[seat] = bids[seat]
        before.append(s.hand[seat])
    s.passes[0], s.passes[1], s.passes[2] = 2, 4, first
    passed = [0] * 4
    exchange(s, passed)
    assert sum(s.hand) == DECK
    assert all(hand.bit_count() == 13 for hand in s.hand)
    for seat in range(4):
        number = cards_to_pass(bids[seat], bids[seat ^ 2], 2, 4)
        assert passed[seat].bit_count() == number
        assert (before[seat] & ~s.hand[seat]).bit_count() <= number
        assert number > 0 or s.hand[seat] == before[seat]
        assert s.hand[seat] & ~(before[seat] | before[seat ^ 2]) == 0

"""Decks: their cards, the order of their trumps, and hands written in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.cards import (
    CARD_CODES,
    CARD_NAMES,
    DECK,
    DECK_BITS,
    DECKS,
    EXTRA_SPADES,
    JJDD_DECK,
    JJDD_SPADE_DECK,
    JOKERS_DECK,
    JOKERS_DEUCE_DECK,
    SPADES,
    STANDARD,
)
from spades.contract.bid_request import read_bid
from spades.errors import RulesError
from spades.legal import deck_number
from spades.rules import JOKERS, PARTNERSHIP, describe, make_rules
from tests import naive
from tests.contract import faults_of, format_pbn_of

EVERY = range(len(DECKS))


@pytest.mark.parametrize("number", EVERY)
def test_every_deck_has_52_cards(number):
    deck, codes = DECKS[number], CARD_CODES[number]
    assert len(codes) == len(set(codes.values())) == 52
    assert codes.keys() == {*naive.DECK, *deck.trumps} - {*deck.removed}
    assert DECK_BITS[number].bit_count() == 52
    assert {"BJ", "LJ"} & {*deck.trumps} in (set(), {"BJ", "LJ"})  # both jokers or none


@pytest.mark.parametrize("number", EVERY)
def test_every_deck_has_tables(number):
    """Tables depend on the number of cards of clubs, diamonds, hearts and spades; these have some."""
    lengths = tuple((DECK_BITS[number] >> 16 * suit & 0xFFFF).bit_count() for suit in range(4))
    assert lengths in ((13, 13, 13, 13), (12, 13, 12, 15), (12, 12, 12, 16))


def test_the_standard_deck_is_that_of_the_cards():
    assert DECK_BITS[STANDARD] == DECK


@pytest.mark.parametrize(
    ("number", "highest"),
    [
        (STANDARD, "A K Q J"),
        (JOKERS_DECK, "BJ LJ A K"),
        (JOKERS_DEUCE_DECK, "BJ LJ 2S A K"),
        (JJDD_DECK, "BJ LJ 2D 2S A K"),
        (JJDD_SPADE_DECK, "BJ LJ 2S 2D A K"),
    ],
)
def test_trumps_in_order(number, highest):
    spades = sorted((code for code in CARD_NAMES[number] if code >> 4 == SPADES), reverse=True)
    wanted = [name if len(name) > 1 else f"{name}S" for name in highest.split()]
    assert [CARD_NAMES[number][code] for code in spades[: len(wanted)]] == wanted
    assert spades == list(range(spades[0], 47, -1))  # without gaps


def test_decks_with_as_many_spades_share_their_codes():
    assert [EXTRA_SPADES[number] for number in EVERY] == [0, 2, 2, 3, 3]
    for number in EVERY:
        for other in EVERY:
            spades, others = (DECK_BITS[each] >> 48 for each in (number, other))
            assert (spades == others) == (EXTRA_SPADES[number] == EXTRA_SPADES[other])


@given(st.sampled_from([number for number in EVERY if DECKS[number].trumps]), st.data())
def test_hands_of_a_deck_are_read_as_they_are_written(number, data):
    names = data.draw(st.permutations(sorted(CARD_CODES[number])))[:13]
    hand = sum(1 << CARD_CODES[number][name] for name in names)
    rules = {"variant": "jokers", "deck": DECKS[number].name}
    for written in (names, [name.lower() for name in names], format_pbn_of(hand, number)):
        assert read_bid({"hand": written, "previous_bids": [], "seat": 0, "rules": rules}).position.hand == hand


def test_a_deck_is_of_variant_jokers():
    rules = make_rules("classic", {"deck": "jjdd"})
    assert (rules.variant, deck_number(rules)) == (JOKERS, JJDD_DECK)
    assert rules == make_rules("jjdd")
    assert describe(rules)["deck"] == "jjdd"
    assert deck_number(make_rules("jokers")) == JOKERS_DECK
    assert describe(make_rules("jokers"))["deck"] is None
    plain = make_rules("classic", {"deck": None})
    assert (plain.variant, deck_number(plain)) == (PARTNERSHIP, STANDARD)
    for variant in ("whiz", "cutthroat"):
        assert deck_number(make_rules("classic", {"variant": variant, "deck": "jjdd"})) == JJDD_DECK
        assert deck_number(make_rules("classic", {"variant": variant})) == STANDARD
    with pytest.raises(RulesError, match='deck is "jjdd" with variant mirror; accepted: null'):
        make_rules("mirror", {"deck": "jjdd"})
    with pytest.raises(RulesError, match='deck is "jjdd" with variant partnership; accepted: null'):
        make_rules("classic", {"deck": "jjdd", "variant": "partnership"})
    with pytest.raises(RulesError, match="deck is 'standard'"):
        make_rules("jokers", {"deck": "standard"})


def test_a_card_that_is_not_in_the_deck_is_named():
    request = {"hand": "A2.AK3.2A3.K9432", "previous_bids": [], "seat": 0, "rules": {"preset": "jjdd"}}
    assert [(fault.code, fault.detail) for fault in faults_of(request)] == [
        ("unknown-card", "2C is not in the deck jjdd")
    ]

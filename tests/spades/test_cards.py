"""The card encoding and its text forms: values by hand, parsing and formatting as inverses, clear errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import cards
from spades.cards import DECK_BITS
from spades.errors import BiddingError, CardError, HandSizeError
from tests import naive

WORKED = "AKJ62.AQ.Q.K9543"
any_cards = st.sets(st.sampled_from(naive.DECK))
with_jokers = st.sets(st.sampled_from([*naive.DECK, "LJ", "BJ"]))


def hand_of(texts):
    return sum(1 << cards.parse_card(text) for text in texts)


def test_numbers_by_hand():
    assert cards.parse_card("2C") == 0
    assert cards.parse_card("AC") == 12
    assert cards.parse_card("2D") == 16
    assert cards.parse_card("TH") == 40
    assert cards.parse_card("2S") == cards.FIRST_SPADE == 48
    assert cards.parse_card("AS") == 60
    assert (cards.parse_card("LJ"), cards.parse_card("BJ")) == (61, 62) == (cards.LITTLE_JOKER, cards.BIG_JOKER)


def test_a_spade_outranks_every_side_card():
    sides = [cards.parse_card(c) for c in naive.DECK if c[1] != "S"]
    assert max(sides) < min(cards.parse_card(c) for c in naive.DECK if c[1] == "S")


def test_masks():
    assert hand_of(naive.DECK) == cards.DECK
    assert cards.DECK.bit_count() == 52
    assert hand_of([c for c in naive.DECK if c[1] == "S"]) == cards.DECK & cards.SPADE_BITS
    assert hand_of(naive.DECK) & ~cards.SPADE_BITS == hand_of([c for c in naive.DECK if c[1] != "S"])
    assert cards.suits_of(hand_of(["2D", "AD", "3S"])) == (0, 0b1_0000_0000_0001, 0, 0b10)


@pytest.mark.parametrize("text", [*naive.DECK, "LJ", "BJ"])
def test_card_round_trip(text):
    assert cards.format_card(cards.parse_card(text)) == text
    assert cards.parse_card(text.lower()) == cards.parse_card(text)


@pytest.mark.parametrize("suit", "SHDC")
def test_ten_has_two_names(suit):
    assert cards.parse_card(f"10{suit}") == cards.parse_card(f"t{suit.lower()}") == cards.parse_card(f"T{suit}")


@pytest.mark.parametrize("text", ["", "A", "1S", "11S", "SA", "AX", "ASS", "A S", "JB", "10", "é", "🂡"])
def test_no_card(text):
    with pytest.raises(CardError, match="accepted: a rank of") as caught:
        cards.parse_card(text)
    assert repr(text) in str(caught.value)


@given(any_cards)
def test_pbn_round_trip(texts):
    pbn = naive.pbn_of(texts)
    hand = cards.parse_pbn(pbn)
    assert hand == hand_of(texts)
    assert cards.format_pbn(hand) == pbn
    assert cards.parse_pbn(f"  {pbn.lower().replace('t', '10')} ") == hand


@given(with_jokers)
def test_pbn_round_trip_with_jokers(texts):
    """Jokers are written as the spades B and L, before the ace."""
    hand = hand_of(texts)
    pbn = cards.format_pbn(hand)
    assert pbn == "B" * ("BJ" in texts) + "L" * ("LJ" in texts) + naive.pbn_of(texts - {"BJ", "LJ"})
    assert cards.parse_pbn(pbn) == cards.parse_pbn(pbn.lower()) == hand


@pytest.mark.parametrize("text", [".B..", "..L.", "BB...", "A.2.3.B"])
def test_pbn_jokers_are_spades_and_single(text):
    with pytest.raises(CardError):
        cards.parse_pbn(text)


@pytest.mark.parametrize(
    ("spades", "plain"),
    [
        ("AK2", "AK2"),
        ("BAK", "AKQ"),
        ("LAK", "AKQ"),
        ("BL2", "AK2"),
        ("BQ2", "AQ2"),
        ("BLA32", "AKQ32"),
        ("LT9", "AT9"),
    ],
)
def test_a_joker_as_the_highest_spade_that_is_lacked(spades, plain):
    assert cards.without_jokers(cards.parse_pbn(f"{spades}.A3.2.43")) == cards.parse_pbn(f"{plain}.A3.2.43")


@given(st.sampled_from(DECK_BITS).flatmap(lambda deck: st.permutations(cards.cards_of(deck))))
def test_an_ordinary_hand_keeps_what_is_no_joker(deck):
    hand = sum(1 << card for card in deck[:13])
    plain = cards.without_jokers(hand)
    assert plain.bit_count() == 13
    assert plain & ~cards.DECK == 0
    assert hand & cards.DECK & ~plain == 0


@given(any_cards.filter(bool))
def test_lowest_highest_and_list(texts):
    numbers = sorted(cards.parse_card(c) for c in texts)
    hand = hand_of(texts)
    assert cards.cards_of(hand) == numbers
    assert cards.lowest(hand) == numbers[0]
    assert cards.highest(hand) == numbers[-1]


def test_cards_of_sees_the_jokers():
    assert cards.cards_of(hand_of(["BJ", "2C", "LJ"])) == [0, 61, 62]


@pytest.mark.parametrize("text", ["AKJ62.AQ.Q", "AKJ62.AQ.Q.K9543.", "AKQ", ""])
def test_pbn_of_other_than_four_suits(text):
    with pytest.raises(HandSizeError, match="is no hand; accepted: four suits"):
        cards.parse_pbn(text)


def test_pbn_doubled_and_unknown_cards():
    with pytest.raises(CardError, match=r"KS is twice in 'AKK\.\.\.'"):
        cards.parse_pbn("AKK...")
    with pytest.raises(CardError, match="'XH' is not a card"):
        cards.parse_pbn("A.X..")


def test_errors_are_a_tree():
    assert issubclass(CardError, BiddingError)
    assert issubclass(HandSizeError, BiddingError)
    assert issubclass(BiddingError, ValueError)

"""Which cards touch, because no card that is still unseen lies between them."""

import pytest

from arena.engine.states import plain_state
from spades.cards import DECK, parse_card, parse_pbn
from spades.legal import TRICKS
from spades.play import cards_between, group_of, open_cards, play_card
from spades.rules import Rules
from tests.arena.rounds import dealt

HANDS = [parse_pbn(text) for text in ("AKJ62.AQ.Q.K9543", "3.8643.9752.T872", "Q74.KJ5.AJT43.Q6", "T985.T972.K86.AJ")]


def texts(cards):
    names = {parse_card(rank + suit): rank + suit for suit in "CDHS" for rank in "23456789TJQKA"}
    return {names[card] for card in names if cards >> card & 1}


def a_round(*played):
    state = plain_state(dealt(1, 1, Rules())[0])
    state.hand = HANDS[:]
    for card in played:
        play_card(state, (state.leader + state.trick_size) & 3, parse_card(card))
    return state


def test_cards_of_earlier_tricks_no_longer_lie_between():
    state = a_round()
    assert texts(group_of(parse_card("QH"), state.hand[0], cards_between(state, 0))) == {"QH"}
    state.played |= 1 << parse_card("KH")
    assert texts(group_of(parse_card("QH"), state.hand[0], cards_between(state, 0))) == {"QH", "AH"}


@pytest.mark.parametrize(("led", "expected"), [("KH", {"QH"}), ("JH", {"QH", "AH"})])
def test_a_card_on_the_table_lies_between(led, expected):
    """The queen loses to a king that was led; above a jack, queen and ace are worth the same if the king is gone."""
    state = a_round()
    state.leader = 3
    state.hand[3] |= 1 << parse_card(led)
    state.hand[2] &= ~(1 << parse_card("KH") | 1 << parse_card("JH"))
    if led == "JH":
        state.played |= 1 << parse_card("KH")
    play_card(state, 3, parse_card(led))
    assert texts(group_of(parse_card("QH"), state.hand[0], cards_between(state, 0))) == expected


def test_touching_cards_are_tried_once():
    hand = parse_pbn("AKJ62.AQ.Q.K9543")
    cards = [0] * TRICKS
    n = open_cards(cards, hand, parse_card("KS"), DECK & ~hand)
    tried = {*cards[:n]}
    names = ("KS", "JS", "6S", "2S", "AH", "QH", "QD", "KC", "9C", "3C")
    assert tried == {parse_card(name) for name in names}, "AS touches KS, and 5C and 4C touch 3C"
    assert cards[0] == parse_card("KS")


def test_cards_between_that_were_played_join_their_neighbours():
    hand = parse_pbn("A9.AQT7.J4.85432")
    cards = [0] * TRICKS
    unseen = DECK & ~hand & ~(1 << parse_card("KH")) & ~(1 << parse_card("JH"))
    n = open_cards(cards, hand & 0xFFFF << 32, parse_card("7H"), unseen)
    assert cards[:n] == [parse_card("7H"), parse_card("TH")], "TH, QH and AH are one card"

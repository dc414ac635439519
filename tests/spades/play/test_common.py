"""The helpers that card players share, against definitions on card texts, and simple plays by hand."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.cards import DECK, DECK_BITS, JOKERS_DECK, cards_of, format_card, parse_card, parse_pbn
from spades.play.tricks import (
    cards_above,
    cards_below,
    duck,
    highest_rank,
    least_winning_lead,
    lowest_equal,
    lowest_rank,
    nil_alive,
    play_card,
    plays_after,
    tricks_left,
    tricks_needed,
    unseen_cards,
    winning_cards,
)
from tests import naive
from tests.arena.engine import states

card_texts = st.sampled_from(naive.DECK)


def texts(mask):
    return {format_card(card) for card in cards_of(mask)}


def rank(card):
    return naive.RANKS.index(card[0])


def play(s, *cards):
    for card in cards:
        play_card(s, states.to_play(s), parse_card(card))


@given(card_texts)
def test_above_and_under(card):
    number = parse_card(card)
    assert texts(cards_above(number) & DECK) == {c for c in naive.DECK if c[1] == card[1] and rank(c) > rank(card)}
    assert texts(cards_below(number)) == {c for c in naive.DECK if c[1] == card[1] and rank(c) < rank(card)}


def test_jokers_are_above_the_ace():
    assert texts(cards_above(parse_card("AS")) & DECK_BITS[JOKERS_DECK]) == {"LJ", "BJ"}


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_of_a_state(seed):
    s = states.midway(seed)
    me = states.to_play(s)
    others = set().union(*(texts(s.hand[seat]) for seat in range(4) if seat != me))
    assert texts(unseen_cards(s, me)) == others
    assert tricks_left(s) == (sum(s.hand[seat].bit_count() for seat in range(4)) + s.trick_size) // 4
    for other in range(4):
        yet = [(s.leader + place) % 4 for place in range(s.trick_size + 1, 4)]
        assert plays_after(s, me, other) == (other in yet)
    if s.trick_size:
        trick = [format_card(s.trick[i]) for i in range(s.trick_size)]
        legal = texts(sum(1 << card for card in states.legal_now(s)))
        winners = {card for card in legal if naive.trick_winner([*trick, card]) == len(trick)}
        assert texts(winning_cards(s, sum(1 << card for card in states.legal_now(s)))) == winners
        assert format_card(s.best_card) == trick[naive.trick_winner(trick)]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_duck_loses_where_it_can(seed):
    s = states.midway(seed)
    if s.trick_size == 0:
        return
    legal = sum(1 << card for card in states.legal_now(s))
    trick = [format_card(s.trick[i]) for i in range(s.trick_size)]
    losers = {card for card in texts(legal) if naive.trick_winner([*trick, card]) < len(trick)}
    card = format_card(duck(s, legal))
    assert card in (losers or texts(legal))
    follow = [c for c in losers if c[1] == trick[0][1]]
    if follow:
        assert rank(card) == max(map(rank, follow))


@pytest.mark.parametrize(
    ("bids", "taken", "needed", "alive"),
    [
        ((3, 2, 4, 5), (0, 0, 0, 0), (7, 7), ()),
        ((3, 2, 4, 5), (2, 1, 4, 6), (1, 0), ()),
        ((3, 0, 4, 5), (4, 0, 4, 2), (-1, 3), (1,)),
        ((3, 0, 4, 5), (0, 2, 0, 2), (7, 3), ()),  # a failed nil's tricks don't count
        ((14, 0, 4, 5), (0, 0, 1, 2), (3, 3), (0, 1)),
        ((0, 3, 0, 5), (1, 2, 0, 2), (0, 4), (2,)),
    ],
)
def test_needs_by_hand(bids, taken, needed, alive):
    s = states.empty()
    for seat in range(4):
        s.bid[seat], s.taken[seat] = bids[seat], taken[seat]
    assert [tricks_needed(s, seat) for seat in range(4)] == [needed[0], needed[1]] * 2
    assert tuple(seat for seat in range(4) if nil_alive(s, seat)) == alive


@pytest.mark.parametrize(
    ("card", "hand", "unseen", "answer"),
    [
        ("AC", "...AKQ", "...J", "QC"),
        ("AC", "...AQ", "...K2", "AC"),
        ("AC", "...AQT", "...J", "QC"),
        ("AC", "...AQT", "", "TC"),
        ("AC", "...AQT", "...J9", "QC"),
        ("QC", "...AQT", "", "TC"),
        ("AC", "...A", "...K", "AC"),
    ],
)
def test_lowest_equal(card, hand, unseen, answer):
    found = lowest_equal(parse_card(card), parse_pbn(hand), parse_pbn(unseen or "..."))
    assert format_card(found) == answer


def test_lowest_and_highest_rank():
    assert format_card(lowest_rank(parse_pbn("2.54.63.7"))) == "3D"
    assert format_card(lowest_rank(parse_pbn("K2..."))) == "2S"
    assert format_card(highest_rank(parse_pbn("A.54.K3.K"))) == "KC"  # from the shorter suit
    assert format_card(highest_rank(parse_pbn("A.J4.T3.6"))) == "JH"
    assert format_card(highest_rank(parse_pbn("A...2"))) == "2C"  # a lone deuce is a card too
    assert format_card(highest_rank(parse_pbn(".2.2."))) in ("2H", "2D")


def test_a_deuce_can_be_ducked_with():
    s = states.of_hands(["..J.", "...2", "..4.", "..5."])
    play(s, "JD")
    assert format_card(duck(s, parse_pbn("...2"))) == "2C"


def test_least_winning_lead_by_hand():
    # every higher club is out and no lower one
    legal, unseen = parse_pbn(".A.9.2"), parse_pbn("AK.K.8765432.AKQJT")
    assert format_card(least_winning_lead(legal, unseen)) == "2C"
    assert format_card(least_winning_lead(parse_pbn("A..."), unseen)) == "AS"


def test_ducking_by_hand():
    s = states.of_hands(["2.Q..", "3.KJ..", "4.A2..", "5..2.3"])
    play(s, "QH")
    assert format_card(duck(s, s.hand[1] & parse_pbn(".KJ.."))) == "JH"  # the highest that loses
    play(s, "JH", "2H")
    s2 = states.of_hands(["2.Q..", "3.J..", "4.2..", "5.AK.."])
    play(s2, "QH", "JH", "2H")
    assert format_card(duck(s2, parse_pbn(".AK.."))) == "AH"  # forced to win last: with the highest


def test_random_states_reach_every_count():
    counts = {states.midway(random.Random(seed).randrange(2**31)).trick_size for seed in range(60)}
    assert counts == {0, 1, 2, 3}

"""The rules of play against simple definitions on card texts: legal cards, winners, the state after each play."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.cards import DECK, cards_of, format_card, parse_card
from spades.play.tricks import beats, legal_cards, play_card, suit_mask, write_rules, written_rules
from spades.rules import Rules
from tests import naive
from tests.arena.engine import states

any_cards = st.sets(st.sampled_from(naive.DECK), min_size=1, max_size=13)


def texts(mask):
    return {format_card(card) for card in cards_of(mask)}


def hand_of(cards):
    return sum(1 << parse_card(card) for card in cards)


def play(s, *cards):
    for card in cards:
        play_card(s, states.to_play(s), parse_card(card))


def test_suit_masks_cover_the_deck_and_the_jokers():
    assert [texts(suit_mask(suit) & DECK) for suit in range(4)] == [
        {rank + suit for rank in naive.RANKS} for suit in "CDHS"
    ]
    assert suit_mask(3) >> 61 & 3 == 3
    assert sum(suit_mask(suit) for suit in range(4)) & DECK == DECK


@given(any_cards, st.lists(st.sampled_from(naive.DECK), max_size=3), st.booleans())
def test_legal_against_oracle(hand, trick, broken):
    first = parse_card(trick[0]) if trick else 0
    found = legal_cards(hand_of(hand), len(trick), first, int(broken))
    assert texts(found) == naive.legal(hand, trick, broken)


@given(st.lists(st.sampled_from(naive.DECK), min_size=4, max_size=4, unique=True))
def test_beats_finds_the_winner(trick):
    best = 0
    for place in range(1, 4):
        if beats(parse_card(trick[place]), parse_card(trick[best])):
            best = place
    assert best == naive.trick_winner(trick)


def test_a_round_by_hand():
    s = states.of_hands(["A2.K..", "3.A.2.", "K..A.2", "4.2..A"])
    play(s, "KH", "AH", "AD")
    assert (s.trick_size, s.winner, s.best_card) == (3, 1, parse_card("AH"))
    assert [s.void[seat] for seat in range(4)] == [0, 0, 0b0100, 0]  # seat 2 did not follow to hearts
    play(s, "2H")
    assert (s.leader, s.trick_size, s.broken) == (1, 0, 0)
    assert [s.taken[seat] for seat in range(4)] == [0, 1, 0, 0]
    play(s, "2D", "2C", "4S", "2S")  # two ruffs; the higher one wins
    assert (s.leader, s.broken) == (3, 1)
    assert s.void[2] == 0b0110
    play(s, "AC", "AS", "3S", "KS")
    assert [s.taken[seat] for seat in range(4)] == [1, 1, 0, 1]
    assert s.played == s.deck
    assert all(s.hand[seat] == 0 for seat in range(4))


def test_a_spade_discarded_breaks_spades():
    s = states.of_hands(["2.2..", "3.3..", "4...4", "5..5."])
    play(s, "2H", "3H")
    assert s.broken == 0
    play(s, "4S")
    assert s.broken == 1


@pytest.mark.parametrize(
    ("first", "second", "signals"),
    [
        (("AC", "9C"), ("KC", "4C"), True),  # below the highest remaining card, then lower
        (("AC", "4C"), ("KC", "9C"), False),  # low-high
        (("QC", "9C"), ("AC", "4C"), False),  # the queen was not the highest remaining card
    ],
)
def test_high_low_signal(first, second, signals):
    s = states.of_hands(["..32.AKQ", "..54.765", "..76.942", "..98.JT8"])
    play(s, first[0], "5C", first[1], "8C")
    play(s, second[0], "6C", second[1], "TC")
    assert (s.signalled[2] == 1) == signals
    assert s.signalled[0] == s.signalled[1] == s.signalled[3] == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(0, 2**31))
def test_whole_rounds_of_random_play(seed, plays):
    """Every field that a play changes, compared with card texts kept beside the state."""
    rng = random.Random(plays)
    s = states.dealt(seed, 0)
    hands = [texts(s.hand[seat]) for seat in range(4)]
    leader, spade_played, taken = 0, False, [0] * 4
    shown_out: list[set[str]] = [set() for _ in range(4)]
    for _ in range(13):
        trick: list[str] = []
        for place in range(4):
            seat = (leader + place) % 4
            assert (states.to_play(s), s.trick_size, s.leader) == (seat, place, leader)
            legal = naive.legal(hands[seat], trick, spade_played)
            assert {format_card(card) for card in states.legal_now(s)} == legal
            card = rng.choice(sorted(legal))
            play(s, card)
            hands[seat].remove(card)
            if trick and card[1] != trick[0][1]:
                shown_out[seat].add(trick[0][1])
            trick.append(card)
            spade_played |= card[1] == "S"
            if place < 3:
                best = naive.trick_winner(trick)
                assert (format_card(s.best_card), s.winner) == (trick[best], (leader + best) % 4)
                assert [format_card(s.trick[i]) for i in range(place + 1)] == trick
        leader = (leader + naive.trick_winner(trick)) % 4
        taken[leader] += 1
        assert [s.taken[seat] for seat in range(4)] == taken
        assert [texts(s.hand[seat]) for seat in range(4)] == hands
        assert s.broken == spade_played
        assert [{"CDHS"[i] for i in range(4) if s.void[seat] >> i & 1} for seat in range(4)] == shown_out
    assert sum(taken) == 13
    assert s.played == DECK


@given(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * len(Rules._fields)))
def test_all_rules_are_written_to_a_state_and_nothing_else(values):
    s = states.empty()
    before = states.copy(s)
    write_rules(s, Rules(*values))
    assert written_rules(s) == values
    before.rules = list(values)
    assert s == before

"""Rules about leads and the first trick: legal cards by hand, and rounds as the engine and as a player see them."""

import random

import pytest

from arena.engine.deal import deal_round
from spades.cards import cards_of, parse_card, parse_pbn
from spades.inference.knowledge import View, contradictions, under, with_first_trick
from spades.legal import FIRST_WITHOUT_SPADES, LOWEST_CLUB_FIRST, SPADES_LED, broken_after, broken_at_start, deck_of
from spades.play.history import Known, state_at_turn
from spades.play.tricks import legal_cards, lowest_club, play_card
from spades.rules import Rules, make_rules
from tests.arena.engine import states

HAND = parse_pbn("AKJ62.AQ.Q.K9543")
NO_CLUBS = parse_pbn("AKJ62.AQ65.QJ82.")
SPADES = parse_pbn("AKQJT98765432...")
CLUB, HEART, SPADE = parse_card("2C"), parse_card("2H"), parse_card("3S")
RULES = {
    "any": make_rules("classic", {"spades_lead": "any"}),
    "club": make_rules("classic", {"first_lead": "lowest_club"}),
    "club jokers": make_rules("jokers", {"first_lead": "lowest_club", "spades_lead": "any"}),
    "no spades": make_rules("classic", {"first_trick_spades": False}),
    "all": make_rules("classic", {"first_trick_spades": False, "first_lead": "lowest_club", "spades_lead": "any"}),
    "club after a pass": make_rules("pass-2", {"first_lead": "lowest_club"}),
}


def names(cards):
    return sorted(cards_of(cards))


@pytest.mark.parametrize(
    ("hand", "count", "first", "broken", "expected"),
    [
        (HAND, 0, 0, 0, parse_pbn(".AQ.Q.K9543")),
        (HAND, 0, 0, SPADES_LED, HAND),
        (SPADES, 0, 0, 0, SPADES),
        (HAND, 0, 0, LOWEST_CLUB_FIRST, 1 << parse_card("3C")),
        (HAND, 0, 0, LOWEST_CLUB_FIRST | SPADES_LED, 1 << parse_card("3C")),
        (HAND, 0, 0, FIRST_WITHOUT_SPADES | SPADES_LED, parse_pbn(".AQ.Q.K9543")),
        (SPADES, 0, 0, FIRST_WITHOUT_SPADES, SPADES),
        (HAND, 1, HEART, FIRST_WITHOUT_SPADES, parse_pbn(".AQ..")),
        (NO_CLUBS, 1, CLUB, FIRST_WITHOUT_SPADES, parse_pbn(".AQ65.QJ82.")),
        (NO_CLUBS, 1, CLUB, SPADES_LED, NO_CLUBS),
        (NO_CLUBS, 1, CLUB, 0, NO_CLUBS),
        (SPADES, 1, CLUB, FIRST_WITHOUT_SPADES, SPADES),
    ],
)
def test_legal_cards_by_hand(hand, count, first, broken, expected):
    assert names(legal_cards(hand, count, first, broken)) == names(expected)


def test_what_is_left_of_the_rules_after_a_card():
    assert [broken_at_start(rules) for rules in RULES.values()] == [1, 2, 3, 4, 7, 2]
    assert broken_at_start(Rules()) == broken_at_start(Rules(*[0] * len(Rules._fields))) == 0
    for start in range(8):
        first = broken_after(start, CLUB, 0)
        assert first == start & ~LOWEST_CLUB_FIRST
        assert broken_after(first, HEART, 2) == first
        assert broken_after(first, HEART, 3) == start & SPADES_LED
        assert broken_after(first, SPADE, 3) == SPADES_LED
        assert broken_after(first, SPADE, 1) == first | SPADES_LED


def rounds(rules, count):
    """Yield for random rounds: the state before each card, the hands as dealt, and the tricks so far."""
    rng = random.Random(3)
    for number in range(count):
        state = states.under(rules)
        deal_round(state, 5, number, 0)
        hands = list(state.hand)
        state.bid[:] = [3, 4, 2, 3]
        tricks: list[list[int]] = [[]]
        for _ in range(rng.choice((1, 3, 6, 12, 52))):
            if len(tricks[-1]) == 4:
                tricks.append([])
            yield state, hands, tricks
            card = rng.choice(states.legal_now(state))
            tricks[-1].append(card)
            play_card(state, states.to_play(state), card)


@pytest.mark.parametrize("name", RULES)
def test_a_player_sees_the_state_of_the_engine(name):
    rules = RULES[name]
    for state, hands, tricks in rounds(rules, 40):
        me = states.to_play(state)
        known = Known(deck_of(rules), me, hands[me], 0, 0, tuple(state.bid), tuple(map(tuple, tricks)))
        seen, fault = state_at_turn(known, rules)
        assert fault is None
        assert (seen.leader, seen.broken, seen.hand[me]) == (state.leader, state.broken, state.hand[me])
        if not state.played and rules.first_lead:
            assert state.hand[me] & lowest_club(state.deck)
            assert len(states.legal_now(state)) == 1


@pytest.mark.parametrize("name", RULES)
def test_a_view_of_the_first_trick_has_no_contradiction(name):
    rules = RULES[name]
    for state, hands, tricks in rounds(rules, 40):
        played = [hand & state.played for hand in hands]
        for seat in range(4):
            view = View(deck_of(rules), seat, hands[seat], 0, 0, tuple(played), (0, 0, 0, 0))
            assert contradictions(under(view, rules), tuple(state.bid), rules) == []
            shown = with_first_trick(under(view, rules))
            if len(tricks) == 1:
                for other in range(4):
                    assert all(
                        not hands[other] & ~played[other] & 0xFFFF << 16 * suit
                        for suit in range(4)
                        if shown.voids[other] >> suit & 1
                    )


CASES = [
    # A spade lead at once: the request V01 of shared cases.
    ("any", 2, [["7S", "3S"]], None),
    ("club", 2, [["7S", "3S"]], "seat 0 leads 7S, but rules.first_lead is lowest_club; accepted: the lowest club"),
    ("club", 2, [["2C", "7C"]], None),
    ("club", 2, [], "seat is 2, which does not hold 2C; accepted: the seat that holds it, which leads"),
    ("no spades", 2, [["7C", "8S"]], None),  # possible only if seat 1 has nothing but spades: no room for 13 of them
    ("no spades", 2, [["7D", "8D", "AS", "2D"]], "seat 2 plays AS to the first trick, but it held other suits"),
    ("any", 3, [["7S", "3S"]], "seat is 3, but seat 2 plays next after these tricks; accepted: 2"),
]


@pytest.mark.parametrize(("name", "seat", "tricks", "detail"), CASES)
def test_histories_by_hand(name, seat, tricks, detail):
    numbers = tuple(tuple(map(parse_card, trick)) for trick in tricks)
    _, fault = state_at_turn(Known(deck_of(Rules()), seat, HAND, 0, 0, (3, 1, 5, 4), numbers), RULES[name])
    if name == "no spades" and detail is None:
        assert fault is not None
        assert "cannot hold all other cards" in fault.detail
    elif detail is None:
        assert fault is None
    else:
        assert fault is not None
        assert fault.detail.startswith(detail)

"""SRP version 4: situations of the faults that it mends, its leads, and its hash over the rounds of `test_srp1`.

tests/golden/positions.jsonl has more positions of each fault.
"""

import random

import numpy as np
import pytest

from spades.cards import DECK, cards_of, format_card, format_pbn, parse_card, parse_pbn
from spades.play.srp import goals
from spades.play.srp.goals import ALL_PIECES, N_PIECES, SRP_3_COUNT, SRP_3_PIECES, bags_cost, wants_tricks
from spades.play.srp.leads import (
    ATTACKS,
    COVERS,
    COVERS_AND_ATTACKS,
    COVERS_WITHOUT_SPADES,
    LEAD_FEATURES,
    LEAD_WEIGHTS,
    NO_NIL_LIVE,
    lead_features,
    lead_situation,
    lead_value,
    p_caught,
)
from spades.play.srp.player import srp3, srp4
from spades.play.tricks import legal_cards, play_card, unseen_cards, without_bosses, write_rules
from spades.rules import Rules, make_rules
from tests.arena.engine import states
from tests.parity.worlds import ROUNDS, compiled_rounds, frozen_bids
from tests.spades.play.test_srp1 import golden

FROZEN = "ef1d09ced28df5a29ef4d3249816b2c339d1f73af9de41cc87c36091ca4df9bd"
SELDOM = goals.FREE_TRICKS | goals.NIL_CAUGHT  # they need rules in the state, or change too few of these rounds


def card_of(hands, bids, cards, taken=(0, 0, 0, 0), voids=(0, 0, 0, 0), pieces=ALL_PIECES):
    """Return the card of the seat to play after ``cards``, late in a round: spades have been played."""
    s = states.of_hands(hands, bids, ("srp@4",) * 4, (pieces,) * 4)
    for seat in range(4):
        s.taken[seat], s.void[seat] = taken[seat], voids[seat]
    s.broken = 1
    for card in cards:
        play_card(s, states.to_play(s), parse_card(card))
    return format_card(srp4(s, states.to_play(s)))


def test_without_its_pieces_it_is_srp3():
    for seed in range(400):
        s = states.midway(seed)
        me = states.to_play(s)
        s.pieces[me] &= SRP_3_PIECES
        assert srp4(s, me) == srp3(s, me)


@pytest.mark.parametrize("suit", range(3))
@pytest.mark.parametrize(("held", "led"), [("AQ4", "K"), ("AQJ", "K"), ("KJ4", "Q"), ("KJT", "Q")])
def test_the_winning_card_beats_the_card_on_the_table(suit, held, led):
    """The lower card is not as good as the higher one if the card between them is on the table."""
    others = (led + "32", held, "765", "A98" if "T" in held else "T98")
    hands = [".".join(["", *(cards if i == suit else "" for i in range(3))]) for cards in others]
    name = "HDC"[suit]
    assert card_of(hands, (4, 4, 3, 3), [led + name]) == held[0] + name
    assert card_of(hands, (4, 4, 3, 3), [led + name], pieces=SRP_3_PIECES) != held[0] + name


def test_a_spade_that_the_contract_needs_is_not_thrown():
    """The side needs three of five tricks, and AT9 are certain to win three, but not without the nine."""
    hands = ["J...5432", "AT9...AK", "32...T98", "65...QJ7"]
    bids, taken = (1, 4, 1, 3), (1, 2, 3, 2)
    assert card_of(hands, bids, ["JS"], taken) == "AS"
    assert card_of(hands, bids, ["JS"], taken, pieces=SRP_3_PIECES) in ("9S", "TS")


def test_a_nil_that_wins_the_trick_is_left_to_fail():
    """The side needs both tricks, but the nil, which has won no trick, is worth more than its contract of six."""
    bids, taken = (4, 3, 0, 3), (7, 2, 0, 2)  # seat 2 has bid nil
    hands = ["2..5.", "..3.2", "..4.3", "K...4"]
    assert card_of(hands, bids, ["5D", "3D", "4D"], taken) == "KS"  # the nil does not win
    hands[2] = "..6.3"
    assert card_of(hands, bids, ["5D", "3D", "6D"], taken) == "4C"
    assert card_of(hands, bids, ["5D", "3D", "6D"], taken, pieces=SRP_3_PIECES) == "KS"


def test_tricks_are_free_without_bags():
    s = states.of_hands(["4.3.2.", "5.4.3.", "6.5.4.", "7.6.5."], (1, 2, 2, 3), ("srp@4",) * 4)
    s.taken[:] = [1, 2, 2, 0]  # the side of seat 0 has its contract; the opponents need three of the eight tricks left
    for preset, wants in (("classic", False), ("no-bags", True)):
        write_rules(s, make_rules(preset))
        assert wants_tricks(s, 0, unseen_cards(s, 0), ALL_PIECES) == wants
    write_rules(s, make_rules("no-bags"))
    assert not bags_cost(s)
    write_rules(s, Rules(bag_penalty=0))
    assert not bags_cost(s)
    write_rules(s, Rules())
    assert bags_cost(s)


def test_bosses():
    hand, unseen = parse_pbn("AJ..K5."), parse_pbn("KQ..T.A")
    assert without_bosses(hand, unseen) == parse_pbn("J..5.")


@pytest.mark.parametrize(
    ("bids", "void", "expected"),
    [
        ((3, 3, 3, 3), 0, NO_NIL_LIVE),
        ((3, 3, 0, 3), 0, COVERS),
        ((3, 3, 0, 3), 0b0111, COVERS),
        ((3, 3, 0, 3), 0b1000, COVERS_WITHOUT_SPADES),
        ((3, 0, 3, 3), 0, ATTACKS),
        ((3, 3, 14, 0), 0, COVERS_AND_ATTACKS),
    ],
)
def test_the_situation_of_a_lead(bids, void, expected):
    s = states.of_hands(["2...", "3...", "4...", "5..."], bids, ("srp@4",) * 4)
    s.void[2] = void
    assert lead_situation(s, 0) == expected


def test_how_likely_a_nil_is_caught():
    """The deuce and the king are unseen: the bidder must win over a five with the king alone, (2/3)(1/3)."""
    s = states.of_hands(["5...", "2...", "K...", "..2."], (3, 3, 0, 3), ("srp@4",) * 4)
    card, unseen = parse_card("5S"), unseen_cards(s, 0)
    assert p_caught(s, 2, card, unseen, False) == pytest.approx(2 / 9)
    assert p_caught(s, 2, card, unseen, True) == pytest.approx(1 / 4)
    s.void[2] = 8
    assert p_caught(s, 2, card, unseen, False) == 0.0


def test_the_features_of_a_lead():
    """Seat 0 leads from AK of hearts and two spades; of seven unseen hearts, the king is one of two bosses."""
    hands = ["32.AK..", "54.32..", "76.54..", "8.876.."]
    s = states.of_hands(hands, (3, 3, 3, 3), ("srp@4",) * 4)
    found = dict(zip(LEAD_FEATURES, lead_features(s, 0, parse_card("KH"), unseen_cards(s, 0)), strict=True))
    shown = {name: value for name, value in found.items() if value}
    expected = {"rank": 1.1, "rank_squared": 1.21, "held": 0.2, "boss": 1.0, "boss_stands": 0.87, "boss_over": 1.0}
    assert shown == pytest.approx(expected)
    spade = dict(zip(LEAD_FEATURES, lead_features(s, 0, parse_card("2S"), unseen_cards(s, 0)), strict=True))
    expected = {"spade": 1.0, "spade_held": 0.2, "spade_over": 1.0}
    assert {name: value for name, value in spade.items() if value} == pytest.approx(expected)
    assert all(len(weights) == len(LEAD_FEATURES) for weights in LEAD_WEIGHTS)


@pytest.mark.parametrize("number", range(40))
def test_the_value_of_a_lead_is_the_sum_of_its_features(number):
    rng = random.Random(number)
    cards = rng.sample(list(cards_of(DECK)), 52)
    hands = [format_pbn(sum(1 << card for card in cards[13 * seat : 13 * seat + 13])) for seat in range(4)]
    s = states.of_hands(hands, [rng.choice((0, 0, 1, 3, 4)) for _ in range(4)], ("srp@4",) * 4)
    for _ in range(52):
        me, unseen = states.to_play(s), unseen_cards(s, states.to_play(s))
        situation = lead_situation(s, me)
        legal = legal_cards(s.hand[me], s.trick_size, s.trick[0], s.broken)
        if s.trick_size == 0:
            for card in cards_of(legal):
                value = 0.0
                for feature, weight in zip(lead_features(s, me, card, unseen), LEAD_WEIGHTS[situation], strict=True):
                    value += feature * weight
                assert lead_value(s, me, card, unseen, situation) == value
        play_card(s, me, rng.choice(list(cards_of(legal))))


@pytest.mark.compiled
@pytest.mark.parametrize("piece", range(SRP_3_COUNT, N_PIECES))
def test_every_new_piece_matters(piece):
    if SELDOM >> piece & 1:
        pytest.skip("it needs rules, or changes too few of these rounds")
    bids = frozen_bids()
    whole = compiled_rounds(0, ROUNDS, bids, "srp@4")
    assert not np.array_equal(whole, compiled_rounds(0, ROUNDS, bids, "srp@4", pieces=ALL_PIECES & ~(1 << piece)))


@pytest.mark.compiled
def test_frozen():
    assert golden("srp@4") == FROZEN

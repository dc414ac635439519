"""SOLO: positions with one right card, and the hashes of its versions over every card of 2,000 rounds.

If a hash changes, it is another player and needs another name (`solo@3`).
"""

import hashlib

import pytest

from arena.players.choose_card import choose_card
from spades.cards import format_card, parse_card
from spades.play.solo import BAG_DODGING, SETTING, SOLO_1_PIECES, is_safe, others_need, own_need, wants_tricks
from spades.play.srp.goals import ALL_PIECES
from spades.play.tricks import play_card, unseen_cards, write_rules
from spades.rules import make_rules
from tests.arena.engine import states
from tests.parity.worlds import ROUNDS, compiled_rounds, frozen_bids

FROZEN = "7e7a46efba8a60b23ecf3236abbedf6cd0a9bbc191df449e2fb234ad7e46839c"
FROZEN_2 = "b959988e92262a09f588aa2d0be7c9f06d5bd9cab2228855b9ad841113b96a5f"
SOLO = ("solo",) * 4


def sitting(bids, taken, hands=("32.A.A.A", "54.K.K.K", "76.Q.Q.Q", "98.J.J.J"), pieces=ALL_PIECES):
    s = states.of_hands(hands, bids, SOLO, (pieces,) * 4)
    for seat in range(4):
        s.taken[seat] = taken[seat]
    return s


def goal(bids, taken, hands=("32.A.A.A", "54.K.K.K", "76.Q.Q.Q", "98.J.J.J"), pieces=ALL_PIECES):
    """Return whether seat 0 plays to win tricks."""
    s = sitting(bids, taken, hands, pieces)
    return wants_tricks(s, 0, unseen_cards(s, 0), pieces & SOLO_1_PIECES)


def test_needs_are_ones_own():
    """The player opposite is an opponent: their tricks and their bid do not count for ours."""
    s = sitting((4, 3, 3, 0), (2, 1, 4, 2), ("A.A.A.A", "K.K.K.K", "Q.Q.Q.Q", "J.J.J.J"))
    assert [own_need(s, seat) for seat in range(4)] == [2, 2, -1, 0]
    assert others_need(s, 0) == 2
    assert others_need(s, 1) == 2
    assert others_need(s, 2) == 4


def test_goals_by_hand():
    assert goal((4, 3, 3, 3), (2, 2, 2, 2))  # short of the contract
    assert not goal((2, 2, 2, 2), (3, 2, 2, 1))  # made, and the others cannot be set: avoid bags
    assert goal((3, 4, 2, 4), (3, 1, 2, 2))  # made; the others need all 5 tricks left, so one can be set
    assert goal((2, 2, 2, 2), (3, 2, 2, 1), pieces=ALL_PIECES & ~BAG_DODGING)
    assert not goal((3, 4, 2, 4), (3, 1, 2, 2), pieces=ALL_PIECES & ~SETTING)
    assert goal((7, 4, 2, 3), (1, 1, 2, 4))  # set; with 5 tricks left, the player who needs 3 can be set too
    assert not goal((7, 1, 2, 3), (1, 1, 2, 4))  # set, and no other player can be set: leave the bags to them


def test_sure_tricks_may_wait():
    """If few tricks are bid in all, spades that must win are not played early; if many are bid, they are."""
    hands = ("AK.3.2.2", "54.K.K.K", "76.Q.Q.Q", "98.J.J.J")
    assert not goal((2, 2, 3, 3), (0, 2, 3, 3), hands)
    assert goal((2, 3, 3, 3), (0, 2, 3, 3), hands)
    assert goal((3, 2, 2, 3), (0, 2, 3, 3), hands)  # a third is not sure


def played(hands, seat, cards, bids=(3, 3, 3, 3), taken=(0, 0, 0, 0), voids=(0, 0, 0, 0)):
    """Return SOLO's card in ``seat`` after ``cards`` of a trick that seat 0 led."""
    s = sitting(bids, taken, hands)
    for who in range(4):
        s.void[who] = voids[who]
    for card in cards:
        play_card(s, states.to_play(s), parse_card(card))
    assert states.to_play(s) == seat
    return format_card(choose_card(s, seat))


def test_last_hand_wins_as_cheaply_as_it_can():
    assert played(["2.93..", "3.T4..", "4.52..", ".AQ.."], 3, ["9H", "TH", "2H"]) == "QH"


def test_who_sits_opposite_is_overtaken():
    assert played(["2.93..", "3.K4..", "4.52..", ".A6.."], 3, ["9H", "KH", "2H"]) == "AH"


def test_a_nil_ducks_under_with_its_highest():
    assert played(["2.Q3..", "3.K4..", ".JT2..", ".987.."], 2, ["QH", "KH"], bids=(4, 4, 0, 4)) == "JH"


def test_a_nil_opposite_is_left_in_front():
    """With their contract made, the player stays below the nil that wins so far; short of it, they win the trick."""
    hands = ["2.Q3..", "3.T4..", "5.A7..", ".98.."]
    assert played(hands, 2, ["QH", "TH"], bids=(0, 4, 1, 4), taken=(0, 1, 1, 0)) == "7H"
    assert played(hands, 2, ["QH", "TH"], bids=(0, 4, 2, 4)) == "AH"


def test_a_nil_to_come_is_ducked_for():
    """Seat 2 bid nil and plays later. Seat 1 has made their contract and plays low, so that seat 2 may have to win."""
    hands = ["2.63..", "3.A4..", "5.K7..", ".98.."]
    assert played(hands, 1, ["6H"], bids=(4, 1, 0, 4), taken=(0, 1, 0, 0)) == "4H"


def test_a_ruff_that_may_be_overruffed_is_high():
    hands = ["2.63.3.", "83..54.", "5.K7.6.", "4.98.7."]
    assert played(hands, 1, ["6H"], voids=(0, 0, 4, 0)) == "8S"
    assert played(hands, 1, ["6H"]) == "3S"


def test_safe():
    s = sitting((1, 1, 1, 1), (0, 1, 0, 0), ("A.3.2.2", "54.K.K.K", "7.Q.QJ.Q", "9.J8.T.J"))
    assert [is_safe(s, seat, unseen_cards(s, seat)) for seat in range(4)] == [True, True, False, False]


def of_version(version, hands, cards, bids, taken=(0, 0, 0, 0), rules=None):
    """Return the card of the seat to play after ``cards``, late in a round: spades have been played."""
    s = states.of_hands(hands, bids, (f"solo@{version}",) * 4)
    s.broken = 1
    for seat in range(4):
        s.taken[seat] = taken[seat]
    if rules:
        write_rules(s, rules)
    for card in cards:
        play_card(s, states.to_play(s), parse_card(card))
    return format_card(choose_card(s, states.to_play(s)))


def test_the_second_version_beats_the_card_on_the_table():
    hands = [".K32..", ".AQ4..", ".765..", ".T98.."]
    bids = (4, 4, 3, 3)
    assert [of_version(version, hands, ["KH"], bids) for version in (1, 2)] == ["QH", "AH"]


def test_the_second_version_throws_no_spade_that_it_needs():
    hands = ["J...5432", "AT9...AK", "32...T98", "65...QJ7"]
    found = [of_version(version, hands, ["JS"], (1, 4, 1, 3), (1, 1, 3, 3)) for version in (1, 2)]
    assert (found[0] in ("9S", "TS"), found[1]) == (True, "AS")


def test_the_second_version_takes_tricks_that_cost_nothing():
    s = sitting((1, 3, 3, 3), (1, 1, 1, 1))  # seat 0 has its bid, and the others need six of nine
    for preset, wants in (("classic", False), ("no-bags", True)):
        write_rules(s, make_rules(preset))
        assert wants_tricks(s, 0, unseen_cards(s, 0), ALL_PIECES) == wants


@pytest.mark.compiled
@pytest.mark.parametrize(("version", "frozen"), [(1, FROZEN), (2, FROZEN_2)])
def test_frozen(version, frozen):
    cards = compiled_rounds(0, ROUNDS, frozen_bids(), f"solo@{version}")
    assert hashlib.sha256(cards.tobytes()).hexdigest() == frozen

"""SRP version 3: one situation for each of its rules, played with the rule and without it, and its hash.

Without any of these rules it plays like SRP 1 that reads no signals, card by card. The hash is over the rounds of
`test_srp1`. Their states hold no rules of the game, so the hash does not cover what the game's points change.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.players.choose_card import choose_card
from spades.cards import format_card, parse_card
from spades.play.srp.goals import (
    ALL_PIECES,
    COVER_KEPT,
    COVER_ODDS,
    HIGH_LEADS,
    LOW_KEPT,
    OWN_SHARE,
    RUFF_BEHIND,
    SIGNALS,
    SRP_1_PIECES,
    SRP_3_COUNT,
    SRP_3_PIECES,
    STAKES,
    TRUMPS_KEPT,
    UNDER_PARTNER,
    middle_card,
    must_set,
    pieces_in_use,
    projected,
    wants_tricks,
    wins_by_contract,
)
from spades.play.srp.player import attack_pays, srp3
from spades.play.tricks import play_card, unseen_cards, write_rules
from spades.rules import make_rules
from tests.arena.engine import states
from tests.parity.worlds import ROUNDS, compiled_rounds, frozen_bids
from tests.spades.play.test_srp1 import golden

FROZEN = "8197e17cc043c3cede9a9cceb9fc61baf8c846bf906902b3332296d38af413b6"
CLUBS, HEARTS = 1, 4  # the bits of the suits in `PlayState.void` and `PlayState.signalled`


def played(piece, hands, cards, bids=(2, 2, 2, 2), taken=(0, 0, 0, 0), voids=(0, 0, 0, 0), broken=0):
    """Return the card of the seat to play after ``cards``: with all of SRP's rules, and without ``piece``."""
    found = []
    for pieces in (ALL_PIECES, ALL_PIECES & ~piece):
        s = states.of_hands(hands, bids, ("srp@3",) * 4, (pieces,) * 4)
        for seat in range(4):
            s.taken[seat], s.void[seat] = taken[seat], voids[seat]
        s.broken = broken
        for card in cards:
            play_card(s, states.to_play(s), parse_card(card))
        found.append(format_card(choose_card(s, states.to_play(s))))
    return tuple(found)


def test_a_seat_with_its_own_tricks_leaves_the_rest_to_partner():
    hands = ["2.54..", "3.76..", "4.98..", ".A32.."]
    assert played(OWN_SHARE, hands, ["4H", "6H", "9H"], taken=(0, 0, 0, 2)) == ("3H", "AH")
    assert played(OWN_SHARE, hands, ["4H", "6H", "9H"], taken=(0, 0, 0, 1)) == ("AH", "AH")
    assert played(OWN_SHARE, hands, ["4H", "6H", "9H"], (2, 2, 3, 3), (0, 0, 0, 3)) == ("AH", "AH")  # 10 bid


def test_a_middle_card_goes_where_few_tricks_are_bid():
    hands = ["2.Q4..", "3.76..", "4.K8..", ".JT2.."]
    assert played(LOW_KEPT, hands, ["4H", "6H", "KH"]) == ("JH", "2H")
    assert played(LOW_KEPT, hands, ["4H", "6H", "KH"], (3, 3, 3, 3)) == ("2H", "2H")


def test_a_middle_card_is_no_boss():
    assert middle_card(0b1011, 0b0100) == 1
    assert middle_card(0b0011, 0b0100) == 1
    assert middle_card(0b1010, 0) == 1
    assert middle_card(0b1000, 0b0100) == 3


def test_partners_trick_takes_the_highest_card_under_hers():
    hands = ["2.64..", "3.Q7..", "4.98..", ".K32.."]
    assert played(UNDER_PARTNER, hands, ["4H", "QH", "8H"]) == ("3H", "2H")


def test_trumps_are_kept_while_a_trick_may_be_lost():
    hands = ["AKQ.4..", "J5...97", "T3.6..8", "94.7..2"]
    assert played(TRUMPS_KEPT, hands, [], (3, 3, 3, 3), (1, 2, 3, 3), broken=1) == ("4H", "QS")
    assert played(TRUMPS_KEPT, hands, [], (5, 3, 3, 3), (1, 2, 3, 3), broken=1) == ("QS", "QS")  # all four are needed


def test_no_high_card_and_no_ruff_before_a_ruff():
    hands = ["3.54..", "2.A3..", "KQ..9.", "4.K2.."]
    assert played(RUFF_BEHIND, hands, ["4H"], (3, 3, 3, 3), voids=(0, 0, HEARTS, 0)) == ("3H", "AH")
    hands = ["3.54..", "2..A3.", "KQ..9.", "4.K2.."]
    assert played(RUFF_BEHIND, hands, ["4H"], (3, 3, 3, 3), voids=(0, 0, HEARTS, 0)) == ("3D", "2S")


def test_a_king_is_led_from_length_where_few_tricks_are_bid():
    hands = ["5432.K2.T9876.62", "AKQ.543.AKQ.T987", "JT9.A76.J54.AKQJ", "876.QJT98.32.543"]
    assert played(HIGH_LEADS, hands, []) == ("KH", "2C")


def test_a_high_card_is_kept_for_the_next_cover():
    hands = ["2.54..", "3.76..", "4.Q8..", ".A92.."]
    assert played(COVER_KEPT, hands, ["5H", "6H", "QH"], (4, 0, 4, 4)) == ("2H", "AH")
    assert played(COVER_KEPT, hands, ["5H", "6H", "QH"], (4, 0, 4, 8)) == ("AH", "AH")  # five more than needed


def test_the_cover_leads_where_partner_has_cards_to_play_under():
    hands = [".9.7.", ".T.K.", "..54.", "..A6."]
    assert played(COVER_ODDS, hands, [], (4, 4, 0, 4)) == ("7D", "9H")


def at_stake(ours, theirs, bids, taken, pieces=ALL_PIECES, win=200):
    """Return a state, for seat 0, of a game with goal ``win``."""
    s = states.of_hands(["32.A.A.A", "54.K.K.K", "76.Q.Q.Q", "98.J.J.J"], bids, ("srp@3",) * 4, (pieces,) * 4)
    s.score[0], s.score[1] = ours, theirs
    for seat in range(4):
        s.taken[seat] = taken[seat]
    if win:
        write_rules(s, make_rules("classic", {"win": win, "lose": -100}))
    return s


def test_projected_points_by_hand():
    s = at_stake(100, -20, (3, 0, 4, 5), (0, 0, 0, 0))
    assert (projected(s, 0), projected(s, 1)) == (170, 130)
    s = at_stake(100, -20, (3, 0, 4, 14), (0, 1, 0, 0))
    assert (projected(s, 0), projected(s, 1)) == (170, 80)  # a nil has failed, a blind nil has not


def test_the_others_must_be_set_where_their_contract_wins():
    few, taken = (2, 3, 2, 2), (2, 1, 2, 1)  # our contract is made; theirs needs 3 of 7 tricks
    for theirs, pieces, wanted in (
        (160, ALL_PIECES, True),
        (160, ALL_PIECES & ~STAKES, False),
        (140, ALL_PIECES, False),
    ):
        s = at_stake(0, theirs, few, taken, pieces)
        assert wants_tricks(s, 0, unseen_cards(s, 0), pieces) == wanted
        assert must_set(s, 0) == (theirs == 160)
    assert not must_set(at_stake(190, 160, few, taken), 0)  # our side wins the game first
    assert not must_set(at_stake(0, 160, few, taken, win=0), 0)  # a state without rules


def test_a_nil_is_left_alone_where_the_contract_wins():
    bids = (4, 0, 4, 4)
    s = at_stake(130, 0, bids, (2, 0, 2, 2))  # 4 of 7
    assert wins_by_contract(s, 0)
    assert not attack_pays(s, 0, 1, SRP_3_PIECES)
    assert attack_pays(s, 0, 1, SRP_3_PIECES & ~STAKES)
    assert attack_pays(
        at_stake(130, 0, bids, (2, 0, 2, 1)), 0, 1, SRP_3_PIECES
    )  # 4 of 8 tricks needed: enough are left
    s = at_stake(130, 80, bids, (2, 0, 2, 2))
    assert not wins_by_contract(s, 0)  # they reach 220 points with the nil
    assert attack_pays(s, 0, 1, SRP_3_PIECES)
    assert attack_pays(at_stake(0, 80, (8, 0, 4, 4), (3, 0, 2, 1)), 0, 1, SRP_3_PIECES)  # 7 of 7, but the nil would win


@pytest.mark.compiled
def test_without_its_new_pieces_it_is_srp1_that_reads_no_signals():
    bids = frozen_bids()[:500]
    silent = compiled_rounds(0, 500, bids, "srp@1", pieces=SRP_1_PIECES & ~SIGNALS)
    assert np.array_equal(compiled_rounds(0, 500, bids, "srp@3", pieces=SRP_1_PIECES), silent)


@pytest.mark.parametrize(("player", "void", "card"), [("srp@1", 0, "3C"), ("srp@3", 0, "6D"), ("srp@3", CLUBS, "3C")])
def test_a_lead_for_partners_ruff(player, void, card):
    """Partner plays the nine of clubs, then the four, and still holds the deuce.

    SRP 1 leads a club as if partner could ruff it. SRP 3 does so only if partner has shown to be out of clubs.
    Otherwise it leads a diamond, because more diamonds than clubs are unseen.
    """
    s = states.of_hands(["..76.AK3", "3..9.765", "2..4.942", "..85.JT8"], players=(player,) * 4)
    for name in ("AC", "5C", "9C", "8C", "KC", "6C", "4C", "TC"):
        play_card(s, states.to_play(s), parse_card(name))
    assert s.signalled[2] == CLUBS
    s.void[2] = void
    assert format_card(choose_card(s, 0)) == card


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**31 - 1))
def test_signals_do_not_matter(seed):
    s = states.midway(seed)
    me = states.to_play(s)
    found = srp3(s, me)
    s.signalled[:] = [0] * 4
    assert srp3(s, me) == found


def test_the_pieces_of_each_version():
    silent, added = SRP_3_PIECES & ~SIGNALS, ALL_PIECES & ~SRP_3_PIECES
    few = SRP_1_PIECES & ~SIGNALS
    for bids, expected in (
        ((3, 3, 3, 3), (SRP_1_PIECES, silent, silent | added)),
        ((0, 3, 0, 3), (SRP_1_PIECES, silent, silent | added)),
        ((0, 3, 3, 14), (SRP_1_PIECES, few, few | added)),  # both sides bid nil
    ):
        s = at_stake(0, 0, bids, (0, 0, 0, 0))
        assert tuple(pieces_in_use(s, 0, version) for version in (1, 3, 4)) == expected
    assert pieces_in_use(at_stake(0, 0, (3, 3, 3, 3), (0, 0, 0, 0), STAKES), 0, 3) == STAKES


@pytest.mark.compiled
@pytest.mark.parametrize("piece", range(SRP_1_PIECES.bit_length(), SRP_3_COUNT - 1))  # except STAKES: no rules here
def test_every_new_piece_matters(piece):
    bids = frozen_bids()
    whole = compiled_rounds(0, ROUNDS, bids, "srp@3")
    assert not np.array_equal(whole, compiled_rounds(0, ROUNDS, bids, "srp@3", pieces=ALL_PIECES & ~(1 << piece)))


@pytest.mark.compiled
def test_frozen():
    assert golden("srp@3") == FROZEN

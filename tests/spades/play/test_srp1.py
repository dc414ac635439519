"""SRP version 1: sure tricks against a search for the worst case, positions with one right card, and its hash.

The hash is over every card of 2,000 rounds whose bids depend on no fitted table. If the hash changes, it is another
player and needs another name.
"""

import hashlib
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.players.choose_card import choose_card
from spades.bis.estimates import spade_tricks_against
from spades.cards import format_card, parse_card
from spades.play.srp.goals import ALL_PIECES, sum_of_contracts, wants_tricks
from spades.play.tricks import play_card, unseen_cards
from tests import naive
from tests.arena.engine import states
from tests.parity.worlds import ROUNDS, compiled_rounds, frozen_bids

FROZEN = {
    "wrp": "92c346e6970ff2dc61388ea432e111ecedf9c3607951dcbb69e827145d7f898c",
    "srp@1": "9055350d776326f69f45e7c4d89526e0b24b9eb674f4dcead88f428a650af47a",
}


def mask(ranks):
    return sum(1 << rank for rank in ranks)


def spades(text):
    return sum(1 << naive.RANKS.index(rank) for rank in text)


@pytest.mark.parametrize(
    ("ours", "unseen", "sure"),
    [
        ("A", "KQJ", 1),
        ("K", "AQJ", 0),
        ("K2", "AQJ", 0),  # we lead the suit, so the guard does not help
        ("K2", "AQ", 0),
        ("KQ", "AJT", 1),
        ("QJT", "AK9", 1),
        ("QJ2", "AK9", 0),
        ("Q32", "AKJ", 0),
        ("AQ", "K32", 1),
        ("AQ2", "K3", 2),
        ("", "AKQ", 0),
        ("432", "", 3),
        ("J432", "AKQT", 0),
        ("J5432", "AKQT", 1),
        ("AKQJT98765432", "", 13),
    ],
)
def test_spade_tricks_against_by_hand(ours, unseen, sure):
    assert spade_tricks_against(spades(ours), spades(unseen)) == sure


def test_spade_tricks_against_never_promises_too_much():
    """All holdings of up to 4 cards against up to 4 in a suit of 7 ranks, compared with the search's worst case."""
    for n in range(1, 5):
        for ours in combinations(range(7), n):
            rest = [rank for rank in range(7) if rank not in ours]
            for m in range(1, 5):
                for theirs in combinations(rest, m):
                    worst = naive.forced_tricks(frozenset(ours), frozenset(theirs))
                    assert spade_tricks_against(mask(ours), mask(theirs)) <= worst, (ours, theirs)


@settings(max_examples=150, deadline=None)
@given(st.sets(st.integers(0, 12), max_size=9), st.data())
def test_spade_tricks_against_is_at_most_what_a_search_finds(ranks, data):
    ours = data.draw(st.sets(st.sampled_from(sorted(ranks)), max_size=5)) if ranks else set()
    theirs = ranks - ours
    if len(theirs) <= 5:
        assert spade_tricks_against(mask(ours), mask(theirs)) <= naive.forced_tricks(frozenset(ours), frozenset(theirs))


@given(st.sets(st.integers(0, 12)), st.data())
def test_one_more_card_never_hurts(ranks, data):
    unseen = data.draw(st.sets(st.sampled_from([r for r in range(13) if r not in ranks]))) if len(ranks) < 13 else set()
    before = spade_tricks_against(mask(ranks), mask(unseen))
    assert 0 <= before <= len(ranks)
    for rank in ranks:
        assert spade_tricks_against(mask(ranks - {rank}), mask(unseen)) <= before


def goal(bids, taken, hands=None, pieces=ALL_PIECES):
    """Return whether seat 0 plays to win tricks."""
    hands = hands or ["32.A.A.A", "54.K.K.K", "76.Q.Q.Q", "98.J.J.J"]
    s = states.of_hands(hands, bids, pieces=(pieces,) * 4)
    for seat in range(4):
        s.taken[seat] = taken[seat]
    assert sum_of_contracts(s) == sum(bid for bid in bids if bid < 14)
    return wants_tricks(s, 0, unseen_cards(s, 0), pieces)


def test_goals_by_hand():
    assert goal((4, 3, 3, 3), (2, 2, 2, 2))  # short of the contract
    assert not goal((2, 2, 2, 2), (3, 2, 2, 1))  # both sides have made their contract or will: avoid bags
    assert goal((2, 3, 2, 5), (3, 1, 2, 2))  # they can still be set; the bids sum to 12
    assert goal((0, 3, 4, 3), (1, 3, 4, 0))  # our nil has failed; they need 3 of 5 tricks, so try to set them
    assert not goal((0, 3, 4, 3), (1, 3, 0, 2))  # they need 1 of 7 tricks: they cannot be set
    assert goal((2, 2, 2, 2), (3, 2, 2, 1), pieces=0)  # without the rule that avoids bags, it wins what it can


def test_a_set_side_plays_on_while_it_can_set_the_others():
    assert goal((7, 4, 6, 3), (2, 1, 2, 3))  # we need 9 with 5 left; they need 3
    assert not goal((7, 2, 6, 1), (2, 1, 2, 3))  # their contract is made: leave the bags to them


def played(hands, seat, cards, bids=(3, 3, 3, 3), taken=(0, 0, 0, 0), voids=(0, 0, 0, 0)):
    """Return SRP's card in ``seat`` after ``cards`` of a trick that seat 0 led."""
    s = states.of_hands(hands, bids, ("srp@1",) * 4)
    for who in range(4):
        s.taken[who], s.void[who] = taken[who], voids[who]
    for card in cards:
        play_card(s, states.to_play(s), parse_card(card))
    assert states.to_play(s) == seat
    assert [s.bid[who] for who in range(4)] == list(bids)
    return format_card(choose_card(s, seat))


def test_last_hand_wins_as_cheaply_as_it_can():
    assert played(["2.93..", "3.T4..", "4.52..", ".AQ.."], 3, ["9H", "TH", "2H"]) == "QH"


def test_partner_is_not_overtaken_in_last_hand():
    assert played(["2.93..", "3.K4..", "4.52..", ".A6.."], 3, ["9H", "KH", "2H"]) == "6H"


def test_a_nil_ducks_under_with_its_highest():
    assert played(["2.Q3..", "3.K4..", ".JT2..", ".987.."], 2, ["QH", "KH"], bids=(4, 4, 0, 4)) == "JH"


def test_an_opponents_nil_is_left_in_front():
    # seat 1 bid nil and wins so far: seat 2 plays below their card
    assert played(["2.43..", "3.96..", "5.A7..", ".K8.."], 2, ["4H", "9H"], bids=(4, 0, 4, 4)) == "7H"


def test_partners_nil_is_covered():
    # seat 0 bid nil and their queen wins so far: seat 2 plays a higher card
    assert played(["2.Q3..", "3.T4..", "5.A7..", ".98.."], 2, ["QH", "TH"], bids=(0, 4, 4, 4)) == "AH"


def golden(player):
    """Return the SHA-256 over the cards of 2,000 rounds, one byte for each card in order of play."""
    cards = compiled_rounds(0, ROUNDS, frozen_bids(), player)
    assert cards.shape == (ROUNDS, 52)
    assert (np.sort(cards, axis=1) == np.sort(cards[0])).all()
    return hashlib.sha256(cards.tobytes()).hexdigest()


@pytest.mark.compiled
@pytest.mark.parametrize("player", sorted(FROZEN))
def test_frozen(player):
    assert golden(player) == FROZEN[player]


def test_frozen_bids_have_nils_and_contracts():
    bids = frozen_bids()
    assert bids.shape == (ROUNDS, 4)
    assert 0.05 < (bids == 0).mean() < 0.4
    assert bids.min() == 0
    assert bids.max() >= 7

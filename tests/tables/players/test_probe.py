"""The probe of card players: classes of cards by hand, and its result for a player who never covers a nil."""

import numpy as np
import pytest

from spades.cards import parse_card
from spades.play import play_card
from spades.tableset import open_tables
from tables import probe
from tables.alternatives import CLASSES, FOLLOWS, LEADS, NEEDS, NILS, PLACES, context_of, pick, same_worth
from tables.engine.simulate import kernel_tables, player_rows
from tests.tables.engine import states


def card(text):
    return parse_card(text)


def hand(*names):
    return sum(1 << parse_card(name) for name in names)


def test_classes_of_leads_and_of_cards_that_follow():
    s = states.dealt(1, 1, (3, 3, 3, 3))
    s.hand[0] = hand("AH", "2H", "KD", "9C", "8C", "3C", "AS", "2S")
    s.hand[1] = hand("AC", "KC", "QC")
    s.hand[2], s.hand[3] = 0, 0
    picked = {name: pick(s, 0, s.hand[0], i) for i, name in enumerate(LEADS)}
    assert picked["low of the shortest suit"] == card("KD")
    assert picked["low of the longest suit"] == card("3C")
    assert picked["boss"] == card("AH")
    assert picked["high spade"] == card("AS")
    play_card(s, 0, card("9C"))
    followed = {name: pick(s, 1, s.hand[1], i) for i, name in enumerate(FOLLOWS)}
    assert followed["lowest loser"] == -1
    assert (followed["cheapest winner"], followed["highest winner"]) == (card("QC"), card("AC"))
    assert followed["low ruff"] == -1


def test_the_situation_names_nil_place_and_need():
    s = states.dealt(1, 2, (0, 4, 3, 13))
    context = context_of(s, 0)
    assert NILS[context // 20] == "own nil"
    assert PLACES[context // 5 % 4] == PLACES[s.trick_size]
    s.bid[0] = 13
    assert NEEDS[context_of(s, 0) % 5] == "already set"


def test_cards_are_worth_the_same_without_an_unseen_card_between():
    assert same_worth(card("KS"), card("QS"), hand("AS", "JS"))
    assert not same_worth(card("KS"), card("JS"), hand("QS"))
    assert not same_worth(card("KS"), card("KH"), 0)


@pytest.mark.compiled
def test_it_finds_what_a_simple_player_does_wrong():
    """WRP does not avoid bags after its contract is made, and takes tricks that it does not want; SRP does better."""
    found = {}
    for player in ("wrp", "srp"):
        players = player_rows(player, player)
        sums = probe._chunk(players, kernel_tables(open_tables().arrays), 3, 0)["sums"]
        times, gains, squares = sums[..., 0], sums[..., 1], sums[..., 2]
        assert sums.shape[2] == CLASSES
        assert times.sum() > probe.CHUNK_DEALS
        assert np.all(squares * times >= gains**2 - 1e-6)
        error = np.sqrt(np.maximum(squares, 1.0))
        found[player] = float(np.maximum(gains - 2 * error, 0.0).sum() / probe.CHUNK_DEALS)
    assert found["wrp"] > 2 * found["srp"]

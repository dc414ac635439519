"""Matches of learned players."""

import numpy as np
import pytest

from arena.called.learned import random_actions
from arena.engine.rounds import legal_masks
from arena.match import PAPER_RULES, Match
from arena.result import run_match
from spades.rules import make_rules
from tests.arena.conftest import called
from tests.arena.rounds import dealt

pytestmark = pytest.mark.compiled
Q1 = "q@1(net=conv, reward=return)"  # the reward with which it wins most


def test_a_match_does_not_depend_on_threads():
    match = Match("bis", "q@1", ("q@1", "srp"), pairs=12, seed=3)
    one, two = run_match(match, 1), run_match(match, 2)
    assert one.record(timing=False) == two.record(timing=False)
    assert one.players == ["q@1(net=conv, reward=score)", "srp@3"]


def test_learned_players_sit_on_both_sides_and_beat_random_ones():
    found = run_match(Match(Q1, "random", (Q1, "random"), pairs=20, seed=3))
    assert found.win_rate > 0.9
    assert found.players == [Q1, "random"]


@pytest.mark.parametrize("text", ["q@1:net=linear,reward=tricks", "q@1", "q@1:reward=return", "random"])
def test_every_learned_player_bids_and_plays(text):
    found = run_match(
        Match(text, "bis", (text, "wrp"), pairs=2, rules=make_rules("pass-2", {"win": 100, "lose": -100}))
    )
    assert found.games == 4
    assert found.players[0] == str(called(text))
    assert all(name.startswith("q1_") for name in called(text).arrays())


def test_random_actions_are_spread_evenly():
    states = dealt(1, 4000, PAPER_RULES)
    seats = np.arange(4000) & 3
    bids = random_actions(states, seats, True)
    assert np.bincount(bids, minlength=14).min() > 200
    cards = random_actions(states, seats, False)
    assert (legal_masks(states, seats) >> cards & 1).all()
    assert (cards < 48).all(), "spades are not led before they are broken"

"""Decisions at the end of a game and nils with a pass: both forms of the code, what is drawn, figures, errors."""

import random

import numpy as np
import pytest

from spades.bis import certain_tricks
from spades.cards import spades_of
from spades.rules import make_rules
from tables.__main__ import main
from tables.arena.errors import ArenaError
from tables.ceiling import endings
from tables.ceiling.endings import ENDINGS, GIVEN_TRICKS, Decisions, DecisionsChunk, Question, random_position
from tables.ceiling.endings_figures import markdown, simulated_gains
from tables.engine.deal import Deals
from tables.engine.states import new_states
from tests.conftest import committed_tables, view

CLASSIC = make_rules("classic")


def in_plain_python(seed, first, last, hands, positions, usual, bids, players, plan, search, sums):
    plan = plan._replace(drawn=view(plan.drawn))
    arguments = hands, positions, usual, bids, view(players), plan, search, sums
    endings._play_bids(new_states(2), Deals(seed, first, last), *arguments)


@pytest.mark.parity
def test_both_forms_find_the_same(fitted, monkeypatch):
    monkeypatch.setattr(endings, "CHUNK", 4)
    monkeypatch.setattr(endings, "TRIES", 200)
    monkeypatch.setattr(endings, "FEWEST", 2)
    question = Question(rules=CLASSIC, least=-0.05, seed=5, deals=3)
    fast = DecisionsChunk(question, fitted.array_settings)(0)
    monkeypatch.setattr(endings, "play_bids", in_plain_python)
    plain = DecisionsChunk(question, fitted.plain_settings)(0)
    assert all(np.array_equal(plain[name], fast[name]) for name in Decisions._fields)
    assert fast["sums"].any()


def test_scores_and_hands_are_those_asked_for():
    rng, tables = random.Random(2), committed_tables()
    question = Question(rules=CLASSIC, seats=(3,), lowest=420, highest=440)
    for _ in range(20):
        _, (seat, *bids, us, them, us_bags, them_bags) = random_position(question, rng, tables)
        assert seat == 3
        assert all(0 <= bid <= 13 for bid in bids)
        assert {us - us_bags, them - them_bags} <= {420, 430, 440}
    question = Question(GIVEN_TRICKS, make_rules("pass-4"), lowest=0, highest=100)
    for _ in range(20):
        hand, (seat, *bids, _, _, _, _) = random_position(question, rng, tables)
        assert certain_tricks(spades_of(hand), 0) > 0
        assert bids[seat - 2] > 0  # partner has bid no nil


def found():
    """Two decisions: in the first, 5 looks better than the usual 3 and is bid; in the second, 3 is bid."""
    p_win = np.full((2, 14), -1.0)
    p_win[:, [3, 4, 5]] = 0.4, 0.3, 0.5
    sums = np.zeros((2, 3, 14, 3))
    sums[0, 0, 5] = 100, 20, 30  # a gain of 0.2
    sums[0, 1, 5] = 100, 40, 30
    sums[0, 2, 5] = 3, -3, 3  # too few deals
    hands, positions = np.zeros(2, np.int64), np.zeros((2, 8), np.int64)
    return Decisions(hands, positions, np.array([[3, 5], [3, 3]]), p_win, sums)


def test_gains_are_means_over_the_kinds_with_enough_deals():
    gains, errors = simulated_gains(found())
    assert gains[0, 5] == pytest.approx(0.3)
    assert errors[0, 5] == pytest.approx(((0.3 - 0.04 + 0.3 - 0.16) / 100) ** 0.5 / 2)
    assert (gains[0, 3], errors[0, 3]) == (0.0, 0.0)
    assert np.isnan(gains[1, 5])


def test_the_table_of_endings():
    text = markdown(Question(ENDINGS, CLASSIC), found())
    assert "| another bid looks better than the usual one " in text
    assert "+30.00" in text
    assert "Rules: classic." in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "middles"}, "kind is 'middles'; accepted: endings, given-tricks"),
        ({"lowest": 450, "highest": 510}, "scores are 450 to 510; accepted: between"),
        ({"deals": 31}, "deals is 31; accepted: 32 or more"),
    ],
)
def test_what_cannot_be_measured_is_an_error(options, message):
    with pytest.raises(ArenaError, match=message):
        Question(rules=CLASSIC, **options)


def test_errors_of_the_command(capsys):
    assert main(["endings", "--preset", "classic", "--decisions", "0"]) == 1
    assert "decisions is 0; accepted: 1 or more" in capsys.readouterr().err

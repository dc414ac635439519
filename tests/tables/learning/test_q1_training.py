"""Q-learning as the spAIdes report describes it: rewards, targets, and training in steps."""

from dataclasses import replace

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.players.q1 import BIDS, CHOSEN, FEATURES, PILE, TRICKS, VALUES, Options, QPlayer, first_weights
from tables.families import FAMILIES
from tables.learning.q1_training import BATCH, COLUMNS, DECISIONS, PLAYERS, RULES, Round, play, targets
from tables.run.family import Context
from tests.arena.rounds import dealt

pytestmark = pytest.mark.compiled
(Q1,) = (family for family in FAMILIES if family.name == "q1")


def made(won, bid, points=63, best=0.0):
    """One round in which seat 0 won the tricks of ``won``."""
    shape = (1, 4, DECISIONS)
    tricks = np.zeros(shape, np.bool_)
    tricks[0, 0, won] = True
    bids, side = np.full((1, 4), bid), np.full((1, 4), points)
    return Round(np.zeros((*shape, FEATURES), np.float32), np.full(shape, best, np.float32), tricks, bids, side)


def test_rewards_for_tricks():
    assert targets(made([1, 3], 2), "tricks")[0, 0].tolist() == [0, 1, 0, 1] + [0] * 10


def test_rewards_for_tricks_and_bid():
    """1 up to the bid, -.5 beyond it, and for a lost trick the tricks missing over the tricks played, and one."""
    found = targets(made([1, 2, 4], 2), "bid")[0, 0]
    assert found[:6].tolist() == pytest.approx([0, 1, 1, 0, -0.5, 0])
    found = targets(made([13], 3), "bid")[0, 0]
    assert found[1:].tolist() == pytest.approx([-3 / (trick + 1) for trick in range(1, 13)] + [1])


def test_rewards_at_the_end():
    assert targets(made([], 2), "score")[0, 0].tolist() == pytest.approx([0] * 13 + [0.63])
    assert targets(made([], 2), "return")[0, 0].tolist() == pytest.approx([0.63] * 14)


def test_a_target_adds_the_best_value_of_the_next_decision():
    round_ = made([13], 2, best=0.25)
    assert targets(round_, "tricks")[0, 0].tolist() == pytest.approx([0.25] * 13 + [1])


def test_a_round_is_played_by_the_net():
    player = QPlayer("linear", "tricks")
    weights = first_weights("linear", np.random.default_rng(0))
    weights[BIDS] = -1.0
    found = play(player, weights, np.random.default_rng(3), 0, 40)
    assert (found.bids == 0).mean() > 0.9, "a linear net bids the same whatever the hand"
    assert 0 < (found.bids > 0).mean() < 0.1, "some bids are random"
    assert (found.won.sum(axis=(1, 2)) == 13).all()
    assert (found.x[:, :, 0, BIDS] == found.bids).all()
    assert (found.x[:, :, 0, CHOSEN:].sum(axis=2) == 0).all()
    assert (found.x[:, :, 1:, CHOSEN:].sum(axis=3) == 1).all()
    assert (found.x[:, :, -1, TRICKS : TRICKS + 4].sum(axis=2) == 12).all()
    assert (found.x[:, :, 1, PILE:TRICKS].sum(axis=(1, 2)) == 1 + 3 + 6).all(), "piles of 0, 1, 2 and 3 cards"


def test_a_linear_net_ranks_bids_alike_for_all_hands():
    weights = np.random.default_rng(1).normal(size=FEATURES + 1)
    options = Options(dealt(1, 30, RULES), np.zeros(30, np.int64), True)
    values = VALUES["linear"](weights, options.x).reshape(30, 14)
    assert np.allclose(np.diff(values), weights[BIDS])


def test_training_is_repeatable_and_changes_the_nets(tmp_path):
    def build(name):
        family = replace(Q1, sizes={"rounds": 2 * BATCH})
        return family.make(Context(family, 1, 1.0, {}, LocalThreads(1), tmp_path / name, progress=False))

    one, other = build("one"), build("other")
    assert {name: array.tobytes() for name, array in one.items()} == {name: a.tobytes() for name, a in other.items()}
    assert one.keys() == Q1.axes.keys()
    assert one["q1_history"].shape == (len(PLAYERS), 2, COLUMNS)
    for array in one.values():
        assert np.isfinite(array).all()
        assert (np.abs(array).max(axis=1) > 0).all(), "each net has learned"

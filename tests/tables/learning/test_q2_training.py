"""What Q 2 learns from: positions in which every action is played out, and training in parts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.engine.bidding import bid_seat
from arena.engine.results import win_probability_after_round
from arena.engine.simulate import kernel_tables, numba_typed, player_rows, tables_for
from arena.engine.states import plain_state
from arena.engine.winprob import slice_of
from arena.games import Lineup
from arena.players.choose_card import choose_card
from arena.players.q2 import CARDS, INPUTS
from arena.players.touching import distinct_cards
from spades.legal import NO_BID
from spades.play import play_card
from spades.policies import parse_policy
from spades.tableset import open_tables
from spades.winprob import win_array
from tables.families import FAMILIES
from tables.learning import q2_training
from tables.learning.q2_labels import NONE, TARGET_UNIT, labels, unpacked
from tables.learning.q2_training import RULES, samples_of
from tables.run.family import Context
from tests.conftest import plain_tables

pytestmark = pytest.mark.compiled
POLICY = numba_typed(parse_policy("bis"))


@pytest.fixture(scope="module")
def profiles():
    return kernel_tables(open_tables().arrays)


@pytest.fixture(scope="module")
def made(profiles):
    lineup = Lineup([POLICY] * 4, player_rows("srp", "srp"))
    return labels(3, 0, 400, RULES, lineup, profiles, np.array([[0, 0, 0, 0], [120, 3, 150, 9]]))


def test_a_value_is_that_of_the_round_played_to_its_end(made, profiles):
    """In plain Python, from the position on: the same actions, and the same win probability for each."""
    won = tables_for(profiles, RULES, [parse_policy("winprob")])
    read = plain_tables(profiles)
    win_slice = slice_of(RULES, won)
    win = win_array(win_slice, won)
    kinds = set()
    for i in np.flatnonzero(made.actions[:, 1] != NONE)[:60]:
        seat, tried = int(made.seats[i]), made.actions[i][made.actions[i] != NONE].tolist()
        for action, value in zip(tried, made.values[i], strict=False):
            state = plain_state(made.states[i])
            bidding = NO_BID in state.bid
            kinds.add(bidding)
            if bidding:
                state.bid[seat] = action
                for other in range(seat + 1, 4):
                    state.bid[other] = bid_seat(state, other, RULES, POLICY, read)
            else:
                assert distinct_cards(state, seat) == sum(1 << card for card in tried)
                play_card(state, seat, action)
            while any(state.hand):
                turn = (state.leader + state.trick_size) & 3
                play_card(state, turn, choose_card(state, turn))
            found = win_probability_after_round(state, seat, RULES, win_slice, win)
            assert value == pytest.approx(found, abs=1e-6)
    assert kinds == {True, False}


def test_positions_are_of_every_kind(made):
    kept = made.actions[:, 1] != NONE
    bidding = (made.states["bid"] == NO_BID).any(axis=1)
    assert 0.5 < kept.mean() < 1
    assert 0.1 < bidding[kept].mean() < 0.5
    held = np.bitwise_count(made.states["hand"][np.arange(400), made.seats])
    assert set(held[kept & ~bidding].tolist()) == set(range(2, 14))
    assert set(made.seats[kept].tolist()) == {0, 1, 2, 3}


def test_samples_are_centred(made):
    data = samples_of(made)
    tried = data["actions"] != NONE
    assert (data["targets"][~tried] == 0).all()
    assert np.abs(data["targets"].sum(axis=1) * TARGET_UNIT).max() < 0.1
    assert unpacked(data["inputs"]).shape == (len(tried), INPUTS)
    kept = np.flatnonzero(made.actions[:, 1] != NONE)
    bidding = (made.states["bid"][kept] == NO_BID).any(axis=1)
    assert (data["actions"][bidding, 0] >= CARDS).all()
    assert (data["actions"][~bidding] < CARDS).all()
    spread = 100 * (made.values[kept, 1] - made.values[kept, 0])
    assert (data["targets"][:, 1] - data["targets"][:, 0]) * TARGET_UNIT == pytest.approx(spread, abs=0.011)


def test_training_is_the_same_in_parts_and_on_more_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(q2_training, "PARTS", 2)
    monkeypatch.setattr(q2_training, "BATCH", 64)
    monkeypatch.setattr(q2_training, "POSITIONS", 200)
    monkeypatch.setattr(q2_training, "SCORES", 100)
    (q2,) = (family for family in FAMILIES if family.name == "q2")
    family = replace(q2, sizes={"positions": 4096, "held_out": 300})
    arrays = open_tables().arrays

    def build(folder: Path, jobs: int):
        context = Context(family, 1, 1.0, arrays, LocalThreads(jobs), folder, progress=False)
        return family.make(context), context.figures

    one, figures = build(tmp_path / "one", 1)
    two, _ = build(tmp_path / "two", 2)
    for path in (tmp_path / "one").glob("fit-1-*/*"):
        path.unlink()  # as if it was interrupted before the last part
    again, same = build(tmp_path / "one", 2)
    for name, array in one.items():
        assert array.tobytes() == two[name].tobytes() == again[name].tobytes()
    assert figures == same
    assert figures["gain_of_bids"] > 5, "it does not bid like a random player"

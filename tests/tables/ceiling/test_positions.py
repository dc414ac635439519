"""Measured decisions: plain Python against compiled code, chunks that are kept, and the command."""

import numpy as np
import pytest

from spades.errors import PolicyError
from tables.__main__ import main
from tables.arena.errors import ArenaError
from tables.arena.match import player_version
from tables.ceiling import positions
from tables.ceiling.positions import DecisionsChunk, Question
from tables.engine.deal import Deals
from tables.engine.states import new_states
from tables.players.names import PlayerError


def in_plain_python(seed, first, last, *arguments):
    positions._measure(new_states(3), Deals(seed, first, last), *arguments)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(positions, "CHUNK", 3)
    monkeypatch.setattr(positions, "TRIES", 300)
    monkeypatch.setattr(positions, "FEWEST", 3)


@pytest.mark.parity
def test_both_forms_find_the_same(fitted, small, monkeypatch):
    question = Question("rb", seed=5, deals=6)
    fast = DecisionsChunk(question, fitted.array_settings)(0)
    monkeypatch.setattr(positions, "measure_decisions", in_plain_python)
    plain = DecisionsChunk(question, fitted.plain_settings)(0)
    assert plain.keys() == fast.keys() == {"counts", "gains"}
    assert np.array_equal(plain["counts"], fast["counts"])
    assert np.array_equal(plain["gains"], fast["gains"])
    assert fast["gains"].any()


@pytest.mark.compiled
def test_a_longer_run_continues_a_shorter_one(small, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(positions, "KEPT", tmp_path)
    command = ["ceiling", "--against", "bis", "--deals", "8", "--seed", "3", "--jobs", "2", "--decisions"]
    assert main([*command, "4"]) == 0
    short = capsys.readouterr().out
    assert f"player {player_version('srp')}, seed 3, 8 deals." in short
    assert "| `bis` | 200/-100 | any |" in short
    (folder,) = tmp_path.iterdir()
    assert [path.name for path in sorted(folder.iterdir())] == ["000000.npz", "000001.npz"]
    assert main([*command, "9"]) == 0
    longer = capsys.readouterr().out
    assert longer != short
    for path in folder.iterdir():
        if path.name != "000001.npz":
            path.unlink()
    assert main([*command, "9"]) == 0
    assert capsys.readouterr().out == longer


def test_the_tables_and_the_question_decide_the_chunks_that_are_reused(monkeypatch):
    questions = [Question("bis"), Question("rb"), Question("bis", seed=2), Question("bis", deals=64)]
    assert len({question.version for question in questions}) == 4
    before = questions[0].version
    monkeypatch.setattr(positions, "LATER_POLICIES", ("rb",))
    assert questions[0].version != before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "rb", "deals": 63}, "deals is 63; accepted: 64 or more"),
        ({"against": "rb", "seed": -1}, "seed is -1"),
        ({"against": "rb", "player": "none"}, "none"),
        ({"against": "python:bot.py:bid"}, "python"),
    ],
)
def test_what_cannot_be_measured_is_an_error(options, message):
    with pytest.raises((ArenaError, PlayerError, PolicyError), match=message):
        Question(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--decisions", "0"], "decisions is 0; accepted: 1 or more"),
        (["--preset", "cutthroat", "--lose", "none"], "variant is cutthroat with winprob; accepted: partnership"),
        (["--against", "bos"], "unknown policy 'bos'"),
    ],
)
def test_errors_of_the_command(options, message, capsys):
    assert main(["ceiling", *options]) == 1
    assert message in capsys.readouterr().err

"""The command `python -m arena match`, run in this process."""

import argparse
import json

import pytest

from arena import result
from arena.__main__ import main
from arena.match import PAPER_RULES, Match
from arena.match_command import add_rules_arguments, rules_of
from arena.result import run_match
from spades.rules import PRESETS
from tests.arena.conftest import Interrupting

pytestmark = pytest.mark.compiled


def test_json(capsys):
    match = "--a bis --b rb --players srp,wrp --pairs 50 --win 150 --lose none --seed 9 --mixed"
    assert main(["match", *match.split(), "--json", "--jobs", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["pairs"], found["seed"], found["mixed"]) == (50, 9, True)
    assert found["players"][1] == "wrp"
    assert (found["rules"]["win"], found["rules"]["lose"]) == (150, None)


def test_any_rule_can_be_played(capsys):
    match = "--a bis:blind=on --b bis --rule blind_nil=true --rule failed_nil_tricks=none --pairs 50 --seed 2"
    assert main(["match", *match.split(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rules"]["blind_nil"], found["rules"]["failed_nil_tricks"]) == (True, "none")
    assert {row["side"] for row in found["bids"] if row["bid"] == "blind_nil"} == {"a"}


def test_markdown_and_sequential_test(capsys):
    assert main(["match", "--a", "bis", "--b", "fixed:bid=4", "--pairs", "500", "--sprt=-5,5"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# bis v fixed:bid=4\n")
    assert "Sequential test of Elo -5 (H0) against 5 (H1): H1" in out
    assert "(95 %, wherever the sequential test stops: " in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--a", "bos", "--b", "rb"], "agent is 'bos'; accepted: bis, rb"),
        (
            ["--a", "rb", "--b", "rb", "--players", "a,b,c"],
            "accepted: one player for all, one for each side, or one for each chair",
        ),
        (["--a", "rb", "--b", "python:nowhere.py:f", "--pairs", "1"], "nowhere.py is not a Python file"),
        (["--a", "rb", "--b", "rb", "--jobs", "0"], "jobs is 0"),
        (["--a", "rb", "--b", "rb", "--win", "0"], "win is 0"),
        (["--a", "rb", "--b", "rb", "--rule", "variant=bridge"], "variant is 'bridge'"),
    ],
)
def test_what_can_t_be_played_is_one_line_on_stderr(capsys, arguments, message):
    assert main(["match", *arguments]) == 1
    err = capsys.readouterr().err
    assert message in err.splitlines()[-1]


@pytest.mark.parametrize("arguments", [["--sprt", "5"], ["--lose", "never"], ["--rule", "blind_nil"]])
def test_malformed_options_are_usage_errors(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(["match", "--a", "rb", "--b", "rb", *arguments])
    assert stopped.value.code == 2
    assert "accepted" in capsys.readouterr().err


def _rules(*arguments):
    parser = argparse.ArgumentParser()
    add_rules_arguments(parser)
    return rules_of(parser.parse_args(arguments))


def test_the_goals_are_those_of_the_preset():
    assert _rules() == PAPER_RULES
    for name, rules in PRESETS.items():
        assert _rules("--preset", name) == rules
    assert _rules("--preset", "quick", "--win", "300", "--lose", "none") == PRESETS["quick"]._replace(
        win=300, lose=PRESETS["classic"].lose
    )
    assert _rules("--lose", "-50") == PAPER_RULES._replace(lose=-50)


def test_an_interrupted_match_continues(monkeypatch, tmp_path):
    monkeypatch.setattr(result, "KEPT", tmp_path)
    match = Match("rb", "ms", ("wrp", "wrp"), pairs=1000)  # four chunks
    with pytest.raises(KeyboardInterrupt):
        run_match(match, executor=Interrupting(3), resume=True)
    assert len(list(tmp_path.glob("*/*.npz"))) == 3
    again = Interrupting(2)
    found = run_match(match, executor=again, resume=True)
    assert again.left == 1, "one chunk was left"
    assert list(tmp_path.iterdir()) == []
    assert found.record(timing=False) == run_match(match).record(timing=False)


def test_a_match_with_a_bidder_that_may_change_is_not_kept(monkeypatch, tmp_path, bidder_file):
    monkeypatch.setattr(result, "KEPT", tmp_path)
    text = f"python:{bidder_file('def three(request): return 3')}:three"
    run_match(Match(text, "rb", ("wrp", "wrp"), pairs=2), resume=True)
    assert {path.name for path in tmp_path.iterdir()} <= {"bidder.py", "__pycache__"}

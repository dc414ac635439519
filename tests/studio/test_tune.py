"""The search for options, and the command that writes them into a table set."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from arena.match import PAPER_RULES, Match
from arena.result import run_match
from arena.stats import Gain
from spades.errors import PolicyError
from spades.rules import CUTTHROAT, PARTNERSHIP
from spades.set_options import FAMILY, PolicyOptions, options_of
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from studio.__main__ import main
from studio.beside_people import beside_people
from studio.columns import frame_of
from studio.play import STUDIOS, studio_records
from studio.tune import Found, candidates, search, tune, write

pytestmark = pytest.mark.compiled


def simulated(wins):
    """What plays games of which a text wins a share, on the same deals for the same seed."""

    def play(text, pairs, seed):
        drawn = np.random.default_rng(seed).random((pairs, 2))
        return np.where(drawn < wins[text.partition(":")[2]], 1, -1)

    return play


def test_candidates_are_all_combinations():
    found = candidates("bis", {"nil_threshold": ("0", "25"), "offset": ("0", "0.2")}, CUTTHROAT)
    assert found == [
        "nil_threshold=0,offset=0",
        "nil_threshold=0",
        "nil_threshold=25,offset=0",
        "nil_threshold=25",
    ]
    with pytest.raises(PolicyError, match="offset is '9'"):
        candidates("bis", {"offset": ("9",)}, PARTNERSHIP)


def test_the_best_options_are_kept_if_they_win_more():
    wins = {"": 0.5, "offset=0.2": 0.6, "offset=0.4": 0.53, "offset=-0.2": 0.45, "offset=0.2,nils=off": 0.3}
    groups = {"offset": ("0", "-0.2", "0.2", "0.4")}, {"nils": ("off", "on")}
    match = Match("bis", "bis", pairs=2000)
    found = search("bis", groups, match, simulated(wins))
    assert (found.options, found.best, found.candidates) == ("offset=0.2", "offset=0.2", 4 + 2)
    assert found.pairs == 4 * 1000 + 2 * 2000 + 2 * 2000
    assert 0 < found.gain.low < 10 < found.gain.high


def test_a_gain_by_chance_is_not_kept():
    wins, match = {"": 0.5, "offset=0.2": 0.501}, Match("bis", "bis", pairs=400, seed=3)
    found = search("bis", [{"offset": ("0", "0.2")}], match, simulated(wins))
    assert found.options == ""
    assert found.gain.low <= 0
    same = search("bis", [{"offset": ("0",)}], match, simulated(wins))
    assert (same.best, same.gain, same.pairs) == ("", (0, 0, 0), 0)


def test_seats():
    alone = beside_people("random", PAPER_RULES, 10, 1, "wrp")
    assert [agent.text for agent in alone.agents] == ["bis", "random", "random", "random"]
    assert alone.players == ("wrp", "random", "random", "random")
    both = beside_people("random", PAPER_RULES, 10, 1, "wrp", both=True)
    assert [agent.text for agent in both.agents] == ["bis", "random", "bis", "random"]
    assert both.players_by_chair == ("wrp", "random", "wrp", "random")


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A model learned from 150 games of overbidders."""
    work = tmp_path_factory.mktemp("tune")
    profiles = kernel_tables(open_tables().arrays)
    records = studio_records(STUDIOS["overbidders"], 0.1, Deals(1, 0, 150), PAPER_RULES, profiles)
    frame_of(records).write_parquet(work / "log.parquet")
    assert main(["model", str(work / "log.parquet"), "--out", str(work / "model")]) == 0
    return f"model:{work / 'model'}"


def test_the_command(people, tmp_path, capsys):
    out, again = tmp_path / "tuned", tmp_path / "again"
    arguments = ["tune", str(DEFAULT_DIRECTORY), "--people", people, "--pairs", "160", "--seed", "7"]
    arguments += ["--option", "offset=-0.3,0,3"]  # three tricks more lose nearly every game
    capsys.readouterr()
    assert main([*arguments, "--out", str(out)]) == 0
    folders, text = capsys.readouterr()
    assert "3 candidates" in text
    (folder,) = out.iterdir()
    assert folders == f"{folder}\n", "what a shell keeps in a variable"
    assert f"Tables in {folder}\n" in text
    tuned = open_tables(folder)
    assert folder.name == tuned.version
    entry = tuned.families[FAMILY]
    assert (entry.seed, entry.sizes) == (7, {"candidates": 3, "search_pairs": 3 * 80 + 2 * 160, "pairs": 160})
    assert entry.figures["gain_low"] <= entry.figures["gain_mean"] <= entry.figures["gain_high"]
    assert main([*arguments, "--out", str(again)]) == 0
    assert [path.name for path in again.iterdir()] == [tuned.version]  # the same games
    assert main([*arguments, "--out", str(folder)]) == 1
    assert f"--out is {folder}, a table set; accepted: a new folder" in capsys.readouterr().err


def test_without_a_sure_gain_nothing_is_written(people, tmp_path, capsys):
    out = tmp_path / "tuned"
    arguments = ["tune", str(DEFAULT_DIRECTORY), "--people", people, "--pairs", "40"]
    assert main([*arguments, "--option", "offset=4", "--option", "offset=4", "--out", str(out)]) == 0
    assert "No options: the gain of `bis:offset=4` may be chance" in capsys.readouterr().err
    (folder,) = out.iterdir()
    assert options_of(open_tables(folder)) == ()
    assert main([*arguments, "--option", "offset=0", "--out", str(out)]) == 0
    text = capsys.readouterr().err
    assert "No options: in the search, no candidate won more games than `bis`." in text
    assert "`bis` over `bis`" not in text
    comma = tmp_path / "a,b"
    shutil.copytree(folder, comma)
    assert main(["tune", str(comma), *arguments[2:], "--option", "offset=0", "--out", str(out)]) == 1
    assert (
        f"the folder of a table set is '{comma}'; accepted: a path without commas and brackets"
        in capsys.readouterr().err
    )
    for wrong in ("offset", "tuned=1", "margin=1"):
        assert main([*arguments, "--option", wrong, "--out", str(tmp_path / "other")]) == 1
        assert "accepted: NAME=VALUE,VALUE,... with an option of bis: nil_threshold" in capsys.readouterr().err
    assert main([*arguments, "--pairs", "2", "--out", str(tmp_path / "other")]) == 1
    assert "--pairs is 2; accepted: 20 or more" in capsys.readouterr().err
    assert main([*arguments, "--policy", "fixed", "--out", str(tmp_path / "other")]) == 1
    assert "--policy is 'fixed'; accepted: bis, rb, ms, io, winprob" in capsys.readouterr().err
    assert main([*arguments, "--policy", "rb", "--out", str(tmp_path / "other")]) == 1
    assert "--policy is rb without --option; accepted: bis" in capsys.readouterr().err


def test_the_arena_takes_the_options_of_a_set(tmp_path):
    options, some = "offset=-0.5,nil_threshold=0", Gain(2.0, 1.0, 3.0)
    match = Match("bis", "rb", pairs=60, seed=2)
    write(DEFAULT_DIRECTORY, tmp_path / "tuned", "bis", Found(options, options, some, 2, 10), some, match)
    assert options_of(open_tables(tmp_path / "tuned")) == (PolicyOptions("bis", "partnership", options),)
    tables = f"tables={tmp_path / 'tuned'}"
    texts = "bis", f"bis:{options}", f"bis:{tables}", f"bis:offset=0,nil_threshold=25,{tables}"
    played = [run_match(replace(match, a=text)).bids for text in texts]
    plain, given, by_set, own = played
    assert given == by_set != plain == own
    with pytest.raises(BuildError, match="has options for bis already"):
        tune(tmp_path / "tuned", "bis", [{"offset": ("0",)}], match, tmp_path / "work", LocalThreads(1))

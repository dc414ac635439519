"""The figures of the paper, plots, and matches that are played once."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from arena.result import run_match
from report import setup
from report.figures import ms_a_card
from report.paper import TABLE_2, published
from spades.tableset import open_tables
from studio import plots
from tests.report.made_up import result_of


@pytest.fixture(scope="module")
def opened():
    return open_tables()


@pytest.fixture
def report(opened, tmp_path):
    return setup.Setup(opened, 10, 1, 1, tmp_path / "img")


def test_table_2_is_whole():
    assert len(TABLE_2) == 8
    assert all(published(*row) == TABLE_2[row] for row in TABLE_2)
    assert published("rb:nil=5-8-T", "srp") == published("rb", "srp")
    assert published("ms:nil=T-J-Q", "srp") is None


def test_plots_are_the_same_bytes_each_time():
    x = np.arange(5.0)
    one = plots.Series("one", x, x / 10, np.full(5, 0.1))
    marks = [plots.Mark("rb", 51.0, 50.0, 52.0, 51.9), plots.Mark("ms", 60.0, 59.0, 61.0, None)]
    drawings = {
        "lines": lambda: plots.lines([one], "x", "y"),
        "forest": lambda: plots.forest(marks),
    }
    for draw in drawings.values():
        svg = draw()
        assert svg == draw()
        assert ElementTree.fromstring(svg).tag.endswith("svg")
        assert b"dc:date" not in svg


@pytest.mark.compiled
def test_a_match_is_played_once_for_the_same_question(report, monkeypatch, tmp_path):
    asked = []
    real = run_match

    def counted(*args, **kwargs):
        asked.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(setup, "run_match", counted)
    keeping = replace(report, pairs=2, played=tmp_path / "played")
    first = keeping.play(keeping.match("rb", "ms", "wrp"))
    assert keeping.play(keeping.match("rb", "ms", "wrp")) == first
    assert len(asked) == 1
    keeping.play(keeping.match("rb", "ms", "wrp", seed=2))
    more = replace(keeping, pairs=3)
    more.play(more.match("rb", "ms", "wrp"))
    assert len(asked) == 3
    again = replace(report, pairs=2)
    again.play(again.match("rb", "ms", "wrp"))  # without a folder, nothing is reused
    assert len(asked) == 4


def test_one_chunk_takes_the_time_of_one_core_whatever_the_jobs(report):
    for pairs, cores in ((10, 1), (11, 2), (500, 4)):
        match = report.match("bis", "bis", ("search:deals=16", "srp"), pairs=pairs)
        found = replace(result_of(match), seconds=2.6)
        assert ms_a_card(replace(report, jobs=4), match, found) == f"{0.1 * cores:.2g}"  # two seats, 13 tricks
    plain = report.match("bis", "bis")
    assert ms_a_card(report, plain, result_of(plain)) is None

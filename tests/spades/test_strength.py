"""Measured win rates: the file and the page agree, and a file that can't be used is named."""

import json
import re

import pytest

from arena.agents import parse_player_agent
from spades.errors import ResultsError
from spades.policies import BEST_DECIDERS
from spades.strength import (
    RESULTS,
    pairs_to_measure,
    read_results,
    results_text,
    strength_of,
    win_rates_of,
)
from spades.tableset import DEFAULT_DIRECTORY, open_tables

KEPT = DEFAULT_DIRECTORY.parents[1] / "docs" / "strength.json"
PLAYER = parse_player_agent("srp").version()
RATE = r"([\d.]+) \[([\d.]+), ([\d.]+)\]"


def rates_of_page():
    """By pair: win rate, interval and duplicate pairs, among the kept figures of the page."""
    records, found = json.loads(KEPT.read_text()), {}
    for section in ("opponents", "winprob"):
        for name, figures in records[section]["figures"].items():
            if re.fullmatch(r"\S+ v \S+", name):
                found[tuple(name.split(" v "))] = figures["wins"], figures["pairs"]
    return found


def test_file_and_page_agree():
    page, results = rates_of_page(), read_results()
    assert list(results) == pairs_to_measure()
    for pair, row in results.items():
        if row.a in ("bis", "bis:tuned", "winprob"):  # the page shows no others
            assert ([row.win_percent, *row.interval_percent], row.pairs) == page[pair]
        assert row.interval_percent[0] <= row.win_percent <= row.interval_percent[1]
        assert (row.rules, row.players) == ({"win": 200, "lose": -100}, [PLAYER, PLAYER])


def test_the_win_rates_are_those_of_the_shipped_tables():
    assert {row.tables for row in read_results().values()} == {open_tables().version}


def test_round_trip(tmp_path):
    path = tmp_path / "strength.json"
    path.write_text(results_text(read_results().values()))
    assert read_results(path) == read_results()
    assert path.read_text() == RESULTS.read_text()


def test_sentences():
    results = read_results()
    suffix = re.escape(f"{PLAYER}, goals 200/-100; docs/strength.md)")
    assert re.fullmatch(rf"bis wins {RATE} % of games against it \({suffix}", strength_of("io", results))
    won = strength_of("bis:tuned", results)
    assert re.fullmatch(
        rf"wins {RATE} against rb, {RATE} against ms, {RATE} against io \(% of games, 95% interval; {suffix}", won
    )
    assert strength_of("fixed", results) == "not measured"


def test_a_win_rate_from_the_other_side():
    results = read_results()
    row = results["bis", "io"]._replace(win_percent=74.1, interval_percent=[73.5, 74.6])
    (told,) = win_rates_of("io", {**results, ("bis", "io"): row})
    assert (told.a, told.b, told.win_percent, told.interval_percent) == ("io", "bis", 25.9, [25.4, 26.5])
    assert [row.b for row in win_rates_of("bis", results)] == ["rb", "ms", "io"]


def test_best_is_the_strongest():
    """The first decider wins against all others, and least against the second."""
    first, second = BEST_DECIDERS
    rates = {row.b: row for row in win_rates_of(first, read_results())}
    assert all(row.interval_percent[0] > 50 for row in rates.values())
    assert min(rates, key=lambda name: rates[name].win_percent) == second


def test_a_missing_win_rate():
    results = {pair: row for pair, row in read_results().items() if pair != ("bis", "ms")}
    with pytest.raises(ResultsError, match=r"found no win rate of bis against ms in strength\.json; make it"):
        strength_of("ms", results)


def test_win_rates_under_different_conditions():
    results = dict(read_results())
    results["bis", "ms"] = results["bis", "ms"]._replace(rules={})
    found = f"found win rates of bis under different conditions: {PLAYER}, goals 200/-100;"
    with pytest.raises(ResultsError, match=found):
        strength_of("bis", results)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file"),
        ("{", "accepted: a JSON list of objects with the fields a, b, win_percent"),
        ("3", "not iterable"),
        ("[3]", "must be a mapping"),
        ('[{"a": "bis"}]', "missing"),
        ('[{"c": "bis"}]', "unexpected keyword argument 'c'"),
    ],
)
def test_a_file_that_can_not_be_used(tmp_path, content, message):
    path = tmp_path / "strength.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ResultsError, match=message) as refused:
        read_results(path)
    assert str(path) in str(refused.value)

"""The summary repeats what the sections measure: from the matches of a run, and from the results file."""

from dataclasses import fields
from typing import Any

import pytest

from arena.agents import player_version
from arena.result import MatchResult
from report import __main__, conventions, report_command, setup, summary
from spades.rules import describe
from spades.strength import Measured, read_rows
from spades.tableset import open_tables

COMMITTED = report_command.PAGE.with_suffix(".json")
MARKERS = "<!-- figures: summary -->\n<!-- end -->\n<!-- figures: opponents -->\n<!-- end -->\n"


def result_of(match, *_):
    """A match's result without playing it; side a wins 60%."""
    values: dict[str, Any] = {field.name: None for field in fields(MatchResult)} | {
        "a": match.a,
        "b": match.b,
        "players": [player_version(player) for player in match.players],
        "rules": describe(match.rules),
        "seed": match.seed,
        "win_rate": 0.6,
        "ci95": [0.59, 0.61],
        "pairs": match.pairs,
        "points_per_round": [50.0, 40.0],
        "points_difference": 10.0,
        "rounds": 1_000,
        "seconds": 2.0,
        "nil_rate": [None, None],
        "nil_success": [None, None],
        "set_rate": [None, None],
        "bids": [],
        "tables": {"version": "2000.1.1+0"},
    }
    return MatchResult(**values)


@pytest.fixture
def unplayed(monkeypatch):
    """Sections return at once, and `asked` holds the matches that they would play."""
    asked = []

    def answer(match, *rest):
        asked.append(match)
        return result_of(match)

    monkeypatch.setattr(setup, "run_match", answer)
    monkeypatch.setattr(conventions, "play", lambda *_: None)
    monkeypatch.setattr(conventions, "describe_match", result_of)
    monkeypatch.setattr(conventions, "behind", lambda _: "")
    return asked


@pytest.mark.parametrize("section", summary.SOURCES)
def test_the_section_of_a_row_plays_its_matches(section, unplayed, tmp_path):
    report = setup.Setup(open_tables(), 10, 1, 1, tmp_path)
    report_command.SECTIONS[summary.SOURCES[section][1]](report)
    rows = [row for row in summary.ROWS if row.section == section]
    assert rows
    assert {pairing for row in rows for pairing in row.matches} <= set(report.seen)


def test_a_run_with_some_sections_keeps_the_results_of_the_others(unplayed, tmp_path):
    page, results = tmp_path / "page.md", tmp_path / "page.json"
    page.write_text(MARKERS)
    results.write_bytes(COMMITTED.read_bytes())
    arguments = ["--page", str(page), "--fresh", "--only", "opponents", "--pairs", "20"]
    assert __main__.main(arguments) == 0
    assert not any(match.a == "winprob" for match in unplayed)
    text = page.read_text()
    assert "| `bis` | `ms` | 60.0 [59.0, 61.0] | 67.7 |" in text
    before, after = read_rows(COMMITTED), read_rows(results)
    assert [(row.a, row.b, row.rules) for row in after] == [(row.a, row.b, row.rules) for row in before]
    bidders = [(row.a, row.b, row.tables, row.pairs) for row in after[:5]]
    assert bidders[0] == ("bis", "rb", "2000.1.1+0", 20)
    assert {(tables, pairs) for _, _, tables, pairs in bidders} == {("2000.1.1+0", 20)}
    assert after[5:] == before[5:]
    assert all(f"| {row} |" in text for row in (before[5], before[6]))
    assert "2000.1.1+0 (bidders)" in text

    played = len(unplayed)
    assert __main__.main([*arguments[:4], "summary"]) == 0  # from the file alone
    assert len(unplayed) == played
    assert page.read_text() == text


def test_a_row_without_a_result_says_so(tmp_path):
    report = setup.Setup(open_tables(), 10, 1, 1, tmp_path, results=tmp_path / "page.json")
    text = summary.summary(report)
    assert text.startswith("Tables: not measured. Card players: not measured.")
    assert text.count("| not measured") == len(summary.ROWS)
    assert read_rows(tmp_path / "page.json") == []


def test_a_results_file_that_can_not_be_read_is_named(tmp_path, capsys):
    page, path = tmp_path / "page.md", tmp_path / "page.json"
    page.write_text(MARKERS)
    path.write_text("{")
    assert __main__.main(["--page", str(page), "--only", "summary"]) == 1
    assert f"{path}: found" in capsys.readouterr().err
    assert page.read_text() == MARKERS


def test_the_committed_summary_is_made_from_the_committed_results(tmp_path):
    copy = tmp_path / COMMITTED.name
    copy.write_bytes(COMMITTED.read_bytes())
    text = summary.summary(setup.Setup(open_tables(), 10, 1, 1, tmp_path, results=copy))
    assert summary.NOT_MEASURED not in text
    assert f"<!-- figures: summary -->\n{text}\n<!-- end -->" in report_command.PAGE.read_text()
    assert copy.read_bytes() == COMMITTED.read_bytes()


def test_other_versions_come_with_their_sections():
    found = {
        pairing: Measured(
            "", "", 60.0, [59.0, 61.0], 10, 1, ["srp@1"] * 2, {}, "new" if row.section == "levels" else "old", ""
        )
        for row in summary.ROWS
        for pairing in row.matches
    }
    assert summary.conditions(found) == "Tables: old; new (levels). Card players: srp@1."

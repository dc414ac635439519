"""The file of win rates: each pair of the catalogue is played, and the service reads what is written."""

import json
import shutil
from dataclasses import replace

from report import __main__ as report_command
from report import setup
from report.page import digests, read_records
from report.setup import Setup
from spades.strength import RESULTS, pairs_to_measure, read_results, results_text
from spades.winprob import ERRORS_FILE
from tests.conftest import committed_tables
from tests.report.made_up import result_of


def test_the_command_writes_what_the_service_reads(monkeypatch, tmp_path):
    def play(match, *_):
        return replace(result_of(match), win_rate=0.5149, ci95=[0.5, 0.5251])

    monkeypatch.setattr(setup, "run_match", play)
    report = Setup(committed_tables(), 20, 7, 1, tmp_path / "img")
    rows = report_command.catalogue_results(report)
    (tmp_path / "strength.json").write_text(results_text(rows))
    found = read_results(tmp_path / "strength.json")
    assert list(found) == pairs_to_measure()
    row = found["bis:tuned", "io"]
    assert (str(row), row.pairs, row.seed) == ("51.5 [50.0, 52.5]", 20, 7)
    assert (row.rules, row.tables) == ({"win": 200, "lose": -100}, "2000.1.1+0")
    assert found["winprob", "bis"].pairs == 200  # as in its section of the page


def test_files_of_the_service_are_written_only_with_the_pages_of_docs(monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "run_match", result_of)
    before = RESULTS.read_bytes()
    for name in report_command.SECTIONS:
        shutil.copy(report_command.DOCS / f"{name}.json", tmp_path)
    assert report_command.main(["--out", str(tmp_path), "--measure", "results", "--pairs", "20", "--fresh"]) == 0
    assert read_results(tmp_path / "results.json")["bis", "rb"].pairs == 20
    assert RESULTS.read_bytes() == before
    for name in report_command.SECTIONS:
        assert (tmp_path / f"{name}.json").read_bytes() == (report_command.DOCS / f"{name}.json").read_bytes()


def test_the_service_states_the_kept_errors_of_win_tables():
    record = read_records(report_command.DOCS / "strength.json")[report_command.ERRORS]
    assert json.loads(ERRORS_FILE.read_text()) == record.figures["nearest_tables"]["by_field"]
    now = digests(committed_tables().manifest)
    assert record.arrays == {name: now[name] for name in record.arrays}, "measure them again on the shipped tables"


def test_no_section_has_the_name_of_what_is_measured_besides():
    names = [name for sections in report_command.SECTIONS.values() for name in sections]
    assert len(set(names)) == len(names)
    assert not {report_command.ALL, report_command.SERVED} & set(names)
    assert report_command.ERRORS in names


def test_numbers_that_can_not_be_used(capsys):
    assert report_command.main(["--pairs", "0"]) == 1
    assert "--pairs, --uct-pairs and --jobs are 0, 500 and " in capsys.readouterr().err

"""The file of win rates: each pair of the catalogue is played, and the service reads what is written."""

from types import SimpleNamespace

from report import __main__, report_command
from report.setup import PAPER, Setup
from spades.rules import describe
from spades.strength import pairs_to_measure, read_results, results_text


def played(self, a, b, *, pairs):
    return SimpleNamespace(
        a=a,
        b=b,
        win_rate=0.5149,
        ci95=[0.5, 0.5251],
        pairs=pairs,
        seed=self.seed,
        players=["srp@3", "srp@3"],
        rules=describe(PAPER),
        tables={"version": "2000.1.1+0"},
    )


def test_the_command_writes_what_the_service_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(Setup, "match", played)
    page, path = tmp_path / "page.md", tmp_path / "strength.json"
    page.write_text("<!-- figures: shape -->\nkept\n<!-- end -->\n")
    arguments = ["--page", str(page), "--results", str(path), "--only", "results", "--pairs", "20"]
    assert __main__.main([*arguments, "--seed", "7"]) == 0
    found = read_results(path)
    assert list(found) == pairs_to_measure()
    assert results_text(found.values()) == path.read_text()
    row = found["bis:tuned", "io"]
    assert (str(row), row.pairs, row.seed) == ("51.5 [50.0, 52.5]", 20, 7)
    assert (row.rules, row.tables) == ({"win": 200, "lose": -100}, "2000.1.1+0")
    assert found["winprob", "bis"].pairs == 200  # as in its section of the page
    assert page.read_text() == "<!-- figures: shape -->\nkept\n<!-- end -->\n"


def test_no_section_has_its_name():
    assert "results" not in report_command.SECTIONS

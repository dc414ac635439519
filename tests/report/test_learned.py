"""The page about learned players."""

import pytest

from arena.players.q_names import NETS, REPORT_REWARDS, REWARDS
from report import learned
from report.setup import Setup
from tables.learning.q1_training import PLAYERS
from tests.conftest import committed_tables

pytestmark = pytest.mark.compiled


@pytest.fixture
def report(tmp_path):
    return Setup(committed_tables(), 10, 1, 2, tmp_path / "img")


def test_errors_and_curves_come_from_the_history(report):
    nets = [row[0] for row in learned.learned_errors(report)["rows"]]
    assert nets.count("linear") == nets.count("conv") == 8
    learned.learned_score(report)
    learned.learned_loss(report)
    for name, rewards in (("learned-score", REWARDS), ("learned-loss", REPORT_REWARDS)):
        svg = (report.images / f"{name}.svg").read_text()
        assert [f"{net}, {reward}" in svg for net in NETS for reward in REWARDS] == [
            reward in rewards for net in NETS for reward in REWARDS
        ]
    assert "rb with wrp" in (report.images / "learned-score.svg").read_text()


def test_matches_of_the_nets(report, monkeypatch):
    monkeypatch.setattr(learned, "PLAYERS", PLAYERS[3:5])
    monkeypatch.setattr(learned, "HANDS", 50)
    rows = learned.learned_published(report)["rows"]
    assert [row[:2] for row in rows] == [("linear", "return"), ("conv", "tricks")]


def test_the_figures_of_the_report_are_beside_ours(report, monkeypatch):
    monkeypatch.setattr(learned, "tricks_a_round", lambda result: 3.5 if "random" in result.players else 3.25)
    assert learned.learned_beside_report(report)["rows"] == [
        ("tricks in a round, against random cards", "3.5", "3.50", "3.50"),
        ("tricks in a round, against `wrp`", "-", "3.25", "3.25"),
        ("tricks more than random cards, %", "roughly 20", "+17", "+17"),  # 3.5 of 6.5, 3 of 6.5
        ("tricks more than `wrp`, %", "-", "+0", "+0"),
    ]


def test_tricks_of_a_side(report):
    """Two players of a side take half of the tricks on average, if both sides are alike."""
    result = report.play(report.match("bis", "bis", ("srp", "srp"), pairs=40))
    assert learned.tricks_a_round(result) == pytest.approx(3.25, abs=0.1)

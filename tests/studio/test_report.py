"""The report that judges a table set on a log."""

import json

import numpy as np
import pytest
from scipy.special import xlogy

from arena.chunks import LocalThreads
from arena.engine.simulate import kernel_tables
from arena.match import Match
from spades.position import auction_after
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from studio import report as report_command
from studio.__main__ import main
from studio.beside_people import change
from studio.columns import frame_of
from studio.fit.counting import no_counts
from studio.fit.fit_command import write
from studio.fit.fitting import Fitted
from studio.report import Stated, bins, changes, gain, judged, most_common, nils, nils_by_auction
from tests.studio.test_fit import counted, profiles, records  # noqa: F401  # fixtures
from tests.studio.test_logs import changed

pytestmark = pytest.mark.compiled


def cells(*rows):
    return Stated(*np.array(rows, float).T)


def test_figures_by_hand():
    found = judged(cells((0.8, 10, 7), (0.25, 4, 1)))
    assert found.n == 14
    assert found.stated == pytest.approx((8 + 1) / 14)
    assert found.observed == pytest.approx(8 / 14)
    lost = -(xlogy(7, 0.8) + xlogy(3, 0.2) + xlogy(1, 0.25) + xlogy(3, 0.75)) / 14
    assert found.log_loss == pytest.approx(lost)
    assert found.brier == pytest.approx((7 * 0.04 + 3 * 0.64 + 0.5625 + 3 * 0.0625) / 14)
    assert found.calibration_error == pytest.approx((10 * 0.1 + 4 * 0) / 14)
    assert [(one.n, one.observed) for one in bins(cells((1.0, 3, 3), (0.95, 1, 0), (0.0, 2, 0)))] == [(2, 0), (4, 0.75)]


@pytest.mark.parametrize("stated", [0.03, 0.5, 0.98])
@pytest.mark.parametrize(("n", "happened"), [(1, 0), (1, 1), (7, 0), (7, 7), (7, 6), (3000, 0), (3000, 3000), (49, 49)])
def test_intervals_are_drawn_between_0_and_1(stated, n, happened):
    some = cells((stated, n, happened))
    (bin_of,) = bins(some)
    line = report_command.observed("fitted", some)
    assert line.error is not None
    (below,), (above,) = line.error
    assert 0 <= bin_of.low == pytest.approx(line.y[0] - below)
    assert 1 >= bin_of.high == pytest.approx(line.y[0] + above)
    assert 0 <= below <= line.y[0]
    assert 0 <= above <= 1 - line.y[0]
    assert report_command.plot("nils", (some, some)).startswith(b"<?xml")


def test_a_gain_and_its_interval():
    before, after = cells((0.5, 400, 300)), cells((0.75, 400, 300))
    found = gain(before, after)
    assert found.mean == pytest.approx(judged(before).log_loss - judged(after).log_loss)
    assert 0 < found.low < found.mean < found.high
    # three of four cases gain log 1.5, and the others log 0.5: a standard deviation of log 3 * sqrt(3 / 16)
    half = 1.959964 * np.log(3) * np.sqrt(3 / 16) / np.sqrt(400)
    assert (found.mean - found.low, found.high - found.mean) == pytest.approx((half, half), rel=1e-6)
    few = gain(cells((0.5, 4, 3)), cells((0.75, 4, 3)))
    assert few.low < 0
    assert gain(before, before) == (0, 0, 0)


def test_nils_by_auction():
    counts = no_counts()
    counts.nils[0, auction_after((0, 4)).sequence, 50] = (8, 6)
    counts.nils[1, auction_after(()).sequence, 20] = (2, 1)
    found = dict(nils_by_auction(nils(open_tables().arrays, "", counts)))
    assert {name: (one.n.sum(), one.made.sum()) for name, one in found.items()} == {
        "seat 0": (2, 1),
        "seat 2": (8, 6),
        "partner bid nil": (8, 6),
        "no opponent bid nil": (8, 6),
    }


def test_bids_that_change(tmp_path, profiles, records):  # noqa: F811
    sample = counted(tmp_path, profiles, records).samples["all"]
    same = changes("bis", profiles, profiles, sample)
    assert same.sum() == np.trace(same) == sample.chosen.sum()
    arrays = dict(open_tables().arrays)
    arrays["curves"] = np.zeros_like(arrays["curves"])  # no nil is ever made
    other = changes("bis", profiles, kernel_tables(arrays), sample)
    assert other.sum() - np.trace(other) > 10
    assert most_common(other, 1)[0][0] == 0


def test_the_command(tmp_path, capsys, monkeypatch, records):  # noqa: F811
    one, other, out = tmp_path / "one.parquet", tmp_path / "other.parquet", tmp_path / "report"
    frame_of(records[:120]).write_parquet(one)
    frame_of(records[120:]).write_parquet(other)
    assert main(["fit", str(one), "--out", str(tmp_path / "sets")]) == 0
    capsys.readouterr()
    (fitted,) = (tmp_path / "sets").iterdir()
    arguments = ["--tables", str(fitted), "--by", "policy"]

    def interrupted(folder, out):
        assert (folder / "report.md").exists()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(report_command, "move_content", interrupted)
        assert main(["report", str(other), "--out", str(out), *arguments]) == 130
    assert not out.exists()
    assert main(["report", str(other), "--out", str(out), *arguments]) == 0
    assert not list(tmp_path.glob("*.unfinished"))
    text = capsys.readouterr().out
    assert "**Too few nils**: the log has" in text
    assert "Not held out" not in text
    assert "| policy=rb: nils |" in text
    assert text == (out / "report.md").read_text()
    assert "<table>" in (out / "report.html").read_text()
    assert (out / "win-chances.svg").read_bytes().startswith(b"<?xml")
    figures = json.loads((out / "report.json").read_text())
    assert figures["stated"]["nils"][0]["n"] == sum(bid == 0 for record in records[120:] for bid in record["bids"])
    assert main(["report", str(one), "--out", str(tmp_path / "again"), *arguments]) == 0
    assert "**Not held out**: the tables were fitted to rounds of this log" in capsys.readouterr().out
    assert main(["report", str(one), "--out", str(out), *arguments]) == 1
    assert f"--out is {out}; accepted: a new or an empty folder" in capsys.readouterr().err
    frame_of([changed(record, scores=None) for record in records]).write_parquet(one)
    assert main(["report", str(one), "--out", str(tmp_path / "games"), *arguments, "--people", "random"]) == 1
    assert "found none; accepted: a log that has some, or a report without --people" in capsys.readouterr().err
    assert main(["report", str(one), "--out", str(tmp_path / "games"), *arguments]) == 0


# ---- games --------------------------------------------------------------------------------------------------------


def test_the_same_tables_win_the_same_games(tmp_path):
    match = Match("bis", "rb", pairs=40, seed=5)
    found = change("bis", match, DEFAULT_DIRECTORY, tmp_path, LocalThreads(1))
    assert found.shipped == found.fitted
    assert found.gain == (0, 0, 0)
    assert len(list(tmp_path.iterdir())) == 2  # kept for an interrupted report


def test_a_difference_is_that_of_the_same_deals(tmp_path):
    """Tables that say that no nil is ever made lose games; both rates and their difference show it."""
    arrays = open_tables().arrays
    never = Fitted(np.zeros(arrays["curves"].shape), 1, 1.0, 0.0, 0.0)
    write(tmp_path / "set", {"curves": never}, {})
    match, work = Match("bis", "bis", pairs=400, seed=5), tmp_path / "work"
    found = change("bis", match, tmp_path / "set", work, LocalThreads(2))
    assert found.shipped.rate == pytest.approx(0.5, abs=1e-9)
    assert found.gain.mean == pytest.approx(100 * (found.fitted.rate - found.shipped.rate), abs=1e-6)
    assert found.gain.low < found.gain.mean < found.gain.high < 0

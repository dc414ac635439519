"""`python -m tests.bench.big_log` in small, and `studio fit`: the same bytes in one process, in several and on Dask."""

import json

import pytest

from studio.__main__ import main as studio
from tests.bench import big_log

pytestmark = [pytest.mark.compiled, pytest.mark.slow]


@pytest.fixture
def small_files(monkeypatch):
    monkeypatch.setattr(big_log, "PIECE_ROWS", 2_000)
    monkeypatch.setattr(big_log, "ROW_GROUP", 1_000)
    monkeypatch.setattr(big_log, "WRONG", 100)


@pytest.mark.long
def test_the_counts_are_the_same_everywhere(tmp_path, capsys, small_files):
    folder, ways = tmp_path / "log", "one,four,dask"
    options = ["--rounds", "5000", "--different", "500", "--ways", ways, "--keep"]
    assert big_log.main(["--folder", str(folder), *options]) == 0
    out = capsys.readouterr().out
    assert "5,000 rounds, 500 of them played: " in out
    assert "The outputs are the same, byte for byte." in out
    assert all(out.count(f"| {big_log.WAYS[way]}") == 2 for way in ways.split(","))
    found = json.loads((folder / "dask/check.json").read_text())
    assert (found["good"], found["faults"]) == (5_000, {"round-twice": big_log.WRONG, "tricks": big_log.WRONG})
    assert len((folder / "one/bad.jsonl").read_text().splitlines()) == 2 * big_log.WRONG
    (folder / "dask/counts.npz").write_bytes(b"")
    assert not big_log.same_outputs(folder, ["one", "dask"])


@pytest.mark.long
def test_a_fit_is_the_same_everywhere(tmp_path, small_files):
    files = [str(path) for path in big_log.make(tmp_path / "log", 9_000, 1_000)[1:]]
    with big_log.cluster(tmp_path) as (address, _):
        options = {"one": ["--jobs", "1"], "two": ["--jobs", "2"], "dask": ["--scheduler", address]}
        for way in options:
            assert studio(["fit", *files, "--out", str(tmp_path / way), *options[way]]) == 0
    names = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").glob("*/**/*") if path.is_file())
    assert "manifest.json" in {path.name for path in names}
    for name in names:
        content = (tmp_path / "one" / name).read_bytes()
        assert all((tmp_path / way / name).read_bytes() == content for way in options), name


def test_wrong_options(tmp_path, capsys):
    new = str(tmp_path / "new")
    for options in (
        ["--folder", str(tmp_path)],
        ["--folder", new, "--ways", "all"],
        ["--folder", new, "--rounds", "0"],
    ):
        with pytest.raises(SystemExit):
            big_log.main(options)
        assert "accepted" in capsys.readouterr().err

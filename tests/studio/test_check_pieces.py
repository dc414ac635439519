"""`studio check` in pieces: the same output whatever the pieces and the processes, also after an interruption."""

import json

import polars
import pytest

from arena.chunks import LocalThreads
from studio import pieces
from studio.__main__ import main
from studio.check import Wanted, check_log
from studio.columns import frame_of
from tests.arena.conftest import Interrupting
from tests.studio.test_logs import changed, games, spoiled
from tests.studio.test_production_log import decision, result

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def records():
    return games(n=40)


@pytest.fixture
def files(tmp_path, records):
    """Text and Parquet with faults, rounds that come twice, decisions, and a file that cannot be read."""
    text, parquet, broken = (tmp_path / name for name in ("one.jsonl", "two.parquet", "three.jsonl.gz"))
    made = [{**record, "email": "a@example.com"} for record in records[:80]]
    made[7:7] = [decision(), changed(records[79], bids=[1])]
    made += [result(bids=[3, 3, 2, 2], tricks=[3, 4, 3, 3]), decision(seat=1), records[3]]
    text.write_text("".join(json.dumps(record) + "\n" for record in made))
    frame_of([*spoiled(records), *records[60:100]]).write_parquet(parquet)
    broken.write_bytes(b"no gzip")
    return [str(path) for path in (text, parquet, broken)]


def output(capsys, tmp_path, name, files, *options):
    """The summary, the bytes of the records with a fault, and the records without one."""
    bad, out = tmp_path / f"{name}.jsonl", tmp_path / name
    status = main(["check", *files, "--json", "--bad", str(bad), "--out", str(out), *options])
    good = polars.concat(map(polars.read_parquet, sorted(out.iterdir())))
    assert {path.name for path in tmp_path.iterdir()} >= {name, bad.name}
    assert not list(tmp_path.glob("*.unfinished"))
    return status, json.loads(capsys.readouterr().out), bad.read_bytes(), good


def test_the_output_is_the_same_whatever_the_pieces(capsys, tmp_path, files, monkeypatch):
    status, summary, bad, good = output(capsys, tmp_path, "whole", files, "--jobs", "1")
    assert status == 2
    assert (summary["joined"]["decisions"], summary["joined"]["results"]) == (2, 1)
    assert summary["faults"]["round-twice"] > 20
    assert summary["dropped_fields"] == {"email": 80}
    assert len(summary["unreadable"]) == 1
    assert len(good) == summary["good"] == len(good.unique(["game", "round"]))
    assert bad.count(b"\n") == summary["bad"]
    monkeypatch.setattr(pieces, "PIECE_BYTES", 20_000)
    monkeypatch.setattr(pieces, "PIECE_ROWS", 30)
    monkeypatch.setattr(pieces, "MOST_KEYS", 50)
    for name, jobs in (("parts", "1"), ("processes", "2")):
        other = output(capsys, tmp_path, name, files, "--jobs", jobs)
        assert other[:3] == (status, summary, bad)
        assert good.equals(other[3])


def contents(part):
    return {name: array.tobytes() for name, array in part.items()}


def test_an_interrupted_check_continues(capsys, tmp_path, files, monkeypatch):
    class Noted(LocalThreads):
        def map(self, fn, indices):
            asked.append(list(indices))
            return super().map(fn, asked[-1])

    asked: list[list[int]] = []
    monkeypatch.setattr(pieces, "PIECE_ROWS", 30)
    paths = [tmp_path / name for name in ("one.jsonl", "two.parquet")]
    with pytest.raises(KeyboardInterrupt), check_log(paths, Wanted(True, True), tmp_path / "work", Interrupting(2)):
        pass
    with check_log(paths, Wanted(True, True), tmp_path / "work", Noted(1)) as found:
        assert asked[0] == list(range(2, len(pieces.pieces_of(paths))))
        with check_log(paths, Wanted(True, True), tmp_path / "new", LocalThreads(1)) as new:
            assert list(map(contents, found)) == list(map(contents, new))
        options = ["--bad", str(tmp_path / "bad.jsonl"), "--out", str(tmp_path / "good")]
        assert main(["check", *map(str, paths), *options, "--work", str(tmp_path / "work")]) == 1
    assert "another run works here; wait until it ends" in capsys.readouterr().err


def test_an_interrupted_check_of_the_files_in_another_order(tmp_path, records):
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path, own in zip(paths, (records[:10], records[10:30]), strict=True):
        path.write_text("".join(json.dumps(record) + "\n" for record in own))
    with pytest.raises(KeyboardInterrupt), check_log(paths, Wanted(True, True), tmp_path / "work", Interrupting(1)):
        pass
    with check_log(paths[::-1], Wanted(True, True), tmp_path / "work", LocalThreads(1)) as found:
        assert [json.loads(contents(part)["head"])["summary"]["good"] for part in found] == [20, 10]


def test_the_folder_of_the_pieces_keeps_other_files(tmp_path, files):
    work = tmp_path / "work"
    work.mkdir()
    (work / "own.txt").write_text("")
    assert main(["check", *files, "--work", str(work / "own.txt")]) == 1
    assert main(["check", *files, "--work", str(work), "--jobs", "1"]) == 2
    assert [path.name for path in work.iterdir()] == ["own.txt"]


def test_the_folder_of_the_rounds_may_be_this_one(capsys, tmp_path, files, monkeypatch):
    (tmp_path / "good").mkdir()
    monkeypatch.chdir(tmp_path / "good")
    for option, path in (("bad", "wrong.jsonl"), ("work", "work")):
        assert main(["check", *files, "--out", ".", f"--{option}", path]) == 1
        assert f"--{option} is {path}, in --out; accepted: a path outside ." in capsys.readouterr().err
    assert main(["check", *files, "--out", ".", "--jobs", "1"]) == 2
    assert polars.read_parquet("*.parquet").height > 50
    assert main(["fit", files[0], "--out", "/"]) == 1
    assert "--out is /; accepted: a folder in another folder" in capsys.readouterr().err
    assert main(["fit", files[0], "--out", f"{files[0]}/sets"]) == 1
    assert "Not a directory" in capsys.readouterr().err

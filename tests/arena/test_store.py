"""The store of finished chunks: names, locks, interruptions and damaged files."""

import fcntl
import json
import os

import numpy as np
import pytest

from arena.chunks import LocalThreads
from arena.errors import BuildError
from arena.store import (
    DECIDED_BY,
    KeptChunks,
    finished_chunks,
    joined_chunks,
    kept_json,
    load_chunk,
    stored,
    summed_chunks,
)


class Rows:
    """A function that counts its calls, and is interrupted at one of the indices."""

    def __init__(self, stop_at=None):
        self.stop_at = stop_at
        self.called = []

    def __call__(self, index):
        if index == self.stop_at:
            raise KeyboardInterrupt
        self.called.append(index)
        return {"rows": np.full(2, index), "share": np.array([index / 3])}


def run(folder, fn):
    return finished_chunks(fn, 6, folder, LocalThreads(1), "test", progress=False)


def test_an_interrupted_run_continues(tmp_path):
    with pytest.raises(KeyboardInterrupt), stored(["rows", 1], tmp_path) as folder:
        run(folder, Rows(stop_at=4))
    again = Rows()
    with stored(["rows", 1], tmp_path) as folder:
        paths = run(folder, again)
        assert again.called == [4, 5]
        assert joined_chunks(paths)["rows"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
        assert summed_chunks(paths)["rows"].tolist() == [15, 15]
        assert load_chunk(paths[5], "share").keys() == {"share"}
    assert list(tmp_path.iterdir()) == []


def test_an_executor_that_keeps_its_chunks(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        list(KeptChunks(LocalThreads(1), tmp_path).map(Rows(stop_at=2), range(4)))
    again = Rows()
    found = dict(KeptChunks(LocalThreads(1), tmp_path).map(again, range(4)))
    assert again.called == [2, 3]
    assert [found[index]["rows"].tolist() for index in range(4)] == [[index] * 2 for index in range(4)]


def test_what_decides_the_chunks_names_the_folder(tmp_path):
    decided = [["match", {"seed": 1}], ["match", {"seed": 2}], ["fit", {"seed": 1}]]
    for one in decided:
        with stored(one, tmp_path, remove=False) as folder:
            assert json.loads((folder / DECIDED_BY).read_text()) == one
            run(folder, Rows())
    assert len(list(tmp_path.iterdir())) == len(decided)
    with stored(decided[0], tmp_path, remove=False) as folder:
        assert len(list(folder.glob("*.npz"))) == 6
    with stored(decided[0], tmp_path, again=True, remove=False) as folder:
        assert [path.name for path in folder.iterdir()] == [DECIDED_BY]


def test_two_runs_never_share_a_folder(tmp_path):
    with stored("one", tmp_path) as folder:
        held = os.open(folder, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(held)
        with pytest.raises(BuildError, match="another run works here; wait until it ends"), stored("one", tmp_path):
            pass
        with stored("two", tmp_path):
            pass


def test_damaged_files_are_named(tmp_path):
    paths = run(tmp_path, Rows())
    paths[2].write_bytes(paths[2].read_bytes()[:40])
    for read in (joined_chunks, summed_chunks):
        with pytest.raises(BuildError, match=r"000002\.npz is not a finished chunk: .*; remove the file to compute it"):
            read(paths)
    with pytest.raises(BuildError, match=r"000002\.npz is not a finished chunk"):
        list(KeptChunks(LocalThreads(1), tmp_path).map(Rows(), range(6)))


def test_a_result_is_made_once(tmp_path):
    made = []

    def make():
        made.append(1)
        return {"rate": 0.1}

    path = tmp_path / "result.json"
    assert [kept_json(path, make) for _ in range(2)] == [{"rate": 0.1}] * 2
    assert made == [1]
    path.write_text('{"rate": ')
    with pytest.raises(BuildError, match=r"result\.json is not JSON: .*; remove the file to compute it again"):
        kept_json(path, make)

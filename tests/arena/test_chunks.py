"""Chunks in threads and processes of this machine; tests/arena/test_cluster.py has those on a Dask cluster."""

import os
import threading

import numpy as np
import pytest

from arena.chunks import SMALL_BYTES, Executor, LocalProcesses, LocalThreads
from arena.errors import BuildError

EXECUTORS = [LocalThreads(1), LocalThreads(3), LocalProcesses(1), LocalProcesses(2)]


def named(executor: Executor) -> str:
    return f"{type(executor).__name__}-{executor.jobs}" if isinstance(executor, LocalThreads) else ""


@pytest.mark.parametrize("executor", EXECUTORS, ids=named)
def test_every_chunk_comes_once(executor):
    table = np.random.default_rng(1).random(SMALL_BYTES)  # sent to a process once
    found = list(executor.map(lambda index: {"sum": table[: index + 1].sum()}, range(40)))
    assert sorted(index for index, _ in found) == list(range(40))
    assert all(arrays["sum"] == table[: index + 1].sum() for index, arrays in found)
    assert list(executor.map(lambda index: {}, [])) == []


@pytest.mark.parametrize("executor", EXECUTORS, ids=named)
def test_the_first_error_ends_the_run(executor):
    def fail(index):
        if index == 5:
            raise LookupError("chunk 5")
        return {}

    with pytest.raises(LookupError, match="chunk 5"):
        list(executor.map(fail, range(1000)))


def test_processes_are_others_and_each_reads_the_function_once():
    class Counted:
        """A function that says where it runs, and how often it was read there."""

        def __init__(self):
            self.read = 0

        def __setstate__(self, state):
            self.read = state["read"] + 1

        def __call__(self, index):
            return {"pid": np.array(os.getpid()), "read": np.array(self.read)}

    found = [arrays for _, arrays in LocalProcesses(2).map(Counted(), range(50))]
    assert os.getpid() not in {int(one["pid"]) for one in found}
    assert {int(one["read"]) for one in found} == {1}
    (alone,) = (arrays for _, arrays in LocalProcesses(2).map(Counted(), range(1)))
    assert int(alone["pid"]) == os.getpid()  # a single chunk does not need a process of its own


# When a run is closed early, a thread of loky may look for work that was taken away.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_run_that_is_closed_stops():
    """As when a sequential test has decided."""
    begun, release = [], threading.Event()

    def chunk(index):
        begun.append(index)
        if len(begun) > 4:
            assert release.wait(60)
        return {}

    results = LocalThreads(2).map(chunk, range(1000))
    next(results)
    results.close()
    release.set()
    assert len(begun) < 20
    results = LocalProcesses(2).map(lambda index: {}, range(100_000))
    next(results)
    results.close()


def test_jobs_must_be_positive():
    for executor in (LocalThreads, LocalProcesses):
        with pytest.raises(BuildError, match="jobs is 0; accepted: 1 or more"):
            executor(0)

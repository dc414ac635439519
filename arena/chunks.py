"""Where the numbered chunks of a build, a match or a log are computed: in threads, in processes or on a Dask cluster.

A chunk depends only on its index, and results are combined in the order of the indices. So no result depends on the
executor. `arena.store` keeps finished chunks. joblib runs threads and processes, and `arena.cluster` the Dask cluster
(docs/adr/0082-chunks.md).
"""

import warnings
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, Protocol, TypeAlias
from uuid import uuid4

import cloudpickle
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from arena.errors import BuildError

SMALL_BYTES = 10_000  # a function of at most this size is sent to another process with each of its chunks

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
ChunkFunction: TypeAlias = Callable[[int], Arrays]
Results: TypeAlias = Generator[tuple[int, Arrays], None, None]  # (index, result) as chunks finish, in any order


class Executor(Protocol):
    """Where chunks run: threads, processes or a cluster."""

    def map(self, fn: ChunkFunction, indices: Iterable[int]) -> Results:
        """Run ``fn`` on each index. The first error ends the run.

        Closing the generator cancels the chunks that have not begun.
        """


class LocalThreads:
    """An executor with ``jobs`` threads of this process, for compiled functions, which release Python's global lock."""

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise BuildError(f"jobs is {jobs}; accepted: 1 or more")
        self.jobs = jobs

    def map(self, fn: ChunkFunction, indices: Iterable[int]) -> Results:
        """Run ``fn`` on each index; see `Executor`.

        A single job runs in the calling thread, so that an interruption stops it at once.
        """
        return _results("threading", self.jobs, (delayed(_run)(fn, index) for index in indices))


class LocalProcesses(LocalThreads):
    """An executor with ``jobs`` processes on this machine.

    Use it for chunks in plain Python. In threads they would run one at a time, because of Python's global lock.
    """

    def map(self, fn: ChunkFunction, indices: Iterable[int]) -> Results:
        """Run ``fn`` on each index; see `Executor`. A single job, or a single chunk, runs in this process."""
        todo = list(indices)
        jobs = min(self.jobs, len(todo))
        if jobs < 2:
            return LocalThreads(1).map(fn, todo)
        # joblib writes a large array to a file once, and each process maps the file into its memory.
        payload, run = np.frombuffer(cloudpickle.dumps(fn), np.uint8), uuid4().hex
        return _results("loky", jobs, (delayed(_run_sent)(run, payload, index) for index in todo))


def _results(backend: str, jobs: int, calls: Iterable[Any]) -> Results:
    results = Parallel(jobs, backend=backend, return_as="generator_unordered", max_nbytes=SMALL_BYTES)(calls)
    try:
        for result in results:  # noqa: UP028  # with `yield from`, closing would warn before the filter below
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that chunks are cancelled: closing is for that
            results.close()


def _run(fn: ChunkFunction, index: int) -> tuple[int, Arrays]:
    return index, fn(index)


_sent: dict[str, ChunkFunction] = {}  # in a process of `LocalProcesses`: the function of the last run


def _run_sent(run: str, payload: NDArray[np.uint8], index: int) -> tuple[int, Arrays]:
    if run not in _sent:
        _sent.clear()
        _sent[run] = cloudpickle.loads(payload.data)
    return index, _sent[run](index)

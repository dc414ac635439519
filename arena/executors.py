"""Choose where a command's chunks run: in this process, in other processes, or on the Dask cluster of --scheduler."""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from threading import Event, Thread

import cloudpickle
from tqdm import tqdm

from arena.chunks import Arrays, Executor, LocalThreads
from spades.arguments import integer

JOBS = os.cpu_count() or 1  # the default of every command; no result depends on it
REDRAW_S = 1.0  # seconds between two drawings of a progress bar


class LocalProcesses(LocalThreads):
    """An executor with ``jobs`` processes on this machine.

    Use it for chunks in plain Python. In threads they would run one at a time, because of Python's global lock.
    """

    def map(self, fn: Callable[[int], Arrays], indices: Iterable[int]) -> Iterator[tuple[int, Arrays]]:
        """Run ``fn`` on each index; see `Executor`. A single job, or a single chunk, runs in this process."""
        todo = list(indices)
        if self.jobs == 1 or len(todo) < 2:
            yield from LocalThreads(1).map(fn, todo)
            return
        workers = min(self.jobs, len(todo))
        pool = ProcessPoolExecutor(workers, get_context("spawn"), _set_chunk_function, (cloudpickle.dumps(fn),))
        try:
            futures = {pool.submit(_run_chunk, index): index for index in todo}
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def add_jobs_argument(parser: argparse.ArgumentParser, note: str = "") -> None:
    """Add the option --jobs; ``note``: added to the first part of its help."""
    text = f"number of threads or processes on this machine{note}; default: the number of cores, %(default)s"
    parser.add_argument("--jobs", type=integer, default=JOBS, metavar="N", help=text)


def add_executor_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options --jobs and --scheduler."""
    add_jobs_argument(parser, "; ignored with --scheduler")
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="use this Dask cluster instead of this machine")


@contextmanager
def executor_of(scheduler: str | None, jobs: int, processes: bool = False) -> Iterator[Executor]:
    """Return a context with the executor for the options --scheduler and --jobs, and close it at the end.

    ``scheduler``: address of a Dask scheduler, or None for this machine; ``processes``: on this machine, use processes
    instead of threads. In the context, the times in progress bars go on while a chunk takes minutes. Raises
    `BuildError`.
    """
    with _moving_bars():
        if scheduler is None:
            yield LocalProcesses(jobs) if processes else LocalThreads(jobs)
            return
        from arena.cluster import DaskCluster  # takes half a second, and one machine does not need it

        with DaskCluster(scheduler) as cluster:
            yield cluster


@contextmanager
def _moving_bars() -> Iterator[None]:
    """Draw all progress bars again every `REDRAW_S` seconds, in a thread."""
    ended = Event()

    def redraw() -> None:
        while not ended.wait(REDRAW_S):
            with tqdm.external_write_mode():  # draws the bars again when it ends
                pass

    thread = Thread(target=redraw, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


_chunk_function: list[Callable[[int], Arrays]] = []  # in a process of `LocalProcesses`: the function of its chunks


def _set_chunk_function(payload: bytes) -> None:
    _chunk_function.append(cloudpickle.loads(payload))


def _run_chunk(index: int) -> Arrays:
    return _chunk_function[0](index)

"""Choose where a command's chunks run: in this process, in other processes, or on the Dask cluster of --scheduler."""

import argparse
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread

from tqdm import tqdm

from arena.chunks import Executor, LocalProcesses, LocalThreads
from spades.arguments import integer

JOBS = os.cpu_count() or 1  # the default of every command; no result depends on it
REDRAW_S = 1.0  # seconds between two drawings of a progress bar


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
    instead of threads. In the context, the times in progress bars go on while a chunk takes minutes, and SIGTERM
    interrupts like Ctrl-C. Raises `BuildError`.
    """
    with _moving_bars(), _terminable():
        if scheduler is None:
            yield LocalProcesses(jobs) if processes else LocalThreads(jobs)
            return
        from arena.cluster import DaskCluster  # takes half a second, and one machine does not need it

        with DaskCluster(scheduler) as cluster:
            yield cluster


@contextmanager
def _terminable() -> Iterator[None]:
    """Raise `KeyboardInterrupt` on SIGTERM, which by default would leave other processes behind."""
    if current_thread() is not main_thread():  # only the main thread can set what a signal does
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


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

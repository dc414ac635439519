"""Where a command's chunks run: threads of this process, or a Dask cluster that --scheduler names."""

from collections.abc import Iterator
from contextlib import contextmanager

from tables.run.family import Executor, LocalThreads


@contextmanager
def executor_of(scheduler: str | None, jobs: int) -> Iterator[Executor]:
    """The executor of the two options, closed at the end; raises `BuildError` for what can't be used."""
    if scheduler is None:
        yield LocalThreads(jobs)
        return
    from tables.run.cluster import DaskCluster  # half a second to import, and not needed to play on one machine

    with DaskCluster(scheduler) as cluster:
        yield cluster

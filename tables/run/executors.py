"""Choose where a command's chunks run: in threads of this process, or on the Dask cluster that --scheduler names."""

from collections.abc import Iterator
from contextlib import contextmanager

from tables.run.family import Executor, LocalThreads


@contextmanager
def executor_of(scheduler: str | None, jobs: int) -> Iterator[Executor]:
    """Return a context with the executor for the two options; it is closed at the end. Raises `BuildError`."""
    if scheduler is None:
        yield LocalThreads(jobs)
        return
    from tables.run.cluster import DaskCluster  # takes half a second, and one machine does not need it

    with DaskCluster(scheduler) as cluster:
        yield cluster

"""`Executor`: where the numbered chunks of a build, a match or a log are computed; and files of finished chunks.

A chunk depends only on its index. So no result depends on the executor, and a run that was interrupted continues with
the chunks that are missing.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from arena.errors import BuildError

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


class Executor(Protocol):
    """Where chunks run: threads, processes or a cluster. Results may come in any order, each with its index."""

    def map(self, fn: Callable[[int], Arrays], indices: Iterable[int]) -> Iterator[tuple[int, Arrays]]:
        """Run ``fn`` on each index and yield (index, result) as chunks finish. The first error ends the run."""


class LocalThreads:
    """An executor with ``jobs`` threads of this process, for compiled functions, which release Python's global lock."""

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise BuildError(f"jobs is {jobs}; accepted: 1 or more")
        self.jobs = jobs

    def map(self, fn: Callable[[int], Arrays], indices: Iterable[int]) -> Iterator[tuple[int, Arrays]]:
        """Run ``fn`` on each index; see `Executor`.

        A single job runs in the calling thread, so that an interruption stops it at once.
        """
        if self.jobs == 1:
            for index in indices:
                yield index, fn(index)
            return
        pool = ThreadPoolExecutor(self.jobs)
        try:
            futures = {pool.submit(fn, index): index for index in indices}
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def finished_chunks(
    fn: Callable[[int], Arrays], n_chunks: int, folder: Path, executor: Executor, label: str, progress: bool
) -> list[Path]:
    """Return the files of chunks 0 to ``n_chunks - 1`` in ``folder``, after computing those that are missing."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{index:06d}.npz" for index in range(n_chunks)]
    missing = [index for index, path in enumerate(paths) if not path.exists()]
    bar = tqdm(
        total=n_chunks,
        initial=n_chunks - len(missing),
        desc=label,
        unit="chunk",
        disable=None if progress else True,  # None: show the bar only on a terminal
    )
    with bar:
        for index, arrays in executor.map(fn, missing):
            _save_chunk(paths[index], arrays)
            bar.update()
    return paths


class KeptChunks:
    """An executor that saves each finished chunk of ``executor`` in ``folder``, and takes those that are there already.

    So a run that was interrupted continues. The caller must use another folder for chunks that would differ.
    """

    def __init__(self, executor: Executor, folder: Path) -> None:
        self._executor = executor
        self._folder = folder

    def map(self, fn: Callable[[int], Arrays], indices: Iterable[int]) -> Iterator[tuple[int, Arrays]]:
        """Yield the saved chunks, then run ``fn`` on each other index; see `Executor`. Raises `BuildError`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        paths = {index: self._folder / f"{index:06d}.npz" for index in indices}
        missing = [index for index, path in paths.items() if not path.exists()]
        for index in paths.keys() - missing:
            yield index, _load_chunk(paths[index])
        for index, arrays in self._executor.map(fn, missing):
            _save_chunk(paths[index], arrays)
            yield index, arrays


def joined_chunks(paths: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Return the arrays of finished chunks, joined along the first axis. Raises `BuildError` for a damaged file."""
    parts = [_load_chunk(path) for path in paths]
    return {array: np.concatenate([part[array] for part in parts]) for array in parts[0]}


def summed_chunks(paths: Sequence[Path]) -> dict[str, NDArray[Any]]:
    """Return the sums of the arrays of finished chunks. Raises `BuildError` for a damaged file or other arrays."""
    total: dict[str, NDArray[Any]] = {}
    for path in paths:
        _add(total, _load_chunk(path), path)
    return total


def _save_chunk(path: Path, arrays: Arrays) -> None:
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.tmp.npz")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **dict(arrays))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _load_chunk(path: Path) -> Arrays:
    try:
        with np.load(path, allow_pickle=False) as chunk:
            return {name: chunk[name] for name in chunk.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise BuildError(f"{path} is not a finished chunk: {error}; remove the file to compute it again") from error


def _add(total: dict[str, NDArray[Any]], chunk: Arrays, path: Path) -> None:
    if not total:
        total.update({name: array.copy() for name, array in chunk.items()})
        return
    expected = {name: (array.dtype, array.shape) for name, array in total.items()}
    found = {name: (array.dtype, array.shape) for name, array in chunk.items()}
    if found != expected:
        raise BuildError(f"{path}: found {found}; expected {expected}, as in the first chunk")
    for name, array in chunk.items():
        total[name] += array

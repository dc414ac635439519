"""`Family`: one builder of tables and what it depends on; `Context`: what its function receives.

A family's function takes a `Context` and returns arrays. A long function splits its work into numbered chunks. The
build keeps finished chunks, so that it continues after an interruption. It sums them in index order, so that the
bytes do not depend on the number of workers. `registry` lists the families, and `build` builds them.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from spades.rules import FIRST_FIELDS, Rules, describe, overrides_of

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
# (index of a chunk, the chunk's seed) -> small arrays, to be summed or joined. A seed is from 0 to 2^62 - 1.
Chunk: TypeAlias = Callable[[int, int], Arrays]


class BuildError(RuntimeError):
    """A family cannot be built, or its arrays are not those that it declares."""


@dataclass(frozen=True)
class Family:
    """One builder of tables. Its fields and its code decide whether a built family is up to date (`tables.run.state`).

    ``axes`` names the arrays that ``make`` returns, with the meaning of each of their axes. ``parameters`` are JSON
    values that describe how the arrays are made, for the manifest. ``sizes`` are counts such as rounds to simulate;
    --rounds-scale multiplies them. ``depends`` names the families whose arrays ``make`` reads. ``exact`` means that
    nothing is sampled: there is no seed and no scale, and `verify` computes the arrays again.

    Raise ``generator`` when something other than code changes the arrays, such as another version of a library. A
    change of code is seen without it.
    """

    name: str
    generator: int
    make: Callable[["Context"], Arrays]
    axes: Mapping[str, tuple[str, ...]]
    parameters: Mapping[str, object] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    depends: tuple[str, ...] = ()
    exact: bool = False


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


@dataclass
class Context:
    """What a family's function may use.

    ``inputs`` are the arrays of the families that it depends on, by array name. ``checkpoints`` is the folder of
    finished chunks. ``figures`` are the numbers that `figure` has recorded. ``progress``: show progress bars.
    """

    family: Family
    seed: int
    rounds_scale: float
    inputs: Arrays
    executor: Executor
    checkpoints: Path
    progress: bool = True
    figures: dict[str, float] = field(default_factory=dict)

    def array(self, name: str) -> NDArray[Any]:
        """Return an array of a family that this one depends on. Raises `BuildError` for any other."""
        if name not in self.inputs:
            found = ", ".join(sorted(self.inputs)) or "none"
            raise BuildError(f"{self.family.name} reads array {name}; accepted from its `depends`: {found}")
        return self.inputs[name]

    def size(self, name: str) -> int:
        """Return a declared size multiplied by --rounds-scale, at least 1."""
        return scaled_sizes(self.family, self.rounds_scale)[name]

    def figure(self, name: str, value: float) -> None:
        """Record a measured number, such as a Brier score, beside the arrays in the manifest."""
        self.figures[name] = float(value)

    def chunks(self, name: str, n_chunks: int, fn: Chunk) -> dict[str, NDArray[Any]]:
        """Return the sum of ``fn(index, seed)`` over ``n_chunks`` indices, added in index order.

        A chunk's seed depends only on the context's seed, the family, ``name`` and the index. A finished chunk is kept
        under ``checkpoints`` and not computed again. Raises `BuildError` if chunks have different arrays, dtypes or
        shapes, or if the file of a finished chunk is damaged.
        """
        total: dict[str, NDArray[Any]] = {}
        for path in self._finished(name, n_chunks, fn):
            _add(total, _load_chunk(path), path)
        return total

    def gathered(self, name: str, n_chunks: int, fn: Chunk) -> dict[str, NDArray[Any]]:
        """Return the chunks joined along the first axis in index order, instead of their sum; see `chunks`."""
        return joined_chunks(self._finished(name, n_chunks, fn))

    def _finished(self, name: str, n_chunks: int, fn: Chunk) -> list[Path]:
        seeds = [self._chunk_seed(name, index) for index in range(n_chunks)]

        def run(index: int) -> Arrays:  # holds only fn and seeds, so that it can be sent to another process
            return fn(index, seeds[index])

        folder = self.checkpoints / f"{name}-{n_chunks}"
        return finished_chunks(run, n_chunks, folder, self.executor, f"{self.family.name}/{name}", self.progress)

    def _chunk_seed(self, name: str, index: int) -> int:
        text = f"{self.seed}/{self.family.name}/{name}/{index}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 2  # fits numba's int64


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


def scaled_sizes(family: Family, rounds_scale: float) -> dict[str, int]:
    """Return the family's sizes multiplied by --rounds-scale, each at least 1; exact families are not scaled."""
    scale = 1.0 if family.exact else rounds_scale
    return {name: max(1, round(size * scale)) for name, size in family.sizes.items()}


def recorded(rules: Rules) -> dict[str, object]:
    """Return rules as a family's parameters record them.

    Fields beyond the first `FIRST_FIELDS` are recorded only if they differ from their default. So a new field of the
    rules does not make existing tables out of date.
    """
    used = overrides_of(rules)
    return {name: value for n, (name, value) in enumerate(describe(rules).items()) if n < FIRST_FIELDS or name in used}


def inputs_hash(family: Family, seed: int, rounds_scale: float, inputs: Mapping[str, str]) -> str:
    """Return the sha256 of everything but code that decides a family's bytes.

    ``inputs`` holds the sha256 of the files that the family depends on, by file name.
    """
    content = {
        "family": family.name,
        "generator": family.generator,
        "parameters": dict(family.parameters),
        "arrays": sorted(family.axes),
        "sizes": scaled_sizes(family, rounds_scale),
        "seed": None if family.exact else seed,
        "inputs": dict(inputs),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that readers see either the old or the new bytes, even if the process is killed."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


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

"""`Family`: one builder of tables, what it depends on, and the `Context` that its function gets.

Not the build itself (build.py), nor the list of what is built (registry.py). A family's function takes a
`Context` and gives arrays; long ones split their work into numbered chunks, which are kept as they are finished,
so that an interrupted build goes on where it stopped, and summed in index order, so that the bytes don't depend
on how many workers there were.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from service.bidding.game.rules import FIRST_FIELDS, Rules, describe, overrides_of

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Chunk: TypeAlias = Callable[[int, int], Arrays]  # (chunk index, its own seed) -> small arrays, to be summed


class BuildError(RuntimeError):
    """A family can't be built, or gave something else than it declares."""


@dataclass(frozen=True)
class Family:
    """One builder. What is named here decides whether a built family is up to date (see `inputs_hash`).

    ``axes`` names the arrays that ``make`` gives, and what each of their axes means. ``sizes`` are counts such as
    rounds to simulate, which --rounds-scale multiplies. Raise ``generator`` when the code changes what comes out.
    ``exact``: no sampling; takes no seed and no scale, and `verify` recomputes it.
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
    """Where chunks run. A cluster's client fits behind this: results may come in any order, each with its index."""

    def map(self, fn: Callable[[int], Arrays], indices: Iterable[int]) -> Iterator[tuple[int, Arrays]]:
        """Run ``fn`` on each index and yield (index, result) as they finish; the first error ends it."""


class LocalThreads:
    """``jobs`` threads of this process: compiled functions let go of the interpreter's lock."""

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise BuildError(f"jobs is {jobs}; expected 1 or more")
        self.jobs = jobs

    def map(self, fn: Callable[[int], Arrays], indices: Iterable[int]) -> Iterator[tuple[int, Arrays]]:
        """See `Executor`; one job runs in the calling thread, so that an interruption comes at once."""
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
    """What a family's function may use. ``inputs`` are the arrays of the families it depends on, by array name."""

    family: Family
    seed: int
    rounds_scale: float
    inputs: Arrays
    executor: Executor
    checkpoints: Path
    progress: bool = True
    figures: dict[str, float] = field(default_factory=dict)

    def array(self, name: str) -> NDArray[Any]:
        """An array of a family that this one depends on; `BuildError` for any other."""
        if name not in self.inputs:
            raise BuildError(f"{self.family.name} asks for {name}; its depends give {sorted(self.inputs)}")
        return self.inputs[name]

    def size(self, name: str) -> int:
        """A declared size after --rounds-scale, at least 1."""
        return scaled_sizes(self.family, self.rounds_scale)[name]

    def figure(self, name: str, value: float) -> None:
        """Put a measured number (a Brier score, rounds that counted) beside the arrays in the manifest."""
        self.figures[name] = float(value)

    def chunks(self, name: str, n_chunks: int, fn: Chunk) -> dict[str, NDArray[Any]]:
        """The sum, in index order, of ``fn(index, seed)`` over ``n_chunks`` indices.

        Every chunk has a seed of its own, told by seed, family, ``name`` and index alone. A finished chunk is
        kept under ``checkpoints`` and not computed again. Raises `BuildError` when chunks don't fit together.
        """
        total: dict[str, NDArray[Any]] = {}
        for path in self._finished(name, n_chunks, fn):
            _add(total, _load_chunk(path), path)
        return total

    def gathered(self, name: str, n_chunks: int, fn: Chunk) -> dict[str, NDArray[Any]]:
        """As `chunks`, but one after the other along the first axis in place of their sum."""
        parts = [_load_chunk(path) for path in self._finished(name, n_chunks, fn)]
        return {array: np.concatenate([part[array] for part in parts]) for array in parts[0]}

    def _finished(self, name: str, n_chunks: int, fn: Chunk) -> list[Path]:
        folder = self.checkpoints / f"{name}-{n_chunks}"
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{index:06d}.npz" for index in range(n_chunks)]
        missing = [index for index, path in enumerate(paths) if not path.exists()]
        bar = tqdm(
            total=n_chunks,
            initial=n_chunks - len(missing),
            desc=f"{self.family.name}/{name}",
            unit="chunk",
            disable=None if self.progress else True,  # None: no bar where nobody watches
        )
        seeds = {index: self._chunk_seed(name, index) for index in missing}

        def run(index: int) -> Arrays:  # holds nothing but fn and seeds, so that it can be sent elsewhere
            return fn(index, seeds[index])

        with bar:
            for index, arrays in self.executor.map(run, missing):
                _save_chunk(paths[index], arrays)
                bar.update()
        return paths

    def _chunk_seed(self, name: str, index: int) -> int:
        text = f"{self.seed}/{self.family.name}/{name}/{index}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 2  # fits numba's int64


def scaled_sizes(family: Family, rounds_scale: float) -> dict[str, int]:
    """The family's sizes after --rounds-scale, each at least 1; an exact family's are not scaled."""
    scale = 1.0 if family.exact else rounds_scale
    return {name: max(1, round(size * scale)) for name, size in family.sizes.items()}


def recorded(rules: Rules) -> dict[str, object]:
    """Return rules as a family's parameters hold them: a field added since is there only if it is not the default.

    So a new rule makes no table of other games out of date.
    """
    used = overrides_of(rules)
    return {name: value for n, (name, value) in enumerate(describe(rules).items()) if n < FIRST_FIELDS or name in used}


def inputs_hash(family: Family, seed: int, rounds_scale: float, inputs: Mapping[str, str]) -> str:
    """Sha256 of all that decides a family's bytes; ``inputs`` are the sha256 of the files it depends on, by file."""
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
    """Write a file so that a reader, or a build killed at any moment, sees the old bytes or the new ones."""
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
        raise BuildError(f"{path}: {error}; expected a finished chunk (remove the file to compute it again)") from error


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

"""`Family`: one builder of tables and what it depends on; `Context`: what its function receives.

A family's function takes a `Context` and returns arrays. A long function splits its work into numbered chunks. The
build keeps finished chunks, so that it continues after an interruption. It sums them in index order, so that the
bytes do not depend on the number of workers. `registry` lists the families, and `build` builds them.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from arena.chunks import Arrays, Executor, finished_chunks, joined_chunks, summed_chunks
from arena.errors import BuildError
from spades.rules import FIRST_FIELDS, Rules, describe, overrides_of

# (index of a chunk, the chunk's seed) -> small arrays, to be summed or joined. A seed is from 0 to 2^62 - 1.
Chunk: TypeAlias = Callable[[int, int], Arrays]


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
        return summed_chunks(self._finished(name, n_chunks, fn))

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

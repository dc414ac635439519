"""`Family`: some tables, the function that makes them and what it depends on; `Context`: what the function receives.

A family's function takes a `Context` and returns arrays. A long function splits its work into numbered chunks. The
build keeps finished chunks, so that it continues after an interruption. It sums them in index order, so that the
bytes do not depend on the number of workers. `tables.families` lists the families, and `tables.run.build` builds them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from arena.chunks import Arrays, Executor, LocalThreads
from arena.errors import BuildError
from arena.store import finished_chunks, joined_chunks, summed_chunks
from spades.manifest import Manifest
from spades.rules import CLASSIC, FIRST_FIELDS, Rules, describe, overrides_of

# (index of a chunk, the chunk's seed) -> small arrays, to be summed or joined. A seed is from 0 to 2^62 - 1.
Chunk: TypeAlias = Callable[[int, int], Arrays]
Parameters: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class Family:
    """Tables that one function makes. The fields decide whether they are up to date.

    ``axes`` names the arrays, with the meaning of each of their axes. ``make`` returns them, named without the prefix
    of the family's table ``profile``. ``parameters`` are JSON values that describe how the arrays are made, for the
    manifest. ``rules`` are those of the rounds that ``make`` plays; ``parameters`` record them, too. ``sizes`` are
    counts such as rounds to simulate; --rounds-scale multiplies them. ``depends`` names the families whose arrays
    ``make`` reads. ``exact`` means that nothing is sampled: there is no seed and no scale, and `verify` computes the
    arrays again.

    ``parameters_for`` is for a family that makes something for each of a user's rules. It returns the parameters for
    the declared ones, those in the manifest, and the texts of --rules. Raises `BuildError` for a wrong text.

    Raise ``generator`` when the code makes other arrays, which `tables.run.stamp` finds out, or when something else
    does, such as another version of a library.
    """

    name: str
    generator: int
    make: Callable[["Context"], Arrays]
    axes: Mapping[str, tuple[str, ...]]
    parameters: Parameters = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    depends: tuple[str, ...] = ()
    exact: bool = False
    profile: str = ""
    rules: Rules = CLASSIC
    parameters_for: Callable[[Parameters, Parameters, Iterable[str]], Parameters] | None = None

    @property
    def prefix(self) -> str:
        """What the names of the arrays begin with; empty for the partnership's."""
        return f"{self.profile}_" if self.profile else ""


@dataclass
class Context:
    """What a family's function may use.

    ``inputs`` are the arrays of the families that it depends on, by array name. ``checkpoints`` is the folder of
    finished chunks (`arena.store.stored`). ``figures`` are the numbers that `figure` has recorded.
    ``progress``: show progress bars.
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

    def own_array(self, name: str) -> NDArray[Any]:
        """Return an array of the family's table profile; see `array`."""
        return self.array(self.family.prefix + name)

    def size(self, name: str) -> int:
        """Return a declared size multiplied by --rounds-scale, at least 1."""
        return scaled_sizes(self.family, self.rounds_scale)[name]

    def figure(self, name: str, value: float) -> None:
        """Record a measured number, such as a Brier score, beside the arrays in the manifest."""
        self.figures[name] = float(value)

    def chunks(self, name: str, n_chunks: int, fn: Chunk) -> dict[str, NDArray[Any]]:
        """Return the sum of ``fn(index, seed)`` over ``n_chunks`` indices, added in index order.

        A chunk's seed depends only on the context's seed, the family, ``name`` and the index. A finished chunk is kept
        in ``checkpoints`` and not computed again. A single chunk is computed in this process, also with a cluster,
        because its data may be a gigabyte. Raises `BuildError` if chunks have different arrays, dtypes or shapes, or if
        the file of a finished chunk is damaged.
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
        executor = self.executor if n_chunks > 1 else LocalThreads(1)
        return finished_chunks(run, n_chunks, folder, executor, f"{self.family.name}/{name}", self.progress)

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


def in_order(families: tuple[Family, ...]) -> list[Family]:
    """Return the families so that each comes after those it depends on; otherwise in the given order.

    Raises `BuildError` if a name or an array is declared twice, a dependency is unknown, or families depend on each
    other in a circle.
    """
    by_name = {family.name: family for family in families}
    if len(by_name) != len(families):
        raise BuildError(f"families are {[family.name for family in families]}; accepted: each name once")
    arrays = [array for family in families for array in family.axes]
    if len(set(arrays)) != len(arrays):
        raise BuildError(f"arrays are {arrays}; accepted: each array in one family")
    ordered: dict[str, Family] = {}

    def visit(family: Family, above: tuple[str, ...]) -> None:
        if family.name in ordered:
            return
        if family.name in above:
            raise BuildError(f"families depend on each other in a circle: {' -> '.join((*above, family.name))}")
        for name in family.depends:
            if name not in by_name:
                raise BuildError(f"{family.name} depends on {name!r}; accepted: {', '.join(sorted(by_name))}")
            visit(by_name[name], (*above, family.name))
        ordered[family.name] = family

    for family in families:
        visit(family, ())
    return list(ordered.values())


def with_dependencies(names: list[str], families: tuple[Family, ...]) -> set[str]:
    """Return ``names`` and all families that they depend on. Raises `BuildError` for an unknown name."""
    by_name = {family.name: family for family in families}
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in by_name:
            accepted = f"{', '.join(sorted(by_name))} (FAMILIES of tables/families.py)"
            raise BuildError(f"family is {name!r}; accepted: {accepted}")
        if name not in wanted:
            wanted.add(name)
            todo.extend(by_name[name].depends)
    return wanted


def with_games(families: tuple[Family, ...], built: Manifest, rules: Iterable[str] = ()) -> tuple[Family, ...]:
    """Return ``families`` with the parameters of those that make something for each of a user's ``rules`` (--rules).

    What was ``built`` for other rules stays. Raises `BuildError` for a text that names no rules.
    """
    texts = tuple(rules)
    before = {name: entry.parameters for name, entry in built.families.items()}
    return tuple(
        replace(family, parameters=family.parameters_for(family.parameters, before.get(family.name, {}), texts))
        if family.parameters_for
        else family
        for family in families
    )

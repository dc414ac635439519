"""Build every family that is not up to date, and the manifest that describes them: `python -m tables build`.

The families' functions compute the arrays. The build writes them to tables/data: one .npy file per array, and
manifest.json. Each file is written completely or not at all. A family is rebuilt if its inputs have changed: generator,
parameters, sizes, seed and the files it depends on. A change of source files alone rebuilds nothing: `tables.run.stamp`
finds out whether it changes a table. Finished chunks of a long family are kept in tables/work/ until the family is
done, so that an interrupted build continues where it stopped.
"""

import argparse
import hashlib
import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays, Executor, LocalThreads
from arena.errors import BuildError
from arena.executors import add_executor_arguments, executor_of
from arena.progress import working_on
from arena.source_files import chunk_code
from arena.store import STORE, exclusive_lock, stored, write_atomically
from spades.arguments import decimal, integer
from spades.errors import TablesError
from spades.manifest import (
    DTYPES,
    FORMAT,
    MANIFEST,
    FamilyEntry,
    FileEntry,
    Manifest,
    canonical,
    path_of,
    read_manifest,
    sealed,
)
from spades.tables import dtypes_of
from spades.tableset import DEFAULT_DIRECTORY, open_array
from tables.families import FAMILIES
from tables.run.family import Context, Family, in_order, inputs_hash, scaled_sizes, with_dependencies, with_games

RELEASE = (
    "2026.11.30"  # version of the tables: year, month, a number that rises; raise it when the shipped tables change
)
DEFAULT_SEED = 1

Say = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """What to build, and how."""

    seed: int = DEFAULT_SEED
    only: tuple[str, ...] = ()  # families, with all that they depend on; empty: all
    rounds_scale: float = 1.0  # factor for the rounds that are simulated
    rules: tuple[str, ...] = ()  # also make a win table for each of these; texts as in --rules
    force: bool = False  # rebuild the families of ``only`` (or all), and ignore saved chunks


def build(
    directory: Path = DEFAULT_DIRECTORY,
    families: tuple[Family, ...] = FAMILIES,
    options: Options = Options(),
    *,
    executor: Executor | None = None,
    checkpoints: Path = STORE,
    progress: bool = True,
    say: Say = print,
) -> list[str]:
    """Build what is not up to date into ``directory`` and return the names of the families that were made.

    Without ``options.only``, families that the code no longer has are removed.
    Raises `TablesError` or `BuildError`. A second build in the same directory also gets a `BuildError`.
    """
    only = options.only
    directory.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(directory):
        families = with_games(families, _manifest_or_empty(directory), options.rules)
        ordered = in_order(families)
        if only and options.rules:
            only = (*only, *(family.name for family in families if family.parameters_for))
        wanted = with_dependencies(list(only), families) if only else {family.name for family in ordered}
        forced = (set(only) if only else wanted) if options.force else set()
        made = []
        for family in ordered:
            if family.name not in wanted:
                continue
            manifest = _manifest_or_empty(directory)
            files = dependency_files(family, families, manifest)
            inputs = inputs_hash(family, options.seed, options.rounds_scale, files)
            if family.name not in forced and _is_current(directory, family, manifest, inputs):
                say(f"{family.name}: up to date")
                continue
            started = time.monotonic()
            decided_by = (family.name, inputs, chunk_code(family.make.__module__), _learning_versions())
            with stored(decided_by, checkpoints, again=family.name in forced) as folder:
                context = Context(
                    family=family,
                    seed=options.seed,
                    rounds_scale=options.rounds_scale,
                    inputs=dependency_arrays(directory, family, families, manifest),
                    executor=executor if executor is not None else LocalThreads(1),
                    checkpoints=folder,
                    progress=progress,
                )
                with working_on(f"{family.name}: play rounds, add them up, fit and write"):
                    arrays = make(context)
                    _write(directory, manifest, context, arrays, inputs)
            made.append(family.name)
            say(f"{family.name}: made {', '.join(sorted(arrays))} in {time.monotonic() - started:.1f} s")
        _finish(directory, ordered, prune=not only, say=say)
        return made


def make(context: Context) -> dict[str, NDArray[Any]]:
    """Run a family's function and check its arrays: names, number of axes, a known dtype, all values finite.

    Arrays that kernels read get the type that `Tables` declares for them. Raises `BuildError`.
    """
    family = context.family
    named = {family.prefix + name: array for name, array in family.make(context).items()}
    arrays = {name: _stored(family, name, array) for name, array in named.items()}
    if set(arrays) != set(family.axes):
        raise BuildError(f"{family.name}: found arrays {sorted(arrays)}; expected {sorted(family.axes)}")
    for name, array in arrays.items():
        if array.ndim != len(family.axes[name]):
            raise BuildError(f"{family.name}: {name}: found {array.ndim} axes; accepted: {list(family.axes[name])}")
        if array.dtype.str not in DTYPES:
            raise BuildError(f"{family.name}: {name}: dtype is {array.dtype.str}; accepted: {', '.join(DTYPES)}")
        if not np.isfinite(array).all():
            raise BuildError(f"{family.name}: {name}: found NaN or infinity; accepted: finite values")
    return arrays


def _learning_versions() -> list[str]:
    """Return the versions of the packages that train nets, if installed: kept parts of a training depend on them."""
    return [f"{name} {version(name)}" for name in ("jax", "optax") if find_spec(name)]


def _stored(family: Family, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in the type in which it is stored; only floats are converted."""
    wanted = np.dtype(dtypes_of(name)[0]) if dtypes_of(name) else array.dtype
    if array.dtype != wanted and not array.dtype.kind == wanted.kind == "f":
        raise BuildError(f"{family.name}: {name}: dtype is {array.dtype.str}; accepted: {wanted.str}")
    return array.astype(wanted, copy=False)


def npy_bytes(array: NDArray[Any]) -> bytes:
    """Return the array as the bytes of a .npy file, version 1.0, C order."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def dependency_files(family: Family, families: tuple[Family, ...], manifest: Manifest) -> dict[str, str]:
    """Return the sha256 of each file that ``family`` depends on, by file name.

    Raises `BuildError` if one of them is not in the manifest.
    """
    by_name = {other.name: other for other in families}
    names = [f"{array}.npy" for name in family.depends for array in by_name[name].axes]
    for name in names:
        if name not in manifest.files:
            raise BuildError(f"{family.name} depends on {name}, which is not in {MANIFEST}; build that table first")
    return {name: manifest.files[name].sha256 for name in names}


def dependency_arrays(
    directory: Path, family: Family, families: tuple[Family, ...], manifest: Manifest
) -> dict[str, NDArray[Any]]:
    """Return the arrays that ``family`` depends on, by array name, checked and memory-mapped."""
    names = dependency_files(family, families, manifest)
    return {Path(name).stem: open_array(directory, name, manifest.files[name]) for name in names}


def manifest_content(
    release: str, files: Mapping[str, FileEntry], families: Mapping[str, FamilyEntry]
) -> dict[str, Any]:
    """Return the manifest as JSON values: the inverse of `manifest.read_manifest`."""
    content = {
        "format": FORMAT,
        "version": release,
        "files": {name: entry._asdict() for name, entry in files.items()},
        "families": {name: entry._asdict() for name, entry in families.items()},
    }
    plain: dict[str, Any] = json.loads(canonical(content))
    return plain


def write_manifest(
    directory: Path, release: str, files: Mapping[str, FileEntry], families: Mapping[str, FamilyEntry]
) -> None:
    """Write manifest.json completely or not at all."""
    write_atomically(directory / MANIFEST, sealed(manifest_content(release, files, families)))


def _manifest_or_empty(directory: Path) -> Manifest:
    if (directory / MANIFEST).exists():
        return read_manifest(directory)
    return Manifest(RELEASE, RELEASE, "", {}, {})


def _is_current(directory: Path, family: Family, manifest: Manifest, inputs: str) -> bool:
    if family.name not in manifest.families or manifest.families[family.name].inputs != inputs:
        return False
    try:
        for array in family.axes:
            open_array(directory, f"{array}.npy", manifest.files[f"{array}.npy"])
    except (KeyError, TablesError):
        return False  # a damaged or missing file is made again
    return True


def _write(directory: Path, manifest: Manifest, context: Context, arrays: Arrays, inputs: str) -> None:
    family = context.family
    files = {name: entry for name, entry in manifest.files.items() if entry.family != family.name}
    for array_name, array in arrays.items():
        content = npy_bytes(array)
        files[f"{array_name}.npy"] = FileEntry(
            sha256=hashlib.sha256(content).hexdigest(),
            bytes=len(content),
            shape=array.shape,
            dtype=array.dtype.str,
            axes=family.axes[array_name],
            family=family.name,
        )
        path = path_of(directory, f"{array_name}.npy")
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, content)
    entry = FamilyEntry(
        generator=family.generator,
        exact=family.exact,
        seed=None if family.exact else context.seed,
        sizes=scaled_sizes(family, context.rounds_scale),
        parameters=family.parameters,
        figures=context.figures,
        inputs=inputs,
        code=None,
    )
    write_manifest(directory, RELEASE, files, {**manifest.families, family.name: entry})
    _remove(directory, set(manifest.files) - set(files))


def _finish(directory: Path, ordered: list[Family], prune: bool, say: Say) -> None:
    """Write the current release and axes into the manifest.

    After a complete build, also remove families that the code no longer has.
    """
    manifest = _manifest_or_empty(directory)
    known = {family.name: family for family in ordered}
    kept = {name: entry for name, entry in manifest.families.items() if name in known or not prune}
    files = {}
    for name, entry in manifest.files.items():
        if entry.family in kept:
            axes = known[entry.family].axes if entry.family in known else {}
            files[name] = entry._replace(axes=axes.get(Path(name).stem, entry.axes))
    if manifest_content(RELEASE, files, kept) != manifest_content(manifest.release, manifest.files, manifest.families):
        write_manifest(directory, RELEASE, files, kept)
    for name in sorted(set(manifest.families) - set(kept)):
        say(f"{name}: removed, because the code no longer has it")
    _remove(directory, set(manifest.files) - set(files))
    if (directory / MANIFEST).exists():
        say(f"tables {read_manifest(directory).version} in {directory}")


def _remove(directory: Path, names: set[str]) -> None:
    for name in names:
        path_of(directory, name).unlink(missing_ok=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--seed", type=integer, default=DEFAULT_SEED, help="seed of all random numbers (default %(default)s)"
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="build only these families and those they depend on")
    rules = "also make a win table for these rules, such as five-bags:win=200,lose=-200; later builds keep it"
    parser.add_argument("--rules", nargs="+", metavar="RULES", default=[], help=rules)
    parser.add_argument(
        "--rounds-scale",
        type=decimal,
        default=1.0,
        metavar="X",
        help="multiply all sizes but those of exact tables by X",
    )
    parser.add_argument(
        "--out", type=Path, default=DEFAULT_DIRECTORY, metavar="DIR", help="folder (default: tables/data)"
    )
    parser.add_argument("--force", action="store_true", help="build --only (or all) again, even if up to date")
    add_executor_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the command. Raises `BuildError` or `TablesError`."""
    if not arguments.rounds_scale > 0:
        raise BuildError(f"--rounds-scale is {arguments.rounds_scale}; accepted: a number above 0")
    only, rules = tuple(arguments.only or ()), tuple(arguments.rules)
    options = Options(arguments.seed, only, arguments.rounds_scale, rules, arguments.force)
    with executor_of(arguments.scheduler, arguments.jobs) as executor:
        build(arguments.out, options=options, executor=executor)
    return 0

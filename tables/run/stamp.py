"""Find out which tables the code here would change: `python -m tables stamp`.

A complete build takes hours. So this is a small build of all families, or of those named and those they depend on, in
which the sizes of all but exact families are multiplied by `ROUNDS_SCALE`. The stamps hold the sha256 of each family's
files in a small build by the code that made the tables. A family with other files now would change in a complete build
too: raise its `generator`, build it, and then write the new stamps (``--write``).

A change that shows only in a few rounds of a million can be missed. So before a release, compare larger builds of this
commit and of the one that made the tables (`python -m tables build --rounds-scale 0.01 --out FOLDER` in each).
"""

import argparse
import hashlib
import json
import shutil
from importlib.metadata import version
from pathlib import Path

from tabulate import tabulate

from arena.chunks import Executor, LocalThreads
from arena.errors import BuildError
from arena.executors import add_jobs_argument
from arena.source_files import chunk_code
from arena.store import STORE, write_atomically
from spades.manifest import read_manifest
from spades.tableset import DEFAULT_DIRECTORY
from tables.families import FAMILIES
from tables.run.build import Options, build
from tables.run.family import Family, in_order, with_dependencies

ROUNDS_SCALE = 0.001
SMALL_BUILDS = STORE / "small"
STAMPS = DEFAULT_DIRECTORY / "stamps.json"
VERSIONS = {name: version(name) for name in ("numpy", "numba", "jax")}

Sums = dict[str, str]  # by family: sha256 of its files


def small_build(names: set[str], executor: Executor, families: tuple[Family, ...] = FAMILIES) -> Sums:
    """Return the sums of the families ``names`` in a small build of the code here. An interrupted one is continued."""
    folder = SMALL_BUILDS / chunk_code()
    build(folder, families, Options(only=tuple(sorted(names)), rounds_scale=ROUNDS_SCALE), executor=executor)
    sums = sums_of(folder)
    shutil.rmtree(folder)
    return sums


def sums_of(directory: Path) -> Sums:
    """Return the sha256 of the names and bytes of each family's files, by family."""
    manifest = read_manifest(directory)
    sums = {name: hashlib.sha256() for name in manifest.families}
    for name, entry in sorted(manifest.files.items()):
        sums[entry.family].update(f"{name} {entry.sha256}\n".encode())
    return {name: found.hexdigest() for name, found in sums.items()}


def read_stamps(path: Path) -> Sums:
    """Return the stamps by family. Raises `BuildError` if the file is damaged, or if other libraries made them."""
    try:
        content = json.loads(path.read_bytes())
        stamps, versions = dict(content["small"]), content["versions"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BuildError(f"{path}: found no stamps ({error!r}); accepted: what `tables stamp --write` wrote") from error
    if versions != VERSIONS:
        again = "make them again with `python -m tables stamp --write` in a worktree of the commit that made the tables"
        raise BuildError(f"{path}: made with {versions}; accepted: {VERSIONS}; {again}")
    return stamps


def write_stamps(path: Path, stamps: Sums) -> None:
    """Write the stamps completely or not at all."""
    content = {"versions": VERSIONS, "small": stamps}
    write_atomically(path, (json.dumps(content, sort_keys=True, indent=1) + "\n").encode())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these families and those they depend on")
    parser.add_argument("--write", action="store_true", help="write the result into the stamps instead of comparing")
    add_jobs_argument(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the command: return 1 if a family differs, otherwise 0. Raises `BuildError` or `TablesError`."""
    before = {} if arguments.write and not arguments.only else read_stamps(STAMPS)
    names = with_dependencies(arguments.only or [family.name for family in FAMILIES], FAMILIES)
    small = small_build(names, LocalThreads(arguments.jobs))
    if arguments.write:
        write_stamps(STAMPS, before | small)
        return 0
    results = {
        family.name: _result(before.get(family.name), small[family.name])
        for family in in_order(FAMILIES)
        if family.name in small
    }
    print(tabulate(results.items(), ("family", "small build")))
    return 1 if "different" in results.values() else 0


def _result(stamp: str | None, found: str) -> str:
    if stamp is None:
        return "no stamp"
    return "same" if found == stamp else "different"

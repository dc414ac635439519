"""Compare small builds, to see which tables the code would change: `python -m tables stamp`.

A small build is a build of all families, or of those named and those they depend on, in which the sizes of all but
exact families are multiplied by a small factor. Families with the same files in two small builds are taken to be the
same in complete builds. The small build of the code here is compared with that of a commit (``--base``), or with the
one that the stamps hold. The result goes into the stamps, which `build` and `verify` read.

A change that shows only in a few rounds of a million can be missed. So compare with the commit that made the tables
before a release, with a larger ``--rounds-scale``.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from tabulate import tabulate

from arena.chunks import Executor, LocalThreads
from arena.errors import BuildError
from arena.executors import add_jobs_argument
from arena.source_files import ROOT, chunk_code
from arena.store import STORE
from spades.arguments import decimal
from spades.manifest import MANIFEST, read_manifest
from spades.tableset import DEFAULT_DIRECTORY
from tables.families import FAMILIES
from tables.run.build import Options, build
from tables.run.family import Family, in_order, with_dependencies
from tables.run.state import Stamp, files_of, read_stamps, write_stamps

ROUNDS_SCALE = 0.001
SMALL_BUILDS = STORE / "small"
VERSIONS = {name: version(name) for name in ("numpy", "numba", "jax")}

Sums = dict[str, str]  # by family: sha256 of its files


def compare(
    family: Family, stamp: Stamp | None, small: str, rounds_scale: float, base: Sums | None
) -> tuple[str, Stamp | None]:
    """Return the result of a comparison in words, and the family's new stamp.

    ``small``: the family's sum in the small build of the code here; ``base``: the sums of the base commit, or None to
    compare with the stamp.
    """
    files = files_of(family)
    same = Stamp(files, small, rounds_scale, VERSIONS)
    if base is not None:
        reference = base.get(family.name)
        if reference is None:
            return "not in the base", stamp
    elif stamp is None:
        return "no stamp: give --base", None
    else:
        reference = stamp.small if stamp.rounds_scale == rounds_scale else None
        if reference is None and stamp.files == files:
            return "new", same
        if reference is None:
            return "nothing of this size to compare with: give --base", stamp
    if small == reference:
        return "same", same
    if base is None and stamp is not None and stamp.versions != VERSIONS:
        return "different, with other libraries: give --base", stamp
    known = None if stamp is None or stamp.files == files else stamp.files
    return "different", Stamp(known, reference, rounds_scale, VERSIONS, differs=files)


def small_build(
    names: set[str], rounds_scale: float, executor: Executor, families: tuple[Family, ...] = FAMILIES
) -> Sums:
    """Return the sums of the families ``names`` in a small build of the code here. An interrupted one is continued."""
    folder = SMALL_BUILDS / f"{chunk_code()}-{rounds_scale}"
    build(folder, families, Options(only=tuple(sorted(names)), rounds_scale=rounds_scale), executor=executor)
    sums = sums_of(folder)
    shutil.rmtree(folder)
    return sums


def small_build_of(commit: str, names: set[str], rounds_scale: float, jobs: int) -> Sums:
    """Return the sums of those families ``names`` that ``commit`` has, in a small build of it.

    The commit's own `python -m tables build` makes them, in a worktree. The build is kept, because a commit does not
    change. Raises `BuildError`.
    """
    libraries = "-".join(f"{name}{number}" for name, number in VERSIONS.items())
    with _worktree(commit) as tree:
        known = json.loads((tree / "tables" / "data" / MANIFEST).read_bytes())["families"].keys()
        folder = SMALL_BUILDS / f"{_git('rev-parse', commit)}-{rounds_scale}-{libraries}"
        options = ("--rounds-scale", str(rounds_scale), "--out", str(folder), "--jobs", str(jobs))
        command = (sys.executable, "-m", "tables", "build", *options, "--only", *sorted(names & known))
        done = subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, check=False)
    if done.returncode:
        raise BuildError(f"the small build of {commit} ended with exit code {done.returncode}")
    return sums_of(folder)


def sums_of(directory: Path) -> Sums:
    """Return the sha256 of the names and bytes of each family's files, by family."""
    manifest = read_manifest(directory)
    sums = {name: hashlib.sha256() for name in manifest.families}
    for name, entry in sorted(manifest.files.items()):
        sums[entry.family].update(f"{name} {entry.sha256}\n".encode())
    return {name: found.hexdigest() for name, found in sums.items()}


@contextmanager
def _worktree(commit: str) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "base"
        _git("worktree", "add", "--detach", str(tree), commit)
        try:
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def stamp(
    directory: Path,
    small: Sums,
    base: Sums | None,
    rounds_scale: float,
    families: tuple[Family, ...] = FAMILIES,
    say: Callable[[str], None] = print,
) -> None:
    """Compare the families of ``small``, print the results, and write the stamps in ``directory``."""
    stamps = read_stamps(directory)
    rows = []
    for family in in_order(families):
        if family.name in small:
            result, new = compare(family, stamps.get(family.name), small[family.name], rounds_scale, base)
            rows.append((family.name, result))
            if new is not None:
                stamps[family.name] = new
    write_stamps(directory, stamps)
    say(tabulate(rows, ("family", "small build")))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    base = "compare with this commit, which made the tables; otherwise with the stamps"
    parser.add_argument("--base", metavar="COMMIT", help=base)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these families and those they depend on")
    scale = "multiply all sizes but those of exact tables by X (default %(default)s)"
    parser.add_argument("--rounds-scale", type=decimal, default=ROUNDS_SCALE, metavar="X", help=scale)
    parser.add_argument(
        "--dir",
        type=Path,
        default=DEFAULT_DIRECTORY,
        metavar="DIR",
        help="folder with the stamps (default: tables/data)",
    )
    add_jobs_argument(parser)


def main(arguments: argparse.Namespace) -> int:
    """Run the command. Raises `BuildError` or `TablesError`."""
    scale = arguments.rounds_scale
    if not 0 < scale <= 1:
        raise BuildError(f"--rounds-scale is {scale}; accepted: a number above 0 and at most 1")
    read_manifest(arguments.dir)
    names = with_dependencies(arguments.only or [family.name for family in FAMILIES], FAMILIES)
    base = small_build_of(arguments.base, names, scale, arguments.jobs) if arguments.base else None
    small = small_build(names, scale, LocalThreads(arguments.jobs))
    stamp(arguments.dir, small, base, scale)
    return 0

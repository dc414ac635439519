"""Check that the committed files fit the manifest and that the manifest fits the code: `python -m tables verify`.

Nothing is written. The service's own reader checks the files (size, sha256, header). The manifest's entries of families
are compared with the code (generator, parameters, sizes, seed, the files that they depend on). Exact families are
computed again and compared byte by byte. The command prints one line per file. Whether the code would make other fitted
tables, `tables.run.stamp` finds out.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena.chunks import LocalThreads
from arena.errors import BuildError
from arena.store import STORE
from spades.arguments import integer
from spades.errors import TablesError
from spades.manifest import Manifest, check_strays, path_of, read_manifest
from spades.tableset import DEFAULT_DIRECTORY, open_array, open_tables
from tables.families import FAMILIES
from tables.run.build import (
    DEFAULT_SEED,
    RELEASE,
    dependency_arrays,
    dependency_files,
    make,
    manifest_content,
    npy_bytes,
)
from tables.run.family import Context, Family, in_order, inputs_hash, scaled_sizes, with_games


class Finding(NamedTuple):
    """The result of checking one file."""

    file: str
    problem: str  # empty if the file is right
    told: str  # what was checked

    def __str__(self) -> str:
        return f"BAD  {self.file}: {self.problem}" if self.problem else f"ok   {self.file}: {self.told}"


def verify(
    directory: Path = DEFAULT_DIRECTORY, families: tuple[Family, ...] = FAMILIES, *, seed: int = DEFAULT_SEED
) -> list[Finding]:
    """Return a `Finding` for each file that the manifest or the code names, and one if there are other .npy files.

    Raises `TablesError` if the manifest itself cannot be read.
    """
    manifest = read_manifest(directory)
    findings: list[Finding] = []
    families = with_games(families, manifest)
    for family in in_order(families):
        broken = _family_problem(directory, family, families, manifest, seed)
        remade: dict[str, bytes] = {}
        if family.exact and not broken:
            try:
                remade = _remake(directory, family, families, manifest, seed)
            except (BuildError, TablesError) as error:
                broken = f"cannot be computed again: {error}"
        for array in sorted(family.axes):
            findings.append(_check_file(directory, f"{array}.npy", manifest, broken, remade.get(array)))
    known = {f"{array}.npy" for family in families for array in family.axes}
    for name in sorted(set(manifest.files) - known):
        gone = manifest.files[name].family
        findings.append(Finding(name, f"the manifest has this file of family {gone}; the code has no such family", ""))
    try:
        check_strays(directory, manifest)
    except TablesError as error:
        findings.append(Finding("*.npy", str(error), ""))
    return findings


def _family_problem(
    directory: Path, family: Family, families: tuple[Family, ...], manifest: Manifest, seed: int
) -> str:
    """Return the first difference between the manifest's entry and the code, or an empty string."""
    entry = manifest.families.get(family.name)
    if entry is None:
        return f"the manifest has no family {family.name}; run python -m tables build"
    code = entry._replace(
        generator=family.generator,
        exact=family.exact,
        seed=None if family.exact else seed,
        sizes=scaled_sizes(family, 1.0),
        parameters=family.parameters,
    )
    found = manifest_content("", {}, {family.name: entry})["families"][family.name]
    expected = manifest_content("", {}, {family.name: code})["families"][family.name]
    for field in expected:
        if found[field] != expected[field]:
            return f"{field} is {found[field]!r} in the manifest; accepted: {expected[field]!r}, as in the code"
    try:
        inputs = inputs_hash(family, seed, 1.0, dependency_files(family, families, manifest))
    except BuildError as error:
        return str(error)
    if entry.inputs != inputs:
        return f"inputs are {entry.inputs[:16]}; accepted: {inputs[:16]}; a table that it depends on has changed"
    return ""


def _remake(
    directory: Path, family: Family, families: tuple[Family, ...], manifest: Manifest, seed: int
) -> dict[str, bytes]:
    context = Context(
        family=family,
        seed=seed,
        rounds_scale=1.0,
        inputs=dependency_arrays(directory, family, families, manifest),
        executor=LocalThreads(1),
        checkpoints=STORE / f"verify-{family.name}",
    )
    return {name: npy_bytes(array) for name, array in make(context).items()}


def _check_file(directory: Path, name: str, manifest: Manifest, broken: str, remade: bytes | None) -> Finding:
    entry = manifest.files.get(name)
    if entry is None:
        return Finding(name, broken or "the manifest does not have this file; run python -m tables build", "")
    try:
        open_array(directory, name, entry)
    except TablesError as error:
        return Finding(name, str(error), "")
    if broken:
        return Finding(name, broken, "")
    if remade is not None and remade != path_of(directory, name).read_bytes():
        return Finding(name, f"sha256 is {entry.sha256}; the code computes other bytes", "")
    told = "sha256, shape, dtype, generator, sizes, seed" + (", computed again" if remade is not None else "")
    return Finding(name, "", f"{entry.bytes} bytes, {entry.dtype} {entry.shape}; {told}")


def _lines(findings: list[Finding]) -> Iterator[str]:
    yield from map(str, findings)
    bad = sum(bool(finding.problem) for finding in findings)
    yield f"{bad} of {len(findings)} files are wrong" if bad else f"all {len(findings)} files are right"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--dir", type=Path, default=DEFAULT_DIRECTORY, metavar="DIR", help="folder (default: tables/data)"
    )
    parser.add_argument(
        "--seed", type=integer, default=DEFAULT_SEED, help="seed that the tables were made with (default %(default)s)"
    )


def main(arguments: argparse.Namespace) -> int:
    """Run the command: return 1 if a file or the release is wrong, otherwise 0.

    Raises `TablesError` if the service cannot start with the tables.
    """
    findings = verify(arguments.dir, seed=arguments.seed)
    for line in _lines(findings):
        print(line)
    if any(finding.problem for finding in findings):
        return 1
    release = read_manifest(arguments.dir).release
    if release != RELEASE:
        print(f"BAD  manifest.json: release is {release}; accepted: {RELEASE}")
        return 1
    print(f"the service opens tables {open_tables(arguments.dir).version}")
    return 0

"""`python -m tables verify`: do the committed files fit the manifest, and the manifest the code?

Not a build: nothing is written. Files are checked by the service's own reader (size, sha256, header), families against
the code (generator, parameters, sizes, seed, the files they depend on), and the exact ones are computed again and
compared byte by byte. Data comes from tables/data and the registry, and goes out as one line a file.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from service.bidding.errors import TablesError
from service.bidding.manifest import Manifest, check_strays, read_manifest
from service.bidding.numerals import integer
from service.bidding.tableset import DEFAULT_DIRECTORY, open_array, open_tables
from tables.builders.extra_win_tables import with_games
from tables.run.build import (
    CHECKPOINTS,
    DEFAULT_SEED,
    RELEASE,
    depended_arrays,
    depended_files,
    make,
    manifest_content,
    npy_bytes,
)
from tables.run.family import BuildError, Context, Family, LocalThreads, inputs_hash, scaled_sizes
from tables.run.registry import FAMILIES, in_order


class Finding(NamedTuple):
    """What was seen of one file."""

    file: str
    problem: str  # empty: the file is right
    told: str  # what was checked

    def __str__(self) -> str:
        return f"BAD  {self.file}: {self.problem}" if self.problem else f"ok   {self.file}: {self.told}"


def verify(
    directory: Path = DEFAULT_DIRECTORY, families: tuple[Family, ...] = FAMILIES, *, seed: int = DEFAULT_SEED
) -> list[Finding]:
    """One `Finding` for each file that the manifest or the code names, and for each that neither does.

    Raises `TablesError` when the manifest itself can't be read.
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
                broken = f"can't be computed again: {error}"
        for array in sorted(family.axes):
            findings.append(_check_file(directory, f"{array}.npy", manifest, broken, remade.get(array)))
    known = {f"{array}.npy" for family in families for array in family.axes}
    for name in sorted(set(manifest.files) - known):
        gone = manifest.files[name].family
        findings.append(Finding(name, f"found in the manifest, of family {gone}; expected a family of the code", ""))
    try:
        check_strays(directory, manifest)
    except TablesError as error:
        findings.append(Finding("*.npy", str(error), ""))
    return findings


def _family_problem(
    directory: Path, family: Family, families: tuple[Family, ...], manifest: Manifest, seed: int
) -> str:
    """The first way in which the manifest's entry differs from the code; empty when there is none."""
    entry = manifest.families.get(family.name)
    if entry is None:
        return f"found no family {family.name} in the manifest; expected one (python -m tables build)"
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
            return f"found {field} {found[field]!r} in the manifest; expected {expected[field]!r}, as in the code"
    try:
        inputs = inputs_hash(family, seed, 1.0, depended_files(family, families, manifest))
    except BuildError as error:
        return str(error)
    if entry.inputs != inputs:
        return f"found inputs {entry.inputs[:16]}; expected {inputs[:16]}: a table it depends on was built again"
    return ""


def _remake(
    directory: Path, family: Family, families: tuple[Family, ...], manifest: Manifest, seed: int
) -> dict[str, bytes]:
    context = Context(
        family=family,
        seed=seed,
        rounds_scale=1.0,
        inputs=depended_arrays(directory, family, families, manifest),
        executor=LocalThreads(1),
        checkpoints=CHECKPOINTS / f"verify-{family.name}",
    )
    return {name: npy_bytes(array) for name, array in make(context).items()}


def _check_file(directory: Path, name: str, manifest: Manifest, broken: str, remade: bytes | None) -> Finding:
    entry = manifest.files.get(name)
    if entry is None:
        return Finding(name, broken or "found no such file in the manifest; expected one", "")
    try:
        open_array(directory, name, entry)
    except TablesError as error:
        return Finding(name, str(error), "")
    if broken:
        return Finding(name, broken, "")
    if remade is not None and remade != (directory / name).read_bytes():
        return Finding(name, f"found sha256 {entry.sha256}; expected the bytes that the code computes", "")
    told = "sha256, shape, dtype, generator, sizes, seed" + (", computed again" if remade is not None else "")
    return Finding(name, "", f"{entry.bytes} bytes, {entry.dtype} {entry.shape}; {told}")


def _lines(findings: list[Finding]) -> Iterator[str]:
    yield from map(str, findings)
    bad = sum(bool(finding.problem) for finding in findings)
    yield f"{bad} of {len(findings)} files are wrong" if bad else f"all {len(findings)} files are right"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--dir", type=Path, default=DEFAULT_DIRECTORY, metavar="DIR", help="default: tables/data")
    parser.add_argument(
        "--seed", type=integer, default=DEFAULT_SEED, help="that they were made from (default %(default)s)"
    )


def main(arguments: argparse.Namespace) -> int:
    """Run the command: 0 when all is right, 1 otherwise; raises `TablesError` when the service couldn't start."""
    findings = verify(arguments.dir, seed=arguments.seed)
    for line in _lines(findings):
        print(line)
    if any(finding.problem for finding in findings):
        return 1
    release = read_manifest(arguments.dir).release
    if release != RELEASE:
        print(f"BAD  manifest.json: found release {release}; expected {RELEASE}")
        return 1
    print(f"the service opens tables {open_tables(arguments.dir).version}")
    return 0

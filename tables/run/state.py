"""Whether a rebuild could change a family of tables; `python -m tables build`, `stamp` and `verify` use it.

A family's stamp, in stamps.json beside the manifest, says what is known about the code that made the family. The sha256
of its small build decides whether the code here makes the same arrays. A hash of source files only says whether that
must be found out again.
"""

import json
from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from arena.errors import BuildError
from arena.source_files import files_hash
from arena.store import write_atomically
from spades.manifest import MANIFEST, Manifest
from tables.run.family import Family, in_order, inputs_hash

STAMPS = "stamps.json"


class Stamp(NamedTuple):
    """What is known about the code that made a family."""

    files: str | None  # hash of the files of the last code that is known to make the same arrays; None: none is known
    small: str | None = None  # sha256 of the family's files in a small build by that code; None: no small build yet
    rounds_scale: float | None = None  # of the small build
    versions: Mapping[str, str] | None = None  # of the libraries of the small build, by name
    differs: str | None = None  # hash of the files of code whose small build differed; None: no such code is known


class State(Enum):
    """The state of a family in a manifest; the values are what `verify` prints."""

    CURRENT = "up to date"
    MISSING = "not built"  # the family, or one that it depends on
    OTHER = "made with other parameters, sizes, seed or inputs"
    UNSTAMPED = "no stamp: run `python -m tables stamp --base COMMIT`"
    FILES = "files changed: run `python -m tables stamp`"
    DIFFERS = "small build differs: rebuild"
    INPUT = "an input would change"  # a rebuild of a family that it depends on would change that family


REBUILT = (State.MISSING, State.OTHER, State.DIFFERS)  # what `build` makes again; `--keep-stale` keeps DIFFERS


def states(
    families: tuple[Family, ...],
    manifest: Manifest,
    stamps: Mapping[str, Stamp],
    seed: int,
    rounds_scale: float,
    remade: Collection[str] = (),
) -> dict[str, State]:
    """Return the state of each family by name.

    ``remade``: exact families that the code here has just computed again, with the same bytes.
    """
    found: dict[str, State] = {}
    for family in in_order(families):
        entry = manifest.families.get(family.name)
        below = {found[name] for name in family.depends}
        if entry is None or State.MISSING in below or any(f"{name}.npy" not in manifest.files for name in family.axes):
            state = State.MISSING
        elif entry.inputs != inputs_hash(family, seed, rounds_scale, dependency_files(family, families, manifest)):
            state = State.OTHER
        elif family.name not in remade and stamps.get(family.name, Stamp(None)).differs == files_of(family):
            state = State.DIFFERS
        elif below & {State.OTHER, State.DIFFERS, State.INPUT}:
            state = State.INPUT
        elif family.name in remade:
            state = State.CURRENT
        else:
            state = _by_files(stamps.get(family.name), files_of(family))
        found[family.name] = state
    return found


def _by_files(stamp: Stamp | None, files: str) -> State:
    if stamp is None:
        return State.UNSTAMPED
    return State.CURRENT if stamp.files == files else State.FILES


def files_of(family: Family) -> str:
    """Return the hash of the files that make the family: of the module of ``make``, and of all that it imports.

    A family may get its ``make`` from a function of another module. The hash is then of that other module. What the
    function was called with, such as the policy, is in the family's parameters.
    """
    return _files_of_module(family.make.__module__)


_files_of_module = cache(files_hash)


def read_stamps(directory: Path) -> dict[str, Stamp]:
    """Return the stamps of the families in ``directory``, by name. Raises `BuildError` if the file is damaged."""
    path = directory / STAMPS
    if not path.exists():
        return {}
    try:
        content: dict[str, dict[str, Any]] = json.loads(path.read_bytes())
        return {name: Stamp(**stamp) for name, stamp in content.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise BuildError(
            f"{path}: found no stamps ({error}); accepted: what `python -m tables stamp` writes"
        ) from error


def write_stamps(directory: Path, stamps: Mapping[str, Stamp]) -> None:
    """Write the stamps of the families in ``directory`` completely or not at all."""
    content = {name: stamp._asdict() for name, stamp in stamps.items()}
    write_atomically(directory / STAMPS, (json.dumps(content, sort_keys=True, indent=1) + "\n").encode())


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

"""Whether a rebuild could change a family of tables; `python -m tables build` and `verify` use it."""

from collections.abc import Collection
from enum import Enum
from functools import cache

from arena.code_hash import code_hash
from arena.errors import BuildError
from spades.manifest import MANIFEST, Manifest
from tables.run.family import Family, in_order, inputs_hash


class State(Enum):
    """The state of a family in a manifest; the values are what `verify` prints."""

    CURRENT = "up to date"
    MISSING = "not built"  # the family, or one that it depends on
    OTHER = "made with other parameters, sizes, seed or inputs"
    UNRECORDED = "not recorded"  # the manifest does not say by which code it was made
    CODE = "its code changed since it was built"
    INPUT = "an input would change"  # a family that it depends on is not up to date


STALE = (State.UNRECORDED, State.CODE, State.INPUT)  # only code changed, so a rebuild may give the same arrays


def states(
    families: tuple[Family, ...], manifest: Manifest, seed: int, rounds_scale: float, remade: Collection[str] = ()
) -> dict[str, State]:
    """Return the state of each family by name.

    ``remade``: exact families that the code here has just computed again, with the same bytes.
    """
    found: dict[str, State] = {}
    for family in in_order(families):
        entry = manifest.families.get(family.name)
        below = {found[name] for name in family.depends}
        state = State.CURRENT
        if entry is None or State.MISSING in below or any(f"{name}.npy" not in manifest.files for name in family.axes):
            state = State.MISSING
        elif entry.inputs != inputs_hash(family, seed, rounds_scale, dependency_files(family, families, manifest)):
            state = State.OTHER
        elif family.name not in remade and entry.code != code_of(family):
            state = State.CODE if entry.code else State.UNRECORDED
        elif below - {State.CURRENT}:
            state = State.INPUT
        found[family.name] = state
    return found


def code_of(family: Family) -> str:
    """Return the hash of the code that makes the family: of the module of ``make``, and of all that it names.

    Some families of one module get their ``make`` from a function of another (`curves.setting_family`). The hash is
    then of that other module. What the function was called with, such as the policy, is in the family's parameters.
    """
    return _code_of_module(family.make.__module__)


_code_of_module = cache(code_hash)


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

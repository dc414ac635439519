"""Roles of table sets: the default answers, the canary answers a share of the callers, the shadow only decides.

Roles come from the settings or, so that they can change without a restart, from the file releases.json in the folder of
the table sets (docs/adr/0061-table-sets.md).
"""

import hashlib
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, NotRequired

from pydantic import BeforeValidator, StrictStr, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from spades.arguments import decimal
from spades.errors import TablesError

Role = Literal["default", "canary", "shadow"]
RELEASES: Final = "releases.json"
_HASHES = 2**64


class Canary(NamedTuple):
    """The set that answers a ``share`` of the callers, 0 to 1."""

    version: str
    share: float

    def serves(self, caller: str) -> bool:
        """Return whether the canary answers ``caller``: always the same, in every process and on every machine.

        Another version serves other callers. A greater share keeps the callers of a smaller one.
        """
        digest = hashlib.sha256(f"{self.version}:{caller}".encode()).digest()
        return int.from_bytes(digest[:8], "big") < self.share * _HASHES


class Roles(NamedTuple):
    """The versions in each role, and where they are named."""

    default: str | None  # None: the only set that there is
    canary: Canary | None
    shadow: str | None
    names: tuple[str, str, str]  # how error texts name the three roles


def canary_of(value: "str | Canary | None") -> Canary | None:
    """Read VERSION:SHARE; raise `ValueError` with what is accepted.

    >>> canary_of("2026.11.9+fedcf0a0:0.05")
    Canary(version='2026.11.9+fedcf0a0', share=0.05)
    """
    if not isinstance(value, str):
        return value
    version, _, share = value.rpartition(":")
    try:
        read = Canary(version, decimal(share))
    except ValueError:
        read = Canary("", -1.0)
    if not read.version or not 0.0 <= read.share <= 1.0:
        raise ValueError("VERSION:SHARE with a share from 0 to 1, such as 2026.11.9+fedcf0a0:0.05")
    return read


@with_config({"extra": "forbid"})
class _Releases(TypedDict):
    """The content of releases.json."""

    default: StrictStr
    canary: NotRequired[Annotated[Canary | None, BeforeValidator(canary_of)]]
    shadow: NotRequired[StrictStr | None]


_READ = TypeAdapter(_Releases).validate_json


def read_roles(path: Path) -> Roles:
    """Return the roles that the file releases.json names; raise `TablesError`."""
    try:
        releases = _READ(path.read_bytes())
    except OSError as error:
        raise TablesError(f"{path}: can't be read ({error.strerror}); expected a readable file") from None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"])) or "the content"
        text = fault.get("ctx", {}).get("error", fault["msg"])
        raise TablesError(
            f"{path}: {where}: found {fault['input']!r:.80} ({text}); expected an object with default and, if "
            'needed, canary and shadow, such as {"default": "2026.11.9+fedcf0a0", "canary": "2026.12.1+0c4b5a6d:0.05"}'
        ) from None
    names = (f"{path}: default", f"{path}: canary", f"{path}: shadow")
    return Roles(releases["default"], releases.get("canary"), releases.get("shadow"), names)

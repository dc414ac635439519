"""Table sets for tests: the committed one with other previous-bids factors, so that `bis` bids more or fewer tricks;
and requests that they answer differently."""

import hashlib
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from service.table_sets import RELEASES, TableSets
from spades.contract.bid_request import bid_answer, read_bid
from spades.manifest import MANIFEST, SEAL, read_manifest, sealed
from spades.tableset import DEFAULT_DIRECTORY

HAND: dict[str, Any] = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3, 1], "seat": 2}
BLIND: dict[str, Any] = {"previous_bids": [4, 4, 3], "seat": 3, "rules": {"preset": "blind-nil"}}
VIEW: dict[str, Any] = {"hand": "AKJ62.AQ.Q.K9543", "bids": [3, 1], "seat": 2}
PLAY: dict[str, Any] = {"hand": "AKJ62.AQ.Q.K9543", "bids": [4, 4, 3, 1], "seat": 0, "tricks": [[]]}


def expected(sets: TableSets, version: str, request: Any) -> Any:
    """What a set answers to a bid request, worked out without the routes."""
    tables = sets.by_version[version].tables
    return bid_answer(read_bid(request, tables.games), tables, version)


def make_set(folder: Path, release: str, more_tricks: float) -> str:
    """Write a set into a new folder in ``folder``, named after its version, which is returned."""
    working = folder / f".{release}"
    shutil.copytree(DEFAULT_DIRECTORY, working)
    content = json.loads((working / MANIFEST).read_bytes())
    file = io.BytesIO()
    np.save(file, np.load(working / "factor.npy") + more_tricks)
    (working / "factor.npy").write_bytes(file.getvalue())
    content["files"]["factor.npy"]["sha256"] = hashlib.sha256(file.getvalue()).hexdigest()
    content["version"] = release
    del content[SEAL]
    (working / MANIFEST).write_bytes(sealed(content))
    version = read_manifest(working).version
    working.rename(folder / version)
    return version


class Folder:
    """A folder of table sets: links to sets that other tests use too, or copies that a test may change."""

    def __init__(self, path: Path, made: Path) -> None:
        self.path = path
        self._made = made
        path.mkdir()

    def link(self, *versions: str) -> None:
        for version in versions:
            (self.path / version).symlink_to(self._made / version)

    def copy(self, version: str, name: str | None = None) -> Path:
        return shutil.copytree(self._made / version, self.path / (name or version))

    def releases(self, **roles: object) -> None:
        """Write releases.json, all at once."""
        new = self.path / ".releases"
        new.write_text(json.dumps(roles))
        new.replace(self.path / RELEASES)

"""Write a model of people as a folder that `model.read_model` reads."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.chunks import Arrays
from arena.people.inputs import VERSION
from arena.people.model import AXES, RELEASE
from arena.store import write_atomically
from spades.manifest import FamilyEntry, FileEntry, read_manifest
from spades.tableset import DEFAULT_DIRECTORY
from tables.run.build import npy_bytes, write_manifest


def write_model(
    out: Path, arrays: Arrays, sizes: Mapping[str, int], report: Mapping[str, Any], figures: Mapping[str, float]
) -> str:
    """Write a model to a folder and return its version; ``sizes``: bids by label, in the order of the arrays."""
    out.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, array in arrays.items():
        content = npy_bytes(array)
        digest = hashlib.sha256(content).hexdigest()
        files[f"{name}.npy"] = FileEntry(digest, len(content), array.shape, array.dtype.str, AXES[name], RELEASE)
        write_atomically(out / f"{name}.npy", content)
    tables = read_manifest(DEFAULT_DIRECTORY)
    parameters = {**report, "labels": list(sizes), "tables": tables.version}
    entry = FamilyEntry(VERSION, False, 0, dict(sizes), parameters, dict(figures), tables.sha256, None)
    write_manifest(out, RELEASE, files, {RELEASE: entry})
    return read_manifest(out).version

"""The shipped table set, and how the files of another set, or of a model, are written."""

import hashlib
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from arena.engine.simulate import kernel_tables
from arena.store import write_atomically
from spades.manifest import RESEARCH, FamilyEntry, FileEntry, path_of, read_manifest
from spades.tables import Tables
from spades.tableset import TableSet, open_tables
from tables.run.build import npy_bytes, write_manifest


@cache
def shipped_set() -> TableSet:
    """Return the shipped table set."""
    return open_tables()


@cache
def shipped_profiles() -> tuple[Tables, ...]:
    """Return the shipped tables by profile, for compiled code."""
    return kernel_tables(shipped_set().arrays)


def write_set(
    out: Path, tables: Path, release: str, family: str, entry: FamilyEntry, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write the table set of the folder ``tables`` to ``out``, with one more family and its ``arrays``."""
    manifest = read_manifest(tables)
    (out / RESEARCH).mkdir(parents=True, exist_ok=True)
    files = dict(manifest.files)
    for name in files:
        shutil.copyfile(path_of(tables, name), path_of(out, name))
    for name, array in arrays.items():
        files[f"{name}.npy"] = write_array(out, name, array, files[f"{name}.npy"].axes, family)
    write_manifest(out, release, files, {**manifest.families, family: entry})


def write_array(folder: Path, name: str, array: NDArray[Any], axes: tuple[str, ...], family: str) -> FileEntry:
    """Write an array of a table set or a model; return its entry for the manifest."""
    content = npy_bytes(array)
    write_atomically(folder / f"{name}.npy", content)
    return FileEntry(hashlib.sha256(content).hexdigest(), len(content), array.shape, array.dtype.str, axes, family)

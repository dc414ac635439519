"""Open the tables: check every file against the manifest, then memory-map it read-only.

Not the making of them (tables/). Data comes from tables/data/manifest.json and the .npy files it names; it goes to
the kernels as one `Tables`. Nothing is repaired or skipped: what does not fit raises `TablesError`, which names
the file, what was found and what was expected.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.errors import TablesError
from service.bidding.manifest import MANIFEST, FamilyEntry, FileEntry, Manifest, check_strays, read_manifest
from service.bidding.table_profile import PARTNERSHIP_PROFILE, PROFILES
from service.bidding.table_views import Tables
from service.bidding.winprob.games import SHIPPED_ROWS, Games, games_of, whole_rows
from service.bidding.winprob.weights import Weights, load_weights

DEFAULT_DIRECTORY = Path(__file__).resolve().parents[2] / "tables" / "data"

CNIL_READING = 0  # of cnil's first axis: `and`, `or`, `any`; the one that is shipped


class FileState(NamedTuple):
    """What tells whether a file is still the one that was opened."""

    device: int
    inode: int
    bytes: int
    mtime_ns: int


@dataclass(frozen=True)
class TableSet:
    """Open tables. ``arrays`` by array name, read-only; ``kernel`` and ``kernel_arrays`` view the same bytes.

    Both hold one `Tables` for each setting (`table_profile.PROFILES`).
    """

    directory: Path
    manifest: Manifest
    arrays: Mapping[str, NDArray[Any]]
    kernel: tuple[Tables, ...]  # memoryviews: what plain Python indexes fastest
    kernel_arrays: tuple[Tables, ...]  # ndarrays: what compiled code takes
    opened: tuple[tuple[str, FileState | None], ...] = ()  # path and state of each file, before it was read

    def changed_file(self) -> str | None:
        """The path of a file that has changed or gone since it was opened; None if all are as they were.

        The arrays are mapped: a file that is overwritten in place changes them.
        """
        for path, state in self.opened:
            if _state_of(path) != state:
                return path
        return None

    @cached_property
    def weights(self) -> Weights:
        """The net of `winprob` as the service multiplies it; made at first use, for other bidders have none."""
        return load_weights(self.kernel_arrays[PARTNERSHIP_PROFILE], self.kernel[PARTNERSHIP_PROFILE], self.games)

    @cached_property
    def games(self) -> Games:
        """The games that have a win table."""
        return games_of(self.arrays["games"])

    @property
    def version(self) -> str:
        """Release and content, as in an answer's `tables`."""
        return self.manifest.version

    @property
    def sha256(self) -> str:
        """Of the manifest's content, and through it of every file."""
        return self.manifest.sha256

    @property
    def families(self) -> Mapping[str, FamilyEntry]:
        """How each family was made, by name."""
        return self.manifest.families


def open_tables(directory: Path | None = None) -> TableSet:
    """Check and map the tables of ``directory`` (the repository's tables/data when None).

    Reads every file once, for its sha256; afterwards pages are shared between the processes that map them.
    Raises `TablesError`.
    """
    folder = DEFAULT_DIRECTORY if directory is None else Path(directory)
    manifest_path = str(folder / MANIFEST)
    manifest_state = _state_of(manifest_path)
    manifest = read_manifest(folder)
    check_strays(folder, manifest)
    paths = [str(folder / name) for name in sorted(manifest.files)]
    opened = ((manifest_path, manifest_state), *((path, _state_of(path)) for path in paths))
    arrays = {Path(name).stem: open_array(folder, name, entry) for name, entry in sorted(manifest.files.items())}
    missing = [name for name in Tables._fields if name not in arrays]
    if missing:
        raise TablesError(f"{folder / MANIFEST}: found no file {missing[0]}.npy; expected one for each kernel table")
    kernel_arrays = tables_by_profile(arrays)
    views = {id(array): memoryview(array) for t in kernel_arrays for array in t}
    kernel = tuple(Tables(*(views[id(array)] for array in t)) for t in kernel_arrays)
    return TableSet(folder, manifest, MappingProxyType(arrays), kernel, kernel_arrays, opened)


def tables_by_profile(arrays: Mapping[str, NDArray[Any]]) -> tuple[Tables, ...]:
    """The kernels' `Tables` by setting, out of whole arrays (ndarrays; C order).

    A setting's own arrays carry its name, as in `big5_curves`; for the rest it reads the partnership's.
    """
    views = {name: arrays[name] for name in Tables._fields}
    views["cnil"] = arrays["cnil"][CNIL_READING]
    views["games"] = games = np.array([*SHIPPED_ROWS, *whole_rows(arrays["games"])], np.int64)
    games.flags.writeable = False
    return tuple(
        Tables(**{name: arrays.get(f"{setting}_{name}", view) for name, view in views.items()}) for setting in PROFILES
    )


def open_array(directory: Path, name: str, entry: FileEntry) -> NDArray[Any]:
    """Check a file (size, sha256, header) and map it; read-only, C order. Raises `TablesError`."""
    path = directory / name
    try:
        size = path.stat().st_size
        if size != entry.bytes:
            raise TablesError(f"{path}: found {size} bytes; expected {entry.bytes}")
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != entry.sha256:
                raise TablesError(f"{path}: found sha256 {found}; expected {entry.sha256}")
            file.seek(0)
            _check_header(path, file, entry)
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise TablesError(f"{path}: not found; expected {entry.bytes} bytes with sha256 {entry.sha256}") from error
    except OSError as error:
        raise TablesError(f"{path}: can't be read ({error.strerror}); expected a readable file") from error
    array: NDArray[Any] = np.asarray(mapped)  # the plain ndarray indexes three times faster than np.memmap
    return array


def _state_of(path: str) -> FileState | None:
    """The file's state; None where there is no file to be seen."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return FileState(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _check_header(path: Path, file: Any, entry: FileEntry) -> None:
    try:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise TablesError(f"{path}: found npy version {version}; expected (1, 0)")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except ValueError as error:
        raise TablesError(f"{path}: found no npy header ({error}); expected one") from error
    found = (tuple(shape), "Fortran" if fortran else "C", dtype.str)
    expected = (entry.shape, "C", entry.dtype)
    if found != expected:
        raise TablesError(f"{path}: found shape, order and dtype {found}; expected {expected}")
    size = file.seek(0, os.SEEK_CUR) + dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    if size != entry.bytes:
        raise TablesError(f"{path}: found {entry.bytes} bytes; expected {size} for {found}")

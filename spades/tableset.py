"""Open the tables: check every file against the manifest, then map it into memory, read-only.

The code in tables/ makes the files. This module reads tables/data/manifest.json and the .npy files that it names, and
passes them to the kernels as `Tables`. It never repairs or skips a file: a file that does not match raises
`TablesError` with its name, what was found and what was expected.
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

from spades.card_net import ARRAYS as CARD_NET_ARRAYS
from spades.card_net import CardNet, card_net_of
from spades.errors import TablesError
from spades.inference.holders import Readers, readers_of
from spades.manifest import (
    MANIFEST,
    FamilyEntry,
    FileEntry,
    Manifest,
    check_strays,
    is_research,
    path_of,
    read_manifest,
)
from spades.tables import DECK_ARRAYS, MIXED_PROFILES, PARTNERSHIP_PROFILE, PROFILES, Tables, dtypes_of
from spades.winprob.games import SHIPPED_ROWS, WIN_CELLS, Games, complete_rows, games_of
from spades.winprob.weights import Weights, complete_outcomes, load_weights

# The tables that come with the library; in a checkout, `data` is a link to tables/data.
DEFAULT_DIRECTORY = (Path(__file__).parent / "data").resolve()

CNIL_READING = 0  # index on the first axis of cnil (`and`, `or`, `any`) that is used


class FileState(NamedTuple):
    """Data that shows whether a file is still the one that was opened."""

    device: int
    inode: int
    bytes: int
    mtime_ns: int


@dataclass(frozen=True, repr=False)  # its repr would print parts of every array
class TableSet:
    """The open tables: ``arrays`` by name, read-only; ``kernel`` and ``kernel_arrays`` are views of the same bytes.

    ``arrays`` are those that bidders and inference read, without `research`. Both views hold one `Tables` for each
    table profile (`tables.PROFILES`).
    """

    directory: Path
    manifest: Manifest
    arrays: Mapping[str, NDArray[Any]]
    kernel: tuple[Tables, ...]  # memoryviews, which plain Python indexes fastest
    kernel_arrays: tuple[Tables, ...]  # ndarrays, which compiled code needs
    opened: tuple[tuple[str, FileState | None], ...] = ()  # path and state of each file before it was read

    def changed_file(self) -> str | None:
        """Return the path of a file that has changed or is missing since it was opened; None if there is none.

        The arrays are mapped, so overwriting a file in place changes them.
        """
        for path, state in self.opened:
            if _state_of(path) != state:
                return path
        return None

    @cached_property
    def research(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that only the build, the report and learned card players read, opened at first use.

        Raises `TablesError` if one is missing: wheels and images have none of them.
        """
        return MappingProxyType(_open_arrays(self.directory, self.manifest, research=True))

    @cached_property
    def weights(self) -> Weights:
        """The network of `winprob`, in the service's form; made at first use, because no other policy needs it."""
        return load_weights(self.kernel_arrays[PARTNERSHIP_PROFILE], self.games)

    @cached_property
    def readers(self) -> Readers:
        """The arrays of inference; made at first use. Raises `TablesError` if one is missing."""
        return readers_of(self.arrays)

    @cached_property
    def card_net(self) -> CardNet | None:
        """The net of the card player `distilled@1`; None if the tables are older than it.

        Raises `TablesError` if only some of its arrays are there.
        """
        if not any(name in self.arrays for name in CARD_NET_ARRAYS):
            return None
        for name in CARD_NET_ARRAYS:
            if name not in self.arrays:
                raise TablesError(f"found no file {name}.npy; expected one for each array of the card net")
        return card_net_of(self.arrays)

    @cached_property
    def games(self) -> Games:
        """The games (rule sets) that have a win table."""
        return games_of(self.arrays["games"])

    @property
    def version(self) -> str:
        """The release and a checksum of the content, as in an answer's field `tables`."""
        return self.manifest.version

    @property
    def sha256(self) -> str:
        """The checksum of the manifest's content, which includes the checksum of every file."""
        return self.manifest.sha256

    @property
    def families(self) -> Mapping[str, FamilyEntry]:
        """How each family of tables was made, by name."""
        return self.manifest.families


def open_tables(directory: Path | None = None) -> TableSet:
    """Check and map the tables in ``directory`` (None: those that come with the library).

    Reads every file except research arrays once, for its sha256. After that, all processes that map a file share
    its pages in memory. Raises `TablesError`.
    """
    folder = DEFAULT_DIRECTORY if directory is None else Path(directory)
    manifest_path = str(folder / MANIFEST)
    manifest_state = _state_of(manifest_path)
    manifest = read_manifest(folder)
    check_strays(folder, manifest)
    paths = [str(folder / name) for name in sorted(manifest.files) if not is_research(name)]
    opened = ((manifest_path, manifest_state), *((path, _state_of(path)) for path in paths))
    arrays = _open_arrays(folder, manifest, research=False)
    missing = [name for name in Tables._fields if name not in arrays]
    if missing:
        raise TablesError(f"{folder / MANIFEST}: found no file {missing[0]}.npy; expected one for each kernel table")
    for name, array in arrays.items():
        accepted = dtypes_of(name)
        if accepted and array.dtype.str not in accepted:
            raise TablesError(f"{folder / name}.npy: found dtype {array.dtype.str}; expected {' or '.join(accepted)}")
    if (shape := arrays["win"].shape) != (WIN_CELLS,):
        raise TablesError(f"{folder / 'win.npy'}: found shape {shape}; expected {(WIN_CELLS,)} for this code's games")
    try:
        complete_outcomes(arrays["net_out"])
    except ValueError as error:
        raise TablesError(f"{folder / 'net_out.npy'}: {error}") from error
    kernel_arrays = tables_by_profile(arrays)
    views = {id(array): memoryview(array) for profile in kernel_arrays for array in profile}
    kernel = tuple(Tables(*(views[id(array)] for array in profile)) for profile in kernel_arrays)
    return TableSet(folder, manifest, MappingProxyType(arrays), kernel, kernel_arrays, opened)


def tables_by_profile(arrays: Mapping[str, NDArray[Any]]) -> tuple[Tables, ...]:
    """Return the kernels' `Tables` for each profile of `PROFILES` and then of `MIXED_PROFILES`, from whole arrays.

    These are ndarrays in C order. The arrays of a profile have its name as prefix, as in `big5_curves`. A profile
    without its own array uses the partnership's.
    """
    views = {name: arrays[name] for name in Tables._fields}
    views["cnil"] = arrays["cnil"][CNIL_READING]
    views["net_out"] = complete_outcomes(arrays["net_out"])
    views["games"] = games = np.array([*complete_rows(arrays["games"]), *SHIPPED_ROWS], np.int64)
    games.flags.writeable = False
    pure = [
        Tables(**{name: arrays.get(f"{setting}_{name}", view) for name, view in views.items()}) for setting in PROFILES
    ]
    mixed = [
        pure[variant]._replace(**{name: getattr(pure[deck], name) for name in DECK_ARRAYS})
        for variant, deck in MIXED_PROFILES
    ]
    return (*pure, *mixed)


def _open_arrays(directory: Path, manifest: Manifest, *, research: bool) -> dict[str, NDArray[Any]]:
    files = sorted(manifest.files.items())
    return {Path(name).stem: open_array(directory, name, file) for name, file in files if is_research(name) == research}


def open_array(directory: Path, name: str, entry: FileEntry) -> NDArray[Any]:
    """Check a file (size, sha256, header) and return it mapped, read-only, in C order. Raises `TablesError`."""
    path = path_of(directory, name)
    try:
        size = path.stat().st_size
        if size != entry.bytes:
            raise TablesError(f"{path}: found {size} bytes; expected {entry.bytes}")
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            if sha256 != entry.sha256:
                raise TablesError(f"{path}: found sha256 {sha256}; expected {entry.sha256}")
            file.seek(0)
            _check_header(path, file, entry)
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise TablesError(f"{path}: not found; expected {entry.bytes} bytes with sha256 {entry.sha256}") from error
    except OSError as error:
        raise TablesError(f"{path}: can't be read ({error.strerror}); expected a readable file") from error
    array: NDArray[Any] = np.asarray(mapped)  # indexing a plain ndarray is three times faster than np.memmap
    return array


def _state_of(path: str) -> FileState | None:
    """Return the file's state, or None if there is no readable file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return FileState(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _check_header(path: Path, file: Any, entry: FileEntry) -> None:
    try:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise TablesError(f"{path}: found npy version {version}; expected (1, 0)")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except ValueError as error:
        raise TablesError(f"{path}: found no npy header ({error}); expected one") from error
    header = (tuple(shape), "Fortran" if fortran else "C", dtype.str)
    expected = (entry.shape, "C", entry.dtype)
    if header != expected:
        raise TablesError(f"{path}: found shape, order and dtype {header}; expected {expected}")
    size = file.seek(0, os.SEEK_CUR) + dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    if size != entry.bytes:
        raise TablesError(f"{path}: found {entry.bytes} bytes; expected {size} for {header}")

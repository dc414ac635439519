"""Open the tables: check every file against the manifest, then memory-map it read-only.

Not the making of them (tables/). Data comes from tables/data/manifest.json and the .npy files it names; it goes to
the kernels as one `Tables`. Nothing is repaired or skipped: what does not fit raises `TablesError`, which names
the file, what was found and what was expected.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from service.bidding.errors import TablesError
from service.bidding.table_profile import PARTNERSHIP_PROFILE, PROFILES
from service.bidding.winprob.games import SHIPPED_ROWS, Games, games_of
from service.bidding.winprob.weights import Weights, load_weights

FORMAT = 1  # of the manifest; see docs/adr/0003
MANIFEST = "manifest.json"
SEAL = "sha256"  # the manifest's field for its own checksum, over all other fields
DEFAULT_DIRECTORY = Path(__file__).resolve().parents[2] / "tables" / "data"

# What both numba and a memoryview can index, little-endian.
DTYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u4", "<u2", "|u1")

CNIL_READING = 0  # of cnil's first axis: `and`, `or`, `any`; the one that is shipped

View: TypeAlias = Any  # a memoryview in the service, an ndarray of the same bytes in the simulator


class Tables(NamedTuple):
    """What the kernels read, as views indexed [i, j, ...]; each field is the array of that name.

    A new table is one more field here; one that is not the whole array has its line in `tables_by_profile` too.
    """

    p_length: View  # float64 (4, 14, 4): P(each of m players holds >= k of a suit of which we hold n)
    # float64 (2, 8192): side or spades, holding -> P(its three lowest cards take no trick). With jokers (3, 32768):
    # clubs and hearts, diamonds, spades; so kernels count the rows of diamonds and spades from the end.
    cnil: View
    # float64 (4, 8192): opponents who might cut, holding -> tricks of its A K Q. With jokers (8, 8192): rows of clubs
    # and hearts before those of diamonds, which kernels count from the end.
    side_high: View
    spade_high: View  # uint8 (8192, 10): holding, k lowest taken away -> tricks by rank
    spade_takes: View  # uint8 (8192, 10): the same, by rank and length
    ruffs: View  # float64 (4, 64, 10): opponents who might cut, side lengths -> worth of the best k ruffs
    rb_suit: View  # float64 (2, 8192): side or spades, holding -> RB's tricks
    factor: View  # float64 (4, 40): seat, sum of the previous bids -> tricks to add
    curves: View  # float64 (2955, 101): sequence of previous bids, nil value -> P(nil made)
    single_curve: View  # float64 (1, 101): the same, whatever was bid before
    contract_made: View  # float64 (2, 27): side without or with a nil, contract -> P(made)
    mean_bids: View  # float64 (2955, 3): sequence of bids -> mean of the next, the one after, and the third
    p_ace: View  # float64 (4, 40): seat, sum of the previous bids -> P(its hand holds the ace of spades)
    blind_nil: View  # float64 (2955,): sequence of previous bids -> P(blind nil made)
    # The net of `winprob`, float64, and its win tables; see net and win_games. Other bidders read none of them.
    net_position: View  # (INPUTS + 1, H): a position's inputs, and the biases -> first hidden layer
    net_bid: View  # (BID_INPUTS, H): a bid's inputs
    net_hidden: View  # (H + 1, G): first hidden layer -> second
    net_out: View  # (G + 1, 20): second hidden layer -> outcomes
    win: View  # uint16 (cells,): the games' tables one after the other -> P(first bidder's side wins), 65,535ths
    more_win: View  # the same of games with other rules, made by --rules
    games: View  # int64 (games, 18): what tells each game, and where its table stands; those of `win` first


class FileEntry(NamedTuple):
    """A file as the manifest tells it."""

    sha256: str
    bytes: int
    shape: tuple[int, ...]
    dtype: str
    axes: tuple[str, ...]  # what each axis means
    family: str


class FamilyEntry(NamedTuple):
    """How the files of one family were made."""

    generator: int  # version of the code that made them
    exact: bool
    seed: int | None  # None: no sampling
    sizes: Mapping[str, int]  # such as rounds simulated
    parameters: Mapping[str, Any]
    figures: Mapping[str, float]  # measured while building
    inputs: str  # sha256 of all that decides its bytes


class Manifest(NamedTuple):
    """The manifest, read and checked."""

    version: str  # "2026.11.1+3f9a1c2e": the release, and the first 8 hex digits of `sha256`
    release: str
    sha256: str  # of the canonical content, which the file states of itself
    files: Mapping[str, FileEntry]  # by file name
    families: Mapping[str, FamilyEntry]


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
    views["games"] = games = np.concatenate([SHIPPED_ROWS, arrays["games"]])
    games.flags.writeable = False
    return tuple(
        Tables(**{name: arrays.get(f"{setting}_{name}", view) for name, view in views.items()}) for setting in PROFILES
    )


def read_manifest(directory: Path) -> Manifest:
    """The manifest of ``directory``; raises `TablesError` when it is missing, unreadable or not of our format."""
    path = directory / MANIFEST
    try:
        written = path.read_bytes()
        content = json.loads(written)
    except FileNotFoundError as error:
        raise TablesError(f"{path}: not found; expected the tables' manifest there") from error
    except OSError as error:
        raise TablesError(f"{path}: can't be read ({error.strerror}); expected a readable file") from error
    except (ValueError, RecursionError) as error:
        raise TablesError(f"{path}: found no JSON ({error}); expected the tables' manifest") from error
    top = _Fields(path, "the manifest", content)
    found = top.content.get("format")
    if found != FORMAT or isinstance(found, bool):
        raise TablesError(f"{path}: found format {found!r}; expected {FORMAT}")
    stated = top.text(SEAL)
    rest = {name: value for name, value in top.content.items() if name != SEAL}
    sha256 = hashlib.sha256(canonical(rest)).hexdigest()
    if sha256 != stated:
        raise TablesError(f"{path}: found content of sha256 {sha256}; expected {stated}, which it states")
    if written != sealed(rest):
        raise TablesError(f"{path}: found its content spelt another way; expected the bytes that the build writes")
    release = top.text("version")
    families = {name: _family_entry(_Fields(path, name, value)) for name, value in top.mapping("families").items()}
    files = {name: _file_entry(_Fields(path, name, value)) for name, value in top.mapping("files").items()}
    for name, entry in files.items():
        if name != Path(name).name or not name.endswith(".npy"):
            raise TablesError(f"{path}: found file name {name!r}; expected a plain name ending in .npy")
        if entry.family not in families:
            raise TablesError(f"{path}: {name}: found family {entry.family!r}; expected one of {sorted(families)}")
    return Manifest(f"{release}+{sha256[:8]}", release, sha256, files, families)


def check_strays(directory: Path, manifest: Manifest) -> None:
    """Raise `TablesError` when ``directory`` holds a .npy file that the manifest does not name."""
    for path in sorted(directory.glob("*.npy")):
        if path.name not in manifest.files:
            raise TablesError(f"{path}: found a file that is not in {MANIFEST}; expected only those named there")


def canonical(content: Mapping[str, Any]) -> bytes:
    """The one spelling of a manifest that is hashed."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def sealed(content: Mapping[str, Any]) -> bytes:
    """A manifest's file: ``content`` with its own sha256, sorted and indented so that a change reads well as a diff."""
    seal = hashlib.sha256(canonical(content)).hexdigest()
    return (json.dumps({**content, SEAL: seal}, sort_keys=True, indent=1) + "\n").encode("ascii")


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


class _Fields:
    """One JSON object of the manifest, whose fields are taken by name and type."""

    def __init__(self, path: Path, name: str, content: object) -> None:
        self.path, self.name = path, name
        if not isinstance(content, dict):
            raise TablesError(f"{path}: {name}: found {type(content).__name__}; expected an object")
        self.content: dict[str, Any] = content

    def take(self, field: str, kind: type, expected: str) -> Any:
        value = self.content.get(field)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TablesError(f"{self.path}: {self.name}: found {field} {value!r}; expected {expected}")
        return value

    def text(self, field: str) -> str:
        return str(self.take(field, str, "a string"))

    def integer(self, field: str) -> int:
        return int(self.take(field, int, "an integer"))

    def mapping(self, field: str) -> dict[str, Any]:
        return dict(self.take(field, dict, "an object"))

    def items(self, field: str, kind: type) -> Iterator[Any]:
        expected = f"a list of {kind.__name__}"
        values = self.take(field, list, expected)
        for value in values:
            if not isinstance(value, kind):
                raise TablesError(f"{self.path}: {self.name}: found {field} {values!r}; expected {expected}")
        return iter(values)


def _file_entry(fields: _Fields) -> FileEntry:
    entry = FileEntry(
        sha256=fields.text("sha256"),
        bytes=fields.integer("bytes"),
        shape=tuple(fields.items("shape", int)),
        dtype=fields.text("dtype"),
        axes=tuple(fields.items("axes", str)),
        family=fields.text("family"),
    )
    if entry.dtype not in DTYPES:
        raise TablesError(f"{fields.path}: {fields.name}: found dtype {entry.dtype!r}; expected one of {DTYPES}")
    if len(entry.axes) != len(entry.shape):
        raise TablesError(f"{fields.path}: {fields.name}: found {len(entry.axes)} axes; expected {len(entry.shape)}")
    return entry


def _family_entry(fields: _Fields) -> FamilyEntry:
    exact = bool(fields.take("exact", bool, "true or false"))
    return FamilyEntry(
        generator=fields.integer("generator"),
        exact=exact,
        seed=None if exact else fields.integer("seed"),
        sizes=fields.mapping("sizes"),
        parameters=fields.mapping("parameters"),
        figures=fields.mapping("figures"),
        inputs=fields.text("inputs"),
    )

"""The manifest of a table directory: its files, their checksums, and how each file was made.

docs/adr/0003-table-format.md describes the format. A manifest that is missing, damaged or in another format raises
`TablesError`.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from spades.errors import TablesError

FORMAT = 1  # version of the manifest's format
MANIFEST = "manifest.json"
SEAL = "sha256"  # the field that holds the manifest's own checksum, over all other fields
RESEARCH = "research"  # folder of the arrays that only the build and the report read: no wheel and no image has it
_RESEARCH_ARRAYS = re.compile(r"(\w+_)?held_out|q[12]_\w+|net0_\w+|curves0|rb_values")  # q2_*: until 2026.11.10
# The little-endian types that both numba and a memoryview can index.
DTYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u4", "<u2", "|u1")


class FileEntry(NamedTuple):
    """The manifest's entry for a file."""

    sha256: str
    bytes: int
    shape: tuple[int, ...]
    dtype: str
    axes: tuple[str, ...]  # what each axis means
    family: str


class FamilyEntry(NamedTuple):
    """How the files of one family were made."""

    generator: int  # raised when something other than code changes the files (`tables.run.family`)
    exact: bool  # True: counted, without sampling
    seed: int | None  # None: no sampling
    sizes: Mapping[str, int]  # such as rounds simulated
    parameters: Mapping[str, Any]
    figures: Mapping[str, float]  # measured while building
    inputs: str  # sha256 of everything that determines the files' bytes, except code
    code: str | None  # hash of the code that made the files, until tables 2026.11.10; nothing reads it


class Manifest(NamedTuple):
    """A manifest that has been read and checked."""

    version: str  # "2026.11.1+3f9a1c2e": the release, and the first 8 hex digits of `sha256`
    release: str
    sha256: str  # of the canonical content, as stated in the file
    files: Mapping[str, FileEntry]  # by file name
    families: Mapping[str, FamilyEntry]


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of ``directory``; raise `TablesError` if it is missing, unreadable or in another format."""
    path = directory / MANIFEST
    try:
        file_bytes = path.read_bytes()
        content = json.loads(file_bytes)
    except FileNotFoundError as error:
        raise TablesError(f"{path}: not found; expected the manifest of the tables") from error
    except OSError as error:
        raise TablesError(f"{path}: can't be read ({error.strerror}); expected a readable file") from error
    except (ValueError, RecursionError) as error:
        raise TablesError(f"{path}: found no JSON ({error}); expected the manifest of the tables") from error
    top = _Fields(path, "the manifest", content)
    format_version = top.content.get("format")
    if format_version != FORMAT or isinstance(format_version, bool):
        raise TablesError(f"{path}: found format {format_version!r}; expected {FORMAT}")
    stated = top.text(SEAL)
    unsealed = {name: value for name, value in top.content.items() if name != SEAL}
    sha256 = hashlib.sha256(canonical(unsealed)).hexdigest()
    if sha256 != stated:
        raise TablesError(f"{path}: found content with sha256 {sha256}; expected {stated}, as the manifest says")
    if file_bytes != sealed(unsealed):
        raise TablesError(f"{path}: found the right content in another form; expected the bytes that the build writes")
    release = top.text("version")
    families = {name: _family_entry(_Fields(path, name, value)) for name, value in top.mapping("families").items()}
    files = {name: _file_entry(_Fields(path, name, value)) for name, value in top.mapping("files").items()}
    for name, entry in files.items():
        if name != Path(name).name or not name.endswith(".npy"):
            raise TablesError(f"{path}: found file name {name!r}; expected a plain name ending in .npy")
        if entry.family not in families:
            raise TablesError(f"{path}: {name}: found family {entry.family!r}; expected one of {sorted(families)}")
    return Manifest(f"{release}+{sha256[:8]}", release, sha256, files, families)


def is_research(name: str) -> bool:
    """Return whether only the build and the report read the array or file ``name``.

    >>> is_research("jokers_held_out.npy"), is_research("jokers_curves.npy")
    (True, False)
    """
    return _RESEARCH_ARRAYS.fullmatch(name.removesuffix(".npy")) is not None


def path_of(directory: Path, name: str) -> Path:
    """Return the path of the file ``name`` of a table directory, which may be in its folder `RESEARCH`.

    Until 2026.11.10 there was no such folder. A file that lies beside the manifest stays there.
    """
    path = directory / name
    return directory / RESEARCH / name if is_research(name) and not path.exists() else path


def check_strays(directory: Path, manifest: Manifest) -> None:
    """Raise `TablesError` if ``directory`` holds a .npy file that the manifest does not name."""
    for path in sorted([*directory.glob("*.npy"), *directory.glob(f"{RESEARCH}/*.npy")]):
        if path.name not in manifest.files:
            raise TablesError(f"{path}: found a file that is not in {MANIFEST}; expected only the files named there")


def canonical(content: Mapping[str, Any]) -> bytes:
    """Return the canonical JSON of a manifest, from which its checksum is made."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def sealed(content: Mapping[str, Any]) -> bytes:
    """Return the bytes of a manifest file: ``content`` with its sha256, sorted and indented for readable diffs."""
    seal = hashlib.sha256(canonical(content)).hexdigest()
    return (json.dumps({**content, SEAL: seal}, sort_keys=True, indent=1) + "\n").encode("ascii")


class _Fields:
    """One JSON object of the manifest, with methods that read a field by name and type.

    The methods raise `TablesError` if the field is missing or has another type.
    """

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
        code=None if fields.content.get("code") is None else fields.text("code"),
    )

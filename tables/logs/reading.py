"""Read logs in batches, from JSON Lines or Parquet: the records that are right, and what is wrong in the others.

The memory in use depends on the size of a batch, not on that of the log.
"""

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import polars
from pydantic import ValidationError
from tqdm import tqdm

from service.bidding.errors import RulesError
from tables.logs.checks import fill_and_check
from tables.logs.keys import Keys
from tables.logs.round_log import ACCEPTED, FIELDS, LABEL_FIELDS, READER, RoundLog
from tables.logs.rounds import Names, Rounds, rounds_of
from tables.run.family import BuildError

BATCH = 20_000  # records
TEXT_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson")
ENDINGS = (*TEXT_ENDINGS, ".parquet")
FORM, RULES, AGAIN = (
    "form",
    "rules",
    "round-twice",
)  # names of faults that are found here; others are in `checks.FAULTS`
# The columns of a Parquet log.
SCHEMA: dict[str, Any] = {
    "format": polars.Int8,
    "game": polars.String,
    "round": polars.Int32,
    "bids": polars.List(polars.Int8),
    "time": polars.String,
    "rules": polars.String,
    "hands": polars.List(polars.String),
    "tricks": polars.List(polars.Int8),
    "plays": polars.List(polars.String),
    "scores": polars.List(polars.Int16),
    "bags": polars.List(polars.Int8),
    "labels": polars.List(polars.Struct(dict.fromkeys(LABEL_FIELDS, polars.String))),
    "winner": polars.Int8,
}
assert tuple(SCHEMA) == FIELDS, "a Parquet log has the columns of `RoundLog`"
_BOM = b"\xef\xbb\xbf"
_UTC = "%Y-%m-%dT%H:%M:%S%.6fZ"


class Piece(NamedTuple):
    """A part of a file."""

    path: Path
    line: int = 1  # number of its first line, or row
    start: int = 0  # first byte of a text file, or row of a Parquet file
    stop: int | None = None  # end of the bytes or rows; None: to the end of the file


class Fault(NamedTuple):
    """Something that is wrong in a record."""

    file: str
    line: int  # of a text file, or row of a Parquet file, from 1
    name: str
    text: str  # field, found, accepted


@dataclass
class Batch:
    """Records of a log. Those with a fault are not among ``records`` and ``rounds``."""

    records: list[RoundLog] = field(default_factory=list)
    rounds: Rounds | None = None
    faults: dict[int, list[Fault]] = field(default_factory=dict)  # by line
    bad: dict[int, Any] = field(default_factory=dict)  # by line, the records with a fault, as they were read
    dropped: Counter[str] = field(default_factory=Counter)  # names of fields that the format does not have
    n_bytes: int = 0  # of the file


def read(path: Path, names: Names, keys: Keys) -> Iterator[Batch]:
    """Yield the batches of a file; ``names`` and ``keys`` go on from file to file.

    Raises `BuildError` for a file that cannot be read.
    """
    yield from read_piece(Piece(path), names, keys)


def read_piece(piece: Piece, names: Names, keys: Keys) -> Iterator[Batch]:
    """Yield the batches of a part of a file; see `read`."""
    path = piece.path
    if not path.name.endswith(ENDINGS):
        raise BuildError(f"{path} has an unknown ending; accepted: {', '.join(ENDINGS)}")
    try:
        for batch, raw in _from_text(piece) if path.name.endswith(TEXT_ENDINGS) else _from_parquet(piece):
            _fill(batch, raw, str(path), names, keys)
            yield batch
    except (OSError, EOFError, zlib.error, polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise BuildError(f"{path} cannot be read to its end: {str(error).splitlines()[0]}") from error


def read_all(files: Sequence[Path], names: Names, keys: Keys, title: str) -> Iterator[Batch]:
    """Yield the batches of all files, with a progress bar. Raises `BuildError`."""
    total = sum(path.stat().st_size for path in existing(files))
    with tqdm(total=total, unit="B", unit_scale=True, desc=title, disable=None) as bar:
        for path in files:
            for batch in read(path, names, keys):
                yield batch
                bar.update(batch.n_bytes)


def existing(files: Sequence[Path]) -> Sequence[Path]:
    """Return the files; raise `BuildError` if one does not exist."""
    for path in files:
        if not path.is_file():
            raise BuildError(f"{path} is no file; accepted: logs that exist")
    return files


def _from_text(piece: Piece) -> Iterator[tuple[Batch, list[tuple[int, Any]]]]:
    path, first, before, stop = piece
    raw: list[tuple[int, Any]] = []
    left = -1 if stop is None else stop - before  # bytes
    with path.open("rb") as on_disk, gzip.open(on_disk, "rb") if path.suffix == ".gz" else on_disk as file:
        on_disk.seek(before)
        for number, line in enumerate(file, first):
            if left == 0:
                break
            left -= len(line) if stop is not None else 0
            text = line.removeprefix(_BOM) if number == 1 else line
            if text.strip():
                raw.append((number, text))
            if len(raw) == BATCH:
                yield Batch(n_bytes=on_disk.tell() - before), raw
                before, raw = on_disk.tell(), []
        yield Batch(n_bytes=on_disk.tell() - before), raw


def _from_parquet(piece: Piece) -> Iterator[tuple[Batch, list[tuple[int, Any]]]]:
    path, line, start, stop = piece
    scan = polars.scan_parquet(path, glob=False, hive_partitioning=False)
    types = scan.collect_schema()
    missing = [name for name in RoundLog.__required_keys__ if name not in types]
    if missing:
        raise BuildError(f"{path} has no column {', '.join(sorted(missing))}; accepted: {', '.join(FIELDS)}")
    known = [name for name in FIELDS if name in types]
    dropped = [name for name in types if name not in known]
    if isinstance(types.get("time"), polars.Datetime):
        zone = getattr(types["time"], "time_zone", None)
        time = polars.col("time").dt.convert_time_zone("UTC") if zone else polars.col("time")
        scan = scan.with_columns(time.dt.strftime(_UTC if zone else _UTC.removesuffix("Z")))
    size = path.stat().st_size / max(1, int(scan.select(polars.len()).collect().item()))
    part = scan.select(known).slice(start, None if stop is None else stop - start)
    for frame in part.collect_batches(chunk_size=BATCH, maintain_order=True):
        rows = [{key: value for key, value in row.items() if value is not None} for row in frame.iter_rows(named=True)]
        counted = Counter(dict.fromkeys(dropped, len(rows)))
        yield Batch(dropped=counted, n_bytes=round(size * len(rows))), list(enumerate(rows, line))
        line += len(rows)


def _fill(batch: Batch, raw: list[tuple[int, Any]], file: str, names: Names, keys: Keys) -> None:
    # Fill the batch from what was read: lines of text, or rows as dicts.
    def refuse(line: int, record: Any, name: str, *texts: str) -> None:
        batch.faults[line] = [Fault(file, line, name, text) for text in texts]
        batch.bad[line] = record

    formed: list[tuple[int, Any, RoundLog]] = []
    numbers = []
    for line, given in raw:
        try:
            record = READER.validate_json(given) if isinstance(given, bytes) else READER.validate_python(_plain(given))
        except ValidationError as error:
            refuse(line, given, FORM, *_texts(error))
            continue
        for name in record.keys() - set(FIELDS):
            batch.dropped[name] += 1
            del record[name]  # type: ignore[misc]
        rules = names.rules_number(record.get("rules"))
        if isinstance(rules, RulesError):
            refuse(line, given, RULES, f"rules: {rules}")
        else:
            formed.append((line, given, record))
            numbers.append(rules)
    if not formed:
        return
    rounds, faults = fill_and_check(rounds_of([record for _, _, record in formed], numbers, names), names)
    sound = np.array([row for row in range(len(formed)) if row not in faults], np.int64)
    for row in sound[keys.repeated(rounds.keys[sound])].tolist():
        record = formed[row][2]
        faults[row] = AGAIN, f"round {record['round']} of game {record['game']!r} again; accepted: each round once"
    for row, (name, text) in sorted(faults.items()):
        refuse(*formed[row][:2], name, text)
    kept = [row for row in range(len(formed)) if row not in faults]
    batch.records = [formed[row][2] for row in kept]
    batch.rounds = Rounds(*(column[kept] for column in rounds))


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(row.get("rules"), str):
        return row
    try:
        return {**row, "rules": orjson.loads(row["rules"])}
    except orjson.JSONDecodeError:
        return row  # a text is no object: the reader refuses it


def _texts(error: ValidationError) -> list[str]:
    # A text for each field with a fault.
    found: dict[str, list[str]] = {}
    for one in error.errors(include_url=False):
        name, where = str(one["loc"][0]) if one["loc"] else "", "/".join(map(str, one["loc"]))
        if one["type"] == "json_invalid":
            text = f"the line is no JSON ({one['msg'].removeprefix('Invalid JSON: ')}); accepted: one JSON object"
        elif not name:
            text = "the line is no JSON object; accepted: one JSON object"
        elif one["type"] == "missing":
            text = f"{where} is missing; accepted: {ACCEPTED[name]}"
        else:
            text = f"{where} is {_shown(one['input'])}; accepted: {ACCEPTED[name]}"
        found.setdefault(name, []).append(text)
    return [texts[0] + (f" (and {len(texts) - 1} more in this field)" if texts[1:] else "") for texts in found.values()]


def _shown(value: object) -> str:
    try:
        return orjson.dumps(value, default=str).decode()[:60]
    except (TypeError, ValueError, RecursionError):  # such as an integer of more than 64 bits
        return repr(value)[:60]

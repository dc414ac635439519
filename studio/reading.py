"""Read logs in batches, from JSON Lines, CSV or Parquet: the records that are right, and what is wrong in the others.

Polars reads a batch as a frame (`columns`). If it cannot, or if a row is not right, the rows are read again one by one,
which names the line and the field. The memory in use depends on the size of a batch. Only the hashes of the rounds are
kept (`rounds.Keys`), to find rounds that come twice; `pieces` splits large logs, so that these are few.
"""

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import polars
from numpy.typing import NDArray
from pydantic import ValidationError
from tqdm import tqdm

from arena.errors import BuildError
from spades.errors import RulesError
from studio.checks import fill_and_check
from studio.columns import SCHEMA, frame_of, frame_of_cells, frame_of_lines, readable, rounds_of_frame, with_columns
from studio.decision_log import Collector, RecordError, record_in, rounds_of_records
from studio.round_log import ACCEPTED, FIELDS, READER, TEXTS, RoundLog
from studio.rounds import Keys, Names, Rounds

BATCH = 20_000  # records
TEXT_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson")
ENDINGS = (*TEXT_ENDINGS, ".csv", ".parquet")
FILES = f"logs: {', '.join(ENDINGS)}"  # for the help of commands
FORM, RULES, AGAIN = "form", "rules", "round-twice"  # faults that are found here; the others: `checks.FAULTS`
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
    line: int  # of a text file, or row of a Parquet file, from 1; in CSV each row is taken to be one line
    name: str
    text: str  # field, found, accepted


@dataclass
class Batch:
    """Some records of a log. ``frame`` and ``rounds`` hold only those without a fault."""

    frame: polars.DataFrame = field(init=False)  # with the columns of `columns.SCHEMA`
    rounds: Rounds = field(init=False)  # of the same rows
    faults: dict[int, list[Fault]] = field(default_factory=dict)  # by line, or number of a joined round
    bad: dict[int, Any] = field(default_factory=dict)  # likewise, the records with a fault, as they were read
    dropped: Counter[str] = field(default_factory=Counter)  # names of fields that the format does not have
    n_bytes: int = 0  # of the file


class _Rows(NamedTuple):
    # Records as they were read.
    lines: NDArray[np.int64]  # (n,): by row, its line, or number of a joined round
    given: Callable[[int], Any]  # returns the text of a row's line, or its fields
    frame: polars.DataFrame | None  # None if only the rows one by one can be read


def read(part: Path | Piece, names: Names, keys: Keys, collector: Collector | None = None) -> Iterator[Batch]:
    """Yield the batches of a file, or of a part of it; pass the same ``names`` and ``keys`` for all files of a log.

    Records of a decision log go to ``collector``. Raises `BuildError` for a file that cannot be read, or that has such
    records if there is no collector.
    """
    piece = Piece(part) if isinstance(part, Path) else part
    path, source = piece.path, _Source(str(piece.path), names, keys, collector)
    if not path.name.endswith(ENDINGS):
        raise BuildError(f"{path} has an unknown ending; accepted: {', '.join(ENDINGS)}")
    parts = _from_text(piece, source) if path.name.endswith(TEXT_ENDINGS) else _from_table(piece)
    try:
        for batch, rows in parts:
            _fill(batch, rows, source)
            yield batch
    except (OSError, EOFError, zlib.error, polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        found = _row_of_other_length(path) if path.suffix == ".csv" else None
        raise BuildError(f"{path} cannot be read to its end: {found or str(error).splitlines()[0]}") from error


def read_all(
    files: Sequence[Path], names: Names, keys: Keys, title: str, collector: Collector | None = None
) -> Iterator[Batch]:
    """Yield the batches of all files, with a progress bar; see `read`. Raises `BuildError`."""
    total = sum(path.stat().st_size for path in existing(files))
    with tqdm(total=total, unit="B", unit_scale=True, desc=title, disable=None) as bar:
        for path in files:
            for batch in read(path, names, keys, collector):
                yield batch
                bar.update(batch.n_bytes)


def joined(records: polars.DataFrame, names: Names, keys: Keys, counts: Counter[str]) -> Iterator[Batch]:
    """Yield the rounds of decision logs, joined, in batches; see `rounds_of_records`.

    A fault is at the first record of its round.
    """
    rounds = rounds_of_records(records, names, counts)
    while part := list(islice(rounds, BATCH)):
        batch, source = Batch(), _Source("", names, keys, places=[(one.file, one.line) for one in part])
        for number, one in enumerate(part):
            if one.fault is not None:
                _refuse(batch, source, number, one.record, [one.fault])
        lines = np.array([number for number, one in enumerate(part) if one.fault is None], np.int64)
        _fill(batch, _Rows(lines, [part[line].record for line in lines.tolist()].__getitem__, None), source)
        yield batch


def existing(files: Sequence[Path]) -> Sequence[Path]:
    """Return the files; raise `BuildError` if one does not exist."""
    for path in files:
        if not path.is_file():
            raise BuildError(f"{path} is not a file; accepted: logs that exist")
    return files


class _Source(NamedTuple):
    # Where records come from, and what has been seen there so far.
    file: str
    names: Names
    keys: Keys
    collector: Collector | None = None
    places: Sequence[tuple[str, int]] = ()  # of joined rounds, by number: file and line


def _from_text(piece: Piece, source: _Source) -> Iterator[tuple[Batch, _Rows]]:
    for n_bytes, read in _lines(piece):
        batch = Batch(n_bytes=n_bytes)
        numbered = _without_decisions(batch, read, source)
        lines, texts = np.array([line for line, _ in numbered], np.int64), [text for _, text in numbered]
        yield batch, _Rows(lines, texts.__getitem__, frame_of_lines(b"".join(texts)))


def _lines(piece: Piece) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
    # Yield parts of a text file: the number of bytes, and the lines that are not blank, with their numbers.
    path, first, before, stop = piece
    read: list[tuple[int, bytes]] = []
    left = -1 if stop is None else stop - before  # bytes
    with path.open("rb") as on_disk, gzip.open(on_disk, "rb") if path.suffix == ".gz" else on_disk as file:
        on_disk.seek(before)
        for number, line in enumerate(file, first):
            if left == 0:
                break
            left -= len(line) if stop is not None else 0
            text = line.removeprefix(_BOM) if number == 1 else line
            if text.strip():
                read.append((number, text))
            if len(read) == BATCH:
                yield on_disk.tell() - before, read
                before, read = on_disk.tell(), []
        yield on_disk.tell() - before, read


def _without_decisions(batch: Batch, read: list[tuple[int, bytes]], source: _Source) -> list[tuple[int, bytes]]:
    # Give the records of a decision log to the collector, and return the other lines.
    others = []
    for line, text in read:
        value = record_in(text)
        if value is None:
            others.append((line, text))
            continue
        if source.collector is None:
            accepted = "rounds, which `studio check --out FOLDER` joins from such records"
            raise BuildError(f"{source.file}:{line} is a record of a decision log; accepted: {accepted}")
        try:
            source.collector.add(value, source.file, line)
        except ValidationError as error:
            _refuse(batch, source, line, text, [(FORM, sentence) for sentence in _texts(error)])
        except RecordError as error:
            _refuse(batch, source, line, text, [(FORM, str(error))])
    return others


def _from_table(piece: Piece) -> Iterator[tuple[Batch, _Rows]]:
    path, line, start, stop = piece
    in_text = path.suffix == ".csv"
    if in_text:
        scan, line = polars.scan_csv(path, glob=False, infer_schema=False), 2  # the first line has the names
    else:
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
        batch = Batch(dropped=Counter(dict.fromkeys(dropped, len(frame))), n_bytes=round(size * len(frame)))
        if in_text:
            given, read = partial(_cells, frame), frame_of_cells(frame)
        else:
            given, read = partial(_fields, frame), frame if readable(types) else None
        yield batch, _Rows(np.arange(line, line + len(frame)), given, read)
        line += len(frame)


def _row_of_other_length(path: Path) -> str | None:
    # A sentence about the first row of a CSV file that has not a cell for each column.
    with path.open(newline="", errors="replace") as file:
        rows = csv.reader(file)
        n_columns = len(next(rows, ()))
        for row in rows:
            if len(row) != n_columns:
                return f"line {rows.line_num} has {len(row)} cells; accepted: {n_columns}, as many as in the first line"
    return None


def _fields(frame: polars.DataFrame, row: int) -> dict[str, Any]:
    return {name: value for name, value in frame.row(row, named=True).items() if value is not None}


def _cells(frame: polars.DataFrame, row: int) -> dict[str, Any]:
    # The fields of a row of a CSV log. A cell that holds no JSON is a text, which has not the form of its field.
    fields = _fields(frame, row)
    for name in fields.keys() - set(TEXTS):
        with suppress(orjson.JSONDecodeError):
            fields[name] = orjson.loads(fields[name])
    return fields


def _fill(batch: Batch, rows: _Rows, source: _Source) -> None:
    # Put the rows without a fault in the batch, with what follows from their plays; the others as they were read.
    right, frame = np.zeros(len(rows.lines), np.bool_), polars.DataFrame(schema=SCHEMA)
    if rows.frame is not None:
        right, rounds = rounds_of_frame(rows.frame, source.names)
        frame = with_columns(rows.frame if right.all() else rows.frame.filter(right))
    records = {row: _record(batch, rows, row, source) for row in np.flatnonzero(~right).tolist()}
    others = {row: record for row, record in records.items() if record is not None}
    at = np.flatnonzero(right)
    if others or rows.frame is None:
        at = np.array([*at.tolist(), *others], np.int64)
        order = np.argsort(at)
        at, frame = at[order], polars.concat([frame, frame_of(others.values())])[order]
        _, rounds = rounds_of_frame(frame, source.names)
    rounds, faults = fill_and_check(rounds, source.names)
    sound = np.ones(len(at), np.bool_)
    sound[list(faults)] = False
    kept = np.flatnonzero(sound)
    for row in kept[source.keys.repeated(rounds.keys[kept])].tolist():
        game, number = frame["game"][row], frame["round"][row]
        faults[row] = AGAIN, f"round {number} of game {game!r} again; accepted: each round once"
        sound[row] = False
    for row, fault in sorted(faults.items()):
        _refuse(batch, source, int(rows.lines[at[row]]), rows.given(int(at[row])), [fault])
    batch.rounds = Rounds(*(column[sound] for column in rounds)) if faults else rounds
    batch.frame = frame.filter(sound) if faults else frame


def _record(batch: Batch, rows: _Rows, row: int, source: _Source) -> RoundLog | None:
    # A row as a record of the right form. If it is none, it goes to the batch.
    line, given = int(rows.lines[row]), rows.given(row)
    try:
        record = READER.validate_json(given) if isinstance(given, bytes) else READER.validate_python(_plain(given))
    except ValidationError as error:
        _refuse(batch, source, line, given, [(FORM, text) for text in _texts(error)])
        return None
    for name in record.keys() - set(FIELDS):
        batch.dropped[name] += 1
        del record[name]  # type: ignore[misc]
    rules = source.names.rules_number(record.get("rules"))
    if isinstance(rules, RulesError):
        _refuse(batch, source, line, given, [(RULES, f"rules: {rules}")])
        return None
    return record


def _refuse(batch: Batch, source: _Source, line: int, given: Any, faults: Sequence[tuple[str, str]]) -> None:
    place = source.places[line] if source.places else (source.file, line)
    batch.faults[line] = [Fault(*place, name, text) for name, text in faults]
    batch.bad[line] = given


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
            text = f"{where} is missing; accepted: {ACCEPTED.get(name, 'a record of a decision log')}"
        else:
            text = f"{where} is {_shown(one['input'])}; accepted: {ACCEPTED.get(name, one['msg'])}"
        found.setdefault(name, []).append(text)
    return [texts[0] + (f" (and {len(texts) - 1} more in this field)" if texts[1:] else "") for texts in found.values()]


def _shown(value: object) -> str:
    try:
        return orjson.dumps(value, default=str).decode()[:60]
    except (TypeError, ValueError, RecursionError):  # such as an integer of more than 64 bits
        return repr(value)[:60]

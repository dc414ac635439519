"""Read logs in batches, from JSON Lines or Parquet: the records that are right, and what is wrong in the others.

The memory in use depends on the size of a batch. Only the hashes of the rounds are kept (`keys`), to find rounds that
come twice; `pieces` splits large logs, so that these are few.
"""

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
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
from studio.columns import frame_of, readable, rounds_of_frame, with_columns
from studio.decision_records import RecordError, record_in
from studio.joining import Collector, Joiner
from studio.keys import Keys
from studio.round_log import ACCEPTED, FIELDS, READER, RoundLog
from studio.rounds import Names, Rounds, rounds_of

BATCH = 20_000  # records
TEXT_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson")
ENDINGS = (*TEXT_ENDINGS, ".parquet")
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
    line: int  # of a text file, or row of a Parquet file, from 1
    name: str
    text: str  # field, found, accepted


@dataclass
class Batch:
    """Some records of a log. ``kept`` and ``rounds`` hold only those without a fault."""

    kept: list[RoundLog] | polars.DataFrame = field(default_factory=list)
    rounds: Rounds | None = None
    faults: dict[int, list[Fault]] = field(default_factory=dict)  # by line, or number of a joined round
    bad: dict[int, Any] = field(default_factory=dict)  # likewise, the records with a fault, as they were read
    dropped: Counter[str] = field(default_factory=Counter)  # names of fields that the format does not have
    n_bytes: int = 0  # of the file

    @property
    def records(self) -> list[RoundLog]:
        """The records without a fault."""
        if isinstance(self.kept, list):
            return self.kept
        return [_read(_without_nulls(row)) for row in self.kept.iter_rows(named=True)]

    def frame(self) -> polars.DataFrame:
        """Return the records without a fault with the columns of a Parquet log."""
        return frame_of(self.kept) if isinstance(self.kept, list) else self.kept


def read(path: Path, names: Names, keys: Keys, joiner: Joiner | None = None) -> Iterator[Batch]:
    """Yield the batches of a file; pass the same ``names`` and ``keys`` for all files of a log.

    Records of a decision log go to ``joiner``. Raises `BuildError` for a file that cannot be read, or that has such
    records if there is no joiner.
    """
    yield from read_piece(Piece(path), names, keys, joiner)


def read_piece(piece: Piece, names: Names, keys: Keys, joiner: Collector | None = None) -> Iterator[Batch]:
    """Yield the batches of a part of a file; see `read`."""
    path, source = piece.path, _Source(str(piece.path), names, keys)
    if not path.name.endswith(ENDINGS):
        raise BuildError(f"{path} has an unknown ending; accepted: {', '.join(ENDINGS)}")
    try:
        for batch, raw in _from_text(piece) if path.name.endswith(TEXT_ENDINGS) else _from_parquet(piece):
            if isinstance(raw, list):
                _fill(batch, _without_decisions(batch, raw, source, joiner), source)
            else:
                _fill_from_frame(batch, raw, source)
            yield batch
    except (OSError, EOFError, zlib.error, polars.exceptions.PolarsError, polars.exceptions.PanicException) as error:
        raise BuildError(f"{path} cannot be read to its end: {str(error).splitlines()[0]}") from error


def read_all(
    files: Sequence[Path], names: Names, keys: Keys, title: str, joiner: Joiner | None = None
) -> Iterator[Batch]:
    """Yield the batches of all files, with a progress bar; see `read`. Raises `BuildError`."""
    total = sum(path.stat().st_size for path in existing(files))
    with tqdm(total=total, unit="B", unit_scale=True, desc=title, disable=None) as bar:
        for path in files:
            for batch in read(path, names, keys, joiner):
                yield batch
                bar.update(batch.n_bytes)


def joined(joiner: Joiner, names: Names, keys: Keys) -> Iterator[Batch]:
    """Yield the rounds of decision logs, joined, in batches. A fault is at the first record of its round."""
    rounds = joiner.rounds(names)
    while part := list(islice(rounds, BATCH)):
        batch = Batch()
        source = _Source("", names, keys, [(one.file, one.line) for one in part])
        for number, one in enumerate(part):
            if one.fault is not None:
                _refuse(batch, source, number, one.record, [one.fault])
        _fill(batch, [(number, one.record) for number, one in enumerate(part) if one.fault is None], source)
        yield batch


def existing(files: Sequence[Path]) -> Sequence[Path]:
    """Return the files; raise `BuildError` if one does not exist."""
    for path in files:
        if not path.is_file():
            raise BuildError(f"{path} is not a file; accepted: logs that exist")
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


def _from_parquet(piece: Piece) -> Iterator[tuple[Batch, Any]]:
    # Yield (batch, frame and number of its first row), or like `_from_text` if the columns have unusual types.
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
        counted = Counter(dict.fromkeys(dropped, len(frame)))
        batch = Batch(dropped=counted, n_bytes=round(size * len(frame)))
        if readable(types):
            yield batch, (frame, line)
        else:
            yield batch, list(enumerate((_without_nulls(row) for row in frame.iter_rows(named=True)), line))
        line += len(frame)


class _Source(NamedTuple):
    # Where records come from, and what has been seen there so far.
    file: str
    names: Names
    keys: Keys
    places: Sequence[tuple[str, int]] = ()  # of joined rounds, by number: file and line


class _Formed(NamedTuple):
    # Records of the right form, in the order of their lines.
    lines: list[int]
    given: list[Any]  # as they were read
    records: list[RoundLog]
    rounds: Rounds


def _formed(batch: Batch, raw: list[tuple[int, Any]], source: _Source) -> _Formed:
    # The records of the right form among lines of text or rows as dicts. The others go to the batch.
    found: list[tuple[int, Any, RoundLog]] = []
    numbers = []
    for line, given in raw:
        try:
            record = _read(given)
        except ValidationError as error:
            _refuse(batch, source, line, given, [(FORM, text) for text in _texts(error)])
            continue
        for name in record.keys() - set(FIELDS):
            batch.dropped[name] += 1
            del record[name]  # type: ignore[misc]
        rules = source.names.rules_number(record.get("rules"))
        if isinstance(rules, RulesError):
            _refuse(batch, source, line, given, [(RULES, f"rules: {rules}")])
        else:
            found.append((line, given, record))
            numbers.append(rules)
    records = [record for _, _, record in found]
    rounds = rounds_of(records, numbers, source.names)
    return _Formed([line for line, _, _ in found], [given for _, given, _ in found], records, rounds)


def _without_decisions(
    batch: Batch, raw: list[tuple[int, Any]], source: _Source, joiner: Collector | None
) -> list[tuple[int, Any]]:
    # Give the records of a decision log to the joiner, and return the others.
    others = []
    for line, given in raw:
        value = record_in(given) if isinstance(given, bytes) else None
        if value is None:
            others.append((line, given))
            continue
        if joiner is None:
            accepted = "rounds, which `studio check --out FOLDER` joins from such records"
            raise BuildError(f"{source.file}:{line} is a record of a decision log; accepted: {accepted}")
        try:
            joiner.add(value, source.file, line)
        except ValidationError as error:
            _refuse(batch, source, line, given, [(FORM, text) for text in _texts(error)])
        except RecordError as error:
            _refuse(batch, source, line, given, [(FORM, str(error))])
    return others


def _fill(batch: Batch, raw: list[tuple[int, Any]], source: _Source) -> None:
    formed = _formed(batch, raw, source)
    given = dict(zip(formed.lines, formed.given, strict=True))
    kept = _check(batch, np.array(formed.lines, np.int64), formed.rounds, given.__getitem__, source)
    batch.kept = [formed.records[row] for row in kept]


def _fill_from_frame(batch: Batch, numbered: tuple[polars.DataFrame, int], source: _Source) -> None:
    # numbered: rows, and the number of the first.
    frame, first = numbered

    def given(line: int) -> Any:
        return _without_nulls(frame.row(line - first, named=True))

    right, rounds = rounds_of_frame(frame, source.names)
    others = _formed(batch, [(line, given(line)) for line in (np.flatnonzero(~right) + first).tolist()], source)
    lines = np.flatnonzero(right) + first
    if others.lines:
        lines = np.concatenate([lines, np.array(others.lines, np.int64)])
        order = np.argsort(lines, kind="stable")
        lines = lines[order]
        rounds = Rounds(*(np.concatenate(parts)[order] for parts in zip(rounds, others.rounds, strict=True)))
    kept = _check(batch, lines, rounds, given, source)
    batch.kept = with_columns(frame if len(kept) == len(frame) else frame[lines[kept] - first])


def _check(
    batch: Batch, lines: NDArray[np.int64], rounds: Rounds, given: Callable[[int], Any], source: _Source
) -> NDArray[np.int64]:
    # Put the rounds without a fault in the batch, with what follows from their plays, and return their rows. The
    # records with a fault go to the batch too.
    if not len(lines):
        return np.zeros(0, np.int64)
    rounds, faults = fill_and_check(rounds, source.names)
    sound = np.ones(len(lines), np.bool_)
    sound[list(faults)] = False
    rows = np.flatnonzero(sound)
    for row in rows[source.keys.repeated(rounds.keys[rows])].tolist():
        record = _read(given(int(lines[row])))
        faults[row] = AGAIN, f"round {record['round']} of game {record['game']!r} again; accepted: each round once"
        sound[row] = False
    for row, fault in sorted(faults.items()):
        _refuse(batch, source, int(lines[row]), given(int(lines[row])), [fault])
    batch.rounds = Rounds(*(column[sound] for column in rounds)) if faults else rounds
    return np.flatnonzero(sound)


def _refuse(batch: Batch, source: _Source, line: int, given: Any, faults: Sequence[tuple[str, str]]) -> None:
    place = source.places[line] if source.places else (source.file, line)
    batch.faults[line] = [Fault(*place, name, text) for name, text in faults]
    batch.bad[line] = given


def _without_nulls(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None}


def _read(given: Any) -> RoundLog:
    return READER.validate_json(given) if isinstance(given, bytes) else READER.validate_python(_plain(given))


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

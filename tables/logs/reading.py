"""Read logs in batches, from JSON Lines or Parquet: the records that are right, and what is wrong in the others.

The memory in use depends on the size of a batch, not on that of the log.
"""

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars
from pydantic import ValidationError
from tqdm import tqdm

from service.bidding.errors import RulesError
from tables.logs.checks import check
from tables.logs.keys import Keys
from tables.logs.round_log import FIELDS, READER, RoundLog
from tables.logs.rounds import WRONG_HAND, Names, Rounds, rounds_of
from tables.run.family import BuildError

BATCH = 20_000  # records
ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".parquet")
SCHEMA: dict[str, Any] = {  # the columns of a Parquet log
    "format": polars.Int8,
    "game": polars.String,
    "round": polars.Int32,
    "time": polars.Datetime("us", "UTC"),
    "rules": polars.String,
    "hands": polars.List(polars.String),
    "bids": polars.List(polars.Int8),
    "tricks": polars.List(polars.Int8),
    "plays": polars.List(polars.String),
    "scores": polars.List(polars.Int16),
    "bags": polars.List(polars.Int8),
    "labels": polars.List(polars.Struct(dict.fromkeys(("kind", "policy", "skill"), polars.String))),
    "winner": polars.Int8,
}


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
    faults: list[Fault] = field(default_factory=list)
    bad: dict[int, Any] = field(default_factory=dict)  # by line, the records with a fault as they were read
    dropped: Counter[str] = field(default_factory=Counter)  # names of fields that the format does not have
    n_bytes: int = 0  # of a text file


def read(path: Path, names: Names, keys: Keys) -> Iterator[Batch]:
    """Yield the batches of a file; ``names`` and ``keys`` go on from file to file.

    Raises `BuildError` for a file that cannot be read.
    """
    if not path.name.endswith(ENDINGS):
        raise BuildError(f"{path}: unknown ending; accepted: {', '.join(ENDINGS)}")
    try:
        for batch, raw in _from_parquet(path) if path.suffix == ".parquet" else _from_text(path):
            _fill(batch, raw, path.name, names, keys)
            yield batch
    except (OSError, EOFError, polars.exceptions.PolarsError) as error:
        raise BuildError(f"{path}: cannot be read: {error}") from error


def read_all(files: Sequence[Path], names: Names, keys: Keys, title: str) -> Iterator[Batch]:
    """Yield the batches of all files, with a progress bar. Raises `BuildError`."""
    for path in files:
        if not path.is_file():
            raise BuildError(f"{path} is no file; accepted: logs that exist")
    total = sum(path.stat().st_size for path in files)
    with tqdm(total=total, unit="B", unit_scale=True, desc=title, disable=None) as bar:
        for path in files:
            for batch in read(path, names, keys):
                yield batch
                bar.update(batch.n_bytes)


def _from_text(path: Path) -> Iterator[tuple[Batch, list[tuple[int, Any]]]]:
    raw: list[tuple[int, Any]] = []
    n_bytes = 0
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for number, line in enumerate(file, 1):
            n_bytes += len(line)
            if line.strip():
                raw.append((number, line))
            if len(raw) == BATCH:
                yield Batch(n_bytes=n_bytes), raw
                raw, n_bytes = [], 0
    yield Batch(n_bytes=n_bytes), raw


def _from_parquet(path: Path) -> Iterator[tuple[Batch, list[tuple[int, Any]]]]:
    scan = polars.scan_parquet(path)
    columns = scan.collect_schema().names()
    known = [name for name in columns if name in SCHEMA]
    number = 0
    dropped = sorted(set(columns) - set(known))
    for frame in scan.select(known).collect_batches(chunk_size=BATCH, maintain_order=True):
        rows = [{key: value for key, value in row.items() if value is not None} for row in frame.iter_rows(named=True)]
        yield Batch(dropped=Counter(dict.fromkeys(dropped, len(rows)))), list(enumerate(rows, number + 1))
        number += len(rows)


def _fill(batch: Batch, raw: list[tuple[int, Any]], file: str, names: Names, keys: Keys) -> None:
    # Fill the batch from what was read: lines of text, or rows as dicts.
    def refuse(line: int, record: Any, name: str, *texts: str) -> None:
        batch.faults += [Fault(file, line, name, text) for text in texts]
        batch.bad[line] = record

    formed: list[tuple[int, Any, RoundLog]] = []
    for line, record in raw:
        try:
            read = READER.validate_json(record) if isinstance(record, bytes) else READER.validate_python(_plain(record))
        except ValidationError as error:
            refuse(line, record, "form", *_texts(error))
            continue
        for name in read.keys() - set(FIELDS):
            batch.dropped[name] += 1
            del read[name]  # type: ignore[misc]
        rules = names.rules_number(read.get("rules"))
        if isinstance(rules, RulesError):
            refuse(line, record, "rules", f"rules: {rules}")
        else:
            formed.append((line, record, read))
    if not formed:
        return
    rounds = rounds_of([read for _, _, read in formed], names)
    faults: dict[int, tuple[str, str]] = {}
    for row, seat in np.argwhere(rounds.hands == WRONG_HAND).tolist():
        hand = (formed[row][2]["hands"] or [])[seat]
        faults[row] = "hand", f"hands/{seat} is {hand!r}; accepted: 13 different cards as spades.hearts.diamonds.clubs"
    rounds, found = check(rounds, names)
    faults = found | faults
    sound = np.array([row for row in range(len(formed)) if row not in faults], np.int64)
    for row in sound[keys.repeated(rounds.keys[sound])].tolist():
        read = formed[row][2]
        faults[row] = "round-twice", f"round {read['round']} of game {read['game']!r} again; accepted: each round once"
    for row, (name, text) in sorted(faults.items()):
        refuse(*formed[row][:2], name, text)
    kept = [row for row in range(len(formed)) if row not in faults]
    batch.records = [formed[row][2] for row in kept]
    batch.rounds = Rounds(*(column[kept] for column in rounds))


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    if "rules" not in row:
        return row
    try:
        return {**row, "rules": json.loads(row["rules"])}
    except ValueError:
        return row  # a text is no object: the reader refuses it


def _texts(error: ValidationError) -> list[str]:
    found = []
    for one in error.errors(include_url=False):
        where = "/".join(map(str, one["loc"])) or "the record"
        wanted = one["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        if one["type"] == "missing":
            found.append(f"{where} is missing; accepted: a record with this field")
        elif one["type"] == "json_invalid":
            found.append(f"the line is no JSON ({wanted.removeprefix('Invalid JSON: ')}); accepted: one JSON object")
        else:
            found.append(f"{where} is {json.dumps(one['input'], default=str)[:60]}; accepted: {wanted}")
    return found

"""Check a log in pieces, on several processes or machines."""

import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import polars
from numpy.typing import NDArray

from arena.chunks import Arrays, Executor
from arena.errors import BuildError
from studio.check.log_summary import Summary
from studio.joining import Collector
from studio.keys import Keys
from studio.pieces import KEYS, Results, pieces_of, work_on
from studio.reading import Batch, Piece, read
from studio.round_log import FIELDS
from studio.rounds import Names

KEPT = {*FIELDS, "record", "round_id", "records", "bid", "policy", "tables", "seat"}  # fields of a record with a fault
_HEAD, _BAD, _GOOD, _DECISIONS = "head", "bad", "good", "decisions"  # the arrays of a piece, besides its keys


class Wanted(NamedTuple):
    """What a check writes besides its summary."""

    good: bool  # the records without a fault
    bad: bool  # those with one


class Checked(NamedTuple):
    """What was found in a piece."""

    summary: dict[str, Any]  # `Summary.record`
    bad: bytes  # lines of JSON: the records with a fault
    good: list[bytes]  # Parquet files with the records without one
    decisions: bytes  # Parquet file with the records of a `Collector`
    counts: Counter[str]  # its counts


def check_log(
    files: Sequence[Path], wanted: Wanted, folder: Path, executor: Executor
) -> AbstractContextManager[Results]:
    """Return a context with what is found in each piece, for `checked`; finished pieces are kept in ``folder``.

    It locks the pieces. Raises `BuildError` if a file does not exist, or if another run has the pieces.
    """

    def work(piece: Piece, seen: NDArray[np.uint64]) -> dict[str, Any]:
        return _check_piece(piece, seen, wanted)

    return work_on(pieces_of(files), work, wanted, folder, executor, "studio check")


def checked(part: Arrays) -> Checked:
    """Return what was found in a piece of `check_log`."""
    head, good = json.loads(part[_HEAD].tobytes()), part[_GOOD].tobytes()
    ends = np.cumsum(head["sizes"], dtype=np.int64).tolist()
    files = [good[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    counts = Counter(head["counts"])
    return Checked(head["summary"], part[_BAD].tobytes(), files, part[_DECISIONS].tobytes(), counts)


def _check_piece(piece: Piece, seen: NDArray[np.uint64], wanted: Wanted) -> dict[str, Any]:
    summary, names, keys, collector = Summary(), Names(), Keys(), Collector()
    keys.repeated(seen)
    hashes, bad, good = [seen[:0]], [], []
    try:
        for batch in read(piece, names, keys, collector):
            summary.add(batch, names)
            hashes.append(batch.rounds.keys)
            if wanted.bad:
                bad += bad_lines(batch)
            if wanted.good and len(batch.frame):
                good.append(parquet_of(batch.frame))
    except BuildError as error:
        summary.unreadable.append(str(error))
    head = {"summary": summary.record(), "sizes": [len(file) for file in good], "counts": collector.counts}
    return {
        KEYS: np.concatenate(hashes),
        _HEAD: _array([json.dumps(head).encode()]),
        _BAD: _array(bad),
        _GOOD: _array(good),
        _DECISIONS: _array([parquet_of(collector.records())]),
    }


def parquet_of(frame: polars.DataFrame) -> bytes:
    """Return a Parquet file."""
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def bad_lines(batch: Batch) -> list[bytes]:
    """Return the records with a fault as JSON Lines, without the fields that the format does not have."""
    lines = []
    for number, given in sorted(batch.bad.items()):
        faults = batch.faults[number]
        try:
            record = orjson.loads(given) if isinstance(given, bytes) else given
        except orjson.JSONDecodeError:
            record = given.decode(errors="replace").rstrip("\r\n")
        if isinstance(record, dict):
            record = {name: value for name, value in record.items() if name in KEPT}
        texts = [{"fault": fault.name, "text": fault.text} for fault in faults]
        found = {"file": faults[0].file, "line": faults[0].line, "faults": texts, "record": record}
        lines.append(json.dumps(found, default=str).encode() + b"\n")
    return lines


def _array(parts: Iterable[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(parts), np.uint8)

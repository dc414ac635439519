"""Check logs of a studio's own games: `python -m studio check`.

It reads JSON Lines, CSV and Parquet (docs/reference/game-log.md). It counts the rounds, says what they can be used for,
and shows examples of every kind of fault. Records with a fault can go to a file of their own, and nothing is dropped
without being counted. Several processes or machines share the work, piece by piece (`pieces`); the output is the same
on any number of them.
"""

import argparse
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import polars
from numpy.typing import NDArray

from arena.chunks import Executor
from arena.errors import BuildError
from arena.executors import add_executor_arguments, executor_of
from arena.markdown import table
from arena.progress import working_on
from arena.store import STORE, forget
from spades.legal import BLIND_NIL, NIL, TRICKS
from studio.decision_log import Collector
from studio.pieces import KEYS, Results, pieces_of, work_on
from studio.reading import FILES, Batch, Fault, Piece, joined, read
from studio.round_log import FIELDS
from studio.rounds import NO_CARD, NO_LABEL, NO_POINTS, NO_TRICKS, NO_WINNER, Keys, Names, Rounds
from studio.set_folders import empty_folder, move_content, work_folder, working

EXAMPLES = 3  # shown of each kind of fault
MOST_RECORDS = 1_000_000  # of decision logs, which are joined at a time
WORK = STORE / "logs"
KEPT = {*FIELDS, "record", "round_id", "records", "bid", "policy", "tables", "seat"}  # fields of a record with a fault
USES = {  # what a log can be used for, and what a round needs for it
    "mean bids": "bids",
    "success curves of nils": "a nil with its bidder's hand, and tricks",
    "blind nils": "a blind nil, and tricks",
    "factor of the previous bids": "a hand of a number bidder, and tricks",
    "ace of spades": "a hand",
    "win tables": "tricks and scores",
    "inference prior": "all four hands",
    "model of the players": "a hand and scores",
    "calibration of win chances": "a hand, scores and the winner",
    "card play": "all four hands and plays",
}
_HEAD, _BAD, _GOOD, _DECISIONS = "head", "bad", "good-", "decisions"  # the arrays of a piece, besides its keys


def rounds_of_use(rounds: Rounds) -> dict[str, NDArray[np.bool_]]:
    """Return which rounds (n,) have what each of `USES` needs."""
    hands, nils = rounds.hands != 0, rounds.bids == NIL
    hand, four_hands = hands.any(axis=1), hands.all(axis=1)
    tricks, scores = rounds.tricks[:, 0] != NO_TRICKS, rounds.scores[:, 0] != NO_POINTS
    return {
        "mean bids": np.ones(len(rounds.bids), np.bool_),
        "success curves of nils": (nils & hands).any(axis=1) & tricks,
        "blind nils": (rounds.bids == BLIND_NIL).any(axis=1) & tricks,
        "factor of the previous bids": (~nils & (rounds.bids <= TRICKS) & hands).any(axis=1) & tricks,
        "ace of spades": hand,
        "win tables": tricks & scores,
        "inference prior": four_hands,
        "model of the players": hand & scores,
        "calibration of win chances": hand & scores & (rounds.winner != NO_WINNER),
        "card play": four_hands & (rounds.plays[:, 0] != NO_CARD),
    }


class Summary:
    """What a log holds."""

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self.faults: Counter[str] = Counter()  # records by fault
        self.examples: dict[str, list[Fault]] = {}
        self.dropped: Counter[str] = Counter()
        self.uses: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()
        self.unreadable: list[str] = []  # why a file could not be read to its end
        self.joined: Counter[str] = Counter()  # of decision logs: decisions, results, repeats, dropped

    def add(self, batch: Batch, names: Names) -> None:
        """Add a batch."""
        self.good += len(batch.frame)
        self.bad += len(batch.bad)
        self.dropped += batch.dropped
        for faults in batch.faults.values():
            self.faults.update({fault.name for fault in faults})
            for fault in faults:
                self._show(fault)
        for name, rows in rounds_of_use(batch.rounds).items():
            self.uses[name] += int(rows.sum())
        seats = np.bincount(batch.rounds.labels.ravel() - NO_LABEL, minlength=1 + len(names.labels)).tolist()
        self.labels += Counter(dict(zip(("no label", *names.labels), seats, strict=True)))

    def add_record(self, record: Mapping[str, Any]) -> None:
        """Add another summary, as `record` returns it."""
        self.good += record["good"]
        self.bad += record["bad"]
        self.faults.update(record["faults"])
        for faults in record["examples"].values():
            for fault in faults:
                self._show(Fault(**fault))
        self.dropped.update(record["dropped_fields"])
        self.uses.update(record["uses"])
        self.labels.update(record["seats_by_label"])
        self.unreadable += [text for text in record["unreadable"] if text not in self.unreadable]

    def _show(self, fault: Fault) -> None:
        shown = self.examples.setdefault(fault.name, [])
        if len(shown) < EXAMPLES:
            shown.append(fault)

    def status(self) -> int:
        """Return the exit status: 0, 1 for faults, 2 if a file could not be read, or has no rounds."""
        return 2 if self.unreadable or not self.good + self.bad else min(1, self.bad)

    def record(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        return {
            "rounds": self.good + self.bad,
            "good": self.good,
            "bad": self.bad,
            "uses": {name: self.uses[name] for name in USES},
            "seats_by_label": dict(sorted(self.labels.items())),
            "faults": dict(sorted(self.faults.items())),
            "examples": {name: [fault._asdict() for fault in shown] for name, shown in sorted(self.examples.items())},
            "dropped_fields": dict(sorted(self.dropped.items())),
            "unreadable": self.unreadable,
            "joined": dict(sorted(self.joined.items())),
        }

    def markdown(self) -> str:
        """Return the summary for readers."""
        parts = [f"{self.good + self.bad:,} rounds: {self.good:,} without a fault, {self.bad:,} with one."]
        rows = [(name, needs, f"{self.uses[name]:,}") for name, needs in USES.items()]
        parts.append(table("use | what it needs | rounds", rows))
        parts.append(table("label | seats", [(name, f"{n:,}") for name, n in sorted(self.labels.items())]))
        if self.faults:
            found = [
                (name, f"{n:,}" if i == 0 else "", f"{fault.file}:{fault.line}", _cell(fault.text))
                for name, n in sorted(self.faults.items())
                for i, fault in enumerate(self.examples[name])
            ]
            parts.append(table("fault | rounds | where | what is wrong", found))
        if self.dropped:
            names = ", ".join(f"{_cell(name)} ({n:,})" for name, n in sorted(self.dropped.items()))
            parts.append(f"Fields that are not in the format, and were dropped: {names}.")
        if self.joined:
            text = "Joined from {decisions:,} decisions and {results:,} results, of which {repeats:,} were repeats."
            lost = " The service dropped {dropped:,} lines." if self.joined["dropped"] else ""
            parts.append((text + lost).format_map(self.joined))
        parts += self.unreadable
        return "\n\n".join(part.strip() for part in parts) + "\n"


def _cell(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", "?", text).replace("|", "\\|")


class Wanted(NamedTuple):
    """What a check writes besides its summary."""

    good: bool  # the records without a fault
    bad: bool  # those with one


def check_log(
    files: Sequence[Path], wanted: Wanted, folder: Path, executor: Executor
) -> AbstractContextManager[Results]:
    """Return a context with what is found in each piece, as bytes in arrays; finished pieces are kept in ``folder``.

    `_HEAD` is JSON: a `Summary` and the counts of a `Collector`. `_BAD` are lines of JSON, the records with a fault;
    those that begin with `_GOOD` are Parquet files with the others. `_DECISIONS` is a Parquet file of the collector. It
    locks the pieces. Raises `BuildError` if a file does not exist, or if another run has the pieces.
    """

    def work(piece: Piece, seen: NDArray[np.uint64]) -> dict[str, Any]:
        return _check_piece(piece, seen, wanted)

    return work_on(pieces_of(files), work, wanted, folder, executor, "studio check")


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
    head = {"summary": summary.record(), "counts": collector.counts}
    parts = {_HEAD: json.dumps(head).encode(), _BAD: b"".join(bad), _DECISIONS: parquet_of(collector.records())}
    parts |= {f"{_GOOD}{number}": content for number, content in enumerate(good)}
    arrays = {name: np.frombuffer(content, np.uint8) for name, content in parts.items()}
    return {KEYS: np.concatenate(hashes), **arrays}


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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the action."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=FILES)
    parser.add_argument("--bad", type=Path, metavar="FILE", help="write records with a fault to this file")
    out = "write the records without a fault to this folder, as Parquet"
    parser.add_argument("--out", type=Path, metavar="FOLDER", help=out)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of Markdown")
    work = "keep finished pieces here until the end, so that an interrupted check continues (default %(default)s)"
    parser.add_argument("--work", type=Path, default=WORK, metavar="FOLDER", help=work)
    add_executor_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Check logs and print what they hold; return `Summary.status`. Raises `BuildError`."""
    files, out, bad = arguments.files, arguments.out, arguments.bad
    if bad and (bad.is_dir() or not bad.parent.is_dir() or bad.resolve() in {path.resolve() for path in files}):
        raise BuildError(f"--bad is {bad}; accepted: a file in a folder that exists, and none of the logs")
    if arguments.work.exists() and not arguments.work.is_dir():
        raise BuildError(f"--work is {arguments.work}; accepted: a folder")
    if out:
        empty_folder(out)
        for name, path in (("bad", bad), ("work", arguments.work)):
            if path and path.resolve().is_relative_to(out.resolve()):
                raise BuildError(f"--{name} is {path}, in --out; accepted: a path outside {out}")
    with (
        working(work_folder(out, "check")) if out else nullcontext() as unfinished,
        executor_of(arguments.scheduler, arguments.jobs, processes=True) as executor,
        check_log(files, Wanted(bool(out), bool(bad)), arguments.work, executor) as found,
        working_on("studio check: add up the pieces and write the records"),
    ):
        summary = _written(found, unfinished / "rounds" if unfinished else None, bad)
        if unfinished and (unfinished / "rounds").exists():
            move_content(unfinished / "rounds", out)
        found.forget()
    print(json.dumps(summary.record()) if arguments.json else summary.markdown(), end="\n" if arguments.json else "")
    return summary.status()


def _written(found: Results, good: Path | None, bad: Path | None) -> Summary:
    # Write the records without a fault to the folder ``good``, those with one to ``bad``, and return the summary.
    summary, n_files = Summary(), 0
    unfinished = bad.with_name(f"{bad.name}.unfinished") if bad else None
    if good:
        forget(good)  # of an interrupted run
    with unfinished.open("wb") if unfinished else nullcontext() as lines:
        for wrong, right in _parts(found, summary, Wanted(bool(good), bool(bad))):
            if lines is not None:
                lines.write(wrong)
            for content in right:
                assert good, "without --out a piece has no Parquet files"
                good.mkdir(exist_ok=True)
                (good / f"{n_files:06d}.parquet").write_bytes(content)
                n_files += 1
    if unfinished and bad:
        unfinished.replace(bad)
    return summary


def _parts(found: Results, summary: Summary, wanted: Wanted) -> Iterator[tuple[bytes, list[bytes]]]:
    # Add everything to the summary. Yield the records of each piece, then those joined from decision logs: the lines
    # of those with a fault, and Parquet files of those without one.
    names, keys, counts = Names(), Keys(), summary.joined
    for part in found:
        head = json.loads(part[_HEAD].tobytes())
        summary.add_record(head["summary"])
        counts.update(head["counts"])
        yield part[_BAD].tobytes(), [part[name].tobytes() for name in part if name.startswith(_GOOD)]
    for own in found.hashes() if counts else ():
        keys.repeated(own)
    for records in _decisions(found, counts.total()):
        for batch in joined(records, names, keys, counts):
            summary.add(batch, names)
            yield b"".join(bad_lines(batch)), [parquet_of(batch.frame)] if wanted.good and len(batch.frame) else []


def _decisions(found: Results, n_records: int) -> Iterator[polars.DataFrame]:
    # Yield the records of decision logs, those of a round together, about MOST_RECORDS at a time.
    shares = 1 + n_records // MOST_RECORDS if n_records else 0
    for share in range(shares):
        own = polars.col("round_id").hash() % shares == share
        yield polars.concat(polars.read_parquet(part[_DECISIONS].tobytes()).filter(own) for part in found)

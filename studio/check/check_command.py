"""Check logs of a studio's own games: `python -m studio check`.

It reads JSON Lines, CSV and Parquet (docs/reference/game-log.md). It counts the rounds, says what they can be used for,
and shows examples of every kind of fault. Records with a fault can go to a file of their own, and nothing is dropped
without being counted. Several processes or machines share the work; the output is the same on any number of them.
"""

import argparse
import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import polars

from arena.errors import BuildError
from arena.executors import add_executor_arguments, executor_of
from arena.progress import working_on
from arena.store import STORE, forget
from studio.check.check_pieces import Wanted, bad_lines, check_log, checked, parquet_of
from studio.check.log_summary import Summary
from studio.keys import Keys
from studio.pieces import Results
from studio.reading import FILES, joined
from studio.rounds import Names
from studio.set_folders import empty_folder, move_content, work_folder, working

MOST_RECORDS = 1_000_000  # of decision logs, which are joined at a time
WORK = STORE / "logs"


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
        one = checked(part)
        summary.add_record(one.summary)
        counts.update(one.counts)
        yield one.bad, one.good
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
        yield polars.concat(polars.read_parquet(checked(part).decisions).filter(own) for part in found)

"""Check logs of a studio's own games, learn from them, or write a log: `python -m tables logs`.

`check` reads JSON Lines and Parquet (docs/reference/game-log.md). It counts the rounds, says what they can be used for,
and shows examples of every kind of fault. Records with a fault can go to a file of their own, and nothing is dropped
without being counted. `fit` moves tables towards logs, and `model` learns how the people in them bid. `play` writes
games between two policies, or of simulated people, as a log.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
import polars
from tqdm import tqdm

from service.bidding.game.rules import Rules
from service.bidding.numerals import decimal, integer
from service.bidding.policies import parse_policy
from service.bidding.tableset import open_tables
from tables.arena.arena_command import add_rules_arguments, rules_of
from tables.arena.match import MOST_SEED
from tables.engine.deal import Deals
from tables.engine.game import Lineup
from tables.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from tables.logs import model_command
from tables.logs.columns import frame_of
from tables.logs.fit import fit_command
from tables.logs.joining import Joiner
from tables.logs.keys import Keys
from tables.logs.playing import play_games, records_of, studio_records
from tables.logs.reading import Batch, Fault, existing, joined, read_all
from tables.logs.report import report_command
from tables.logs.round_log import FIELDS, RoundLog
from tables.logs.rounds import NO_LABEL, Names, in_a_log
from tables.logs.studios import STUDIOS, studio_of
from tables.logs.uses import USES
from tables.markdown import table
from tables.players.names import TABLES_PLAYER
from tables.run.family import BuildError

EXAMPLES = 3  # shown of each kind of fault
KEPT = {*FIELDS, "record", "round_id", "records", "bid", "policy", "tables", "seat"}  # fields of a record with a fault
GAMES = 500  # that `play` keeps in memory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    text = "count rounds, their uses and their faults"
    checking = actions.add_parser("check", help=text, description=text)
    checking.add_argument("files", nargs="+", type=Path, metavar="FILE", help="logs: .jsonl, .jsonl.gz or .parquet")
    checking.add_argument("--bad", type=Path, metavar="FILE", help="write records with a fault to this file")
    out = "write the records without a fault to this folder, as Parquet"
    checking.add_argument("--out", type=Path, metavar="FOLDER", help=out)
    checking.add_argument("--json", action="store_true", help="print one JSON object instead of Markdown")
    text = "fit tables to logs and write a table set"
    fit_command.add_arguments(actions.add_parser("fit", help=text, description=text))
    text = "judge a table set on logs, beside the shipped one"
    report_command.add_arguments(actions.add_parser("report", help=text, description=text))
    text = "learn a model of the people in logs, which the arena can seat"
    model_command.add_arguments(actions.add_parser("model", help=text, description=text))
    text = "play games between two policies and write them as a log"
    playing = actions.add_parser("play", help=text, description=text)
    playing.add_argument("out", type=Path, metavar="FILE", help="the log to write: .jsonl or .parquet")
    for side in "ab":
        policy = f"policy of side {side} (default %(default)s)"
        playing.add_argument(f"--{side}", default="bis", metavar="POLICY", help=policy)
    playing.add_argument("--player", default=TABLES_PLAYER, help="card player of all (default %(default)s)")
    studio = "instead of two policies, people whose bids are known: " + "; ".join(
        f"{name}: {one.meaning}" for name, one in STUDIOS.items()
    )
    playing.add_argument("--studio", metavar="NAME", help=studio)
    noise = "with --studio: probability that a bid is not the intended one (default %(default)s)"
    playing.add_argument("--noise", type=decimal, default=0.0, metavar="P", help=noise)
    playing.add_argument("--games", type=integer, default=1_000, help="how many (default %(default)s)")
    playing.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    add_rules_arguments(playing)


def main(arguments: argparse.Namespace) -> int:
    """Run the action. Raises `BuildError`, `BiddingError` and `PlayerError`."""
    learning = {"fit": fit_command.main, "report": report_command.main, "model": model_command.main}
    return ({"check": check, "play": play} | learning)[arguments.action](arguments)


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
        self.good += len(batch.kept)
        self.bad += len(batch.bad)
        self.dropped += batch.dropped
        for faults in batch.faults.values():
            self.faults.update({fault.name for fault in faults})
            for fault in faults:
                shown = self.examples.setdefault(fault.name, [])
                if len(shown) < EXAMPLES:
                    shown.append(fault)
        if batch.rounds is not None:
            for name, (_, has) in USES.items():
                self.uses[name] += int(has(batch.rounds).sum())
            for number in batch.rounds.labels.ravel().tolist():
                self.labels["no label" if number == NO_LABEL else names.labels[number]] += 1

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
        rows = [(name, needs, f"{self.uses[name]:,}") for name, (needs, _) in USES.items()]
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


def check(arguments: argparse.Namespace) -> int:
    """Check logs and print what they hold; return `Summary.status`."""
    files, out, bad = existing(arguments.files), arguments.out, arguments.bad
    if out and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BuildError(f"--out is {out}; accepted: a new or an empty folder")
    if bad and (bad.is_dir() or not bad.parent.is_dir() or bad.resolve() in {path.resolve() for path in files}):
        raise BuildError(f"--bad is {bad}; accepted: a file in a folder that exists, and none of the logs")
    summary, names, keys = Summary(), Names(), Keys()
    parts = 0
    with ExitStack() as stack:
        joiner = stack.enter_context(Joiner())
        unfinished = bad.with_name(f"{bad.name}.unfinished") if bad else None
        lines = stack.enter_context(unfinished.open("wb")) if unfinished else None
        for batch in _batches(files, names, keys, joiner, summary):
            summary.add(batch, names)
            if lines is not None:
                lines.writelines(_bad_lines(batch))
            if out and len(batch.kept):
                out.mkdir(parents=True, exist_ok=True)
                batch.frame().write_parquet(out / f"{parts:06d}.parquet")
                parts += 1
        summary.joined = joiner.counts
    if unfinished is not None:
        unfinished.replace(bad)
    print(json.dumps(summary.record()) if arguments.json else summary.markdown(), end="\n" if arguments.json else "")
    return summary.status()


def _batches(files: Sequence[Path], names: Names, keys: Keys, joiner: Joiner, summary: Summary) -> Iterator[Batch]:
    # The batches of all files that can be read, and the rounds joined from them.
    for path in files:
        try:
            yield from read_all([path], names, keys, f"logs check {path.name}", joiner)
        except BuildError as error:
            summary.unreadable.append(str(error))
    yield from joined(joiner, names, keys)


def _bad_lines(batch: Batch) -> list[bytes]:
    # The records with a fault as JSON Lines, without the fields that the format does not have.
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


def play(arguments: argparse.Namespace) -> int:
    """Play games and write their log."""
    out = arguments.out
    if not out.name.endswith((".jsonl", ".parquet")) or not out.parent.is_dir() or out.is_dir():
        raise BuildError(f"file is {out}; accepted: a name ending in .jsonl or .parquet in a folder that exists")
    if arguments.games < 1 or not 0 <= arguments.seed <= MOST_SEED:
        found = f"--games is {arguments.games} and --seed {arguments.seed}"
        raise BuildError(f"{found}; accepted: 1 game or more, and a seed from 0 to {MOST_SEED}")
    rules = in_a_log(rules_of(arguments))
    played = _studio(arguments, rules) if arguments.studio else _policies(arguments, rules)
    frames: list[polars.DataFrame] = []
    n_rounds = 0
    with ExitStack() as stack:
        lines = stack.enter_context(out.open("wb")) if out.suffix == ".jsonl" else None
        for first in tqdm(range(0, arguments.games, GAMES), desc="logs play", disable=None):
            games = Deals(arguments.seed, first, min(first + GAMES, arguments.games))
            records = played(games)
            n_rounds += len(records)
            if lines is None:
                frames.append(frame_of(records))
            else:
                lines.writelines(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records)
    if frames:
        polars.concat(frames).write_parquet(out)
    print(f"{n_rounds:,} rounds of {arguments.games:,} games", file=sys.stderr)
    return 0


def _policies(arguments: argparse.Namespace, rules: Rules) -> Callable[[Deals], list[RoundLog]]:
    # What plays games between two policies, and returns their records.
    if arguments.noise:
        raise BuildError(f"--noise is {arguments.noise} without --studio; accepted: noise in the bids of a studio")
    bidders = arguments.a, arguments.b
    policies = policies_by_chair(*(parse_policy(text, rules.variant) for text in bidders))
    lineup = Lineup(policies, player_rows(arguments.player, arguments.player))
    profiles = tables_for(kernel_tables(open_tables().arrays), rules, policies)
    return lambda games: list(records_of(play_games(games, rules, lineup, profiles), games, rules, bidders))


def _studio(arguments: argparse.Namespace, rules: Rules) -> Callable[[Deals], list[RoundLog]]:
    # What plays the games of a studio, and returns their records.
    studio, noise = studio_of(arguments.studio), arguments.noise
    if not 0 <= noise <= 1:
        raise BuildError(f"--noise is {noise}; accepted: 0 to 1")
    profiles = kernel_tables(open_tables().arrays)
    return lambda games: list(studio_records(studio, noise, games, rules, profiles))

"""Check the logs of a studio's own games, or write a log of games played here: `python -m tables logs`.

`check` reads JSON Lines and Parquet (docs/reference/game-log.md). It counts the rounds, says what they can be used for,
and shows examples of every kind of fault. Records with a fault go to a file of their own, and nothing is dropped
without being counted. `play` writes games between two policies as a log.
"""

import argparse
import json
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
import polars
from tqdm import tqdm

from service.bidding.numerals import integer
from service.bidding.policies import parse_policy
from service.bidding.tableset import open_tables
from tables.arena.arena_command import add_rules_arguments, rules_of
from tables.engine.game import Lineup
from tables.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from tables.logs import fit_command
from tables.logs.keys import Keys
from tables.logs.playing import play_games, records_of
from tables.logs.reading import SCHEMA, Batch, Fault, read_all
from tables.logs.rounds import NO_LABEL, Names
from tables.logs.uses import USES
from tables.markdown import table
from tables.players.names import TABLES_PLAYER
from tables.run.family import BuildError

EXAMPLES = 3  # shown of each kind of fault
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
    text = "play games between two policies and write them as a log"
    playing = actions.add_parser("play", help=text, description=text)
    playing.add_argument("out", type=Path, metavar="FILE", help="the log to write: .jsonl or .parquet")
    for side in "ab":
        policy = f"policy of side {side} (default %(default)s)"
        playing.add_argument(f"--{side}", default="bis", metavar="POLICY", help=policy)
    playing.add_argument("--player", default=TABLES_PLAYER, help="card player of all (default %(default)s)")
    playing.add_argument("--games", type=integer, default=1_000, help="how many (default %(default)s)")
    playing.add_argument("--seed", type=integer, default=1, help="seed of the deals (default %(default)s)")
    add_rules_arguments(playing)


def main(arguments: argparse.Namespace) -> int:
    """Run the action. `check` returns 1 if a record has a fault. Raises `BuildError` and `BiddingError`."""
    return {"check": check, "fit": fit_command.main, "play": play}[arguments.action](arguments)


class Summary:
    """What a log holds."""

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self.faults: Counter[str] = Counter()
        self.examples: dict[str, list[Fault]] = {}
        self.dropped: Counter[str] = Counter()
        self.uses: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()

    def add(self, batch: Batch, names: Names) -> None:
        """Add a batch."""
        self.good += len(batch.records)
        self.bad += len(batch.bad)
        self.dropped += batch.dropped
        for fault in batch.faults:
            self.faults[fault.name] += 1
            shown = self.examples.setdefault(fault.name, [])
            if len(shown) < EXAMPLES:
                shown.append(fault)
        if batch.rounds is not None:
            for name, (_, has) in USES.items():
                self.uses[name] += int(has(batch.rounds).sum())
            for number in batch.rounds.labels.ravel().tolist():
                self.labels["no label" if number == NO_LABEL else names.labels[number]] += 1

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
        }

    def markdown(self) -> str:
        """Return the summary for readers."""
        parts = [f"{self.good + self.bad:,} rounds: {self.good:,} right, {self.bad:,} with a fault."]
        rows = [(name, needs, f"{self.uses[name]:,}") for name, (needs, _) in USES.items()]
        parts.append(table("use | what it needs | rounds", rows))
        parts.append(table("label of a seat | seats", [(name, f"{n:,}") for name, n in sorted(self.labels.items())]))
        if self.faults:
            found = [
                (name, f"{n:,}" if i == 0 else "", f"{fault.file}:{fault.line}", fault.text)
                for name, n in sorted(self.faults.items())
                for i, fault in enumerate(self.examples[name])
            ]
            parts.append(table("fault | how many | where | what is wrong", found))
        if self.dropped:
            names = ", ".join(f"{name} ({n:,})" for name, n in sorted(self.dropped.items()))
            parts.append(f"Fields that are not in the format, and were dropped: {names}.")
        return "\n\n".join(part.strip() for part in parts) + "\n"


def check(arguments: argparse.Namespace) -> int:
    """Check logs and print what they hold; return 1 if a record has a fault."""
    summary, names = Summary(), Names()
    with ExitStack() as stack:
        bad = stack.enter_context(arguments.bad.open("wb")) if arguments.bad else None
        parts = 0
        for batch in read_all(arguments.files, names, Keys(), "logs check"):
            summary.add(batch, names)
            if bad is not None:
                bad.writelines(_bad_lines(batch))
            if arguments.out and batch.records:
                arguments.out.mkdir(parents=True, exist_ok=True)
                frame_of(batch.records).write_parquet(arguments.out / f"{parts:06d}.parquet")
                parts += 1
    print(json.dumps(summary.record()) if arguments.json else summary.markdown(), end="\n" if arguments.json else "")
    return 1 if summary.bad else 0


def _bad_lines(batch: Batch) -> list[bytes]:
    lines = []
    for line, record in sorted(batch.bad.items()):
        faults = [fault for fault in batch.faults if fault.line == line]
        shown = record.decode(errors="replace").rstrip("\r\n") if isinstance(record, bytes) else record
        found = {"file": faults[0].file, "line": line, "faults": [fault.text for fault in faults], "record": shown}
        lines.append(orjson.dumps(found, option=orjson.OPT_APPEND_NEWLINE, default=str))
    return lines


def frame_of(records: Any) -> polars.DataFrame:
    """Return records as a frame with the columns of a Parquet log."""
    rows = [
        {**record, "rules": json.dumps(record["rules"], sort_keys=True)} if record.get("rules") is not None else record
        for record in records
    ]
    return polars.DataFrame(rows, schema=SCHEMA)


def play(arguments: argparse.Namespace) -> int:
    """Play games and write their log."""
    rules = rules_of(arguments)
    bidders = arguments.a, arguments.b
    policies = policies_by_chair(*(parse_policy(text, rules.variant) for text in bidders))
    lineup = Lineup(policies, player_rows(arguments.player, arguments.player))
    profiles = tables_for(kernel_tables(open_tables().arrays), rules, policies)
    if arguments.out.suffix not in (".jsonl", ".parquet"):
        raise BuildError(f"file is {arguments.out}; accepted: names that end with .jsonl or .parquet")
    records: list[Any] = []
    for first in tqdm(range(0, arguments.games, GAMES), desc="logs play", disable=None):
        n = min(GAMES, arguments.games - first)
        seed = arguments.seed + first // GAMES
        records += records_of(play_games(seed, n, rules, lineup, profiles), seed, rules, bidders)
    if arguments.out.suffix == ".parquet":
        frame_of(records).write_parquet(arguments.out)
    else:
        with arguments.out.open("wb") as file:
            file.writelines(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records)
    print(f"{len(records):,} rounds of {arguments.games:,} games", file=sys.stderr)
    return 0

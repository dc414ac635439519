"""The SQL query examples/export.sql: from tables of a database to the log that was in them.

It runs on DuckDB, and on PostgreSQL where that is installed.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from studio.__main__ import main
from tests.conftest import ROOT
from tests.studio.test_logs import games

pytestmark = pytest.mark.compiled
SCHEMA, QUERY = ((ROOT / "examples" / name).read_text() for name in ("games.sql", "export.sql"))
Run = Callable[[str], str]  # statements -> the rows of the last one, each a line


@pytest.fixture(params=["duckdb", "postgresql"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    if request.param == "duckdb":
        with duckdb.connect() as connection:
            yield lambda text: "".join(f"{row[0]}\n" for row in connection.execute(text).fetchall())
    else:
        with tempfile.TemporaryDirectory() as directory, postgresql(Path(directory)) as found:
            yield found


@contextmanager
def postgresql(directory: Path) -> Iterator[Run]:
    """Run a server that only this test reaches, through a socket in ``directory``."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if shutil.which("psql") is None or not programs:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    user = "nobody" if os.getuid() == 0 else None  # the server refuses to run as root
    if user:
        shutil.chown(directory, user)

    def call(program: str, *arguments: str | Path) -> None:
        command: list[str | Path] = [programs[-1] / program, "-D", directory / "data", *arguments]
        subprocess.run(command, user=user, cwd=directory, stdout=subprocess.DEVNULL, check=True)

    def run(text: str) -> str:
        command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", f"--host={directory}", "--username=test", "postgres"]
        return subprocess.run(command, input=text, check=True, text=True, stdout=subprocess.PIPE).stdout

    call("initdb", "-A", "trust", "-U", "test", "--no-sync")
    call("pg_ctl", "-w", "-l", directory / "log", "-o", f"-F -c listen_addresses='' -k {directory}", "start")
    try:
        yield run
    finally:
        call("pg_ctl", "-m", "immediate", "stop")


def inserted(records: list[dict]) -> str:
    """Return the statements that put the records into the tables, each round with another first chair."""
    rows: dict[str, list[tuple]] = {"games": [], "rounds": [], "bids": [], "cards": []}
    for number, one in enumerate(records):
        first = number % 4

        def by_side(pair: list[int], odd: int = first % 2) -> tuple[int, int]:
            return (pair[odd], pair[1 - odd])

        key = (one["game"], one["round"])
        winner = None if one["winner"] is None else (one["winner"] + first) % 2
        rows["games"].append((one["game"], one["rules"]["win"], one["rules"]["lose"], winner))
        rows["rounds"].append((*key, one["time"], first, *by_side(one["scores"]), *by_side(one["bags"])))
        plays = one["plays"] or []
        for seat in range(4):
            label, chair = one["labels"][seat], (seat + first) % 4
            tricks = one["tricks"] and one["tricks"][seat]
            rows["bids"].append((*key, chair, one["bids"][seat], tricks, label["policy"], label["skill"]))
            for suit, ranks in zip("SHDC", one["hands"][seat].split("."), strict=True):
                for rank in ranks:
                    at = plays.index(rank + suit) if plays else None
                    rows["cards"].append((*key, chair, rank, suit, at))
    return "".join(f"INSERT INTO {name} VALUES {', '.join(map(_row, found))};\n" for name, found in rows.items())


def _row(values: tuple) -> str:
    texts = ("NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value) for value in values)
    return f"({', '.join(texts)})"


@pytest.fixture(scope="module")
def records() -> list[dict]:
    """Records with every field. Each round is taken as a game of its own, with bots that bid `rb` and people."""
    kinds = {
        "rb": {"kind": "bot", "policy": "rb", "skill": None},
        "bis": {"kind": "human", "policy": None, "skill": "beginner"},
    }
    found: list[dict] = []
    for number, one in enumerate(games(n=12)):
        labels = [kinds[label["policy"]] for label in one["labels"]]
        times = {"game": f"game {number:03}", "round": 0, "time": f"2026-11-02T18:{number:02}:11Z"}
        found.append(one | times | {"labels": labels, "winner": one.get("winner")})
    found[3] |= {"plays": None, "tricks": None, "winner": None}  # not played to its end
    return found


def test_the_export_is_the_log(run, records, tmp_path, capsys):
    run(SCHEMA)
    run(inserted(records))
    run("INSERT INTO rounds VALUES ('game 000', 1, '2026-11-02T19:00:00Z', 0, 10, 20, 0, 0)")  # nobody has bid yet
    log = tmp_path / "rounds.jsonl"
    log.write_text(run(QUERY))
    exported = [json.loads(line) for line in log.read_text().splitlines()]
    assert [_sorted(one) for one in exported] == [_sorted(one) for one in records]
    assert main(["check", str(log), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["good"], found["bad"], found["dropped_fields"]) == (len(records), 0, {})
    assert found["uses"]["card play"] == len(records) - 1


def _sorted(record: dict) -> dict:
    # The order of the cards in a suit has no meaning.
    hands = [".".join("".join(sorted(suit)) for suit in hand.split(".")) for hand in record["hands"]]
    return record | {"hands": hands}

"""Questions asked on the command line: single bids, and matches in the arena.

Both trees run the same commands, each with its own code. What a command prints must be equal, but for the texts of
errors, and of a match for the time that it took, its versions and the checksums of its tables.
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

from tests.same_answers.trees import Tree, stop

BID_S = 60  # limit of one command
MATCH_S = 1200  # of one match, compilation included
PAIRS = 1000
_FREE_OF_MATCH = ("seconds", "versions", "tables")
_FAULT = re.compile(r"^(?:python -m spades|service) \w+: (/\S*): ")


@dataclass(frozen=True, eq=False)
class Command:
    """One command line, without the interpreter; ``label`` says for what it was made."""

    label: str
    arguments: tuple[str, ...]

    @property
    def size(self) -> int:
        """Characters; shorter commands are easier to read."""
        return len(self.command())

    def command(self) -> str:
        """The command as one types it."""
        return f".venv/bin/python -m {shlex.join(self.arguments)}"


class Printed(NamedTuple):
    """What a command came to."""

    exit_code: int
    output: str
    errors: str

    @property
    def comparable(self) -> dict[str, Any]:
        """The parts that must be equal, as one JSON value."""
        faults = [match[1] for line in self.errors.splitlines() if (match := _FAULT.match(line))]
        try:
            output = json.loads(self.output)
        except ValueError:
            output = self.output.splitlines()
        if isinstance(output, dict) and "win_rate" in output:
            output = {name: value for name, value in output.items() if name not in _FREE_OF_MATCH}
        return {"exit code": self.exit_code, "output": output, "faults": sorted(faults)}


HAND = "AKJ62.AQ.Q.K9543"
LOW_HAND = "432.5432.5432.32"
_BIDS: tuple[tuple[str, ...], ...] = (
    ("bid", HAND),
    ("bid", HAND, "--previous", "3,1", "--us", "120", "--them", "95", "--us-bags", "3", "--them-bags", "5"),
    ("bid", LOW_HAND, "--previous", "5,nil,3", "--policy", "bis:tuned"),
    ("bid", HAND, "--policy", "winprob", "--us", "430", "--them", "410"),
    ("bid", HAND, "--preset", "cutthroat", "--seats", "120,95,40,60", "--bags", "1,2,3,4"),
    ("bid", LOW_HAND, "--preset", "suicide", "--previous", "4"),
    ("bid", "BLJ62.AQ.Q.K9543", "--preset", "jokers"),
    ("bid", HAND, "--level", "2", "--seed", "7"),
    ("bid", "AKJ62.AQ.Q.K954", "--previous", "14", "--policy", "strongest", "--us", "20000"),
)
BID_COMMANDS = tuple(
    Command("command line", ("spades", *arguments, *json_option))
    for arguments in _BIDS
    for json_option in [(), ("--json",)]
)

_MATCHES: dict[str, str] = {
    "bis v rb, goals of the paper": "--a bis --b rb",
    "bis v rb, classic": "--a bis --b rb --win 500 --lose none",
    "winprob v bis, bis-paper": "--a winprob --b bis --preset bis-paper",
    "winprob v bis, classic": "--a winprob --b bis --win 500 --lose none",
    "winprob v bis, ten-for-200": "--a winprob --b bis --preset ten-for-200 --win 500 --lose none",
    "winprob v bis, five-bags": "--a winprob --b bis --preset five-bags --win 500 --lose none",
    "cutthroat": "--a bis --b rb --preset cutthroat --win 300 --lose none",
    "mirror": "--a bis --b rb --preset mirror --win 500 --lose none",
    "whiz": "--a bis --b rb --preset whiz --win 500 --lose none",
    "whiz-strict": "--a bis --b rb --preset whiz-strict --win 500 --lose none",
    "suicide": "--a bis --b rb --preset suicide --win 500 --lose=-200",
    "jokers": "--a bis --b rb --preset jokers --win 500 --lose none",
    "blind nil, convention": "--a bis:blind=on --b bis:convention=big5 --preset blind-nil --win 500 --lose none",
    "levels": "--a winprob:level=2 --b bis:level=3,aggression=0.5 --preset bis-paper",
    "mixed pairs, noise": "--a bis:tuned --b ms --mixed --noise 0.1",
    "older players": "--a io --b bis:endgame=off --players srp@1,wrp",
}
MATCHES = tuple(
    Command(f"match: {label}", ("arena", "match", *text.split(), "--pairs", str(PAIRS), "--seed", "13", *option))
    for label, text in _MATCHES.items()
    for option in [("--jobs", "1", "--json")]
)


def run_in_both(command: Command, base: Tree, new: Tree, limit_s: float) -> tuple[Printed, Printed]:
    """Run a command in both trees at the same time; exit code -9 means that it took over ``limit_s`` seconds."""
    with _started(command, base) as one, _started(command, new) as other:
        give_up = time.monotonic() + limit_s
        return _end(one, give_up), _end(other, give_up)


class _Run(NamedTuple):
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    errors: IO[bytes]


@contextmanager
def _started(command: Command, tree: Tree) -> Iterator[_Run]:
    module, *arguments = command.arguments
    if module == "spades" and not (tree.path / "spades/__main__.py").exists():
        module = "service"  # where `bid` was before the library had commands
    if module == "arena" and not (tree.path / "arena/__main__.py").exists():
        module, arguments = "tables", ["arena", *arguments[1:]]  # where matches were before the arena had commands
    words = [sys.executable, "-m", module, *arguments]
    # Files, not pipes: nobody reads while the other tree's command is waited for.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(words, cwd=tree.path, env=tree.environment, stdout=output, stderr=errors)
        try:
            yield _Run(process, output, errors)
        finally:
            stop(process)


def _end(run: _Run, give_up: float) -> Printed:
    try:
        run.process.wait(max(0.0, give_up - time.monotonic()))
    except subprocess.TimeoutExpired:
        run.process.kill()
        run.process.wait()
    return Printed(run.process.returncode, _text(run.output), _text(run.errors))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")

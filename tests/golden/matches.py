"""Arena matches that must come out the same in two trees, each played with its own code."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.golden.services import ROOT, environment

LIMIT_S = 1200  # of one match, compilation included
FREE = ("seconds", "versions", "tables")  # of a match's figures
FAILED = "exit code"
MATCHES = (
    "--a bis --b rb",
    "--a bis --b rb --win 500 --lose none",
    "--a winprob --b bis --preset bis-paper",
    "--a winprob --b bis --win 500 --lose none",
    "--a winprob --b bis --preset ten-for-200 --win 500 --lose none",
    "--a winprob --b bis --preset five-bags --win 500 --lose none",
    "--a bis --b rb --preset cutthroat --win 300 --lose none",
    "--a bis --b rb --preset mirror --win 500 --lose none",
    "--a bis --b rb --preset whiz --win 500 --lose none",
    "--a bis --b rb --preset whiz-strict --win 500 --lose none",
    "--a bis --b rb --preset suicide --win 500 --lose=-200",
    "--a bis --b rb --preset jokers --win 500 --lose none",
    "--a bis:blind=on --b bis:convention=big5 --preset blind-nil --win 500 --lose none",
    "--a winprob:level=2 --b bis:level=3,aggression=0.5 --preset bis-paper",
    "--a bis:tuned --b ms --mixed --noise 0.1",
    "--a io --b bis:endgame=off --players srp@1,wrp",
)


def differences_of_matches(base: Path) -> Iterator[tuple[str, str, str, str]]:
    """Play the matches in both trees; yield kind, both outcomes and the command of each that differs."""
    for match in MATCHES:
        arguments = ["-m", "arena", "match", *shlex.split(f"{match} --pairs 1000 --seed 13 --jobs 1 --json")]
        before, now = (_played(tree, arguments) for tree in (base, ROOT))
        if before != now or now.startswith(FAILED):  # a match that fails in both trees compares nothing
            yield f"match {match}", before, now, f".venv/bin/python {shlex.join(arguments)}"


def _played(tree: Path, arguments: list[str]) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=tree, env=environment(tree), capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    if done.returncode:
        return f"{FAILED} {done.returncode}: {done.stderr[-1000:]}"
    return json.dumps({name: value for name, value in json.loads(done.stdout).items() if name not in FREE})

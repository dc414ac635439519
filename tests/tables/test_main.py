"""The commands of `tables`, `arena`, `studio` and `report`."""

import subprocess
import sys

import pytest

from arena import __main__ as arena_command
from studio import __main__ as studio_command
from tables.__main__ import COMMANDS, MOVED, main

ALL = [
    *(("tables", name) for name in COMMANDS),
    *(("arena", name) for name in arena_command.COMMANDS),
    *(("studio", name) for name in studio_command.COMMANDS),
    ("report",),
]
FOR_EVERY_RUN = {("tables", "build"), ("arena", "match")}


@pytest.mark.parametrize(
    "command",
    [pytest.param(one, marks=[] if one in FOR_EVERY_RUN else pytest.mark.long, id=" ".join(one)) for one in ALL],
)
def test_a_command_starts_alone(command):
    """It can be the first thing that a process imports."""
    help_of = [sys.executable, "-m", *command, "--help"]
    done = subprocess.run(help_of, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert f"python -m {' '.join(command)}" in done.stdout


@pytest.mark.parametrize("name", MOVED)
def test_a_command_that_moved_names_the_new_one(name, capsys):
    assert main([name, "--pairs", "5"]) == 2
    assert capsys.readouterr().err == f"python -m tables: {name} is now {MOVED[name]}\n"

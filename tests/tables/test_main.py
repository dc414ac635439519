"""Each command of `python -m tables` can be the first thing that a process imports."""

import subprocess
import sys

import pytest

from tables.__main__ import COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_starts_alone(name):
    help_of = [sys.executable, "-m", "tables", name, "--help"]
    done = subprocess.run(help_of, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert f"python -m tables {name}" in done.stdout

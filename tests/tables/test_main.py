"""Each command of `python -m tables` can be the first thing that a process imports."""

import subprocess
import sys

import numba
import pytest

from tables import bench
from tables.__main__ import COMMANDS, main
from tables.removed import COMMANDS as REMOVED


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_starts_alone(name):
    help_of = [sys.executable, "-m", "tables", name, "--help"]
    done = subprocess.run(help_of, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert f"python -m tables {name}" in done.stdout


@pytest.mark.parametrize("name", REMOVED)
def test_a_removed_command_says_where_its_code_is(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--deals", "5"])
    assert stopped.value.code == 2
    message = f"{name} was removed: its code is in commit cb6485b0, its figures in docs/explanation/what-was-tried.md"
    assert f"{message}; accepted: build, verify, " in capsys.readouterr().err


def test_a_command_that_compiles_says_so_once(monkeypatch, capsys):
    def compile_two(_arguments):
        for function in (lambda x: x + 1, lambda x: x + 2):
            numba.njit(function)(1)
        return 0

    monkeypatch.setattr(bench, "main", compile_two)
    assert main(["bench"]) == 0
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("python -m tables bench: compiling; ")
    assert found.err.count("\n") == 1


@pytest.mark.compiled
def test_the_bench_times_the_compiled_decision():
    positions = bench.random_positions(8, seed=1)
    assert bench.compiled_us(positions, runs=1) > 0.0

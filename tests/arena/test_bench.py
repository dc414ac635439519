"""The bench, and what a command says when it compiles."""

import numba
import pytest

from arena import bench
from arena.__main__ import main


def test_a_command_that_compiles_says_so_once(monkeypatch, capsys):
    def compile_two(_arguments):
        for function in (lambda x: x + 1, lambda x: x + 2):
            numba.njit(function)(1)
        return 0

    monkeypatch.setattr(bench, "main", compile_two)
    assert main(["bench"]) == 0
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("python -m arena bench: compiling; ")
    assert found.err.count("\n") == 1


@pytest.mark.compiled
def test_the_bench_times_the_compiled_decision():
    positions = bench.random_positions(8, seed=1)
    assert bench.compiled_us(positions, runs=1) > 0.0

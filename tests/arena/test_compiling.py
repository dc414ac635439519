"""What a command says when it compiles."""

import numba

from arena import agents
from arena.__main__ import main


def test_a_command_that_compiles_says_so_once(monkeypatch, capsys):
    def compile_two(_arguments):
        for function in (lambda x: x + 1, lambda x: x + 2):
            numba.njit(function)(1)
        return 0

    monkeypatch.setattr(agents, "main", compile_two)
    assert main(["agents"]) == 0
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("python -m arena agents: compiling; ")
    assert found.err.count("\n") == 1

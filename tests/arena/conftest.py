"""Fixtures of the arena's tests: the committed tables for compiled code, and bidders as Python files."""

import textwrap
from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from arena.agents import parse_agent
from arena.called import Resources
from arena.chunks import Arrays, ChunkFunction, Results
from arena.engine.simulate import kernel_tables, tables_for
from arena.match import Match, play_part
from spades.tables import Tables
from spades.tableset import open_tables


@pytest.fixture(scope="session")
def committed() -> tuple[Tables, ...]:
    return kernel_tables(open_tables().arrays)


def chunk_of(match: Match, profiles: tuple[Tables, ...], arrays: Arrays | None = None, nets: Any = None) -> Any:
    """Return what plays the pairs of a match; ``arrays`` and ``nets``: what learned and searching players read."""
    read = Resources(arrays or {}, nets or {}, profiles)
    return SimpleNamespace(play=partial(play_part, match, tables_for(profiles, match.rules, match.policies), read))


def called(text: str) -> Any:
    """Return the agent that Python calls which a text names."""
    agent = parse_agent(text).called
    assert agent is not None, text
    return agent


class Interrupting:
    """An executor that is interrupted after ``chunks`` chunks."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks

    def map(self, fn: ChunkFunction, indices: Iterable[int]) -> Results:
        for index in indices:
            yield index, fn(index)
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt


@pytest.fixture
def bidder_file(tmp_path):
    """Return a function that writes a Python source to a file and returns the file's path."""

    def write(source):
        path = tmp_path / "bidder.py"
        path.write_text(textwrap.dedent(source))
        return path

    return write


# The policy `rb` as an outside bidder, through the service's own plain Python.
RB_OUTSIDE = """
    from spades import Position, open_tables
    from spades.bidder import decide
    from spades.policies import parse_policy
    from spades.rules import make_rules

    TABLES = open_tables()
    CALLS = []

    def bid(request):
        CALLS.append(request)
        overrides = dict(request["rules"])
        rules = make_rules(overrides.pop("preset"), overrides)
        position = Position.of(request["hand"], request["previous_bids"], rules=rules, **request["scores"])
        return decide(position, parse_policy("rb"), TABLES, explain=False).bid

    def answer(request):
        return {"bid": bid(request), "kind": "regular"}
"""


@pytest.fixture
def rb_outside(bidder_file):
    return f"python:{bidder_file(RB_OUTSIDE)}:bid"

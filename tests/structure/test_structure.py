"""Modules do not import each other in a circle, and `make imports` counts rightly."""

from itertools import pairwise

from tests.structure import summary


def test_no_modules_import_each_other_in_a_circle():
    assert summary.cycle(summary.imports()) == []


def test_the_graph_has_every_module():
    assert set(summary.imports()) >= set(summary.sources())
    assert "spades.game.rules" in summary.imports()["spades.bidder"]


def test_cycles_are_named():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    found = summary.cycle(graph)
    assert found[0] == found[-1]
    assert all(after in graph[before] for before, after in pairwise(found))
    assert sorted(found[1:]) == ["a", "b", "c"]


def test_lines_of_code():
    source = '''"""Docstring."""
import os  # 1

# comment
def f(a):  # 2
    """Docstring
    of two lines."""
    return """a
b"""  # 4


class A:  # 5
    x = 1  # 6
'''
    assert summary.lines_of_code(source) == 6

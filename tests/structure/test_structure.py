"""Modules do not import each other in a circle."""

from collections import Counter
from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

PACKAGES = ("spades", "service", "arena", "tables", "studio", "report", "loadtest")


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Return one import cycle with its first module repeated at the end, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def test_no_modules_import_each_other_in_a_circle():
    found = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    graph = {module: found.find_modules_directly_imported_by(module) for module in sorted(found.modules)}
    assert "spades.rules" in graph["spades.bidder"]
    assert cycle(graph) == []


@pytest.mark.parametrize("package", ["spades", "service"])
def test_no_two_modules_of_a_package_have_the_same_name(package):
    """A name in an error, in an editor's tab or in a search leads to one module; this counts packages too."""
    names = [name.rpartition(".")[2] for name in grimp.build_graph(package, cache_dir=None).modules]
    assert [name for name, count in Counter(names).items() if count > 1] == []

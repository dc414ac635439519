"""The hash of source files: which files it counts, and that it changes with each of them."""

import sys

import pytest

from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables, player_rows, tables_for
from arena.engine.states import new_states
from arena.source_files import SOURCES, files_hash, imported
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tableset import open_tables
from tables import counts as counting

FILES = {
    "top": "import math\nfrom middle import f\nfrom package import member\n",
    "middle": "def f():\n    from below import g\n    return g()\n",
    "below": "def g():\n    return 1\n",
    "package": "from others import X\n",
    "package.member": "",
    "package.other": "import package.member\n",
    "others": "X = 1\n",
}


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("top", {"top", "middle", "below", "package.member"}),  # of the package only the module that is imported
        ("package", {"package", "others"}),
        ("package.other", {"package.other", "package.member"}),
        ("below", {"below"}),
    ],
)
def test_imports_are_followed(module, expected):
    assert imported(module, sources=FILES) == expected
    for name in FILES:
        changed = {**FILES, name: f"{FILES[name]}# a comment\n"}
        assert (files_hash(module, sources=changed) != files_hash(module, sources=FILES)) == (name in expected)
        assert files_hash(sources=changed) != files_hash(sources=FILES)  # without modules: of all files


def test_names_from_a_package_count_its_init():
    assert imported("top", sources={**FILES, "top": "from package import X\n"}) == {"top", "package", "others"}


def test_modules_outside_the_project_are_read_when_they_were_imported():
    assert __name__ not in SOURCES
    assert {__name__, "arena.source_files"} < imported(__name__)


def test_every_module_that_runs_counts():
    """Rounds with several bidders run in plain Python: each function that was called is in one of the files."""
    rules, players = Rules(), player_rows("srp", "wrp")
    profiles = kernel_tables(open_tables().arrays)
    called: set[str] = set()

    def watch(frame, event, _argument):
        module = frame.f_globals["__name__"]
        if event == "call" and module in SOURCES:
            called.add(module)

    for text in ("bis:tuned,convention=auto", "winprob", "rb", "ms:level=2"):
        policy = parse_policy(text)
        tables = tables_for(profiles, rules, [policy])
        sys.setprofile(watch)
        try:
            counts = [[[0, 0] for _ in range(27)] for _ in range(2)]
            counting._contract_rounds(new_states(1), Deals(3, 0, 2), rules, policy, players, tables, _Cells(counts))
        finally:
            sys.setprofile(None)
    assert len(called) > 20
    assert called <= imported("tables.counts")


class _Cells:
    def __init__(self, counts):
        self.counts = counts

    def __getitem__(self, key):
        return self.counts[key[0]][key[1]][key[2]]

    def __setitem__(self, key, value):
        self.counts[key[0]][key[1]][key[2]] = value

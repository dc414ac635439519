"""The hash of source files: which files it counts, and that it changes with each of them."""

import sys

import numpy as np
import pytest

from arena.engine import bidding, playing, results
from arena.engine.deal import NO_ANSWER
from arena.engine.rounds import COMPILED, ROUND
from arena.engine.simulate import kernel_tables, policy_rows
from arena.source_files import SOURCES, files_hash, imported
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tableset import open_tables
from tests.arena.engine.states import dealt
from tests.conftest import plain_tables

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


def test_a_name_that_an_init_imports_counts_the_module_that_has_it():
    """Not what else the `__init__` imports; but the hash changes if the name comes from another module."""
    files = {
        "top": "from package import X, Y, renamed\n",
        "package": "from package.member import X, Y\nfrom package.other import Z as renamed\nfrom others import more\n",
        "package.member": "X = Y = 1\n",
        "package.other": "from below import Z\n",
        "below": "Z = X = 2\n",
        "others": "more = 3\n",
    }
    expected = {"top", "package.member", "below"}
    assert imported("top", sources=files) == expected
    for name, text in files.items():
        changed = {**files, name: f"{text}# a comment\n"}
        assert (files_hash("top", sources=changed) != files_hash("top", sources=files)) == (name in expected)
    moved = {**files, "package": files["package"].replace("member import X, Y", "member import Y\nfrom below import X")}
    assert imported("top", sources=moved) == expected
    assert files_hash("top", sources=moved) != files_hash("top", sources=files)


@pytest.mark.parametrize(
    "text",
    [
        "if X:\n    pass\nelif Y:\n    {}\nelse:\n    pass",
        "try:\n    pass\nexcept E:\n    {}",
        "try:\n    pass\nexcept E:\n    pass\nelse:\n    pass\nfinally:\n    {}",
        "with X:\n    for x in y:\n        pass\n    else:\n        {}",
        "match x:\n    case 1:\n        {}",
        "class A:\n    async def f(self):\n        async with X:\n            while Y:\n                {}",
        "import X; {}",
    ],
)
def test_an_import_in_any_block_is_found(text):
    files = {"top": text.format("from below import g"), "below": ""}
    assert imported("top", sources=files) == {"top", "below"}


def test_of_two_imports_of_a_name_the_last_counts():
    files = {
        "top": "from package import X\n",
        "package": "from one import X\nfrom two import X\n",
        "one": "",
        "two": "",
    }
    assert imported("top", sources=files) == {"top", "two"}


def test_all_files_are_not_parsed():
    """Parsing in several threads can fail; the threads of a Dask worker all ask for the hash of all files."""
    assert len(files_hash(sources={"wrong": "def ("})) == 64


def test_a_name_of_an_init_itself_counts_all_that_it_imports():
    files = {**FILES, "top": "from package import own\n", "package": "from others import X\n\nown = X + 1\n"}
    assert imported("top", sources=files) == {"top", "package", "others"}


def test_modules_outside_the_project_are_read_when_they_were_imported():
    assert __name__ not in SOURCES
    assert {__name__, "arena.source_files"} < imported(__name__)


def test_every_module_that_runs_counts():
    """A round in plain Python: each function that a loop calls is in one of the files of the loop's module."""
    rules, state, rounds = Rules(), dealt(3, 0), np.zeros(1, ROUND).view(np.recarray)
    policies = policy_rows(map(parse_policy, ("bis:tuned,convention=auto", "winprob", "rb", "ms:level=2")))
    nobody, place = np.array([NO_ANSWER]), np.zeros(1, np.int64)
    profiles = plain_tables(kernel_tables(open_tables().arrays))
    loops = (
        (bidding._bid, (place.copy(), np.arange(4)[None], nobody, policies.view(np.recarray), 0.2, rules, profiles)),
        (playing._play, (place.copy(), np.full((1, 4), COMPILED), nobody)),
        (results._score, ([True], (0, 1, 0, 1), rules, place)),
    )
    called: set[str] = set()

    def watch(frame, event, _argument):
        module = frame.f_globals["__name__"]
        if event == "call" and module in SOURCES:
            called.add(module)

    for loop, arguments in loops:
        before, called = called, set()
        sys.setprofile(watch)
        try:
            loop([state], rounds, *arguments)
        finally:
            sys.setprofile(None)
        assert called <= imported(loop.__module__)
        called |= before
    assert len(called) > 20
    assert rounds.tricks.sum() == 13

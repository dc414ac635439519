"""The hash of code: what leaves it and what changes it, and which definitions it counts."""

import sys

import pytest

from arena.code_hash import FACES, SOURCES, UNCOUNTED, _parsed, code_hash, definitions
from arena.engine.compiled_modules import KERNELS
from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables, player_rows, tables_for
from arena.engine.states import new_states
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tableset import open_tables
from tables import counts as counting

PLAIN = '''"""A module."""

from math import pi


class Rule:
    """A class."""

    least: int = 1


def area(radius: float, scale: float = 2.0) -> float:
    """Return an area."""
    square: float = radius * radius  # a comment
    return pi * scale * square
'''


def own(source: str) -> str:
    return code_hash("module", sources={"module": source})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A module.", "Another docstring."),
        ("A class.", "Another docstring."),
        ("    least", '    """One more."""\n    least'),
        ('    """Return an area."""\n', ""),
        ("# a comment", "# another"),
        ("radius * radius", "(radius\n              *   radius)"),
        ("\n\n\ndef", "\n\n# ---- areas ----\n\ndef"),
        ("radius: float", "radius: int"),
        ("scale: float = 2.0", "scale=2.0"),
        ("-> float", "-> 'float'"),
        ("square: float", "square: object"),
        ("2.0", "2.00"),
    ],
)
def test_what_leaves_the_hash(before, after):
    assert PLAIN.count(before) == 1
    assert own(PLAIN.replace(before, after)) == own(PLAIN)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("2.0", "2.5"),
        ("2.0", "2"),
        ("2.0", "None"),
        ("= 1", "= True"),
        ("radius * radius", "radius + radius"),
        ("radius * radius", "radius * scale"),
        ("from math import pi", "from math import tau as pi"),
        ("    return", "    square += 1\n    return"),
        ("def area", "@cache\ndef area"),
        ("least: int", "least: Annotated[int, 5]"),  # `Rules` reads what is declared in such a field
    ],
)
def test_what_changes_the_hash(before, after):
    assert PLAIN.count(before) == 1
    assert own(PLAIN.replace(before, after)) != own(PLAIN)


NAMES = {
    "top": "from package import part, name\nimport numpy\nA = part, name, numpy.pi, B\nB = A\n",
    "package": "from package.other import name\n",
    "package.part": "def f():\n    import deep.inside as d\n    return d\n@register\ndef g(): pass\n",
    "package.other": "from silent import X\nname = 1\nunnamed = X\nx.y = 3\n@cache\ndef g(): pass\n",
    "deep": "print()\n",
    "deep.inside": "from package.part import f\nX = f\n",  # a circle
    "silent": "print()\nX = 1\n",
    "alone": "X = 1\n",
}


@pytest.mark.parametrize(
    ("module", "before", "after", "counts"),
    [
        ("top", "B = A", "B = A, A", True),
        ("top", "import numpy", "import math as numpy", True),
        ("package", "from package.other import name", "from alone import X as name", True),
        ("package.part", "return d", "return d, d", True),
        ("package.part", "g(): pass", "g(): ...", True),  # nothing names it, but its decorator may keep it
        ("package.part", "@register", "@kept", True),
        ("package.other", "name = 1", "name = 3", True),
        ("package.other", "unnamed = X", "unnamed = 3", False),
        ("package.other", "pass", "...", False),
        ("package.other", "@cache", "@register", True),
        ("package.other", "x.y = 3", "x.y = 4", True),
        ("deep", "print()", "print(1)", True),
        ("silent", "print()", "print(1)", True),  # imported by what nothing names
        ("silent", "X = 1", "X = 2", False),
        ("deep.inside", "X = f", "X = f, f", True),
        ("alone", "X = 1", "X = 2", False),
    ],
)
def test_what_is_named_counts(module, before, after, counts):
    assert NAMES[module].count(before) == 1
    changed = {**NAMES, module: NAMES[module].replace(before, after)}
    assert (code_hash("top", sources=changed) != code_hash("top", sources=NAMES)) == counts
    assert code_hash("top", "alone", sources=NAMES) != code_hash("top", sources=NAMES)


@pytest.mark.parametrize(
    "source",
    [
        "A = 1\nA = 2\n",
        "from alone import X\nX = 2\n",
        "def f():\n    from alone import X\ndef g():\n    from deep.inside import X\n",
        "try:\n    from alone import X\nexcept ImportError:\n    from deep.inside import X\n",
        "from alone import *\n",
        "import arena.engine.jit\n",
        "import spades\n",
    ],
)
def test_a_name_means_one_thing(source):
    with pytest.raises(AssertionError):
        code_hash("top", sources={**NAMES, "top": source})


def test_moving_a_definition_does_not_count_but_another_of_the_same_name_does():
    here = {
        "top": "from one import f\nfrom two import f as g\nX = f, g\n",
        "one": "def f(): return h()\ndef h(): return 1\n",
        "two": "def f(): return 2\n",
    }
    moved = {
        **here,
        "one": "from three import h\ndef f(): return h()\n",
        "three": "def h(): return 1\n",
    }
    assert code_hash("top", sources=moved) == code_hash("top", sources=here)
    exchanged = {**here, "top": "from two import f\nfrom one import f as g\nX = f, g\n"}
    assert set(definitions("top", sources=exchanged)) == set(definitions("top", sources=here))
    assert code_hash("top", sources=exchanged) != code_hash("top", sources=here)


def test_a_margin_of_winprob_changes_what_plays_and_not_what_counts():
    name, margin = "spades.winprob.candidates", "\nTIE_TOLERANCE = "
    assert SOURCES[name].count(margin) == 1
    changed = {**SOURCES, name: SOURCES[name].replace(margin, f"{margin}1 + ")}
    for family in ("tables.learning.training", "tables.win"):
        assert code_hash(family, sources=changed) != code_hash(family)
    assert code_hash("tables.exact", sources=changed) == code_hash("tables.exact")


def test_every_function_that_runs_counts():
    """Rounds with several bidders run in plain Python: each function that was called is among the definitions."""
    rules, players = Rules(), player_rows("srp", "wrp")
    profiles = kernel_tables(open_tables().arrays)
    called: set[tuple[str, str]] = set()

    def watch(frame, event, _argument):
        module = frame.f_globals["__name__"]
        if event == "call" and module in SOURCES and "<" not in frame.f_code.co_qualname:
            called.add((module, frame.f_code.co_qualname.split(".")[0]))

    for text in ("bis:tuned,convention=auto", "winprob", "rb", "ms:level=2"):
        policy = parse_policy(text)
        tables = tables_for(profiles, rules, [policy])
        sys.setprofile(watch)
        try:
            counts = [[[0, 0] for _ in range(27)] for _ in range(2)]
            counting._contract_rounds(new_states(1), Deals(3, 0, 2), rules, policy, players, tables, _Cells(counts))
        finally:
            sys.setprofile(None)
    assert len(called) > 100
    assert called <= set(definitions("tables.counts"))


class _Cells:
    def __init__(self, counts):
        self.counts = counts

    def __getitem__(self, key):
        return self.counts[key[0]][key[1]][key[2]]

    def __setitem__(self, key, value):
        self.counts[key[0]][key[1]][key[2]] = value


def test_what_only_the_service_runs_does_not_count():
    """Nothing that makes tables imports it, except through the two modules that declare what the service runs."""
    for name, source in SOURCES.items():
        imported = _parsed(source).imports.values()
        outside = name.partition(".")[0] != "spades" or name in KERNELS
        assert name == "arena.engine.jit" or not outside or not [o for o in imported if o.startswith(UNCOUNTED)], name
    for family in ("tables.learning.training", "tables.win"):
        assert not [module for module, _ in definitions(family) if module.startswith(UNCOUNTED)]


def test_all_versions_of_python_give_this_hash():
    """The forms of syntax whose trees differ between versions are here; CI runs this test on each version."""
    source = '''
"""Docstring."""
import os.path as p
from typing import NamedTuple
class A(NamedTuple, **{}):
    x: int = -1
    y: "str" = u"\\u00e9\\U0001f0a1"
    @staticmethod
    def f(a, /, b: int = 1, *c, d=None, **e) -> None: return {**e, "k": [*c]}, lambda: (yield)
async def g(q):
    async with q as r, q: pass
    return [x async for x in r if (y := x)], 1 < 2 <= 3 != 4, not q, q[1:, ::2, ...], b"\\x00", 1e-05, 1j, 10**20
def h(w, v=0.1):
    global z
    try:
        print(f"a{w}b" "c" f"{v!r:>{w}.2f}" f"{{}}", f"{w=}", f'{w["k"]}')
    except* ValueError as error:
        raise KeyError from error
    match w:
        case {"k": None, **rest} | [1, *rest] if rest: pass
        case A(x=-1) as found: pass
        case _: del w
    while True: break
    else: assert w, "text"
'''
    assert own(source) == "674e5c7695586445f6faa7e10c1c6607eed6339b5064875da6198ba438db90de"


def test_faces_only_import_names():
    packages = {name.rpartition(".")[0] for name in SOURCES if name.startswith("spades.")}
    assert {name for name in packages if _parsed(SOURCES[name]).imports} == set(FACES)
    for name in FACES:
        definitions = _parsed(SOURCES[name]).definitions
        assert definitions.keys() - {"__version__"} == {"", "__all__"}
        assert not definitions[""].trees, f"{name} does something when it is imported"

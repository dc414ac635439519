"""The hash of code: what leaves it and what changes it, and which modules it counts."""

import pytest

from tables.engine.jit import KERNELS
from tables.run.code_hash import SERVICE_ONLY, SOURCES, _parsed, code_hash

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


def test_imported_modules_count():
    sources = {
        "top": "from package import part, name\nimport numpy\n",
        "package": "",
        "package.part": "def f():\n    import deep.inside\n",
        "deep": "",
        "deep.inside": "from package.part import f\nX = 1\n",  # a circle
        "other": "X = 1\n",
    }
    plain = code_hash("top", sources=sources)
    for name in sources:
        changed = code_hash("top", sources={**sources, name: sources[name] + "Y = 2\n"})
        assert (changed == plain) == (name == "other"), name
    assert code_hash("top", "other", sources=sources) != plain


def test_a_margin_of_winprob_changes_what_plays_and_not_what_counts():
    name, margin = "service.bidding.winprob.candidates", "\nTIE_TOLERANCE = "
    assert SOURCES[name].count(margin) == 1
    changed = {**SOURCES, name: SOURCES[name].replace(margin, f"{margin}1 + ")}
    for family in ("tables.learning.training", "tables.builders.win_tables"):
        assert code_hash(family, sources=changed) != code_hash(family)
    assert code_hash("tables.builders.exact", sources=changed) == code_hash("tables.builders.exact")


def test_every_kernel_that_a_family_may_call_counts():
    """The compiler takes kernels from a list of names (`tables.engine.jit`), but callers import what they call."""
    for name in ("service.bidding.bis.nil", "tables.players.srp2.srp", "tables.engine.deal", "tables.run.family"):
        changed = {**SOURCES, name: SOURCES[name] + "ADDED = 1\n"}
        assert code_hash("tables.builders.curves", sources=changed) != code_hash("tables.builders.curves"), name


def test_what_only_the_service_runs_does_not_count():
    """Nothing that makes tables imports it, except through the two modules that declare what the service runs."""
    for name, source in SOURCES.items():
        imported = _parsed(source)[1]
        outside = name.startswith("tables.") or name in KERNELS
        assert not outside or not {other for other in imported if other.startswith(SERVICE_ONLY)}, name
    for name in ("service.bidding.explain.reasons", "service.bidding.winprob.decision"):
        changed = {**SOURCES, name: SOURCES[name] + "ADDED = 1\n"}
        for family in ("tables.learning.training", "tables.builders.win_tables"):
            assert code_hash(family, sources=changed) == code_hash(family), name


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
    assert own(source) == "1fb36a1c8b9001206843bdc911086d7a55d1709da08cbc68e1b81f714f229b7a"

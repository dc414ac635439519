"""Every kernel as plain Python and compiled: the results, and all arrays that it writes, are exactly equal."""

import random
from importlib import import_module

import pytest

from arena.engine.jit import KERNELS
from arena.source_files import SOURCES
from tests.parity.cases import CASES, HOW_MANY, TEXTS, WITHIN_A_BID, WITHIN_A_SEARCH, WITHIN_POSITIONS, WITHIN_ROUNDS
from tests.parity.worlds import both, same_tables


def test_every_public_kernel_has_a_case():
    for name, source in SOURCES.items():
        if "\nregister(__name__" in source:
            import_module(name)
    known = [kernel for kernel in KERNELS if kernel.__module__ in SOURCES and kernel.__name__.isidentifier()]
    found = {f"{kernel.__module__}.{kernel.__name__}" for kernel in known if not kernel.__name__.startswith("_")}
    others = TEXTS | WITHIN_A_BID | WITHIN_ROUNDS | WITHIN_A_SEARCH | WITHIN_POSITIONS
    assert found - others == set(CASES)
    assert found >= others


@pytest.mark.long
@pytest.mark.parity
@pytest.mark.parametrize("name", CASES)
def test_kernel(fitted, name):
    rng = random.Random(name)
    args: tuple = ()
    for _ in range(HOW_MANY.get(name, 200)):
        args = CASES[name](rng)
        plain, fast = both(name, args, fitted)
        assert plain == fast, args
        assert not isinstance(plain[0], float) or type(fast[0]) is float
    assert same_tables(args, fitted)

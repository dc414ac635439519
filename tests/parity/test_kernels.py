"""Every kernel as plain Python and compiled: the results, and all arrays that it writes, are exactly equal."""

import random
import types
from importlib import import_module

import pytest

from arena.engine.compiled_modules import KERNELS
from tests.parity.cases import (
    CASES,
    HOW_MANY,
    POLICIES,
    TEXTS,
    WITHIN_A_PAIR,
    WITHIN_A_SEARCH,
    WITHIN_POSITIONS,
    any_position,
)
from tests.parity.worlds import both, compiled, kernel, same_tables

pytestmark = [pytest.mark.parity, pytest.mark.xdist_group("kernels")]


def test_every_public_kernel_has_a_case():
    found = {
        f"{name}.{function}"
        for name in KERNELS
        for function, value in vars(import_module(name)).items()
        if isinstance(value, types.FunctionType) and value.__module__ == name and not function.startswith("_")
    }
    others = TEXTS | WITHIN_A_PAIR | WITHIN_A_SEARCH | WITHIN_POSITIONS
    assert found - others - set(CASES) == set()
    assert found >= others


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


@pytest.mark.parametrize("positions", [2_000, pytest.param(20_000, marks=pytest.mark.long)])
def test_all_policies_bids(fitted, positions):
    """In each position, half of the policies in turn: both forms make the same bid."""
    rng = random.Random(1)
    plain, fast = kernel("arena.engine.choose_bid.choose_bid"), compiled("arena.engine.choose_bid.choose_bid")
    bids = set()
    for number in range(positions):
        where = any_position(rng)
        for policy in POLICIES[number % 2 :: 2]:
            bid = plain(*where, policy, fitted.plain_settings)
            assert fast(*where, policy, fitted.array_settings) == bid, (where, policy)
            bids.add(bid)
    assert bids >= set(range(9))

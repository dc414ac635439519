"""`Tables` as compiled code takes them."""

import sys

import pytest

from arena.engine.jit import entry

pytestmark = [pytest.mark.compiled]


def _first_factors(first, profiles):
    return first.factor[0, 0] + profiles[1].factor[0, 0] + profiles[9].factor[0, 0]


def test_a_call_holds_the_arrays_only_while_it_runs(fitted):
    call = entry(_first_factors)
    arguments = (fitted.arrays, fitted.array_settings)
    expected = sum(fitted.array_settings[number].factor[0, 0] for number in (0, 1, 9))
    assert call(*arguments) == expected
    arrays = [array for tables in fitted.array_settings for array in tables]
    held = [sys.getrefcount(array) for array in arrays]  # compiled code holds an array by a reference
    for _ in range(100):
        assert call(*arguments) == expected
    assert [sys.getrefcount(array) for array in arrays] == held

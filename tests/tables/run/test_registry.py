"""Tests of the list of families: tests of kernels use all exact arrays that kernels read."""

from spades.tables import Tables
from tables.run.registry import FAMILIES
from tests.conftest import EXACT


def test_kernels_are_tested_with_all_exact_tables():
    """Otherwise parity tests would not try them. A profile's array has the profile's name before the field's."""
    arrays = {array for family in FAMILIES if family.exact for array in family.axes}
    read = {array for array in arrays for field in Tables._fields if array == field or array.endswith(f"_{field}")}
    assert read - set(EXACT) == set(), "add these arrays to EXACT in tests/conftest.py"

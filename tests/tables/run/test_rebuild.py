"""Families that take seconds, made again from the seed: the code gives the committed bytes."""

import pytest

from arena.chunks import LocalThreads
from spades.manifest import read_manifest
from spades.tableset import DEFAULT_DIRECTORY
from tables.families import FAMILIES
from tables.run.build import DEFAULT_SEED, dependency_arrays, make, npy_bytes
from tables.run.family import Context

# Always, tests/tables/test_jokers.py compares some of their cells with the oracle.
LARGE = ("jokers_cnil", "jjdd_cnil")
SLOW = tuple(pytest.param(name, marks=pytest.mark.long) for name in LARGE)
EXACT = tuple(family.name for family in FAMILIES if family.exact and family.name not in LARGE)
PLAYED = (pytest.param("cutthroat_contracts", marks=pytest.mark.compiled),)  # its arithmetic is exact on any processor


@pytest.mark.slow
@pytest.mark.parametrize("name", [*EXACT, *PLAYED, *SLOW])
def test_a_rebuild_gives_the_committed_bytes(tmp_path, name):
    (family,) = (family for family in FAMILIES if family.name == name)
    context = Context(
        family=family,
        seed=DEFAULT_SEED,
        rounds_scale=1.0,
        inputs=dependency_arrays(DEFAULT_DIRECTORY, family, FAMILIES, read_manifest(DEFAULT_DIRECTORY)),
        executor=LocalThreads(1),
        checkpoints=tmp_path,
        progress=False,
    )
    for array, made in make(context).items():
        assert npy_bytes(made) == (DEFAULT_DIRECTORY / f"{array}.npy").read_bytes(), array

"""Whole rounds and games in both worlds, card by card, and once more with numba's bounds checks on."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.parity.worlds import compiled_rounds, frozen_bids, plain_rounds

pytestmark = pytest.mark.parity
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("players", "first", "pieces"),
    [
        (("wrp",), 0, 511),
        (("srp@1",), 200, 511),
        (("srp@1", "wrp", "srp@1", "wrp"), 400, 511),
        (("srp@1",), 600, 0),
        (("srp@2",), 200, 511),
        (("srp@2", "wrp", "srp@1", "srp@2"), 500, 0b010101010),
        (("solo@1",), 800, 511),
        (("solo@1", "wrp", "solo@1", "srp@1"), 900, 85),
        (("srp@1",), 700, 0b101010101),
    ],
)
def test_card_by_card(players, first, pieces):
    bids = frozen_bids()
    plain = plain_rounds(first, 100, bids, *players, pieces=pieces)
    assert np.array_equal(plain, compiled_rounds(first, 100, bids, *players, pieces=pieces))


@pytest.mark.slow
def test_within_bounds(tmp_path):
    """No kernel reads or writes past an array's end: the same comparisons, compiled with NUMBA_BOUNDSCHECK=1."""
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.parity.bounds"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("compared ")

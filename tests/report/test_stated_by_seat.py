"""What `winprob` states by seat: every bid of self-play is counted once, and chances are shares."""

from pathlib import Path

import pytest

from report.setup import Setup
from report.stated_by_seat import NIL_PRESETS, stated_by_seat, stated_nils
from tests.conftest import committed_tables

GAMES = 12


@pytest.fixture(scope="module")
def setup() -> Setup:
    return Setup(committed_tables(), GAMES, 1, 1, Path("unused"))


@pytest.mark.compiled
@pytest.mark.long
def test_side_a_bids_twice_in_each_round(setup):
    """Side a has seats 0 and 2, or 1 and 3: both seats of a side have as many bids."""
    found = stated_by_seat(setup)
    bids = [
        sum(int(number.replace(",", "")) for seat, _, number, _ in found["rows"] if seat == one) for one in range(4)
    ]
    assert bids[0] == bids[2] > GAMES
    assert bids[1] == bids[3] > GAMES


@pytest.mark.compiled
@pytest.mark.long
def test_more_nils_are_made_with_a_pass(setup):
    rows = stated_nils(setup)["rows"]
    assert [(name, seat) for name, seat, *_ in rows] == [(name, seat) for name in NIL_PRESETS for seat in range(4)]
    nils = {name: sum(int(row[2].replace(",", "")) for row in rows if row[0] == name) for name in NIL_PRESETS}
    assert nils["classic"] < min(nils["pass-2"], nils["pass-4"])

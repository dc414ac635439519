"""A new field of `Rules`, tried in a copy of the code: refused until it is fully declared, then known everywhere."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spades.tableset import DEFAULT_DIRECTORY
from spades.winprob import KEY_FIELDS

ROOT = Path(__file__).resolve().parents[3]
END_OF_RULES = "\n\n\nFIELDS = fields_of(Rules)"
OVERTIME = f"""
    overtime: Annotated[
        int,
        Rule(
            values=Integer(0, 3),
            meaning="Rounds that are played after a draw.",
            fixed_in=(MIRROR,),
            seen_by_ignore=True,
            games_column={len(KEY_FIELDS)},
        ),
    ] = 0"""

USED = """
from spades.legal import simplified_rules
from spades.errors import RulesError
from spades.rules import FIELDS, PRESETS, Rules, describe, make_rules
from spades.rules import overrides_of, seed_values
from spades.tables import PARTNERSHIP_PROFILE
from spades.tableset import open_tables
from spades.winprob.games import SHIPPED_PRESETS
from arena.engine.winprob import slice_of
from spades.play import tricks as play
from arena.engine.states import STATE, new_states
from tables.run.family import recorded

plain, new = Rules(), Rules(overtime=2)
assert describe(new)["overtime"] == 2 and make_rules("classic", describe(new)) == new
assert overrides_of(new) == {"overtime": 2}
try:
    make_rules("mirror", {"overtime": 2})
    raise AssertionError("not refused")
except RulesError as error:
    assert error.field == "overtime", error

# Games of the shipped tables still have theirs, and the new game has the nearest.
tables = open_tables()
games = tables.games
assert all(games.nearest(PRESETS[preset]).instead == () for preset in SHIPPED_PRESETS)
assert games.nearest(plain).instead == ()
long = PRESETS["no-bags"]._replace(win=1000)  # one of the tables; it serves all lower goals
assert games.nearest(new).instead == (("overtime", 0),)
for views in (tables.kernel[PARTNERSHIP_PROFILE], tables.kernel_arrays[PARTNERSHIP_PROFILE]):
    assert slice_of(long, views) == games.nearest(long).win_slice
    assert slice_of(new, views).start == -1
assert simplified_rules(Rules(overtime=2, nil_points=50)) == new

# Nothing that is hashed changes for games without the rule.
assert seed_values(plain) == tuple(plain)[:16] and seed_values(new) == (*plain[:16], ("overtime", 2))
assert "overtime" not in recorded(plain) and recorded(new)["overtime"] == 2

def round_trip(state, rules):
    play.write_rules(state, rules)
    return play.written_rules(state)

def check(state, round_trip, slice_of, simplified_rules):
    numbers = Rules(*range(1000, 1000 + len(Rules._fields)))
    assert round_trip(state, numbers) == numbers
    assert slice_of(new, tables.kernel_arrays[PARTNERSHIP_PROFILE]).start == -1
    assert slice_of(long, tables.kernel_arrays[PARTNERSHIP_PROFILE]).start >= 0
    seen = {name: value for name, value in numbers._asdict().items() if FIELDS[name].seen_by_ignore}
    assert {"win", "lose", "deck", "overtime"} <= seen.keys()
    assert simplified_rules(numbers) == Rules(**seen)

import numpy as np
check(new_states(1)[0], round_trip, slice_of, simplified_rules)
import numba
from arena.engine import jit  # lets compiled code call the kernels
check(
    np.zeros(1, STATE)[0],
    numba.njit(round_trip),
    numba.njit(lambda rules, t: slice_of(rules, t)),
    numba.njit(lambda rules: simplified_rules(rules)),
)
print("all known")
"""


@pytest.fixture(scope="module")
def run_with(tmp_path_factory):
    """Return a function that runs code in a copy of the tree whose `Rules` end with one more field."""
    root = tmp_path_factory.mktemp("tree")
    for package in ("spades", "service", "arena", "tables"):
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__", "data", "work"))
    (root / "spades" / "data").symlink_to(DEFAULT_DIRECTORY)
    path = root / "spades/rules.py"
    source = path.read_text()
    assert source.count(END_OF_RULES) == 1

    def run(field, code):
        path.write_text(source.replace(END_OF_RULES, field + END_OF_RULES))
        return subprocess.run(
            [sys.executable, "-B", "-c", code], cwd=root, capture_output=True, text=True, timeout=300, check=False
        )

    return run


def test_the_contract_has_it_too(run_with):
    request = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0, "rules": {"overtime": 2}}
    read = f"from spades.contract.bid_request import read_bid; print(read_bid({request!r}).position.rules.overtime)"
    assert run_with(OVERTIME, read).stdout == "2\n"


@pytest.mark.slow
def test_a_whole_field_is_known_everywhere(run_with):
    done = run_with(OVERTIME, USED)
    assert (done.stdout.splitlines(), done.returncode) == (["all known"], 0), done.stderr

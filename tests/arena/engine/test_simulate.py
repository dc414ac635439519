"""The tables of compiled code: every float in float64, with the value that the service's plain Python reads."""

import sys

import numpy as np
import pytest

from arena.engine.deal import Deals
from arena.engine.simulate import (
    COUNTED_FROM_THE_END,
    TABLE,
    kernel_tables,
    packed,
    player_rows,
    policy_rows,
    tables_for,
)
from arena.engine.states import policy_of
from arena.engine.winprob import slice_of
from arena.errors import BuildError
from arena.games import Lineup, play_pairs
from spades.options import Policy
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.tables import NEUTRAL, PARTNERSHIP_PROFILE, WHIZ_PROFILE
from tests.conftest import committed_tables, view

NEEDED = ("p_length", "cnil", "side_high", "spade_high", "spade_takes", "ruffs")  # all of self-play depends on these


def test_stored_floats_are_read_as_float64():
    arrays = committed_tables().arrays
    stored = {name: array.astype("<f4") if "curve" in name else array for name, array in arrays.items()}
    profiles = kernel_tables(stored)
    for array in profiles[PARTNERSHIP_PROFILE]:
        assert array.dtype in (np.float64, np.int64, np.uint16, np.uint8)
    for profile, name in ((PARTNERSHIP_PROFILE, "curves"), (WHIZ_PROFILE, "whiz_curves")):
        cell = view(stored[name])[7, 50]
        assert profiles[profile].curves[7, 50] == cell
        assert profiles[profile].curves.flags.writeable


def test_tables_that_a_family_does_not_depend_on_are_neutral():
    shipped = committed_tables()
    profiles = kernel_tables({name: shipped.arrays[name] for name in NEEDED})
    for name, array in profiles[PARTNERSHIP_PROFILE]._asdict().items():
        stored = getattr(shipped.kernel_arrays[PARTNERSHIP_PROFILE], name)
        assert (array.ndim, array.dtype.kind) == (stored.ndim, stored.dtype.kind), name
    for name, cells in NEUTRAL.items():
        assert shipped.arrays[name].shape == cells.shape, name
        assert set(getattr(profiles[PARTNERSHIP_PROFILE], name).flat) == {cells.value}


def test_every_field_of_a_policy_survives_as_a_row():
    """A policy is the same after it was a row."""
    policy = Policy._make(type(default)(number) for number, default in enumerate(Policy(), start=2))
    assert policy_of(policy_rows([policy])[0]) == policy


def test_a_table_without_a_neutral_form_is_named():
    with pytest.raises(TypeError, match=r"Tables\.cnil: found no array and no neutral one; accepted: Neutral in its"):
        kernel_tables({name: committed_tables().arrays[name] for name in NEEDED if name != "cnil"})


def test_each_profile_keeps_its_tables():
    """A table with fewer rows than others, such as that of a smaller deck, is where kernels look for it."""
    profiles = kernel_tables(committed_tables().arrays)
    used = packed(profiles, range(len(profiles)), profiles[PARTNERSHIP_PROFILE])
    shorter = set()
    for number, tables in enumerate(profiles):
        for name in TABLE.names or ():
            cells, table = used.rows[used.row_of[number]][name], getattr(tables, name)
            inner = tuple(map(slice, table.shape[1:]))
            from_end = name in COUNTED_FROM_THE_END
            own = cells[-len(table) :] if from_end else cells[: len(table)]
            assert np.array_equal(own[(slice(None), *inner)], table), (number, name)
            assert np.array_equal(cells[0][inner], table[0]), (number, name)
            shorter |= {name} if len(table) < len(cells) else set()
    assert shorter >= set(COUNTED_FROM_THE_END)


def test_a_table_that_is_too_large_is_named():
    (*_, last) = profiles = kernel_tables(committed_tables().arrays)
    with pytest.raises(BuildError, match=r"table factor has shape \(4, 41\); accepted: at most \(4, 40\)"):
        packed([last._replace(factor=np.zeros((4, 41)))], [0], profiles[0])


def test_only_winprob_has_win_tables():
    profiles, rules = kernel_tables(committed_tables().arrays), make_rules("classic", {"win": 400})
    assert len(tables_for(profiles, rules, [parse_policy("bis")]).win) == 1
    with_them = tables_for(profiles, rules, [parse_policy("bis"), parse_policy("winprob")])
    assert slice_of(rules, with_them).start >= 0


@pytest.mark.compiled
@pytest.mark.parametrize("rules", [make_rules("bis-paper"), make_rules("classic", {"win": 200, "blind_min": 6})])
def test_games_keep_no_references_to_the_tables(rules):
    """A kernel that does not count references would keep one to each array that another kernel returns to it."""
    bidders = [parse_policy(text) for text in ("winprob:blind=on", "bis", "winprob:level=2", "winprob")]
    profiles = tables_for(kernel_tables(committed_tables().arrays), rules, bidders)
    lineup = Lineup(bidders, player_rows("srp@4", "uct(tricks=2, samples=10)"))
    before = [sys.getrefcount(array) for array in profiles]
    play_pairs(Deals(1, 0, 4), rules, lineup, profiles)
    assert [sys.getrefcount(array) for array in profiles] == before

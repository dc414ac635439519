"""The tables of compiled code: every float in float64, with the value that the service's plain Python reads."""

import numpy as np
import pytest

from arena.engine.simulate import kernel_tables
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


def test_a_table_without_a_neutral_form_is_named():
    with pytest.raises(TypeError, match=r"Tables\.cnil: found no array and no neutral one; accepted: Neutral in its"):
        kernel_tables({name: committed_tables().arrays[name] for name in NEEDED if name != "cnil"})

"""The tables of compiled code: every float in float64, with the value that the service's plain Python reads."""

import numpy as np

from service.bidding.table_profile import PARTNERSHIP_PROFILE, WHIZ_PROFILE
from service.bidding.tableset import open_tables
from tables.engine.simulate import kernel_tables
from tests.conftest import view


def test_stored_floats_are_read_as_float64():
    stored = {name: array.astype("<f4") if "curve" in name else array for name, array in open_tables().arrays.items()}
    profiles = kernel_tables(stored)
    for array in profiles[PARTNERSHIP_PROFILE]:
        assert array.dtype in (np.float64, np.int64, np.uint16, np.uint8)
    for profile, name in ((PARTNERSHIP_PROFILE, "curves"), (WHIZ_PROFILE, "whiz_curves")):
        cell = view(stored[name])[7, 50]
        assert profiles[profile].curves[7, 50] == cell
        assert profiles[profile].curves.flags.writeable

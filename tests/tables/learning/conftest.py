"""Positions to train on."""

import numpy as np
import pytest

from spades.cards import parse_pbn
from spades.legal import NO_BID
from spades.options import LIKE_BIS
from tables.learning.batches import Source
from tables.learning.scores import GAMES
from tables.learning.training_data import MOST_TRIED, NONE

PREVIOUS = [(first, second) for first in range(1, 6) for second in range(1, 9)]  # 40 positions, a tenth held out


@pytest.fixture(scope="module")
def source(fitted) -> Source:
    """Positions of one hand in seat 2 at 0-0, which differ in the previous bids. Bids 1 and 5 were tried in each."""
    n = len(PREVIOUS)
    tried = np.full((n, MOST_TRIED), NONE, np.int8)
    tried[:, :2] = 1, 5
    data = {
        "hands": np.full(n, parse_pbn("AKJ62.AQ.Q.K9543")),
        "bids": np.array([(2, *previous, NO_BID) for previous in PREVIOUS], np.int8),
        "kinds": np.full((n, 3), LIKE_BIS, np.int8),
        "tried": tried,
        "results": np.zeros((n, MOST_TRIED, 4), np.int16),
        "scores": np.zeros((n, 4), np.int16),
        "games": np.zeros(n, np.int8),
    }
    return Source(data, np.zeros((len(GAMES), 3, 4), np.int64), fitted.array_settings, 3)

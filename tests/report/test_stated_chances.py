"""The table of stated win probabilities: what it shows for bins with enough and with too few games."""

import numpy as np

from report.stated_chances import BINS, ENOUGH, Stated, _judged


def _stated(times: int) -> Stated:
    """Return ``times`` bids that state 60%, of which 50% win."""
    bins = np.zeros((2, BINS, 4))
    bins[0, 12] = times, 0.6 * times, 0.5 * times, 0.6 * times
    return Stated(bins, np.array([0.25 * times, 0.0]), times)


def test_a_bin_is_judged_by_its_distance():
    assert _judged(_stated(ENOUGH), 0) == ("100", "+0.0", "+10.0", "10.0", "10.0", "0.2500")


def test_bins_with_too_few_games_are_not_judged():
    assert _judged(_stated(ENOUGH - 10), 0)[-3:] == ("-", "-", "0.2500")

"""The measurements of the searches, on matches whose results are given."""

from math import log

import pytest

from spades.policies import parse_policy
from tables import fit
from tests.conftest import committed_tables


def win_rate_of(monkeypatch, results):
    """Return the estimate of a match with these results of the pairs' two games."""

    def play_pairs(seed, first, last, rules, lineup, profiles, scores, sums):
        scores[first:last] = results

    monkeypatch.setattr(fit, "play_pairs", play_pairs)
    bis = parse_policy("bis")
    return fit.win_rate((), bis, bis, len(results), seed=1)


def test_win_rate_of_equal_bidders_keeps_a_width(monkeypatch):
    # 50 pairs without a difference: 50 ± 3.57, as in tests/tables/arena/test_stats.py.
    assert str(win_rate_of(monkeypatch, [(1, -1)] * 50)) == "50.00 ± 3.57"


def test_win_rate_of_many_pairs_is_the_normal_one(monkeypatch):
    # Half of 10,000 pairs .5, the rest half 0 and half 1: variance 1/8, 1.96 * sqrt(.125 / 10,000) = .00693.
    results = [(1, -1)] * 5000 + [(1, 1)] * 2500 + [(-1, -1)] * 2500
    assert str(win_rate_of(monkeypatch, results)) == "50.00 ± 0.69"


@pytest.mark.long
def test_nil_values_of_cutthroat_say_more_than_a_coin():
    losses = dict(fit.losses_by_attackers(committed_tables().kernel_arrays, rounds=4000, seed=1))
    assert list(losses) == ["3 hunters", "2 hunters", "1 hunters"]
    assert all(0 < loss < log(2) for loss in losses.values())

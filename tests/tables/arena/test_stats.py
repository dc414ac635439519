"""The statistics of matches against published numbers, hand-computed cases and simulation."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.arena import stats

# Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), 857-872,
# table I, method 3 (Wilson's score interval).
NEWCOMBE = (
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0000, 0.1611),
    (1, 29, 0.0061, 0.1718),
)

# Pair counts, elo0, elo1, and the result of fishtest's LLRcalc.LLR_logistic (server/fishtest/stats at 93fe81e).
FISHTEST = (
    ((3, 20, 50, 22, 5), 0, 20, 0.04032037241670679),
    ((3, 20, 50, 22, 5), 0, 5, 0.17838022438188125),
    ((3, 20, 50, 22, 5), -10, 10, 0.9344729113889829),
    ((0, 10, 30, 12, 0), 0, 20, -0.27041453628885204),
    ((0, 10, 30, 12, 0), 0, 5, 0.085226848211516),
    ((12, 40, 60, 30, 8), 0, 20, -2.9973011351582723),
)


@pytest.mark.parametrize(("r", "n", "low", "high"), NEWCOMBE)
def test_wilson_as_published(r, n, low, high):
    assert [round(x, 4) for x in stats.wilson(r / n, n)] == [low, high]


def test_wilson_of_nothing_is_everything():
    assert stats.wilson(0.5, 0) == (0.0, 1.0)


def test_pair_counts_by_hand():
    scores = np.array([[-1, -1], [-1, 0], [1, -1], [0, 0], [1, 0], [1, 1], [1, 1]])
    assert stats.pair_counts(scores).tolist() == [1, 1, 2, 1, 2]


def test_win_rate_by_hand():
    # Pair scores 1, 1, .5, 0: mean .625, variance (2 * .140625 + .015625 + .390625) / 3 = .229167; games 5 of 8,
    # variance .234375; saved 1 - 2 * .229167 / .234375 = -.955556. Effective games .234375 * 4 / .229167 = 4.0909.
    scores = np.array([[1, 1], [1, 1], [1, -1], [-1, -1]])
    found = stats.win_rate(scores)
    assert found.rate == 0.625
    assert found.pairs == 4
    assert found.variance_saved == pytest.approx(-0.9555556)
    assert (found.low, found.high) == pytest.approx(stats.wilson(0.625, 4.0909091))


def test_interval_is_the_normal_one_in_a_long_match():
    rng = np.random.default_rng(3)
    scores = rng.choice([-1, 1], (20_000, 2), p=[0.45, 0.55])
    found = stats.win_rate(scores)
    pairs = ((scores + 1) / 2).mean(axis=1)
    error = pairs.std(ddof=1) / math.sqrt(len(pairs))
    assert found.low == pytest.approx(found.rate - 1.959964 * error, abs=1e-5)
    assert found.high == pytest.approx(found.rate + 1.959964 * error, abs=1e-5)
    assert found.variance_saved == pytest.approx(0, abs=0.05)  # these games are independent


def test_zero_variance_never_divides():
    level = stats.win_rate(np.array([[1, -1], [-1, 1], [1, -1]]))
    assert level == (0.5, 0.5, 0.5, 3, 1.0)
    won = stats.win_rate(np.array([[1, 1]] * 20))
    assert (won.rate, won.high, won.variance_saved) == (1.0, 1.0, 0.0)
    assert won.low == pytest.approx(1 - 0.1611, abs=1e-4)  # Newcombe's 0 of 20
    drawn = stats.win_rate(np.array([[0, 0]] * 5))
    assert (drawn.rate, drawn.low, drawn.high) == (0.5, 0.5, 0.5)
    assert stats.win_rate(np.zeros((0, 2), int)) == (0.5, 0.0, 1.0, 0, 0.0)
    assert stats.win_rate(np.array([[1, -1]])).pairs == 1


def test_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        strength = rng.random((150, 1))  # the deal favours one side, so its two games have opposite winners
        scores = np.where(rng.random((150, 2)) < np.hstack([strength, 1.1 - strength]), 1, -1)
        found = stats.win_rate(scores)
        inside += found.low <= 0.5475 <= found.high  # mean of x and of min(1, 1.1 - x), x uniform: .5 and .595
    assert 365 <= inside <= 395  # 380 expected, standard deviation 4.4


def test_points_a_round_by_hand():
    # Pairs (d, r) = (10, 2), (-4, 1), (0, 3): mean 1; residuals 8, -5, -3, squares 98; error sqrt(98 * 3 / 2) / 6.
    found = stats.ratio_of_sums(6, 6, 116, 16, 14, 3)
    assert found.mean == 1
    assert found.high - found.mean == pytest.approx(1.959964 * math.sqrt(147) / 6)
    assert stats.ratio_of_sums(0, 12, 0, 0, 48, 3) == (0, 0, 0)
    assert stats.ratio_of_sums(5, 2, 25, 10, 4, 1).high == math.inf
    assert stats.ratio_of_sums(0, 0, 0, 0, 0, 0).mean == 0


@given(st.floats(-800, 800))
def test_elo_there_and_back(elo):
    assert stats.elo_of_score(stats.score_of_elo(elo)) == pytest.approx(elo, abs=1e-6)


def test_elo_at_the_ends():
    # Ten to one is 400 points by definition.
    assert stats.score_of_elo(400) == pytest.approx(10 / 11)
    assert (stats.elo_of_score(0), stats.elo_of_score(1)) == (-math.inf, math.inf)


@given(
    st.lists(st.integers(1, 1000), min_size=5, max_size=5),
    st.floats(0.05, 0.95),
    st.lists(st.floats(-1, 1), min_size=5, max_size=5),
)
def test_constrained_mle_is_likeliest_of_its_mean(counts, mean, direction):
    p = [count / sum(counts) for count in counts]
    values = np.array(stats.PAIR_SCORES)
    best = np.array(stats.constrained_mle(p, stats.PAIR_SCORES, mean))
    assert (best > 0).all()
    assert best.sum() == pytest.approx(1)
    assert best @ values == pytest.approx(mean)
    # Any step that keeps sum and mean lowers the likelihood.
    basis = np.linalg.qr(np.column_stack([np.ones(5), values]))[0]
    step = np.array(direction) - basis @ (basis.T @ np.array(direction))
    if np.abs(step).max() > 1e-6:
        other = best + step * 0.5 * (best / np.maximum(np.abs(step), 1e-12)).min()
        assert np.dot(p, np.log(other)) <= np.dot(p, np.log(best)) + 1e-12


@pytest.mark.parametrize(("counts", "elo0", "elo1", "llr"), FISHTEST)
def test_log_likelihood_ratio_as_fishtest(counts, elo0, elo1, llr):
    assert stats.sequential_test(counts, elo0, elo1).llr == pytest.approx(llr, abs=1e-12)


def test_log_likelihood_ratio_of_two_outcomes_by_hand():
    # With wins and losses alone the mean fixes the distribution: 60 ln(.55/.5) + 40 ln(.45/.5) = 1.504190.
    found = stats.log_likelihood_ratio((40, 60), 0.5, 0.55, (0.0, 1.0))
    assert found == pytest.approx(60 * math.log(1.1) + 40 * math.log(0.9))
    assert found == pytest.approx(1.504190, abs=1e-6)


def test_bounds_and_decisions():
    # Wald: ln(.05 / .95) and ln(.95 / .05).
    start = stats.sequential_test([0] * 5, 0, 10)
    assert (start.lower, start.upper) == pytest.approx((-2.944439, 2.944439))
    assert (start.llr, start.decision) == (0, "undecided")
    assert stats.sequential_test([100, 0, 300, 0, 200], 0, 10).decision == "H1"
    assert stats.sequential_test([200, 0, 300, 0, 100], 0, 10).decision == "H0"
    assert stats.sequential_test([0, 0, 500, 0, 0], 0, 10).decision == "H0"  # equal bidders: the variance is 0


@pytest.mark.parametrize(
    "arguments", [(5, 5), (5, 0), (0, 5, 0.0), (0, 5, 0.05, 0.5)], ids=["equal", "swapped", "alpha", "beta"]
)
def test_bounds_that_make_no_test_are_refused(arguments):
    with pytest.raises(ValueError, match="accepted"):
        stats.sequential_test([1, 0, 1, 0, 1], *arguments)


def decide(rng, p, elo0, elo1):
    counts = np.zeros(5, np.int64)
    for _ in range(400):
        counts += rng.multinomial(50, p)
        found = stats.sequential_test(counts.tolist(), elo0, elo1)
        if found.decision != "undecided":
            return found.decision
    return "undecided"


def test_equal_sides_are_seldom_told_apart():
    """200 tests at alpha 0.05 have at most 17 false positives (10 are expected, standard deviation 3.1)."""
    rng = np.random.default_rng(11)
    decisions = [decide(rng, [0.2, 0, 0.6, 0, 0.2], 0, 30) for _ in range(200)]
    assert decisions.count("H1") <= 17
    assert decisions.count("undecided") == 0


def test_a_better_side_is_seldom_missed():
    rng = np.random.default_rng(12)
    score = stats.score_of_elo(30)
    p = [0.2 - (score - 0.5), 0, 0.6, 0, 0.2 + (score - 0.5)]
    decisions = [decide(rng, p, 0, 30) for _ in range(200)]
    assert decisions.count("H0") <= 17


def test_z():
    assert stats.z_of(0.999) == pytest.approx(NormalDist().inv_cdf(0.9995))
    assert stats.z_of(0.95) == pytest.approx(1.959964, abs=1e-6)

"""The statistics of matches against published numbers, hand-computed cases and simulation."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import stats

# Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), 857-872,
# table I, method 3 (Wilson's score interval).
NEWCOMBE = (
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0000, 0.1611),
    (1, 29, 0.0061, 0.1718),
)

# Won, played, and binom.agresti.coull of the R package binom, as in statsmodels (results_proportion.py at 1a63aa7).
R_BINOM = (
    (18, 20, 0.6867561125596077, 0.984343760998137),
    (4, 20, 0.0749115102767071, 0.4217635845549845),
    (4, 200, 0.005991954548218395, 0.0520995587739575),
    (0, 30, 0.0, 0.13471170),
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


# Two game results for each of `PAIR_SCORES`.
RESULTS = np.array([[-1, -1], [-1, 0], [1, -1], [0, 1], [1, 1]])


def match_of(counts, **options):
    """Return the win rate of a match with ``counts`` of `PAIR_SCORES`."""
    return stats.win_rate(np.repeat(RESULTS, counts, axis=0), **options)


def coverage(p, pairs, trials=20_000):
    """Return how often a match's interval holds the true rate, if pairs have `PAIR_SCORES` with probabilities ``p``."""
    true = np.dot(p, stats.PAIR_SCORES)
    drawn = np.random.default_rng(pairs).multinomial(pairs, p, trials)
    counts, times = np.unique(drawn, axis=0, return_counts=True)
    found = [match_of(row) for row in counts]
    return np.average([rate.low <= true <= rate.high for rate in found], weights=times)


@pytest.mark.parametrize(("r", "n", "low", "high"), NEWCOMBE)
def test_wilson_as_published(r, n, low, high):
    assert [round(x, 4) for x in stats.wilson(r / n, n)] == [low, high]


def test_wilson_contains_its_rate_and_stays_between_0_and_1():
    for n in range(1, 3001):
        for p in (0.0, 1 / n, 1.0):
            low, high = stats.wilson(p, n)
            assert 0.0 <= low <= p <= high <= 1.0
            assert low < high


def test_wilson_of_nothing_is_everything():
    assert stats.wilson(0.5, 0) == (0.0, 1.0)


def test_pair_counts_by_hand():
    scores = np.array([[-1, -1], [-1, 0], [1, -1], [0, 0], [1, 0], [1, 1], [1, 1]])
    assert stats.pair_counts(scores).tolist() == [1, 1, 2, 1, 2]


@pytest.mark.parametrize(("won", "n", "low", "high"), R_BINOM)
def test_agresti_coull_as_published(won, n, low, high):
    found = stats.agresti_coull(np.array([n - won, 0, 0, 0, won]))
    assert found == pytest.approx((low, high), abs=1e-8)


def test_win_rate_by_hand():
    # Pair scores 1, 1, .5, 0, 25 times each: mean .625, squares 25 * (2 * .140625 + .015625 + .390625) = 17.1875, which
    # are 68.75 decisive pairs; variance 17.1875 / 99 = .173611. Games 125 of 200, variance .234375; saved
    # 1 - 2 * .173611 / .234375 = -.481481. Effective games .234375 * 100 / .173611 = 135.
    found = match_of([25, 0, 25, 0, 50])
    assert found.rate == 0.625
    assert found.pairs == 100
    assert found.variance_saved == pytest.approx(-0.4814815)
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx(stats.wilson(0.625, 135))


def test_few_decisive_pairs_get_another_interval():
    # 49 of 200 pairs are won twice by one side or the other; with 51 the variance is known well enough.
    few, enough = match_of([24, 0, 151, 0, 25]), match_of([25, 0, 149, 0, 26])
    assert (few.method, enough.method) == ("agresti-coull", "wilson")
    assert (few.low, few.high) == stats.agresti_coull(np.array([24, 0, 151, 0, 25]))
    # Few pairs: 10 are at most 10 decisive ones.
    assert match_of([5, 0, 0, 0, 5]).method == "agresti-coull"


def test_interval_is_the_normal_one_in_a_long_match():
    rng = np.random.default_rng(3)
    scores = rng.choice([-1, 1], (20_000, 2), p=[0.45, 0.55])
    found = stats.win_rate(scores)
    pairs = ((scores + 1) / 2).mean(axis=1)
    error = pairs.std(ddof=1) / math.sqrt(len(pairs))
    assert found.low == pytest.approx(found.rate - 1.959964 * error, abs=1e-5)
    assert found.high == pytest.approx(found.rate + 1.959964 * error, abs=1e-5)
    assert found.variance_saved == pytest.approx(0, abs=0.05)  # these games are independent


def test_zero_variance_keeps_a_width():
    # 50 pairs with score .5 and z²/2 = 1.9207 with 0 and with 1: variance 3.8415 / 4 / 53.8415, half z / 53.8415 * .98.
    level = match_of([0, 0, 50, 0, 0])
    assert (level.low, level.high) == pytest.approx((0.5 - 0.0356738, 0.5 + 0.0356738), abs=1e-6)
    assert (level.rate, level.variance_saved) == (0.5, 1.0)
    won = match_of([0, 0, 0, 0, 30])
    assert (won.rate, won.high, won.variance_saved) == (1.0, 1.0, 0.0)
    assert won.low == pytest.approx(1 - 0.13471170)  # R's 0 of 30
    drawn = stats.win_rate(np.array([[0, 0]] * 50))
    assert drawn[:3] == level[:3]
    assert match_of([0, 0, 1, 0, 0]).pairs == 1
    for any_stop in (False, True):
        assert stats.win_rate(np.zeros((0, 2), int), any_stop=any_stop)[:5] == (0.5, 0.0, 1.0, 0, 0.0)


def test_a_large_match_of_equal_sides_is_50_0_to_one_digit():
    found = match_of([0, 0, 10_000, 0, 0])
    assert [round(100 * end, 1) for end in (found.low, found.high)] == [50.0, 50.0]


def test_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        strength = rng.random((150, 1))  # the deal favours one side, so its two games have opposite winners
        scores = np.where(rng.random((150, 2)) < np.hstack([strength, 1.1 - strength]), 1, -1)
        found = stats.win_rate(scores)
        inside += found.low <= 0.5475 <= found.high  # mean of x and of min(1, 1.1 - x), x uniform: .5 and .595
    assert 365 <= inside <= 395  # 380 expected, standard deviation 4.4


@pytest.mark.parametrize("losses", [0, 0.1, 0.5], ids=["one side", "9 to 1", "even"])
@pytest.mark.parametrize(("pairs", "rare"), [(50, 0), (50, 0.02), (50, 0.05), (50, 0.1), (1000, 0.002), (1000, 0.02)])
def test_interval_covers_rare_differences(pairs, rare, losses):
    """Wilson's interval covers 63 % with 50 pairs of which 2 % are won twice, and nothing but .5 with none."""
    assert coverage([rare * losses, 0, 1 - rare, 0, rare * (1 - losses)], pairs) >= 0.945


@pytest.mark.parametrize("pairs", [10, 20, 50])
@pytest.mark.parametrize("p", [(0.25, 0, 0.4, 0, 0.35), (0.1, 0, 0.5, 0, 0.4), (0.15, 0.1, 0.4, 0.15, 0.2)])
def test_interval_covers_with_few_pairs(pairs, p):
    assert coverage(p, pairs, trials=5000) >= 0.945


def test_wealth_by_hand():
    # The mean bet is 1/2, so one lost pair multiplies the wealth by .5 / (1 - mean): it is 20 at .975. One pair with
    # score .5 multiplies it by .5 (.5 / mean + .5 / (1 - mean)) = 1 / (4 mean (1 - mean)): it is 20 at .0127 and .9873.
    lost, level = np.array([1, 0, 0, 0, 0]), np.array([0, 0, 1, 0, 0])
    assert stats.log_wealth(lost, 0.9) == pytest.approx(math.log(5))
    assert stats.log_wealth(level, 0.3) == pytest.approx(-math.log(0.84))
    assert stats.anytime_interval(lost) == pytest.approx((0, 0.975))
    edge = (1 - math.sqrt(1 - 4 / 80)) / 2
    assert stats.anytime_interval(level) == pytest.approx((edge, 1 - edge))
    assert stats.log_wealth(np.zeros(5, int), 0.3) == pytest.approx(0)
    assert stats.anytime_interval(np.zeros(5, int)) == (0, 1)


def test_wealth_of_wins_and_losses_as_krichevsky_and_trofimov():
    # Their mixture over Beta(1/2, 1/2), "The performance of universal encoding", IEEE Trans. Information Theory 27
    # (1981), 199-207: Gamma(w + 1/2) Gamma(l + 1/2) / (pi Gamma(w + l + 1)), against mean^w (1 - mean)^l.
    for won, lost, mean in ((25, 15, 0.5), (700, 300, 0.65), (0, 40, 0.1)):
        mixture = math.lgamma(won + 0.5) + math.lgamma(lost + 0.5) - math.lgamma(won + lost + 1) - math.log(math.pi)
        expected = mixture - won * math.log(mean) - lost * math.log(1 - mean)
        assert stats.log_wealth(np.array([lost, 0, 0, 0, won]), mean) == pytest.approx(expected)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 500), min_size=5, max_size=5).filter(any))
def test_anytime_interval_ends_where_the_wealth_is_twenty(counts):
    counts = np.array(counts)
    low, high = stats.anytime_interval(counts)
    rate = counts @ np.array(stats.PAIR_SCORES) / counts.sum()
    assert 0 <= low <= rate <= high <= 1
    ends = [stats.log_wealth(counts, end) for end in (low, high) if 0 < end < 1]
    assert ends == pytest.approx([math.log(20)] * len(ends), abs=1e-6)
    found = match_of(counts, any_stop=True)
    assert (found.low, found.high, found.method) == (low, high, "anytime-valid")


def stopped(elo, elo0, elo1, trials=2000):
    """Return the counts of `PAIR_SCORES` (trials, 5) with which sequential tests stop, and the true rate.

    The tests look every 50 pairs, at most 100 times. Their log-likelihood ratio is the normal approximation of Van den
    Bergh's section 2 (see `stats.constrained_mle`).
    """
    rate = stats.score_of_elo(elo)
    p = [0.7 - rate, 0, 0.6, 0, rate - 0.3]
    counts = np.random.default_rng(7).multinomial(50, p, (trials, 100)).cumsum(axis=1)
    values, pairs = np.array(stats.PAIR_SCORES), counts.sum(axis=2)
    mean = counts @ values / pairs
    variance = counts @ values**2 / pairs - mean**2
    score0, score1 = stats.score_of_elo(elo0), stats.score_of_elo(elo1)
    llr = pairs * (score1 - score0) * (2 * mean - score0 - score1) / (2 * np.maximum(variance, 1e-9))
    done = np.abs(llr) >= math.log(19)
    return counts[np.arange(trials), np.where(done.any(axis=1), done.argmax(axis=1), 99)], rate


@pytest.mark.parametrize("elo", [-10, 0, 15, 30, 60])
def test_anytime_interval_covers_after_a_sequential_test(elo):
    counts, true = stopped(elo, 0, 30)
    assert (stats.log_wealth(counts, true) < math.log(20)).mean() >= 0.945


def test_fixed_interval_does_not_cover_after_a_sequential_test():
    counts, true = stopped(15, 0, 30)
    found = [match_of(row) for row in counts]
    assert np.mean([rate.low <= true <= rate.high for rate in found]) < 0.93


def test_wealth_against_the_true_rate_is_seldom_ever_twenty():
    rng = np.random.default_rng(8)
    for p in ([0.2, 0, 0.6, 0, 0.2], [0.05, 0.05, 0.8, 0, 0.1], [0, 0, 0.1, 0, 0.9]):
        counts = rng.multinomial(10, p, (300, 20)).cumsum(axis=1)
        ever = np.zeros(300, bool)
        for look in range(20):
            ever |= stats.log_wealth(counts[:, look], np.dot(p, stats.PAIR_SCORES)) >= math.log(20)
        assert ever.mean() <= 0.05


def test_points_a_round_by_hand():
    # Pairs (d, r) = (10, 2), (-4, 1), (0, 3): mean 1; residuals 8, -5, -3, squares 98; error sqrt(98 * 3 / 2) / 6.
    found = stats.ratio_of_sums(6, 6, 116, 16, 14, 3)
    assert found.mean == 1
    half = 1.959964 * math.sqrt(147) / 6
    assert found.interval == pytest.approx((1 - half, 1 + half))


def test_points_without_a_known_variance_have_no_interval():
    assert stats.ratio_of_sums(0, 12, 0, 0, 48, 3) == (0, None)  # all pairs are equal
    assert stats.ratio_of_sums(5, 2, 25, 10, 4, 1) == (2.5, None)  # one pair
    assert stats.ratio_of_sums(0, 0, 0, 0, 0, 0) == (0, None)


def test_ten_to_one_is_400_points_by_definition():
    assert stats.score_of_elo(400) == pytest.approx(10 / 11)


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


@pytest.mark.parametrize("arguments", [(5, 5), (5, 0)], ids=["equal", "swapped"])
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

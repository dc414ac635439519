"""Statistics of matches: win rates from duplicate pairs, points per round, sequential tests.

All functions are pure functions of counts. A pair is two games on the same deals with the chairs of the two sides
swapped. Its score is the mean of the two game scores (1 won, .5 drawn, 0 lost), which is 0, .5 or 1 if no game is
drawn. Pairs are independent of each other, but the two games of a pair are not. So every interval here is computed
from pairs. docs/adr/0044-intervals.md says which interval a match gets, and why.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # the five possible scores: their counts are a pentanomial
EMPTY = 1e-3  # replaces a count of 0, so that a log-likelihood ratio exists (fishtest, stat_util.regularize)
CONFIDENCE = 0.95
ERRORS = 0.05  # probability of each of the two wrong decisions of a sequential test
FEW_DECISIVE = 50  # with fewer decisive pairs (`win_rate`), Wilson's interval may cover under 94%
FEWEST_PAIRS = 10  # for an interval of a difference in points; a normal one covers 92% then, if pairs are normal
BETS = (1 - np.cos(np.pi * (np.arange(1000) + 0.5) / 1000)) / 2  # 1,000 quantiles of Beta(1/2, 1/2)

# Names of the intervals, as in the JSON of a match.
WILSON = "wilson"
AGRESTI_COULL = "agresti-coull"
ANYTIME = "anytime-valid"


class WinRate(NamedTuple):
    """A win rate and its confidence interval, as probabilities."""

    rate: float
    low: float
    high: float
    pairs: int
    variance_saved: float  # by duplicate pairs: 1 - variance of the rate / its variance with independent games
    method: str  # of the interval: WILSON, AGRESTI_COULL or ANYTIME


class Mean(NamedTuple):
    """A mean and its confidence interval, in the unit of the measurement; no interval if the variance is unknown."""

    mean: float
    interval: tuple[float, float] | None


class Gain(NamedTuple):
    """A mean gain and the ends of its 95% interval, in the unit of the measurement."""

    mean: float
    low: float
    high: float


class Sequential(NamedTuple):
    """The state of a sequential test."""

    elo0: float
    elo1: float
    lower: float  # accept H0 (Elo <= elo0) if llr is at or below this
    upper: float  # accept H1 (Elo >= elo1) if llr is at or above this
    llr: float
    decision: str  # "H0" | "H1" | "undecided"


def z_of(confidence: float) -> float:
    """Return half the width of a two-sided normal interval, in standard deviations.

    >>> round(z_of(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(p: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's score interval for a proportion ``p`` in ``n`` trials; ``n`` may be an effective number.

    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927), 209-212.

    >>> [round(x, 4) for x in wilson(81 / 263, 263)]
    [0.2553, 0.3662]
    """
    if n <= 0:
        return 0.0, 1.0
    z2 = z_of(confidence) ** 2
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (p * (1 - p) + z2 / (4 * n)) / n) / (1 + z2 / n)
    return max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half))  # rounding must not leave ``p`` outside


def pair_counts(scores: NDArray[np.int_]) -> NDArray[np.int64]:
    """Return how many pairs have each of `PAIR_SCORES`, int64 (5,), from results (pairs, 2) of 1, 0, -1."""
    index = np.asarray(scores, np.int64).sum(axis=1) + 2
    return np.bincount(index, minlength=5).astype(np.int64)


def agresti_coull(counts: NDArray[np.int64], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Agresti and Coull's interval for the mean score of pairs with ``counts`` of `PAIR_SCORES`.

    Before the normal interval is computed, z²/2 imaginary pairs with score 0 and as many with score 1 are added, so
    that the variance is never zero. Agresti and Coull, "Approximate is better than 'exact' for interval estimation of
    binomial proportions", The American Statistician 52 (1998), 119-126. Bonett and Price, J. Educational and Behavioral
    Statistics 37 (2012), 479-488, do the same for differences of paired proportions, with one pair of each kind.

    >>> [round(x, 4) for x in agresti_coull(np.array([0, 0, 50, 0, 0]))]
    [0.4643, 0.5357]
    """
    z, values = z_of(confidence), np.array(PAIR_SCORES)
    filled = counts + z * z / 2 * np.array([1, 0, 0, 0, 1])
    total = float(filled.sum())
    mean = float(filled @ values) / total
    half = z * math.sqrt(float(filled @ (values - mean) ** 2)) / total
    return max(0.0, mean - half), min(1.0, mean + half)


def log_wealth(counts: NDArray[np.int64], mean: float) -> NDArray[np.float64]:
    """Return the evidence against ``mean`` as the mean score: the log of a gambler's wealth, for counts (..., 5).

    The gambler starts with 1 and bets the shares b and 1 - b of their wealth on "higher" and "lower"; a pair with score
    x then multiplies it by b x / mean + (1 - b) (1 - x) / (1 - mean). They divide the 1 equally among all `BETS`. If
    ``mean`` is true, the bets are fair, and the wealth ever reaches 1 / alpha with a probability of at most alpha
    (Ville's inequality). This is Cover's universal portfolio, in the form of Orabona and Jun, "Tight concentrations and
    confidence sequences from the regret of universal portfolio", IEEE Trans. Information Theory 70 (2024), 436-455; the
    integral over all bets is a sum over `BETS` here. Betting as a test: Waudby-Smith and Ramdas, "Estimating means of
    bounded random variables by betting", J. Royal Statistical Society B 86 (2024), 1-27, section 4.
    """
    values = np.array(PAIR_SCORES)
    growth = np.log(np.outer(values, BETS) / mean + np.outer(1 - values, 1 - BETS) / (1 - mean))
    logs = counts @ growth
    most = logs.max(axis=-1)
    wealth: NDArray[np.float64] = most + np.log(np.exp(logs - most[..., None]).mean(axis=-1))
    return wealth


def anytime_interval(counts: NDArray[np.int64], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return an interval for the mean score that holds wherever a match stops: a confidence sequence.

    With probability ``confidence``, the true mean lies in the intervals after every number of pairs, all at the same
    time. So a test may look at each pair and stop when it likes. The interval holds the means against which
    `log_wealth` is below -log(1 - confidence). They have no gaps, because the wealth is a convex function of the mean.

    >>> [round(x, 4) for x in anytime_interval(np.array([0, 0, 50, 0, 0]))]
    [0.4562, 0.5438]
    """
    rate = float(counts @ np.array(PAIR_SCORES)) / max(int(counts.sum()), 1)
    limit = -math.log(1 - confidence)

    def end(inside: float, outside: float) -> float:
        for _ in range(50):  # halves the distance until it is below the precision of a float
            middle = (inside + outside) / 2
            if log_wealth(counts, middle) < limit:
                inside = middle
            else:
                outside = middle
        return outside

    if not counts.any():
        return 0.0, 1.0
    return (end(rate, 0.0) if rate > 0 else 0.0), (end(rate, 1.0) if rate < 1 else 1.0)


def win_rate(scores: NDArray[np.int_], confidence: float = CONFIDENCE, any_stop: bool = False) -> WinRate:
    """Return side a's win rate with its interval, from results (pairs, 2): 1 won by a, 0 drawn, -1 lost.

    ``any_stop`` says that the results decided how many pairs were played. The interval is then `anytime_interval`.

    Otherwise it is Wilson's with an effective number of trials, which follows from the variance of the pairs. The same
    is done for proportions from clustered samples: Korn and Graubard, Survey Methodology 24 (1998), 193-201; Franco,
    Little, Louis and Slud, J. Survey Statistics and Methodology 7 (2019), 334-364. With too few decisive pairs, the
    variance is not known well enough, and the interval is `agresti_coull`. The number of decisive pairs is the sum of
    squared deviations from the rate, divided by 1/4: if the rate is .5, these are the pairs that one side won twice.
    """
    n = len(scores)
    if n == 0:
        return WinRate(0.5, 0.0, 1.0, 0, 0.0, AGRESTI_COULL)
    games = (np.asarray(scores, np.float64) + 1) / 2
    pairs = games.mean(axis=1)
    rate = float(pairs.mean())
    of_pairs = float(pairs.var(ddof=1)) if n > 1 else 0.25
    of_games = float(games.var())
    saved = 1 - 2 * of_pairs / of_games if of_games > 0 else 0.0
    if any_stop:
        method, (low, high) = ANYTIME, anytime_interval(pair_counts(scores), confidence)
    elif 4 * (n - 1) * of_pairs < FEW_DECISIVE:
        method, (low, high) = AGRESTI_COULL, agresti_coull(pair_counts(scores), confidence)
    else:
        method, (low, high) = WILSON, wilson(rate, rate * (1 - rate) * n / of_pairs, confidence)
    return WinRate(rate, low, high, n, saved, method)


def ratio_of_sums(d: float, r: float, dd: float, dr: float, rr: float, n: int) -> Mean:
    """Return the mean of d per r (points per round) over ``n`` clusters (pairs).

    The arguments are the sums of d, r, d*d, d*r and r*r. The interval uses the linearised variance of a ratio
    estimator: Cochran, Sampling Techniques, 3rd ed. (1977), chapter 6. There is none with one cluster, or if all have
    the same ratio: points have no bound from which an interval could follow.
    """
    if r == 0:
        return Mean(0.0, None)
    mean = d / r
    squares = dd - 2 * mean * dr + mean * mean * rr
    if n < 2 or squares <= 0:
        return Mean(mean, None)
    half = z_of(CONFIDENCE) * math.sqrt(squares * n / (n - 1)) / r
    return Mean(mean, (mean - half, mean + half))


def score_of_elo(elo: float) -> float:
    """Return the expected score at a rating difference, logistic as in fishtest (LLRcalc.L_).

    >>> score_of_elo(0.0), round(score_of_elo(200.0), 4)
    (0.5, 0.7597)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def constrained_mle(p: Sequence[float], values: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution on ``values`` with the given mean, for observed frequencies ``p``.

    The result is p_i / (1 + x (a_i - s)), with x the root of sum p_i (a_i - s) / (1 + x (a_i - s)) = 0. Source: Van
    den Bergh, "A practical introduction to the GSPRT" (cantate.be/Fishtest/GSPRT_approximation.pdf), section 1, and
    fishtest's LLRcalc.MLE_expected. ``mean`` must lie strictly between the smallest and the greatest value.
    """
    gaps = [value - mean for value in values]
    low, high = -1 / max(gaps), -1 / min(gaps)  # between them every denominator is positive
    for _ in range(200):  # the sum falls as x grows: bisect until the two floats are neighbours
        x = (low + high) / 2
        if x in (low, high):
            break
        if sum(q * gap / (1 + x * gap) for q, gap in zip(p, gaps, strict=True)) > 0:
            low = x
        else:
            high = x
    x = (low + high) / 2
    return [q / (1 + x * gap) for q, gap in zip(p, gaps, strict=True)]


def log_likelihood_ratio(
    counts: Sequence[float], score0: float, score1: float, values: Sequence[float] = PAIR_SCORES
) -> float:
    """Return the generalised log-likelihood ratio of mean ``score1`` against mean ``score0``.

    Each hypothesis uses its own most likely distribution (`constrained_mle`). Counts of 0 become `EMPTY`. The sources
    are those of `constrained_mle` and fishtest's LLRcalc.LLR.
    """
    filled = [count if count > 0 else EMPTY for count in counts]
    total = sum(filled)
    p = [count / total for count in filled]
    p0 = constrained_mle(p, values, score0)
    p1 = constrained_mle(p, values, score1)
    return total * sum(q * math.log(q1 / q0) for q, q0, q1 in zip(p, p0, p1, strict=True))


def sequential_test(counts: Sequence[float], elo0: float, elo1: float) -> Sequential:
    """Return the state of the test of elo0 against elo1 after pairs with ``counts`` of `PAIR_SCORES`.

    The bounds on the generalised ratio are Wald's ("Sequential Tests of Statistical Hypotheses", Ann. Math. Stat. 16
    (1945), section 3.4). A test that looks only after complete chunks of pairs may go beyond them, which makes errors
    rarer. Raises `ValueError` unless elo0 < elo1.
    """
    if not elo0 < elo1:
        raise ValueError(f"elo0 is {elo0} and elo1 is {elo1}; accepted: elo0 below elo1")
    lower = math.log(ERRORS / (1 - ERRORS))
    upper = math.log((1 - ERRORS) / ERRORS)
    llr = log_likelihood_ratio(counts, score_of_elo(elo0), score_of_elo(elo1)) if sum(counts) > 0 else 0.0
    decision = "H1" if llr >= upper else "H0" if llr <= lower else "undecided"
    return Sequential(elo0, elo1, lower, upper, llr, decision)

"""Statistics of matches: win rates from duplicate pairs, points per round, sequential tests.

All functions are pure functions of counts. A pair is two games on the same deals with the chairs of the two sides
swapped. Its score is the mean of the two game scores (1 won, .5 drawn, 0 lost), which is 0, .5 or 1 if no game is
drawn. Pairs are independent of each other, but the two games of a pair are not. So every interval here is computed
from pairs.
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


class WinRate(NamedTuple):
    """A win rate and its confidence interval, as probabilities."""

    rate: float
    low: float
    high: float
    pairs: int
    variance_saved: float  # by duplicate pairs: 1 - variance of the rate / its variance with independent games


class Mean(NamedTuple):
    """A mean and its confidence interval, in the unit of the measurement."""

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
    return max(0.0, centre - half), min(1.0, centre + half)


def pair_counts(scores: NDArray[np.int_]) -> NDArray[np.int64]:
    """Return how many pairs have each of `PAIR_SCORES`, int64 (5,), from results (pairs, 2) of 1, 0, -1."""
    index = np.asarray(scores, np.int64).sum(axis=1) + 2
    return np.bincount(index, minlength=5).astype(np.int64)


def win_rate(scores: NDArray[np.int_], confidence: float = CONFIDENCE) -> WinRate:
    """Return side a's win rate with its interval, from results (pairs, 2): 1 won by a, 0 drawn, -1 lost.

    The interval is Wilson's with an effective number of trials, which follows from the variance of the pairs. The same
    is done for proportions from clustered samples: Korn and Graubard, Survey Methodology 24 (1998), 193-201; Franco,
    Little, Louis and Slud, J. Survey Statistics and Methodology 7 (2019), 334-364. The interval keeps a width even if
    all pairs are won. If every pair scores .5, as with two equal bidders, the variance is zero and the interval is the
    point .5.
    """
    n = len(scores)
    if n == 0:
        return WinRate(0.5, 0.0, 1.0, 0, 0.0)
    games = (np.asarray(scores, np.float64) + 1) / 2
    pairs = games.mean(axis=1)
    rate = float(pairs.mean())
    of_pairs = float(pairs.var(ddof=1)) if n > 1 else 0.25
    of_games = float(games.var())
    saved = 1 - 2 * of_pairs / of_games if of_games > 0 else 0.0
    if rate in (0.0, 1.0):
        low, high = wilson(rate, n, confidence)
    elif of_pairs == 0:
        low = high = rate
    else:
        low, high = wilson(rate, rate * (1 - rate) * n / of_pairs, confidence)
    return WinRate(rate, low, high, n, saved)


def ratio_of_sums(d: float, r: float, dd: float, dr: float, rr: float, n: int, confidence: float = CONFIDENCE) -> Mean:
    """Return the mean of d per r (points per round) over ``n`` clusters (pairs).

    The arguments are the sums of d, r, d*d, d*r and r*r. The interval uses the linearised variance of a ratio
    estimator: Cochran, Sampling Techniques, 3rd ed. (1977), chapter 6.
    """
    if r == 0:
        return Mean(0.0, -math.inf, math.inf)
    mean = d / r
    squares = max(0.0, dd - 2 * mean * dr + mean * mean * rr)
    error = math.sqrt(squares * n / (n - 1)) / r if n > 1 else math.inf
    half = z_of(confidence) * error
    return Mean(mean, mean - half, mean + half)


def score_of_elo(elo: float) -> float:
    """Return the expected score at a rating difference, logistic as in fishtest (LLRcalc.L_).

    >>> score_of_elo(0.0), round(score_of_elo(200.0), 4)
    (0.5, 0.7597)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(score: float) -> float:
    """Return the rating difference of an expected score: the inverse of `score_of_elo`, infinite at 0 and 1.

    >>> round(elo_of_score(0.64), 1)
    100.0
    """
    if score <= 0 or score >= 1:
        return -math.inf if score <= 0 else math.inf
    return -400 * math.log10(1 / score - 1)


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


def sequential_test(
    counts: Sequence[float], elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05
) -> Sequential:
    """Return the state of the test of elo0 against elo1 after pairs with ``counts`` of `PAIR_SCORES`.

    The bounds on the generalised ratio are Wald's ("Sequential Tests of Statistical Hypotheses", Ann. Math. Stat. 16
    (1945), section 3.4). A test that looks only after complete chunks of pairs may go beyond them, which makes errors
    rarer. Raises `ValueError` unless elo0 < elo1 and 0 < alpha, beta < .5.
    """
    if not elo0 < elo1:
        raise ValueError(f"elo0 is {elo0} and elo1 is {elo1}; accepted: elo0 below elo1")
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise ValueError(f"alpha is {alpha} and beta is {beta}; accepted: both between 0 and .5")
    lower = math.log(beta / (1 - alpha))
    upper = math.log((1 - beta) / alpha)
    llr = log_likelihood_ratio(counts, score_of_elo(elo0), score_of_elo(elo1)) if sum(counts) > 0 else 0.0
    decision = "H1" if llr >= upper else "H0" if llr <= lower else "undecided"
    return Sequential(elo0, elo1, lower, upper, llr, decision)

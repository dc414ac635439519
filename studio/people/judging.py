"""Judge a model of people on bids that it has not learned from, beside two simple baselines."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.people.bid_net import Seen, allowed_mask, chances, class_counts, classes
from arena.people.inputs import BIDS

LEAST_STATED = 0.01  # chances below this are left out of the calibration
BINS = 10
PART = 20_000  # positions that are judged at once


class Judgement(NamedTuple):
    """The figures of one label; likelihoods are means of log P(bid) in nats for each bid."""

    bids: int
    likelihood: float
    marginal: float  # of the share of each bid, among the bids that the rules allow
    bis_with_noise: float  # of the share of each difference from the bid of `bis`
    calibration_error: float  # mean difference between stated and observed shares, see `bins`
    bins: list[list[float]]  # by stated chance of a bid: chances, mean stated, share of them bid


def judge(
    weights: Arrays, learned: tuple[Seen, NDArray[np.int8]], held_out: tuple[Seen, NDArray[np.int8]]
) -> Judgement:
    """Return the figures of held-out positions and bids; the baselines know the positions and bids ``learned``."""
    marginal = _shares(np.bincount(learned[1], minlength=BIDS))
    by_class = _shares(class_counts(*learned)[0])
    sums = np.zeros(3)
    bins = np.zeros((BINS, 3))
    n = len(held_out[1])
    for first in range(0, n, PART):
        seen = Seen(*(column[first : first + PART] for column in held_out[0]))
        bids = held_out[1][first : first + PART].astype(np.int64)
        allowed = allowed_mask(seen, np)
        stated = chances(weights, seen)
        by_model = _of_bids(stated, bids)
        simple = _of_bids(_normal(np.where(allowed, marginal, 0.0)), bids)
        of = classes(seen, np)
        alike = ((of[:, :, None] == of[:, None, :]) & allowed[:, None, :]).sum(axis=2)  # allowed bids of the class
        noisy = _of_bids(_normal(np.where(allowed, by_class[of] / np.maximum(alike, 1), 0.0)), bids)
        sums += [np.log(np.maximum(found, 1e-9)).sum() for found in (by_model, simple, noisy)]
        made = np.arange(BIDS) == bids[:, None]
        counted = allowed & (stated >= LEAST_STATED)
        at = np.minimum(BINS - 1, (stated[counted] * BINS).astype(np.int64))
        for column, values in enumerate((np.ones(len(at)), stated[counted], made[counted])):
            bins[:, column] += np.bincount(at, weights=values, minlength=BINS)
    sizes = np.maximum(1.0, bins[:, 0])
    error = float(np.abs(bins[:, 1] - bins[:, 2]).sum() / max(1.0, bins[:, 0].sum()))
    rows = [[float(row[0]), row[1] / size, row[2] / size] for row, size in zip(bins, sizes, strict=True) if row[0]]
    means = (sums / max(1, n)).tolist()
    return Judgement(n, means[0], means[1], means[2], error, [[round(float(x), 5) for x in row] for row in rows])


def _of_bids(stated: NDArray[np.float64], bids: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(np.take_along_axis(stated, bids[:, None], axis=1)[:, 0])


def _normal(weights: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12))


def _shares(counts: NDArray[Any]) -> NDArray[np.float64]:
    # Each counts one case more, so that no share is 0.
    return np.asarray((counts + 1.0) / (counts + 1.0).sum())

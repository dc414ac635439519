"""Each table is a mix of the shipped table and the log. Held-out games decide how much of each.

A weight says how strongly the shipped table counts. For each weight in WEIGHTS, a table is fitted to the fitting games
and judged on the held-out games. If no weight beats the shipped table, the shipped table stays (weight infinity).
Otherwise, the final table uses the best weight and all games (empirical Bayes with one weight for each table).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from spades.bis import GRID
from spades.inference import BID_CLASSES, FIRST_PRIOR_ROWS, PRIOR_COLUMNS, SUIT_RANKS
from studio.fit.counting import Counts
from tables.fits import SCALE
from tables.regression import Design, bin_middles, design, minimize_convex, sequences, value_at_bins

Floats = NDArray[np.float64]
WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5)
LEAST = 1e-6  # smallest probability
CARDS_PER_DEAL = np.repeat([3.0, 1.0], SUIT_RANKS)  # by column of the priors
SEAT_WEIGHT = 0.05  # factor on the weight for effects shared by all sequences of a seat


class Fitted(NamedTuple):
    """A table fitted to a log."""

    array: Any
    n: int  # number of cases (nils, bids, contracts or hands) the fit is based on
    weight: float  # how strongly the shipped table counts; infinite: the table is the shipped one
    loss: float  # mean loss on the games held out: log-loss, or squared error of mean bids
    shipped_loss: float


def curves(shipped: Floats, counts: Counts) -> Fitted:
    """Return success curves (SEQUENCES, GRID + 1).

    The log-odds of a curve are those of the shipped curve, plus an effect for each previous bid and pair of bids (as in
    `curve_fit`), plus a constant and a slope in the nil value for each seat. The weight is a ridge penalty, counted in
    nils.
    """
    matrices = design(sequences())
    stated = np.clip(value_at_bins(shipped), LEAST, 1 - LEAST)

    def at(weight: float, nils: Floats) -> Floats:
        offset_effect, tilt = _effects(logit(stated), nils, bin_middles() - 0.5, matrices, weight)
        z = logit(np.clip(shipped, LEAST, 1 - LEAST)) + offset_effect + tilt * (np.linspace(0.0, 1.0, GRID + 1) - 0.5)
        monotone: Floats = np.maximum.accumulate(expit(z), axis=1).round(6)
        return monotone

    def loss(table: Floats, nils: Floats) -> float:
        return _log_loss(value_at_bins(table), nils)

    return _best(shipped, counts.nils, at, loss, int(counts.nils[..., 0].sum()))


def blind_nils(shipped: Floats, counts: Counts) -> Fitted:
    """Return P(blind nil made) (SEQUENCES,): the same as `curves`, but without the slope in the nil value.

    The weight is in blind nils.
    """
    matrices = design(sequences())
    start = logit(np.clip(shipped, LEAST, 1 - LEAST))[:, None]

    def at(weight: float, nils: Floats) -> Floats:
        offset_effect, _ = _effects(start, nils[:, None], np.zeros(1), matrices, weight)
        found: Floats = expit(start + offset_effect)[:, 0].round(6)
        return found

    return _best(shipped, counts.blind_nils, at, _log_loss, int(counts.blind_nils[..., 0].sum()))


def _effects(start: Floats, nils: Floats, middle: Floats, matrices: Design, weight: float) -> tuple[Floats, Floats]:
    """Return what to add to the log-odds ``start`` (SEQUENCES, bins): both results have shape (SEQUENCES, 1).

    They are a constant per sequence, and a slope in the centred nil value ``middle``.
    """
    asked = np.flatnonzero(nils[..., 0].any(axis=1))  # sequences with nils; the effects of all others are 0
    own = matrices.effects[asked]
    used = np.unique(own.indices)
    effects, seats, start = own[:, used], _seats()[asked], start[asked]
    n, made = nils[asked, :, 0], nils[asked, :, 1]
    width = effects.shape[1]
    penalty = np.full(width + 8, weight)
    penalty[width:] *= SEAT_WEIGHT

    def derivatives(x: Floats) -> tuple[float, Floats, Floats]:
        offset_effect = effects @ x[:width] + seats @ x[width : width + 4]
        z = start + offset_effect[:, None] + (seats @ x[width + 4 :])[:, None] * middle
        p = expit(z)
        value = float((n * np.logaddexp(0.0, z) - made * z).sum()) + float(penalty @ (x * x)) / 2
        slope = n * p - made
        by_row, tilted = slope.sum(axis=1), slope @ middle
        gradient = np.concatenate([effects.T @ by_row, seats.T @ by_row, seats.T @ tilted]) + penalty * x
        w = n * p * (1 - p)
        w0, w1, w2 = w.sum(axis=1), w @ middle, w @ (middle * middle)
        hessian = np.diag(penalty)
        hessian[:width, :width] += (effects.T @ effects.multiply(w0[:, None])).toarray()
        for k, (left, right) in enumerate(((w0, w1), (w1, w2))):
            columns = slice(width + 4 * k, width + 4 * k + 4)
            crossed = effects.T @ (seats * left[:, None])
            hessian[:width, columns] += crossed
            hessian[columns, :width] += crossed.T
            hessian[columns, width : width + 4] += seats.T @ (seats * left[:, None])
            hessian[columns, width + 4 :] += seats.T @ (seats * right[:, None])
        return value, gradient, hessian

    found = minimize_convex(derivatives, np.zeros(width + 8), np.full(width + 8, -np.inf))
    every = np.zeros(matrices.effects.shape[1])
    every[used] = found[:width]
    offset_effect, tilt = (_seats() @ found[width:].reshape(2, 4).T).T
    return (matrices.effects @ every + offset_effect)[:, None], tilt[:, None]


def _seats() -> Floats:
    lengths = np.array([len(bids) for bids in sequences()])
    found: Floats = (lengths[:, None] == np.arange(4)).astype(np.float64)
    return found


def mean_bids(shipped: Floats, counts: Counts) -> Fitted:
    """Return the mean bids (SEQUENCES, 3) by the bids so far; the weight is in auctions."""
    both = np.concatenate([counts.bids, counts.bid_squares], axis=2)  # (2, SEQUENCES, 7)

    def at(weight: float, sums: Floats) -> Floats:
        n = sums[:, :1]
        found: Floats = np.where(shipped > 0, (sums[:, 1:4] + weight * shipped) / (n + weight), 0.0).round(4)
        return found

    def loss(table: Floats, sums: Floats) -> float:
        n, y, squares = sums[:, :1], sums[:, 1:4], sums[:, 4:]
        inside = shipped > 0  # cells of 0: the auction has no such bid
        total = np.where(inside, squares - 2 * table * y + n * table * table, 0.0).sum()
        return float(total / max(1.0, (n * inside).sum()))

    return _best(shipped, both, at, loss, int(counts.bids[..., 0].sum()))


def contracts(shipped: Floats, counts: Counts) -> Fitted:
    """Return the shares of contracts made (2, 27); the weight is in contracts."""
    return _shares(shipped, counts.contracts, lambda table: table)


def aces(shipped: Floats, counts: Counts) -> Fitted:
    """Return P(ace of spades) by seat and sum of the previous bids (4, 40); the weight is in hands."""
    return _shares(shipped, counts.aces, lambda table: np.minimum.accumulate(table, axis=1))


def prior(shipped: Floats, counts: Counts) -> Fitted:
    """Return who holds which card by the bids so far, as 255ths (rows of the priors, 4, PRIOR_COLUMNS).

    The weight is a number of deals for each sequence of bids.
    """
    stated = shipped / shipped.sum(axis=1, keepdims=True)

    def at(weight: float, cards: Floats) -> Floats:
        filled = cards + weight * CARDS_PER_DEAL * stated
        rows: Floats = np.maximum(np.round(filled / filled.sum(axis=1, keepdims=True) * SCALE), 1)
        return rows

    def loss(table: Floats, cards: Floats) -> float:
        p = table / table.sum(axis=1, keepdims=True)
        return float(-(cards * np.log(p)).sum() / max(1.0, cards.sum()))

    by_row = np.stack([_by_row(part) for part in counts.holders])
    deals = int(counts.holders.sum() / CARDS_PER_DEAL.sum())
    return _best(shipped, by_row, at, loss, deals)


def _by_row(cards: NDArray[np.int64]) -> Floats:
    # The cards by the four bids (SEQUENCES, 4, PRIOR_COLUMNS) as cards by row of the priors.
    rows = np.zeros((FIRST_PRIOR_ROWS[-1], 4, PRIOR_COLUMNS))
    for bids in range(1, 5):
        own = cards.reshape(BID_CLASSES**bids, -1, 4, PRIOR_COLUMNS).sum(axis=1)
        rows[FIRST_PRIOR_ROWS[bids] : FIRST_PRIOR_ROWS[bids + 1]] = own
    return rows


def _shares(shipped: Floats, counts: Any, ordered: Callable[[Floats], Floats]) -> Fitted:
    def at(weight: float, cells: Floats) -> Floats:
        return ordered((cells[..., 1] + weight * shipped) / (cells[..., 0] + weight)).round(6)

    return _best(shipped, counts, at, _log_loss, int(counts[..., 0].sum()))


def _log_loss(stated: Floats, cells: Floats) -> float:
    n, made = cells[..., 0], cells[..., 1]
    p = np.clip(stated, LEAST, 1 - LEAST)
    return float(-(made * np.log(p) + (n - made) * np.log(1 - p)).sum() / max(1.0, n.sum()))


def _best(
    shipped: Floats, counts: Any, at: Callable[[float, Floats], Floats], loss: Callable[[Floats, Floats], float], n: int
) -> Fitted:
    fit_on, held_out = counts
    if not n:
        return Fitted(shipped, n, np.inf, 0.0, 0.0)
    losses = {weight: loss(at(weight, fit_on), held_out) for weight in WEIGHTS}
    weight = min(losses, key=lambda one: (losses[one], -one))
    before = loss(shipped, held_out)
    if losses[weight] >= before:
        return Fitted(shipped, n, np.inf, before, before)
    return Fitted(at(weight, fit_on + held_out), n, weight, losses[weight], before)


# The function that fits each array, by array name. These need only counts, no whole rounds.
TABLES: dict[str, Callable[[Floats, Counts], Fitted]] = {
    "curves": curves,
    "mean_bids": mean_bids,
    "contract_made": contracts,
    "p_ace": aces,
    "prior_bis": prior,
    "prior_best": prior,
    "blind_nil": blind_nils,
}

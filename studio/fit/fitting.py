"""Each table is a mix of the shipped table and the log. Held-out games decide how much of each.

A weight says how strongly the shipped table counts. For each weight in WEIGHTS, a table is fitted to the fitting games
and judged on the held-out games. If no weight beats the shipped table, the shipped table stays (weight infinity).
Otherwise, the final table uses the best weight and all games (empirical Bayes with one weight for each table).
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import expit, logit

from spades.bis import GRID
from studio.fit.counting import Counts
from tables.fits import CARDS_PER_DEAL, cards_by_row, in_255ths
from tables.regression import (
    LEAST_P,
    Design,
    bin_middles,
    design,
    fit_log_odds,
    log_loss,
    rising_curves,
    sequences,
    shrunk,
    value_at_bins,
)

Floats = NDArray[np.float64]
WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5)
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

    The log-odds of a curve are those of the shipped curve, plus the effects of `tables.regression.design`, plus a
    constant and a slope in the nil value for each seat. The weight is a ridge penalty, counted in nils.
    """
    d = _by_seat()
    start = logit(np.clip(value_at_bins(shipped), LEAST_P, 1 - LEAST_P))
    basis, grid = (_constant_and_slope(values) for values in (bin_middles(), np.linspace(0.0, 1.0, GRID + 1)))

    def at(weight: float, nils: Floats) -> Floats:
        e, s = fit_log_odds(nils, d, basis, start=start, effects_ridge=weight, shapes_ridge=SEAT_WEIGHT * weight)
        moved = (d.effects @ e)[:, None] + (d.shapes @ s) @ grid.T
        return rising_curves(logit(np.clip(shipped, LEAST_P, 1 - LEAST_P)) + moved)

    def loss(table: Floats, nils: Floats) -> float:
        return log_loss(value_at_bins(table), nils)

    return _best(shipped, counts.nils, at, loss, int(counts.nils[..., 0].sum()))


def blind_nils(shipped: Floats, counts: Counts) -> Fitted:
    """Return P(blind nil made) (SEQUENCES,): the same as `curves`, but without the slope in the nil value.

    The weight is in blind nils.
    """
    d = _by_seat()
    start = logit(np.clip(shipped, LEAST_P, 1 - LEAST_P))

    def at(weight: float, nils: Floats) -> Floats:
        e, s = fit_log_odds(
            nils[:, None],
            d,
            np.ones((1, 1)),
            start=start[:, None],
            effects_ridge=weight,
            shapes_ridge=SEAT_WEIGHT * weight,
        )
        found: Floats = expit(start + d.effects @ e + (d.shapes @ s)[:, 0]).round(6)
        return found

    return _best(shipped, counts.blind_nils, at, log_loss, int(counts.blind_nils[..., 0].sum()))


def _by_seat() -> Design:
    # The shapes are those of the seats.
    lengths = [len(bids) for bids in sequences()]
    return design(sequences())._replace(shapes=csr_matrix(np.eye(4)[lengths]))


def _constant_and_slope(nil_values: Floats) -> Floats:
    return np.stack([np.ones(len(nil_values)), nil_values - 0.5], axis=1)


def mean_bids(shipped: Floats, counts: Counts) -> Fitted:
    """Return the mean bids (SEQUENCES, 3) by the bids so far; the weight is in auctions."""
    both = np.concatenate([counts.bids, counts.bid_squares], axis=2)  # (2, SEQUENCES, 7)

    def at(weight: float, sums: Floats) -> Floats:
        n = sums[:, :1]
        found: Floats = np.where(shipped > 0, shrunk(sums[:, 1:4], n, shipped, weight), 0.0).round(4)
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
        return in_255ths(filled / filled.sum(axis=1, keepdims=True))

    def loss(table: Floats, cards: Floats) -> float:
        p = table / table.sum(axis=1, keepdims=True)
        return float(-(cards * np.log(p)).sum() / max(1.0, cards.sum()))

    by_row = np.stack([cards_by_row(part) for part in counts.holders])
    deals = int(counts.holders.sum() / CARDS_PER_DEAL.sum())
    return _best(shipped, by_row, at, loss, deals)


def _shares(shipped: Floats, counts: Any, ordered: Callable[[Floats], Floats]) -> Fitted:
    def at(weight: float, cells: Floats) -> Floats:
        return ordered(shrunk(cells[..., 1], cells[..., 0], shipped, weight)).round(6)

    return _best(shipped, counts, at, log_loss, int(counts[..., 0].sum()))


def _best(
    shipped: Floats, counts: Any, at: Callable[[float, Floats], Floats], loss: Callable[[Floats, Floats], float], n: int
) -> Fitted:
    fit_on, held_out = counts
    if not n:
        return Fitted(shipped, n, np.inf, 0.0, 0.0)
    losses = {weight: loss(at(weight, fit_on), held_out) for weight in WEIGHTS} | {np.inf: loss(shipped, held_out)}
    weight = best_weight(losses)
    array = shipped if weight == np.inf else at(weight, fit_on + held_out)
    return Fitted(array, n, weight, losses[weight], losses[np.inf])


def best_weight(losses: Mapping[float, float]) -> float:
    """Return the weight with the smallest loss, of several the largest; infinity keeps the shipped table."""
    return min(losses, key=lambda weight: (losses[weight], -weight))


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

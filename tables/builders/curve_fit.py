"""The logistic regression for the success curves, and its error on held-out rounds.

A curve's log-odds are a sum of these parts:

- a piecewise-linear function of the nil value that never falls, shared by all sequences of a seat;
- another such function for partner's bid;
- a number for the seat, for every previous bid and for every pair of previous bids.

So rare sequences follow the shared function, and frequent ones can differ from it. The fit uses counts by sequence and
nil value. Lower bounds of 0 keep the functions from falling. The penalty RIDGE makes the solution unique. `newton`
finds it to rounding, so that the rounded curves are the same with any linear algebra library.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import expit

from spades.bis import GRID
from spades.tables import SEQUENCES
from tables.builders.newton import minimize_convex

KNOTS = np.array([0.0, 0.02, 0.05, 0.1, 0.17, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.93, 1.0])
RIDGE = 2.0  # penalty on all parameters, in nils; it keeps the numbers of rare bids and pairs near 0
Floats = NDArray[np.float64]


def bin_middles() -> Floats:
    """Return the nil value (GRID + 1,) at the middle of each bin; the last bin is the value 1 itself."""
    return np.minimum((np.arange(GRID + 1) + 0.5) / GRID, 1.0)


def hat_basis(values: Floats) -> Floats:
    """Return one function for each interval of KNOTS at ``values``: shape (len(values), len(KNOTS) - 1).

    A function rises from 0 to 1 in its interval and is constant elsewhere. So a sum of them with weights of at least 0
    never falls.
    """
    low, high = KNOTS[:-1], KNOTS[1:]
    steps: Floats = np.clip((values[:, None] - low) / (high - low), 0.0, 1.0)
    return steps


class Design(NamedTuple):
    """The matrices of the regression; a row is a sequence, a column a parameter.

    The log-odds of a cell are effects[sequence] . e + basis[bin] . (shapes[sequence] . S), with `hat_basis` as basis.
    The fit finds e (number of effects,) and S (number of shapes, steps of the basis).
    """

    effects: Any  # sparse 0 or 1 (sequences, number of effects): the seat, bids and pairs of bids
    shapes: Any  # sparse 0 or 1 (sequences, number of shapes): the functions whose sum a sequence uses


def sequences() -> list[tuple[int, ...]]:
    """Return all sequences of 0..3 previous bids in the order of `Auction.sequence`."""
    bids = range(14)
    return [
        (),
        *((a,) for a in bids),
        *((a, b) for a in bids for b in bids),
        *((a, b, c) for a in bids for b in bids for c in bids),
    ]


def design(rows: list[tuple[int, ...]]) -> Design:
    """Return the matrices for the sequences ``rows``.

    Effects: the seat, each bid by its place, and each pair of bids by their places. Shapes: the seat, and the seat with
    partner's bid: not made, nil, 1 to 6, or at least 7.
    """
    effects: dict[tuple[Any, ...], int] = {}
    shapes: dict[tuple[Any, ...], int] = {}
    cells_e, cells_s = [], []
    for i, bids in enumerate(rows):
        seat = len(bids)
        keys: list[tuple[Any, ...]] = [("seat", seat)]
        keys += [("bid", seat, place, bid) for place, bid in enumerate(bids)]
        keys += [("pair", seat, p, q, bids[p], bids[q]) for p in range(seat) for q in range(p + 1, seat)]
        cells_e += [(i, effects.setdefault(key, len(effects))) for key in keys]
        partner = bids[seat - 2] if seat >= 2 else -1
        for key in (("seat", seat), ("partner", seat, min(partner, 7) if partner > 0 else partner)):
            cells_s.append((i, shapes.setdefault(key, len(shapes))))

    def matrix(cells: list[tuple[int, int]], width: int) -> Any:
        r, c = np.array(cells).T
        return csr_matrix((np.ones(len(cells)), (r, c)), shape=(len(rows), width))

    return Design(matrix(cells_e, len(effects)), matrix(cells_s, len(shapes)))


class _Pairs:
    """The pairs of parameters that each sequence uses, to add up the matrix of second derivatives."""

    def __init__(self, d: Design, basis: Floats) -> None:
        self.effects, self.shapes = d.effects.shape[1], d.shapes.shape[1]
        self.basis = basis
        self.steps = np.einsum("bi,bj->bij", basis, basis).reshape(len(basis), -1)
        self.of_effects = row_pairs(d.effects, d.effects)
        self.mixed = row_pairs(d.effects, d.shapes)
        self.of_shapes = row_pairs(d.shapes, d.shapes)

    def hessian(self, weights: Floats) -> Floats:
        """Return the second derivatives (parameters, parameters) of the penalised log-loss: effects, then shapes.

        ``weights`` (rows, bins): the variance of each cell's number of nils made.
        """
        effects, shapes, steps = self.effects, self.shapes, self.basis.shape[1]
        by_shape = (self.of_shapes.T @ (weights @ self.steps)).reshape(shapes, shapes, steps, steps)
        mixed = (self.mixed.T @ (weights @ self.basis)).reshape(effects, shapes * steps)
        hessian: Floats = RIDGE * np.eye(effects + shapes * steps)
        hessian[:effects, :effects] += (self.of_effects.T @ weights.sum(axis=1)).reshape(effects, effects)
        hessian[:effects, effects:] = mixed
        hessian[effects:, :effects] = mixed.T
        hessian[effects:, effects:] += by_shape.transpose(0, 2, 1, 3).reshape(shapes * steps, shapes * steps)
        return hessian


def row_pairs(left: Any, right: Any) -> Any:
    """Return all products of a cell of ``left`` and a cell of ``right`` in the same row, both sparse with cells 0 or 1.

    The result is sparse (rows, columns of left x columns of right).
    """
    columns = [
        np.add.outer(left.indices[a:b].astype(np.int64) * right.shape[1], right.indices[c:d]).ravel()
        for (a, b), (c, d) in zip(pairwise(left.indptr), pairwise(right.indptr), strict=True)
    ]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in columns])])
    cells = np.concatenate(columns)
    return csr_matrix((np.ones(len(cells)), cells, starts), shape=(len(columns), left.shape[1] * right.shape[1]))


def fit_curves(counts: NDArray[Any]) -> Floats:
    """Return curves (rows, GRID + 1) from counts (rows, GRID + 1, 2) of all nils and of those made.

    Column i is the probability at nil value i / GRID, with six decimals. It never falls with the nil value. ``rows`` is
    SEQUENCES, or 1 for the curve that ignores the bids. Raises `BuildError` if the fit does not converge.
    """
    n, made = counts[..., 0].astype(np.float64), counts[..., 1].astype(np.float64)
    d = design(sequences()) if len(counts) == SEQUENCES else design([()])
    basis = hat_basis(bin_middles())
    n_effects, n_shapes, n_steps = d.effects.shape[1], d.shapes.shape[1], basis.shape[1]
    pairs = _Pairs(d, basis)

    def unpack(x: Floats) -> tuple[Floats, Floats]:
        return x[:n_effects], x[n_effects:].reshape(n_shapes, n_steps)

    def derivatives(x: Floats) -> tuple[float, Floats, Floats]:
        e, s = unpack(x)
        z = (d.effects @ e)[:, None] + (d.shapes @ s) @ basis.T
        p = expit(z)
        value = float((n * np.logaddexp(0.0, z) - made * z).sum()) + RIDGE / 2 * float(e @ e + (s * s).sum())
        slope = n * p - made
        gradient = np.concatenate(
            [d.effects.T @ slope.sum(axis=1) + RIDGE * e, (d.shapes.T @ (slope @ basis)).ravel() + (RIDGE * s).ravel()]
        )
        return value, gradient, pairs.hessian(n * p * (1.0 - p))

    lowest = np.concatenate([np.full(n_effects, -np.inf), np.zeros(n_shapes * n_steps)])
    start = np.concatenate([np.zeros(n_effects), np.full(n_shapes * n_steps, 0.1)])
    e, s = unpack(minimize_convex(derivatives, start, lowest))
    grid = hat_basis(np.linspace(0.0, 1.0, GRID + 1))
    curves = expit((d.effects @ e)[:, None] + (d.shapes @ s) @ grid.T)
    monotone: Floats = np.maximum.accumulate(curves, axis=1).astype(np.float64).round(6)
    return monotone


def held_out_figures(curves: Floats, counts: NDArray[Any]) -> dict[str, float]:
    """Return the Brier score, log-loss in nats and calibration error of ``curves`` on ``counts``, and the nils counted.

    Shapes as in `fit_curves`. The calibration error is the mean difference between stated probability and share made,
    by twentieths of stated probability.
    """
    n, made = counts[..., 0].astype(np.float64), counts[..., 1].astype(np.float64)
    middle = bin_middles() * GRID
    low = np.minimum(middle.astype(int), GRID - 1)
    share = middle - low
    p = np.clip(curves[:, low] * (1 - share) + curves[:, low + 1] * share, 1e-6, 1 - 1e-6)
    total = n.sum()
    brier = (made * (1 - p) ** 2 + (n - made) * p**2).sum() / total
    log_loss = -(made * np.log(p) + (n - made) * np.log(1 - p)).sum() / total
    cell = np.minimum((p * 20).astype(int), 19)
    gaps = [abs((n * p - made)[cell == i].sum()) for i in range(20)]
    return {"brier": brier, "log_loss": log_loss, "calibration_error": sum(gaps) / total, "nils": total}


def log_loss_by_bin(counts: NDArray[Any]) -> float:
    """Return the log-loss in nats if each bin predicts its own share of nils made; ``counts`` (bins, 2)."""
    n, made = counts[:, 0].astype(np.float64), counts[:, 1].astype(np.float64)
    p = np.clip(made / np.maximum(n, 1), 1e-9, 1 - 1e-9)
    return float(-(made * np.log(p) + (n - made) * np.log(1 - p)).sum() / n.sum())

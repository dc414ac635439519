"""The regressions behind the fitted tables, with results that do not depend on the machine's linear algebra.

A fit that stops at a tolerance gives another result if the sums inside it are rounded differently, as OpenBLAS does on
each type of processor. So the solvers here (`minimize_convex`, `solve_exactly`, `solve_refined`) go on until only an
error of rounding is left. It is about 1e-13, and disappears when a table's cells are rounded to four or six decimals.

`fit_log_odds` is the logistic regression of all chances by the previous bids, fitted to self-play or to a log. Log-odds
are a sum of numbers for the seat, for every previous bid and for every pair of previous bids, and of functions of the
nil value that many sequences share. The effect of a number is the sum of one step for each number up to it. The step of
a rare number is near 0, so its curve is like that of the next lower number. Rare sequences follow what they share with
others, and frequent ones can differ. Penalties make the solution unique.

`fit_curves` fits the success curves. Their shared functions are piecewise linear, one for all sequences of a seat and
one for partner's bid. Lower bounds of 0 keep them from falling with the nil value. The steps of partner's numbers have
the same bound. Effects of pairs of bids can still make a curve fall from one number of partner's to the next; then
`rising_curves` raises it to the curve before.

`shrunk` is the mean of what was counted and of a start, for shares and mean bids.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_matrix
from scipy.special import expit

from arena.errors import BuildError
from spades.bis import GRID
from spades.tables import SEQUENCES

Floats: TypeAlias = NDArray[np.float64]
Derivatives: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats]]  # x -> value, gradient, Hessian matrix

MOST_STEPS = 200
SMALL_STEP = 1e-8  # a step doubles the number of right digits, so the step after one this small is exact to rounding
ARMIJO = 1e-4  # share of the promised decrease that a step must bring
SLACK = 1e-13  # relative rounding error of the value
LEAST_SHARE = 1e-12  # share of a step that is always taken, because rounding hides what it changes in the value

LEAST_P = 1e-6  # smallest probability in a loss
KNOTS = np.array([0.0, 0.02, 0.05, 0.1, 0.17, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.93, 1.0])
RIDGE = 2.0  # penalty on all parameters, in nils; it keeps the numbers of rare bids and pairs near 0
PAIRED = 5  # in pairs of bids, all numbers from this one on count as this one, because such pairs are rare
# From this number on, the step of an opponent's number is at least 0. Below it, self-play has steps below 0.
OPPONENT_RISES = 4


def minimize_convex(derivatives: Derivatives, start: Floats, lowest: Floats) -> Floats:
    """Return the x >= ``lowest`` at which a strictly convex function is least, to rounding.

    Projected Newton method: a coordinate stays at its bound if the function rises from there, and the others take
    Newton's step (Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM J.
    Control Optim. 20, 1982). Raises `BuildError` if it does not converge.
    """
    x = np.maximum(start, lowest)
    value, gradient, hessian = derivatives(x)
    moved = np.inf
    for _ in range(MOST_STEPS):
        free = (x > lowest) | (gradient <= 0)
        step = np.zeros_like(x)
        step[free] = -cho_solve(cho_factor(hessian[np.ix_(free, free)]), gradient[free])
        new: Floats = np.maximum(x + step, lowest)
        before, moved = moved, float(np.abs(new - x).max(initial=0.0))
        if max(before, moved) <= SMALL_STEP:
            return new
        share = 1.0
        while True:
            found = derivatives(new)
            promised = max(0.0, -float(gradient @ (new - x)))
            if found[0] <= value - ARMIJO * promised + SLACK * abs(value) or share < LEAST_SHARE:
                break
            share /= 2
            new = np.maximum(x + share * step, lowest)
        x, (value, gradient, hessian) = new, found
    raise BuildError(f"a fit would move by {moved:g} in step {MOST_STEPS}; accepted: at most {SMALL_STEP:g}")


def solve_exactly(matrix: NDArray[Any], right: NDArray[Any]) -> Floats:
    """Return the x that solves ``matrix`` x = ``right``, computed in fractions, rounded once; for about ten unknowns.

    An unknown that the equations do not determine is 0.

    >>> solve_exactly(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 4.0])).tolist()
    [1.0, 1.0]
    """
    rows = [[Fraction(float(cell)) for cell in (*row, end)] for row, end in zip(matrix, right, strict=True)]
    solved: dict[int, int] = {}  # unknown -> row that gives it
    for unknown in range(len(rows)):
        row = next((i for i in range(len(rows)) if i not in solved.values() and rows[i][unknown]), None)
        if row is None:
            continue
        solved[unknown] = row
        for i in range(len(rows)):
            if i != row and rows[i][unknown]:
                share = rows[i][unknown] / rows[row][unknown]
                rows[i] = [cell - share * other for cell, other in zip(rows[i], rows[row], strict=True)]
    return np.array([float(rows[solved[i]][-1] / rows[solved[i]][i]) if i in solved else 0.0 for i in range(len(rows))])


def solve_refined(matrix: Floats, right: Floats) -> Floats:
    """Return the x that solves ``matrix`` x = ``right``, with three more digits than numpy's; for hundreds of unknowns.

    After each solution, the remainder is computed in `longdouble`, without the linear algebra library. The solution for
    the remainder is then added.
    """
    exact = matrix.astype(np.longdouble)
    x = np.zeros(len(right), np.longdouble)
    for _ in range(4):
        remainder = (right - exact @ x).astype(np.float64)
        x += np.linalg.solve(matrix, remainder)
    return x.astype(np.float64)


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

    The log-odds of a cell are effects[sequence] . e + basis[bin] . (shapes[sequence] . S), with a basis of functions of
    the nil value. The fit finds e (number of effects,) and S (number of shapes, steps of the basis).
    """

    effects: Any  # sparse 0 or 1 (sequences, number of effects): the seat, bids and pairs of bids
    shapes: Any  # sparse 0 or 1 (sequences, number of shapes): the functions whose sum a sequence uses
    rising: NDArray[np.bool_]  # (number of effects,): whether an effect is at least 0 if a fit is ``rising``


def sequences() -> list[tuple[int, ...]]:
    """Return all sequences of 0..3 previous bids in the order of `Auction.sequence`."""
    bids = range(14)
    return [
        (),
        *((a,) for a in bids),
        *((a, b) for a in bids for b in bids),
        *((a, b, c) for a in bids for b in bids for c in bids),
    ]


def design(rows: list[tuple[int, ...]], partners: bool = True) -> Design:
    """Return the matrices for the sequences ``rows``.

    Effects: the seat; for each place a nil, and each number from 2 on, which all bids of at least this number have; and
    each pair of bids by their places. Shapes: the seat, and the seat with the bid of the player opposite: not made,
    nil, 1 to 6, or at least 7. ``partners``: whether the player opposite is the partner, so that higher numbers help.
    """
    effects: dict[tuple[Any, ...], int] = {}
    shapes: dict[tuple[Any, ...], int] = {}
    cells_e, cells_s = [], []
    for i, bids in enumerate(rows):
        seat = len(bids)
        keys: list[tuple[Any, ...]] = [("seat", seat)]
        for place, bid in enumerate(bids):
            keys += [("bid", seat, place, number) for number in ([0] if bid == 0 else range(2, bid + 1))]
        paired = [min(bid, PAIRED) for bid in bids]
        keys += [("pair", seat, p, q, paired[p], paired[q]) for p in range(seat) for q in range(p + 1, seat)]
        cells_e += [(i, effects.setdefault(key, len(effects))) for key in keys]
        opposite = bids[seat - 2] if seat >= 2 else -1
        for key in (("seat", seat), ("opposite", seat, min(opposite, 7) if opposite > 0 else opposite)):
            cells_s.append((i, shapes.setdefault(key, len(shapes))))

    def matrix(cells: list[tuple[int, int]], width: int) -> Any:
        r, c = np.array(cells).T
        return csr_matrix((np.ones(len(cells)), (r, c)), shape=(len(rows), width))

    def rises(kind: str, seat: int, *of: int) -> bool:
        if kind != "bid" or not partners:
            return False
        place, number = of
        return number >= (2 if place == seat - 2 else OPPONENT_RISES)

    rising = np.array([rises(*key) for key in effects])
    return Design(matrix(cells_e, len(effects)), matrix(cells_s, len(shapes)), rising)


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
        """Return the second derivatives (parameters, parameters) of the log-loss: effects, then shapes.

        ``weights`` (rows, bins): the variance of each cell's number of nils made.
        """
        effects, shapes, steps = self.effects, self.shapes, self.basis.shape[1]
        by_shape = (self.of_shapes.T @ (weights @ self.steps)).reshape(shapes, shapes, steps, steps)
        mixed = (self.mixed.T @ (weights @ self.basis)).reshape(effects, shapes * steps)
        hessian: Floats = np.empty((effects + shapes * steps, effects + shapes * steps))
        hessian[:effects, :effects] = (self.of_effects.T @ weights.sum(axis=1)).reshape(effects, effects)
        hessian[:effects, effects:] = mixed
        hessian[effects:, :effects] = mixed.T
        hessian[effects:, effects:] = by_shape.transpose(0, 2, 1, 3).reshape(shapes * steps, shapes * steps)
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


def fit_log_odds(
    counts: NDArray[Any],
    d: Design,
    basis: Floats,
    *,
    start: Floats | None = None,
    effects_ridge: float = RIDGE,
    shapes_ridge: float = RIDGE,
    rising: bool = False,
) -> tuple[Floats, Floats]:
    """Return e and S of a `Design` at which ``counts`` (rows, bins, 2), of all nils and of those made, are most likely.

    ``basis`` (bins, steps): the functions of the nil value; ``start`` (rows, bins): log-odds to which the regression
    adds; ``effects_ridge`` and ``shapes_ridge``: penalties, in nils; ``rising``: whether no cell of S is below 0,
    and no effect that `Design.rising` names. Raises `BuildError` if the fit does not converge.
    """
    rows = np.flatnonzero(counts[..., 0].any(axis=1))  # those of all others stay at 0, as do effects that only they use
    used = np.unique(d.effects[rows].indices)
    own = Design(d.effects[rows][:, used], d.shapes[rows], d.rising[used])
    n, made = counts[rows, :, 0].astype(np.float64), counts[rows, :, 1].astype(np.float64)
    begun = np.zeros((len(rows), len(basis))) if start is None else start[rows]
    n_effects, n_shapes, n_steps = len(used), d.shapes.shape[1], basis.shape[1]
    of_shape = np.repeat([False, True], [n_effects, n_shapes * n_steps])
    penalty = np.where(of_shape, shapes_ridge, effects_ridge)
    pairs = _Pairs(own, basis)

    def derivatives(x: Floats) -> tuple[float, Floats, Floats]:
        e, s = x[:n_effects], x[n_effects:].reshape(n_shapes, n_steps)
        z = begun + (own.effects @ e)[:, None] + (own.shapes @ s) @ basis.T
        p = expit(z)
        value = float((n * np.logaddexp(0.0, z) - made * z).sum()) + float(penalty @ (x * x)) / 2
        slope = n * p - made
        gradient = np.concatenate([own.effects.T @ slope.sum(axis=1), (own.shapes.T @ (slope @ basis)).ravel()])
        return value, gradient + penalty * x, pairs.hessian(n * p * (1.0 - p)) + np.diag(penalty)

    first = np.where(of_shape & rising, 0.1, 0.0)
    bounded = np.concatenate([own.rising, np.ones(n_shapes * n_steps, np.bool_)])
    lowest = np.where(bounded & rising, 0.0, -np.inf)
    x = minimize_convex(derivatives, first, lowest)
    effects = np.zeros(d.effects.shape[1])
    effects[used] = x[:n_effects]
    return effects, x[n_effects:].reshape(n_shapes, n_steps)


def fit_curves(counts: NDArray[Any], partners: bool = True) -> Floats:
    """Return curves (rows, GRID + 1) from counts (rows, GRID + 1, 2) of all nils and of those made.

    Column i is the probability at nil value i / GRID, with six decimals. ``rows`` is SEQUENCES, or 1 for the curve that
    ignores the bids. ``partners``: as in `design`. Raises `BuildError` if the fit does not converge.
    """
    d = design(sequences() if len(counts) == SEQUENCES else [()], partners)
    e, s = fit_log_odds(counts, d, hat_basis(bin_middles()), rising=True)
    grid = hat_basis(np.linspace(0.0, 1.0, GRID + 1))
    return rising_curves((d.effects @ e)[:, None] + (d.shapes @ s) @ grid.T, partners)


def rising_curves(log_odds: Floats, partners: bool = True) -> Floats:
    """Return the probabilities of ``log_odds`` (rows, GRID + 1) as curves, with six decimals.

    A curve never falls with the nil value. If ``rows`` is SEQUENCES and there are ``partners``, it also never falls
    when partner's number rises: a partner who takes more tricks covers more.
    """
    curves = expit(log_odds)
    if partners and len(curves) == SEQUENCES:
        in_third, in_fourth = curves[15:211].reshape(14, 14, -1), curves[211:].reshape(14, 14, 14, -1)
        in_third[1:] = np.maximum.accumulate(in_third[1:], axis=0)  # index 0 is a nil of partner
        in_fourth[:, 1:] = np.maximum.accumulate(in_fourth[:, 1:], axis=1)
    monotone: Floats = np.maximum.accumulate(curves, axis=1).round(6)
    return monotone


def shrunk(sums: Any, n: Any, start: Any, weight: float) -> Any:
    """Return means of ``n`` cases with these ``sums`` and of ``weight`` more cases with the mean ``start``."""
    return (sums + weight * start) / (n + weight)


def log_loss(stated: Floats, counts: NDArray[Any]) -> float:
    """Return the mean log-loss in nats of probabilities; ``counts`` (..., 2): all cases, and those that happened."""
    n, happened = counts[..., 0], counts[..., 1]
    p = np.clip(stated, LEAST_P, 1 - LEAST_P)
    return float(-(happened * np.log(p) + (n - happened) * np.log(1 - p)).sum() / max(1.0, n.sum()))


def held_out_figures(curves: Floats, counts: NDArray[Any]) -> dict[str, float]:
    """Return the Brier score, log-loss in nats and calibration error of ``curves`` on ``counts``, and the nils counted.

    Shapes as in `fit_curves`. The calibration error is the mean difference between stated probability and share made,
    by twentieths of stated probability.
    """
    n, made = counts[..., 0].astype(np.float64), counts[..., 1].astype(np.float64)
    middle = bin_middles() * GRID
    low = np.minimum(middle.astype(int), GRID - 1)
    share = middle - low
    p = np.clip(curves[:, low] * (1 - share) + curves[:, low + 1] * share, LEAST_P, 1 - LEAST_P)
    total = n.sum()
    brier = (made * (1 - p) ** 2 + (n - made) * p**2).sum() / total
    cell = np.minimum((p * 20).astype(int), 19)
    gaps = [abs((n * p - made)[cell == i].sum()) for i in range(20)]
    return {"brier": brier, "log_loss": log_loss(p, counts), "calibration_error": sum(gaps) / total, "nils": total}


def reliability(curves: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return how well the probabilities of ``curves`` match the shares of nils made in ``counts``: float64 (20, 3).

    A row is a twentieth of stated probability: number of nils, mean stated probability, share made. A row without nils
    is 0. Shapes of the arguments: as in `fit_curves`.
    """
    stated = value_at_bins(curves)
    rows = np.zeros((20, 3))
    cell = np.minimum((stated * 20).astype(int), 19)
    for i in range(20):
        inside = cell == i
        n = counts[..., 0][inside].sum()
        if n:
            rows[i] = n, (stated * counts[..., 0])[inside].sum() / n, counts[..., 1][inside].sum() / n
    return np.round(rows, 6)


def value_at_bins(curves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each curve (rows, GRID + 1) at the middle of its bins; the last bin is the value 1 itself."""
    middle = np.minimum(np.arange(GRID + 1) + 0.5, GRID)
    low = np.minimum(middle.astype(int), GRID - 1)
    share = middle - low
    values: NDArray[np.float64] = curves[:, low] * (1 - share) + curves[:, low + 1] * share
    return values

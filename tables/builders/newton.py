"""Fits whose results do not depend on the machine's linear algebra: Newton's method, and linear systems solved exactly.

A fit that stops at a tolerance gives another result if the sums inside it are rounded differently, as OpenBLAS does on
each type of processor. So the functions here go on until only an error of rounding is left. It is about 1e-13, and
disappears when a table's cells are rounded to four or six decimals.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from arena.errors import BuildError

Floats: TypeAlias = NDArray[np.float64]
Derivatives: TypeAlias = Callable[[Floats], tuple[float, Floats, Floats]]  # x -> value, gradient, Hessian matrix

MOST_STEPS = 200
SMALL_STEP = 1e-8  # a step doubles the number of right digits, so the step after one this small is exact to rounding
ARMIJO = 1e-4  # share of the promised decrease that a step must bring
SLACK = 1e-13  # relative rounding error of the value
LEAST_SHARE = 1e-12  # share of a step that is always taken, because rounding hides what it changes in the value


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

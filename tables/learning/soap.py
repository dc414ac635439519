"""The optimizer SOAP for `tables.learning.net`: Adam in the eigenbasis of Shampoo's two factors of each matrix.

Sources: Vyas et al., "SOAP: Improving and Stabilizing Shampoo using Adam" (2024); Kingma and Ba, "Adam" (2015). SOAP
also learns quickly from inputs that are strongly correlated, for which Adam alone would need far more positions.
"""

from typing import cast

import numpy as np
from numpy.typing import NDArray

BETA1, BETA2, EPSILON = 0.9, 0.99, 1e-8  # Adam's
FACTOR = 0.98  # decay of the factors' running means
EVERY, EAGER = 20, 20  # the basis is updated at every EVERY-th step, and at each step before EAGER

Floats = NDArray[np.float32]


class Soap:
    """The optimizer's state for each matrix, by name."""

    def __init__(self) -> None:
        self.matrices: dict[str, _Matrix] = {}
        self.steps = 0

    def step(self, weights: dict[str, Floats], gradients: dict[str, Floats], rate: float) -> None:
        """Update ``weights`` in place against ``gradients``, at learning rate ``rate``.

        The first call only takes the bases from the gradients.
        """
        if not self.matrices:
            self.matrices = {name: _Matrix(gradient) for name, gradient in gradients.items()}
            return
        self.steps += 1
        turn = self.steps % EVERY == 0 or self.steps < EAGER
        for name, matrix in self.matrices.items():
            weights[name] -= np.float32(rate) * matrix.step(gradients[name], self.steps, turn)


class _Matrix:
    """The optimizer's state for one matrix."""

    def __init__(self, gradient: Floats) -> None:
        self.rows, self.columns = gradient @ gradient.T, gradient.T @ gradient  # Shampoo's factors
        self.left, self.right = (np.linalg.eigh(factor)[1] for factor in (self.rows, self.columns))
        self.first, self.second = np.zeros_like(gradient), np.zeros_like(gradient)  # second: in the basis

    def step(self, gradient: Floats, steps: int, turn: bool) -> Floats:
        """Return the update to subtract, before the learning rate.

        ``turn``: then update the basis towards the factors' eigenvectors.
        """
        left, right = self.left, self.right
        self.first += (1 - BETA1) * (gradient - self.first)
        self.second += (1 - BETA2) * ((left.T @ gradient @ right) ** 2 - self.second)
        first = left.T @ self.first @ right / (1 - BETA1**steps)
        scale = np.sqrt(self.second / (1 - BETA2**steps)) + EPSILON
        step = cast(Floats, left @ (first / scale) @ right.T)
        self.rows += (1 - FACTOR) * (gradient @ gradient.T - self.rows)
        self.columns += (1 - FACTOR) * (gradient.T @ gradient - self.columns)
        if turn:
            self.left, order = _turned(left, self.rows)
            self.second = self.second[order]
            self.right, order = _turned(right, self.columns)
            self.second = self.second[:, order]
        return step


def _turned(basis: Floats, factor: Floats) -> tuple[Floats, NDArray[np.int64]]:
    # Take one step of subspace iteration. Return the basis, sorted by falling share of the factor, and the sort order.
    product = factor @ basis
    order = np.argsort(-(basis * product).sum(axis=0), kind="stable")
    return cast(Floats, np.linalg.qr(product[:, order])[0]), order

"""The optimiser of `tables.learning.net`: SOAP, Adam in the eigenbasis of Shampoo's two factors of each matrix.

Sources: Vyas et al., "SOAP: Improving and Stabilizing Shampoo using Adam" (2024); Kingma and Ba, "Adam" (2015). Numbers
near one another learn as fast as those apart, which Adam alone would take far more positions for.
"""

from typing import cast

import numpy as np
from numpy.typing import NDArray

BETA1, BETA2, EPSILON = 0.9, 0.99, 1e-8  # Adam's
FACTOR = 0.98  # of the factors' running means
EVERY, EAGER = 20, 20  # steps from one turn of the basis to the next, and the first steps, each with a turn

Floats = NDArray[np.float32]


class Soap:
    """What is known of each matrix's gradients, by name."""

    def __init__(self) -> None:
        self.matrices: dict[str, _Matrix] = {}
        self.steps = 0

    def step(self, weights: dict[str, Floats], gradients: dict[str, Floats], rate: float) -> None:
        """Move ``weights`` in place against ``gradients``; the first step only takes the bases from them."""
        if not self.matrices:
            self.matrices = {name: _Matrix(gradient) for name, gradient in gradients.items()}
            return
        self.steps += 1
        turn = self.steps % EVERY == 0 or self.steps < EAGER
        for name, matrix in self.matrices.items():
            weights[name] -= np.float32(rate) * matrix.step(gradients[name], self.steps, turn)


class _Matrix:
    """What is known of one matrix's gradients."""

    def __init__(self, gradient: Floats) -> None:
        self.rows, self.columns = gradient @ gradient.T, gradient.T @ gradient  # Shampoo's factors
        self.left, self.right = (np.linalg.eigh(factor)[1] for factor in (self.rows, self.columns))
        self.first, self.second = np.zeros_like(gradient), np.zeros_like(gradient)  # the second in the basis

    def step(self, gradient: Floats, steps: int, turn: bool) -> Floats:
        """The direction to move against; ``turn``: then turn the basis towards the factors' eigenvectors."""
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
    # One step of subspace iteration; the columns fall by their share of the factor, in the order given.
    product = factor @ basis
    order = np.argsort(-(basis * product).sum(axis=0), kind="stable")
    return cast(Floats, np.linalg.qr(product[:, order])[0]), order

"""The outcome model's training: a small net in numpy float32, by squared error of win probabilities, with Adam.

A position's inputs and a bid's share the first hidden layer; two ReLU layers; a softmax over the outcomes of
`service.bidding.outcome`. What a bid is worth is the mean of its outcomes' values, and the error is that to what its
round brought: errors among the candidates of one position count more than their mean, for they decide the bid. A small
cross-entropy to the nearest outcome keeps the odds honest. Batches come labelled from `tables.outcome_data`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.features import BID_INPUTS, INPUTS
from service.bidding.outcome import OUTCOMES
from service.bidding.winprob import MOST_CANDIDATES

WIDTH, DEPTH = 128, 64  # hidden layers
CENTRED = 3.0  # weight of squared errors from their mean over a position's candidates, beside that mean's
CROSS_ENTROPY = 0.02
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # Adam (Kingma and Ba, 2015)

Floats = NDArray[np.float32]


class Batch(NamedTuple):
    """Labelled positions, B of them with up to M candidates; see `outcome_data.label`."""

    x: Floats  # (B, INPUTS)
    c: Floats  # (B, M, BID_INPUTS)
    values: Floats  # (B, M, OUTCOMES)
    target: Floats  # (B, M)
    real: Floats  # (B, M): weights, 1 for a candidate, less for one that is never bid, 0 for none
    outcome: NDArray[np.int64]  # (B, M)


def empty_batch(size: int) -> Batch:
    """Zeros, for `label` to write to."""
    shape = (size, MOST_CANDIDATES)
    return Batch(
        np.zeros((size, INPUTS), np.float32),
        np.zeros((*shape, BID_INPUTS), np.float32),
        np.zeros((*shape, OUTCOMES), np.float32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int64),
    )


class Net:
    """Weights and Adam's moments, by name: `position`, `bid`, `hidden`, `out`; the last row biases, but for `bid`."""

    def __init__(self, rng: np.random.Generator) -> None:
        shapes = {
            "position": (INPUTS + 1, WIDTH),
            "bid": (BID_INPUTS, WIDTH),
            "hidden": (WIDTH + 1, DEPTH),
            "out": (DEPTH + 1, OUTCOMES),
        }
        self.weights: dict[str, Floats] = {}
        for name, (rows, columns) in shapes.items():
            inputs = rows if name == "bid" else rows - 1
            drawn = rng.normal(0.0, np.sqrt(2.0 / inputs), (rows, columns)) * (0.3 if name == "out" else 1.0)
            drawn[inputs:] = 0.0
            self.weights[name] = drawn.astype(np.float32)
        self.restart()

    def restart(self) -> None:
        """Forget Adam's moments, before another round of training."""
        self.first = {name: np.zeros_like(w) for name, w in self.weights.items()}
        self.second = {name: np.zeros_like(w) for name, w in self.weights.items()}
        self.steps = 0

    def forward(self, x: Floats, c: Floats) -> tuple[Floats, Floats, Floats]:
        """Both hidden layers and the odds, each of B * M rows."""
        w = self.weights
        rows = c.shape[0] * c.shape[1]
        h = (c.reshape(rows, BID_INPUTS) @ w["bid"]).reshape(*c.shape[:2], WIDTH)
        h += (x @ w["position"][:-1] + w["position"][-1])[:, None, :]
        h = np.maximum(h, 0.0, out=h).reshape(rows, WIDTH)
        g = h @ w["hidden"][:-1] + w["hidden"][-1]
        np.maximum(g, 0.0, out=g)
        odds: Floats = g @ w["out"][:-1] + w["out"][-1]
        odds -= odds.max(axis=1, keepdims=True)
        np.exp(odds, out=odds)
        odds /= odds.sum(axis=1, keepdims=True)
        return h, g, odds

    def stated(self, batch: Batch) -> Floats:
        """Win probabilities (B, M) that the net states of a batch's candidates."""
        odds = self.forward(batch.x, batch.c)[2]
        stated: Floats = (odds * batch.values.reshape(odds.shape)).sum(axis=1).reshape(batch.real.shape)
        return stated

    def learn(self, batch: Batch, rate: float) -> float:
        """One step of Adam at ``rate``; the batch's mean squared error of centred win probabilities before it."""
        w, b = self.weights, len(batch.x)
        h, g, odds = self.forward(batch.x, batch.c)
        values = batch.values.reshape(odds.shape)
        stated = (odds * values).sum(axis=1)
        error = (stated - batch.target.ravel()).reshape(batch.real.shape)
        count = batch.real.sum(axis=1, keepdims=True)
        mean = (error * batch.real).sum(axis=1, keepdims=True) / count
        centred = error - mean
        by_value = (CENTRED * centred + mean / count) * batch.real / b
        towards = odds.copy()
        towards[np.arange(len(odds)), batch.outcome.ravel()] -= 1.0
        d = odds * (values - stated[:, None]) * by_value.ravel()[:, None]
        d += (CROSS_ENTROPY / b) * towards * batch.real.ravel()[:, None]
        gradients = {"out": np.vstack([g.T @ d, d.sum(axis=0)])}
        d = (d @ w["out"][:-1].T) * (g > 0)
        gradients["hidden"] = np.vstack([h.T @ d, d.sum(axis=0)])
        d = (d @ w["hidden"][:-1].T) * (h > 0)
        gradients["bid"] = batch.c.reshape(len(d), BID_INPUTS).T @ d
        shared = d.reshape(*batch.real.shape, WIDTH).sum(axis=1)
        gradients["position"] = np.vstack([batch.x.T @ shared, shared.sum(axis=0)])
        self._step(gradients, rate)
        return float((centred**2 * batch.real).sum() / batch.real.sum())

    def _step(self, gradients: dict[str, Floats], rate: float) -> None:
        self.steps += 1
        for name, weights in self.weights.items():
            first, second, gradient = self.first[name], self.second[name], gradients[name]
            first += (1 - BETA1) * (gradient - first)
            second += (1 - BETA2) * (gradient**2 - second)
            scale = np.sqrt(second / (1 - BETA2**self.steps)) + EPSILON
            weights -= rate / (1 - BETA1**self.steps) * first / scale

"""The outcome model's training: a small net in numpy float32, by squared error of win probabilities.

A position's inputs and a bid's share the first hidden layer; two ReLU layers; a softmax over the outcomes of
`service.bidding.winprob.outcomes`. What a bid is worth is the mean of its outcomes' values, and the error is that to
what its round brought: errors among the candidates of one position count more than their mean, for they decide the
bid. A very small cross-entropy to the nearest outcome tells apart outcomes of one worth; more of it costs strength,
since the nearest outcome is not what the round brought. Batches come labelled from `tables.learning.training_data`;
`tables.learning.soap` moves the weights.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from service.bidding.winprob.features import BID_INPUTS, INPUTS
from service.bidding.winprob.outcomes import OUTCOMES
from tables.learning.soap import Soap
from tables.learning.training_data import Labels

WIDTH, DEPTH = 256, 64  # hidden layers
CENTRED = 3.0  # weight of squared errors from their mean over a position's candidates, beside that mean's
CROSS_ENTROPY = 0.001

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Batch(NamedTuple):
    """Labelled positions, B of them, and their N candidates one position after the other."""

    x: Floats  # (B, INPUTS)
    first: Ints  # (B,): each position's first candidate
    position: Ints  # (N,): each candidate's position
    c: Floats  # (N, BID_INPUTS)
    values: Floats  # (N, OUTCOMES)
    target: Floats  # (N,)
    real: Floats  # (N,): weights, 1 for a candidate, less for one that is never bid
    outcome: Ints  # (N,)
    bid: Ints  # (N,)

    def means(self, of: Floats) -> Floats:
        """(B,): each position's mean over its candidates, by their weights."""
        weights = np.add.reduceat(self.real, self.first)
        return cast(Floats, np.add.reduceat(of * self.real, self.first) / weights)


def packed(labels: Labels, tried: Any) -> Batch:
    """Return ``labels`` without the rows that hold no candidate; ``tried`` (B, M) are the candidates' bids."""
    x, c, values, target, real, outcome = labels
    some = real > 0
    first = np.concatenate([[0], np.cumsum(some.sum(axis=1))[:-1]])
    position = np.nonzero(some)[0]
    bid = tried[some].astype(np.int64)
    return Batch(x, first, position, c[some], values[some], target[some], real[some], outcome[some], bid)


class Net:
    """Weights by name: `position`, `bid`, `hidden`, `out`; the last row biases, but for `bid`."""

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
        """Forget what the optimiser knows, before another round of training."""
        self.optimiser = Soap()

    def forward(self, batch: Batch) -> tuple[Floats, Floats, Floats]:
        """Both hidden layers and the odds, a row for each candidate."""
        w = self.weights
        h: Floats = batch.c @ w["bid"]
        h += (batch.x @ w["position"][:-1] + w["position"][-1])[batch.position]
        np.maximum(h, 0.0, out=h)
        g: Floats = h @ w["hidden"][:-1]
        g += w["hidden"][-1]
        np.maximum(g, 0.0, out=g)
        odds: Floats = g @ w["out"][:-1]
        odds += w["out"][-1]
        odds -= odds.max(axis=1, keepdims=True)
        np.exp(odds, out=odds)
        odds /= odds.sum(axis=1, keepdims=True)
        return h, g, odds

    def stated(self, batch: Batch) -> Floats:
        """Win probabilities (N,) that the net states of a batch's candidates."""
        return cast(Floats, np.einsum("ij,ij->i", self.forward(batch)[2], batch.values))

    def learn(self, parts: Sequence[Batch], rate: float, pool: Executor) -> float:
        """One step at ``rate`` on all ``parts`` of a batch, a thread of ``pool`` each.

        Returns their mean squared error of centred win probabilities before it.
        """
        size = sum(len(part.x) for part in parts)
        found = list(pool.map(lambda part: self.gradients(part, size), parts))  # added in order, whichever comes first
        gradients = {name: sum(by_name[name] for by_name, _ in found) for name in self.weights}
        self.optimiser.step(self.weights, cast(dict[str, Floats], gradients), rate)
        return float(sum(error for _, error in found) / sum(part.real.sum() for part in parts))

    def gradients(self, batch: Batch, size: int) -> tuple[dict[str, Floats], float]:
        """By name the gradients of the mean error over ``size`` positions, and the summed squared centred error."""
        w = self.weights
        h, g, odds = self.forward(batch)
        stated = np.einsum("ij,ij->i", odds, batch.values)
        error = stated - batch.target
        mean = batch.means(error)
        centred = error - mean[batch.position]
        shared = (mean / np.add.reduceat(batch.real, batch.first))[batch.position]
        towards = np.float32(CROSS_ENTROPY / size) * batch.real
        d = batch.values - stated[:, None]
        d *= ((np.float32(CENTRED) * centred + shared) * batch.real / np.float32(size))[:, None]
        d += towards[:, None]
        d *= odds
        d[np.arange(len(d)), batch.outcome] -= towards
        gradients = {"out": np.vstack([g.T @ d, d.sum(axis=0)])}
        d = d @ w["out"][:-1].T
        d *= g > 0
        gradients["hidden"] = np.vstack([h.T @ d, d.sum(axis=0)])
        d = d @ w["hidden"][:-1].T
        d *= h > 0
        gradients["bid"] = batch.c.T @ d
        by_position = np.add.reduceat(d, batch.first, axis=0)
        gradients["position"] = np.vstack([batch.x.T @ by_position, by_position.sum(axis=0)])
        return gradients, float((centred**2 * batch.real).sum())

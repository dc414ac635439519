"""The outcome net and its gradients: numpy float32, squared error of win probabilities.

The inputs of a position and of a bid share the first hidden layer. Two ReLU layers follow, then a softmax over the
outcomes of `service.bidding.winprob.outcomes`. A bid's win probability is the mean of its outcomes' values, and the
target is the value of the result of its round. Errors between the candidates of one position weigh more than their
common mean, because they decide the bid. A very small cross-entropy to the nearest outcome separates outcomes of the
same value. More of it costs strength, because the nearest outcome is not the result of the round.
`tables.learning.training_data` labels the batches; `tables.learning.soap` updates the weights.
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

WIDTH, DEPTH = 256, 64  # sizes of the first and second hidden layer
CENTRED = 3.0  # weight of squared errors around their mean over a position's candidates; the mean's square weighs 1
CROSS_ENTROPY = 0.001  # weight of the cross-entropy

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Batch(NamedTuple):
    """Labelled positions, B of them, and their N candidates in the order of the positions."""

    x: Floats  # (B, INPUTS): inputs of the positions
    first: Ints  # (B,): index of each position's first candidate
    position: Ints  # (N,): index of each candidate's position
    c: Floats  # (N, BID_INPUTS): inputs of the candidates
    values: Floats  # (N, OUTCOMES): win probability after each outcome
    target: Floats  # (N,): win probability after the round's result
    real: Floats  # (N,): weights, 1 for a candidate, less for a bid that no policy makes
    outcome: Ints  # (N,): outcome nearest to the round's result
    bid: Ints  # (N,): 0..13

    def means(self, of: Floats) -> Floats:
        """Return the weighted mean of ``of`` (N,) over each position's candidates: (B,)."""
        weights = np.add.reduceat(self.real, self.first)
        return cast(Floats, np.add.reduceat(of * self.real, self.first) / weights)


def packed(labels: Labels, tried: Any) -> Batch:
    """Return ``labels`` as a batch, without the rows that have no candidate.

    ``tried`` (B, M) has the candidates' bids.
    """
    x, c, values, target, real, outcome = labels
    some = real > 0
    first = np.concatenate([[0], np.cumsum(some.sum(axis=1))[:-1]])
    position = np.nonzero(some)[0]
    bid = tried[some].astype(np.int64)
    return Batch(x, first, position, c[some], values[some], target[some], real[some], outcome[some], bid)


class Net:
    """The weights of the net by name: `position`, `bid`, `hidden`, `out`.

    The last row of each has the biases, except in `bid`.
    """

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
        """Reset the optimizer, before the next round of training."""
        self.optimiser = Soap()

    def forward(self, batch: Batch) -> tuple[Floats, Floats, Floats]:
        """Return both hidden layers and the outcomes' probabilities, one row for each candidate."""
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
        """Return the win probabilities (N,) that the net gives a batch's candidates."""
        return cast(Floats, np.einsum("ij,ij->i", self.forward(batch)[2], batch.values))

    def learn(self, parts: Sequence[Batch], rate: float, pool: Executor) -> float:
        """Take one step at learning rate ``rate`` on all ``parts`` of a batch, each in a thread of ``pool``.

        Return the mean squared error of centred win probabilities before the step.
        """
        size = sum(len(part.x) for part in parts)
        found = list(pool.map(lambda part: self.gradients(part, size), parts))  # in the order of the parts
        gradients = {name: sum(by_name[name] for by_name, _ in found) for name in self.weights}
        self.optimiser.step(self.weights, cast(dict[str, Floats], gradients), rate)
        return float(sum(error for _, error in found) / sum(part.real.sum() for part in parts))

    def gradients(self, batch: Batch, size: int) -> tuple[dict[str, Floats], float]:
        """Return the gradients by name, and the sum of squared centred errors.

        The gradients are those of the mean error over ``size`` positions.
        """
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

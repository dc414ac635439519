"""The fit of how often people make nils and contracts: the corrections of `arena.people.model`.

A ridge penalty holds all weights near 0. Its strength is the one that does best on held-out games.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from arena.people.model import LEAST, Floats, corrected
from tables.regression import minimize_convex

PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, np.inf)  # strengths to try; infinite: no correction


class Cases(NamedTuple):
    """n groups of nils or contracts. The members of a group have the same label and features."""

    stated: Floats  # (n,): probability from the shipped tables
    features: Floats  # (n, features)
    labels: NDArray[np.int64]  # (n,)
    tried: Floats  # (n,): how many were bid
    made: Floats  # (n,): how many succeeded


class Correction(NamedTuple):
    """A correction that was learned."""

    weights: NDArray[np.float32]  # (1 + labels, features): rows as in AXES
    penalty: float  # one of PENALTIES
    n_tried: int  # nils or contracts from which it was learned
    loss: float  # mean log-loss on the held-out games, of the fit without them
    shipped_loss: float  # the same without a correction

    def figures(self) -> dict[str, float | None]:
        """Return the figures without the weights; the penalty is None if nothing is corrected."""
        penalty = None if np.isinf(self.penalty) else self.penalty
        return {"penalty": penalty, "cases": self.n_tried, "loss": self.loss, "shipped_loss": self.shipped_loss}


def learn(fit_on: Cases, held_out: Cases, labels: int) -> Correction:
    """Choose the penalty that does best on ``held_out`` after a fit on ``fit_on``, then fit again on both."""
    losses = {penalty: _loss(held_out, _fit(fit_on, labels, penalty)) for penalty in PENALTIES}
    penalty = min(losses, key=lambda one: (losses[one], -one))
    both = Cases(*(np.concatenate(columns) for columns in zip(fit_on, held_out, strict=True)))
    weights = _fit(both, labels, penalty)
    return Correction(weights.astype(np.float32), penalty, int(both.tried.sum()), losses[penalty], losses[np.inf])


def _design(cases: Cases, labels: int) -> Floats:
    n, width = cases.features.shape
    own = np.zeros((n, labels, width))
    own[np.arange(n), cases.labels] = cases.features
    return np.concatenate([cases.features, own.reshape(n, labels * width)], axis=1)


def _fit(cases: Cases, labels: int, penalty: float) -> Floats:
    width = cases.features.shape[1]
    if np.isinf(penalty) or not len(cases.tried):
        return np.zeros((1 + labels, width))
    x = _design(cases, labels)
    start = logit(np.clip(cases.stated, LEAST, 1 - LEAST))

    def derivatives(w: Floats) -> tuple[float, Floats, Floats]:
        z = start + x @ w
        p = expit(z)
        value = float((cases.tried * np.logaddexp(0.0, z) - cases.made * z).sum()) + penalty * float(w @ w) / 2
        gradient = x.T @ (cases.tried * p - cases.made) + penalty * w
        hessian = x.T @ (x * (cases.tried * p * (1 - p))[:, None]) + penalty * np.eye(len(w))
        return value, gradient, hessian

    n_weights = x.shape[1]
    found = minimize_convex(derivatives, np.zeros(n_weights), np.full(n_weights, -np.inf))
    return np.asarray(found.reshape(1 + labels, width), np.float64)


def _loss(cases: Cases, weights: Floats) -> float:
    total = 0.0
    for label in np.unique(cases.labels).tolist():
        rows = cases.labels == label
        p = np.clip(corrected(cases.stated[rows], cases.features[rows], weights, label), LEAST, 1 - LEAST)
        made, tried = cases.made[rows], cases.tried[rows]
        total -= float((made * np.log(p) + (tried - made) * np.log(1 - p)).sum())
    return total / max(1.0, float(cases.tried.sum()))

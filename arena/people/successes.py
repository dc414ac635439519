"""How often people make nils and contracts: learned corrections of the shipped tables' probabilities.

A correction is added to a probability's log-odds. It has weights that all labels share, and each label's deviations
from them. With weights of 0 it changes nothing. `studio.people.success_fit` learns the weights.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

Floats = NDArray[np.float64]
NIL_FEATURES = ("constant 1", "nil value - 0.5", "partner has bid", "partner bid four or more")
CONTRACT_FEATURES = ("constant 1", "contract / 3 - 2", "partner bid nil")
# Row 0 of the first axis has the shared weights, row 1 + label that label's deviations.
AXES = {
    "nil_success": ("shared, then label", "feature of a nil"),
    "contract_success": ("shared, then label", "feature of a contract"),
}
LEAST = 1e-4  # smallest probability


def nil_features(values: Floats, seats: Floats, partner_bids: Floats) -> Floats:
    """Return the features (n, 4) of nils.

    ``partner_bids`` of seats 0 and 1 are not read, because their partner bids later.
    """
    has_bid = seats >= 2
    return np.stack([np.ones(len(values)), values - 0.5, has_bid, has_bid & (partner_bids >= 4)], axis=1).astype(float)


def contract_features(contracts: Floats, with_nil: Floats) -> Floats:
    """Return the features (n, 3) of contracts."""
    return np.stack([np.ones(len(contracts)), contracts / 3 - 2, with_nil], axis=1).astype(float)


def corrected(stated: Floats, features: Floats, weights: Floats, label: int) -> Floats:
    """Return the corrected probabilities of people with label number ``label``."""
    z = logit(np.clip(stated, LEAST, 1 - LEAST)) + features @ (weights[0] + weights[1 + label])
    return np.asarray(expit(z), np.float64)


def mixture(stated: Floats, features: Floats, weights: Floats, shares: Sequence[float]) -> Floats:
    """Return the probabilities of people of several labels: the mean over the labels, weighted by ``shares``."""
    total = np.zeros(len(stated))
    for label, share in enumerate(shares):
        if share:
            total += share * corrected(stated, features, weights, label)
    return total

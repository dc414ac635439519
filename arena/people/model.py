"""A model of people as a folder: arrays, and a manifest with their checksums and how well the model does.

The folder has the form of a table set (docs/reference/file-formats.md), so the same code checks it. `read_model`
refuses a folder that was changed, or that was learned with other inputs or other tables.

How often people make nils and contracts is a learned correction of the shipped tables' probabilities, added to their
log-odds. It has weights that all labels share, and each label's deviations from them. With weights of 0 it changes
nothing. `studio.people.success_fit` learns the weights.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from arena.chunks import Arrays
from arena.errors import BuildError
from arena.people import bid_net
from arena.people.inputs import BIDS, VERSION
from spades.errors import TablesError
from spades.manifest import MANIFEST, check_strays, read_manifest
from spades.tableset import DEFAULT_DIRECTORY, open_array

RELEASE = "people"
Floats = NDArray[np.float64]
NIL_FEATURES = ("constant 1", "nil value - 0.5", "partner has bid", "partner bid four or more")
CONTRACT_FEATURES = ("constant 1", "contract / 3 - 2", "partner bid nil")
# Row 0 of the first axis has the shared weights, row 1 + label that label's deviations.
SUCCESS_AXES = {
    "nil_success": ("shared, then label", "feature of a nil"),
    "contract_success": ("shared, then label", "feature of a contract"),
}
LEAST = 1e-4  # smallest probability
AXES = {**bid_net.AXES, **SUCCESS_AXES, "blend": ("label",)}  # by array


@dataclass(frozen=True)
class PeopleModel:
    """A model of the people in a log."""

    version: str
    arrays: Arrays  # of AXES
    labels: tuple[str, ...]  # such as kind=human,skill=beginner; empty for seats without a label
    bids: tuple[int, ...]  # that were learned from, by label
    report: Mapping[str, Any]  # how well the model does: the parameters in its manifest

    def shares_of(self, label: str) -> NDArray[np.float64]:
        """Return the weight of each of the model's labels for people with ``label``; the sum is 1.

        A label counts if it has each part of ``label``; its weight is its share of the bids. Raises `BuildError` if
        there is none.
        """
        wanted = set(label.split(",")) if label else set()
        fits = [wanted <= set(own.split(",")) for own in self.labels]
        shares = np.array(self.bids) * np.array(fits)
        if not shares.sum():
            accepted = "; ".join(self.labels)
            raise BuildError(f"found nobody with label {label!r} in the model; accepted: parts of {accepted}")
        return np.asarray(shares / shares.sum(), np.float64)

    def chances(self, seen: bid_net.Seen, label: str) -> NDArray[np.float64]:
        """Return the probability of each bid (n, BIDS) of people with ``label``; ``seen.labels`` are not read."""
        total = np.zeros((len(seen.bids), BIDS))
        for number, share in enumerate(self.shares_of(label).tolist()):
            if share:
                labels = np.full(len(seen.bids), number, np.int16)
                total += share * bid_net.chances(self.arrays, seen._replace(labels=labels))
        return total

    def p_nil_made(self, stated: Floats, nil_values: Floats, seats: Floats, partner_bids: Floats, label: str) -> Floats:
        """Return the probability that nils (n,) of people with ``label`` are made.

        ``stated``: by the shipped curves; ``partner_bids`` of seats 0 and 1 are not read, because their partner bids
        later.
        """
        features = nil_features(nil_values, seats, partner_bids)
        weights = np.asarray(self.arrays["nil_success"], np.float64)
        return mixture(stated, features, weights, self.shares_of(label).tolist())

    def p_contract_made(self, stated: Floats, contracts: Floats, with_nil: Floats, label: str) -> Floats:
        """Return the probability that contracts (n,) of sides with one of these people are made.

        ``stated``: the shipped share of such contracts; ``with_nil``: 1 if a partner bid nil, otherwise 0.
        """
        features = contract_features(contracts, with_nil)
        weights = np.asarray(self.arrays["contract_success"], np.float64)
        return mixture(stated, features, weights, self.shares_of(label).tolist())

    def blend(self, label: str) -> float:
        """Return how often people with ``label`` play a round as WRP does; otherwise they play as SRP does."""
        return float(self.shares_of(label) @ self.arrays["blend"])


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


def read_model(folder: Path) -> PeopleModel:
    """Read a model and check it. Raises `TablesError`."""
    manifest = read_manifest(folder)
    path = folder / MANIFEST
    if manifest.release != RELEASE or RELEASE not in manifest.families:
        raise TablesError(f"{path}: found {manifest.release!r}; expected a model that `studio model` wrote")
    entry = manifest.families[RELEASE]
    if entry.generator != VERSION:
        raise TablesError(f"{path}: found inputs of version {entry.generator}; expected {VERSION}: learn it again")
    shipped = read_manifest(DEFAULT_DIRECTORY)
    if entry.inputs != shipped.sha256:
        found = f"found a model learned with tables {entry.parameters.get('tables')}"
        raise TablesError(f"{path}: {found}; expected {shipped.version}: learn it again")
    check_strays(folder, manifest)
    labels = tuple(map(str, entry.parameters["labels"]))
    arrays = {name.removesuffix(".npy"): open_array(folder, name, file) for name, file in manifest.files.items()}
    shapes = {name: bid_net.shape_of(name, len(labels)) for name in bid_net.AXES}
    shapes["nil_success"] = 1 + len(labels), len(NIL_FEATURES)
    shapes["contract_success"] = 1 + len(labels), len(CONTRACT_FEATURES)
    shapes["blend"] = (len(labels),)
    for name, shape in shapes.items():
        if name not in arrays or arrays[name].shape != shape:
            found = f"shape {arrays[name].shape}" if name in arrays else "no such file"
            raise TablesError(f"{folder / name}.npy: found {found}; expected shape {shape}")
    return PeopleModel(
        manifest.version, arrays, labels, tuple(entry.sizes[label] for label in labels), entry.parameters
    )

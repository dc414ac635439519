"""The net of a model of people: what it sees, and P(bid | position, label) for numpy and for JAX.

A bid's logit is a sum of three parts. The first belongs to the difference between the bid and the bids of `bis`, the
second to the difference between the bid and the estimate of its tricks, and the third is the output of a net with one
hidden layer. Each part has weights that all labels share, and weights of each label.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from arena.chunks import Arrays
from arena.engine.jit import entry
from arena.engine.simulate import numba_typed, tables_for
from arena.people.inputs import BIDS, INPUTS, see
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables

HIDDEN = 64
MOST_STEP = 3  # tricks; larger differences from the number of `bis` count as this
NUMBER, NO_NIL, NIL, NIL_KEPT, CLASSES = 0, 7, 14, 15, 16  # first classes of a bid, see `classes`
WIDTH, OVER_RANGE = 0.1, 20  # tricks; ranges on either side of the estimate
OVERS = 2 * OVER_RANGE + 2  # the last one is of nils
# By array, its axes; the length of an axis is in SIZES, or the number of labels.
AXES = {
    "first": ("input, then 1", "hidden"),
    "first_label": ("label", "hidden"),
    "out": ("hidden, then 1", "bid"),
    "steps": ("changed", "class"),
    "steps_label": ("label", "changed", "class"),
    "overs": ("changed", "range"),
    "overs_label": ("label", "changed", "range"),
}
SIZES = {
    "input, then 1": INPUTS + 1,
    "hidden": HIDDEN,
    "hidden, then 1": HIDDEN + 1,
    "bid": BIDS,
    "class": CLASSES,
    "range": OVERS,
    "changed": 2,
}
CHUNK = 50_000  # positions that are looked at together
IMPOSSIBLE = -1e9  # logit of a bid that the rules do not allow


class Seen(NamedTuple):
    """What a model sees of n positions; the values of `inputs.Reference` are columns."""

    x: Any  # float32 or float16 (n, INPUTS)
    bids: Any  # int8 (n,): of `bis`
    numbers: Any  # int8 (n,)
    allowed: Any  # int16 (n,)
    estimates: Any  # float32 (n,)
    changed: Any  # int8 (n,)
    labels: Any  # int16 (n,)


def _see(states: Any, seats: Any, rules: Rules, policies: Any, profiles: Any, seen: Any) -> None:
    for n in range(len(seats)):
        see(states[n], seats[n], rules, policies, profiles, seen, n)


_see_all = entry(_see)


def positions(states: NDArray[np.void], seats: NDArray[np.int64], rules: Rules, profiles: tuple[Tables, ...]) -> Seen:
    """Return n positions without labels: those in ``states`` (n,) at the turns of ``seats`` (n,).

    ``profiles``: the shipped tables, from `kernel_tables`.
    """
    policies = tuple(numba_typed(parse_policy(text, rules.variant)) for text in ("bis", "bis:nils=off"))
    n = len(seats)
    columns = [np.zeros(n, kind) for kind in (np.int8, np.int8, np.int16, np.float32, np.int8, np.int16)]
    seen = Seen(np.zeros((n, INPUTS), np.float32), *columns)
    _see_all(states, seats, rules, policies, tables_for(profiles, rules, policies), seen)
    return seen


def shape_of(name: str, labels: int) -> tuple[int, ...]:
    """Return the shape of an array for so many labels."""
    return tuple(SIZES.get(axis, labels) for axis in AXES[name])


def classes(seen: Seen, xp: Any) -> Any:
    """Return how each bid (n, BIDS) differs from the bids of `bis`, as a class.

    For a number, the class is the difference in tricks from the number that `bis` bids, or would bid instead of a nil:
    it starts at NUMBER if `bis` bids a number, and at NO_NIL if `bis` bids nil. For a nil, the class is NIL if `bis`
    bids a number, and NIL_KEPT if `bis` bids nil.
    """
    bid = xp.arange(BIDS)
    step = xp.clip(bid - seen.numbers[:, None].astype(xp.int32), -MOST_STEP, MOST_STEP) + MOST_STEP
    nil = seen.bids[:, None] == 0
    return xp.where(bid > 0, step + xp.where(nil, NO_NIL, NUMBER), xp.where(nil, NIL_KEPT, NIL))


def allowed_mask(seen: Seen, xp: Any) -> Any:
    """Return which bids (n, BIDS) the rules allow."""
    return (seen.allowed[:, None].astype(xp.int32) >> xp.arange(BIDS) & 1) == 1


def logits(weights: Any, seen: Seen, xp: Any) -> Any:
    """Return the logits (n, BIDS); ``xp`` is numpy or jax.numpy."""
    labels, changed = seen.labels.astype(xp.int32)[:, None], seen.changed.astype(xp.int32)[:, None]
    bid = xp.arange(BIDS)
    over = xp.floor((bid - seen.estimates[:, None]) / WIDTH).astype(xp.int32)
    over = xp.where(bid > 0, xp.clip(over, -OVER_RANGE, OVER_RANGE) + OVER_RANGE, OVERS - 1)
    by_step = (weights["steps"] + weights["steps_label"])[labels, changed, classes(seen, xp)]
    by_over = (weights["overs"] + weights["overs_label"])[labels, changed, over]
    first, out = weights["first"], weights["out"]
    hidden = seen.x.astype(xp.float32) @ first[:-1] + first[-1] + weights["first_label"][labels[:, 0]]
    found = by_step + by_over + xp.maximum(hidden, 0.0) @ out[:-1] + out[-1]
    return xp.where(allowed_mask(seen, xp), found, IMPOSSIBLE)


def chances(weights: Arrays, seen: Seen) -> NDArray[np.float64]:
    """Return the probability of each bid (n, BIDS)."""
    return np.asarray(softmax(logits(weights, seen, np).astype(np.float64), axis=1))


def class_counts(seen: Seen, bids: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, by class, how many bids were made, and how many the rules allowed."""
    found, offered = np.zeros(CLASSES, np.int64), np.zeros(CLASSES, np.int64)
    for part in parts_of(len(bids)):
        here = Seen(*(column[part] for column in seen))
        of = classes(here, np)
        chosen = np.take_along_axis(of, bids[part, None].astype(np.int64), axis=1)
        found += np.bincount(chosen.ravel(), minlength=CLASSES)
        offered += np.bincount(of[allowed_mask(here, np)], minlength=CLASSES)
    return found, offered


def parts_of(n: int) -> list[slice]:
    """Return parts of n positions, of CHUNK at most, so that little memory is used."""
    return [slice(first, first + CHUNK) for first in range(0, n, CHUNK)]

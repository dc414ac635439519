"""A small net that says who holds each unseen card, from one player's hand, the bids so far and the score.

It has two hidden ReLU layers and, for each card, a softmax over the three other seats. It treats the side suits alike:
they come in the order of the hand's lengths. `tables.learning.holders` trains it.

All weights are integers, and so are the values between the layers. float64 adds and multiplies such numbers exactly, so
every machine computes the same logits, whatever the order of its sums.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.inference.deals import Floats
from spades.scoring import NO_BID

CARDS = 52
OTHERS = 3  # the other seats, in bidding order after the player
MOST_BID = 8  # a higher bid counts as this one
BIDS = MOST_BID + 2  # inputs of a bid: not known (not made yet, or blind nil), nil, 1, 2 ... MOST_BID
SCORES = 4  # points of both sides, in tens, and their bags
INPUTS = CARDS + 4 * BIDS + 4 + SCORES
WEIGHT_UNIT = 2.0**-12  # of all weights
VALUE_UNIT = 2.0**-8  # of the values between the layers
ONE = int(1 / VALUE_UNIT)  # 1 in VALUE_UNIT: by this a layer multiplies its biases
LEAST = 2.0**-20  # smallest share of a seat, and the unit of the shares
_MOST_POINTS = 100  # points beyond 1,000, or below -1,000, count as these; in tens

Ints = NDArray[np.int64]


class HolderNet(NamedTuple):
    """The net's weights, in WEIGHT_UNIT; the last row of each is the biases."""

    first: Floats  # (INPUTS + 1, H)
    second: Floats  # (H + 1, G)
    out: Floats  # (G + 1, CARDS * OTHERS)


def places_of(hands: Ints) -> Ints:
    """Return the place (n, 64) of each card among the net's cards: side suits, the longest first, then spades.

    ``hands`` (n,). A column is a card's number in `spades.cards`; only those of the 52 cards have a meaning.
    """
    n = len(hands)
    holdings = hands[:, None] >> np.array([0, 16, 32]) & 0x1FFF
    order = np.argsort(-(np.bitwise_count(holdings).astype(np.int64) << 13 | holdings), axis=1, kind="stable")
    place = np.empty((n, 4), np.int64)
    np.put_along_axis(place, order, np.arange(3)[None], axis=1)
    place[:, 3] = 3
    return (13 * place[:, :, None] + np.arange(16)).reshape(n, 64)


def inputs_of(hands: Ints, seats: Ints, bids: Ints, scores: Ints, places: Ints) -> NDArray[np.int16]:
    """Return the inputs (n, INPUTS) of n players.

    ``hands`` (n,) and ``seats`` (n,): those of the players. ``bids`` (n, 4): in bidding order, NO_BID if not known.
    ``scores`` (n, SCORES): points of the player's side and of the other, then the bags. ``places``: from `places_of`.
    """
    n = len(hands)
    x = np.zeros((n, INPUTS), np.int16)
    rows = np.arange(n)[:, None]
    cards = np.flatnonzero(np.arange(64) % 16 < 13)
    x[rows, places[:, cards]] = hands[:, None] >> cards & 1
    by_place = bids[rows, seats[:, None] + np.arange(4) & 3]
    classes = np.where(by_place == NO_BID, 0, np.minimum(by_place, MOST_BID) + 1)
    x[rows, CARDS + BIDS * np.arange(4) + classes] = 1
    x[rows[:, 0], CARDS + 4 * BIDS + seats] = 1
    x[:, -SCORES:-2] = np.clip(scores[:, :2] // 10, -_MOST_POINTS, _MOST_POINTS)
    x[:, -2:] = scores[:, 2:]
    return x


def shares(net: HolderNet, inputs: NDArray[np.int16]) -> Floats:
    """Return the share (n, CARDS, OTHERS) of each other seat in each card: roughly the probability that it holds it.

    The second axis is the card's place (`places_of`). For cards that the player holds, the shares mean nothing.
    """
    values = _values(inputs.astype(np.float64), net.first, 1, 1 / WEIGHT_UNIT)
    values = _values(values, net.second, ONE, 1 / WEIGHT_UNIT / VALUE_UNIT)
    logits = values @ net.out[:-1] + ONE * net.out[-1]
    logits = (logits * (WEIGHT_UNIT * VALUE_UNIT)).reshape(len(inputs), CARDS, OTHERS)
    odds = np.exp(logits - logits.max(axis=2, keepdims=True))
    # Rounded, because machines may differ in the last bits of ``odds``.
    rounded: Floats = np.maximum(np.round(odds / odds.sum(axis=2, keepdims=True) / LEAST), 1.0) * LEAST
    return rounded


def _values(values: Floats, weights: Floats, one: int, scale: float) -> Floats:
    # A layer's values, in VALUE_UNIT; its sums are in units of 1 / scale.
    found: Floats = np.floor(np.maximum(values @ weights[:-1] + one * weights[-1], 0.0) / (scale * VALUE_UNIT))
    return found

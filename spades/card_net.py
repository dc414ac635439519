"""The card net: how much each card changes the chance to win the game, learned from a search.

It sees what a player sees (`spades.play.net_inputs`). It has a first layer for the position and one for each card,
which are added, and one more hidden ReLU layer. The card player `distilled@1` (`spades.play.distilled`) plays the card
of `srp@4`, unless the net expects another card to gain more than LEAST_GAINS.

The weights are whole numbers, in WEIGHT_UNIT. So all sums are exact in float64, and the service and the arena get the
same numbers, in whatever order they add.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.rules import CLASSIC, Rules

DISTILLED: Final = "distilled@1"
WEIGHT_UNIT: Final = 2.0**-10
OUTPUT_PER_WIN: Final = 10.0  # the net's output for a gain of 1 in the win probability; as in its training
# By level: the least gain of the win probability for which the net's card is played. Level 4 sees only large ones.
LEAST_GAINS: Final = {5: 0.002, 4: 0.03}
# Rules that may differ from those of the rounds that the net learned from: the goals, the limits of bids, and the
# points of blind bids and double nils, which are part of its inputs.
FREE_RULES: Final = (
    *("win", "lose", "double_nil", "blind_nil", "blind_nil_deficit", "blind_nil_points", "double_nil_points"),
    *("min_bid", "team_min", "team_max", "sum_not_13", "nil", "blind_min"),
)

Floats = NDArray[np.float64]


class CardNet(NamedTuple):
    """The weights, whole numbers in WEIGHT_UNIT; the fields are the arrays `card_net_*` of the tables."""

    position: Floats  # (POSITION_INPUTS + 1, H): inputs of a position, and the biases -> first hidden layer
    card: Floats  # (CARD_INPUTS, H): inputs of a card -> first hidden layer
    hidden: Floats  # (H + 1, G): first hidden layer, and the biases -> second
    out: Floats  # (G, 1): second hidden layer -> gain


ARRAYS: Final = tuple(f"card_net_{part}" for part in CardNet._fields)


def card_net_of(arrays: Mapping[str, NDArray[Any]]) -> CardNet:
    """Return the net in the arrays of a table set."""
    return CardNet(*(arrays[name].astype(np.float64) for name in ARRAYS))


def net_knows(rules: Rules) -> bool:
    """Return whether the net learned from rounds of these rules; only FREE_RULES may differ.

    >>> net_knows(CLASSIC._replace(win=200, lose=-100)), net_knows(CLASSIC._replace(bags=0))
    (True, False)
    """
    return rules == CLASSIC._replace(**{name: getattr(rules, name) for name in FREE_RULES})


def gains(net: CardNet, sums: Floats) -> Floats:
    """Return how much cards change the win probability; only differences between cards of one decision count.

    ``sums`` (cards, H): of the first layer, see `spades.play.distilled`.
    """
    hidden = np.maximum(sums, 0.0) @ net.hidden[:-1] + net.hidden[-1] / WEIGHT_UNIT
    found: Floats = (np.maximum(hidden, 0.0) @ net.out)[:, 0] * (WEIGHT_UNIT**3 / OUTPUT_PER_WIN)
    return found

"""What a searching player knows of the unseen cards when play begins: for each card, a weight for each other seat.

The weights are probabilities from the nets of card inference, which read the bids. One call is for many players.
"""

import numpy as np
from numpy.typing import NDArray

from spades.inference import HolderNet, holder_inputs, holder_shares, places_of, scores_for_net
from spades.legal import NO_BID, TRICKS
from spades.rules import Rules

EQUAL = np.full((64, 3), 1.0 / 3.0)  # weights of cards about which nothing is known
PARTNERS = (0.0, 1.0, 0.0)  # weights of a card that was given to partner
Ints = NDArray[np.int64]


def weights_by_bids(
    net: HolderNet, hands: Ints, seats: Ints, bids: Ints, scores: Ints, rules: Rules
) -> NDArray[np.float64]:
    """Return the weights (n, 64, 3) of each card for the next three seats after each of n players.

    ``hands`` (n,): the players' hands as dealt. ``seats`` (n,). ``bids`` (n, 4): by seat. ``scores`` (n, 4): points of
    the player's side and of the other, then their bags.
    """
    places = places_of(hands)
    known = np.where(bids > TRICKS, NO_BID, bids)  # any hand may have bid blind
    found = holder_shares(net, holder_inputs(hands, seats, known, scores_for_net(scores, rules), places))
    cards = np.flatnonzero(np.arange(64) % 16 < 13)
    weights = np.tile(EQUAL, (len(hands), 1, 1))
    weights[:, cards] = found[np.arange(len(hands))[:, None], places[:, cards]]
    return weights

"""The net's weights in the form that the service multiplies, and other data that `winprob` prepares once.

The net has two hidden layers. A constant input of 1 goes through both and is multiplied by the biases. The value of
each outcome is an input, in 65,535ths as in the win tables. The weights come from the tables `net_position`
(INPUTS + 1, H), `net_bid` (BID_INPUTS, H), `net_hidden` (H + 1, G) and `net_out` (G + 1, OUTCOMES). The last row of a
table with "+ 1" holds the biases.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.legal import NO_BID
from spades.position import read_auction
from spades.tables import Tables
from spades.winprob.features import INPUTS, VALUED, VALUES, Expected, expected_bids
from spades.winprob.games import Games
from spades.winprob.outcome_values import GamesInUse
from spades.winprob.outcomes import OURS, OUTCOMES, THEIRS, WIN_SCALE

Floats = NDArray[np.float32]
_BIDS = (NO_BID,), range(14)  # possible bids of a seat that has not bid yet, and of one that has
# As arrays, because numpy would convert a number at each call.
_ZERO = np.zeros((), np.float32)
_NEVER = -30.0  # log-odds of an outcome that never happens
_MOST_EXPONENT = np.full((), 70.0, np.float32)  # float32 must hold 30 x 65,535 times its exponential


class ExpectedBids:
    """The expected bids of the others (`expected_bids`), for up to two previous bids.

    Call it with a profile's tables, then index the result by `Auction.sequence` and by our bid. The lists are made when
    the tables are first used.
    """

    def __init__(self) -> None:
        self._by_tables: dict[int, list[list[Expected]]] = {}

    def __call__(self, tables: Tables) -> list[list[Expected]]:
        """Return the expected bids of a profile's ``tables``, which must stay in use."""
        if id(tables) not in self._by_tables:
            sequences = [(seat, b0, b1) for seat in range(3) for b0 in _BIDS[seat > 0] for b1 in _BIDS[seat > 1]]
            self._by_tables[id(tables)] = [
                [expected_bids(bid, read_auction(seat, b0, b1, NO_BID), tables) for bid in range(14)]
                for seat, b0, b1 in sequences
            ]
        return self._by_tables[id(tables)]


def complete_outcomes(net_out: NDArray[Any]) -> NDArray[Any]:
    """Return the last layer (G + 1, OUTCOMES) of a net. Raises ValueError.

    Tables until 2026.11.27 have no columns for the ways of later nils. With the columns that they get here, these ways
    never happen, so the net bids as it did.
    """
    rows, columns = net_out.shape
    if columns == OUTCOMES:
        return net_out
    if columns != (OURS - 1) * (THEIRS - 1):
        raise ValueError(f"found shape {net_out.shape}; expected {(rows, OUTCOMES)}")
    layer = np.zeros((rows, OURS, THEIRS), net_out.dtype)
    layer[:, :-1, :-1] = net_out.reshape(rows, OURS - 1, THEIRS - 1)
    layer[-1, -1, :] = layer[-1, :, -1] = _NEVER
    layer = layer.reshape(rows, OUTCOMES)
    layer.flags.writeable = False
    return layer


class Weights(NamedTuple):
    """The net's weights in float32, with rows and columns added for the constant input, and what else a decision needs.

    The first dimension of ``bid`` is larger than in the tables: it has an input for each outcome's value.
    """

    position: Floats  # (INPUTS + 1, H + 1)
    bid: Floats  # (VALUES + OUTCOMES, H + 1)
    hidden: Floats  # (H + 1, G + 1)
    out: Floats  # (G + 1, OUTCOMES)
    games: GamesInUse
    expected: ExpectedBids


def load_weights(tables: Tables, games: Games) -> Weights:
    """Return the weights of ``tables``, whose arrays are ndarrays; ``games``: the games of the same table set."""
    net = (tables.net_position, tables.net_bid, tables.net_hidden, tables.net_out)
    position, of_bid, hidden, of_outcome = (np.asarray(layer, np.float64) for layer in net)
    bids = np.zeros((VALUES + OUTCOMES, of_bid.shape[1]))
    bids[:VALUES] = of_bid[:VALUES]
    bids[[VALUES + outcome for outcome in VALUED]] = of_bid[VALUES:] / WIN_SCALE
    layers = (
        np.hstack([position, np.eye(1, INPUTS + 1, INPUTS).T]),
        np.hstack([bids, np.zeros((len(bids), 1))]),
        np.hstack([hidden, np.eye(1, len(hidden), len(hidden) - 1).T]),
        of_outcome - of_outcome.mean(axis=1, keepdims=True),  # the same ratios of odds, within float32's range
    )
    first, of_bids, second, out = (layer.astype(np.float32) for layer in layers)
    return Weights(first, of_bids, second, out, GamesInUse(games, tables), ExpectedBids())


def outcome_odds(x: Floats, rows: Floats, weights: Weights) -> Floats:
    """Return the odds of each bid's outcomes, (bids, OUTCOMES): probabilities times a factor that differs by bid.

    ``x`` (INPUTS + 1,): the position's inputs and a constant 1. ``rows`` (bids, VALUES + OUTCOMES): for each bid, its
    inputs and the values of its outcomes.
    """
    h: Floats = rows.dot(weights.bid)
    h += x.dot(weights.position)
    g = np.maximum(h, _ZERO, out=h).dot(weights.hidden)
    odds: Floats = np.maximum(g, _ZERO, out=g).dot(weights.out)
    np.exp(np.minimum(odds, _MOST_EXPONENT, out=odds), out=odds)
    return odds

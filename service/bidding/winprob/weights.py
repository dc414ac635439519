"""The net's weights as the service multiplies them, and what else a `winprob` decision finds ready made.

A constant input goes through both hidden layers and carries the biases; what an outcome is worth is an input each, in
65,535ths as the win tables have it. Weights come in the tables: `net_position` (INPUTS + 1, H), `net_bid`
(BID_INPUTS, H), `net_hidden` (H + 1, G), `net_out` (G + 1, OUTCOMES), the last row of those with one more the biases.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.auction import NO_BID, read_auction
from service.bidding.table_views import Tables
from service.bidding.winprob.features import INPUTS, VALUED, VALUES, Expected, expected_bids
from service.bidding.winprob.games import Games
from service.bidding.winprob.outcomes import OUTCOMES
from service.bidding.winprob.win_table import WIN_SCALE

Floats = NDArray[np.float32]
_BIDS = (NO_BID,), range(14)  # of a seat that has yet to bid, and of one that has
# As arrays: numpy would make one of a float at each call.
_ZERO = np.zeros((), np.float32)
_MOST = np.full((), 70.0, np.float32)  # whose exponential float32 still holds, twenty times 65,535 times over


class Weights(NamedTuple):
    """Float32 of the net, one column or row more than in the tables for the constant, and tables as they are."""

    position: Floats  # (INPUTS + 1, H + 1)
    bid: Floats  # (VALUES + OUTCOMES, H + 1)
    hidden: Floats  # (H + 1, G + 1)
    out: Floats  # (G + 1, OUTCOMES)
    wins: tuple[NDArray[np.uint16], NDArray[np.uint16]]  # `win` and `more_win`
    tables: Tables  # memoryviews
    games: Games
    expected: list[list[Expected]]  # by sequence of fewer than three previous bids, and our bid


def load_weights(tables: Tables, views: Tables, games: Games) -> Weights:
    """The weights in tables of ndarrays, of which ``views`` are memoryviews; ``games`` of the same tables."""
    sequences = [(seat, b0, b1) for seat in range(3) for b0 in _BIDS[seat > 0] for b1 in _BIDS[seat > 1]]
    position, of_bid, hidden = tables.net_position, tables.net_bid, tables.net_hidden
    bids = np.zeros((VALUES + OUTCOMES, of_bid.shape[1]))
    bids[:VALUES] = of_bid[:VALUES]
    bids[[VALUES + outcome for outcome in VALUED]] = of_bid[VALUES:] / WIN_SCALE
    layers = (
        np.hstack([position, np.eye(1, INPUTS + 1, INPUTS).T]),
        np.hstack([bids, np.zeros((len(bids), 1))]),
        np.hstack([hidden, np.eye(1, len(hidden), len(hidden) - 1).T]),
        tables.net_out - tables.net_out.mean(axis=1, keepdims=True),  # odds are as before, and small enough for float32
    )
    first, of_bids, second, out = (layer.astype(np.float32) for layer in layers)
    expected = [
        [expected_bids(bid, read_auction(seat, b0, b1, NO_BID), views) for bid in range(14)]
        for seat, b0, b1 in sequences
    ]
    return Weights(first, of_bids, second, out, (tables.win, tables.more_win), views, games, expected)


def outcome_odds(x: Floats, rows: Floats, weights: Weights) -> Floats:
    """Odds (bids, OUTCOMES) of a position's numbers and a constant 1, and of each bid's beside its outcomes' worths.

    Probabilities, but that they sum to anything.
    """
    h: Floats = rows.dot(weights.bid)
    h += x.dot(weights.position)
    g = np.maximum(h, _ZERO, out=h).dot(weights.hidden)
    odds: Floats = np.maximum(g, _ZERO, out=g).dot(weights.out)
    np.exp(np.minimum(odds, _MOST, out=odds), out=odds)
    return odds

"""The learned player `q@1` and the player of random cards, as agents of `arena.games`."""

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.mixing import mixed
from arena.engine.rounds import Ints, legal_masks
from arena.players import q1
from arena.players.q1 import QPlayer
from arena.questions import BID, Answering, Asked


class LearnedPlayer(Answering):
    """A learned player, with the arrays of its net by name."""

    def __init__(self, player: QPlayer, arrays: Arrays) -> None:
        self._player, self._arrays = player, arrays

    def answers(self, asked: Asked) -> Ints:
        """Return the bids or cards of the net; see `Answering`."""
        return choose(self._player, self._arrays, asked.states, asked.seats, asked.question == BID)


def arrays_of(player: QPlayer | None) -> tuple[str, ...]:
    """Return the names of the arrays that a player reads."""
    return () if player is None or player.name == "random" else (q1.array_of(player),)


def choose(player: QPlayer, arrays: Arrays, states: NDArray[np.void], seats: Ints, bidding: bool) -> Ints:
    """Return the bid or the card (n,) that ``player`` chooses from ``seats`` (n,)."""
    if player.name == "random":
        return random_actions(states, seats, bidding)
    return q1.choose(player, arrays, states, seats, bidding)


def random_actions(states: NDArray[np.void], seats: Ints, bidding: bool) -> Ints:
    """Return random bids from 0 to 13, or random legal cards; they depend only on the hand and the seat."""
    x = (states["hand"][np.arange(len(seats)), seats] * 4 + seats).astype(np.uint64)
    lots = mixed(x) / 2.0**64
    if bidding:
        return (lots * q1.BID_ACTIONS).astype(np.int64)
    legal = legal_masks(states, seats)[:, None] >> q1.CARD_BITS & 1
    order = (lots * legal.sum(axis=1)).astype(np.int64)
    found: Ints = q1.CARD_BITS[np.argmax(legal.cumsum(axis=1) > order[:, None], axis=1)]
    return found

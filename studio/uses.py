"""What the rounds of a log can be used for: it depends on the fields that a record has."""

from collections.abc import Callable
from typing import Any

import numpy as np

from spades.legal import BLIND_NIL, NIL, TRICKS
from studio.rounds import NO_CARD, NO_POINTS, NO_TRICKS, NO_WINNER, Rounds

Row = Any  # a numpy array of booleans (n,)


def _hands(rounds: Rounds) -> Any:
    return rounds.hands != 0


def _tricks(rounds: Rounds) -> Row:
    return rounds.tricks[:, 0] != NO_TRICKS


def _scores(rounds: Rounds) -> Row:
    return rounds.scores[:, 0] != NO_POINTS


def _nils(rounds: Rounds) -> Any:
    return rounds.bids == NIL


# By use, what it needs, and which rounds have it.
USES: dict[str, tuple[str, Callable[[Rounds], Row]]] = {
    "mean bids": ("bids", lambda rounds: np.ones(len(rounds.bids), np.bool_)),
    "success curves of nils": (
        "a nil with its bidder's hand, and tricks",
        lambda rounds: (_nils(rounds) & _hands(rounds)).any(axis=1) & _tricks(rounds),
    ),
    "blind nils": (
        "a blind nil, and tricks",
        lambda rounds: (rounds.bids == BLIND_NIL).any(axis=1) & _tricks(rounds),
    ),
    "factor of the previous bids": (
        "a hand of a number bidder, and tricks",
        lambda rounds: (~_nils(rounds) & (rounds.bids <= TRICKS) & _hands(rounds)).any(axis=1) & _tricks(rounds),
    ),
    "ace of spades": ("a hand", lambda rounds: _hands(rounds).any(axis=1)),
    "win tables": ("tricks and scores", lambda rounds: _tricks(rounds) & _scores(rounds)),
    "inference prior": ("all four hands", lambda rounds: _hands(rounds).all(axis=1)),
    "model of the players": ("a hand and scores", lambda rounds: _hands(rounds).any(axis=1) & _scores(rounds)),
    "calibration of win chances": (
        "a hand, scores and the winner",
        lambda rounds: _hands(rounds).any(axis=1) & _scores(rounds) & (rounds.winner != NO_WINNER),
    ),
    "card play": (
        "all four hands and plays",
        lambda rounds: _hands(rounds).all(axis=1) & (rounds.plays[:, 0] != NO_CARD),
    ),
}

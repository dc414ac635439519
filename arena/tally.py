"""The start and the end of games that `arena.engine.selfplay` does not play."""

import numpy as np
from numpy.typing import NDArray

from arena.engine.deal import Deals
from arena.engine.game import DRAWS, GAMES, PAIR_DD, PAIR_DR, PAIR_RR, WINS_A
from arena.engine.states import STATE
from spades.legal import deck_of
from spades.rules import Rules

Ints = NDArray[np.int64]


def begun_games(deals: Deals, rules: Rules, cells: int) -> tuple[NDArray[np.void], Ints]:
    """Return the play states and the rows (n, ``cells``) of the games of the pairs ``deals``.

    The first two columns are the pair and 1 for the game with the sides swapped; the other columns are 0.
    """
    n = 2 * (deals.last - deals.first)
    states, games = np.zeros(n, STATE), np.zeros((n, cells), np.int64)
    states["deck"] = np.uint64(deck_of(rules)).astype(np.int64)  # with 16 spades, the sign bit is a card
    games[:, 0], games[:, 1] = deals.first + np.arange(n) // 2, np.arange(n) % 2
    return states, games


def add_games(results: Ints, points: Ints, rounds: Ints, scores: Ints, sums: NDArray[np.float64]) -> None:
    """Fill ``scores`` (pairs, 2) and add to a match's ``sums``, as `selfplay.play_pairs` does.

    By game: ``results`` (1: side a won, 0: drawn, -1: side b won), ``points`` of side a minus those of side b, and
    ``rounds``. The two games of a pair come one after the other.
    """
    scores[:] = results.reshape(-1, 2)
    d, r = (values.reshape(-1, 2).sum(axis=1) for values in (points, rounds))
    sums[GAMES] += len(results)
    sums[WINS_A] += int((scores == 1).sum())
    sums[DRAWS] += int((scores == 0).sum())
    sums[PAIR_DD] += int((d * d).sum())
    sums[PAIR_DR] += int((d * r).sum())
    sums[PAIR_RR] += int((r * r).sum())

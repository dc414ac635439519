"""Add the results of games to a match's sums, for games that `tables.engine.selfplay` did not play."""

import numpy as np
from numpy.typing import NDArray

from tables.engine.game import DRAWS, GAMES, PAIR_DD, PAIR_DR, PAIR_RR, WINS_A

Ints = NDArray[np.int64]


def add_games(results: Ints, points: Ints, rounds: Ints, scores: Ints, sums: NDArray[np.float64]) -> None:
    """Fill ``scores`` (pairs, 2) and add to ``sums``, as `selfplay.play_pairs` does.

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

"""Random games and scores for the positions that the outcome net learns from."""

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.rules import NO_LOSING_GOAL
from service.bidding.winprob.games import BAGS, CLASSIC, DEPTH_POINTS, SLICES, rules_of

Ints = NDArray[np.int64]

GAMES = tuple(SLICES)
RULES = tuple(rules_of(game) for game in GAMES)
# Shares of positions at the games for which strength is reported; the other positions are at any game.
PLAIN_GAMES = {(200, -100, CLASSIC.bag_penalty): 0.5, (500, NO_LOSING_GOAL, CLASSIC.bag_penalty): 0.15}
SEEN_SHARE = 0.75  # share of scores drawn from those that games reached; the others are random
NEAR, SPREAD = 0.5, 70.0  # of random scores: share with sides near each other, and sd of their difference in points
LEADING, LAST_TENS = 0.4, 6  # share with a side that needs at most 60 points more: most games are lost there


def random_games(rng: np.random.Generator, n: int) -> Ints:
    """Return (n,): random indices of GAMES."""
    drawn: Ints = rng.integers(0, len(GAMES), n)
    lot = rng.random(n)
    for key, share in PLAIN_GAMES.items():
        drawn[(lot >= 0.0) & (lot < share)] = GAMES.index(key)
        lot -= share
    return drawn


def drawn_scores(rng: np.random.Generator, games: Ints, seen: Ints) -> Ints:
    """Return scores as `random_scores` does, but draw most of them from ``seen``.

    ``seen`` (games, scores of a game, 4) has scores that games reached.
    """
    taken = seen[games, rng.integers(0, seen.shape[1], len(games))]
    scores: Ints = np.where(rng.random((len(games), 1)) < SEEN_SHARE, taken, random_scores(rng, games))
    return scores


def random_scores(rng: np.random.Generator, games: Ints) -> Ints:
    """Return (n, 4): random scores of running games, points and bags of us, then of them.

    Points are a multiple of ten plus the bags.
    """
    n = len(games)
    goal, lose = (np.array([game[i] for game in GAMES])[games] for i in range(2))
    low = np.maximum(lose // 10 + 1, -DEPTH_POINTS // 10)
    high = goal // 10 - 1
    tens = low + (rng.random((2, n)) * (high + 1 - low)).astype(np.int64)
    tens[0] = np.where(rng.random(n) < LEADING, high - rng.integers(0, LAST_TENS, n), tens[0])
    beside = tens[0] + np.rint(rng.normal(0.0, SPREAD / 10, n)).astype(np.int64)
    tens[1] = np.where(rng.random(n) < NEAR, np.clip(beside, low, high), tens[1])
    tens = np.where(rng.random(n) < 0.5, tens, tens[::-1])
    bags = rng.integers(0, BAGS, (2, n))
    return np.stack([10 * tens[0] + bags[0], bags[0], 10 * tens[1] + bags[1], bags[1]], axis=1)

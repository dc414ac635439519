"""Random games and scores for the positions that the outcome net learns from.

A position is played under one set of rules of play. Its result counts in every game with these rules, whatever the
goals, so the same position is learned at scores of several games (`another_game`).
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spades.rules import CLASSIC, NO_LOSING_GOAL, PRESETS, Rules
from spades.scoring import effective_bag_rules
from spades.winprob import DEPTH_POINTS

Ints = NDArray[np.int64]

# Goals and losing goals of the games under classic rules, with their shares; the rest of the positions are at any of
# them. Games under other rules have the goals of their preset, or 200 and -100.
CLASSIC_GOALS = {(200, -100): 0.5, (500, NO_LOSING_GOAL): 0.15}
OTHER_GOALS = (
    *((goal, NO_LOSING_GOAL) for goal in (100, 200, 250, 300, 350, 1000)),
    *((200, -200), (250, -200), (300, -200), (400, -200), (500, -200), (50, -100), (100, -100), (500, -100)),
)
# Shares of positions by rules of play: in most rounds of the training, and in the last.
RULES_OF_PLAY = {
    CLASSIC: 0.60,
    CLASSIC._replace(nil_points=200): 0.02,
    PRESETS["no-bags"]: 0.03,
    PRESETS["five-bags"]: 0.03,
    PRESETS["nil-50"]: 0.03,
    PRESETS["pass-2"]: 0.07,
    PRESETS["pass-4"]: 0.05,
    PRESETS["jokers"]: 0.05,
    PRESETS["jjdd"]: 0.05,
    PRESETS["whiz"]: 0.03,
    PRESETS["suicide"]: 0.04,
}
MORE_PASSES = {**RULES_OF_PLAY, CLASSIC: 0.53, PRESETS["pass-2"]: 0.10, PRESETS["pass-4"]: 0.09}
SHORT_GOALS = (200, -100)


def _games() -> tuple[list[Rules], list[int]]:
    games, groups = [], []
    for group, rules in enumerate(RULES_OF_PLAY):
        goals = [SHORT_GOALS, (rules.win, rules.lose)]
        if rules == CLASSIC:
            goals = [*CLASSIC_GOALS, *OTHER_GOALS]
        made = [rules._replace(win=win, lose=lose) for win, lose in goals]
        if rules == CLASSIC:
            made.append(PRESETS["bis-paper"])
        games += made
        groups += [group] * len(made)
    return games, groups


_GAMES, _GROUPS = _games()
GAMES = tuple(_GAMES)
GROUPS = np.array(_GROUPS)  # by game: the index of its rules of play
SEEN_SHARE = 0.75  # share of scores drawn from those that games reached; the others are random
NEAR, SPREAD = 0.5, 70.0  # of random scores: share with sides near each other, and sd of their difference in points
LEADING, LAST_TENS = 0.4, 6  # share with a side that needs at most 60 points more: most games are lost there


def random_games(rng: np.random.Generator, n: int, shares_of: Mapping[Rules, float]) -> Ints:
    """Return (n,): random indices of GAMES; ``shares_of``: the shares of RULES_OF_PLAY, in their order."""
    shares = np.array(list(shares_of.values()))
    return _game_of_group(rng, rng.choice(len(shares), n, p=shares / shares.sum()))


def another_game(rng: np.random.Generator, games: Ints) -> Ints:
    """Return for each of ``games`` (n,) a random game with the same rules of play; -1 stands for classic rules."""
    return _game_of_group(rng, GROUPS[np.maximum(games, 0)])


def _game_of_group(rng: np.random.Generator, groups: Ints) -> Ints:
    sizes = np.bincount(GROUPS)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    drawn: Ints = first[groups] + (rng.random(len(groups)) * sizes[groups]).astype(np.int64)
    lot = np.where(groups == 0, rng.random(len(groups)), 2.0)
    for number, share in enumerate(CLASSIC_GOALS.values()):
        drawn[(lot >= 0.0) & (lot < share)] = number
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
    limit = np.array([effective_bag_rules(game)[0] for game in GAMES])[games]
    low = np.maximum(lose // 10 + 1, -DEPTH_POINTS // 10)
    high = goal // 10 - 1
    tens = low + (rng.random((2, n)) * (high + 1 - low)).astype(np.int64)
    tens[0] = np.where(rng.random(n) < LEADING, high - rng.integers(0, LAST_TENS, n), tens[0])
    beside = tens[0] + np.rint(rng.normal(0.0, SPREAD / 10, n)).astype(np.int64)
    tens[1] = np.where(rng.random(n) < NEAR, np.clip(beside, low, high), tens[1])
    tens = np.where(rng.random(n) < 0.5, tens, tens[::-1])
    bags = (rng.random((2, n)) * limit).astype(np.int64)
    return np.stack([10 * tens[0] + bags[0], bags[0], 10 * tens[1] + bags[1], bags[1]], axis=1)

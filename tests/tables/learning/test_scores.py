"""The games and scores that are drawn for training."""

import numpy as np
import pytest

from tables.learning.scores import GAMES, SEEN_SHARE, drawn_scores, random_games


def test_scores_drawn_for_training_are_of_games_under_way():
    rng = np.random.default_rng(1)
    games = random_games(rng, 5000)
    seen = np.tile([25, 5, 18, 8], (len(GAMES), 3, 1))
    scores = drawn_scores(rng, games, seen)
    taken = (scores == (25, 5, 18, 8)).all(axis=1).mean()
    assert taken == pytest.approx(SEEN_SHARE, abs=0.03)
    for number, (us, us_bags, them, them_bags) in zip(games.tolist(), scores.tolist(), strict=True):
        win, lose, _ = GAMES[number]
        assert lose < us < win
        assert lose < them < win
        assert (us - us_bags) % 10 == (them - them_bags) % 10 == 0
    assert set(games.tolist()) == set(range(len(GAMES)))

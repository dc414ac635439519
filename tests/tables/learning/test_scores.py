"""The games and scores that are drawn for training."""

import numpy as np
import pytest

from spades.scoring import effective_bag_rules
from spades.winprob import SHIPPED
from tables.learning.scores import GAMES, GROUPS, RULES_OF_PLAY, SEEN_SHARE, another_game, drawn_scores, random_games


def test_scores_drawn_for_training_are_of_games_under_way():
    rng = np.random.default_rng(1)
    games = random_games(rng, 5000, RULES_OF_PLAY)
    seen = np.tile([25, 5, 18, 8], (len(GAMES), 3, 1))
    scores = drawn_scores(rng, games, seen)
    taken = (scores == (25, 5, 18, 8)).all(axis=1).mean()
    assert taken == pytest.approx(SEEN_SHARE, abs=0.03)
    for number, (us, us_bags, them, them_bags) in zip(games.tolist(), scores.tolist(), strict=True):
        rules = GAMES[number]
        if (us, them) != (25, 18):
            assert rules.lose < us < rules.win
            assert rules.lose < them < rules.win
            assert max(us_bags, them_bags) < effective_bag_rules(rules)[0]
        assert (us - us_bags) % 10 == (them - them_bags) % 10 == 0
    assert set(games.tolist()) == set(range(len(GAMES)))


def test_every_game_has_an_exact_win_table():
    for rules in GAMES:
        nearest = SHIPPED.nearest(rules)
        assert nearest is not None
        assert nearest.instead == ()


def test_another_game_has_the_same_rules_of_play():
    rng = np.random.default_rng(2)
    games = random_games(rng, 5000, RULES_OF_PLAY)
    others = another_game(rng, games)
    assert (GROUPS[games] == GROUPS[others]).all()
    assert (games != others).any()
    assert (GROUPS[another_game(rng, np.full(100, -1))] == 0).all()
    for game, other in {*zip(games.tolist(), others.tolist(), strict=True)}:
        goals = {"win": 1, "lose": -1, "bag_penalty": 100}
        assert GAMES[game]._replace(**goals) == GAMES[other]._replace(**goals)

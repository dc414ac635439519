"""Games of cutthroat: seating, scores that move with their players, records, who wins."""

import numpy as np
import pytest

from arena.engine import game, selfplay
from arena.engine.cutthroat import (
    SEATING,
    close_cutthroat_round,
    cutthroat_winner,
    play_cutthroat_game,
    points_gained,
    rotate_seats,
)
from arena.engine.game import SUMS, Game, Lineup
from arena.engine.simulate import player_rows, policies_by_chair
from arena.errors import ArenaError
from arena.match import Match
from arena.players.names import TABLES_PLAYER, parse_player, player_for
from spades.policies import parse_policy
from spades.rules import CUTTHROAT, make_rules
from spades.scoring import score_seat
from tests.arena.engine import states
from tests.conftest import view

RULES = make_rules("cutthroat")
SEED = 23


def scored(*scores):
    s = states.empty()
    for place, score in enumerate(scores):
        s.seat_score[place] = score
    return s


def games(worlds, first, last, a, b, player="solo"):
    scores, sums = np.zeros((last - first, 2), np.int64), np.zeros(SUMS)
    tables = worlds.array_settings
    policies = policies_by_chair(parse_policy(a, CUTTHROAT), parse_policy(b, CUTTHROAT))
    lineup = Lineup(policies, player_rows(player, player))
    selfplay.play_pairs(SEED, first, last, RULES, lineup, tables, scores, sums)
    return scores, sums


@pytest.mark.parametrize(
    ("scores", "rules", "winner"),
    [
        ((299, 0, 0, 0), RULES, -1),
        ((0, 0, 300, 299), RULES, 2),
        ((300, 301, 0, 0), RULES, 1),
        ((310, 0, 310, 0), RULES, -1),  # a tie: the game goes on
        ((310, 310, 0, 311), RULES, 3),
        ((0, 0, 0, -200), RULES, -1),
        ((0, 5, 0, -200), make_rules("cutthroat", {"lose": -200}), 1),
        ((0, 5, 5, -200), make_rules("cutthroat", {"lose": -200}), -1),
        ((-201, -200, -300, -400), make_rules("cutthroat", {"lose": -200}), 1),
    ],
)
def test_winner(scores, rules, winner):
    assert cutthroat_winner(scored(*scores), rules) == winner


def test_scores_move_with_their_owners():
    s = scored(1, 2, 3, 4)
    s.seat_bags[3] = 9
    rotate_seats(s, 3)
    assert s.seat_score == [4, 1, 2, 3]
    assert s.seat_bags == [9, 0, 0, 0]
    rotate_seats(s, 1)
    assert s.seat_score == [1, 2, 3, 4]
    rotate_seats(s, 4)
    assert s.seat_bags == [0, 0, 0, 9]


def test_record_by_hand():
    """The chairs have a0, a1, b0, b1 in turn. Seat 0 is chair 1, so the seats are a1, b0, b1, a0."""
    assert SEATING == (0, 2, 1, 3)
    s = scored(0, 10, 0, 0)
    for seat, (bid, taken) in enumerate(((3, 4), (0, 0), (4, 3), (5, 6))):
        s.bid[seat], s.taken[seat] = bid, taken
    s.choices = 170
    s.seat_bags[0] = 9
    sums = np.zeros(SUMS)
    close_cutthroat_round(s, 1, RULES, sums)
    assert s.seat_score == [31 - 100, 110, -40, 51]
    assert s.seat_bags == [0, 0, 0, 1]
    assert sums[game.ROUNDS] == 1
    assert list(sums[game.POINTS : game.POINTS + 2]) == [-69 + 51, 100 - 40]
    assert list(sums[game.NILS : game.NILS + 2]) == list(sums[game.NILS_MADE : game.NILS_MADE + 2]) == [0, 1]
    assert list(sums[game.CONTRACTS : game.CONTRACTS + 2]) == [2, 1]
    assert list(sums[game.SETS : game.SETS + 2]) == [0, 1]
    assert list(sums[game.BAGS : game.BAGS + 2]) == [2, 0]
    assert sums[game.NIL_PATTERNS + (1 << 1) * 5] == 1  # b0
    assert sums[game.BID_SUMS + 12 * 4] == 1
    assert points_gained(s, 0, RULES) == pytest.approx(31 - (100 - 40 + 51) / 3)


def test_points_sum_up():
    """The points in a round's record are the points that its seats score."""
    for number in range(20):
        s = states.dealt(SEED, number, (3, 0, 4, 2), ("solo",) * 4)
        game.play_out(s)
        expected = [score_seat(s.bid[seat], s.taken[seat], 0, RULES)[0] for seat in range(4)]
        sums = np.zeros(SUMS)
        close_cutthroat_round(s, 0, RULES, sums)
        assert s.seat_score == expected
        assert sums[game.POINTS] == expected[0] + expected[1]
        assert sums[game.POINTS + 1] == expected[2] + expected[3]


@pytest.mark.compiled
def test_equal_bidders_win_half(fitted):
    """The two games of a pair are the same game with the sides' names exchanged."""
    scores, sums = games(fitted, 0, 20, "bis", "bis")
    assert (scores.sum(axis=1) == 0).all()
    assert sums[game.GAMES] == 40
    assert sums[game.POINTS] == sums[game.POINTS + 1]
    assert sums[game.BIDS] == sums[game.BIDS + 1] == 2 * sums[game.ROUNDS]


@pytest.mark.compiled
def test_games_are_the_same_in_plain_python_and_in_any_span(fitted):
    scores, _ = games(fitted, 3, 7, "bis", "rb")
    again, _ = games(fitted, 5, 7, "bis", "rb")
    assert np.array_equal(scores[2:], again)
    policies = policies_by_chair(parse_policy("bis", CUTTHROAT), parse_policy("rb"))
    for swap in range(2):
        plain = play_cutthroat_game(
            states.empty(),
            Game(SEED, 3, swap),
            RULES,
            Lineup(policies, view(player_rows("solo", "solo"))),
            fitted.plain_settings,
            view(np.zeros(SUMS)),
        )
        assert plain == scores[0, swap]


def test_everyone_bids_first_as_often():
    """Over pairs, games and rounds, each of the four players bids first equally often."""
    first = [
        SEATING[(number + 2 * swap + (pair & 1)) & 3] for pair in range(2) for swap in range(2) for number in range(4)
    ]
    assert sorted(first) == sorted([0, 1, 2, 3] * 4)


def test_matches():
    assert player_for(RULES) == "solo@1"
    assert player_for(make_rules()) == TABLES_PLAYER
    assert parse_player("solo").number == parse_player("solo@1").number
    with pytest.raises(ArenaError, match="cutthroat"):
        Match("bis", "python:some.py:bid", rules=RULES)
    with pytest.raises(ArenaError, match="cutthroat"):
        Match("bis", "rb", rules=RULES, noise=0.1)

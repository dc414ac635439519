"""Rounds and games: their records, their dependence on seeds alone, and equal results for equal sides."""

import numpy as np
import pytest

from arena.engine import game, selfplay
from arena.engine.deal import deal, seed_rng, start_round
from arena.engine.game import SUMS, Game, Lineup, bid_seat, play_out, record_round
from arena.engine.simulate import player_rows, policies_by_chair
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.scoring import game_winner, score_side
from tests.arena.engine import states
from tests.conftest import view

PAPER = make_rules("bis-paper")
SEED = 11


def rounds(worlds, first, last, a, b, players=("srp", "srp")):
    points, sums = np.zeros((last - first, 2)), np.zeros(SUMS)
    policies = policies_by_chair(parse_policy(a), parse_policy(b))
    selfplay.play_rounds(
        SEED, first, last, PAPER, Lineup(policies, player_rows(*players)), worlds.array_settings[:1], points, sums
    )
    return points, sums


def games(worlds, first, last, a, b, players=("srp", "srp")):
    scores, sums = np.zeros((last - first, 2), np.int64), np.zeros(SUMS)
    policies = policies_by_chair(parse_policy(a), parse_policy(b))
    selfplay.play_pairs(
        SEED, first, last, PAPER, Lineup(policies, player_rows(*players)), worlds.array_settings[:1], scores, sums
    )
    return scores, sums


def test_start_clears_the_round_and_nothing_else():
    s = states.midway(5, 30)
    hands = [s.hand[seat] for seat in range(4)]
    s.score[0], s.bags[1] = 120, 7
    start_round(s)
    assert s.trick_size == s.leader == s.broken == s.played == s.choices == 0
    assert s.taken == s.void == [0] * 4
    assert [s.bid[seat] for seat in range(4)] == [-1] * 4
    assert [s.hand[seat] for seat in range(4)] == hands
    assert (s.score[0], s.bags[1]) == (120, 7)


def test_a_bid_sees_its_own_side_first(neutral):
    """Scores and bags belong to sides; only an end-of-game rule that reads the right ones makes these bids."""
    policy = parse_policy("bis")
    s = states.of_hands(["K32.432.A432.432"] * 4, bids=(4, 3, 3, -1))
    s.score[0], s.score[1] = 430, 0  # seat 3 belongs to side 1, so the opponents have 430
    assert bid_seat(s, 3, make_rules(), policy, neutral.plain_settings) == 4
    s.score[0], s.score[1] = 0, 430
    assert bid_seat(s, 3, make_rules(), policy, neutral.plain_settings) == 2


def test_play_out_counts_tricks_and_choices():
    for number in range(10):
        s = states.dealt(SEED, number, players=("srp", "wrp", "srp", "wrp"))
        play_out(s)
        assert sum(s.taken[seat] for seat in range(4)) == 13
        assert s.played.bit_count() == 52
        assert 52 <= s.choices <= 52 * 13


def test_record_by_hand():
    s = states.empty()
    for seat, (bid, taken) in enumerate(((3, 4), (0, 0), (4, 4), (5, 5))):
        s.bid[seat], s.taken[seat] = bid, taken
    s.choices = 180
    sums = np.zeros(SUMS)
    record_round(s, 0, 71, 150, sums)
    record_round(s, 1, 150, 71, sums)  # the same round with the sides changed
    assert sums[game.ROUNDS] == 2
    assert list(sums[game.POINTS : game.POINTS + 2]) == [221, 221]
    assert list(sums[game.NILS : game.NILS + 2]) == [1, 1]
    assert list(sums[game.NILS_MADE : game.NILS_MADE + 2]) == [1, 1]
    assert list(sums[game.BIDS : game.BIDS + 2]) == [4, 4]
    assert list(sums[game.SETS : game.SETS + 2]) == [0, 0]
    assert list(sums[game.BAGS : game.BAGS + 2]) == [1, 1]
    assert sums[game.SUM_OF_BIDS] == 24
    assert (sums[game.SUM_OF_CHOICES], sums[game.PLAYS]) == (360, 104)


def test_record_a_set_and_a_failed_nil():
    s = states.empty()
    for seat, (bid, taken) in enumerate(((5, 3), (0, 2), (4, 4), (5, 4))):
        s.bid[seat], s.taken[seat] = bid, taken
    sums = np.zeros(SUMS)
    record_round(s, 0, -90, -150, sums)
    assert list(sums[game.SETS : game.SETS + 2]) == [1, 1]
    assert list(sums[game.BAGS : game.BAGS + 2]) == [0, 2]  # the failed nil's tricks
    assert (sums[game.NILS + 1], sums[game.NILS_MADE + 1]) == (1, 0)


@pytest.mark.compiled
@pytest.mark.parametrize("policy", ["bis", "rb", "ms", "io"])
def test_equal_sides_come_out_equal(fitted, policy):
    points, sums = rounds(fitted, 0, 40, policy, policy)
    assert (points.sum(axis=1) == 0).all()
    assert sums[game.POINTS] == sums[game.POINTS + 1]
    scores, sums = games(fitted, 0, 20, policy, policy)
    assert (scores.sum(axis=1) == 0).all()
    assert sums[game.WINS_A] + sums[game.DRAWS] / 2 == sums[game.GAMES] / 2 == 20


@pytest.mark.compiled
def test_chunks_do_not_matter(fitted):
    whole_points, whole_sums = rounds(fitted, 0, 60, "bis", "ms", ("srp", "wrp"))
    parts = [rounds(fitted, a, b, "bis", "ms", ("srp", "wrp")) for a, b in ((0, 1), (1, 37), (37, 60))]
    assert np.array_equal(np.concatenate([points for points, _ in parts]), whole_points)
    assert np.array_equal(sum(sums for _, sums in parts), whole_sums)
    whole_scores, whole_sums = games(fitted, 0, 30, "bis", "ms", ("srp", "wrp"))
    parts = [games(fitted, a, b, "bis", "ms", ("srp", "wrp")) for a, b in ((0, 17), (17, 18), (18, 30))]
    assert np.array_equal(np.concatenate([scores for scores, _ in parts]), whole_scores)
    assert np.array_equal(sum(sums for _, sums in parts), whole_sums)


@pytest.mark.compiled
def test_changing_the_sides_changes_the_sign(fitted):
    points, _ = rounds(fitted, 0, 40, "bis", "io", ("srp", "wrp"))
    mirrored, _ = rounds(fitted, 0, 40, "io", "bis", ("wrp", "srp"))
    assert points.any()
    assert np.array_equal(points[:, 0], -mirrored[:, 1])
    assert np.array_equal(points[:, 1], -mirrored[:, 0])


@pytest.mark.compiled
def test_totals_add_up(fitted):
    scores, sums = games(fitted, 0, 25, "bis", "rb")
    assert sums[game.GAMES] == 50
    assert sums[game.WINS_A] == (scores == 1).sum()
    assert set(np.unique(scores)) <= {-1.0, 0.0, 1.0}
    assert sums[game.PLAYS] == 52 * sums[game.ROUNDS]
    assert sums[game.BIDS] == sums[game.BIDS + 1] == 2 * sums[game.ROUNDS]
    assert 1 < sums[game.SUM_OF_CHOICES] / sums[game.PLAYS] < 7


def test_a_game_by_its_rounds(neutral):
    """A plain-Python game, checked round by round with the scoring functions alone."""
    policies = policies_by_chair(parse_policy("ms:nil=5-8-T"), parse_policy("io"))
    players = view(player_rows("srp", "wrp"))
    sums = view(np.zeros(SUMS))
    s = states.empty()
    for pair in range(3):
        result = game.play_game(s, Game(SEED, pair, 1), PAPER, Lineup(policies, players), neutral.plain_settings, sums)
        assert followed(neutral, pair, 1, policies, players) == result


def followed(neutral, pair, swap, policies, players):
    scores, bags = {0: 0, 1: 0}, {0: 0, 1: 0}  # by chair parity: side a has chairs 0 and 2
    for number in range(200):
        s = states.empty()
        seed_rng(s, SEED, pair, number)
        deal(s)
        start_round(s)
        chair = [(seat + number + swap) % 4 for seat in range(4)]
        for seat in range(4):
            side = chair[seat] % 2
            s.score[seat % 2], s.score[1 - seat % 2] = scores[side], scores[1 - side]
            s.bags[seat % 2], s.bags[1 - seat % 2] = bags[side], bags[1 - side]
            s.player[seat], s.pieces[seat] = players[chair[seat], 0], players[chair[seat], 1]
            s.bid[seat] = bid_seat(s, seat, PAPER, policies[chair[seat]], neutral.plain_settings)
        play_out(s)
        for side in (0, 1):
            one, other = (seat for seat in range(4) if chair[seat] % 2 == side)
            points, bags[side] = score_side(s.bid[one], s.taken[one], s.bid[other], s.taken[other], bags[side], PAPER)
            scores[side] += points
        if game_winner(scores[0], scores[1], PAPER):
            return game_winner(scores[0], scores[1], PAPER)
    return 0

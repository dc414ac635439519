"""Rounds and games: their sums, and their dependence on seeds alone."""

import numpy as np
import pytest

from arena.counters import MATCH_SUMS
from arena.engine.bidding import bid_seat
from arena.engine.deal import Deals, start_round
from arena.engine.results import win_probability_after_round
from arena.engine.rounds import Batch
from arena.engine.simulate import player_rows, policies_by_chair
from arena.games import Lineup, pairs_of, play_pairs, play_rounds
from spades.cards import DECK, cards_of
from spades.policies import parse_policy
from spades.rules import make_rules
from spades.winprob import SHIPPED, WIN_CELLS, WIN_SCALE
from tests.arena.engine import states

PAPER = make_rules("bis-paper")
SEED = 11


def played(play, worlds, first, last, a, b, players=("srp", "srp")):
    """Return what `play_pairs` or `play_rounds` returns, the sums as a record."""
    lineup = Lineup(policies_by_chair(parse_policy(a), parse_policy(b)), player_rows(*players))
    scores, sums = play(Deals(SEED, first, last), PAPER, lineup, worlds.array_settings)
    return scores, sums.view(MATCH_SUMS)[0]


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


def test_the_side_of_seat_1_bids_first_in_the_next_round():
    """By this win table the side that bids first wins 60% of the games, whatever the scores."""
    nearest = SHIPPED.nearest(PAPER)
    assert nearest is not None
    win = np.full(WIN_CELLS, round(0.6 * WIN_SCALE), np.uint16)
    s = states.empty()
    s.bid[:], s.taken[:] = [3, 3, 3, 3], [3, 4, 3, 3]
    found = [win_probability_after_round(s, me, PAPER, nearest.win_slice, win) for me in range(4)]
    assert found == pytest.approx([0.4, 0.6, 0.4, 0.6], abs=1e-5)


@pytest.mark.compiled
def test_a_round_has_every_card_once():
    batch = Batch(PAPER, np.arange(10))
    batch.deal(SEED, player_rows("srp", "wrp"))
    batch.write_bids(np.full((10, 4), 3))
    batch.finish()
    assert (np.sort(batch.rounds["plays"], axis=1) == cards_of(DECK)).all()
    assert (batch.rounds["tricks"].sum(axis=1) == 13).all()
    assert (batch.rounds["choices"] >= 52).all()


@pytest.mark.parametrize("preset", ["classic", "cutthroat"])
def test_every_chair_bids_first_as_often(preset):
    assert sorted(pairs_of(Deals(SEED, 6, 8), make_rules(preset)).rounds["first_chair"].tolist()) == [0, 1, 2, 3]


@pytest.mark.compiled
@pytest.mark.parametrize("play", [play_rounds, play_pairs])
def test_chunks_do_not_matter(fitted, play):
    whole, sums = played(play, fitted, 0, 40, "bis", "ms", ("srp", "wrp"))
    parts = [played(play, fitted, a, b, "bis", "ms", ("srp", "wrp")) for a, b in ((0, 1), (1, 27), (27, 40))]
    assert np.array_equal(np.concatenate([scores for scores, _ in parts]), whole)
    for name in MATCH_SUMS.names or ():
        assert np.array_equal(sum(part[name] for _, part in parts), sums[name]), name


@pytest.mark.compiled
def test_changing_the_sides_changes_the_sign(fitted):
    points, _ = played(play_rounds, fitted, 0, 40, "bis", "io", ("srp", "wrp"))
    mirrored, _ = played(play_rounds, fitted, 0, 40, "io", "bis", ("wrp", "srp"))
    assert points.any()
    assert np.array_equal(points, -mirrored[:, ::-1])


@pytest.mark.compiled
def test_totals_add_up(fitted):
    scores, sums = played(play_pairs, fitted, 0, 25, "bis", "rb")
    assert sums["games"] == 50
    assert sums["wins_a"] == (scores == 1).sum()
    assert set(np.unique(scores)) <= {-1, 0, 1}
    assert sums["plays"] == 52 * sums["rounds"]
    assert sums["bids"][0] == sums["bids"][1] == 2 * sums["rounds"]
    assert 1 < sums["choices"] / sums["plays"] < 7

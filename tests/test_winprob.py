"""The `winprob` policy: the same in numpy as compiled, legal, explained; and the net's training."""

import random
from typing import Any, cast

import numpy as np
import pytest

from service.bidding.auction import NO_BID
from service.bidding.bidder import Position, decide
from service.bidding.cards import parse_pbn
from service.bidding.features import BID_INPUTS, CARD_INPUTS, INPUTS, POSITION_NAMES, position_inputs
from service.bidding.legal import EVERY_BID
from service.bidding.net import win_decision
from service.bidding.outcome import OURS, OUTCOMES, THEIRS, our_points, their_points
from service.bidding.policies import parse_policy
from service.bidding.regular import regular_takes
from service.bidding.rules import NEVER
from service.bidding.tableset import open_tables
from service.bidding.win_games import PLACES, rules_of
from service.bidding.winprob import MOST_CANDIDATES, candidates
from tables.arena.errors import ArenaError
from tables.arena.match import Match
from tables.net import Batch, Net, empty_batch
from tables.net_fit import GAMES, random_games, random_scores
from tests.parity.cases import win_position
from tests.parity.worlds import compiled

WORKED = "AKJ62.AQ.Q.K9543"
LOW = "432.5432.5432.32"
WINPROB = parse_policy("winprob")


def position(pbn, previous=(), us=0, them=0, us_bags=0, them_bags=0, game=(500, NEVER, 100)):
    return Position(parse_pbn(pbn), previous, us, them, us_bags, them_bags, rules_of(game))


@pytest.mark.parity
def test_numpy_and_compiled_agree(fitted):
    """5,000 positions of all games: the same bid, probabilities to 1e-9."""
    fast, decided = compiled("tables.winprob.winprob_bid"), cast(Any, win_decision)
    rng = random.Random(3)
    for _ in range(5000):
        where: Any = win_position(rng)[:11]
        p_win = np.zeros(14)
        bid = fast(*where, fitted.arrays, p_win)
        made = decided(*where, EVERY_BID, False, fitted.plain, fitted.arrays)
        assert made.bid == bid, where
        assert p_win[made.bids] == pytest.approx(made.p_win, abs=1e-9)


def test_every_legal_bid_is_told():
    made = decide(position(WORKED, (3, 1)), WINPROB, open_tables())
    assert made.explanation is not None
    told = made.explanation["candidates"]
    assert [row["bid"] for row in told] == list(range(11))  # partner bid 3
    for row in told:
        assert 0.0 <= row["p_win"] <= 1.0
        assert row["outcomes"]["made"] + row["outcomes"]["set"] == pytest.approx(1.0)
        assert ("nil_made" in row["outcomes"]) == (row["bid"] == 0)
    assert list(made.explanation["inputs"]) == list(POSITION_NAMES)
    chosen = next(row for row in told if row["bid"] == made.bid)
    assert made.explanation["sentence"].startswith(f"{made.bid}: {100 * chosen['p_win']:.1f}% to win; ")
    assert decide(position(WORKED, (3, 1)), WINPROB, open_tables(), explain=False) == (made.bid, made.kind, None)


def test_legal_bids_have_the_last_word():
    for legal in ((0,), (9,), (0, 1), (12, 13)):
        made = decide(position(WORKED, (3, 1)), WINPROB, open_tables(), legal)
        assert made.bid in legal
        assert made.explanation is not None
        assert {row["bid"] for row in made.explanation["candidates"]} <= set(legal)
    made = decide(position(LOW), WINPROB, open_tables(), (0,))
    assert made.explanation is not None
    assert made.explanation["sentence"].endswith("no other bid is legal.")


def test_a_clear_nil_and_its_sentence():
    made = decide(position(LOW), WINPROB, open_tables())
    assert (made.bid, made.kind) == (0, "nil")
    assert made.explanation is not None
    assert made.explanation["sentence"].startswith("Nil: ")


def test_candidates():
    assert candidates(4, 0, -1, -1, 0, EVERY_BID) == 0b11111101
    assert candidates(4, 0, -1, -1, 2, EVERY_BID) == 0b11111100
    assert candidates(2, 2, 11, 3, 2, 0b111) == 0b110  # partner bid 11
    assert candidates(1, 2, 13, 3, 2, 0b10) == 0b10
    for takes in range(1, 14):
        assert candidates(takes, 0, -1, -1, 0, EVERY_BID).bit_count() <= MOST_CANDIDATES


def test_inputs_have_their_names(neutral):
    """Card bits by suit length; who has bid what."""
    x = [0.0] * INPUTS
    hand = parse_pbn(WORKED)
    regular = regular_takes(hand, 2, 3, 0, NO_BID, 0.0, 0.0, neutral.plain)
    position_inputs(hand, 2, 3, 0, NO_BID, regular, 0.5, neutral.plain, x)
    assert sum(x[:CARD_INPUTS]) == 13
    assert [rank for rank in range(13) if x[rank]] == [1, 2, 3, 7, 11]  # clubs, the longest: 3 4 5 9 K
    named = dict(zip(POSITION_NAMES, x[CARD_INPUTS:], strict=True))
    assert [named[f"length_{suit}"] * 6 for suit in ("longest", "middle", "shortest", "spades")] == [5, 2, 1, 5]
    assert named["top_spades"] == pytest.approx(2 / 3)
    assert [named[f"seat_{seat}"] for seat in range(4)] == [0, 0, 1, 0]
    assert (named["partner_has_bid"], named["partner_bid"], named["partner_nil"]) == (1.0, 0.6, 0.0)
    assert (named["rho_has_bid"], named["rho_bid"], named["rho_nil"]) == (1.0, 0.0, 1.0)
    assert (named["lho_has_bid"], named["lho_bid"], named["lho_nil"]) == (0.0, 0.0, 0.0)


def test_ways_of_a_round():
    """By hand: a contract of 6 beside a nil of 100."""
    assert [our_points(way, 6, 100) for way in range(OURS)] == [(160, 1), (160, 3), (-40, 2), (40, 0), (-160, 2)]
    assert [our_points(way, 6, 0) for way in range(OURS)] == [(60, 0), (60, 1), (60, 2), (60, 4), (-60, 0)]
    assert [their_points(way, 5, 0) for way in range(THEIRS)] == [(50, 0), (50, 2), (50, 4), (-50, 0)]
    assert [their_points(way, 5, 200) for way in range(THEIRS)] == [(250, 1), (-150, 3), (150, 0), (-250, 2)]


def test_the_arena_refuses_rules_without_a_table():
    with pytest.raises(ArenaError, match="with winprob"):
        Match("winprob", "bis", rules=rules_of((500, NEVER, 100))._replace(win=400))


def test_scores_drawn_for_training_are_of_games_under_way():
    rng = np.random.default_rng(1)
    games = random_games(rng, 5000)
    scores = random_scores(rng, games)
    for number, (us, us_bags, them, them_bags) in zip(games.tolist(), scores.tolist(), strict=True):
        win, lose, _ = GAMES[number]
        assert lose < us < win
        assert lose < them < win
        assert (us - us_bags) % 10 == (them - them_bags) % 10 == 0
    assert set(games.tolist()) == set(range(len(PLACES)))


def _random_batch(size: int) -> Batch:
    rng = np.random.default_rng(5)
    batch = empty_batch(size)
    for array in batch[:4]:
        array[:] = rng.random(array.shape)
    batch.real[:, :5] = 1.0
    batch.outcome[:] = rng.integers(0, OUTCOMES, batch.outcome.shape)
    batch.x[:] -= 0.5
    assert batch.c.shape == (size, MOST_CANDIDATES, BID_INPUTS)
    return batch


def test_the_net_learns_by_heart():
    """The same batch over and over: most of the error that its outcomes' values can take away goes."""
    net, batch = Net(np.random.default_rng(1)), _random_batch(64)
    errors = [net.learn(batch, 3e-3) for _ in range(300)]
    assert errors[-1] < 0.25 * errors[0]


def test_training_follows_from_its_seed():
    batch = _random_batch(32)
    nets = [Net(np.random.default_rng(7)) for _ in range(2)]
    for net in nets:
        for _ in range(5):
            net.learn(batch, 1e-3)
    assert all(np.array_equal(nets[0].weights[name], nets[1].weights[name]) for name in nets[0].weights)

"""Matches: symmetry, noise, a bad bidder, repeatability, sequential tests on the engine, agents outside."""

from itertools import pairwise

import pytest

from arena import stats
from arena.chunks import LocalThreads
from arena.counters import MATCH_SUMS
from arena.errors import AgentError, ArenaError
from arena.match import Match, play
from arena.public.bots import BOTS
from spades.errors import PolicyError
from spades.rules import make_rules
from tests.arena.conftest import chunk_of

pytestmark = pytest.mark.compiled


def played(committed, *arguments, jobs=1, **options):
    return play(Match(*arguments, **options), committed, LocalThreads(jobs))


def named(found):
    """Return the sums of a chunk by name."""
    return found["sums"].view(MATCH_SUMS)[0]


@pytest.mark.parametrize("bidder", ["bis", "rb", "fixed:bid=3"])
@pytest.mark.parametrize("players", [("srp", "srp"), ("wrp", "wrp")])
def test_equal_bidders_are_exactly_level(committed, bidder, players):
    found = played(committed, bidder, bidder, players, 300)
    rate = stats.win_rate(found.scores)
    assert (rate.rate, rate.variance_saved) == (0.5, 1.0)
    assert (found.scores.sum(axis=1) == 0).all()
    assert found.sums["points"][0] == found.sums["points"][1]
    assert found.sums["pair_dd"] == 0


def test_mixed_sides_of_equal_bidders_are_exactly_level(committed):
    assert stats.win_rate(played(committed, "bis", "bis", pairs=200, mixed=True).scores).rate == 0.5


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noisy_equal_bidders_are_level_within_chance(committed, seed):
    found = played(committed, "bis", "bis", pairs=5000, seed=seed, noise=0.3)
    rate = stats.win_rate(found.scores, confidence=0.999)
    assert rate.low < 0.5 < rate.high
    assert 0.02 < rate.high - rate.low < 0.06  # the noise makes the sides differ, so the rate is uncertain
    assert found.sums["pair_dd"] > 0


def test_sequential_tests_on_the_engine_seldom_err(committed):
    """200 tests of equal noisy sides at alpha 0.05 have at most 17 false positives."""
    decisions = []
    for seed in range(200):
        found = played(committed, "rb", "rb", ("wrp", "wrp"), 4000, seed=seed, noise=0.3, sprt=(0.0, 40.0))
        decisions.append(found.test.decision)
    assert decisions.count("H1") <= 17
    assert decisions.count("undecided") <= 5


def test_sequential_test_finds_the_better_side_and_stops(committed):
    found = played(committed, "bis", "fixed:bid=4", pairs=10_000, sprt=(0.0, 20.0))
    assert found.test.decision == "H1"
    assert len(found.scores) == 250  # decided after the first chunk
    assert found.sums["games"] == 500


def test_broken_bidder_loses_clearly(committed):
    assert stats.win_rate(played(committed, "bis", "fixed:bid=4", pairs=500).scores).low > 0.85
    assert stats.win_rate(played(committed, "fixed:bid=4", "rb", pairs=500).scores).high < 0.15


def test_sides_may_have_players_of_their_own(committed):
    # ECAI 2020, section 5.1: RB+SRP beats RB+WRP in 56 % of games or more.
    assert stats.win_rate(played(committed, "rb", "rb", ("srp", "wrp"), 2000).scores).low > 0.56


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_any_number_of_threads_gives_the_same(committed, noise):
    one = played(committed, "bis", "rb", pairs=1100, noise=noise)
    three = played(committed, "bis", "rb", pairs=1100, noise=noise, jobs=3)
    assert (one.scores == three.scores).all()
    assert one.sums.tobytes() == three.sums.tobytes()
    assert len(one.scores) == 1100


def test_seeds_make_other_matches(committed):
    one, two = (played(committed, "bis", "rb", pairs=100, seed=seed) for seed in (1, 2))
    assert (one.scores != two.scores).any()


def test_mixed_seats_one_bidder_of_each(committed):
    match = Match("fixed:bid=0", "fixed:bid=3", pairs=40, mixed=True)
    assert [policy.bid for policy in match.policies] == [0, 3, 3, 3]
    found = chunk_of(Match("bis", "rb:nils=off", pairs=200, mixed=True), committed).play(0, 200)
    sums = named(found)
    assert 0 < sums["nils"][0] < sums["bids"][0] / 2
    assert sums["nils"][1] == 0


# ---- agents outside ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mixed", [False, True])
def test_a_python_callable_plays_the_same_games(committed, rb_outside, mixed):
    """Policy rb inside the engine and as a Python callable outside it: the scores and sums are equal bit for bit."""
    inside = chunk_of(Match("bis", "rb", pairs=30, mixed=mixed), committed).play(0, 30)
    outside = chunk_of(Match("bis", rb_outside, pairs=30, mixed=mixed), committed).play(0, 30)
    assert (inside["scores"] == outside["scores"]).all()
    assert inside["sums"].tobytes() == outside["sums"].tobytes()


def test_both_sides_outside(committed, rb_outside):
    both = chunk_of(Match(rb_outside, rb_outside.replace(":bid", ":answer"), pairs=15), committed).play(5, 15)
    inside = chunk_of(Match("rb", "rb", pairs=15), committed).play(5, 15)
    assert both["sums"].tobytes() == inside["sums"].tobytes()


# ---- public bots -------------------------------------------------------------------------------------------------

JUS144TICE_OUTSIDE = """
    from spades.position import auction_after
    from spades.cards import parse_card
    from spades.legal import allowed_bids, nearest_allowed
    from spades.rules import make_rules
    from spades.scoring import Standing
    from arena.public.jus144tice import jus144tice

    def bid(request):
        overrides = dict(request["rules"])
        rules = make_rules(overrides.pop("preset"), overrides)
        hand = sum(1 << parse_card(card) for card in request["hand"])
        auction, scores = auction_after(tuple(request["previous_bids"])), request["scores"]
        standing = Standing(scores["us"], scores["them"], scores["us_bags"], scores["them_bags"])
        made = jus144tice(hand, auction, standing, rules)
        return nearest_allowed(made, 1, allowed_bids(hand, auction.partner_bid, rules))
"""


@pytest.mark.parametrize("mixed", [False, True])
def test_a_public_bot_plays_the_same_games_as_its_rules_in_plain_python(committed, bidder_file, mixed):
    outside = f"python:{bidder_file(JUS144TICE_OUTSIDE)}:bid"
    plain = chunk_of(Match("bis", outside, pairs=30, mixed=mixed), committed).play(0, 30)
    bot = chunk_of(Match("bis", "public:jus144tice", pairs=30, mixed=mixed), committed).play(0, 30)
    assert (plain["scores"] == bot["scores"]).all()
    assert plain["sums"].tobytes() == bot["sums"].tobytes()


def test_public_bots_play_each_other(committed):
    bots = [f"public:{name}" for name in BOTS]
    for a, b in pairwise([*bots, bots[0]]):
        found = played(committed, a, b, pairs=50)
        assert found.sums["games"] == 100
        assert (found.sums["bids"] > found.sums["nils"]).all()
        assert (found.sums["nils"] > 0).all()


# ---- speed -------------------------------------------------------------------------------------------------------


def test_a_callable_plays_many_games_at_once(committed, bidder_file):
    file = bidder_file("def four(request):\n    return 4 if len(request['previous_bids']) < 2 else 1\n")
    found = played(committed, "bis", f"python:{file}:four", pairs=1000)
    assert found.sums["games"] == 2_000


# ---- sums against plain games ------------------------------------------------------------------------------------


def test_pair_sums_are_those_of_the_pairs(committed):
    chunk = chunk_of(Match("bis", "ms", pairs=20), committed)
    pairs = [named(chunk.play(pair, pair + 1)) for pair in range(20)]
    d = [sums["points"][0] - sums["points"][1] for sums in pairs]
    r = [sums["rounds"] for sums in pairs]
    whole = chunk.play(0, 20)
    sums = named(whole)
    assert sums["pair_dd"] == sum(x * x for x in d)
    assert sums["pair_dr"] == sum(x * y for x, y in zip(d, r, strict=True))
    assert sums["pair_rr"] == sum(y * y for y in r)
    assert sums["wins_a"] == (whole["scores"] == 1).sum()


# ---- invalid matches ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": 0}, "pairs is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**31}, "seed is"),
        ({"noise": 1.5}, "noise is 1.5"),
        ({"sprt": (5.0, 5.0)}, "Elo bounds"),
        ({"players": ("srp", "nobody")}, "agent is 'nobody'; accepted: bis"),
    ],
)
def test_impossible_matches_are_refused(options, message):
    with pytest.raises((ArenaError, AgentError), match=message):
        Match("bis", "rb", **options)


def test_agents_that_cannot_bid_are_refused():
    with pytest.raises(AgentError, match="agent is 'srp', which does not bid; accepted: bis, rb"):
        Match("bis", "srp")
    with pytest.raises(PolicyError, match="offset is 'x'"):
        Match("bis", "bis(offset=x)")


def test_goals_matter(committed):
    short = played(committed, "bis", "rb", pairs=50, rules=make_rules("classic", {"win": 1, "lose": None}))
    long = played(committed, "bis", "rb", pairs=50, rules=make_rules("classic", {"win": 500}))
    assert short.sums["rounds"] < 250 < 800 < long.sums["rounds"]

"""The `winprob` policy: the same bids in numpy and compiled, legal bids, explanations."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.simulate import numba_typed
from arena.engine.winprob import Contracts, card_inputs, our_points, outcome_values, their_points
from arena.errors import ArenaError
from arena.match import Match
from arena.result import run_match
from spades.bidder import decide
from spades.bis.estimates import Nil, Regular
from spades.cards import parse_pbn, suits_of
from spades.legal import EVERY_BID, NO_BID
from spades.policies import parse_policy
from spades.position import NOT_EXPLAINED, Position, Turn, auction_after
from spades.rules import JOKERS, PRESETS, Rules, make_rules
from spades.scoring import START, Standing, contract_points
from spades.tables import PARTNERSHIP_PROFILE
from spades.winprob.candidates import (
    MOST_CANDIDATES,
    NO_NUMBER,
    best_bid,
    best_far_bid,
    candidates,
    far_bids,
    last_bag_bid,
    needed_number,
)
from spades.winprob.decision import win_decision
from spades.winprob.features import (
    BID_INPUTS,
    BID_NAMES,
    CARD_INPUTS,
    POSITION_NAMES,
    VALUED,
    VALUES,
    Expected,
    ModelPosition,
    bid_inputs,
    certain_with_nil,
    certain_with_number,
    holdings,
    model_position,
    p_win_before,
)
from spades.winprob.games import SHIPPED_PRESETS, SHIPPED_SLICES, games_of
from spades.winprob.outcome_values import MOST_GAMES, GamesInUse, Side, game_values, outcome_value_matrix
from spades.winprob.outcomes import (
    NO_NIL,
    OURS,
    OUTCOMES,
    THEIRS,
    WIN_SCALE,
    later_nils,
    likely_loss,
    win_array,
    win_probability_after,
)
from spades.winprob.weights import load_weights
from tests import naive
from tests.conftest import committed_tables
from tests.more_games import MORE_ROWS
from tests.parity.cases import scored_otherwise, standing, win_position
from tests.parity.worlds import compiled

WORKED = "AKJ62.AQ.Q.K9543"
LOW = "432.5432.5432.32"
WINPROB = parse_policy("winprob")
CLASSIC, SHORT = Rules(), Rules(win=200, lose=-100)


def knows(tables, rules):
    """Return whether a win table values the rules, and the hands of these tests are of their deck."""
    return rules.variant != JOKERS and tables.games.nearest(rules) is not None


def position(pbn, previous=(), us=0, them=0, us_bags=0, them_bags=0, rules=CLASSIC):
    return Position(parse_pbn(pbn), previous, Standing(us, them, us_bags, them_bags), rules)


def turn(hand, auction, standing, allowed, rules, tables, policy=WINPROB):
    """Return a turn without an explanation."""
    where = Position(hand, auction[1 : 1 + auction.seat], standing, rules)
    return Turn(hand, where, auction, standing, allowed, policy, tables, None, NOT_EXPLAINED)


@pytest.mark.parity
@pytest.mark.xdist_group("kernels")
@pytest.mark.parametrize("positions", [1_000, pytest.param(5_000, marks=pytest.mark.long)])
def test_numpy_and_compiled_agree(fitted, positions):
    """In positions of all games: the same bid, and the same probabilities within the precision of float32."""
    fast, net = compiled("arena.engine.winprob.winprob_bid"), fitted.array_settings
    rng, weights = random.Random(3), load_weights(fitted.arrays, games_of(MORE_ROWS))
    for _ in range(positions):
        hand, auction, scores, allowed, rules, policy, *_ = where = win_position(rng)
        p_win = np.zeros(14)
        bid = fast(hand, auction, scores, allowed, rules, policy, net.rows[0], net, p_win)
        made = win_decision(turn(hand, auction, scores, allowed, rules, fitted.plain, policy), weights)
        assert made.bid == bid, where
        compared = {bid: p for bid, p in zip(made.bids, made.p_win, strict=True) if made.weighed >> bid & 1}
        assert {bid: p for bid, p in enumerate(p_win.tolist()) if p >= 0.0} == pytest.approx(compared, abs=5e-6)


@pytest.mark.parity
@pytest.mark.xdist_group("kernels")
def test_a_nil_beside_partners_nil_stakes_both(fitted):
    """It is considered only if nothing else is legal."""
    fast, net = compiled("arena.engine.winprob.winprob_bid"), fitted.array_settings
    weights, rules = load_weights(fitted.arrays, games_of(MORE_ROWS)), SHORT
    where = parse_pbn(LOW), auction_after((0, 4)), Standing(60, 120, 3, 4)
    p_win = np.zeros(14)
    assert fast(*where, 1, rules, numba_typed(WINPROB), net.rows[0], net, p_win) == 0
    made = win_decision(turn(*where, EVERY_BID, rules, fitted.plain)._replace(legal=(0,)), weights)
    assert made.p_win == pytest.approx([p_win[0]], abs=5e-6)


def test_an_explanation_changes_no_bid():
    """Bids that are listed but not compared may look better, because their win probabilities are rough."""
    rng, tables = random.Random(6), committed_tables()
    better = 0
    for _ in range(400):
        hand, auction, (us, them, us_bags, them_bags), _, rules, *_ = win_position(rng)
        if not knows(tables, rules):
            continue
        where = Position(hand, auction[1 : 1 + auction.seat], Standing(us, them, us_bags, them_bags), rules)
        made = decide(where, WINPROB, tables)
        assert made.bid == decide(where, WINPROB, tables, explain=False).bid
        assert made.explanation is not None
        told = {row["bid"]: row["p_win"] for row in made.explanation["candidates"]}
        better += max(told.values()) > told[made.bid] + 1e-9
    assert better


def test_odds_stay_within_float32():
    """For the shipped network: a large constant in all outputs, which training does not prevent, would overflow."""
    rng, tables = random.Random(8), committed_tables()
    with np.errstate(over="raise"):
        for _ in range(300):
            hand, auction, (us, them, us_bags, them_bags), _, rules, *_ = win_position(rng)
            if knows(tables, rules):
                decide(
                    Position(hand, auction[1 : 1 + auction.seat], Standing(us, them, us_bags, them_bags), rules),
                    WINPROB,
                    tables,
                )


def test_four_low_spades_are_a_nil():
    made = decide(position("7542.A642.54.642", (6,), 81, 40, rules=SHORT), WINPROB, committed_tables())
    assert made.bid == 0
    assert made.explanation is not None
    assert made.explanation["nil"]["ruled_out"] == "four or more spades"  # by BIS


def test_values_of_all_bids_are_those_of_each(fitted):
    """Values of several bids equal those of `outcome_values` for each bid: with and without nil, in all games."""
    rng, games = random.Random(4), games_of(MORE_ROWS)
    for _ in range(1000):
        rules, place = scored_otherwise(rng)
        if rules.bags and rng.random() < 0.05:  # many bags
            rules = rules._replace(bag_limit=100)
            nearest = games.nearest(rules)
            assert nearest is not None
            place = nearest.win_slice
        us, them, us_bags, them_bags = scores = standing(rng, rules)
        stake, their_stake = rng.choice((NO_NIL, 0, 100, 155)), rng.choice((NO_NIL, 0, 100, 2000))
        contracts = [rng.randint(0, 8), *(rng.randint(0, 20) for _ in range(2)), 13]
        opposing = [rng.choice((rng.randint(0, 14), 13)) for _ in range(rng.choice((1, 4)))]
        opposing = [opposing[i % len(opposing)] for i in range(len(contracts))]
        later, their_later = rng.choice((0, 70)), rng.choice((0, 70, 170))
        factor, their_factor = (rng.choice((1, 2)), rng.choice((1, 2))) if rules.blind_min else (1, 1)
        own = max(0, stake) + 100  # with a nil
        ours = Side(us, us_bags, contracts, [own, *[stake] * 3], later, factor)
        theirs = Side(them, them_bags, opposing, [their_stake] * 4, their_later, their_factor)
        next_first = rng.randrange(2)
        game = game_values(rules, place, win_array(place, fitted.arrays))
        found = outcome_value_matrix(ours, theirs, next_first, game)
        for i, contract in enumerate(contracts):
            ours_made = factor * contract_points(contract, rules)
            theirs_made = their_factor * contract_points(opposing[i], rules)
            losses = factor * likely_loss(contract, rules), their_factor * likely_loss(opposing[i], rules)
            stakes = stake if i else own, their_stake, later, their_later
            staked = Contracts(ours_made, losses[0], theirs_made, losses[1], *stakes)
            values = [0.0] * OUTCOMES
            outcome_values(staked, scores, next_first, place, rules, win_array(place, fitted.plain), values)
            assert found[i].tolist() == [round(value * WIN_SCALE) for value in values]


def test_the_games_in_use_are_kept_and_the_oldest_is_dropped():
    tables = committed_tables()
    used = GamesInUse(tables.games, tables.kernel_arrays[PARTNERSHIP_PROFILE])
    first = used[CLASSIC]
    others = [rules for name in SHIPPED_PRESETS if (rules := PRESETS[name]) != CLASSIC]
    others += [CLASSIC._replace(win=100 + n) for n in range(MOST_GAMES - 1 - len(others))]
    values = [used[rules] for rules in others]
    assert used[CLASSIC] is first
    assert len(used) == MOST_GAMES
    used[CLASSIC._replace(win=99)]
    assert used[CLASSIC] is not first
    assert all(used[rules] is value for rules, value in zip(others[1:], values[1:], strict=True))


def test_every_legal_bid_is_told():
    made = decide(position(WORKED, (3, 1)), WINPROB, committed_tables())
    assert made.explanation is not None
    told = made.explanation["candidates"]
    assert [row["bid"] for row in told] == list(range(11))  # partner bid 3
    for row in told:
        assert 0.0 <= row["p_win"] <= 1.0
        assert row["outcomes"]["made"] + row["outcomes"]["set"] == pytest.approx(1.0)
        assert ("nil_made" in row["outcomes"]) == (row["bid"] == 0)
    assert list(made.explanation["inputs"]) == list(POSITION_NAMES)
    chosen = next(row for row in told if row["bid"] == made.bid)
    percent = f"{100 * chosen['p_win']:.1f}".removesuffix(".0")
    assert made.explanation["sentence"].startswith(f"Bid {made.bid}: you win the game {percent}% of the time. ")
    assert made.explanation["p_win"] == chosen["p_win"]
    assert decide(position(WORKED, (3, 1)), WINPROB, committed_tables(), explain=False) == (made.bid, made.kind, None)


def test_legal_bids_have_the_last_word():
    for legal in ((0,), (9,), (0, 1), (12, 13)):
        made = decide(position(WORKED, (3, 1)), WINPROB, committed_tables(), legal)
        assert made.bid in legal
        assert made.explanation is not None
        assert {row["bid"] for row in made.explanation["candidates"]} <= set(legal)
    made = decide(position(LOW), WINPROB, committed_tables(), (0,))
    assert made.explanation is not None
    assert made.explanation["sentence"].endswith(" No other bid is worth considering.")


def test_a_clear_nil_and_its_sentence():
    made = decide(position(LOW), WINPROB, committed_tables())
    assert (made.bid, made.kind) == (0, "nil")
    assert made.explanation is not None
    assert made.explanation["sentence"].startswith("Bid nil: ")


def test_candidates():
    assert candidates(4, 0, NO_BID, 0, EVERY_BID) == 0b1111101
    assert candidates(4, 0, NO_BID, 2, EVERY_BID) == 0b1111100
    assert candidates(2, 0, 11, 2, 0b111) == 0b110
    assert candidates(1, 0, 13, 2, 0b10) == 0b10
    assert candidates(13, 0, NO_BID, 2, EVERY_BID) == 1 << 13
    assert candidates(4, 3, NO_BID, 2, EVERY_BID) == 0b1111000
    assert candidates(4, 6, NO_BID, 2, EVERY_BID) == 0b111000000
    assert candidates(4, 6, 10, 2, EVERY_BID) == 0b1000  # partner's bid leaves 3
    for takes in range(1, 14):
        assert candidates(takes, 0, NO_BID, 0, EVERY_BID).bit_count() <= MOST_CANDIDATES


def test_best_bid():
    policy = parse_policy("winprob:margin=0.01,nil_margin=0.02,even=0.004")

    def best(natural=3, **chances):
        p_win = [-1.0] * 14
        for name, p in chances.items():
            p_win[int(name[1:])] = p
        return best_bid(p_win, natural, policy)

    assert best(b2=0.5, b3=0.505, b4=0.509) == 2  # a higher number must be better by `margin`
    assert best(b2=0.5, b3=0.511, b4=0.52) == 3
    assert best(b0=0.5199, b2=0.50, b3=0.507) == 2  # a nil must be better by `nil_margin`
    assert best(b0=0.5201, b2=0.50, b3=0.507) == 0
    assert best(b0=0.5201, b2=-1.0) == 0  # the only bid considered
    assert best(b0=0.503, b2=0.501, b3=0.5, b4=0.5) == 3  # the numbers are even: the natural one
    assert best(b0=0.1, b2=0.501, b3=0.5, b4=0.5) == 3  # whatever the nil is
    assert best(b0=0.521, b2=0.501, b3=0.5, b4=0.5) == 0
    assert best(b0=0.503, b2=0.501, natural=3) == 2  # the natural bid is not considered
    assert best(b2=0.505, b3=0.5, natural=3) == 2  # not even


def test_the_number_that_is_needed():
    """At 440 of 500 points and a partner's 3, a 3 reaches the goal; beside opponents with 545 points, a 8 is ahead."""
    assert needed_number(440, 300, 3, 5, (1, 1), EVERY_BID, CLASSIC) == (3, False)
    assert needed_number(440, 450, 3, 9, (1, 1), EVERY_BID, CLASSIC) == (8, True)
    assert needed_number(440, 470, 3, 14, (1, 1), EVERY_BID, CLASSIC) == (NO_NUMBER, True)  # a 15 would be ahead of 610
    assert needed_number(440, 300, 3, 5, (1, 1), 0b11000011, CLASSIC) == (6, False)
    ten = make_rules("classic", {"ten_for_200": True})
    assert needed_number(300, 0, 6, 4, (1, 1), EVERY_BID, ten) == (4, False)
    assert needed_number(380, 300, 3, 5, (2, 1), EVERY_BID, CLASSIC) == (3, False)  # 6 for double
    assert needed_number(440, 390, 3, 6, (1, 2), EVERY_BID, CLASSIC) == (5, True)  # they get 120


def test_bids_that_are_compared_at_the_end_of_a_game():
    usual = 0b1111000  # 3 to 6
    assert far_bids(usual, 8, 0, 0, EVERY_BID) == 0b110000111  # nil, 1, 2, 7 and the 8 that is needed
    assert far_bids(usual, 8, 2, 1, EVERY_BID) == 0b110000100  # two certain tricks
    assert far_bids(usual, NO_NUMBER, 0, 0, EVERY_BID) == 0b10000111
    assert far_bids(usual, 5, 0, 0, EVERY_BID) == 0b111  # a usual number is enough
    assert far_bids(usual, 3, 0, 0, EVERY_BID) == 0  # all of them are
    assert far_bids(usual, 8, 0, 0, 0b1111110) == 0b110
    assert far_bids(1, 8, 0, 0, EVERY_BID) == 0


def test_a_far_bid_must_be_better_by_its_margin():
    policy = parse_policy("winprob:far_margin=0.05")
    p_win = [0.1, 0.0, 0.0, 0.2, 0.21, 0.0, 0.0, 0.0, 0.25, 0.27, *[0.0] * 4]
    assert best_far_bid(p_win, 0b11000, 1 << 8, 8, policy) == 0
    assert best_far_bid(p_win, 0b11000, 1 << 8 | 1 << 9, 8, policy) == 1 << 9
    assert best_far_bid(p_win, 0b11000, 1 << 8 | 1 << 9, 4, policy) == 0  # the best usual number is enough
    assert best_far_bid(p_win, 0b11000, 1 << 8 | 1 << 9, 5, policy) == 1 << 9
    assert best_far_bid(p_win, 1, 1 << 8 | 1 << 9, 5, policy) == 1 << 9


@pytest.mark.parametrize(
    ("best", "previous", "us_bags", "next_p", "expected"),
    [
        (2, (0, 6, 4), 9, 0.48, 3),  # one trick of 13 is left
        (2, (0, 6, 3), 9, 0.48, 3),
        (2, (0, 6, 2), 9, 0.48, 2),  # three are left
        (3, (0, 6, 4), 9, 0.48, 3),  # none is left
        (2, (0, 6, 4), 8, 0.48, 2),
        (2, (0, 6, 4), 9, 0.46, 2),
        (2, (0, 6, 4), 9, -1.0, 2),
        (0, (0, 6, 6), 9, 0.48, 0),
        (2, (4, 6), 9, 0.48, 2),
    ],
)
def test_no_bag_is_left_before_the_penalty(best, previous, us_bags, next_p, expected):
    p_win = [-1.0] * 14
    p_win[best], p_win[best + 1] = 0.5, next_p
    auction = auction_after(previous)
    assert last_bag_bid(best, p_win, 1, us_bags, auction, CLASSIC) == expected
    assert last_bag_bid(best, p_win, 4, us_bags, auction, CLASSIC) == best  # the bid would not win
    assert last_bag_bid(best, p_win, 1, us_bags, auction, make_rules("no-bags")) == best


SOLID = "AKQJT98765.2.3.4"


def chances_of(made):
    return {row["bid"]: row["outcomes"] for row in made.explanation["candidates"]}


def test_certain_tricks_are_bid_and_stated_as_certain():
    made = decide(position(SOLID, (4, 0, 6)), WINPROB, committed_tables())
    assert made.bid >= 10
    outcomes = chances_of(made)
    assert (outcomes[10]["made"], outcomes[10]["set"], outcomes[10]["opponents_set"]) == (1.0, 0.0, 1.0)
    made = decide(position(SOLID, (4, 3, 3)), WINPROB, committed_tables())
    assert made.bid == 10  # more would be over 13 with partner's 3
    assert chances_of(made)[10]["opponents_set"] == pytest.approx(1.0, abs=1e-6)  # 4 and 3 of three tricks
    made = decide(position(SOLID, (4, 3, 3)), WINPROB, committed_tables(), (11, 12))
    assert chances_of(made)[11]["made"] == 0.0  # 14 of 13 tricks
    made = decide(position("AK.5432.5432.432"), WINPROB, committed_tables())
    assert made.bid >= 2
    made = decide(position("AKQJT98765432..."), WINPROB, committed_tables())
    assert made.bid == 13


def test_the_certain_tricks_are_bags_at_least():
    made = decide(position("AKQJT9.432.32.32", (1, 3)), WINPROB, committed_tables(), (2, 3, 4, 5))
    outcomes = chances_of(made)  # six certain tricks, and partner's 1: at least two bags up to a bid of 3
    assert [outcomes[bid]["bags"] for bid in (2, 3)] == pytest.approx([1.0, 1.0], abs=1e-6)
    assert 0.0 < outcomes[4]["bags"] < 1.0
    assert [outcomes[bid]["made"] for bid in (2, 3, 4, 5)] == pytest.approx([1.0] * 4, abs=1e-6)


def test_a_nil_with_a_certain_trick_fails():
    made = decide(position("A2.5432.5432.432", (3, 4)), WINPROB, committed_tables(), (0, 1))
    assert chances_of(made)[0]["nil_made"] == 0.0


@pytest.mark.parametrize("preset", ["pass-2", "pass-4", "jokers", "jjdd"])
@pytest.mark.parametrize("previous", [(6, 3), (5, 0), (3, 6, 2), (0, 5, 4)])
@pytest.mark.parametrize("spades", ["A", "AK", "AQ76", "KJT", "QJT2", "A2"])
def test_a_certain_trick_that_the_pass_gives_away_allows_a_nil(preset, previous, spades):
    """The answer's `nil` and the outcome of the nil are about the same cards: those that are kept."""
    rules = make_rules(preset, {"nil_pass": 2} if "j" in preset else {})
    if "j" in preset:
        spades = {"A": "B", "AK": "BL"}.get(spades, f"B{spades[1:]}")
    rest = ["T9643", "8754", "9873"]
    hand, at = [spades], 13 - len(spades)
    for suit in rest:
        hand.append(suit[:at])
        at -= len(hand[-1])
    made = decide(position(".".join(hand), previous, rules=rules), WINPROB, committed_tables())
    assert made.explanation is not None
    if made.explanation["nil"]["ruled_out"] is None:
        assert chances_of(made)[0]["nil_made"] > 0.5
        assert made.explanation["nil"]["probability"] > 0.5


def test_cards_for_a_nil_of_partner_are_no_certain_tricks():
    """Twelve spades and an ace beside a nil: four low spades are given to partner."""
    rules = make_rules("pass-4")
    suits = suits_of(parse_pbn("AKQJT9876543.A.."))
    assert [certain_with_number(suits, bid, rules) for bid in (3, 0)] == [12, 8]
    assert certain_with_number(suits, 0, CLASSIC) == 12
    held = suits_of(parse_pbn("AK.5432.432.5432"))
    assert [certain_with_nil(held, make_rules(name)) for name in ("classic", "pass-2", "pass-4")] == [2, 0, 0]


@settings(max_examples=300, deadline=None)
@given(st.integers(2, 11), st.sampled_from([(4, 0), (0,), (3, 0, 6), (0, 3, 2), (2, 2, 0)]), st.randoms())
def test_solid_spades_beside_nils(length, previous, rng):
    rest = sum(1 << card // 13 * 16 + card % 13 for card in rng.sample(range(39), 13 - length))
    hand = rest | sum(1 << 48 + rank for rank in range(13 - length, 13))
    for policy in (WINPROB, parse_policy("bis"), parse_policy("bis:tuned")):
        made = decide(Position(hand, previous, rules=Rules()), policy, committed_tables())
        partner = previous[-2] if len(previous) > 1 else 0
        assert made.bid >= min(length, 13 - partner)


def test_inputs_have_their_names(neutral):
    """The inputs are card bits by suit length, and the bids of each player."""
    x = [0.0] * CARD_INPUTS
    hand = parse_pbn(WORKED)
    card_inputs(holdings(suits_of(hand)), x)
    rules, place = SHORT, SHIPPED_SLICES[SHORT]
    scores = Standing(163, -52, 3, 8)
    auction, win = auction_after((3, 0)), win_array(place, neutral.plain)
    before = p_win_before(auction.seat, scores, place, rules, win)
    inputs = model_position(hand, auction, scores, EVERY_BID, (0, 0, 0), before, rules, neutral.plain).inputs
    assert sum(x) == 13
    assert [rank for rank in range(13) if x[rank]] == [1, 2, 3, 7, 11]  # clubs, the longest: 3 4 5 9 K
    named = dict(zip(POSITION_NAMES, inputs, strict=True))
    assert [named[f"length_{suit}"] * 6 for suit in ("longest", "middle", "shortest", "spades")] == [5, 2, 1, 5]
    assert named["top_spades"] == pytest.approx(2 / 3)
    assert [named[f"seat_{seat}"] for seat in range(4)] == [0, 0, 1, 0]
    assert (named["partner_has_bid"], named["partner_bid"], named["partner_nil"]) == (1.0, 0.6, 0.0)
    assert (named["rho_has_bid"], named["rho_bid"], named["rho_nil"]) == (1.0, 0.0, 1.0)
    assert (named["lho_has_bid"], named["lho_bid"], named["lho_nil"]) == (0.0, 0.0, 0.0)
    assert [named[f"us_to_goal{within}"] for within in ("", "_within_100", "_within_50")] == [0.37, 0.37, 0.74]
    assert [named[f"them_to_goal{within}"] for within in ("", "_within_100", "_within_50")] == [2.52, 1.0, 1.0]
    assert (named["us_bags"], named["them_bags"], named["lead"]) == (0.3, 0.8, 2.0)
    assert (named["us_to_losing"], named["them_to_losing"]) == (1.5, 0.48)
    p_win = win_probability_after(scores, 1, place, rules, win)  # the side bids first
    assert 0.5 < p_win < 1.0
    assert named["p_win_minus_p_loss_before"] == pytest.approx(p_win - (1.0 - p_win))


def test_a_bid_sees_whether_it_reaches_the_goal():
    """By hand: with a partner's bid of 4, the contracts give 40 and 70 points, and 60 are needed."""
    regular = Regular(3.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, 3.0, 3)
    nil = Nil(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.4, 0.0, 0.0, 0, True)
    auction = auction_after((4, 3))
    turn = 2, auction, 0, 0, (1, 1), START
    where = ModelPosition(*turn, regular, nil, EVERY_BID, (0, 0, 0, 0), (), 60, NO_NIL, 100, NO_NIL, 0, 70, 0, 0, 14, 0)
    for bid, past, reaches in ((0, -0.4, 0.0), (2, 0.0, 1.0), (3, 0.2, 1.0)):
        named = dict(zip(BID_NAMES[:VALUES], bid_inputs(bid, Expected(4.0, 5.0, 4, 5), where), strict=True))
        assert (named["past_goal"], named["reaches_goal"]) == (past, reaches)
    assert VALUES + len(VALUED) == BID_INPUTS  # callers write the other inputs


def test_ways_of_a_round():
    """By hand: a contract of 6 beside a nil of 100, and a later nil of 70. If it is set, it costs 60, 13 or nothing."""
    for loss in (60, 13, 0):
        with_nil = [(160, 1), (160, 3), (-40, 2), (100 - loss, 0), (-100 - loss, 2), (230, 1)]
        assert [our_points(way, 60, loss, 100, 70) for way in range(OURS)] == with_nil
        without = [(60, 0), (60, 1), (60, 2), (60, 4), (-loss, 0), (130, 1)]
        assert [our_points(way, 60, loss, NO_NIL, 70) for way in range(OURS)] == without
    assert our_points(OURS - 1, 60, 60, NO_NIL, 0) == (60, 1)  # partner has bid
    assert [their_points(way, 50, 50, NO_NIL, 0) for way in range(THEIRS)] == [
        (50, 0),
        (50, 2),
        (50, 4),
        (-50, 0),
        (50, 1),
    ]
    with_nil = [(250, 1), (-150, 3), (187, 0), (-213, 2), (320, 1)]
    assert [their_points(way, 50, 13, 200, 70) for way in range(THEIRS)] == with_nil


@pytest.mark.parametrize(
    ("seat", "points", "later"),
    [(0, 100, (70, 70)), (1, 100, (70, 70)), (2, 100, (0, 70)), (3, 100, (0, 0)), (0, 20, (0, 0))],
)
def test_who_may_bid_a_nil_later(seat, points, later):
    """In seat 2 partner has bid, an opponent has not. A nil of 20 points brings less than the bid that it replaces."""
    assert later_nils(seat, CLASSIC._replace(nil_points=points)) == later
    assert later_nils(seat, CLASSIC._replace(nil_points=points, nil=0)) == later


def test_the_arena_refuses_rules_without_a_table():
    with pytest.raises(ArenaError, match="variant is mirror with winprob; accepted: partnership, whiz"):
        run_match(Match("winprob", "bis", rules=make_rules("mirror")))


@pytest.mark.parametrize("overrides", [{"set_points": "none"}, {"bag_points": -1, "bag_penalty": 0}, {"nil": False}])
def test_who_ignores_the_rules_values_scores_as_under_classic_ones(overrides):
    """It still chooses among the bids that the rules allow."""
    rng, tables, rules = random.Random(1), committed_tables(), make_rules("classic", overrides)
    ignoring, same = parse_policy("winprob:rules=ignore"), 0
    for _ in range(40):
        hand = parse_pbn(naive.pbn_of(rng.sample(naive.DECK, 13)))
        where = Position(hand, (4, 3)[: rng.randrange(3)], Standing(rng.randrange(400), 200, 3, 0), rules)
        found = decide(where, ignoring, tables)
        plain = decide(where._replace(rules=make_rules()), WINPROB, tables)
        assert found.explanation is not None
        assert plain.explanation is not None
        told = {row["bid"]: row["p_win"] for row in found.explanation["candidates"] if row["bid"]}
        expected = {row["bid"]: row["p_win"] for row in plain.explanation["candidates"] if row["bid"]}
        assert told == pytest.approx(expected, abs=1e-6)
        assert found.bid == plain.bid or plain.bid == 0
        same += found.bid == plain.bid
    assert same > 20


@pytest.mark.parametrize("overrides", [{"double_nil_points": 0}, {"nil_points": 0}, {}])
def test_a_nil_that_is_worth_nothing_is_a_nil(overrides):
    """Two nils of the opponents and one of partner are there, whatever they are worth."""
    rules, tables = make_rules("classic", overrides), committed_tables()
    position = Position.of("KJ62.AQ3.Q42.K94", bids=(0, 4, 0), rules=rules)
    explanation = decide(position, parse_policy("winprob"), tables).explanation
    assert explanation is not None
    by_bid = {candidate["bid"]: candidate["outcomes"] for candidate in explanation["candidates"]}
    assert "opponents_nil_failed" in by_bid[3]
    assert "their-nil" in {reason["code"] for reason in explanation["reasons"]}
    beside = decide(position._replace(bids=(4, 0, 3)), parse_policy("winprob"), tables).explanation
    assert beside is not None
    by_bid = {candidate["bid"]: candidate["outcomes"] for candidate in beside["candidates"]}
    assert "nil_made" in by_bid[3]
    assert by_bid[0]["nil_made"] < by_bid[3]["nil_made"]  # both, or one


def test_after_a_pass_an_answer_states_one_chance_of_a_nil():
    """That of the success curve, which knows the cards that are kept; without a pass, the net's."""
    for preset, same in (("pass-2", True), ("pass-4", True), ("classic", False)):
        position = Position.of("965.T643.K85.A42", bids=(4,), rules=PRESETS[preset])
        explanation = decide(position, parse_policy("winprob"), committed_tables()).explanation
        assert explanation is not None
        outcomes, curve = explanation["candidates"][0]["outcomes"], explanation["nil"]["probability"]
        assert (outcomes["nil_made"] == curve) is same
        assert outcomes["nil_made"] + outcomes["nil_failed"] == pytest.approx(1.0)


def test_games_without_bags_and_with_worthless_bags_are_the_same_game():
    rng, tables, policy = random.Random(5), committed_tables(), parse_policy("winprob")
    without, worthless = PRESETS["no-bags"], make_rules("classic", {"bag_points": 0, "bag_penalty": 0})
    for _ in range(60):
        hand = parse_pbn(naive.pbn_of(rng.sample(naive.DECK, 13)))
        bids = tuple(rng.choice((2, 3, 4)) for _ in range(rng.randrange(4)))
        scores = Standing(rng.randrange(-100, 490), rng.randrange(-100, 490), 0, 0)
        found = [decide(Position(hand, bids, scores, rules), policy, tables) for rules in (without, worthless)]
        assert found[0].bid == found[1].bid
        candidates = [one.explanation["candidates"] for one in found if one.explanation is not None]
        assert candidates[0] == candidates[1]

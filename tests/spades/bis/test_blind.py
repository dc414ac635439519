"""Blind nil or look: each rule by hand on both sides of its threshold, random numbers, and a slow reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.bidding import bid_seat
from arena.engine.deal import start_round
from spades.bidder import decide_blind
from spades.bis.blind_nil import BLIND_NIL_RULES, BlindNil, decide_blind_nil
from spades.legal import BLIND_NIL
from spades.options import BIG6
from spades.policies import parse_policy
from spades.position import auction_after
from spades.random_numbers import hash_uniform
from spades.rules import make_rules
from spades.scoring import Standing
from spades.tables import SEQUENCES
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from tests.arena.engine import states
from tests.conftest import view

RULES = make_rules("blind-nil")  # goal 500, 100 behind, 200 points
BLIND = parse_policy("bis:blind=on")


def tables(worlds, p_made=0.4, **rows):
    """Tables with mean bids of 2.5 except in ``after_x_y=(..)`` rows; every blind nil succeeds with ``p_made``."""
    means = np.full((SEQUENCES, 3), 2.5)
    for name, values in rows.items():
        bids = tuple(int(bid) for bid in name.split("_")[1:])
        means[index(bids)] = values
    p_ace = np.tile(np.linspace(0.5, 0.0, 40), (4, 1))
    return worlds.plain._replace(mean_bids=view(means), blind_nil=view(np.full(SEQUENCES, p_made)), p_ace=view(p_ace))


def index(bids):
    return auction_after(bids).sequence


def ask(t, bids, us, them, rules=RULES, policy=BLIND, drawn=0.0) -> BlindNil:
    return decide_blind_nil(auction_after(tuple(bids)), Standing(us, them, 0, 0), rules, policy, drawn, t)


def said(*args, **kwargs):
    """Return (rule, whether blind nil is bid)."""
    made = ask(*args, **kwargs)
    return BLIND_NIL_RULES[made.rule], made.chosen


# ---- where it may be bid at all -------------------------------------------------------------------------------------


def test_only_where_the_rules_know_it_and_the_side_is_behind(neutral):
    t = tables(neutral)
    assert said(t, (), 350, 450) == ("despair", True)
    assert said(t, (), 351, 450) == ("not-far-behind", False)
    assert said(t, (), 351, 450, make_rules("blind-nil", {"blind_nil_deficit": 99})) == ("despair", True)
    assert said(t, (), 350, 450, make_rules("classic")) == ("against-rules", False)
    assert said(t, (), 350, 450, policy=parse_policy("bis")) == ("policy-never", False)


def test_not_for_nothing(neutral):
    assert not ask(tables(neutral), (), 0, 450, RULES._replace(blind_nil_points=0)).chosen


def test_not_beside_partners_nil_nor_where_the_team_would_be_short(neutral):
    t = tables(neutral)
    for nil in (0, BLIND_NIL):
        assert said(t, (nil, 4), 200, 450) == ("partner-nil", False)
        assert said(t, (4, nil, 4), 200, 450) == ("partner-nil", False)
        assert said(t, (nil, 4, 4), 200, 450, policy=BLIND._replace(blind_frequency=1.0)) == ("fourth-seat", True)
    short = make_rules("blind-nil", {"team_min": 4})
    assert said(t, (3, 1), 200, 470, short) == ("against-rules", False)
    assert said(t, (4, 1), 200, 470, short) == ("despair", True)


# ---- the three rules --------------------------------------------------------------------------------------------


def test_big_6_demands_it(neutral):
    t = tables(neutral, p_made=0.55)
    big6, auto, big5 = (BLIND._replace(convention=parse_policy(f"bis:convention={c}").convention) for c in
                        ("big6", "auto", "big5"))  # fmt: skip
    assert said(t, (6, 2), 0, 100, policy=big6) == ("big6", True)
    assert said(t, (2, 6, 1), 0, 100, policy=big6) == ("big6", True)
    assert ask(t, (6, 2), 0, 100, policy=big6).p_ace == 0.0  # partner shows it
    assert said(t, (5, 2), 0, 100, policy=big6) == ("look", False)
    assert said(t, (6, 2), 0, 100, policy=BLIND) == ("look", False)
    assert said(t, (6, 2), 0, 100, policy=big5) == ("look", False)
    assert said(t, (6, 2), 0, 101, policy=auto) == ("big6", True)
    assert said(t, (6, 2), 0, 100, policy=auto) == ("look", False)  # Big 5 up to 100 behind
    assert said(t, (6,), 0, 150, policy=big6) == ("look", False)  # an opponent's
    assert said(t, (6, 2), 0, 100, make_rules("jokers", {"blind_nil": True}), big6) == ("look", False)


def test_despair_when_the_opponents_reach_the_goal_with_an_easy_contract(neutral):
    t = tables(neutral, after_3_4=(2.0, 1.5, 0.0))
    # theirs 4 + 1.5, ours 3 + 2
    assert said(t, (3, 4), 300, 445) == ("despair", True)
    assert said(t, (3, 4), 300, 444) == ("look", False)
    made = ask(t, (3, 4), 300, 445)
    assert (made.projected_us, made.projected_them, made.total) == (350.0, 500.0, 10.5)


def test_despair_only_below_eleven(neutral):
    below = tables(neutral, after_3_3=(2.4, 2.5, 0.0))
    at = tables(neutral, after_3_3=(2.5, 2.5, 0.0))
    assert ask(at, (3, 3), 300, 450).total == 11.0
    assert said(at, (3, 3), 300, 450) == ("look", False)
    assert said(below, (3, 3), 300, 450) == ("despair", True)


def test_no_despair_after_a_nil_nor_where_we_win_first(neutral):
    t = tables(neutral)
    assert said(t, (0,), 200, 480) == ("look", False)
    assert said(t, (BLIND_NIL,), 200, 480) == ("look", False)
    assert ask(t, (0,), 200, 480).total == 0.0
    near = tables(neutral, after_5_1=(2.0, 2.0, 0.0))  # ours 7, theirs 3
    level = make_rules("blind-nil", {"blind_nil_deficit": 0})
    assert said(near, (5, 1), 440, 480, level) == ("despair", True)  # a level race is no win for us
    assert said(near, (5, 1), 441, 480, level) == ("look", False)


def test_the_outlook_of_every_seat(neutral):
    t = tables(neutral, after=(3.4, 3.0, 2.0), after_3=(2.9, 2.8, 2.7), after_4=(1.0, 1.5, 2.25))
    first = ask(t, (), 0, 100)  # the last seat's mean is that after our 3.4, rounded
    assert (first.projected_us, first.projected_them) == pytest.approx((54.0, 100 + 57.0))
    second = ask(t, (4,), 0, 100)
    assert (second.projected_us, second.projected_them) == pytest.approx((32.5, 100 + 55.0))
    fourth = ask(t, (1, 2, 3), 0, 100)
    assert (fourth.projected_us, fourth.projected_them, fourth.total) == (45.0, 140.0, 8.5)


def test_fourth_seat_after_a_high_sum_by_lot(neutral):
    t = tables(neutral)
    tenth = BLIND._replace(blind_frequency=0.1)
    assert said(t, (3, 3, 2), 0, 100, policy=tenth, drawn=0.0999) == ("fourth-seat", True)
    assert said(t, (3, 3, 2), 0, 100, policy=tenth, drawn=0.1) == ("fourth-seat", False)
    assert said(t, (3, 2, 2), 0, 100, policy=tenth, drawn=0.0) == ("look", False)
    assert said(t, (5, 5), 0, 100, policy=tenth, drawn=0.0) == ("look", False)
    assert said(t, (3, 3, 2), 0, 100, policy=BLIND._replace(blind_frequency=0.0), drawn=0.0) == ("look", False)
    assert said(t, (3, 3, 2), 0, 100, drawn=0.0) == ("look", False)  # the paper's BIS
    assert said(t, (3, 3, 2), 0, 100, policy=BLIND._replace(blind_frequency=1.0), drawn=1 - 2**-32)[1] is True


def test_no_rule_bids_it_under_the_floor(neutral):
    t = tables(neutral, p_made=0.4)
    above, under = BLIND._replace(blind_floor=0.4), BLIND._replace(blind_floor=0.41)
    assert said(t, (), 350, 450, policy=above) == ("despair", True)
    assert said(t, (), 350, 450, policy=under) == ("despair", False)
    assert ask(t, (), 350, 450, make_rules("nil-50", {"blind_nil": True})).expected_points == pytest.approx(-20.0)


# ---- lots -----------------------------------------------------------------------------------------------------------


def test_lots_are_even_and_follow_from_the_seed():
    drawn = [hash_uniform(seed) for seed in range(20_000)]
    assert all(0.0 <= x < 1.0 for x in drawn)
    assert drawn == [hash_uniform(seed) for seed in range(20_000)]
    counts = np.histogram(drawn, 20, (0.0, 1.0))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 43.8  # chi-squared, 19 degrees of freedom, p = .001
    assert len({hash_uniform(2**53 - 1 - n) for n in range(1000)}) > 990


# ---- against an oracle ----------------------------------------------------------------------------------------------


def oracle(bids, us, them, rules, policy, drawn, t) -> bool:
    """Decide by the rules in docs/explanation/how-bis-bids.md over lists, without the kernel's arithmetic."""
    if not policy.blind or not rules.blind_nil or us > them - rules.blind_nil_deficit:
        return False
    partner = bids[-2] if len(bids) >= 2 else None
    nils = [bid in (0, BLIND_NIL) for bid in bids]
    if partner in (0, BLIND_NIL) or (partner is not None and partner < rules.team_min):
        return False
    if t.blind_nil[index(bids)] < policy.blind_floor:
        return False
    if not any(nils):
        auction = [float(bid) for bid in bids]
        mean = t.mean_bids[index(bids), 0]
        for later in range(4 - len(bids)):
            if later < 3:
                auction.append(t.mean_bids[index(bids), later])
            else:
                auction.append(t.mean_bids[index((int(mean + 0.5),)), 2])
        me = len(bids)
        to_us = us + 10 * (auction[me] + auction[me - 2])
        to_them = them + 10 * (auction[me - 1] + auction[me - 3])
        if to_them >= rules.win and to_us <= to_them and sum(auction) < 11:
            return True
    high = len(bids) == 3 and sum(bid for bid, nil in zip(bids, nils, strict=True) if not nil) >= 8
    return high and drawn < policy.blind_frequency


@settings(max_examples=400, deadline=None)
@given(
    bids=st.lists(st.sampled_from([0, 1, 2, 3, 3, 4, 4, 5, 6, BLIND_NIL]), max_size=3).map(tuple),
    us=st.integers(-100, 480),
    ahead=st.integers(60, 300),
    team_min=st.sampled_from([0, 4]),
    drawn=st.sampled_from([0.0, 0.05, 0.5, 0.95]),
    frequency=st.sampled_from([0.0, 0.1, 0.6, 1.0]),
    floor=st.sampled_from([0.0, 0.3]),
)
def test_against_the_oracle(fitted, bids, us, ahead, team_min, drawn, frequency, floor):
    rules = make_rules("blind-nil", {"team_min": team_min})
    policy = BLIND._replace(blind_frequency=frequency, blind_floor=floor)
    t = fitted.plain
    made = ask(t, bids, us, us + ahead, rules, policy, drawn)
    assert made.chosen == oracle(bids, us, us + ahead, rules, policy, drawn, t)


# ---- in the simulator ---------------------------------------------------------------------------------------------


def bid_from(fitted, number, policy, rules=RULES, them=450):
    """Return the bid of seat 3 after 4, 4, 3 in deal ``number``, 100 points behind ``them``."""
    s = states.dealt(3, number)
    start_round(s)
    for seat, bid in enumerate((4, 4, 3)):
        s.bid[seat] = bid
    s.score[0], s.score[1] = them, them - 100
    before = states.copy(s)
    own = fitted.plain_settings._replace(rows=(tables(fitted),) * len(fitted.plain_settings.rows))
    made = bid_seat(s, 3, rules, parse_policy(policy), own)
    assert s == before  # the generator, too
    return made


def test_the_engine_bids_it_by_lots_that_follow_from_the_deal(fitted):
    half = [bid_from(fitted, number, "bis:blind=on,blind_frequency=0.5") for number in range(60)]
    assert half == [bid_from(fitted, number, "bis:blind=on,blind_frequency=0.5") for number in range(60)]
    assert 15 < half.count(BLIND_NIL) < 45
    always = [bid_from(fitted, number, "bis:blind=on,blind_frequency=1") for number in range(9)]
    assert set(always) == {BLIND_NIL}
    for policy, rules in (("bis", RULES), ("bis:blind=on,blind_frequency=1", make_rules("classic"))):
        assert BLIND_NIL not in [bid_from(fitted, number, policy, rules) for number in range(9)]


# ---- the shipped tables and the explanation -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def opened():
    return open_tables(DEFAULT_DIRECTORY)


def test_the_ace_goes_where_less_is_bid(opened):
    p_ace, blind_nil = opened.arrays["p_ace"], opened.arrays["blind_nil"]
    assert p_ace[0, 0] == pytest.approx(0.25, abs=0.001)
    assert (np.diff(p_ace, axis=1) <= 0).all()
    assert p_ace[3, 7] > 0.25 > p_ace[3, 8]  # why HIGH_SUM is 8
    assert ((blind_nil > 0) & (blind_nil < 1)).all()
    assert blind_nil[index((4, 4, 4))] > 0.5 > blind_nil[index(())] > 0.1
    assert blind_nil[index((2, 2, 2))] < blind_nil[index((3, 3, 3))]


def test_the_explanation_tells_what_the_kernel_weighed(opened):
    sets = [
        ((), 350, 450, BLIND),
        ((4, 4, 3), 120, 310, BLIND),
        ((4, 4, 3), 120, 310, BLIND._replace(blind_frequency=1.0)),
        ((4, 4, 3), 120, 310, BLIND._replace(blind_floor=0.9)),
        ((6, 3), 0, 300, BLIND._replace(convention=BIG6)),
        ((0, 4), 0, 300, BLIND),
        ((4, 0), 0, 300, BLIND),
        ((3,), 0, 20, BLIND),
        ((3,), 20, 0, BLIND),
    ]
    for bids, us, them, policy in sets:
        decision = decide_blind(bids, us, them, RULES, policy, 7, opened)
        told = decision.explanation
        assert told["sentence"].endswith("blind nil." if decision.blind_nil else "look.")
        assert told["lot"] == hash_uniform(7)
        assert decision.blind_nil == (told["lot"] < told["frequency"] and told["p_made"] >= told["floor"])
        assert told["expected_points"] == pytest.approx(200 * (2 * told["p_made"] - 1))
        assert (told["projected"] is None) == (0 in bids)
    plain = decide_blind((), 0, 300, make_rules("classic"), BLIND, 7, opened)
    assert plain.explanation == {"rule": "against-rules", "sentence": "The rules allow no blind nil here: look."}
    other = decide_blind((), 0, 300, RULES, parse_policy("rb"), 7, opened)
    assert (other.blind_nil, other.explanation["rule"]) == (False, "policy-never")

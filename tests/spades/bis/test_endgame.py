"""The end of a game: projections and each rule by hand, on both sides of every threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.bis.estimates import ACE_OF_SPADES, NOT_RULED_OUT, Nil, Regular
from spades.bis.partnership import MOST_TRICKS, RULE_NAMES, Proposal, apply_endgame, can_win, out_of_reach, project
from spades.legal import BLIND_NIL, NO_BID, allowed_bids
from spades.options import Policy
from spades.position import auction_after
from spades.rules import PARTNERSHIP, PRESETS, Rules
from spades.scoring import Standing
from spades.tables import SEQUENCES
from spades.tableset import DEFAULT_DIRECTORY
from tables.regression import sequences
from tests.conftest import view

CLASSIC = Rules()  # goal 500, nil 100, blind nil 200, penalty at 10 bags


def means(worlds, **rows):
    """Tables whose mean bids are 0 except in ``after_x_y=(..)`` rows."""
    table = np.zeros((SEQUENCES, 3))
    for name, values in rows.items():
        bids = tuple(int(bid) for bid in name.split("_")[1:])
        table[auction_after(bids).sequence] = values
    return worlds.plain._replace(mean_bids=view(table))


def after(
    t,
    bids,
    bid,
    us=0,
    them=0,
    *,
    estimate=None,
    takes=None,
    p=0.0,
    out=NOT_RULED_OUT,
    floor=0.3,
    bags=0,
    rules=CLASSIC,
    allowed=None,
    reserved=NO_BID,
):
    """Return (name of the rule or "", bid) for a bid after ``bids``; ``bid`` 0 is nil."""
    estimate = float(bid) if estimate is None else estimate
    takes = bid if takes is None else takes
    auction = auction_after(bids)
    if allowed is None:
        allowed = allowed_bids(0, auction.partner_bid, rules)
    regular = Regular(0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, estimate, takes)
    nil = Nil(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, p, 0.0, 0.0, out, False)
    proposal = Proposal(bid, takes, regular, nil, reserved)
    standing = Standing(us, them, bags, 0)
    end = apply_endgame(proposal, auction, standing, allowed, rules, Policy(nil_floor=floor), t)
    assert end.before == bid
    return RULE_NAMES[end.rule], end.bid


def projected(bids, bid, us, them, rules, t):
    return project(bid, auction_after(bids), Standing(us, them, 0, 0), rules, t)


# ---- projection ---------------------------------------------------------------------------------------------------


def test_projection_of_the_last_seat(neutral):
    t = neutral.plain
    # b0 and b2 are theirs, b1 is partner's
    assert projected((4, 3, 2), 5, 120, 95, CLASSIC, t) == (120 + 80, 95 + 60, 14.0)
    assert projected((0, 3, 2), 5, 120, 95, CLASSIC, t) == (200, 95 + 20 + 100, 10.0)
    assert projected((0, 3, BLIND_NIL), 5, 120, 95, CLASSIC, t) == (200, 95 + 300, 8.0)
    assert projected((4, 0, 2), 5, 120, 95, CLASSIC, t) == (120 + 50 + 100, 155, 11.0)
    assert projected((4, 3, 2), 0, 120, 95, CLASSIC, t) == (120 + 30 + 100, 155, 9.0)
    assert projected((4, BLIND_NIL, 2), 0, -20, 95, Rules(nil_points=50, blind_nil_points=70), t)[0] == -20 + 120


def test_projection_with_mean_bids(neutral):
    t = means(neutral, after_4=(3.5, 2.5, 3.0), after_3_4=(2.25, 1.5, 0.0), after_3_2_4=(1.75, 0.0, 0.0))
    assert projected((), 4, 10, 20, CLASSIC, t) == (10 + 65, 20 + 65, 13.0)
    assert projected((3,), 4, 10, 20, CLASSIC, t) == (10 + 55, 20 + 30 + 22.5, 10.75)
    assert projected((3, 2), 4, 10, 20, CLASSIC, t) == (10 + 70, 20 + 20 + 17.5, 10.75)
    assert projected((0, 2), 4, 10, 20, CLASSIC, t)[0] == 10 + 40 + 100


@pytest.mark.parametrize(
    ("ours", "theirs", "wins"),
    [(500, 499, True), (499.9, 0, False), (510, 505, True), (505, 510, False), (510, 510, False), (499, 300, False)],
)
def test_can_win(ours, theirs, wins):
    assert can_win(ours, theirs, 500) == wins


# ---- opponents can win --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("them", "estimate", "bid", "expected"),
    [
        (370, 4.5, 5, ("opponents-nil", 4)),  # 370 + 30 + 100 = 500
        (369, 4.5, 5, ("", 5)),
        (370, 4.4, 4, ("", 4)),  # 3.9 rounds to 4: nothing changes
        (370, 3.99, 4, ("opponents-nil", 3)),
        (370, 1.2, 1, ("", 1)),
        (370, 0.2, 1, ("", 1)),  # at least 1
    ],
)
def test_opponents_nil(neutral, them, estimate, bid, expected):
    assert after(neutral.plain, (0, 4, 3), bid, 0, them, estimate=estimate) == expected


def test_opponents_nil_comes_first(neutral):
    # total 11 and a lead under 20 would match the later rules
    assert after(neutral.plain, (0, 4, 4), 3, 420, 400, estimate=3.4)[0] in ("", "opponents-nil")
    assert after(neutral.plain, (0, 4, 4), 3, 420, 400, estimate=2.9) == ("opponents-nil", 2)
    # and our own nil stays
    assert after(neutral.plain, (0, 4, 3), 0, 0, 390, takes=2) == ("", 0)


def test_opponents_blind_nil_counts(neutral):
    assert after(neutral.plain, (BLIND_NIL, 4, 3), 3, 0, 270, estimate=2.6) == ("opponents-nil", 2)
    assert after(neutral.plain, (BLIND_NIL, 4, 3), 3, 0, 269, estimate=2.6) == ("", 3)


@pytest.mark.parametrize(
    ("bids", "bid", "them", "expected"),
    [
        ((4, 3, 3), 3, 430, ("complete-to-14", 4)),  # sum 13
        ((4, 3, 3), 3, 429, ("", 3)),  # 499: out of reach
        ((4, 1, 3), 3, 430, ("complete-to-14", 6)),  # sum 11
        ((4, 4, 3), 3, 430, ("", 3)),  # 14 stands
        ((4, 4, 4), 3, 430, ("", 3)),  # 15 too
        ((1, 9, 1), 1, 480, ("complete-to-14", 3)),
    ],
)
def test_complete_to_14(neutral, bids, bid, them, expected):
    assert after(neutral.plain, bids, bid, 0, them) == expected


def test_complete_to_14_needs_a_sum_of_11(neutral):
    # sum 10: the rules on a race are asked instead
    assert after(neutral.plain, (4, 1, 3), 2, 0, 430) == ("", 2)
    assert after(neutral.plain, (4, 1, 3), 2, 0, 430, p=0.5) == ("desperate-nil", 0)
    assert after(neutral.plain, (4, 1, 3), 3, 0, 430, p=0.5) == ("complete-to-14", 6)


def test_complete_to_14_with_mean_bids(neutral):
    t = means(neutral, after_3_4_3=(3.5, 0, 0))
    # theirs 4 + 3.5: 425 + 75 = 500; sum 13.5: half a trick is rounded up
    assert after(t, (3, 4), 3, 0, 425) == ("complete-to-14", 4)
    assert after(t, (3, 4), 3, 0, 424) == ("", 3)
    t = means(neutral, after_3_4_3=(3.75, 0, 0))
    assert after(t, (3, 4), 3, 0, 430) == ("", 3)  # sum 13.75: a quarter is no trick


def test_complete_to_14_beside_a_high_bid(neutral):
    t = means(neutral, after_10_1_1=(1.0, 0, 0))
    assert after(t, (10, 1), 1, 0, 480) == ("complete-to-14", 2)
    t = means(neutral, after_10_1_1=(0.0, 0, 0))
    assert after(t, (10, 1), 1, 0, 490) == ("complete-to-14", 3)  # 13 less partner's 10 is the most


def test_no_completion_beside_partners_nil(neutral):
    # sum 12; 361 + 20 + 100 = 481 against 500: a race, not a completion
    assert after(neutral.plain, (5, 0, 5), 2, 361, 400) == ("close-race", 4)


@pytest.mark.parametrize(
    ("us", "expected"),
    [
        (460, ("close-race", 3)),  # level at 500
        (451, ("close-race", 3)),  # 491 + 10 is ahead
        (450, ("close-race", 4)),  # 490 + 10 is only level
        (441, ("close-race", 4)),  # they lead by 19
        (440, ("", 2)),  # by 20
    ],
)
def test_close_race(neutral, us, expected):
    # sum 10; theirs 440 + 60 = 500, ours + 40
    assert after(neutral.plain, (3, 2, 3), 2, us, 440) == expected


def test_close_race_stays_within_the_limit(neutral):
    # theirs 450 + 50 = 500; ours 265 + 120 and partner's nil = 485: two more would be 14
    assert after(neutral.plain, (2, 0, 3), 12, 265, 450) == ("close-race", 13)
    assert after(neutral.plain, (2, 0, 3), 11, 275, 450) == ("close-race", 13)


@pytest.mark.parametrize(
    ("p", "out", "floor", "expected"),
    [
        (0.3, NOT_RULED_OUT, 0.3, ("desperate-nil", 0)),
        (0.29, NOT_RULED_OUT, 0.3, ("", 2)),
        (0.9, ACE_OF_SPADES, 0.3, ("", 2)),
        (0.5, NOT_RULED_OUT, 0.6, ("", 2)),
        (0.0, NOT_RULED_OUT, 0.0, ("desperate-nil", 0)),
    ],
)
def test_desperate_nil(neutral, p, out, floor, expected):
    assert after(neutral.plain, (3, 2, 3), 2, 440, 440, p=p, out=out, floor=floor) == expected


def test_desperate_nil_from_a_lead_of_20(neutral):
    assert after(neutral.plain, (3, 2, 3), 2, 440, 440, p=0.9)[0] == "desperate-nil"
    assert after(neutral.plain, (3, 2, 3), 2, 441, 440, p=0.9)[0] == "close-race"


# ---- we can win ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("us", "expected"),
    [(430, ("regular-wins-too", 3)), (429, ("", 0)), (360, ("", 0)), (359, ("", 0))],
)
def test_regular_wins_too(neutral, us, expected):
    # nil: us + 40 + 100; regular: us + 70
    assert after(neutral.plain, (3, 4, 3), 0, us, 0, takes=3) == expected


def test_regular_wins_too_in_the_last_seat_only(neutral):
    assert after(neutral.plain, (4, 3), 0, 440, 0, takes=3) == ("", 0)


def test_regular_must_stay_in_front(neutral):
    # theirs 440 + 60 = 500 too: 430 + 70 is level, no win; with the nil 570 is
    assert after(neutral.plain, (3, 4, 3), 0, 430, 440, takes=3) == ("", 0)
    assert after(neutral.plain, (3, 4, 3), 0, 431, 440, takes=3) == ("regular-wins-too", 3)


@pytest.mark.parametrize(
    ("us", "them", "bags", "bid", "expected"),
    [
        (440, 439, 7, 3, ("last-seat-one-less", 2)),  # 510 - 10 = 500, theirs 499
        (440, 439, 8, 3, ("", 3)),  # two more bags bring the penalty
        (440, 440, 7, 3, ("", 3)),  # one less is level with their 500; a lead of 10
        (441, 440, 7, 3, ("last-seat-one-less", 2)),  # 511: 501 is ahead
        (432, 431, 7, 3, ("", 3)),  # 502: 492 would not reach the goal
        (429, 0, 7, 3, ("", 3)),  # 499: out of reach
        (460, 0, 7, 1, ("", 1)),  # never less than 1
    ],
)
def test_one_less(neutral, us, them, bags, bid, expected):
    # ours + 40 + 10 x bid, theirs + 60
    assert after(neutral.plain, (3, 4, 3), bid, us, them, bags=bags) == expected


def test_one_less_without_bags_or_with_another_limit(neutral):
    bids = (3, 4, 3)
    assert after(neutral.plain, bids, 3, 440, 0, bags=9, rules=Rules(bags=0))[1] == 2
    assert after(neutral.plain, bids, 3, 440, 0, bags=2, rules=Rules(bag_limit=5))[1] == 2
    assert after(neutral.plain, bids, 3, 440, 0, bags=3, rules=Rules(bag_limit=5))[1] == 3


def test_no_trick_less_before_the_last_seat(neutral):
    t = means(neutral, after_3_4_3=(3.0, 0, 0))
    # ours 440 + 60 = 500; theirs them + 70
    for them in (0, 419, 420):
        assert after(t, (3, 4), 3, 440, them) == ("", 3)


def test_no_bid_that_partner_would_read_as_a_signal(neutral):
    t = means(neutral, after_4=(3.0, 3.0, 4.0))
    # ours 440 + 10 x bid + 30, theirs 460 + 70: the four bids sum to 14 with one trick more
    assert after(t, (), 4, 440, 460) == ("", 4)
    t = means(neutral, after_4=(3.0, 2.0, 4.0))
    assert after(t, (), 4, 440, 460) == ("complete-to-14", 5)
    assert after(t, (), 4, 440, 460, reserved=5) == ("", 4)
    assert after(t, (), 4, 440, 460, reserved=6) == ("complete-to-14", 5)


def test_nobody_near_the_goal(neutral):
    assert after(neutral.plain, (3, 4, 3), 3, 0, 0) == ("", 3)
    assert after(neutral.plain, (3, 4, 3), 3, -300, 250) == ("", 3)


# ---- rules that change what is projected, or what may be bid -------------------------------------------------------

TEN = Rules(ten_for_200=1)


def test_projection_of_a_contract_of_ten(neutral):
    t = neutral.plain
    assert projected((4, 6, 2), 4, 100, 50, TEN, t) == (100 + 200, 50 + 60, 16.0)
    assert projected((4, 6, 6), 4, 100, 50, TEN, t) == (100 + 200, 50 + 200, 20.0)
    assert projected((4, 6, 6), 3, 100, 50, TEN, t)[0] == 100 + 90
    t = means(neutral, after_6_3_4=(7.0, 0, 0))
    assert projected((6, 3), 4, 100, 50, TEN, t) == (100 + 200, 50 + 100, 20.0)  # theirs is not bid yet


def test_a_contract_of_ten_reaches_further(neutral):
    # 300 + 200 reaches the goal, eleven would not; one less would be worth 110 less
    assert after(neutral.plain, (3, 6, 3), 4, 300, 100, rules=TEN) == ("", 4)
    assert after(neutral.plain, (3, 6, 3), 5, 390, 100, rules=TEN) == ("last-seat-one-less", 4)
    assert after(neutral.plain, (3, 6, 3), 4, 300, 100) == ("", 4)
    # theirs 440 + 60 = 500, ours 295 + 90 and partner's nil = 485: 495 with one more, with a ten 595
    assert after(neutral.plain, (3, 0, 3), 9, 295, 440) == ("close-race", 11)
    assert after(neutral.plain, (3, 0, 3), 9, 295, 440, rules=TEN) == ("close-race", 10)


def test_adjusted_bids_stay_within_the_rules(neutral):
    # one less would leave the side under its minimum
    rules = Rules(team_min=7)
    assert after(neutral.plain, (3, 4, 3), 3, 440, 100, rules=rules) == ("", 3)
    assert after(neutral.plain, (3, 4, 3), 4, 440, 100, rules=rules) == ("last-seat-one-less", 3)
    assert after(neutral.plain, (3, 4, 3), 2, 440, 100, rules=Rules(min_bid=2)) == ("", 2)
    # a raise stops at the side's most
    rules = Rules(team_max=8)
    assert after(neutral.plain, (4, 1, 3), 3, 0, 430, rules=rules) == ("complete-to-14", 6)
    assert after(neutral.plain, (4, 4, 3), 1, 0, 430, rules=rules) == ("complete-to-14", 3)
    assert after(neutral.plain, (4, 6, 3), 1, 0, 430, rules=rules) == ("", 1)
    # the regular bid that wins too must be allowed; a nil bid by force stays
    assert after(neutral.plain, (3, 4, 3), 0, 440, 0, takes=3, allowed=0b11) == ("regular-wins-too", 1)
    assert after(neutral.plain, (3, 4, 3), 0, 440, 0, takes=3, allowed=0b1) == ("", 0)


@st.composite
def positions(draw):
    """Return (bids so far, bid, standing, rules): a bid that the rules allow, and scores around the goal's reach."""
    rules = draw(st.sampled_from([rules for rules in PRESETS.values() if rules.variant == PARTNERSHIP]))
    made: list[int] = []
    for seat in range(draw(st.integers(0, 3)) + 1):
        allowed = allowed_bids(0, made[seat - 2] if seat > 1 else NO_BID, rules)
        made.append(draw(st.sampled_from([bid for bid in range(14) if allowed >> bid & 1])))
    us, them = (rules.win - draw(st.integers(0, 500)) for _ in range(2))
    return tuple(made[:-1]), made[-1], Standing(us, them, draw(st.integers(0, rules.bag_limit - 1)), 0), rules


@given(positions(), st.sampled_from((0.0, 0.5)))
def test_no_rule_applies_when_no_side_can_reach_the_goal(neutral, position, p):
    bids, bid, standing, rules = position
    made = after(neutral.plain, bids, bid, *standing[:2], p=p, bags=standing.us_bags, rules=rules)
    assert made == ("", bid) or not out_of_reach(standing, rules)


# ---- what `out_of_reach` relies on ---------------------------------------------------------------------------------


def test_no_side_projects_more_tricks_than_out_of_reach_assumes():
    """`out_of_reach` relies on MOST_TRICKS: a bid and the mean bids after it stay below that number."""
    mean_bids = np.load(DEFAULT_DIRECTORY / "mean_bids.npy")
    most = 0.0
    for row, bids in enumerate(sequences()):
        if len(bids) == 1:
            most = max(most, bids[0] + mean_bids[row, 1], mean_bids[row, 0] + mean_bids[row, 2])
        elif len(bids) == 2:
            most = max(most, bids[0] + mean_bids[row, 0], bids[1] + mean_bids[row, 1])
        elif len(bids) == 3:
            most = max(most, bids[1] + mean_bids[row, 0])
    assert 0 < most <= MOST_TRICKS

"""The end of a game: the boundaries that random positions do not reach, and what `out_of_reach` relies on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.bis.estimates import NOT_RULED_OUT, Nil, Regular
from spades.bis.partnership import MOST_TRICKS, RULE_NAMES, Proposal, apply_endgame, out_of_reach, project
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


def after(t, bids, bid, us=0, them=0, *, takes=None, p=0.0, floor=0.3, bags=0, rules=CLASSIC, allowed=None):
    """Return (name of the rule or "", bid) for a bid after ``bids``; ``bid`` 0 is nil."""
    takes = bid if takes is None else takes
    auction = auction_after(bids)
    if allowed is None:
        allowed = allowed_bids(0, auction.partner_bid, rules)
    regular = Regular(0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, float(bid), takes)
    nil = Nil(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, p, 0.0, 0.0, NOT_RULED_OUT, False)
    proposal = Proposal(bid, takes, regular, nil, NO_BID)
    standing = Standing(us, them, bags, 0)
    end = apply_endgame(proposal, auction, standing, allowed, rules, Policy(nil_floor=floor), t)
    assert end.before == bid
    return RULE_NAMES[end.rule], end.bid


@pytest.mark.parametrize(
    ("bids", "bid", "projection"),
    [
        ((4, 3, 2), 5, (120 + 80, 95 + 60, 14.0)),  # the first and third bids are theirs, the second is partner's
        ((4, 3, 2), 0, (120 + 30 + 100, 95 + 60, 9.0)),
        ((0, 3, BLIND_NIL), 5, (120 + 80, 95 + 300, 8.0)),
    ],
)
def test_the_projection_in_an_explanation(neutral, bids, bid, projection):
    """The bid alone does not show a wrong one: after a nil, the regular bid decides."""
    assert project(bid, auction_after(bids), Standing(120, 95, 0, 0), CLASSIC, neutral.plain) == projection


# ---- boundaries that the positions of test_endgame_positions.py do not force ----------------------------------------


@pytest.mark.parametrize(
    ("mean", "them", "expected"),
    [
        (3.5, 425, ("complete-to-14", 4)),  # theirs 425 + 75 = 500; sum 13.5: half a trick is rounded up
        (3.5, 424, ("", 3)),
        (3.75, 430, ("", 3)),  # sum 13.75: a quarter is no trick
    ],
)
def test_complete_to_14_with_the_mean_bid_of_the_last_seat(neutral, mean, them, expected):
    mean_bids = np.zeros((SEQUENCES, 3))
    mean_bids[auction_after((3, 4, 3)).sequence, 0] = mean
    assert after(neutral.plain._replace(mean_bids=view(mean_bids)), (3, 4), 3, 0, them) == expected


@pytest.mark.parametrize(
    ("p", "floor", "expected"),
    [(0.5, 0.5, ("desperate-nil", 0)), (0.5, 0.6, ("", 2)), (0.0, 0.0, ("desperate-nil", 0))],
)
def test_the_policy_sets_the_floor_of_a_desperate_nil(neutral, p, floor, expected):
    assert after(neutral.plain, (3, 2, 3), 2, 440, 440, p=p, floor=floor) == expected


def test_regular_must_stay_in_front(neutral):
    # theirs 440 + 60 = 500 too: 430 + 70 is level, no win; with the nil 570 is
    assert after(neutral.plain, (3, 4, 3), 0, 430, 440, takes=3) == ("", 0)
    assert after(neutral.plain, (3, 4, 3), 0, 431, 440, takes=3) == ("regular-wins-too", 3)


def test_bags_that_are_not_counted_do_not_stop_one_less(neutral):
    assert after(neutral.plain, (3, 4, 3), 3, 440, 0, bags=9, rules=Rules(bags=0)) == ("last-seat-one-less", 2)


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

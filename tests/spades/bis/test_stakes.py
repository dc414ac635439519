"""How stakes and limits of the rules change a decision: by hand, on both sides of each threshold."""

from typing import Any

import pytest

from spades.bidder import decide
from spades.bis.estimates import (
    AS_COUNTED,
    BAG_PRICE,
    BAG_SLOPE,
    BY_RULES,
    FOR_TEN,
    MOST_BAG_OFFSET,
    Regular,
    bag_offset,
    number_under_rules,
    scaled_nil_threshold,
)
from spades.cards import parse_pbn
from spades.legal import BLIND_NIL, EVERY_BID, NO_BID, simplified_rules
from spades.options import Policy
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import PRESETS, Rules, make_rules
from tests.conftest import committed_tables

TEN = Rules(ten_for_200=1)
TEN_FROM = 8.75


def test_a_dearer_bag_raises_the_estimate():
    assert bag_offset(Rules()) == bag_offset(PRESETS["bis-paper"]) == 0.0  # as published
    assert bag_offset(Rules(bags=0)) == 0.0
    assert bag_offset(Rules(bag_limit=5, bag_penalty=50)) == 0.0
    assert bag_offset(Rules(bag_penalty=50)) == 0.0
    steps = [bag_offset(Rules(bag_penalty=penalty)) for penalty in (110, 111, 150, 200, 250)]
    assert steps == sorted(set(steps))
    assert bag_offset(Rules(bag_limit=5, bag_penalty=100)) == bag_offset(Rules(bag_penalty=200))
    assert bag_offset(Rules(bag_limit=1, bag_penalty=1000)) == MOST_BAG_OFFSET
    assert bag_offset(Rules(bag_penalty=200)) == pytest.approx(BAG_SLOPE * (20 - BAG_PRICE))


@pytest.mark.parametrize(
    ("stake", "threshold", "expected"),
    [(100, 25.0, 25.0), (50, 25.0, 12.5), (0, 25.0, 0.0), (200, 25.0, 25.0), (50, -60.0, -30.0)],
)
def test_the_threshold_goes_with_smaller_stakes(stake, threshold, expected):
    assert scaled_nil_threshold(threshold, 0, 30.0, Rules(nil_points=stake)) == expected


def test_a_nil_spares_the_tricks_that_the_least_bid_forces():
    rules = Rules(min_bid=3)
    assert scaled_nil_threshold(25.0, 0, 30.0, rules) == scaled_nil_threshold(25.0, -1, 30.0, rules) == 25.0
    assert scaled_nil_threshold(25.0, 2, 30.0, rules) == 25.0 - 60.0
    assert (
        scaled_nil_threshold(25.0, 2, 30.0, Rules(team_min=4)) == 25.0
    )  # there a nil is not allowed where tricks are forced


@pytest.mark.parametrize(
    ("takes", "estimate", "partner", "allowed", "rules", "expected"),
    [
        (4, 4.2, 3, EVERY_BID, Rules(), (4, AS_COUNTED)),
        (4, 4.2, NO_BID, 0b1111111, Rules(), (4, AS_COUNTED)),
        (1, 1.2, 3, 0b11111000, Rules(), (3, BY_RULES)),
        (9, 9.2, 3, 0b11111000, Rules(), (7, BY_RULES)),
        (4, 4.2, 3, 0b1, Rules(), (0, BY_RULES)),
        (4, TEN_FROM - 5, 5, EVERY_BID, TEN, (5, FOR_TEN)),
        (4, TEN_FROM - 5.01, 5, EVERY_BID, TEN, (4, AS_COUNTED)),
        (4, TEN_FROM - 5, 5, EVERY_BID, Rules(), (4, AS_COUNTED)),
        (6, 6.3, 5, EVERY_BID, TEN, (5, FOR_TEN)),  # eleven would be worth less than ten
        (5, 5.3, 5, EVERY_BID, TEN, (5, AS_COUNTED)),
        (9, 9.3, 0, EVERY_BID, TEN, (10, FOR_TEN)),
        (9, 9.3, BLIND_NIL, EVERY_BID, TEN, (10, FOR_TEN)),
        (3, 3.3, 10, EVERY_BID, TEN, (3, AS_COUNTED)),
        (6, 6.3, NO_BID, EVERY_BID, TEN, (6, AS_COUNTED)),  # the first partner doesn't know yet
        (6, 6.3, 5, 0b1001111, TEN, (6, AS_COUNTED)),  # ten is not allowed
    ],
)
def test_the_number(takes, estimate, partner, allowed, rules, expected):
    regular = Regular(0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, estimate, takes)
    assert number_under_rules(regular, partner, allowed, rules, Policy(ten_from=TEN_FROM)) == expected


@pytest.mark.parametrize(
    ("partner", "rules", "bid", "changed"),
    [
        (2, TEN, 8, []),  # ten tricks as counted: 200 points for ten, 110 for eleven
        (3, TEN, 7, ["ten-for-200"]),
        (2, Rules(), 9, ["certain-tricks"]),
        (None, TEN, 9, ["certain-tricks"]),  # the first partner doesn't know the contract yet
    ],
)
def test_certain_tricks_leave_a_contract_of_ten(partner, rules, bid, changed):
    hand = parse_pbn("AKQJT9632.T.83.T")  # nine certain tricks
    position = Position(hand, () if partner is None else (partner, 2), rules=rules)
    plain: Any = decide(position, parse_policy("bis"), committed_tables())
    offset = 8.0 - plain.explanation["regular"]["estimate"]
    made: Any = decide(position, parse_policy(f"bis:offset={offset}"), committed_tables())
    assert made.explanation["regular"]["takes"] == 8
    assert (made.bid, [step["rule"] for step in made.explanation["adjustments"]]) == (bid, changed)


def test_ignored_rules_are_classic():
    rules = make_rules("ten-for-200", {"win": 300, "lose": -200, "min_bid": 3, "nil_points": 50, "bags": False})
    assert simplified_rules(rules) == Rules(win=300, lose=-200)
    assert simplified_rules(make_rules("jokers", {"team_max": 9})) == make_rules("jokers")
    assert simplified_rules(make_rules("blind-nil", {"blind_nil_deficit": 50})) == make_rules(
        "blind-nil", {"blind_nil_deficit": 50}
    )


def test_who_ignores_the_rules_still_keeps_to_them():
    tables = committed_tables()
    hand = parse_pbn("KQ2.A43.K94.J852")  # about 3.3 tricks
    for rules, heeding, ignoring in (
        (make_rules("classic", {"min_bid": 5}), 5, 5),
        (make_rules("ten-for-200"), 4, 3),
    ):
        position = Position(hand, (3, 6, 2), rules=rules)
        assert decide(position, parse_policy("bis"), tables).bid == heeding
        assert decide(position, parse_policy("bis:rules=ignore"), tables).bid == ignoring

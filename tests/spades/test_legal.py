"""Which bids the rules allow: each rule by hand, and the kernels against a slow reference implementation."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spades.cards import parse_pbn
from spades.legal import (
    BLIND_NIL,
    EVERY_BID,
    NO_BID,
    allowed_bids,
    bid_contradictions,
    bids_between,
    contract_of,
    nearest_allowed,
    nearest_number,
    possible_bids,
)
from spades.position import allowed_at_turn, auction_after
from spades.rules import CUTTHROAT, PRESETS, describe, make_rules
from tests import naive
from tests.spades.test_rules import overrides, refused

HAND = parse_pbn("AKJ62.AQ.Q.K9543")  # five spades
NO_SPADES = parse_pbn(".AQ65.QJ82.K9543")


def bids_of(mask):
    return {bid for bid in range(14) if mask >> bid & 1}


def allowed(previous, hand=HAND, **rules):
    """Return the bids that ``rules`` (added to preset classic) allow after ``previous``."""
    return bids_of(allowed_at_turn(hand, auction_after(tuple(previous)), make_rules("classic", rules)))


def span(low, high):
    return set(range(low, high + 1))


@pytest.mark.parametrize(
    ("previous", "rules", "expected"),
    [
        ((), {}, span(0, 13)),
        ((5, 4), {}, span(0, 8)),
        ((5, 4, 2), {}, span(0, 9)),
        ((13, 0), {}, {0, 1}),  # the smallest bid is allowed beside a 13
        ((0, 3), {}, span(0, 13)),
        ((0, 3), {"double_nil": False}, span(1, 13)),
        ((3, 0), {"double_nil": False}, span(0, 10)),  # an opponent's nil is not the partner's
        ((BLIND_NIL, 3), {"double_nil": False, "blind_nil": True}, span(1, 13)),
        ((), {"min_bid": 3}, {0} | span(3, 13)),
        ((4, 4), {"min_bid": 3}, {0} | span(3, 9)),
        ((12, 0), {"min_bid": 3}, {0, 3}),
        ((), {"min_bid": 1}, span(0, 13)),
        ((), {"team_min": 4}, span(0, 13)),
        ((1, 4), {"team_min": 4}, span(3, 12)),
        ((0, 4), {"team_min": 4}, span(4, 13)),  # a nil beside a nil is not allowed either
        ((4, 4), {"team_min": 4}, span(0, 9)),
        ((3, 4), {"team_min": 4}, span(1, 10)),
        ((3,), {"team_min": 4}, span(0, 13)),
        ((), {"team_max": 9}, span(0, 8)),  # partner must be able to bid something
        ((5, 4), {"team_max": 9}, span(0, 4)),
        ((8, 4), {"team_max": 9}, {0, 1}),
        ((0, 4), {"team_max": 9}, span(0, 9)),
        ((), {"team_max": 9, "min_bid": 3}, {0} | span(3, 6)),
        ((6, 2), {"team_max": 9, "min_bid": 4}, {0}),  # no number is left
        ((6, 2), {"team_max": 9, "min_bid": 4, "team_min": 6}, {0}),
        ((), {"variant": "mirror"}, {5}),
        ((3, 2, 1), {"variant": "mirror"}, {5}),
        ((), {"variant": "whiz"}, {0, 5}),
        ((0, 3), {"variant": "whiz"}, {0, 5}),
        ((), {"variant": "whiz_strict"}, {5}),
        ((), {"variant": "suicide"}, span(0, 13)),
        ((), {"variant": "suicide", "team_min": 4}, {0} | span(4, 13)),
        ((), {"variant": "suicide", "team_max": 9}, span(0, 9)),
        ((5, 3), {"variant": "suicide"}, {0}),
        ((0, 3), {"variant": "suicide"}, span(1, 13)),
        ((0, 3), {"variant": "suicide", "team_min": 4}, span(4, 13)),
        ((4, 0), {"variant": "suicide", "min_bid": 2}, {0}),
        ((), {"variant": "cutthroat"}, span(0, 13)),
        ((0, 9, 9), {"variant": "cutthroat", "min_bid": 2}, {0} | span(2, 13)),
        ((13, 0), {"variant": "jokers"}, {0, 1}),
        ((), {"nil": False}, span(1, 13)),
        ((3, 4), {"nil": False, "min_bid": 2}, span(2, 10)),
        ((0, 4), {"variant": "cutthroat", "nil": False}, span(1, 13)),
        ((3, 2, 4), {"sum_not_13": True}, span(0, 11) - {4}),
        ((3, 2, 8), {"sum_not_13": True}, span(1, 11)),  # a nil would make it 13
        ((3, 2), {"sum_not_13": True}, span(0, 10)),  # not the last bidder
        ((3, 2, 9), {"sum_not_13": True}, span(0, 11)),
        ((2, 9, 2), {"sum_not_13": True, "team_min": 4, "nil": False}, span(1, 4)),
        ((0, 12, 0), {"sum_not_13": True, "nil": False}, {1}),  # nothing else is allowed
        ((4, 8, 0), {"sum_not_13": True, "variant": "suicide"}, {0}),
        ((4, 9, 0), {"sum_not_13": True, "variant": "suicide"}, {0}),  # nothing else is allowed
        ((4, 4, 4), {"sum_not_13": True, "variant": "cutthroat"}, span(0, 13) - {1}),
    ],
)
def test_each_rule_by_hand(previous, rules, expected):
    assert allowed(previous, **rules) == expected


@pytest.mark.parametrize("variant", ["mirror", "whiz", "whiz_strict"])
def test_no_spades_is_a_nil(variant):
    assert allowed((), NO_SPADES, variant=variant) == {0}


def supported(values):
    return not refused(describe(PRESETS["classic"]) | values)


@given(overrides().filter(supported), st.integers(0, 13), st.lists(st.integers(0, 14), max_size=3))
@example({}, 0, [13, 0])
def test_against_oracle(overrides, spades, previous):
    rules = make_rules("classic", overrides)
    hand = sum(1 << 48 + rank for rank in range(spades)) | sum(1 << rank for rank in range(13 - spades))
    found = allowed_at_turn(hand, auction_after(tuple(previous)), rules)
    assert found
    assert bids_of(found) == naive.bids_allowed_after(spades, [bid % BLIND_NIL for bid in previous], describe(rules))


def pair_possible(first, second, rules):
    """Return whether partners may bid ``first`` and then ``second`` (NO_BID: not yet) with some hands."""
    beside = NO_BID if rules.variant == CUTTHROAT else first
    return bool(possible_bids(NO_BID, rules) >> contract_of(first) & 1) and (
        second == NO_BID or bool(possible_bids(beside, rules) >> contract_of(second) & 1)
    )


@given(overrides().filter(supported), st.integers(0, 13), st.integers(0, 13))
def test_what_is_allowed_may_come_as_a_previous_bid(overrides, spades, more):
    """Two bids of partners that the rules allow are accepted as previous bids."""
    rules = make_rules("classic", overrides)
    fields = describe(rules)
    more = min(more, 13 - spades) if rules.variant in (2, 3, 4) else more
    for first in naive.bids_allowed(spades, None, fields):
        assert possible_bids(NO_BID, rules) >> first & 1
        for second in naive.bids_allowed(more, first, fields):
            assert pair_possible(first, second, rules), (first, second)


@pytest.mark.parametrize(
    ("first", "second", "rules", "expected"),
    [
        (9, 4, {}, True),
        (9, 5, {}, False),
        (13, 1, {}, True),
        (0, 0, {}, True),
        (0, BLIND_NIL, {"double_nil": False}, False),
        (3, 0, {"team_min": 4}, False),
        (4, BLIND_NIL, {"team_min": 4}, True),
        (9, NO_BID, {"team_max": 9}, False),
        (9, 9, {"variant": "cutthroat"}, True),
        (1, 3, {"variant": "cutthroat", "min_bid": 2}, False),
        (7, 6, {"variant": "mirror"}, True),
        (7, 7, {"variant": "mirror"}, False),
        (0, 0, {"variant": "suicide"}, False),
        (3, 3, {"variant": "suicide"}, False),
        (3, 0, {"variant": "suicide"}, True),
        (3, NO_BID, {"variant": "suicide", "team_min": 4}, False),
    ],
)
def test_pairs_by_hand(first, second, rules, expected):
    assert pair_possible(first, second, make_rules("classic", rules)) == expected


def test_plain_rules_allow_every_bid_before_partner_and_beside_a_nil():
    for partner in (NO_BID, 0):
        assert allowed_bids(HAND, partner, make_rules()) == EVERY_BID


@pytest.mark.parametrize(
    ("bids", "rules", "refused_at"),
    [
        ((3, 2, 4, 4), {"sum_not_13": True}, [(3,)]),
        ((3, 2, 8, 0), {"sum_not_13": True}, [(3,)]),
        ((3, 2, 8, BLIND_NIL), {"sum_not_13": True, "blind_nil": True}, [(3,)]),
        ((3, 2, 4, 5), {"sum_not_13": True}, []),
        ((3, 2, 4, 4), {}, []),
        ((3, 6, 4), {"sum_not_13": True}, []),  # only the last bidder must avoid the sum
        ((4, 9, 0, 0), {"sum_not_13": True, "variant": "suicide"}, []),  # nothing else was allowed
        ((4, 0, 4, 4), {"nil": False}, [(1,)]),
        ((8, 5, 0, 0), {"variant": "whiz", "deck": "jjdd"}, []),
        ((8, 8, 0, 1), {"variant": "whiz", "deck": "jjdd"}, [(3,)]),  # there are 16 spades
        ((8, 8, 0, 0), {"variant": "whiz", "deck": "jokers"}, [(3,)]),
    ],
)
def test_bids_that_the_rules_exclude(bids, rules, refused_at):
    assert [one.place for one in bid_contradictions(bids, make_rules("classic", rules))] == refused_at


@given(st.integers(-3, 13), st.integers(-3, 13))
def test_between(low, high):
    if low >= 0:
        assert bids_of(bids_between(low, high)) == span(low, high)


@given(st.integers(0, 13), st.sets(st.integers(0, 13), min_size=1))
def test_nearest(bid, bids):
    numbers = bids - {0}
    expected = min(numbers, key=lambda b: (abs(b - bid), b)) if numbers else 0
    assert nearest_number(bid, sum(1 << b for b in bids)) == expected


@given(st.integers(0, 13), st.integers(1, 13), st.sets(st.integers(0, 13), min_size=1))
def test_within(bid, takes, bids):
    mask = sum(1 << b for b in bids)
    found = nearest_allowed(bid, takes, mask)
    assert found in bids
    assert found == bid if bid in bids else found == nearest_number(bid or takes, mask)

"""Scoring of a round and the end of a game: published examples, cases by hand, and a slow reference."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spades.legal import BLIND_NIL, BLIND_NUMBER, NIL, bid_word, contract_of, is_nil
from spades.rules import (
    FIELDS,
    TRICKS_ARE_BAGS,
    TRICKS_ARE_NOTHING,
    TRICKS_COUNT_FOR_CONTRACT,
    Rules,
    describe,
    make_rules,
)
from spades.scoring import game_winner, nil_stake, score_seat, score_side
from tests import naive
from tests.spades.test_rules import overrides

CLASSIC = Rules()
PAPER = make_rules("bis-paper")


def test_published_examples():
    """Bids of 4 and 2, 9 tricks; 288 points and 8 bags before the round (ECAI 2020, section 2)."""
    points, bags = score_side(4, 5, 2, 4, 8, CLASSIC)
    assert (288 + points, bags) == (251, 1)  # Pagat and most apps
    points, bags = score_side(4, 5, 2, 4, 8, PAPER)
    assert (288 + points, bags) == (241, 1)  # the paper


@pytest.mark.parametrize(
    ("bid", "taken", "partner", "partner_taken", "bags", "points", "bags_after"),
    [
        (3, 3, 4, 4, 0, 70, 0),  # made exactly
        (3, 4, 4, 4, 0, 71, 1),  # one bag
        (3, 0, 4, 7, 2, 70, 2),  # partner's tricks count
        (3, 3, 4, 3, 5, -70, 5),  # set by one: no bags
        (3, 0, 4, 0, 9, -70, 9),
        (6, 7, 5, 5, 9, 110 + 1 - 100, 0),  # the tenth bag
        (1, 7, 1, 6, 9, 20 + 11 - 200, 0),  # the tenth and the twentieth
        (1, 7, 1, 5, 9, 20 + 10 - 100, 9),
        (NIL, 0, 5, 5, 0, 150, 0),
        (NIL, 0, 5, 7, 0, 152, 2),
        (NIL, 0, 5, 4, 0, 50, 0),  # the nil counts only its bidder's tricks
        (NIL, 1, 5, 5, 0, -50 + 1, 1),  # a failed nil's trick is a bag
        (NIL, 1, 5, 4, 0, -150 + 1, 1),  # and does not help partner
        (NIL, 3, 5, 5, 8, -50 + 3 - 100, 1),
        (5, 5, NIL, 1, 0, -50 + 1, 1),  # the same with partners exchanged
        (BLIND_NIL, 0, 4, 4, 0, 240, 0),
        (BLIND_NIL, 2, 4, 4, 0, -160 + 2, 2),
        (NIL, 0, NIL, 0, 3, 200, 3),  # double nil
        (NIL, 0, NIL, 4, 0, 0 + 4, 4),
        (NIL, 2, NIL, 4, 7, -200 + 6 - 100, 3),
        (BLIND_NIL, 0, NIL, 0, 0, 300, 0),
        (13, 13, NIL, 0, 0, 230, 0),
        (7, 7, 7, 6, 0, -140, 0),
    ],
)
def test_classic_by_hand(bid, taken, partner, partner_taken, bags, points, bags_after):
    assert score_side(bid, taken, partner, partner_taken, bags, CLASSIC) == (points, bags_after)
    assert score_side(partner, partner_taken, bid, taken, bags, CLASSIC) == (points, bags_after)


@pytest.mark.parametrize(
    ("option", "points", "bags_after"),
    [
        (TRICKS_ARE_BAGS, -100 - 40 + 2, 2),  # nil took 2, partner 3 of 4: set
        (TRICKS_COUNT_FOR_CONTRACT, -100 + 40 + 1, 1),  # the nil bidder's 2 tricks make the contract, with one bag
        (TRICKS_ARE_NOTHING, -100 - 40, 0),
    ],
)
def test_failed_nil_tricks_short_contract(option, points, bags_after):
    assert score_side(NIL, 2, 4, 3, 0, Rules(failed_nil_tricks=option)) == (points, bags_after)


@pytest.mark.parametrize(
    ("option", "points", "bags_after"),
    [
        (TRICKS_ARE_BAGS, -100 + 40 + 3, 3),
        (TRICKS_COUNT_FOR_CONTRACT, -100 + 40 + 3, 3),
        (TRICKS_ARE_NOTHING, -100 + 40 + 1, 1),
    ],
)
def test_failed_nil_tricks_made_contract(option, points, bags_after):
    assert score_side(NIL, 2, 4, 5, 0, Rules(failed_nil_tricks=option)) == (points, bags_after)


def test_without_bags():
    assert score_side(3, 6, 3, 5, 9, Rules(bags=0)) == (60, 9)
    assert score_side(NIL, 2, 3, 3, 0, Rules(bags=0)) == (-70, 0)


def test_another_limit_and_penalty():
    assert score_side(2, 5, 2, 4, 3, Rules(bag_limit=5, bag_penalty=50)) == (40 + 5 - 50, 3)
    assert score_side(2, 5, 2, 4, 0, Rules(bag_limit=1, bag_penalty=7)) == (40 + 5 - 35, 0)


@pytest.mark.parametrize(
    ("bid", "taken", "partner", "partner_taken", "points", "bags_after"),
    [
        (6, 6, 4, 4, 200, 0),
        (6, 8, 4, 4, 202, 2),  # more than ten tricks are bags
        (6, 5, 4, 4, -200, 0),
        (6, 6, 3, 3, 90, 0),
        (7, 7, 4, 4, 110, 0),
        (7, 7, 4, 3, -110, 0),
        (10, 10, NIL, 0, 300, 0),
        (10, 10, NIL, 1, 200 - 100 + 1, 1),
    ],
)
def test_ten_for_200(bid, taken, partner, partner_taken, points, bags_after):
    assert score_side(bid, taken, partner, partner_taken, 0, Rules(ten_for_200=1)) == (points, bags_after)


def any_rules(changed):
    """Return rules with these JSON values, each of which is accepted; together they may not be."""
    return Rules(**{name: FIELDS[name].values.number_of(value) or 0 for name, value in changed.items()})


@pytest.mark.parametrize(("kind", "points"), [("contract", -60), ("missing", -20), ("none", 0)])
def test_a_set_contract(kind, points):
    """A contract of 6 that misses two tricks; alone, one of 4 that misses one."""
    rules = make_rules("classic", {"set_points": kind})
    assert score_side(4, 3, 2, 1, 7, rules) == (points, 7)
    assert score_side(4, 4, 2, 3, 0, rules) == (61, 1)  # made as usual
    assert score_seat(4, 3, 2, rules) == ({"contract": -40, "missing": -10, "none": 0}[kind], 2)


def test_a_set_contract_of_ten():
    rules = make_rules("classic", {"set_points": "missing", "ten_for_200": True})
    assert (score_side(6, 6, 4, 2, 0, rules), score_side(6, 6, 4, 4, 0, rules)) == ((-20, 0), (200, 0))


def test_bags_that_win_or_cost_points():
    """A contract of 5 with three bags, one bag before the penalty; and without a penalty."""
    for bag_points, points in ((1, 53 - 100), (0, 50 - 100), (-1, 47 - 100)):
        assert score_side(3, 4, 2, 4, 9, make_rules("classic", {"bag_points": bag_points})) == (points, 2)
        free = make_rules("classic", {"bag_points": bag_points, "bag_penalty": 0})
        assert score_side(3, 4, 2, 4, 9, free) == (points + 100, 2)


def test_all_tricks():
    rules = make_rules("classic", {"slam_points": 150})
    assert score_side(5, 7, 4, 6, 0, rules) == (90 + 4 + 150, 4)
    assert score_side(5, 6, 4, 6, 0, rules) == (90 + 3, 3)
    assert score_side(9, 9, 4, 4, 0, rules) == (130 + 150, 0)
    assert score_side(NIL, 1, 13, 12, 0, rules) == (-100 - 130 + 150 + 1, 1)  # together all 13
    assert score_seat(6, 13, 0, rules) == (60 + 7 + 150, 7)
    assert score_side(9, 8, 4, 4, 0, rules) == (-130, 0)


@pytest.mark.parametrize(
    ("bid", "taken", "partner", "partner_taken", "points", "bags_after"),
    [
        (NIL, 0, NIL, 0, 500, 0),
        (NIL, 0, NIL, 3, -500 + 3, 3),  # one fails: both are lost
        (NIL, 2, NIL, 3, -500 + 5, 5),
        (NIL, 0, 4, 4, 140, 0),  # one nil is as usual
        (NIL, 0, BLIND_NIL, 0, 300, 0),  # beside a blind nil, each counts alone
    ],
)
def test_a_double_nil(bid, taken, partner, partner_taken, points, bags_after):
    rules = make_rules("classic", {"double_nil_points": 500})
    assert score_side(bid, taken, partner, partner_taken, 0, rules) == (points, bags_after)


def test_ten_for_200_alone():
    rules = make_rules("cutthroat", {"ten_for_200": True})
    found = score_seat(10, 11, 0, rules), score_seat(10, 9, 0, rules), score_seat(9, 9, 0, rules)
    assert found == ((201, 1), (-200, 0), (90, 0))


@pytest.mark.parametrize(
    ("bid", "taken", "partner", "partner_taken", "points", "bags_after"),
    [
        (BLIND_NUMBER + 6, 4, 1, 3, 140, 0),  # a contract of 7, for 20 a trick
        (BLIND_NUMBER + 6, 6, 2, 4, 160 + 2, 2),  # bags are worth one point each
        (BLIND_NUMBER + 6, 5, 2, 2, -160, 0),  # set
        (BLIND_NUMBER + 6, 6, NIL, 0, 120 + 100, 0),  # a nil counts once
        (BLIND_NUMBER + 6, 6, NIL, 1, 120 - 100 + 1, 1),
        (BLIND_NUMBER + 6, 5, BLIND_NIL, 0, -120 + 200, 0),
        (BLIND_NUMBER + 6, 7, BLIND_NUMBER + 6, 5, 240, 0),  # both blind: still double
        (BLIND_NUMBER + 13, 12, 0, 0, -260 + 100, 0),
    ],
)
def test_a_blind_number(bid, taken, partner, partner_taken, points, bags_after):
    rules = make_rules("classic", {"blind_min": 6})
    assert score_side(bid, taken, partner, partner_taken, 0, rules) == (points, bags_after)
    assert score_side(partner, partner_taken, bid, taken, 0, rules) == (points, bags_after)


def test_a_blind_number_with_other_rules():
    missing = make_rules("classic", {"blind_min": 6, "set_points": "missing", "ten_for_200": True})
    assert score_side(BLIND_NUMBER + 6, 4, 2, 2, 0, missing) == (-40, 0)  # two tricks missing, for double
    assert score_side(BLIND_NUMBER + 6, 6, 4, 4, 0, missing) == (400, 0)


def test_bid_helpers():
    assert [contract_of(bid) for bid in (0, 1, 13, BLIND_NIL, BLIND_NUMBER + 6, -1)] == [0, 1, 13, 0, 6, -1]
    assert [is_nil(bid) for bid in (0, 1, 13, BLIND_NIL, BLIND_NUMBER + 6, -1)] == [
        True,
        False,
        False,
        True,
        False,
        False,
    ]
    rules = Rules(nil_points=50, blind_nil_points=150)
    assert [nil_stake(bid, rules) for bid in (0, 1, 13, BLIND_NIL)] == [50, 0, 0, 150]


bids = st.integers(0, 14) | st.integers(BLIND_NUMBER + 6, BLIND_NUMBER + 13)
tricks = st.integers(0, 13).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@given(bids, bids, tricks, st.integers(0, 99), overrides())
@example(0, 0, (6, 13), 0, {"failed_nil_tricks": "contract"})
@example(6, 4, (6, 9), 0, {"ten_for_200": True})
def test_against_oracle(bid, partner, taken, bags, changed):
    own, total = taken
    rules = any_rules(changed)
    bags %= rules.bag_limit
    players = [(bid_word(b) if b > 13 else b, n) for b, n in ((bid, own), (partner, total - own))]
    assert score_side(bid, own, partner, total - own, bags, rules) == naive.score(players, bags, describe(rules))


@pytest.mark.parametrize(
    ("score", "other", "winner"),
    [
        (499, 499, 0),
        (500, 499, 1),
        (499, 500, -1),
        (500, 500, 0),  # on a tie, the game goes on
        (510, 520, -1),
        (-5000, 0, 0),  # no losing goal
    ],
)
def test_end_of_a_classic_game(score, other, winner):
    assert game_winner(score, other, CLASSIC) == winner


@pytest.mark.parametrize(
    ("score", "other", "winner"),
    [
        (199, -99, 0),
        (200, -100, 1),
        (-99, 199, 0),
        (-100, -99, -1),
        (-99, -100, 1),
        (-100, -100, 0),
        (-150, -120, -1),  # both below the losing goal: the higher score wins
        (-120, -150, 1),
        (230, 210, 1),
    ],
)
def test_end_of_a_game_of_the_paper(score, other, winner):
    assert game_winner(score, other, PAPER) == winner


@given(st.integers(-130, 230), st.integers(-130, 230), st.booleans())
def test_end_against_oracle(a, b, losing):
    rules = Rules(win=200, lose=-100) if losing else Rules(win=200)
    expected = {"a": 1, "b": -1, None: 0}[naive.winner(a, b, 200, -100 if losing else None)]
    assert game_winner(a, b, rules) == expected
    assert game_winner(b, a, rules) == -expected

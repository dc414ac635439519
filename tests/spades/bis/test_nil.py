"""The nil decision: nil value by hand, reasons that rule out a nil, curves and interpolation, the threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.bis.estimates import (
    ACE_OF_SPADES,
    FOUR_SPADES,
    GRID,
    HONOUR,
    JOKER_HONOUR,
    KING_QUEEN,
    LOW_FOUR,
    NOT_RULED_OUT,
    PARTNER_NIL,
    RULED_OUT_CODES,
    SWITCHED_OFF,
    THREE_HIGH,
    NilTerms,
    consider_nil,
    expected_contract_points,
    interpolate,
    nil_value,
    partnership_threshold,
    ruled_out,
)
from spades.cards import parse_pbn, suits_of
from spades.legal import BLIND_NIL, EVERY_BID, NO_BID
from spades.options import FULL, RAW, SINGLE
from spades.position import auction_after, read_auction
from spades.rules import Rules
from tests.conftest import view

WORKED = "AKJ62.AQ.Q.K9543"


def consider(worlds, pbn, seat=0, b0=-1, b1=-1, sequence=0, curves=RAW, threshold=25.0, honours=0, nils=1, points=100):
    auction = read_auction(seat, b0, b1, NO_BID)._replace(sequence=sequence)
    terms = NilTerms(threshold, curves, honours, nils)
    return consider_nil(suits_of(parse_pbn(pbn)), auction, terms, EVERY_BID, Rules(nil_points=points), worlds.plain)


def test_worked_hand(neutral):
    """The worked hand: cnil of Q, AQ and K9543; the nil value is 0."""
    nil = consider(neutral, WORKED)
    assert nil.spades == 0.0
    assert round(nil.hearts, 4) == 0.0084
    assert round(nil.diamonds, 4) == 0.5714
    assert round(nil.clubs, 4) == 1.0
    assert (nil.void_factor, nil.value, nil.probability, nil.expected_points) == (1.0, 0.0, 0.0, -100.0)
    assert nil.ruled_out == ACE_OF_SPADES
    assert not nil.chosen


def test_value_is_the_product_of_the_suits(neutral):
    nil = consider(neutral, "32.AQ5.T85.97432")
    assert nil.value == nil.clubs * nil.diamonds * nil.hearts * nil.spades
    assert round(nil.diamonds, 4) == 0.9206
    assert nil.void_factor == 1.0


@pytest.mark.parametrize(
    ("cells", "void", "value"),
    [
        ((0.5, 1.0, 1.0, 1.0), False, 0.5),
        ((0.5, 0.5, 0.5, 0.5), False, 0.0625),
        ((0.5, 1.0, 1.0, 1.0), True, 0.575),  # 1.15
        ((0.9, 1.0, 1.0, 1.0), True, 1.0),  # at most 1
        ((1.0, 1.0, 1.0, 1.0), True, 1.0),
        ((0.0, 1.0, 1.0, 1.0), True, 0.0),
    ],
)
def test_value_by_hand(cells, void, value):
    c, d, h, s = cells
    assert nil_value(c, d, h, s, void) == pytest.approx(value, abs=1e-15)


@pytest.mark.parametrize(
    ("pbn", "void"),
    [("32..765432.65432", 1.15), ("32.65432..765432", 1.15), ("32.65432.765432.", 1.15), (".65432.5432.5432", 1.0)],
)
def test_only_a_side_void_raises_the_value(neutral, pbn, void):
    assert consider(neutral, pbn).void_factor == void


@pytest.mark.parametrize(
    ("pbn", "honours", "reason"),
    [
        ("A.432.65432.5432", 0, ACE_OF_SPADES),
        ("A.432.65432.5432", 1, ACE_OF_SPADES),
        ("KQ.432.5432.5432", 0, KING_QUEEN),
        ("KQ.432.5432.5432", 1, KING_QUEEN),
        ("QJT.432.543.5432", 1, THREE_HIGH),
        ("JT9.432.543.5432", 0, NOT_RULED_OUT),  # three above the 9 are needed
        ("5432.32.543.5432", 1, FOUR_SPADES),
        ("432.432.543.5432", 0, NOT_RULED_OUT),
        ("K2.432.5432.5432", 0, HONOUR),
        ("K2.432.5432.5432", 1, NOT_RULED_OUT),
        ("Q32.432.543.5432", 0, HONOUR),
        ("Q32.432.543.5432", 1, NOT_RULED_OUT),
        ("J32.432.543.5432", 0, NOT_RULED_OUT),
        (".6543.6543.65432", 0, NOT_RULED_OUT),
        ("7542.A642.54.642", LOW_FOUR, NOT_RULED_OUT),
        ("QJ52.A642.54.642", LOW_FOUR, NOT_RULED_OUT),
        ("K542.A642.54.642", LOW_FOUR, FOUR_SPADES),
        ("65432.642.54.642", LOW_FOUR, FOUR_SPADES),
        ("QJT5.A642.54.642", LOW_FOUR, THREE_HIGH),
    ],
)
def test_spades_that_rule_a_nil_out(neutral, pbn, honours, reason):
    assert ruled_out(parse_pbn(pbn) >> 48, NO_BID, honours, 1, EVERY_BID) == reason
    assert ruled_out(parse_pbn(pbn) >> 48, NO_BID, honours, 0, EVERY_BID) == (
        SWITCHED_OFF if reason == NOT_RULED_OUT else reason
    )
    nil = consider(neutral, pbn, threshold=-1000.0, honours=honours)
    assert nil.chosen == (reason == NOT_RULED_OUT)
    assert nil.ruled_out == reason


@pytest.mark.parametrize(
    ("seat", "b0", "b1", "out"),
    [
        (1, 0, -1, False),  # an opponent's nil
        (2, 0, 4, True),
        (2, BLIND_NIL, 4, True),
        (2, 4, 0, False),
        (3, 0, 4, False),
        (3, 4, 0, True),
        (3, 4, BLIND_NIL, True),
        (3, 4, 4, False),
    ],
)
def test_partners_nil_rules_it_out(seat, b0, b1, out):
    partner_bid = read_auction(seat, b0, b1, 4).partner_bid
    reason = ruled_out(parse_pbn("432.432.543.5432") >> 48, partner_bid, 0, 1, EVERY_BID)
    assert reason == (PARTNER_NIL if out else NOT_RULED_OUT)


def test_four_low_spades_count_as_the_three_highest(neutral):
    four, three = (consider(neutral, pbn, honours=LOW_FOUR) for pbn in ("7542.A642.54.642", "754.A642.54.6432"))
    assert four.spades == three.spades > 0
    assert consider(neutral, "7542.A642.54.642", honours=1).spades == 0


def test_each_reason_has_a_code():
    assert len(set(RULED_OUT_CODES)) == JOKER_HONOUR + 1
    assert RULED_OUT_CODES[NOT_RULED_OUT] == ""
    assert RULED_OUT_CODES[ACE_OF_SPADES] == "ace-of-spades"


def test_interpolation_by_hand():
    curve = np.zeros((2, GRID + 1))
    curve[1] = np.linspace(0, 1, GRID + 1) ** 2
    cells = view(curve)
    assert interpolate(cells, 0, 0.37) == 0.0
    assert interpolate(cells, 1, 0.0) == 0.0
    assert interpolate(cells, 1, 1.0) == 1.0
    assert interpolate(cells, 1, 0.5) == pytest.approx(0.25)
    # between .20 and .21: .04 + .6 x (.0441 - .04)
    assert interpolate(cells, 1, 0.206) == pytest.approx(0.04246)


@given(st.floats(0, 1))
def test_interpolation_against_numpy(x):
    rng = np.random.default_rng(1)
    curve = np.sort(rng.random((1, GRID + 1)))
    expected = np.interp(x, np.linspace(0, 1, GRID + 1), curve[0])
    assert interpolate(view(curve), 0, x) == pytest.approx(expected, abs=1e-12)


def test_which_curve(fitted):
    pbn = "32.AQ5.T85.97432"
    value = consider(fitted, pbn).value
    assert 0 < value < 1
    assert consider(fitted, pbn, curves=RAW).probability == value
    single = consider(fitted, pbn, curves=SINGLE, sequence=77).probability
    assert single == interpolate(fitted.plain.single_curve, 0, value)
    for sequence in (0, 58, 2954):
        full = consider(fitted, pbn, curves=FULL, sequence=sequence).probability
        assert full == interpolate(fitted.plain.curves, sequence, value)
        assert full != single


@pytest.mark.parametrize(
    ("points", "threshold", "chosen"),
    [(100, 25.0, True), (100, 99.0, True), (100, 100.0, False), (50, 49.0, True), (50, 50.0, False), (0, -1.0, True)],
)
def test_threshold_must_be_passed(neutral, points, threshold, chosen):
    """A certain nil is worth all its points; expected points equal to the threshold are not enough."""
    nil = consider(neutral, "432.432.543.5432", threshold=threshold, points=points)
    assert nil.value == 1.0
    assert nil.expected_points == points
    assert nil.threshold == threshold
    assert nil.chosen == chosen


def test_partnership_threshold_by_hand(fitted):
    """BIS*: the value of the side's contract with our tricks, less the value of partner's contract beside a nil."""
    made = np.full((2, 27), 0.5)
    made[0, 7], made[1, 4] = 0.8, 0.9
    means = np.zeros((2955, 3))
    means[0] = (9.0, 9.0, 3.5)
    t = fitted.plain._replace(contract_made=view(made), mean_bids=view(means))
    assert expected_contract_points(7, 0, t) == pytest.approx(70 * 0.8 - 70 * 0.2)
    assert expected_contract_points(0, 1, t) == 0.0
    # 7 tricks together: 42; partner's 4 alone: 40 x (.9 - .1) = 32
    assert partnership_threshold(3, auction_after((4, 3)), t) == pytest.approx(10.0)
    # partner has not bid yet: their mean bid of 3.5 counts as 4
    assert partnership_threshold(3, auction_after(()), t) == pytest.approx(10.0)
    assert partnership_threshold(7, auction_after((BLIND_NIL, 4)), t) == pytest.approx(42.0)


def test_expected_points_are_of_both_outcomes(neutral):
    nil = consider(neutral, "32.AQ5.T85.97432", points=80)
    p = nil.probability
    assert nil.expected_points == pytest.approx(80 * p - 80 * (1 - p))

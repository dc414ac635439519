"""Jus144tice: bids computed by hand from the rules of the source."""

import pytest

from arena.public.jus144tice import jus144tice
from spades.cards import parse_pbn
from spades.position import auction_after
from spades.rules import Rules
from spades.scoring import Standing

THREE = "AKQ.5432.432.432"  # 2.6 tricks


def bid_of(pbn, bids=(), us=0, them=0, us_bags=0, them_bags=0):
    return jus144tice(parse_pbn(pbn), auction_after(bids), Standing(us, them, us_bags, them_bags), Rules())


@pytest.mark.parametrize(
    ("pbn", "bid"),
    [
        (THREE, 3),
        ("AKJT2.AKQ2.K32.2", 7),  # 1 + .9 + .5 + .3 + .4, AKQ 2.3, K of three .45, ruff .7
        ("5432.KQ.K432.432", 1),  # KQ .55, K of four .35, ruff .4
        ("5432.K.KQ5432.Q2", 2),  # K alone .35, KQ of six .45, ruffs .7 and .4
        ("65432.A5432.Q32.", 3),  # length .4, A 1, Q .2, void 1.4
        ("32.AK5432.Q5432.", 3),  # AK 1.8, Q .2, void with two spades 1.1
        ("2.AK65432.Q5432.", 3),  # AK 1.8, Q .2, void with one spade .8
        ("AJ.K2.Q65432.432", 2),  # A 1, K of two .35, Q .2
        ("KQJ.5432.Q32.432", 2),  # .9 + .7 + .3, Q .2
    ],
)
def test_estimate(pbn, bid):
    assert bid_of(pbn) == bid


def test_partner_counts():
    assert bid_of(THREE, (1, 3)) == 2  # beside a 1: 2.3
    assert bid_of(THREE, (7, 1)) == 3
    assert bid_of(THREE, (8, 1)) == 2  # together over ten
    assert bid_of(THREE, (0, 3)) == bid_of(THREE, (14, 3)) == 4  # one more beside a nil
    assert bid_of("J32.Q432.Q432.32", (0, 3)) == 4  # .8, but at least three and one more


@pytest.mark.parametrize(
    ("pbn", "alone", "beside_three"),
    [
        ("432.5432.5432.32", 0, 0),
        ("432.K432.5432.32", 1, 0),  # a high card needs partner's three
        ("432.K2.65432.432", 1, 1),  # a king needs three cards
        ("32.A5432.5432.32", 1, 0),
        ("32.A432.65432.32", 1, 1),  # an ace needs five cards, four of them low
        ("Q2.65432.5432.32", 1, 1),  # the queen of spades
        ("J32.5432.5432.32", 1, 1),  # a jack of three spades
    ],
)
def test_nil(pbn, alone, beside_three):
    assert (bid_of(pbn), bid_of(pbn, (3, 3))) == (alone, beside_three)


def test_fourth_bidder_leaves_free_tricks():
    assert bid_of(THREE, (3, 3, 3)) == 2  # 4 left: fewer, but no less than the hand is worth
    assert bid_of(THREE, (2, 2, 2)) == 3  # 7 left, 4 free
    assert bid_of(THREE, (2, 2, 2), us_bags=5) == 4  # near the penalty: 3 free
    assert bid_of(THREE, (1, 2, 1)) == 4  # 9 left: more, but no more than the hand is worth
    assert bid_of("43.76543.K4.7532", (4, 4, 3)) == 0  # 2 left: nil instead of one
    assert bid_of("43.76543.K4.7532", (3, 4, 3)) == 1


def test_opponents_about_to_win():
    assert bid_of(THREE, (4, 5), them=450) == 3  # to set them takes 5, too many
    assert bid_of(THREE, (4, 5), them=450, them_bags=7) == 2  # let them take bags
    assert bid_of(THREE, (5, 6), them=450) == 4  # to set them takes 3; one more is possible
    assert bid_of(THREE, (5, 6), us=450, them=450) == 3  # we win as well
    assert bid_of("Q2.K5432.5432.32", (3, 5), them=450) == 0  # a risky nil
    assert bid_of("Q2.K5432.5432.32", (3, 5)) == 1
    assert bid_of("Q2.K5432.5432.32", (5,), them=450) == 1  # not without partner's three


def test_behind():
    assert bid_of(THREE, (5, 5), them=100) == 4  # one more sets them
    assert bid_of(THREE, (5, 5), them=40) == 3
    assert bid_of(THREE, (4, 5), them=100) == 3  # two more would be needed

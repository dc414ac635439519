"""Cards With Cats: bids computed by hand from the rules of the source."""

import pytest

from arena.public.cards_with_cats import cards_with_cats
from spades.cards import parse_pbn
from spades.position import auction_after


def bid_of(pbn, bids=()):
    return cards_with_cats(parse_pbn(pbn), auction_after(bids))


@pytest.mark.parametrize(
    ("pbn", "bid"),
    [
        ("AKQ.5432.432.432", 3),
        ("KJ2.AQ2.K432.432", 3),  # spades .6 + .2 + 0, AQ 1.7, K of four .54
        ("KJ32.AQ2.K43.432", 4),  # the fourth spade is a trick: 1.8, AQ 1.7, K .6
        ("5432.A.K.8765432", 3),  # spades 1, A 1, K alone .6
        ("5432.Q.AQ65432.J", 2),  # spades 1, Q alone .2, AQ of seven 1.02
        ("5432.AK2.KQ2.QJ2", 4),  # spades 1, AK 2, KQ 1.1, Q .3
        ("5432.AJ2.KJ2.K32", 4),  # spades 1, AJ 1.3, KJ .8, K .6
        ("5432.AK65432.2.2", 2),  # spades 1, AK of seven 1.2
    ],
)
def test_estimate(pbn, bid):
    assert bid_of(pbn) == bid


@pytest.mark.parametrize(
    ("pbn", "bid"),
    [
        ("T32.K432.976.543", 0),
        ("T32.K43.9765.543", 1),  # a king needs four cards
        ("J32.K432.976.543", 1),  # a spade over the ten
        ("5432.K432.976.54", 2),  # four spades: 1, K .54
        ("T32.KJ432.976.54", 0),
        ("T32.KJ32.9765.54", 1),  # two high cards need five
        ("T32.A5432.976.54", 0),
        ("T32.A432.9765.54", 1),  # an ace needs five
        ("T32.KT98.9765.54", 1),  # a mean rank of ten
        ("T32.KT54.9765.54", 1),  # a mean rank of eight
        ("T32.T97.5432.432", 0),  # not safe, but no tricks at all
        ("J32.5432.543.432", 1),  # no tricks, but a spade over the ten
    ],
)
def test_nil(pbn, bid):
    assert bid_of(pbn) == bid
    assert bid_of(pbn, (0, 4)) == bid  # beside partner's nil as well


def test_fourth_bidder_bids_free_tricks():
    three = "AKQ.5432.432.432"
    assert bid_of(three, (3, 3, 2)) == 3  # 2 free
    assert bid_of(three, (3, 2, 2)) == 4  # 3 free
    assert bid_of(three, (2, 2, 2)) == 5  # 4 free
    assert bid_of(three, (14, 2, 2)) == 5  # 6 free
    assert bid_of(three, (2, 2)) == 3  # not the last
    assert bid_of("T32.K432.976.543", (1, 1, 1)) == 0

"""Trickster: bids computed by hand from the rules of the source."""

import pytest

from arena.public.trickster import trickster
from spades.cards import parse_pbn
from spades.position import auction_after
from spades.rules import Rules


def bid_of(pbn, bids=(), **rules):
    return trickster(parse_pbn(pbn), auction_after(bids), Rules(**rules))


@pytest.mark.parametrize(
    ("pbn", "bid"),
    [
        ("AKQ.5432.432.432", 3),
        ("5432.AK432.A432.", 5),  # a void ruffs twice, three high cards
        ("Q32.K5432.AQ2.32", 3),  # the queen has two spades below it: 1, K 1, A 1, Q .5, doubleton .25
        ("Q2.A5432.K43.J32", 2),  # a queen with one spade below it: .75, A 1, K 1
        ("J2.A5432.K43.J32", 2),  # a jack with one: .25
        ("432.AK65432.32.2", 2),  # long suit: A .5, K .25; doubleton .25, singleton 1
        ("5432.Q32.Q5432.2", 1),  # Q of three .5, Q of five 0, singleton 1
        ("5432.K.Q65432.32", 1),  # K alone 0, singleton 1, doubleton .25
        ("AKQJ.65432.32.32", 4),  # 3.5 spades do not ruff: 4 count, and .5
        ("AKQJT.5432.32.32", 4),  # 4.5 spades do not ruff: 4 count, and .5
        ("2.65432.765432.2", 1),  # one spade ruffs once for a singleton
    ],
)
def test_estimate(pbn, bid):
    assert bid_of(pbn) == bid


@pytest.mark.parametrize(
    ("pbn", "nil"),
    [
        ("432.Q5432.432.32", True),
        ("Q2.5432.5432.432", True),  # .75
        ("Q.5432.5432.5432", False),  # the queen is bare
        ("K2.5432.5432.432", False),  # a trick
        ("5432.5432.432.32", False),  # four spades
        ("32.A765432.432.2", False),  # an ace
    ],
)
def test_nil(pbn, nil):
    assert bid_of(pbn) == (0 if nil else 1)
    assert bid_of(pbn, (4, 4)) == (0 if nil else 1)
    assert bid_of(pbn, (0, 4)) == bid_of(pbn, (14, 4)) == 1  # not beside partner's nil


def test_no_more_than_partner_leaves():
    strong = "AKQJ.AKQ.AKQ.432"
    assert bid_of(strong) == 9
    assert bid_of(strong, (8, 1)) == 5
    assert bid_of(strong, (8, 1), ten_for_200=1) == 2
    assert bid_of(strong, (13, 0)) == 1

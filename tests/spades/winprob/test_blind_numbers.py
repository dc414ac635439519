"""Bids beside blind numbers: they are legal, all are valued, and the contracts are the real ones."""

import random

import pytest

from spades.bidder import decide
from spades.cards import DECK, cards_of
from spades.legal import BLIND_NUMBER
from spades.policies import parse_policy
from spades.position import Position, allowed_at_turn, auction_after
from spades.rules import make_rules
from spades.scoring import Standing
from tests.conftest import committed_tables

WINPROB = parse_policy("winprob")


def decided(bids, rules, hand=None):
    dealt = hand or sum(1 << card for card in random.Random(5).sample(cards_of(DECK), 13))
    return decide(Position(dealt, bids, Standing(300, 100, 0, 0), rules), WINPROB, committed_tables())


def opponents_contract(found):
    (chosen,) = (one for one in found.explanation["candidates"] if one["bid"] == found.bid)
    return chosen["opponents_contract"]


@pytest.mark.parametrize("seed", range(60))
def test_every_allowed_bid_is_valued_and_one_of_them_is_bid(seed):
    rng = random.Random(seed)
    fields = {"blind_min": 6, "min_bid": rng.choice((0, 1, 3, 4, 5, 6)), "nil": rng.random() < 0.7}
    rules = make_rules("classic", fields)
    bids: tuple[int, ...] = ()
    for _ in range(rng.randint(1, 3)):
        numbers = [bid for bid in range(1, 14) if allowed_at_turn(0, auction_after(bids), rules) >> bid & 1]
        blind = [bid + BLIND_NUMBER for bid in numbers if bid >= 6]
        bids += (rng.choice(blind if blind and rng.random() < 0.7 else numbers),)
    hand = sum(1 << card for card in rng.sample(cards_of(DECK), 13))
    found = decided(bids, rules, hand)
    allowed = allowed_at_turn(hand, auction_after(bids), rules)
    assert [one["bid"] for one in found.explanation["candidates"]] == [bid for bid in range(14) if allowed >> bid & 1]
    assert allowed >> found.bid & 1


@pytest.mark.parametrize("before", [(), (3,)], ids=["left", "right"])
def test_the_contract_of_opponents_has_the_blind_number(before):
    rules = make_rules("classic", {"blind_min": 6})
    contracts = []
    for number in (6, 8, 10, 13):
        found = decided((*before, BLIND_NUMBER + number), rules)
        contracts.append(opponents_contract(found))
        assert contracts[-1] >= min(13, number + 1)
    assert contracts == sorted(contracts)


def test_opponents_with_more_than_thirteen_tricks_have_bid_no_nil():
    for last in (4, 5, 6):
        rules = make_rules("classic", {"blind_min": 6, "min_bid": last})
        found = decided((BLIND_NUMBER + 13, last, last), rules)
        assert "their-nil" not in {reason["code"] for reason in found.explanation["reasons"]}
        assert opponents_contract(found) >= 13

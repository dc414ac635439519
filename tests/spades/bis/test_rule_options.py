"""The rule options of the report, and the bids of a bidder that ignores the rules."""

import random

import pytest

from report.rule_options import OPTIONS
from spades.bidder import decide
from spades.cards import parse_pbn
from spades.legal import allowed_bids
from spades.policies import parse_policy
from spades.position import Position, auction_after
from spades.rules import Rules, make_rules
from spades.scoring import Standing
from tests import naive
from tests.conftest import committed_tables

LONG: dict[str, object] = {"win": 500, "lose": None}
SHORT: dict[str, object] = {"win": 200, "lose": -100}
# In sections of their own, or without effect on the bids of `bis`.
ELSEWHERE = {"win", "lose", "blind_nil", "blind_nil_points", "blind_nil_deficit", "variant", "deck"}
ELSEWHERE |= {"blind_nil_pass", "nil_passes_first"}
ELSEWHERE |= {"nil", "bag_points", "set_points", "slam_points", "double_nil_points"}
ELSEWHERE |= {"sum_not_13", "spades_lead", "first_lead", "first_trick_spades", "blind_min"}


def test_every_field_has_a_row():
    assert {field for fields in OPTIONS.values() for field in fields} == set(Rules._fields) - ELSEWHERE
    for fields in OPTIONS.values():
        assert make_rules("classic", fields | SHORT) == make_rules("bis-paper", {"bag_penalty": 100, **fields})
        assert make_rules("classic", fields | LONG) == make_rules("classic", fields) != make_rules()


@pytest.mark.parametrize("name", OPTIONS)
def test_who_ignores_the_rules_bids_as_under_classic_ones(name):
    tables, rng, rules = committed_tables(), random.Random(name), make_rules("classic", OPTIONS[name] | LONG)
    heeding, ignoring = parse_policy("bis"), parse_policy("bis:rules=ignore")
    for _ in range(60):
        hand = parse_pbn(naive.pbn_of(rng.sample(naive.DECK, 13)))
        bids = tuple(rng.choice((4, 4, 5)) for _ in range(rng.randrange(3)))
        position = Position(
            hand, bids, Standing(rng.randrange(-100, 480), rng.randrange(-100, 480), rng.randrange(3), 0), rules
        )
        found = decide(position, ignoring, tables, explain=False).bid
        plain = decide(position._replace(rules=make_rules()), heeding, tables, explain=False).bid
        allowed = allowed_bids(hand, auction_after(bids).partner_bid, rules)
        assert allowed >> found & 1
        assert found == plain or not allowed >> plain & 1

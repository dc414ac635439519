"""Explanations: a reader can redo the bid by hand from the numbers, and the sentence states the decision."""

import json
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.bidder import decide
from spades.bis.partnership import RULE_NAMES
from spades.cards import parse_pbn
from spades.manifest import Manifest
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import make_rules
from spades.scoring import Standing
from spades.tableset import TableSet
from tests import naive

WORKED = "AKJ62.AQ.Q.K9543"
LOW = "432.5432.5432.32"

hands = st.permutations(naive.DECK).map(lambda deck: naive.pbn_of(deck[:13]))
low_hands = st.permutations([c for c in naive.DECK if c[0] in "23456789T"]).map(lambda deck: naive.pbn_of(deck[:13]))
bids = st.lists(st.sampled_from((0, 1, 2, 3, 4, 5)), max_size=3).map(tuple)


def table_set_of(worlds):
    manifest = Manifest("test+0", "test", "0", MappingProxyType({}), MappingProxyType({}))
    return TableSet(Path(), manifest, MappingProxyType({}), worlds.plain_settings.rows, (worlds.arrays,))


def explained(worlds, pbn, previous=(), us=0, them=0, bags=0, policy="bis", legal=None, rules="classic"):
    position = Position(parse_pbn(pbn), previous, Standing(us, them, bags, 0), make_rules(rules))
    return decide(position, parse_policy(policy), table_set_of(worlds), legal)


def test_worked_hand(neutral):
    """Every number of the worked hand in docs/explanation/how-bis-bids.md, in the contract's fields."""
    told = explained(neutral, WORKED).explanation
    regular = told["regular"]
    assert {suit: round(value, 4) for suit, value in regular["side_high"].items()} == {"H": 0.9908, "D": 0, "C": 0.6767}
    assert (regular["spade_high"], regular["spade_long"]) == (2.0, 0.0)
    assert round(regular["ruffs"], 4) == 2.3034
    assert (regular["previous_bids_factor"], regular["takes"]) == (0.0, 6)
    assert round(regular["estimate"], 3) == 5.971
    nil = told["nil"]
    assert {suit: round(value, 4) for suit, value in nil["cnil"].items()} == {
        "S": 0.0,
        "H": 0.0084,
        "D": 0.5714,
        "C": 1.0,
    }
    assert (nil["void_factor"], nil["value"], nil["chosen"]) == (1.0, 0.0, False)
    assert nil["ruled_out"] == "ace of spades"
    assert told["adjustments"] == []
    assert told["reasons"] == [
        {"code": "bid", "bid": 6},
        {"code": "tricks", "tricks": 6},
        {"code": "no-nil-ace-of-spades"},
    ]
    assert told["sentence"] == (
        "Bid 6. Your cards should win about 6 of the 13 tricks. No nil: the ace of spades always wins a trick."
    )


def test_sentence_of_a_nil(neutral):
    told = explained(neutral, LOW).explanation
    assert told["nil"]["ruled_out"] is None
    assert told["sentence"] == (
        "Bid nil. Your cards should win about 0.6 of the 13 tricks. "
        "A nil succeeds 100% of the time and is worth 100 points on average; 25 would be enough."
    )


def test_an_adjustment_is_told(neutral):
    told = explained(neutral, "K32.432.A432.432", (4, 3, 3), 0, 430).explanation
    (change,) = told["adjustments"]
    assert change["rule"] == "complete-to-14"
    assert change["after"] == 4
    assert change["projected"]["them"] == 500
    assert change["projected"]["mean_bids"] == []  # all others have bid
    assert change["why"] in told["sentence"]
    assert told["sentence"].startswith("Bid 4. ")
    assert {"code": "would-lose", "other": 2, "score": 50, "their_score": 500, "goal": 500} in told["reasons"]


def test_mean_bids_are_told(neutral):
    told = explained(neutral, "K32.432.A432.432", (10, 1), 0, 490).explanation
    projected = told["adjustments"][0]["projected"]
    before = told["adjustments"][0]["before"]
    assert len(projected["mean_bids"]) == 1
    assert projected["sum_of_bids"] == pytest.approx(11 + before + projected["mean_bids"][0])


def test_what_the_rules_force_is_told(neutral):
    low_ace = "A92.943.864.8532"
    told = explained(neutral, low_ace, (0, 3), rules="board-4").explanation
    takes = told["regular"]["takes"]
    why = f"The rules do not allow {takes} here; this is the nearest bid."
    assert told["adjustments"] == [{"rule": "table-rules", "before": takes, "after": 4, "why": why}]
    assert told["sentence"].startswith("Bid 4. ")
    assert f" {why} Partner bid nil, so your 4 is the whole contract. No nil beside " in told["sentence"]
    told = explained(neutral, LOW, (1, 3), rules="board-4").explanation
    assert told["nil"]["ruled_out"] == "the rules allow no nil here"
    assert [(step["before"], step["after"]) for step in told["adjustments"]] == [(1, 3)]
    assert told["reasons"][-1] == {"code": "no-nil-rules"}


def test_a_completed_ten_is_told(neutral):
    told = explained(neutral, WORKED, (5, 3), rules="ten-for-200").explanation
    assert [(step["rule"], step["before"], step["after"]) for step in told["adjustments"]] == [("ten-for-200", 6, 5)]
    assert [reason["code"] for reason in told["reasons"][2:4]] == ["ten-for-200", "partner-bid"]
    assert told["sentence"].startswith("Bid 5. ")


def test_no_step_where_the_nil_goes_first(neutral):
    told = explained(neutral, LOW, (8, 3), rules="ten-for-200").explanation
    assert (told["nil"]["chosen"], told["adjustments"]) == (True, [])


def test_a_bid_that_is_not_legal_is_told(neutral):
    told = explained(neutral, WORKED, legal=(1, 2, 3)).explanation
    why = "6 is not one of the legal bids; this is the nearest."
    assert told["adjustments"] == [{"rule": "legal-bids", "before": 6, "after": 3, "why": why}]
    assert told["reasons"][2] == {"code": "not-legal", "other": 6}


def test_where_only_a_nil_is_allowed_the_legal_bids_are_near_the_takes(neutral):
    told = explained(neutral, WORKED, (4, 4), legal=(1, 2, 5), rules="suicide")
    assert told.bid == 5
    steps = [(step["rule"], step["before"], step["after"]) for step in told.explanation["adjustments"]]
    assert steps == [("suicide", 6, 0), ("legal-bids", 0, 5)]
    assert [reason["code"] for reason in told.explanation["reasons"][2:4]] == ["suicide", "nil-not-legal"]


def test_ignored_rules_are_not_told_as_legal_bids(neutral):
    told = explained(neutral, LOW, (1, 3), rules="board-4", policy="bis:rules=ignore")
    steps = [(step["rule"], step["before"], step["after"]) for step in told.explanation["adjustments"]]
    assert (told.bid, steps) == (3, [("table-rules", 0, 3)])


@pytest.mark.parametrize(("previous", "left"), [((), None), ((9, 1), 4), ((12, 1), 1), ((13, 0), 0)])
def test_what_limits_the_number_is_told(neutral, previous, left):
    told = explained(neutral, WORKED, previous).explanation["reasons"]
    limits = [reason["tricks"] for reason in told if reason["code"] == "tricks-left"]
    assert limits == ([] if left is None else [left])


def test_a_hand_below_one_trick(neutral):
    told = explained(neutral, "A32.5432.432.432", (6, 3), policy="bis:offset=-1")
    codes = [reason["code"] for reason in told.explanation["reasons"]]
    assert (told.bid, codes[:4]) == (1, ["bid", "hardly-a-trick", "at-least-one", "partner-bid"])


@pytest.mark.parametrize("policy", ["rb", "ms", "io"])
def test_baselines(fitted, policy):
    made = explained(fitted, WORKED, policy=policy)
    regular = made.explanation["regular"]
    assert sum(regular["suits"].values()) + regular["shape"] == pytest.approx(regular["estimate"])
    assert regular["takes"] == made.bid
    assert made.explanation["sentence"].startswith(f"Bid {made.bid}. By a simple count your cards win ")


def test_baselines_nil(neutral):
    told = explained(neutral, LOW, policy="rb:nil=5-8-T").explanation
    assert told["nil"] == {
        "chosen": True,
        "rule": "in each suit the three lowest cards at most 5, 8, T; at most 3 spades; partner not nil",
    }
    assert told["sentence"].endswith(" Your cards are low enough for a nil by a simple rule.")


def test_a_seat_without_partner_for_a_bidder_with_one(fitted):
    told = explained(fitted, WORKED, (9, 2), policy="rb", rules="cutthroat").explanation
    assert [reason["code"] for reason in told["reasons"][-2:]] == ["opposite-as-partner", "partner-bid"]


@settings(deadline=None)
@given(hands | low_hands, bids, st.integers(-50, 210), st.integers(-50, 210), st.integers(0, 9))
def test_the_bid_can_be_redone(fitted, pbn, previous, us, them, bags):
    made = explained(fitted, pbn, previous, us, them, bags, rules="bis-paper")
    told = made.explanation
    regular, nil = told["regular"], told["nil"]
    parts = [*regular["side_high"].values(), regular["spade_high"], regular["spade_long"], regular["ruffs"]]
    estimate = sum(parts) + regular["previous_bids_factor"] + regular["offset"]
    assert estimate == pytest.approx(regular["estimate"], abs=1e-9)
    partner = previous[len(previous) - 2] if len(previous) >= 2 else 0
    if abs(estimate % 1 - 0.5) > 1e-6:
        assert regular["takes"] == max(1, min(13 - partner, int(max(0, estimate) + 0.5)))
    value = 1.0
    for cell in nil["cnil"].values():
        value *= cell
    assert nil["value"] == pytest.approx(min(1, value * nil["void_factor"]))
    assert nil["expected_points"] == pytest.approx(100 * (2 * nil["probability"] - 1))
    assert nil["chosen"] == (nil["ruled_out"] is None and nil["expected_points"] > nil["threshold"])
    bid = 0 if nil["chosen"] else regular["takes"]
    for change in told["adjustments"]:
        assert change["rule"] in RULE_NAMES
        assert change["before"] == bid
        bid = change["after"]
    assert made.bid == bid


@given(hands, bids, st.sampled_from(("bis", "rb", "ms", "io")))
def test_it_is_json(fitted, pbn, previous, policy):
    told = explained(fitted, pbn, previous, policy=policy).explanation
    assert json.loads(json.dumps(told)) == told

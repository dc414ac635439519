"""Big 5 and Big 6: each condition of signal, refusal and answer, the steps before and after, and the explanation."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.bidder import decide
from spades.bis.conventions import (
    CONVENTION_RULES,
    SILENT,
    covers_blind_nil,
    covers_nil,
    partner_signalled,
    signal,
)
from spades.bis.partnership import RULE_NAMES
from spades.cards import parse_pbn
from spades.contract.answer_text import bid_text
from spades.legal import BLIND_NIL, EVERY_BID
from spades.options import AUTO, BIG5, BIG6, CONVENTIONS, NO_CONVENTION
from spades.policies import parse_policy
from spades.position import Position, read_auction
from spades.rules import Rules, make_rules
from spades.scoring import START, Standing
from spades.tables import BIG5_PROFILE, BIG6_PROFILE, convention_of, profile_of
from tests import naive
from tests.spades.test_explanations import bids, hands, low_hands, table_set_of

COVER = "AK62.AQ3.K94.J54"  # 3.9 tricks: four takes
STRONG = "AKJ62.AQ.Q.K9543"  # the worked hand of docs/explanation/how-bis-bids.md: six takes
SEVEN = "AKJ4.AK.KQ32.AJ5"  # too many takes for Big 5
LOW_CLUBS = "AKJ62.AK2.T95.T43"  # six takes, no card above the ten in two suits
FIVE = "AKJ62.A2.T95.Q43"  # five takes, ten-high diamonds


@pytest.fixture(scope="module")
def table_set(neutral):
    return table_set_of(neutral)


def decided(table_set, pbn, previous=(), policy="bis:convention=big5", us=0, them=0, rules=None, legal=None) -> Any:
    position = Position(parse_pbn(pbn), previous, Standing(us, them, 0, 0), rules or Rules())
    return decide(position, parse_policy(policy), table_set, legal)


def changes(made):
    return [(change["rule"], change["before"], change["after"]) for change in made.explanation["adjustments"]]


# ---- the signal ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pbn", "takes", "five", "six"),
    [
        (COVER, 4, True, True),
        (COVER, 3, False, False),
        (COVER, 5, True, True),
        (COVER, 6, True, True),
        (COVER, 7, False, True),  # Big 6 has no upper limit
        ("K962.AQ3.K94.J54", 5, True, False),  # the king is enough for Big 5 only
        ("QJ62.AQ3.K94.J54", 5, False, False),
        ("AK62.AQ3.K94.T54", 5, False, True),  # the ten is enough for Big 6 only
        ("AK62.AQ3.T94.J54", 5, False, True),
        ("AK62.T83.K94.J54", 5, False, True),
        ("AK62.AQ3.K94.954", 5, False, False),
        ("AK62.AQ3.954.K94", 5, False, False),
        ("AK62.953.AQ4.K94", 5, False, False),
        ("AK62.AQ83.K9542.", 5, True, True),  # a void needs no high card
        ("AK62..K9542.AQ83", 5, True, True),
        ("AK62.K9542..AQ83", 5, True, True),
        ("A5432.J.J.J98765", 4, True, True),  # the ace alone
    ],
)
def test_each_clause_of_a_covering_hand(pbn, takes, five, six):
    assert covers_nil(parse_pbn(pbn), takes, 4) == five
    assert covers_blind_nil(parse_pbn(pbn), takes, 4) == six
    assert covers_nil(parse_pbn(pbn), takes, 5) == (five and takes > 4)
    assert covers_blind_nil(parse_pbn(pbn), takes, 5) == (six and takes > 4)


@pytest.mark.parametrize(
    ("pbn", "policy", "bid", "told"),
    [
        (COVER, "bis:convention=big5", 5, [("big5-signal", 4, 5)]),  # one more than its takes
        (STRONG, "bis:convention=big5", 5, [("big5-signal", 6, 5)]),  # one less
        (SEVEN, "bis:convention=big5", 7, []),
        (SEVEN, "bis:convention=big6", 6, [("big6-signal", 7, 6)]),
        (FIVE, "bis:convention=big5", 4, [("big5-refusal", 5, 4)]),
        (LOW_CLUBS, "bis:convention=big5", 6, []),  # a 6 says nothing in Big 5
        (COVER, "bis:convention=big6", 6, [("big6-signal", 4, 6)]),
        (STRONG, "bis:convention=big6", 6, [("big6-signal", 6, 6)]),  # the bid that it is anyhow, and a signal
        (FIVE, "bis:convention=big6", 6, [("big6-signal", 5, 6)]),
        ("AKJ62.AK2.985.T43", "bis:convention=big6", 5, [("big6-refusal", 6, 5)]),
        (COVER, "bis:convention=big5,signal_takes=5", 4, []),
        (STRONG, "bis:convention=big5,signal_takes=5", 5, [("big5-signal", 6, 5)]),
        (COVER, "bis", 4, []),
        (FIVE, "bis:convention=none", 5, []),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_signal_and_refusal(table_set, seat, pbn, policy, bid, told):
    made = decided(table_set, pbn, (3,)[:seat], policy)
    assert (made.bid, changes(made)) == (bid, told)


@pytest.mark.parametrize("previous", [(3, 3), (3, 3, 3)])
def test_only_the_first_of_two_partners_signals(table_set, previous):
    for pbn, bid in ((COVER, 4), (FIVE, 5), (STRONG, 6)):
        for convention in ("big5", "big6"):
            made = decided(table_set, pbn, previous, f"bis:convention={convention}")
            assert (made.bid, changes(made)) == (bid, [])


def test_a_nil_goes_before_a_signal():
    hand = parse_pbn("K962.AQ3.K94.J54")
    assert signal(hand, 0, 0, 4, BIG5, 4, EVERY_BID) == (0, SILENT, 0)
    assert signal(hand, 0, 4, 4, BIG5, 4, EVERY_BID).bid == 5


# ---- the answer ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seat", "b0", "b1", "five", "six"),
    [
        (0, -1, -1, False, False),
        (1, 5, -1, False, False),  # an opponent's
        (2, 5, 3, True, False),
        (2, 6, 3, False, True),
        (2, 3, 5, False, False),
        (2, 4, 3, False, False),
        (2, BLIND_NIL, 3, False, False),
        (3, 3, 5, True, False),
        (3, 3, 6, False, True),
        (3, 5, 3, False, False),
    ],
)
def test_partner_has_signalled(seat, b0, b1, five, six):
    partner_bid = read_auction(seat, b0, b1, 5).partner_bid
    assert partner_signalled(partner_bid, BIG5) == five
    assert partner_signalled(partner_bid, BIG6) == six
    assert not partner_signalled(partner_bid, NO_CONVENTION)


# Neutral tables: the probability is the value.
UNLIKELY = "J2.K32.9532.J743"  # no spade honour; worth less than a threshold of 25


@pytest.mark.parametrize(("convention", "kept"), [("big5", 5), ("big6", 6)])
def test_the_answer_has_a_lower_threshold(table_set, convention, kept):
    expected = decided(table_set, UNLIKELY, (4, 3), "bis").explanation["nil"]["expected_points"]
    assert -100 < expected < 25
    policy = f"bis:convention={convention},answer_threshold={expected - 1}"
    made = decided(table_set, UNLIKELY, (kept, 3), policy)
    takes = made.explanation["regular"]["takes"]
    assert (made.bid, changes(made)) == (0, [(f"{convention}-answer", takes, 0)])
    assert made.explanation["nil"]["threshold"] == expected - 1
    for previous in ((4, 3), (3, kept), (kept,), (kept, 3, 3), ()):
        other = decided(table_set, UNLIKELY, previous, policy)
        assert other.bid > 0
        assert other.explanation["nil"]["threshold"] == 25
    above = decided(table_set, UNLIKELY, (kept, 3), f"bis:convention={convention},answer_threshold={expected}")
    assert above.bid == takes  # equal to the threshold is not enough
    assert changes(above) == []


def test_the_answer_never_has_a_higher_threshold(table_set):
    policy = "bis:convention=big5,nil_threshold=-50,answer_threshold=40"
    assert decided(table_set, UNLIKELY, (5, 3), policy).explanation["nil"]["threshold"] == -50


@pytest.mark.parametrize(
    ("pbn", "out"),
    [
        ("K2.432.5432.5432", None),
        ("Q32.432.543.5432", None),
        ("KQ.432.5432.5432", "king and queen of spades"),
        ("A.432.65432.5432", "ace of spades"),
        ("QJT.432.543.5432", "three spades above the nine"),
        ("5432.32.543.5432", "four or more spades"),
    ],
)
def test_the_answer_allows_the_king_or_queen_of_spades_and_no_more(table_set, pbn, out):
    for convention, kept in (("big5", 5), ("big6", 6)):
        policy = f"bis:convention={convention},answer_threshold=-101"
        made = decided(table_set, pbn, (3, kept, 3), policy)
        assert made.explanation["nil"]["ruled_out"] == out
        assert (made.bid == 0) == (out is None)
        unasked = decided(table_set, pbn, (3, 4, 3), policy)
        assert unasked.explanation["nil"]["ruled_out"] == (out or "king or queen of spades")


def test_an_answer_that_is_a_nil_anyhow(table_set):
    made = decided(table_set, "432.432.5432.543", (5, 3))
    assert changes(made) == [("big5-answer", 0, 0)]


# ---- before and after ---------------------------------------------------------------------------------------------


def test_the_end_of_the_game_does_not_change_a_signal(table_set):
    for us, them in ((460, 0), (0, 460), (440, 440), (460, 480)):
        made = decided(table_set, COVER, (), us=us, them=them)
        assert (made.bid, changes(made)) == (5, [("big5-signal", 4, 5)])


@settings(max_examples=300, deadline=None)
@given(hands, st.sampled_from([(), (2,), (4,), (6,)]), st.integers(30, 49), st.integers(30, 49))
def test_the_end_of_the_game_makes_no_five_that_is_no_signal(table_set, pbn, previous, us, them):
    made = decided(table_set, pbn, previous, us=10 * us, them=10 * them)
    assert (made.bid == 5) == any(rule == "big5-signal" for rule, _, _ in changes(made))


def test_the_rules_have_the_last_word(table_set):
    made = decided(table_set, COVER, (), legal=(0, 1, 2, 3, 4))
    assert (made.bid, changes(made)) == (4, [("big5-signal", 4, 5), ("legal-bids", 5, 4)])


def test_no_signal_that_the_rules_forbid(table_set):
    made = decided(table_set, COVER, (), rules=make_rules("classic", {"min_bid": 6}))
    assert (made.bid, changes(made)) == (6, [("table-rules", 4, 6)])
    hand = parse_pbn(COVER)
    assert signal(hand, 0, 6, 4, BIG5, 4, EVERY_BID & ~(1 << 5)) == (6, SILENT, 6)
    assert signal(hand, 0, 4, 4, BIG6, 4, EVERY_BID & ~(1 << 6)) == (4, SILENT, 4)


@pytest.mark.parametrize(
    ("us", "them", "blind_nil", "convention"),
    [(0, 0, 1, BIG5), (0, 100, 1, BIG5), (0, 101, 1, BIG6), (0, 101, 0, BIG5), (101, 0, 1, BIG5), (-50, 51, 1, BIG6)],
)
def test_auto_is_big_6_when_far_behind(us, them, blind_nil, convention):
    rules, policy = Rules(blind_nil=blind_nil), parse_policy("bis:convention=auto")
    assert policy.convention == AUTO
    standing = Standing(us, them, 0, 0)
    assert convention_of(rules, policy, standing) == convention
    assert profile_of(rules, policy, standing) == (BIG5_PROFILE if convention == BIG5 else BIG6_PROFILE)


@pytest.mark.parametrize("variant", ["mirror", "whiz", "suicide", "jokers"])
def test_no_convention_in_a_variant(variant):
    for name in CONVENTIONS:
        policy = parse_policy(f"bis:convention={name}")
        assert convention_of(make_rules(variant), policy, START) == NO_CONVENTION
        ignoring = policy._replace(ignores=1)
        assert convention_of(make_rules(variant), ignoring, START) == convention_of(Rules(), policy, START)


# ---- any hand, and what is told -----------------------------------------------------------------------------------


@given(hands | low_hands, bids, st.sampled_from(CONVENTIONS), st.sampled_from((-101, -20, 25)), st.integers(-50, 210))
def test_any_hand_against_the_oracle(table_set, pbn, previous, name, answer_threshold, them):
    rules = make_rules("bis-paper", {"blind_nil": True})
    policy = f"bis:convention={name},answer_threshold={answer_threshold}"
    made = decided(table_set, pbn, previous, policy, 0, them, rules)
    convention = name if name != "auto" else "big6" if them > 100 else "big5"
    asked = naive.asks_for_nil(previous, convention)
    nil, takes = made.explanation["nil"], made.explanation["regular"]["takes"]
    assert nil["threshold"] == (min(25, answer_threshold) if asked else 25)
    assert nil["chosen"] == (nil["ruled_out"] is None and nil["expected_points"] > nil["threshold"])
    if asked:
        assert nil["ruled_out"] != "king or queen of spades"
    told = changes(made)
    number = max(takes, min(naive.certain_tricks(naive.suits_of(pbn)["S"]), 13 - (previous[-2:-1] or (0,))[0]))
    bid = 0 if nil["chosen"] else number
    if bid > takes:
        assert told.pop(0) == ("certain-tricks", takes, number)
    rule, after = naive.convention_says(naive.suits_of(pbn), len(previous), bid, takes, convention)
    if asked and bid == 0:
        honour = naive.suits_of(pbn)["S"] & {10, 11}
        rule, bid = f"{convention}-answer", number if nil["expected_points"] <= 25 or honour else 0
    if rule is not None:
        assert told[0] == (rule, bid, after)
        told = told[1:]
    for name_of_rule, before, later in told:  # the end of the game goes on from there
        assert name_of_rule in RULE_NAMES
        assert before == after
        after = later
    assert made.bid == after


@pytest.mark.parametrize(
    ("pbn", "previous", "policy", "words"),
    [
        (COVER, (), "bis:convention=big5", "a 5 asks partner for a nil"),
        (FIVE, (), "bis:convention=big5", "a 5 would ask partner for a nil"),
        ("432.432.5432.543", (5, 3), "bis:convention=big5", "Partner's 5 asks for a nil"),
        (COVER, (), "bis:convention=big6", "a 6 asks partner for a blind nil"),
        ("AKJ62.AK2.985.T43", (), "bis:convention=big6", "a 6 would ask partner for a blind nil"),
        ("432.432.5432.543", (6, 3), "bis:convention=big6", "Partner's 6 asks for a nil"),
    ],
)
def test_sentence_and_text_tell_it(table_set, pbn, previous, policy, words):
    made = decided(table_set, pbn, previous, policy)
    told = made.explanation
    (change,) = told["adjustments"]
    assert change["rule"] in CONVENTION_RULES
    assert words in change["why"]
    assert {"code": change["rule"]} in told["reasons"]
    assert f" {change['why']}" in told["sentence"]
    text = bid_text(made._asdict() | {"policy": policy, "tables": "test", "assumed": []})
    assert f"adjusted by {change['rule']}: {change['before']} -> {change['after']}\n  {change['why']}" in text


def test_every_rule_has_its_name_and_words():
    assert CONVENTION_RULES[SILENT] == ""
    assert len(set(CONVENTION_RULES)) == 7
    assert (CONVENTIONS[BIG5], CONVENTIONS[BIG6]) == ("big5", "big6")

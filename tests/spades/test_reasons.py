"""Reasons: their declaration, those of `winprob` on decisions made by hand, and the size of brief explanations."""

import itertools
import re
import string
from pathlib import Path

import numpy as np
import orjson
import pytest

from service.endpoints import cards
from spades import explanations, policies, round_review, skill
from spades.bidder import decide, turn_of
from spades.bis.blind_nil import BLIND_NIL_RULES
from spades.bis.conventions import CONVENTION_RULES
from spades.bis.estimates import (
    BY_RULES,
    FOUR_SPADES,
    NOT_RULED_OUT,
    NUMBER_RULES,
    PARTNER_NIL,
    RULED_OUT_CODES,
    Nil,
    Regular,
)
from spades.bis.partnership import RULE_NAMES
from spades.cards import parse_pbn
from spades.contract.bid_request import bid_answer, read_bid
from spades.explanations import FORCED, MOST_IN_BRIEF, contract_reasons, explain_winprob, nil_details
from spades.legal import NO_BID
from spades.play import card_explanation
from spades.policies import parse_policy
from spades.position import BRIEF, EXPLAINED, Position
from spades.reasons import NUMBERS, REASONS, numbers_in, reason, sentence_of
from spades.rules import make_rules
from spades.scoring import Standing
from spades.skill import decide_with_skill
from spades.winprob.decision import WinDecision
from spades.winprob.outcomes import NO_NIL, OURS, THEIRS
from tests.conftest import committed_tables
from tests.golden.positions import read_positions

WINPROB = parse_policy("winprob")
REGULAR = Regular(0.0, 0.0, 0.0, 2, 0, 1.0, 0.0, 0.0, 3.0, 3)


def nil(reason=NOT_RULED_OUT, clubs=1.0, diamonds=1.0, hearts=1.0, spades=1.0):
    return Nil(clubs, diamonds, hearts, spades, 1.0, 0.5, 0.5, 0.0, 25.0, reason, False)


def decision(bid, chances, partner=4, opposing=5, own_nil=None, stake=NO_NIL, their_stake=NO_NIL):
    """A decision by hand; ``chances``: by bid its win probability, and how often contract or nil is made."""
    odds = np.zeros((len(chances), OURS, THEIRS), np.float32)
    for row, (other, (_, makes)) in zip(odds, chances.items(), strict=True):
        row[0, 0] = makes
        row[2 if other == 0 else 4, 0] = 1 - makes  # of a nil: the nil failed, the contract is made
    bids = list(chances)
    return WinDecision(
        bid=bid,
        regular=REGULAR,
        nil=own_nil or nil(PARTNER_NIL),
        inputs=(),
        bids=bids,
        contracts=[other + partner for other in bids],
        opposing=[opposing] * len(bids),
        stake=stake,
        stake_with_nil=max(0, stake) + 100,
        their_stake=their_stake,
        p_win=[p for p, _ in chances.values()],
        odds=odds.reshape(len(bids), -1),
        weighed=sum(1 << other for other in bids),
    )


def told(made, previous=(4, 5), us=0, them=0, both_bags=(0, 0), policy=WINPROB, explain=EXPLAINED, **rules):
    us_bags, them_bags = both_bags
    hand, game = parse_pbn("AKJ62.AQ.Q.K9543"), make_rules("classic", rules)
    where = Position(hand, previous, Standing(us, them, us_bags, them_bags), game)
    return explain_winprob(made, turn_of(where, policy, committed_tables(), None, explain))


def test_a_number_between_two_others():
    made = decision(3, {2: (0.615, 0.92), 3: (0.6231, 0.78), 4: (0.6014, 0.595)})
    assert told(made)["reasons"] == [
        {"code": "wins", "bid": 3, "percent": 62.3},
        {"code": "partner-bid", "partner": 4, "bid": 3, "contract": 7},
        {"code": "makes", "makes": 78},
        {"code": "other-number", "other": 4, "percent": 60.1, "makes": 60},
        {"code": "lower", "other": 2, "percent": 61.5, "makes": 92},
        {"code": "no-nil-partner"},
    ]
    assert told(made)["sentence"] == (
        "Bid 3: you win the game 62.3% of the time. Partner bid 4 and you add 3: 7 in all. "
        "Your side makes its bid 78% of the time. "
        "With 4 your side would make its bid 60% and win the game 60.1% of the time. "
        "With 2 your side would make its bid 92% and win the game 61.5% of the time: safer, but for fewer points. "
        "No nil beside partner's nil: both together seldom succeed."
    )


def test_a_better_bid_that_is_too_close():
    made = decision(2, {2: (0.94, 0.9), 3: (0.941, 0.8)})
    (reason,) = [reason for reason in told(made)["reasons"] if "other" in reason]
    assert reason == {"code": "too-close", "other": 3, "percent": 94.1}
    drawn = told(made, policy=parse_policy("winprob:level=2"))["reasons"]
    assert {"code": "better", "other": 3, "percent": 94.1} in drawn


def test_a_nil_that_was_weighed():
    weak = nil(spades=0.4, hearts=0.7)
    made = decision(3, {0: (0.55, 0.6), 3: (0.6, 0.8)}, own_nil=weak)
    assert told(made)["reasons"][3:] == [
        {"code": "nil-wins-less", "percent": 55, "makes": 60},
        {"code": "weak-spades"},
    ]
    made = decision(3, {0: (0.61, 0.6), 3: (0.6, 0.8)}, own_nil=nil())
    assert told(made)["reasons"][3:] == [{"code": "nil-too-close", "percent": 61, "makes": 60}]
    drawn = told(made, policy=parse_policy("winprob:aggression=1"))["reasons"]
    assert drawn[3:] == [{"code": "better-nil", "percent": 61, "makes": 60}]


def test_a_nil():
    made = decision(0, {0: (0.7, 0.6), 1: (0.5, 0.8), 2: (0.55, 0.7)}, own_nil=nil(FOUR_SPADES, spades=0.0))
    assert told(made)["reasons"] == [
        {"code": "wins-nil", "percent": 70},
        {"code": "nil-makes", "makes": 60},
        {"code": "weak-four-spades"},
        {"code": "partner-alone", "partner": 4},
        {"code": "best-number", "other": 2, "percent": 55},
    ]


def test_a_partner_who_has_not_bid():
    made = decision(3, {3: (0.6, 0.8)}, partner=4, own_nil=nil())
    assert told(made, previous=())["reasons"][1:] == [
        {"code": "partner-to-bid", "partner": 4, "contract": 7},
        {"code": "makes", "makes": 80},
        {"code": "no-other-bid"},
    ]


@pytest.mark.parametrize(
    ("us", "them", "rules", "expected"),
    [
        (429, 449, {}, []),
        (430, 449, {}, [{"code": "we-reach-goal", "score": 500, "goal": 500}]),
        (429, 450, {}, [{"code": "they-reach-goal", "score": 500, "goal": 500}]),
        (440, 470, {}, [{"code": "both-reach-goal", "score": 510, "their_score": 520, "goal": 500}]),
        (-130, 0, {"lose": -200}, [{"code": "loses-if-set", "score": -200, "goal": -200}]),
        (-129, 0, {"lose": -200}, []),
    ],
)
def test_what_the_score_asks_for(us, them, rules, expected):
    """Our contract is 7, theirs 5."""
    made = decision(3, {3: (0.6, 0.8)})
    assert told(made, us=us, them=them, **rules)["reasons"][3:-1] == expected


@pytest.mark.parametrize(
    ("bags", "rules", "expected"),
    [
        ((6, 6), {}, []),
        ((7, 0), {}, [{"code": "bags", "bags": 7, "limit": 10, "penalty": 100}]),
        ((0, 8), {}, [{"code": "their-bags", "bags": 8, "limit": 10, "penalty": 100}]),
        ((7, 7), {"bags": False}, []),
        ((7, 7), {"bag_penalty": 0}, []),
        ((0, 0), {"bag_limit": 3}, []),
    ],
)
def test_bags_near_the_penalty(bags, rules, expected):
    reasons = told(decision(3, {3: (0.6, 0.8)}), both_bags=bags, **rules)["reasons"]
    assert [reason for reason in reasons if reason["code"].endswith("bags")] == expected


@pytest.mark.parametrize(
    ("us", "bags", "code"), [(0, 0, "lower"), (0, 8, "lower-bags"), (440, 0, "other-number"), (440, 8, "lower-bags")]
)
def test_why_a_lower_bid_is_worse(us, bags, code):
    """With 440 points, a contract of 6 reaches the goal as well as one of 7."""
    made = decision(3, {2: (0.6, 0.9), 3: (0.61, 0.8)})
    (reason,) = [reason for reason in told(made, us=us, both_bags=(bags, 0))["reasons"] if "other" in reason]
    assert reason == {"code": code, "other": 2, "percent": 60, "makes": 90}


@pytest.mark.parametrize(("bid", "other"), [(3, 2), (3, 4)])
def test_no_reason_says_that_more_tricks_are_made_more_often(bid, other):
    """The net's probabilities are rough: it may give the higher number more."""
    made = decision(bid, {bid: (0.6, 0.8), other: (0.5, 0.78 if other < bid else 0.82)})
    (reason,) = [reason for reason in told(made)["reasons"] if "other" in reason]
    assert reason == {"code": "other-number-wins", "other": other, "percent": 50}


def test_nils_of_the_others_and_of_partner():
    made = decision(3, {3: (0.6, 0.8)}, partner=0, opposing=4, stake=100, their_stake=100)
    made.odds[0, :] = 0.0
    made.odds[0, [0, 1, 2 * THEIRS]] = 0.5, 0.25, 0.25  # all is made; their nil fails; partner's nil fails
    assert told(made, previous=(0, 4, 0))["reasons"][1:5] == [
        {"code": "partner-bid", "partner": 4, "bid": 3, "contract": 7},
        {"code": "makes", "makes": 100},
        {"code": "partner-nil-makes", "makes": 75},
        {"code": "their-nil", "fails": 25},
    ]


def test_a_nil_before_partner_has_bid():
    made = decision(0, {0: (0.6, 0.8)}, partner=3, own_nil=nil())
    assert {"code": "partner-alone-to-bid", "partner": 3} in told(made, previous=(5,))["reasons"]


def test_a_nil_that_may_lose_the_game():
    made = decision(0, {0: (0.6, 0.8)}, own_nil=nil())
    told_reasons = told(made, us=-150, lose=-200)["reasons"]
    assert {"code": "loses-if-nil-fails", "score": -210, "goal": -200} in told_reasons


def test_opponents_who_have_yet_to_bid():
    made = decision(3, {3: (0.6, 0.8)}, opposing=8)
    assert told(made, them=450)["reasons"][3:5] == [
        {"code": "they-reach-goal", "score": 530, "goal": 500},
        {"code": "others-to-bid", "tricks": 3},
    ]


def test_the_brief_explanation_has_the_first_reasons_and_the_win_probability():
    made = decision(3, {2: (0.615, 0.92), 3: (0.623456, 0.78), 4: (0.6014, 0.595)})
    whole, brief = told(made), told(made, explain=BRIEF)
    assert brief == {"reasons": whole["reasons"][:MOST_IN_BRIEF], "p_win": 0.6235}
    assert whole["p_win"] == 0.623456


def test_the_contract():
    assert contract_reasons(3, NO_BID) == contract_reasons(0, 0) == ()
    assert contract_reasons(3, 14) == ({"code": "partner-nil", "bid": 3},)
    assert contract_reasons(0, 4) == ({"code": "partner-alone", "partner": 4},)


def test_the_weak_point_of_a_nil():
    assert nil_details(nil(clubs=0.9, diamonds=0.95), 0) == []
    assert nil_details(nil(clubs=0.89, diamonds=0.7), 0) == [{"code": "weak-diamonds"}]
    assert nil_details(nil(FOUR_SPADES, clubs=0.6, spades=0.0), 0) == [{"code": "weak-four-spades"}]
    assert nil_details(nil(FOUR_SPADES, clubs=0.4, spades=0.0), 0) == [{"code": "weak-clubs"}]
    assert nil_details(nil(clubs=0.9), 1) == [{"code": "nil-pass-one"}]
    assert nil_details(nil(clubs=0.89), 2)[0] == {"code": "nil-pass", "cards": 2}


# ---- the declaration ------------------------------------------------------------------------------------------------


CODES = [(subject, code) for subject, templates in REASONS.items() for code in templates]


@pytest.mark.parametrize("subject", REASONS)
def test_templates_have_declared_numbers_only(subject):
    for code, template in REASONS[subject].items():
        assert re.fullmatch(r"[a-z0-9-]+", code)
        if subject != "nil":  # these are no sentences
            assert template[0].isupper() or template[0] == "{"
            assert template.endswith(".")
        fields = [field for _, field, spec, _ in string.Formatter().parse(template) if field is not None and not spec]
        assert tuple(fields) == numbers_in(subject, code)
        numbers = {name: 7 + index for index, name in enumerate(fields)}
        made = reason(subject, code, **numbers)
        assert made == {"code": code, **numbers}
        assert sentence_of([made, reason("bid", "bid-nil")]) == f"{template.format(**numbers)} Bid nil."
    assert {name for code in REASONS[subject] for name in numbers_in(subject, code)} == set(NUMBERS[subject])
    assert REASONS.keys() == NUMBERS.keys()


def test_a_code_of_a_review_has_one_meaning():
    for one, other in itertools.combinations(("review", "bid", "pass", "card"), 2):
        assert not REASONS[one].keys() & REASONS[other].keys()


def test_equal_numbers_make_the_same_reason_whatever_came_before():
    for first, second in itertools.permutations((1, 1.0)):
        reason.cache_clear()
        assert reason("bid", "bid", bid=first).sentence == f"Bid {first}."
        assert reason("bid", "bid", bid=second).sentence == f"Bid {second}."
    for first, second in itertools.permutations((0.0, -0.0)):
        reason.cache_clear()
        assert reason("bid", "tricks", tricks=first).sentence == reason("bid", "tricks", tricks=second).sentence
        assert str(reason("bid", "tricks", tricks=second)["tricks"]) == "0.0"


def test_every_step_has_a_reason():
    """Of the same name, unless the rules make the step."""
    steps = (*RULE_NAMES[1:], *CONVENTION_RULES[1:], *NUMBER_RULES[BY_RULES + 1 :], *FORCED.values())
    assert {*steps} <= REASONS["bid"].keys()
    assert {f"no-nil-{code}" for code in RULED_OUT_CODES[1:]} <= REASONS["bid"].keys()
    assert {*RULED_OUT_CODES[1:]} <= REASONS["nil"].keys()
    assert {*BLIND_NIL_RULES} <= REASONS["blind nil"].keys()


def test_every_reason_is_given_somewhere():
    files = (explanations, skill, policies, card_explanation, cards, round_review)
    text = "".join(Path(str(module.__file__)).read_text() for module in files)
    literal = set(re.findall(r'"([a-z0-9-]+)"', text))
    steps = {*RULE_NAMES, *CONVENTION_RULES, *NUMBER_RULES}
    no_nils = {f"no-nil-{code}" for code in RULED_OUT_CODES}
    ends = {f"{rule}{end}" for rule in BLIND_NIL_RULES for end in ("", "-below-floor", "-drawn", "-not-drawn")}
    weak = {f"weak-{suit}" for suit in ("clubs", "diamonds", "hearts", "spades")}
    given = literal | steps | no_nils | weak | {*RULED_OUT_CODES} | ends
    assert [one for one in CODES if one[1] not in given] == []


# ---- all policies ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def calls():
    """The golden positions for a bid, each decided by its own policy and by `best`, with and without a level."""
    tables = committed_tables()
    positions = [one for one in read_positions() if one["path"] == "/v1/bid"]
    requests = [one["request"] for one in positions if "answers" in one or "bid" in one["answer"]]
    found = []
    for request in requests:
        best = {name: value for name, value in request.items() if name != "convention"} | {"policy": "best"}
        for variant in (request, best, best | {"level": 2}):
            found.append(read_bid(variant | {"explain": "brief"}, tables.games))
    return tables, found


def decided(call, tables, explain):
    if call.policy.level:
        return decide_with_skill(call.position, call.policy, tables, call.legal, explain, call.seed)
    return decide(call.position, call.policy, tables, call.legal, explain)


def test_brief_answers_are_below_400_bytes(calls):
    tables, found = calls
    for call in found:
        answer = orjson.dumps(bid_answer(call._replace(explain=BRIEF), tables, tables.version))
        other_tables = sum(len(entry) + 3 for entry in call.assumed if "error" in entry)
        assert len(answer) < 400 + other_tables, answer


def test_brief_explanations_are_parts_of_the_whole_ones(calls):
    tables, found = calls
    for call in found:
        brief, whole = decided(call, tables, BRIEF), decided(call, tables, EXPLAINED)
        assert brief.bid == whole.bid
        codes = [reason["code"] for reason in whole.explanation["reasons"]]
        given = [reason["code"] for reason in brief.explanation["reasons"]]
        left = iter(codes)
        assert all(code in left for code in given)
        assert ("p_win" in brief.explanation) == (call.base == "winprob")


def test_sentences_are_those_of_the_reasons(calls):
    tables, found = calls
    for call in found:
        explanation = decided(call, tables, EXPLAINED).explanation
        assert explanation["sentence"] == " ".join(
            REASONS["bid"][reason["code"]].format(**reason) for reason in explanation["reasons"]
        )
        for step in explanation["adjustments"]:
            assert step["why"] in explanation["sentence"]
        assert len(explanation["sentence"]) < 900

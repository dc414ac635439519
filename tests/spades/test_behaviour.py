"""Sensible bids: each case of tests/vectors/behaviour.json, read and decided by the service's own code.

A case has a name, a request, the acceptable bids with the reason, and the present bid. A case from a player's complaint
about a bot also has its source: the thread with the complaint. A case that still goes wrong says so in `known_error`,
with the cause; its test fails when the bid becomes acceptable, so that the entry is deleted then. Cases are written by
hand; `python -m tests.vectors_update` updates only the present bid.
"""

import json

import pytest

from spades.bidder import decide
from spades.contract.bid_request import read_bid
from spades.contract.fields import DEFAULT_POLICY
from spades.options import WINPROB
from spades.policies import BEST, BY_NAME
from spades.tableset import open_tables
from tests.vectors_update import BEHAVIOUR, behaviour, text_of

CASES = json.loads(BEHAVIOUR.read_text(encoding="utf-8"))
FIELDS = ["name", "request", "allowed", "reason", "source", "known_error", "bid"]
OPTIONAL = {"source", "known_error"}


@pytest.fixture(scope="module")
def tables():
    return open_tables()


def _parameter(case):
    marks = [pytest.mark.xfail(reason=case["known_error"], strict=True)] if "known_error" in case else []
    return pytest.param(case, id=case["name"], marks=marks)


@pytest.mark.parametrize("case", [_parameter(case) for case in CASES])
def test_bid_is_allowed(case, tables):
    call = read_bid(case["request"])
    decision = decide(call.position, call.policy, tables, call.legal)
    assert decision.explanation is not None
    assert decision.bid in case["allowed"], f"{case['reason']}; {decision.explanation['sentence']}"
    sentence = decision.explanation["sentence"]
    assert sentence.startswith(f"Bid {decision.bid or 'nil'}{':' if call.policy.kind == WINPROB else '.'} ")


def test_bids_have_not_changed():
    changed = [
        f"{case['name']}: bids {new['bid']}, was {case['bid']}"
        for case, new in zip(CASES, behaviour(), strict=True)
        if case["bid"] != new["bid"]
    ]
    assert changed == [], "look at each; where they are meant, run python -m tests.vectors_update"


def test_cases_are_worth_keeping():
    assert BEHAVIOUR.read_text(encoding="utf-8") == text_of(CASES)
    assert len(CASES) >= 100
    assert len({case["name"] for case in CASES}) == len({json.dumps(case["request"]) for case in CASES}) == len(CASES)
    for case in CASES:
        assert list(case) == [field for field in FIELDS if field in case]
        assert case.keys() >= {*FIELDS} - OPTIONAL
        assert case["name"].startswith("complaint: ") == ("source" in case)
        assert case["allowed"] == sorted(set(case["allowed"]))
        assert 0 < len(case["allowed"]) <= 4, case["name"]  # a case that accepts every bid tests nothing
        assert case["reason"]


def test_who_is_asked():
    """Most cases use the default policy; some name another one, and those from complaints ask the strongest."""
    policies = [case["request"].get("policy", DEFAULT_POLICY) for case in CASES if "source" not in case]
    assert policies.count(DEFAULT_POLICY) > 0.8 * len(policies)
    assert {case["request"]["policy"] for case in CASES if "source" in case} == {BEST}
    assert {policy.partition(":")[0] for policy in policies} <= {*BY_NAME, BEST}

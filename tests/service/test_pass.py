"""POST /v1/pass: the cards to give, and requests that are refused."""

import pytest

from spades.contract.examples import PASS_ANSWER, PASS_REQUEST
from spades.reasons import REASONS

PARTNER = PASS_REQUEST | {"seat": 2, "hand": "AQ72.AK3.AK4.Q52"}
FIRST = {"preset": "pass-2", "nil_passes_first": True}


def test_the_example(call):
    answer = call("POST", "/v1/pass", json=PASS_REQUEST)
    assert (answer.status_code, answer.json()) == (200, PASS_ANSWER)


def test_partner_gives_low_cards(call):
    answer = call("POST", "/v1/pass", json=PARTNER).json()
    assert (answer["cards"], answer["to"]) == (["3H", "2C"], 0)
    assert {reason["code"] for reason in answer["reasons"]} == {"low"}


def test_partner_may_have_received_cards(call):
    answer = call("POST", "/v1/pass", json=PARTNER | {"received": ["KS", "2D"], "rules": FIRST}).json()
    assert answer["cards"] == ["2D", "2C"]


def test_a_blind_nil_has_its_own_number(call):
    rules = {"preset": "pass-2", "blind_nil": True, "blind_nil_pass": 3}
    request = PASS_REQUEST | {"bids": ["blind_nil", 4, 5, 3], "rules": rules}
    assert len(call("POST", "/v1/pass", json=request).json()["cards"]) == 3


def test_other_decks(call):
    rules = {"deck": "jjdd", "nil_pass": 2}
    request = {"hand": "BA2.AK3.2A3.K943", "bids": ["nil", 4, 4, 3], "seat": 0, "rules": rules}
    answer = call("POST", "/v1/pass", json=request).json()
    assert answer["cards"] == ["BJ", "2D"]
    assert answer["reasons"][0]["sentence"] == REASONS["pass"]["top-spade"].format(card="BJ")


def test_a_sure_trick_goes_first(call):
    rules = {"preset": "pass-2", "nil_pass": 1}
    request = PASS_REQUEST | {"hand": "AJ963.T97.Q75.A4", "bids": [0, 4, 5, 3], "rules": rules}
    (reason,) = call("POST", "/v1/pass", json=request).json()["reasons"]
    assert (reason["card"], reason["code"]) == ("AS", "top-spade")


def test_two_nils_where_one_gives_first(call):
    """Seat 0 gives first, so seat 2 says what it got."""
    both = {"bids": [0, 4, 0, 3], "rules": FIRST}
    assert call("POST", "/v1/pass", json=PASS_REQUEST | both).status_code == 200
    request = PASS_REQUEST | both | {"seat": 2, "received": ["AS", "AH"]}
    assert "AS" in call("POST", "/v1/pass", json=request).json()["cards"]


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ({"bids": [3, 4, 5, 3]}, [("/bids", "bid-out-of-range")]),
        ({"bids": [0, 4, 5]}, [("/bids", "bid-out-of-range")]),
        ({"bids": [0, 4, 5, 3, 3]}, [("/bids", "too-many-items")]),
        ({"bids": [0, 9, 5, 9]}, [("/bids/3", "team-over-limit")]),
        ({"bids": "nil"}, [("/bids", "wrong-type")]),
        ({"rules": {}}, [("/rules/nil_pass", "unsupported-rules")]),
        ({"rules": {"nil_pass": 5}}, [("/rules/nil_pass", "unsupported-rules")]),
        ({"seat": 4}, [("/seat", "out-of-range")]),
        ({"hand": "K83.T64.9732.J6", "x": 1}, [("/hand", "hand-size"), ("/x", "unknown-field")]),
        ({"received": ["AS", "AH"]}, [("/received", "unsupported-field")]),
        ({**PARTNER, "rules": FIRST}, [("/received", "missing-field")]),
        ({"bids": [0, 4, 0, 3], "seat": 2, "rules": FIRST}, [("/received", "missing-field")]),
        ({"rules": {"variant": "cutthroat"}}, [("/rules/variant", "unsupported-rules")]),
        ({"rules": None}, [("/rules/nil_pass", "unsupported-rules")]),
        ({"bids": [0, 6, 6, 6], "rules": {"variant": "mirror", "nil_pass": 2}}, [("/bids/3", "bid-out-of-range")]),
        ({**PARTNER, "rules": FIRST, "received": ["KS"]}, [("/received", "hand-size")]),
        ({**PARTNER, "rules": FIRST, "received": ["AS", "2D"]}, [("/received", "duplicate-card")]),
        ({**PARTNER, "rules": FIRST, "received": ["KS", "KS"]}, [("/received/1", "duplicate-card")]),
        ({**PARTNER, "rules": FIRST, "received": "KS"}, [("/received", "wrong-type")]),
    ],
)
def test_refused(call, change, faults):
    answer = call("POST", "/v1/pass", json=PASS_REQUEST | change)
    assert answer.status_code == 422
    assert sorted((fault["pointer"], fault["code"]) for fault in answer.json()["errors"]) == sorted(faults)

"""`winprob` over HTTP: rules without a win table are refused by both readers, and an answer tells every legal bid."""

import pytest

from service.api.faults import faults_of
from service.api.requests import read_fast


@pytest.mark.parametrize(
    ("rules", "pointer"),
    [
        ({"win": 400}, "/rules/win"),
        ({"preset": "whiz"}, "/rules/variant"),
        ({"preset": "no-bags"}, "/rules/bags"),
        ({"bag_penalty": 105}, "/rules/bag_penalty"),
        ({"preset": "nil-50"}, "/rules/nil_points"),
    ],
)
def test_rules_without_a_table_are_refused(request_body, rules, pointer):
    request_body |= {"policy": "winprob", "rules": rules}
    assert read_fast(request_body) is None
    faults = faults_of(request_body)
    assert [(fault.pointer, fault.code) for fault in faults] == [(pointer, "unsupported-rules")]
    assert "winprob" in faults[0].detail


def test_an_answer(call, request_body):
    request_body |= {"policy": "winprob", "legal_bids": ["nil", 4, 5, 6, 7]}
    answer = call("POST", "/bid", json=request_body)
    assert answer.status_code == 200
    explanation = answer.json()["explanation"]
    assert [row["bid"] for row in explanation["candidates"]] == [0, 4, 5, 6, 7]
    assert answer.json()["bid"] in (4, 5, 6, 7)
    assert "% to win; " in explanation["sentence"]


def test_a_convention_is_refused(call, request_body):
    request_body |= {"policy": "winprob", "convention": "big5"}
    errors = call("POST", "/bid", json=request_body).json()["errors"]
    assert [error["pointer"] for error in errors] == ["/convention"]

"""`winprob` over HTTP: rules without a win table are refused, and an answer lists every legal bid."""

import pytest

from service.bidding.game.rules import PARTNERSHIP, PRESETS
from service.bidding.tableset import open_tables
from tests.contract import faults_of


@pytest.mark.parametrize(
    ("rules", "pointer"),
    [
        ({"win": 400}, "/rules/win"),
        ({"preset": "whiz"}, "/rules/variant"),
        ({"preset": "no-bags", "nil_points": 60}, "/rules/nil_points"),
        ({"preset": "five-bags", "win": 250}, "/rules/win"),
        ({"bag_penalty": 105}, "/rules/bag_penalty"),
        ({"nil_points": 60}, "/rules/nil_points"),
    ],
)
def test_rules_without_a_table_are_refused(request_body, rules, pointer):
    request_body |= {"policy": "winprob", "rules": rules, "scores": {}}
    games = open_tables().games
    faults = faults_of(request_body, games)
    assert [(fault.pointer, fault.code) for fault in faults] == [(pointer, "unsupported-rules")]
    assert "winprob" in faults[0].detail


@pytest.mark.parametrize("preset", [name for name, rules in PRESETS.items() if rules.variant == PARTNERSHIP])
def test_every_partnership_preset_is_answered(call, request_body, preset):
    request_body |= {"policy": "winprob", "rules": {"preset": preset}, "scores": {"us": 153, "them": 121}}
    answer = call("POST", "/bid", json=request_body)
    assert answer.status_code == 200, answer.text
    chances = [row["p_win"] for row in answer.json()["explanation"]["candidates"]]
    assert all(0.05 < p < 0.95 for p in chances)


def test_bags_that_are_not_counted_change_nothing(call, request_body):
    request_body |= {"policy": "winprob", "rules": {"preset": "no-bags"}}
    told = [
        call("POST", "/bid", json=request_body | {"scores": {"us": 100, "them": 90, "us_bags": bags}}).json()
        for bags in (0, 7, 99)
    ]
    assert told[0] == told[1] == told[2]


def test_an_answer(call, request_body):
    request_body |= {"policy": "winprob", "legal_bids": ["nil", 4, 5, 6, 7]}
    answer = call("POST", "/bid", json=request_body)
    assert answer.status_code == 200
    explanation = answer.json()["explanation"]
    assert [row["bid"] for row in explanation["candidates"]] == [0, 4, 5, 6, 7]
    assert answer.json()["bid"] in (4, 5, 6, 7)
    assert "% of the time. " in explanation["sentence"]


def test_a_convention_is_refused(call, request_body):
    request_body |= {"policy": "winprob", "convention": "big5"}
    errors = call("POST", "/bid", json=request_body).json()["errors"]
    assert [error["pointer"] for error in errors] == ["/convention"]

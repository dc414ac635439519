"""`winprob` over HTTP: every preset with a win table is answered, and an answer lists every legal bid."""

import pytest

from spades.rules import PRESETS
from spades.winprob import WON_VARIANTS


@pytest.mark.parametrize("preset", [name for name, rules in PRESETS.items() if rules.variant in WON_VARIANTS])
def test_every_preset_with_a_win_table_is_answered(call, request_body, preset):
    request_body |= {"policy": "winprob", "rules": {"preset": preset}, "scores": {"us": 153, "them": 121}}
    request_body |= {"previous_bids": [], "seat": 0}
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

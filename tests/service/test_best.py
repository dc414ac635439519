"""Policy `best`: the strongest policy for the rules decides, and is named in answers, metrics and the catalogue."""

import pytest

from spades.rules import PRESETS, VARIANTS
from spades.winprob import WON_VARIANTS
from tests.one_set import served


@pytest.mark.parametrize("preset", PRESETS)
def test_the_answer_is_that_of_the_policy_it_names(call, preset):
    hand = "AKJ62.AQ.Q.K9543"
    request = {"hand": hand, "previous_bids": [], "seat": 0, "rules": {"preset": preset}, "policy": "best"}
    answer = call("POST", "/bid", json=request).json()
    assert answer["policy"] == ("winprob" if PRESETS[preset].variant in WON_VARIANTS else "bis:tuned")
    assert answer == call("POST", "/bid", json=request | {"policy": answer["policy"]}).json()


def test_rules_without_an_exact_win_table(call, request_body):
    for approximate, named in ((None, "winprob"), (True, "winprob"), (False, "bis:tuned")):
        rules = {"bag_limit": 7, "approximate": approximate}
        answer = call("POST", "/bid", json=request_body | {"policy": "best", "rules": rules, "scores": {}}).json()
        assert answer["policy"] == named


def test_levels_styles_and_options_apply_to_the_policy_that_decides(call, request_body):
    for rules, named in (({}, "winprob:level=2"), ({"variant": "mirror"}, "bis:tuned,level=2")):
        request = request_body | {"policy": "best:level=2", "rules": rules, "style": {"nil_bias": 0.5}, "seed": 3}
        answer = call("POST", "/bid", json=request).json()
        assert answer["policy"] == named
        assert [step["rule"] for step in answer["explanation"]["adjustments"][:2]] == ["style", "level"]
        assert answer == call("POST", "/bid", json=request | {"policy": named}).json()


@pytest.mark.parametrize(
    ("policy", "detail"),
    [
        ("best:endgame=off", "policy best has no option 'endgame'; accepted: level, aggression, nil_bias"),
        ("best:tuned", "policy best has no option 'tuned'; accepted: level, aggression, nil_bias"),
        ("best:", "policy best has no option ''; accepted: level, aggression, nil_bias"),
        ("best:level=9", "best: level is '9'; accepted: 1, 2, 3, 4, 5"),
        ("bests", "policy is bests; accepted: best, bis, rb, ms, io, winprob, each with options or without"),
    ],
)
def test_refused(call, request_body, policy, detail):
    (error,) = call("POST", "/bid", json=request_body | {"policy": policy}).json()["errors"]
    assert error == {"pointer": "/policy", "code": "unknown-policy", "detail": detail}


@pytest.mark.parametrize("rules", [{}, {"variant": "whiz"}])
def test_it_plays_no_convention_whoever_decides(call, request_body, rules):
    request_body |= {"policy": "best", "convention": "big5", "rules": rules}
    (error,) = call("POST", "/bid", json=request_body).json()["errors"]
    assert (error["pointer"], error["code"]) == ("/convention", "unsupported-convention")


def test_blind_nils_are_decided_by_the_policy_that_bids_them(call):
    request = {"previous_bids": [4, 4, 3], "seat": 3, "scores": {"us": 120, "them": 310}, "policy": "best"}
    request["rules"] = {"preset": "blind-nil"}
    answer = call("POST", "/v1/bid/blind", json=request).json()
    assert (answer["policy"], answer["blind_nil"]) == ("bis:tuned", True)


def test_metrics_count_the_policy_that_decides(call, request_body):
    service = served()
    call("POST", "/bid", service, json=request_body | {"policy": "best"})
    text = call("GET", "/metrics", service).text
    assert 'policy="best"' not in text
    assert 'spades_decision_duration_seconds_count{policy="winprob"} 1.0' in text


def test_the_catalogue_lists_it_first_with_its_candidates(call):
    best, *others = call("GET", "/v1/policies").json()["policies"]
    by_name = {info["policy"]: info for info in others}
    assert (best["policy"], best["deciders"]) == ("best", ["winprob", "bis:tuned"])
    common = set(by_name["winprob"]["options"]) & set(by_name["bis:tuned"]["options"])
    assert set(best["options"]) == common - {"rules=heed|ignore", "blind=off|on"}  # which are for the arena
    assert best["win_rates"] == by_name["winprob"]["win_rates"]
    assert (best["variants"], best["needs_win_table"]) == (list(VARIANTS), False)
    played = ["partnership", "whiz", "suicide", "jokers"]
    assert (by_name["winprob"]["variants"], by_name["winprob"]["needs_win_table"]) == (played, True)
    assert not any("deciders" in info for info in others)


def test_winprob_takes_the_rules_that_the_catalogue_lists(call, request_body):
    tables = call("GET", "/v1/policies").json()["win_tables"]
    assert {"win": 1000} in tables  # which serves all lower goals
    assert {"win": 200, "lose": -100, "bag_penalty": 110} in tables
    assert {"ten_for_200": True} in tables
    assert {"win": 1000, "variant": "jokers", "deck": "jjdd"} in tables
    for rules in tables:
        request = request_body | {"policy": "winprob", "explain": False, "rules": rules, "scores": {}}
        request |= {"previous_bids": [], "seat": 0}
        assert call("POST", "/bid", json=request).status_code == 200, rules

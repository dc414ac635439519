"""Every fault code, at its pointer; all faults at once; hostile sizes."""

import gc
import json
import tracemalloc
from contextlib import suppress
from time import perf_counter
from typing import Any

import orjson
import pytest

from service.endpoints.bids import answer_bid
from service.problems import MEDIA_TYPE
from spades.contract.examples import CARD_REQUEST, FAULTS, PASS_REQUEST, SPECTATOR_REQUEST
from spades.contract.faults import CODES, MAX_FAULTS, RequestError
from spades.contract.fields import MAX_KEYS
from spades.rules import Rules
from tests.service.asgi_calls import send

_HAND = ["KC", "9C", "5C", "4C", "3C", "QD", "AH", "QH", "AS", "KS", "JS", "6S", "2S"]
_GONE = "(left out)"  # a text, so that the names of tests are the same in every process

# code, the fields to change (_GONE: leave out), the pointer
_CASES = [
    ("missing-field", {"hand": _GONE}, "/hand"),
    ("missing-field", {"previous_bids": _GONE}, "/previous_bids"),
    ("unknown-field", {"previousBids": []}, "/previousBids"),
    ("unknown-field", {"a/b~c": 1}, "/a~1b~0c"),
    ("unknown-field", {"scores": {"we": 1}}, "/scores/we"),
    ("unknown-field", {"rules": {"goal": 500}}, "/rules/goal"),
    ("out-of-range", {"level": 0}, "/level"),
    ("out-of-range", {"level": 6}, "/level"),
    ("wrong-type", {"level": 3.5}, "/level"),
    ("wrong-type", {"level": True}, "/level"),
    ("wrong-type", {"style": "bold"}, "/style"),
    ("wrong-type", {"style": {"aggression": "0.5"}}, "/style/aggression"),
    ("wrong-type", {"style": {"aggression": True}}, "/style/aggression"),
    ("wrong-type", {"style": {"nil_bias": "0"}}, "/style/nil_bias"),
    ("out-of-range", {"style": {"aggression": 1.01}}, "/style/aggression"),
    ("out-of-range", {"style": {"nil_bias": -2}}, "/style/nil_bias"),
    ("out-of-range", {"style": {"nil_bias": 1e300}}, "/style/nil_bias"),
    ("unknown-field", {"style": {"bluff": 1}}, "/style/bluff"),
    ("too-many-items", {"style": {str(key): 0 for key in range(65)}}, "/style"),
    ("out-of-range", {"players": {"left": "human"}}, "/players/left"),
    ("wrong-type", {"players": {"left": 3}}, "/players/left"),
    ("wrong-type", {"players": ["bis"]}, "/players"),
    ("unknown-field", {"players": {"own": "bis"}}, "/players/own"),
    ("unsupported-field", {"scores": {"seats": [0, 0, 0, 0]}}, "/scores/seats"),
    ("unsupported-field", {"scores": {"us": 0}, "rules": {"preset": "cutthroat"}}, "/scores/us"),
    ("missing-field", {"scores": {"seats": [0, 0, 0]}, "rules": {"preset": "cutthroat"}}, "/scores/seats"),
    ("too-many-items", {"scores": {"bags": [0] * 5}, "rules": {"preset": "cutthroat"}}, "/scores/bags"),
    ("wrong-type", {"scores": {"seats": 0}, "rules": {"preset": "cutthroat"}}, "/scores/seats"),
    ("wrong-type", {"scores": {"bags": [0, 1.5, 2, 3]}, "rules": {"preset": "cutthroat"}}, "/scores/bags/1"),
    ("out-of-range", {"scores": {"seats": [0, 0, 10_001, 0]}, "rules": {"preset": "cutthroat"}}, "/scores/seats/2"),
    ("out-of-range", {"scores": {"bags": [0, 0, 0, 10]}, "rules": {"preset": "cutthroat"}}, "/scores/bags/3"),
    ("unsupported-convention", {"convention": "big5", "scores": {}, "rules": {"preset": "cutthroat"}}, "/convention"),
    ("wrong-type", {"hand": 13}, "/hand"),
    ("wrong-type", {"hand": [1, *_HAND[1:]]}, "/hand/0"),
    ("wrong-type", {"seat": "2"}, "/seat"),
    ("wrong-type", {"seat": 2.5}, "/seat"),
    ("wrong-type", {"seat": True, "previous_bids": [3]}, "/seat"),
    ("wrong-type", {"previous_bids": "3,1"}, "/previous_bids"),
    ("wrong-type", {"previous_bids": [3, True]}, "/previous_bids/1"),
    ("wrong-type", {"previous_bids": [3, 1.5]}, "/previous_bids/1"),
    ("wrong-type", {"scores": []}, "/scores"),
    ("wrong-type", {"scores": {"us": "120"}}, "/scores/us"),
    ("wrong-type", {"policy": 1}, "/policy"),
    ("wrong-type", {"convention": 0}, "/convention"),
    ("wrong-type", {"explain": 1}, "/explain"),
    ("wrong-type", {"explain": "full"}, "/explain"),
    ("wrong-type", {"legal_bids": "all"}, "/legal_bids"),
    ("wrong-type", {"seed": "x"}, "/seed"),
    ("wrong-type", {"rules": "classic"}, "/rules"),
    ("wrong-type", {"rules": {"preset": ["classic"]}}, "/rules/preset"),
    ("wrong-type", {"rules": {"win": "500"}}, "/rules/win"),
    ("wrong-type", {"rules": {"bags": 1}}, "/rules/bags"),
    ("out-of-range", {"seat": 4}, "/seat"),
    ("out-of-range", {"seat": -1}, "/seat"),
    ("out-of-range", {"scores": {"us": 10_001}}, "/scores/us"),
    ("out-of-range", {"scores": {"them": -10_001}}, "/scores/them"),
    ("out-of-range", {"scores": {"us_bags": -1}}, "/scores/us_bags"),
    ("out-of-range", {"scores": {"us_bags": 10}}, "/scores/us_bags"),
    ("out-of-range", {"scores": {"them_bags": 5}, "rules": {"bag_limit": 5}}, "/scores/them_bags"),
    ("out-of-range", {"scores": {"them_bags": 100}, "rules": {"bags": False}}, "/scores/them_bags"),
    ("out-of-range", {"seed": -1}, "/seed"),
    ("out-of-range", {"seed": 2**53}, "/seed"),
    ("too-many-items", {"previous_bids": [3, 1, 2, 4], "seat": 3}, "/previous_bids"),
    ("too-many-items", {str(index): 0 for index in range(70)}, ""),
    ("too-many-items", {"rules": {str(index): 0 for index in range(70)}}, "/rules"),
    ("hand-size", {"hand": _HAND[1:]}, "/hand"),
    ("hand-size", {"hand": [*_HAND, "2C"]}, "/hand"),
    ("hand-size", {"hand": []}, "/hand"),
    ("hand-size", {"hand": ["AS"] * 1000}, "/hand"),
    ("hand-size", {"hand": "AKJ62.AQ.Q.K954"}, "/hand"),
    ("hand-size", {"hand": "..."}, "/hand"),
    ("hand-form", {"hand": "AKJ62.AQ.QK9543"}, "/hand"),
    ("hand-form", {"hand": "AKQ.JT9.xx"}, "/hand"),
    ("hand-form", {"hand": "AKJ62.AQ.Q.K9543."}, "/hand"),
    ("hand-form", {"hand": "KC 9C 5C 4C 3C QD AH QH AS KS JS 6S 2S"}, "/hand"),
    ("hand-form", {"hand": "."}, "/hand"),
    ("hand-form", {"hand": ""}, "/hand"),
    ("hand-form", {"hand": "A" * 1000}, "/hand"),
    ("unknown-card", {"hand": ["1S", *_HAND[1:]]}, "/hand/0"),
    ("unknown-card", {"hand": ["BJ", *_HAND[1:]]}, "/hand/0"),
    ("unknown-card", {"hand": ["", *_HAND[1:]]}, "/hand/0"),
    ("unknown-card", {"hand": ["a\u017f", *_HAND[1:]]}, "/hand/0"),  # a long s, whose upper case is S
    ("unknown-card", {"hand": "AKJ61.AQ.Q.K9543"}, "/hand"),
    ("duplicate-card", {"hand": [*_HAND[:12], "as"]}, "/hand/12"),
    ("duplicate-card", {"hand": "AKJ62.AQ.Q.KK543"}, "/hand"),
    ("bid-out-of-range", {"previous_bids": [14, 1]}, "/previous_bids/0"),
    ("bid-out-of-range", {"previous_bids": [3, -1]}, "/previous_bids/1"),
    ("bid-out-of-range", {"previous_bids": [3, "14"]}, "/previous_bids/1"),
    ("bid-out-of-range", {"previous_bids": [3, 10**19]}, "/previous_bids/1"),
    ("bid-out-of-range", {"previous_bids": [3, -1e30]}, "/previous_bids/1"),  # as longer integers are read
    ("bid-out-of-range", {"previous_bids": [3, "pass"]}, "/previous_bids/1"),
    ("bid-out-of-range", {"previous_bids": ["blind_nil", 3]}, "/previous_bids/0"),
    (
        "bid-out-of-range",
        {"previous_bids": [0, 4, "nil"], "seat": 3, "rules": {"double_nil": False}},
        "/previous_bids/2",
    ),
    ("seat-mismatch", {"seat": 3}, "/seat"),
    ("seat-mismatch", {"previous_bids": []}, "/seat"),
    ("team-over-limit", {"previous_bids": [9, 1, 5], "seat": 3}, "/previous_bids/2"),
    ("team-over-limit", {"previous_bids": ["13", 1, 2], "seat": 3}, "/previous_bids/2"),  # 1 is allowed beside a 13
    ("team-over-limit", {"previous_bids": [3, 9], "rules": {"team_max": 9}}, "/previous_bids/1"),
    ("team-over-limit", {"previous_bids": [5, 3, 5], "seat": 3, "rules": {"team_max": 9}}, "/previous_bids/2"),
    ("team-under-limit", {"previous_bids": [2, 3, 1], "seat": 3, "rules": {"team_min": 4}}, "/previous_bids/2"),
    ("team-under-limit", {"previous_bids": [2, 3, "nil"], "seat": 3, "rules": {"team_min": 4}}, "/previous_bids/2"),
    ("team-under-limit", {"previous_bids": [0, 3, "nil"], "seat": 3, "rules": {"team_min": 4}}, "/previous_bids/2"),
    ("team-under-limit", {"previous_bids": [3, 4], "rules": {"preset": "suicide"}}, "/previous_bids/0"),
    ("bid-out-of-range", {"previous_bids": [4, 2], "rules": {"min_bid": 3}}, "/previous_bids/1"),
    ("bid-out-of-range", {"previous_bids": [4, 5, 5], "seat": 3, "rules": {"preset": "suicide"}}, "/previous_bids/2"),
    ("bid-out-of-range", {"previous_bids": [0, 5, 0], "seat": 3, "rules": {"preset": "suicide"}}, "/previous_bids/2"),
    ("bid-out-of-range", {"previous_bids": [5, 6, 4], "seat": 3, "rules": {"preset": "mirror"}}, "/previous_bids/2"),
    ("illegal-bids", {"legal_bids": []}, "/legal_bids"),
    ("illegal-bids", {"legal_bids": [3, 4, 3]}, "/legal_bids/2"),
    ("illegal-bids", {"legal_bids": [0, "nil"]}, "/legal_bids/1"),
    ("illegal-bids", {"legal_bids": [3, 14]}, "/legal_bids/1"),
    ("illegal-bids", {"legal_bids": ["blind_nil"], "rules": {"blind_nil": True}}, "/legal_bids"),
    ("illegal-bids", {"legal_bids": list(range(14)) * 2}, "/legal_bids"),
    ("unknown-policy", {"policy": "strongest"}, "/policy"),
    ("unknown-policy", {"policy": "fixed"}, "/policy"),
    ("unknown-policy", {"policy": "bis:moon=1"}, "/policy"),
    ("unknown-policy", {"policy": "bis:" + "x" * 60_000}, "/policy"),
    ("unsupported-convention", {"convention": "big5", "policy": "rb"}, "/convention"),
    ("unsupported-convention", {"convention": "auto", "rules": {"preset": "jokers"}}, "/convention"),
    ("unsupported-convention", {"convention": "stayman"}, "/convention"),
    ("unsupported-rules", {"rules": {"preset": "casino"}}, "/rules/preset"),
    ("unsupported-rules", {"rules": {"variant": "bridge"}}, "/rules/variant"),
    ("unsupported-rules", {"rules": {"min_bid": 7}}, "/rules/min_bid"),
    ("unsupported-rules", {"rules": {"team_max": 6}}, "/rules/team_max"),
    ("unsupported-rules", {"rules": {"min_bid": 4, "team_max": 7}}, "/rules/team_max"),
    ("unsupported-rules", {"rules": {"preset": "mirror", "team_min": 4}}, "/rules/team_min"),
    ("unsupported-rules", {"rules": {"variant": "whiz", "blind_nil": True}}, "/rules/blind_nil"),
    ("unsupported-rules", {"rules": {"win": 0}}, "/rules/win"),
    ("unsupported-rules", {"rules": {"failed_nil_tricks": "all"}}, "/rules/failed_nil_tricks"),
]


@pytest.mark.parametrize(("code", "changes", "pointer"), _CASES, ids=lambda value: str(value)[:40])
def test_code_and_pointer(call, request_body, code, changes, pointer):
    request_body |= changes
    request_body = {field: value for field, value in request_body.items() if value is not _GONE}
    response = call("POST", "/v1/bid", content=orjson.dumps(request_body))
    assert response.status_code == 422
    assert response.headers["content-type"] == MEDIA_TYPE
    problem = response.json()
    assert (problem["type"], problem["status"]) == ("/problems/invalid-request", 422)
    found = {(error["pointer"], error["code"]) for error in problem["errors"]}
    assert (pointer, code) in found
    extra = found - {(pointer, code)}
    assert all(code in ("seat-mismatch", "hand-size") for _, code in extra), extra  # caused by the change itself
    assert all(len(error["detail"]) < 400 for error in problem["errors"])


def test_every_code_has_a_case_and_an_example():
    elsewhere = {"contradiction", "unknown-tables", "unsupported-player"}  # see test_card, test_table_sets, test_search
    assert {case[0] for case in _CASES} | elsewhere == set(CODES)
    assert set(FAULTS) == set(CODES)


def test_all_faults_of_a_request_at_once(call):
    request = {
        "hand": ["AS", "as", "1S", 4],
        "previous_bids": [14, "x"],
        "seat": 1,
        "scores": {"us": "a", "us_bags": 10},
        "policy": "strongest",
        "convention": "stayman",
        "rules": {"win": 0, "goal": 1},
        "legal_bids": [],
        "level": 7,
        "who": 1,
    }
    errors = call("POST", "/bid", json=request).json()["errors"]
    assert sorted((error["pointer"], error["code"]) for error in errors) == [
        ("/convention", "unsupported-convention"),
        ("/hand", "hand-size"),
        ("/hand/1", "duplicate-card"),
        ("/hand/2", "unknown-card"),
        ("/hand/3", "wrong-type"),
        ("/legal_bids", "illegal-bids"),
        ("/level", "out-of-range"),
        ("/policy", "unknown-policy"),
        ("/previous_bids/0", "bid-out-of-range"),
        ("/previous_bids/1", "bid-out-of-range"),
        ("/rules/goal", "unknown-field"),
        ("/rules/win", "unsupported-rules"),
        ("/scores/us", "wrong-type"),
        ("/scores/us_bags", "out-of-range"),
        ("/seat", "seat-mismatch"),
        ("/who", "unknown-field"),
    ]


@pytest.mark.parametrize("body", [b"[]", b"3", b'"hand"', b"null", b"true"])
def test_what_is_no_object(call, body):
    response = call("POST", "/bid", content=body)
    assert response.status_code == 422
    assert response.json()["errors"] == [
        {"pointer": "", "code": "wrong-type", "detail": response.json()["errors"][0]["detail"]}
    ]


def test_the_last_of_doubled_keys_counts(call, request_body):
    body = orjson.dumps(request_body)[:-1] + b',"seat":3,"seat":2}'
    assert call("POST", "/bid", content=body).status_code == 200


def test_at_most_so_many_faults_are_told(call, request_body):
    request_body |= {f"f{index}": 0 for index in range(50)}
    request_body["hand"] = ["1S"] * 64
    problem = call("POST", "/bid", json=request_body).json()
    assert len(problem["errors"]) == MAX_FAULTS
    first = problem["errors"][0]["detail"]
    assert problem["detail"] == f"{first} (the first of 115 faults, 51 of them not listed)"


def test_the_fields_of_all_objects_together_are_limited(call, request_body):
    """The example has 8 fields, 4 in `scores` and 1 in `rules`."""
    request_body["style"] = {f"f{index}": 0 for index in range(MAX_KEYS - 14)}
    assert len(call("POST", "/bid", json=request_body).json()["errors"]) == MAX_KEYS - 14
    request_body["style"]["one more"] = 0
    (error,) = call("POST", "/bid", json=request_body).json()["errors"]
    assert (error["pointer"], error["code"]) == ("", "too-many-items")
    assert error["detail"] == "65 fields, those of scores, rules, style, players included; accepted: at most 64"


_WORST: dict[str, Any] = {
    "hand": ["10x"] * 64,
    "previous_bids": [99, "z", None],
    "seat": 9,
    "scores": {f"k{index}": 1 for index in range(13)},
    "rules": {**dict.fromkeys(Rules._fields, "x"), **{f"k{index}": 1 for index in range(4)}},
    "style": {f"k{index}": 1 for index in range(10)},
    "legal_bids": ["z"] * 15,
    "policy": "strongest",
    "convention": "x",
    "seed": -1,
    "level": 9,
    "explain": 3,
    **{f"x{index}": 0 for index in range(9)},
}
_LONG = "x" * 1_000_000
_VALID = {"hand": "AKJ62.AQ.Q.K9543", "policy": "winprob", "level": 1, "style": {"aggression": 0.5}}
_COSTLY = {
    "as many faults as there can be": _WORST,
    "64 fields in each object": _WORST
    | {part: _WORST[part] | {f"y{index}": 0 for index in range(44)} for part in ("scores", "rules", "style")}
    | {f"x{index}": 0 for index in range(52)},
    "unknown fields": {f"x{index}": 0 for index in range(60)},
    "unknown rules": {"rules": {f"x{index}": 0 for index in range(60)}},
    "cards": {"hand": ["x" * 15_000] * 64},
    "a long policy": {"policy": _LONG},
    "a long convention": {"convention": _LONG},
    "a long key": {_LONG: 1},
    "a long rule": {"rules": {"preset": _LONG}},
    "a long list as a rule": {"rules": {"win": list(range(30_000))}},
}


@pytest.mark.long
@pytest.mark.parametrize("case", _COSTLY)
def test_no_single_request_takes_long(app, capsys, case):
    """A slice of a batch ends after the request in progress, so none should take much longer than others."""

    def shortest(fields):
        request, times = {"previous_bids": [3, 4, 2], "seat": 3, **fields}, []
        for _ in range(15):
            data = orjson.loads(orjson.dumps(request))
            started = perf_counter()
            with suppress(RequestError):
                orjson.dumps(answer_bid(app.state, app.state.sets, data, None))
            times.append(perf_counter() - started)
        return min(times)

    ratio = shortest(_COSTLY[case]) / shortest(_VALID)
    with capsys.disabled():
        print(f"\n{case}: {ratio:.1f} times as long as a valid request to winprob")
    assert ratio < 10


def test_a_missing_field_says_what_it_holds(app):
    (fault,) = json.loads(send(app, "/v1/bid", orjson.dumps({"previous_bids": []})).content)["errors"]
    assert fault["detail"] == "hand is missing; accepted: 13 cards, or one PBN text"


@pytest.mark.parametrize("field", ["policy", "convention"])
def test_what_is_refused_is_not_remembered(app, request_body, field):
    """Texts are kept in caches of 1,024 entries, so long texts would fill the memory."""
    tracemalloc.start()
    try:
        for number in range(300):  # a quarter of a cache would be 3.6 MB
            request_body[field] = f"{number:06d}" * 2000
            send(app, "/bid", orjson.dumps(request_body))
        gc.collect()  # an error and its traceback refer to each other
        assert tracemalloc.get_traced_memory()[0] < 1_000_000
    finally:
        tracemalloc.stop()


_FOUR = "because a table has four players"


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        (
            {"players": 3},
            "players is an integer; accepted: an object that says how left, partner and right bid, " + _FOUR,
        ),
        ({"players": ["bis"]}, "players is an array; accepted: an object that says how left, partner and right bid, "),
        ({"previous_bids": [3, 1, 2, 4]}, "4 previous bids; accepted: at most 3, " + _FOUR),
        (
            {"scores": {"seats": [0, 0, 0]}, "rules": {"preset": "cutthroat"}},
            "scores.seats has 3 numbers; accepted: 4, first bidder first, " + _FOUR,
        ),
        (
            {"rules": {"failed_nil_tricks": 3}},
            "rules.failed_nil_tricks is an integer; accepted: 'bags', 'contract' or 'none'",
        ),
        ({"rules": {"preset": ""}}, "rules.preset is \"\"; accepted: 'classic', "),
        (
            {"previousBids": []},
            "previousBids is not a field of the request; accepted: rules, hand, previous_bids, seat, ",
        ),
        ({"scores": {"we": 1}}, "scores.we is not a field of the request; accepted: us, them, us_bags, "),
        (
            {"rules": {"goal": 1}},
            "rules.goal is not a field of the request; accepted: preset, approximate, and the rules ",
        ),
        ({"seat": 3}, "seat is 3 after 2 previous bids; accepted: 2, or leave seat out"),
        ({"seat": 2, "previous_bids": [3]}, "seat is 2 after 1 previous bid; accepted: 1, or leave seat out"),
        (
            {"previous_bids": [6, 3], "rules": {"team_max": 7, "min_bid": 2}},
            "the bid is 6; accepted: nil or 2..5, because rules.team_max is 7 and leaves room for the partner's 2",
        ),
        (
            {"previous_bids": [13, 1], "rules": {"team_max": 13}},
            "the bid is 13; accepted: nil or 1..12, because rules.team_max is 13 and leaves room for the partner's 1",
        ),
    ],
)
def test_what_was_found_and_what_was_expected(call, request_body, changes, detail):
    (error,) = call("POST", "/bid", json=request_body | changes).json()["errors"]
    assert error["detail"].startswith(detail)


@pytest.mark.parametrize(
    ("path", "request_body", "detail"),
    [
        ("/v1/card", CARD_REQUEST | {"bids": [3, 1, 5]}, "3 bids; accepted: 4, " + _FOUR),
        ("/v1/card", CARD_REQUEST | {"bids": [3]}, "1 bid; accepted: 4, " + _FOUR),
        ("/v1/pass", PASS_REQUEST | {"bids": [0, 4, 5]}, "3 bids; accepted: 4, " + _FOUR),
        ("/v1/inference", SPECTATOR_REQUEST | {"bids": [3, 0, 5, 4, 1]}, "5 bids; accepted: 1..4, " + _FOUR),
    ],
)
def test_bids_of_another_number_of_players(call, path, request_body, detail):
    (error,) = call("POST", path, json=request_body).json()["errors"]
    assert (error["pointer"], error["detail"]) == ("/bids", detail)

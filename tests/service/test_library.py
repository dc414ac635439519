"""The library's `decide`, `explain`, `choose_card` and `infer` give the service's answers."""

import itertools
import json
from typing import Any

import pytest

import spades
from spades import BLIND_NIL, Position, Rules, choose_card, decide, explain, infer, make_rules
from spades.contract.examples import CARD_REQUEST, INFERENCE_REQUEST, SPECTATOR_REQUEST
from tests.conftest import committed_tables
from tests.golden.positions import read_positions

POLICIES = ("bis", "best", "winprob", "bis:tuned", "rb", "bis:level=2", "winprob:level=3", "ms:aggression=1")
SHORT = {"hand", "previous_bids", "scores", "rules"}  # fields of the positions that all policies answer
OTHER_RULES: tuple[dict[str, Any], ...] = (
    {"preset": "blind-nil", "nil_pass": 2},
    {"preset": "suicide"},
    {"preset": "jokers-deuce"},
    {"preset": "whiz", "win": 350},
    {"preset": "cutthroat"},
    {"bag_limit": 7, "approximate": False},
)


def positions(path: str) -> list[dict]:
    """Return the requests of the golden positions that have an answer and nothing that only the service takes."""
    found = [one for one in read_positions() if one["path"] == path and "errors" not in one.get("answer", {})]
    requests = [one["request"] for one in found]
    return [
        request
        for request in requests
        if not request.keys() & {"level", "style", "players", "convention", "explain"}
        and not any(isinstance(bid, str) for bid in request.get("bids", request.get("previous_bids")))
    ]


def rules_of(request: dict) -> Rules:
    fields = {name: value for name, value in request.get("rules", {}).items() if name != "approximate"}
    return make_rules(fields.pop("preset", "classic"), fields)


def score_of(request: dict, own: int | None = None) -> dict:
    """Return the scores of a request as arguments of the library; ``own``: the bidder's seat, for a bid."""
    scores = dict(request.get("scores", {}))
    if "seats" in scores:
        scores["scores"] = scores.pop("seats")
    if own is not None and "bags" in scores:
        scores["us_bags"] = scores.pop("bags")[own]
    return scores


def position_of(request: dict) -> Position:
    bids = tuple(BLIND_NIL if bid == "blind_nil" else bid for bid in request["previous_bids"])
    return Position.of(request["hand"], bids, rules=rules_of(request), **score_of(request, len(bids)))


def asked(request: dict) -> dict:
    """Return the arguments of `decide` and `explain` besides position and tables."""
    names = {"policy": "policy", "legal_bids": "legal", "seed": "seed"}
    found = {names[name]: value for name, value in request.items() if name in names}
    return found | {"approximate": request.get("rules", {}).get("approximate", True)}


def requests() -> list[dict]:
    found = []
    policies = itertools.cycle(POLICIES)
    for request in positions("/v1/bid"):
        found.append(request | {"policy": next(policies)} if request.keys() == SHORT else request)
    for rules, policy in zip(OTHER_RULES, ("bis", "best", "best", "winprob", "bis", "best"), strict=True):
        hand = "BLAKJ.AQ.Q9.K954" if rules.get("preset", "").startswith("jokers") else "AKJ62.AQ.Q.K9543"
        found.append({"hand": hand, "previous_bids": [], "rules": rules, "policy": policy})
    cutthroat = {"preset": "cutthroat"}
    scores = {"seats": [250, 120, -30, 270], "bags": [1, 2, 3, 4]}
    found.append({"hand": "T92.943.864.8532", "previous_bids": [3, 4, 3], "rules": cutthroat, "scores": scores})
    found.append({"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3], "policy": "bis:level=1", "seed": 7})
    found.append({"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3], "legal_bids": [2, 0, 9]})
    return found


def test_bids_and_explanations(call):
    different: list[Any] = []
    for request in requests():
        response = call("POST", "/v1/bid", json=request)
        assert response.status_code == 200, (request, response.text)
        answer, position = response.json(), position_of(request)
        decision = decide(position, committed_tables(), **asked(request))
        explanation = explain(position, committed_tables(), **asked(request))
        if (decision.bid, decision.kind) != (answer["bid"], answer["kind"]):
            different.append((request, decision, answer["bid"]))
        elif json.loads(json.dumps(explanation)) != answer["explanation"]:
            different.append((request, explanation, answer["explanation"]))
    assert len(requests()) > 100
    assert different == []


def test_cards(call):
    cutthroat = {"preset": "cutthroat"}
    scores = {"seats": [250, 120, -30, 270], "bags": [1, 2, 3, 4]}
    alone = {"hand": "T92.943.864.8532", "bids": [3, 4, 3, 0], "seat": 0, "rules": cutthroat, "scores": scores}
    passed = {"hand": "AKJ62.AQ.Q.K9543", "bids": [0, 1, 5, 4], "seat": 2, "rules": {"preset": "pass-2"}}
    passed |= {"given": ["QH", "3C"], "received": ["8D", "TH"], "tricks": [["2D", "3D"]]}
    requests = positions("/v1/card")
    levels = [CARD_REQUEST | {"level": level, "seed": 3} for level in range(1, 6)]
    for request in (*requests, CARD_REQUEST, *levels, alone, passed):
        answer = call("POST", "/v1/card", json=request).json()
        given = {name: request[name] for name in ("tricks", "given", "received") if name in request}
        score = score_of(request)
        who: dict[str, Any] = {"tables": committed_tables(), "rules": rules_of(request)}
        who |= {name: request[name] for name in ("level", "seed") if name in request}
        found = choose_card(request["hand"], request["bids"], request["seat"], **who, **given, **score)
        assert (found.card, found.player, list(found.legal), found.reasons) == tuple(
            answer[name] for name in ("card", "player", "legal", "reasons")
        )


@pytest.mark.parametrize(
    "request_",
    [
        INFERENCE_REQUEST,
        SPECTATOR_REQUEST,
        {"hand": "AKJ62.AQ.Q.K9543", "bids": [3, 1], "seat": 0, "policy": "best", "scores": {"us": 400, "them": 310}},
        {
            "hand": "AKJ62.AQ.Q.K9543",
            "bids": [3, 1, 5, 4],
            "seat": 2,
            "played": {"0": ["KD", "4H"], "1": ["2D", "5H"], "2": ["QD"], "3": ["6C"]},
            "voids": {"3": ["D"]},
        },
        {
            "hand": "AKJ62.AQ.Q.K9543",
            "bids": [0, 1, 5, 4],
            "seat": 2,
            "rules": {"preset": "pass-2"},
            "given": ["QH", "3C"],
            "received": ["8D", "TH"],
        },
    ],
)
def test_inferences(call, request_):
    answer = call("POST", "/v1/inference", json={**request_, "deals": 20, "seed": 3}).json()
    names = ("hand", "seat", "policy", "given", "received")
    given: dict[str, Any] = {name: request_[name] for name in names if request_.get(name) is not None}
    by_seat: dict[str, Any] = {
        name: {int(seat): cards for seat, cards in request_[name].items()}
        for name in ("played", "voids")
        if request_.get(name)
    }
    score = score_of(request_)
    found = infer(request_["bids"], committed_tables(), rules=rules_of(request_), **given, **by_seat, **score)
    assert {int(seat): cards.keys() for seat, cards in answer["seats"].items()} == {
        seat: cards.keys() for seat, cards in found.seats.items()
    }
    for seat, cards in answer["seats"].items():
        assert cards == pytest.approx(found.seats[int(seat)], abs=1e-8)
    assert [{int(seat): cards for seat, cards in deal.items()} for deal in answer["deals"]] == found.deals(20, seed=3)


def test_reasons_are_those_of_the_catalogue(call):
    answer = call("GET", "/v1/reasons").json()
    fields = {"bid": "reasons", "card": "card_reasons", "pass": "pass_reasons"}
    fields |= {"review": "review_reasons", "nil": "nil_reasons", "blind nil": "blind_nil_reasons"}
    assert fields.keys() == spades.REASONS.keys()
    for subject, field in fields.items():
        assert [reason["code"] for reason in answer[field]] == list(spades.REASONS[subject])

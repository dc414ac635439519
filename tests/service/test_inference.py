"""POST /v1/inference and /v1/inferences: probabilities, deals, true and spoiled requests, deadlines and turns."""

import asyncio
import gc
import math
import re
from collections import Counter
from contextlib import suppress
from functools import cache
from time import thread_time

import jsonschema
import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.endpoints import inferences as module
from service.endpoints.inferences import answer_in_slices, parts
from service.fair_turns import SLICE_S, FairTurns
from service.keys import new_key
from service.problems import ProblemError
from spades.cards import DECK, cards_of, parse_card
from spades.contract.examples import INFERENCE_ANSWER, INFERENCE_REQUEST, SHORT_INFERENCE_REQUEST, SPECTATOR_REQUEST
from spades.contract.faults import CODES, RequestError
from spades.contract.inference_request import (
    MAX_DEALS,
    MAX_INFERENCE_ITEMS,
    InferenceRequest,
    probabilities_answer,
    read_inference,
)
from spades.inference import draw, sampler_of
from spades.inference.holders import ONE, VALUE_UNIT, WEIGHT_UNIT, infer_from_view, readers_of
from tests.conftest import ROOT, committed_tables
from tests.golden.requests import JUNK
from tests.one_set import served
from tests.patience import post
from tests.service.true_rounds import LIES, false_round, true_round

HAND = SHORT_INFERENCE_REQUEST["hand"]
MIDWAY = {
    "hand": HAND,
    "bids": [3, 1, 5, 4],
    "seat": 2,
    "played": {"0": ["KD", "4H"], "1": ["2D", "5H"], "2": ["QD"], "3": ["6C"]},
    "voids": {"3": ["D"]},
}
# Seat 0 has bid nil, and seat 2 is its partner.
PASSED = {
    "hand": HAND,
    "bids": [0, 1, 5, 4],
    "seat": 2,
    "rules": {"preset": "pass-2"},
    "given": ["QH", "3C"],
    "received": ["8D", "TH"],
}

UNPLAYED = {"played": None, "voids": None}


@cache
def committed_readers():
    return readers_of(committed_tables().arrays)


def answer_to(request):
    """Return the answer to a request, read and made in this process."""
    call = read_inference(request)
    return orjson.loads(b"".join(parts(call, committed_readers(), committed_tables().version)))


def check_sums(answer, left):
    """Check that the probabilities of each card sum to 1, and those of each seat to ``left``, by seat."""
    of_card: Counter[str] = Counter()
    for seat, cards in answer["seats"].items():
        assert all(0.0 < p <= 1.0 for p in cards.values())
        assert sum(cards.values()) == pytest.approx(left(int(seat)), abs=1e-6)
        of_card.update(cards)
    assert all(abs(total - 1.0) < 1e-6 for total in of_card.values())
    return of_card


def test_the_example(call):
    answer = call("POST", "/v1/inference", json=INFERENCE_REQUEST)
    assert answer.status_code == 200
    found = answer.json()
    assert found.keys() == INFERENCE_ANSWER.keys()
    assert set(found["seats"]) == {"0", "1", "3"}
    assert found["seats"]["0"]["9D"] == 1.0  # seats 1 and 3 are out of diamonds
    assert "9D" not in found["seats"]["1"]
    assert (found["policy"], found["assumed"], len(found["deals"])) == ("bis", [], 2)
    check_sums(found, lambda seat: 2)


@pytest.mark.parametrize("request_body", [INFERENCE_REQUEST, SHORT_INFERENCE_REQUEST, SPECTATOR_REQUEST, PASSED])
def test_requests_and_answers_fit_their_schemas(app, call, request_body):
    document = app.openapi()
    for name, value in (("Request", request_body), ("Answer", call("POST", "/v1/inference", json=request_body).json())):
        schema = {"$ref": f"#/components/schemas/Inference{name}", "components": document["components"]}
        jsonschema.Draft202012Validator(schema).validate(value)


def test_before_the_first_card():
    answer = answer_to(SHORT_INFERENCE_REQUEST)
    assert answer["assumed"] == ["rules.preset", "scores", "policy"]
    assert "deals" not in answer
    unseen = check_sums(answer, lambda seat: 13)
    assert set(answer["seats"]) == {"0", "1", "3"}
    own = {"AS", "KS", "JS", "6S", "2S", "AH", "QH", "QD", "KC", "9C", "5C", "4C", "3C"}
    assert len(unseen) == 39
    assert not own & set(unseen)


def test_a_spectator():
    answer = answer_to(SPECTATOR_REQUEST | {"deals": 3})
    assert answer["policy"] == "best"
    assert set(answer["seats"]) == {"0", "1", "2", "3"}
    assert len(check_sums(answer, lambda seat: 13 - (seat < 2))) == 50
    assert [sum(map(len, deal.values())) for deal in answer["deals"]] == [50] * 3


def test_played_cards_and_voids():
    answer = answer_to(MIDWAY)
    assert len(check_sums(answer, lambda seat: 11 if seat < 2 else 12)) == 34
    assert not [card for card in answer["seats"]["3"] if card[1] == "D"]
    assert not any(card in cards for cards in answer["seats"].values() for card in ("KD", "4H", "2D", "5H", "6C"))


def test_the_first_trick_shows_who_is_out_of_a_suit():
    first = {**MIDWAY, "played": {"0": ["KD"], "1": ["2D"], "2": ["QD"], "3": ["6C"]}}
    assert answer_to(first | {"voids": None}) == answer_to(first)


def test_cards_that_were_exchanged():
    answer = answer_to(PASSED)
    check_sums(answer, lambda seat: 13)
    assert answer["seats"]["0"]["QH"] == answer["seats"]["0"]["3C"] == 1.0
    assert not any(card in cards for cards in answer["seats"].values() for card in ("8D", "TH"))
    played = {"0": ["3C"], "1": ["7C"], "2": ["4C"], "3": ["AC"]}
    later = answer_to(PASSED | {"played": played})
    assert later["seats"]["0"]["QH"] == 1.0
    assert not any("3C" in cards for cards in later["seats"].values())


def test_before_the_exchange():
    before = {name: value for name, value in PASSED.items() if name not in ("given", "received")}
    answer = answer_to(before)
    check_sums(answer, lambda seat: 13)
    assert answer["seats"]["0"].keys() == answer["seats"]["3"].keys()


def test_a_card_that_came_from_partner_and_went_back():
    first = {"preset": "pass-2", "nil_pass": 1, "nil_passes_first": True}
    back = PASSED | {"rules": first, "given": ["3H"], "received": ["3H"]}
    answer = answer_to(back)
    assert answer["seats"]["0"]["3H"] == 1.0
    check_sums(answer, lambda seat: 13)
    played = {"0": ["2D"], "1": ["3H"]}
    with pytest.raises(RequestError):
        read_inference(back | {"played": played})
    kept = PASSED | {"rules": first, "bids": [3, 1, 0, 4], "given": ["QH"], "received": ["QH"]}
    assert not any("QH" in cards for cards in answer_to(kept)["seats"].values())


def test_bids_change_what_is_probable():
    """A nil bidder rarely holds the ace of spades, and a high bidder often does."""
    low = answer_to({"hand": "KJ62.AQ4.Q.K9543", "bids": [0, 3, 3, 6], "seat": 2})["seats"]
    assert low["0"]["AS"] < 0.1
    assert low["3"]["AS"] > low["1"]["AS"]


@pytest.mark.parametrize("preset", ["cutthroat", "whiz"])
def test_variants_in_which_bids_are_not_read(preset):
    answer = answer_to({"hand": HAND, "bids": [3, 4], "seat": 2, "rules": {"preset": preset}})
    assert f"bids, not read in variant {preset}" in answer["assumed"]
    assert {p for cards in answer["seats"].values() for p in cards.values()} == {0.333333333}


def test_other_decks():
    answer = answer_to({"hand": "BA2.AK3.2A3.K943", "bids": [3], "seat": 0, "rules": {"preset": "jjdd"}, "deals": 2})
    assert len(check_sums(answer, lambda seat: 13)) == 39
    assert "LJ" in answer["seats"]["1"]
    assert "LJ" in [card for cards in answer["deals"][0].values() for card in cards]


def test_null_counts_as_left_out(call):
    optional = dict.fromkeys(("rules", "scores", "policy", "given", "received", "played", "voids", "deals", "seed"))
    full, short = SHORT_INFERENCE_REQUEST | optional, SHORT_INFERENCE_REQUEST
    assert call("POST", "/v1/inference", json=full).json() == call("POST", "/v1/inference", json=short).json()
    nobody = {"bids": [3], "hand": None, "seat": None}
    assert call("POST", "/v1/inference", json=nobody).json() == call("POST", "/v1/inference", json={"bids": [3]}).json()


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ({"bids": None}, [("/bids", "wrong-type")]),
        ({"bids": []}, [("/bids", "bid-out-of-range")]),
        ({"bids": [3, 1, 5, 4, 2]}, [("/bids", "too-many-items")]),
        ({"bids": [3, 14, 5, 4]}, [("/bids/1", "bid-out-of-range")]),
        ({"bids": [9, 1, 5, 4]}, [("/bids/2", "team-over-limit")]),
        ({"seat": 4}, [("/seat", "out-of-range")]),
        ({"seat": None}, [("/seat", "missing-field")]),
        ({"hand": None}, [("/hand", "missing-field")]),
        ({"hand": "AKJ62.AQ.Q.K954"}, [("/hand", "hand-size")]),
        ({"policy": "winprob"}, [("/policy", "unknown-policy")]),
        ({"policy": 3}, [("/policy", "wrong-type")]),
        ({"scores": {"us": 0, "us_bags": 10}}, [("/scores/us_bags", "out-of-range")]),
        ({"deals": MAX_DEALS + 1}, [("/deals", "out-of-range")]),
        ({"deals": -1}, [("/deals", "out-of-range")]),
        ({"deals": 1.5}, [("/deals", "wrong-type")]),
        ({"seed": 2**53}, [("/seed", "out-of-range")]),
        ({"tricks": []}, [("/tricks", "unknown-field")]),
        ({"played": []}, [("/played", "wrong-type")]),
        ({"played": {"4": []}}, [("/played/4", "unknown-field")]),
        ({"played": {str(seat): [] for seat in range(5)}}, [("/played", "too-many-items")]),
        ({"played": {"0": "KD"}}, [("/played/0", "wrong-type")]),
        ({"played": {"0": ["KD"] * 14}}, [("/played/0", "too-many-items")]),
        ({"played": {"0": ["1D", 3]}}, [("/played/0/0", "unknown-card"), ("/played/0/1", "wrong-type")]),
        ({"played": {"0": ["KD", "KD"]}}, [("/played/0/1", "duplicate-card")]),
        ({"played": {"0": ["BJ"]}}, [("/played/0/0", "unknown-card")]),
        ({"voids": 3}, [("/voids", "wrong-type")]),
        ({"voids": {"0": ["X"]}}, [("/voids/0/0", "out-of-range")]),
        ({"voids": {"0": [3]}}, [("/voids/0/0", "wrong-type")]),
        ({"voids": {"0": ["S"] * 5}}, [("/voids/0", "too-many-items")]),
        ({"bids": [3, 1, 5]}, [("/played", "contradiction"), ("/voids", "contradiction")]),
        ({"played": {"0": ["KD"], "1": ["KD"]}, "voids": None}, [("/played/1", "contradiction")]),
        ({"played": {"0": ["AS"]}, "voids": None}, [("/played/0", "contradiction")]),
        ({"played": {"0": ["2D"], "1": ["3D"], "2": ["4D"]}, "voids": None}, [("/played/2", "contradiction")]),
        ({"played": {"0": ["2D", "3D"]}, "voids": None}, [("/played/0", "contradiction")]),
        ({"played": {"1": ["2D"]}, "voids": None}, [("/played/1", "contradiction")]),
        ({"played": {"0": ["2H"], "1": ["3H"], "2": ["QD"]}, "voids": None}, [("/played/2", "contradiction")]),
        ({"voids": {"2": ["S"]}}, [("/voids/2", "contradiction")]),
        ({"voids": {"0": ["S", "H", "D", "C"]}}, [("/voids/0", "contradiction")]),
        ({"voids": {"0": ["H"], "1": ["H"], "3": ["H"]}}, [("/voids", "contradiction")]),
        ({"given": ["QH"], "received": ["2H"]}, [("/given", "unsupported-field"), ("/received", "unsupported-field")]),
        ({**PASSED, "given": None}, [("/given", "missing-field")]),
        ({**PASSED, "given": None, "received": None}, [("/given", "missing-field"), ("/received", "missing-field")]),
        ({**PASSED, "given": ["QH"]}, [("/given", "hand-size")]),
        ({**PASSED, "given": ["QH", "2C"]}, [("/given", "contradiction")]),
        ({**PASSED, "received": ["AS", "2C"]}, [("/received", "contradiction")]),
        ({**PASSED, "bids": [0, 1], "received": None, **UNPLAYED}, [("/given", "unsupported-field")]),
        ({"rules": {"preset": "mirror"}, "bids": [3, 1, 4, 5]}, [("/bids/2", "contradiction")]),
        ({"rules": {"preset": "mirror"}, "bids": [3, 1, 5, 3]}, [("/bids", "contradiction")]),
    ],
)
def test_what_is_refused(call, change, faults):
    answer = call("POST", "/v1/inference", json=MIDWAY | change)
    assert answer.status_code == 422, answer.text
    assert [(error["pointer"], error["code"]) for error in answer.json()["errors"]] == faults


@pytest.mark.parametrize("field", InferenceRequest.__annotations__)
def test_junk_in_a_field_is_answered_or_refused(call, field):
    statuses = {call("POST", "/v1/inference", json=MIDWAY | {field: value}).status_code for value in JUNK}
    assert 422 in statuses <= {200, 422}


def test_a_key_is_required_and_charged(call, clock, tmp_path):
    one = new_key("one", 3)
    path = tmp_path / "keys"
    path.write_text(f"{one.line}\n")
    service = served(api_keys_file=path)
    headers = {"authorization": f"Bearer {one.secret}"}
    assert call("POST", "/v1/inference", service, json=MIDWAY).status_code == 401
    statuses = [call("POST", "/v1/inference", service, json=MIDWAY, headers=headers).status_code for _ in range(6)]
    assert statuses == [200] * 3 + [429] * 3


def test_faults_name_what_is_wrong(call):
    def detail(**change):
        (fault,) = call("POST", "/v1/inference", json=MIDWAY | change).json()["errors"]
        return fault["detail"]

    assert detail(played={"0": ["KD"], "1": ["KD"]}, voids=None) == (
        "seat 1 has played KD, and so has an earlier seat; accepted: each card once"
    )
    assert detail(voids={"0": ["H"], "1": ["H"], "3": ["H"]}) == (
        "9 cards of hearts are unseen, but the other seats have room for 0; accepted: fewer voids"
    )
    assert detail(voids={"2": ["S"]}) == "seat 2 still holds spades; accepted: suits that are not in the hand"


def test_a_request_for_which_the_bids_leave_no_deal(call, monkeypatch):
    monkeypatch.setattr("spades.contract.inference_request.infer_from_view", lambda *_: None)
    (fault,) = call("POST", "/v1/inference", json=MIDWAY).json()["errors"]
    assert (fault["pointer"], fault["code"]) == ("/bids", "contradiction")


def check_true(seed):
    made = true_round(seed)
    made.request["policy"] = ("bis", "best")[seed & 1]
    made.request |= {"deals": 2, "seed": seed}
    answer = answer_to(made.request)
    check_sums(answer, lambda seat: 13 - made.count(seat))
    assert set(answer["seats"]) == {str(seat) for seat in made.others}
    for seat in made.others:
        assert set(made.held(seat)) <= set(answer["seats"][str(seat)])  # what is true is never ruled out
    for deal in answer["deals"]:
        check_deal(deal, answer, made)


def check_deal(deal, answer, made):
    assert deal.keys() == answer["seats"].keys()
    assert sorted(card for cards in deal.values() for card in cards) == sorted(made.unseen)
    for seat, cards in deal.items():
        assert len(cards) == 13 - made.count(int(seat))
        assert set(cards) <= set(answer["seats"][seat])


def check_false(call, seed):
    """A spoiled request must be refused with a 422."""
    name, request = false_round(seed)
    answer = call("POST", "/v1/inference", json=request)
    assert answer.status_code == 422, (name, request)
    codes = {error["code"] for error in answer.json()["errors"]}
    assert codes <= set(CODES)
    return name, codes


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_what_is_true_is_accepted_and_never_ruled_out(seed):
    check_true(seed)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_what_is_false_is_refused(seed):
    lie, request = false_round(seed)
    try:
        answer_to(request)
    except RequestError:
        return
    pytest.fail(f"accepted: {lie}")


@pytest.mark.long
def test_10_000_true_and_10_000_false_requests(call):
    names = set()
    for seed in range(10_000):
        check_true(seed)
        names.add(check_false(call, seed)[0])
    assert names == {lie.__name__ for lie in LIES}


def test_deals_come_as_often_as_the_probabilities_say():
    """10,000 deals; each frequency is within 5 standard errors, and their squares are as large as chance makes them."""
    number = 10 * MAX_DEALS
    request = MIDWAY | {"deals": MAX_DEALS}
    found = {seat: Counter[str]() for seat in ("0", "1", "3")}
    answer = answer_to(MIDWAY)
    for seed in range(10):
        answer = answer_to(request | {"seed": seed})
        for deal in answer["deals"]:
            for seat, cards in deal.items():
                found[seat].update(cards)
    z = []
    for seat, cards in answer["seats"].items():
        assert set(found[seat]) <= set(cards)
        for card, p in cards.items():
            if p == 1.0:
                assert found[seat][card] == number
            else:
                z.append((found[seat][card] - number * p) / math.sqrt(number * p * (1 - p)))
    assert max(map(abs, z)) < 5.0
    assert 0.6 < np.mean(np.square(z)) < 1.5


def test_a_seed_gives_the_same_deals_in_steps_of_any_size(monkeypatch):
    request = MIDWAY | {"deals": 450, "seed": 7}
    whole = answer_to(request)
    assert len(whole["deals"]) == 450
    for size in (1, 77, 200, 1000):
        monkeypatch.setattr(module, "DEALS_AT_ONCE", size)
        assert answer_to(request) == whole
    assert answer_to(request | {"deals": 10})["deals"] == whole["deals"][:10]
    assert answer_to(request | {"seed": 8})["deals"] != whole["deals"]
    assert answer_to(request | {"seed": None}) == answer_to(request | {"seed": 0})


def test_deals_are_those_that_were_drawn():
    """The bytes of the answer, against names looked up one by one."""
    call = read_inference(MIDWAY | {"deals": 5})
    inferred = infer_from_view(call.view, call.bids, call.rules, committed_readers())
    assert inferred is not None
    drawn = draw(sampler_of(inferred.deals), 5, np.random.default_rng(0))
    unseen = inferred.unseen
    expected = [
        {
            str(seat): [card for card, one in zip(unseen.cards, row, strict=True) if unseen.seats[one] == seat]
            for seat in sorted(unseen.seats)
        }
        for row in drawn
    ]
    found = answer_to(MIDWAY | {"deals": 5})["deals"]
    assert [{seat: [parse_card(name) for name in cards] for seat, cards in deal.items()} for deal in found] == expected


def test_the_last_cards():
    """Nothing is left to hold: every list is empty, also in the deals."""
    deck = cards_of(DECK)
    names = [[_name(card) for card in deck[13 * seat : 13 * seat + 13]] for seat in range(4)]
    request = {"hand": names[1], "bids": [3, 3, 3, 3], "seat": 1, "deals": 2}
    answer = answer_to(request | {"played": {str(seat): cards for seat, cards in enumerate(names)}})
    nothing: dict[str, list[str]] = {"0": [], "2": [], "3": []}
    assert answer["seats"] == {seat: {} for seat in nothing}
    assert answer["deals"] == [nothing, nothing]


def _name(card):
    return "23456789TJQKA"[card & 15] + "CDHS"[card >> 4]


def test_probabilities_that_round_to_nothing_stay_above_0(monkeypatch):
    call = read_inference(MIDWAY)
    inferred = infer_from_view(call.view, call.bids, call.rules, committed_readers())
    assert inferred is not None
    small = inferred.deals.probabilities.copy()
    small[0, 0] = 1e-14
    found = probabilities_answer(call, inferred._replace(deals=inferred.deals._replace(probabilities=small)), "x")
    assert 1e-14 in found["seats"][str(inferred.unseen.seats[0])].values()


def test_a_batch(call):
    requests = [true_round(seed).request for seed in range(20)] + [false_round(seed)[1] for seed in range(20)]
    single = [call("POST", "/v1/inference", json=request) for request in requests]
    answers = call("POST", "/v1/inferences", json={"requests": requests}).json()["answers"]
    assert [(one["status"], one["body"]) for one in answers] == [(one.status_code, one.json()) for one in single]


@pytest.mark.parametrize("field", ["deals", "seed"])
def test_a_batch_draws_no_deals(call, field):
    requests = [SHORT_INFERENCE_REQUEST | {field: 0}, SHORT_INFERENCE_REQUEST]
    refused, answered = call("POST", "/v1/inferences", json={"requests": requests}).json()["answers"]
    assert answered["status"] == 200
    detail = f"{field} is present; accepted: only in POST /v1/inference"
    assert refused["body"]["errors"] == [{"pointer": f"/{field}", "code": "unsupported-field", "detail": detail}]


def test_the_largest_batch(call):
    """Requests near the end of a round are the longest; the limits on JSON allow as many as the contract."""
    longest = max((true_round(seed).request for seed in range(300)), key=lambda request: len(orjson.dumps(request)))
    longest |= {"scores": {"us": 1, "them": 2, "us_bags": 3, "them_bags": 4}}
    answer = call("POST", "/v1/inferences", json={"requests": [longest] * MAX_INFERENCE_ITEMS})
    assert answer.status_code == 200
    more = call("POST", "/v1/inferences", json={"requests": [longest] * (MAX_INFERENCE_ITEMS + 1)})
    assert more.json()["errors"][0]["code"] == "too-many-items"


def test_a_server_answers_in_parts(server, call):
    request = MIDWAY | {"deals": MAX_DEALS, "seed": 3}
    answer = post(f"{server.url}/v1/inference", json=request)
    assert answer.status_code == 200
    assert answer.json() == call("POST", "/v1/inference", json=request).json()
    assert len(answer.content) > 100_000


def test_the_examples_of_the_page_are_answered(call):
    page = (ROOT / "docs/how-to/infer-cards.md").read_text()
    found = re.findall(r"(/v1/\w+) -d '(.*?)'", page, re.DOTALL)
    assert {path for path, _ in found} == {"/v1/inference", "/v1/inferences"}
    for path, body in found:
        answer = call("POST", path, content=body)
        assert answer.status_code == 200
        assert all(item["status"] == 200 for item in answer.json().get("answers", []))


class Clock:
    """A clock that each drawing advances by ``seconds``."""

    def __init__(self, monkeypatch, seconds):
        self.now = 0.0
        self.drawn = 0
        self._seconds = seconds
        monkeypatch.setattr(module, "perf_counter", lambda: self.now)
        monkeypatch.setattr(module, "draw", self.draw)

    def draw(self, *arguments):
        self.now += self._seconds
        self.drawn += 1
        return draw(*arguments)


MANY = orjson.dumps(MIDWAY | {"deals": MAX_DEALS})
VIEWERS = pytest.mark.parametrize("request_body", [SHORT_INFERENCE_REQUEST, {"bids": [3, 1, 5, 4]}])  # a spectator's


def test_a_deadline_ends_the_drawing(app, monkeypatch):
    clock = Clock(monkeypatch, 1.0)
    with pytest.raises(ProblemError, match="deadline-exceeded"):
        asyncio.run(answer_in_slices(app.state, MANY, 1.5, None))
    assert clock.drawn == 2
    late = orjson.dumps(MIDWAY)
    with pytest.raises(ProblemError, match="deadline-exceeded"):
        asyncio.run(answer_in_slices(app.state, late, 1.5, None))
    assert clock.drawn == 2


def test_a_deadline_that_has_passed(call):
    answer = call("POST", "/v1/inference", json=MIDWAY, headers={"x-deadline-ms": "0"})
    assert (answer.status_code, answer.json()["type"]) == (504, "/problems/deadline-exceeded")


@pytest.fixture
def state(app, monkeypatch):
    """The state of the service, with locks that no event loop has used."""
    monkeypatch.setattr(app.state, "turns", FairTurns())
    return app.state


@VIEWERS
@pytest.mark.parametrize("answers", [1, 3])
def test_others_have_their_turn_between_steps(state, monkeypatch, answers, request_body):
    """Each step takes longer than a slice, so that each turn of the event loop has one at most."""
    body = orjson.dumps(request_body | {"deals": MAX_DEALS})
    clock = Clock(monkeypatch, 2 * SLICE_S)
    turns = []

    async def watch():
        while True:
            before = clock.drawn
            await asyncio.sleep(0)
            turns.append(clock.drawn - before)

    async def run():
        watcher = asyncio.create_task(watch())
        made = await asyncio.gather(*(answer_in_slices(state, body, math.inf, None) for _ in range(answers)))
        watcher.cancel()
        with suppress(asyncio.CancelledError):
            await watcher
        return made

    made = asyncio.run(run())
    assert len({content for content, _ in made}) == 1
    assert max(turns) == 1
    assert clock.drawn == answers * math.ceil(MAX_DEALS / module.DEALS_AT_ONCE)


@VIEWERS
@pytest.mark.parametrize("deals", [0, MAX_DEALS])
@pytest.mark.long
def test_no_answer_blocks_the_event_loop(state, capsys, request_body, deals):
    """The best of several runs, in time of the thread: other work on the machine may slow down or interrupt a run."""
    body = orjson.dumps(request_body | {"deals": deals})

    async def once(answers):
        slowest = 0.0
        tasks = [asyncio.create_task(answer_in_slices(state, body, math.inf, None)) for _ in range(answers)]
        while not all(task.done() for task in tasks):
            started = thread_time()
            await asyncio.sleep(0)
            slowest = max(slowest, thread_time() - started)
        await asyncio.gather(*tasks)
        return slowest

    gc.collect()
    with asyncio.Runner() as runner:
        for answers in (1, 5):
            best = min(runner.run(once(answers)) for _ in range(20))
            with capsys.disabled():
                print(f"\n{answers} answers with {deals} deals: {best * 1000:.2f} ms at most")
            assert best < 0.002


def test_a_nil_before_the_exchange_is_not_read():
    rules = {"preset": "pass-2"}
    request = {"hand": HAND, "bids": [0, 3, 5, 3], "seat": 2}
    before, plain = answer_to({**request, "rules": rules}), answer_to(request)
    assert "bids, nils not read before the exchange" in before["assumed"]
    assert before["seats"]["0"]["QS"] > 0.09 > 0.05 > plain["seats"]["0"]["QS"]
    exchanged = {**request, "rules": rules, "given": ["2S", "3C"], "received": ["TS", "9S"]}
    assert "bids, nils not read before the exchange" not in answer_to(exchanged)["assumed"]


@pytest.mark.parametrize("viewer", [{"hand": HAND, "seat": 2}, {}])
def test_a_blind_nil_says_nothing_about_its_hand(viewer):
    rules = {"preset": "blind-nil"}
    blind, seen = (
        answer_to({**viewer, "bids": [bid, 3, 5, 3], "rules": rules})["seats"]["0"] for bid in ("blind_nil", 0)
    )
    assert blind["QS"] > 0.09 > 0.05 > seen["QS"]


def test_scores_count_by_their_distance_from_the_goal():
    def seats(win, us, own_bags=0, **rules):
        scores = {"us": us, "them": us, "us_bags": own_bags, "them_bags": 0}
        request = {"hand": HAND, "bids": [3, 1, 5, 4], "seat": 2, "scores": scores, "rules": {"win": win, **rules}}
        return answer_to(request)["seats"]

    assert seats(200, 150) == seats(500, 450) != seats(500, 150)
    assert seats(500, -500) == seats(500, -100)
    assert seats(500, 0, 9) == seats(500, 0, 90, bag_limit=100)
    assert seats(500, 0, 3, bags=False) == seats(500, 0)


@pytest.mark.parametrize("path", ["/v1/inference", "/v1/card"])
def test_scores_of_seats_are_refused_where_sides_play(call, path):
    request = {"hand": HAND, "bids": [3, 1, 5, 4], "seat": 2, "scores": {"seats": [1, 2, 3, 4]}}
    response = call("POST", path, json=request)
    assert [(fault["pointer"], fault["code"]) for fault in response.json()["errors"]] == [
        ("/scores/seats", "unsupported-field")
    ]


def test_sums_of_the_nets_are_exact():
    """The largest possible sum of each layer is below 2**53, so that float64 adds whole numbers without rounding."""
    for name, net in committed_readers().nets.items():
        largest = np.full(len(net.first) - 1, 100.0)
        for layer, weights in enumerate(net):
            sums = largest @ np.abs(weights[:-1]) + (ONE if layer else 1) * np.abs(weights[-1])
            assert sums.max() < 2**53, (name, layer)
            largest = np.floor(sums * WEIGHT_UNIT / (VALUE_UNIT if layer == 0 else 1))

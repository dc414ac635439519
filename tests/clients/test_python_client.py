"""The Python client without a service: deadlines, retries, errors, the fallback, cards."""

import asyncio
import json
from typing import cast

import httpx
import pytest
import spades_client
from hypothesis import given
from hypothesis import strategies as st
from spades_client import AsyncClient, CardError, Client, InvalidRequest, NoAnswer, ProblemError, Unavailable
from spades_client.cards import DECK
from spades_client.exchange import Exchange, Remaining
from spades_client.models import BidRequest

from service.bidding.game.auction import NO_BID
from service.bidding.game.cards import parse_pbn
from service.bidding.game.legal import allowed_bids
from service.bidding.game.rules import PRESETS
from service.contract.examples import ANSWER

BID = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3], "seat": 1}
BUSY = {"type": "/problems/overloaded", "title": "Over capacity", "status": 503, "detail": "retry later"}
FAULT = {"pointer": "/seat", "code": "seat-mismatch", "detail": "seat is 3 after 2 previous bids; accepted: 2"}
REFUSED = {"type": "/problems/invalid-request", "title": "No", "status": 422, "detail": "...", "errors": [FAULT]}


def busy(seconds: int) -> httpx.Response:
    return httpx.Response(503, json=BUSY, headers={"Retry-After": str(seconds)})


class Script:
    """A service that gives the ``answers`` in order, and keeps the requests."""

    def __init__(self, *answers: httpx.Response | type[httpx.RequestError]) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, httpx.Response):
            return answer
        raise answer("scripted", request=request)


@pytest.fixture(params=["sync", "async"])
def ask(request):
    """A function ask(script, method, body, **settings) that calls a method of each client."""

    def blocking(script, method="bid", body=BID, **settings):
        with Client("http://spades/", transport=httpx.MockTransport(script), **settings) as client:
            return getattr(client, method)(body)

    def on_a_loop(script, method="bid", body=BID, **settings):
        async def run():
            async with AsyncClient("http://spades/", transport=httpx.MockTransport(script), **settings) as client:
                return await getattr(client, method)(body)

        return asyncio.run(run())

    return blocking if request.param == "sync" else on_a_loop


def test_a_request_carries_key_deadline_and_body(ask):
    script = Script(httpx.Response(200, json=ANSWER))
    assert ask(script, key="secret", timeout_s=2.0) == ANSWER
    (sent,) = script.requests
    assert (sent.method, str(sent.url)) == ("POST", "http://spades/v1/bid")
    assert sent.headers["Authorization"] == "Bearer secret"
    assert 0 < float(sent.headers["X-Deadline-Ms"]) <= 2000
    assert json.loads(sent.content) == BID


def test_a_busy_service_is_asked_again_after_retry_after(ask):
    script = Script(busy(0), busy(0), httpx.Response(200, json=ANSWER))
    assert ask(script, timeout_s=30.0) == ANSWER
    deadlines = [float(sent.headers["X-Deadline-Ms"]) for sent in script.requests]
    assert deadlines == sorted(deadlines, reverse=True), "what is left of one deadline"


def test_without_time_for_retry_after_a_busy_service_is_asked_again_soon(ask):
    script = Script(busy(60), busy(60), httpx.Response(200, json=ANSWER))
    assert ask(script, timeout_s=30.0) == ANSWER
    script = Script(*(busy(60) for _ in range(3)))
    with pytest.raises(Unavailable, match="503 Over capacity: retry later"):
        ask(script, timeout_s=30.0)
    assert not script.answers


def test_a_lost_connection_is_made_again_except_for_results(ask):
    script = Script(httpx.ReadError, httpx.Response(200, json=ANSWER))
    assert ask(script, timeout_s=30.0) == ANSWER
    script = Script(httpx.ReadError)
    with pytest.raises(NoAnswer, match="the connection failed: scripted"):
        ask(script, "results", {"results": []}, timeout_s=30.0)
    script = Script(httpx.ConnectError, busy(0), httpx.Response(200, json={"accepted": 0, "refused": []}))
    assert ask(script, "results", {"results": []}, timeout_s=30.0)["accepted"] == 0


def test_a_wait_beyond_the_deadline_and_the_last_attempt_raise(ask):
    script = Script(httpx.Response(429, json=BUSY, headers={"Retry-After": "60"}))
    with pytest.raises(Unavailable, match="429 Over capacity: retry later") as caught:
        ask(script, timeout_s=30.0)
    assert caught.value.retry_after_s == 60
    script = Script(busy(0), busy(0))
    with pytest.raises(Unavailable):
        ask(script, attempts=2, timeout_s=30.0)
    assert len(script.requests) == 2


def test_a_refused_request_is_not_repeated_and_names_its_faults(ask):
    script = Script(httpx.Response(422, json=REFUSED))
    with pytest.raises(InvalidRequest, match="/seat: seat is 3 after 2 previous bids; accepted: 2") as caught:
        ask(script, fallback=spades_client.simple_bid)
    assert caught.value.faults == [FAULT]
    assert (caught.value.status, caught.value.type) == (422, "/problems/invalid-request")


def test_an_answer_that_is_not_of_the_service_is_an_error(ask):
    with pytest.raises(Unavailable, match="502 Bad Gateway: not an answer of the service: '<html>'"):
        ask(Script(httpx.Response(502, text="<html>")))
    with pytest.raises(ProblemError, match="404"):
        ask(Script(httpx.Response(404, json=["unexpected"])))
    with pytest.raises(ProblemError, match="400") as caught:
        ask(Script(httpx.Response(400, json={"errors": ["unexpected", {}]})))
    assert caught.value.faults == []
    with pytest.raises(NoAnswer, match="the answer is '<html>'; accepted: JSON"):
        ask(Script(httpx.Response(200, text="<html>")), attempts=1)


@pytest.mark.parametrize("failure", [503, 500, 429, httpx.ReadTimeout], ids=str)
def test_the_fallback_bids_if_the_service_cannot(ask, failure):
    script = Script(httpx.Response(failure, json={}) if isinstance(failure, int) else failure)
    answer = ask(script, attempts=1, fallback=spades_client.simple_bid)
    assert (answer["bid"], answer["kind"], answer["policy"]) == (5, "regular", "fallback")
    assert answer["fallback"]


def test_settings_are_checked():
    with pytest.raises(ValueError, match="timeout_s is 0; accepted: more than 0"):
        Exchange(timeout_s=0)
    with pytest.raises(ValueError, match="attempts is 0; accepted: 1 or more"):
        Exchange(attempts=0)
    with pytest.raises(ValueError, match="timeout_s is -1; accepted: more than 0"):
        Client("http://spades").version(timeout_s=-1)


def test_httpx_looks_up_each_timeout():
    """What the deadline relies on: httpx passes the timeouts of a request on as they are."""
    seen = []

    def keep(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        return httpx.Response(200, json={})

    Client("http://spades", transport=httpx.MockTransport(keep)).version()
    assert isinstance(seen[0], Remaining)
    assert 0 < seen[0].get("read") <= 1


@given(st.lists(st.sampled_from(DECK), unique=True, max_size=13))
def test_hands_survive_their_text(cards):
    text = spades_client.format_hand(cards)
    assert sorted(spades_client.parse_hand(text)) == sorted(cards)
    assert spades_client.format_hand(text) == text


@pytest.mark.parametrize(
    "hand", [["QS", "sq"], "AKQ.J", ["1S"], "AKJX.AQ.Q.K9", ["JB"], "A.B..", ["♠"], ["QSS"], "AA..."]
)
def test_what_is_no_hand_is_an_error(hand):
    with pytest.raises(CardError, match="accepted"):
        spades_client.parse_hand(hand)


HANDS = st.permutations(DECK[2:]).map(lambda deck: deck[:13])
PLAIN = [name for name, rules in PRESETS.items() if not rules.deck]  # without jokers


@given(HANDS, st.sampled_from(PLAIN), st.lists(st.integers(0, 13), max_size=3))
def test_the_fallback_is_legal(hand, preset, bids):
    request = cast(BidRequest, {"hand": hand, "previous_bids": bids, "seat": len(bids), "rules": {"preset": preset}})
    partner = bids[-2] if len(bids) > 1 else NO_BID
    legal = allowed_bids(parse_pbn(spades_client.format_hand(hand)), partner, PRESETS[preset])
    assert legal >> spades_client.simple_bid(request) & 1


@given(HANDS, st.lists(st.sampled_from(["nil", "blind_nil", *range(14)]), min_size=1, unique=True))
def test_the_fallback_is_one_of_the_legal_bids(hand, legal):
    request = cast(BidRequest, {"hand": hand, "previous_bids": [], "seat": 0, "legal_bids": legal})
    bid = spades_client.simple_bid(request)
    assert bid in legal or (bid == 0 and {"nil", "blind_nil", 0} & set(legal))

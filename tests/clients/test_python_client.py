"""The Python client without a service: deadlines, retries, errors, the fallback, cards."""

import asyncio
import json
import logging
import os
import subprocess
import sys
import time
from queue import Queue
from threading import Event, Thread
from typing import cast

import httpx2
import pytest
import spades_client
from hypothesis import given
from hypothesis import strategies as st
from spades_client import AsyncClient, CardError, Client, InvalidRequest, NoAnswer, ProblemError, Unavailable
from spades_client.cards import DECK
from spades_client.models import BidRequest

from clients.generate import ROOT
from spades.cards import parse_pbn
from spades.contract.examples import ANSWER
from spades.legal import NO_BID, allowed_bids
from spades.rules import PRESETS
from tests.clients.conftest import URLS_FILE
from tests.patience import LIMIT_S

BID = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3], "seat": 1}
BUSY = {"type": "/problems/overloaded", "title": "Over capacity", "status": 503, "detail": "retry later"}
FAULT = {"pointer": "/seat", "code": "seat-mismatch", "detail": "seat is 3 after 2 previous bids; accepted: 2"}
REFUSED = {"type": "/problems/invalid-request", "title": "No", "status": 422, "detail": "...", "errors": [FAULT]}
URLS = json.loads(URLS_FILE.read_text())  # the same for all clients


def busy(seconds: int) -> httpx2.Response:
    return httpx2.Response(503, json=BUSY, headers={"Retry-After": str(seconds)})


class Script:
    """A service that gives the ``answers`` in order, and keeps the requests."""

    def __init__(self, *answers: httpx2.Response | type[httpx2.RequestError]) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, httpx2.Response):
            return answer
        raise answer("scripted", request=request)


@pytest.fixture(params=["sync", "async"])
def ask(request):
    """A function ask(service, method, body, **settings) that calls a method of each client.

    ``service``: a `Script`, or an address.
    """

    def arguments(service, settings):
        if isinstance(service, str):
            return {"url": service} | settings
        return {"url": "http://spades/", "transport": httpx2.MockTransport(service)} | settings

    def blocking(service, method="bid", body=BID, **settings):
        with Client(**arguments(service, settings)) as client:
            return getattr(client, method)(body)

    def on_a_loop(service, method="bid", body=BID, **settings):
        async def run():
            async with AsyncClient(**arguments(service, settings)) as client:
                return await getattr(client, method)(body)

        return asyncio.run(run())

    return blocking if request.param == "sync" else on_a_loop


def test_a_request_carries_key_deadline_and_body(ask):
    script = Script(httpx2.Response(200, json=ANSWER))
    assert ask(script, key="secret", timeout_s=LIMIT_S) == ANSWER
    (sent,) = script.requests
    assert (sent.method, str(sent.url)) == ("POST", "http://spades/v1/bid")
    assert sent.headers["Authorization"] == "Bearer secret"
    assert 0 < float(sent.headers["X-Deadline-Ms"]) <= LIMIT_S * 1000
    assert json.loads(sent.content) == BID


def test_a_busy_service_is_asked_again_after_retry_after(ask):
    script = Script(busy(0), busy(0), httpx2.Response(200, json=ANSWER))
    assert ask(script, timeout_s=30.0) == ANSWER


def test_each_attempt_carries_what_is_left_of_the_deadline(ask):
    """Each refusal takes 50 ms, so that each attempt has at least 50 ms less than the one before."""
    script = Script(busy(0), busy(0), httpx2.Response(200, json=ANSWER))

    def slow(request: httpx2.Request) -> httpx2.Response:
        time.sleep(0.05)
        return script(request)

    assert ask(slow, timeout_s=LIMIT_S) == ANSWER
    first, second, third = (float(sent.headers["X-Deadline-Ms"]) for sent in script.requests)
    assert first <= LIMIT_S * 1000
    assert second <= first - 49.0
    assert third <= second - 49.0


def test_a_call_with_a_deadline_of_its_own_carries_it():
    script = Script(httpx2.Response(200, json=ANSWER))
    with Client("http://spades", timeout_s=2 * LIMIT_S, transport=httpx2.MockTransport(script)) as client:
        client.bid(cast(BidRequest, BID), timeout_s=LIMIT_S)
    assert float(script.requests[0].headers["X-Deadline-Ms"]) <= LIMIT_S * 1000


def test_without_time_for_retry_after_a_busy_service_is_asked_again_soon(ask):
    script = Script(busy(60), busy(60), httpx2.Response(200, json=ANSWER))
    assert ask(script, timeout_s=30.0) == ANSWER
    script = Script(*(busy(60) for _ in range(3)))
    with pytest.raises(Unavailable, match="503 Over capacity: retry later"):
        ask(script, timeout_s=30.0)
    assert not script.answers


def test_a_lost_connection_is_made_again_except_for_results(ask):
    script = Script(httpx2.ReadError, httpx2.Response(200, json=ANSWER))
    assert ask(script, timeout_s=30.0) == ANSWER
    script = Script(httpx2.ReadError)
    with pytest.raises(NoAnswer, match="the connection failed: scripted"):
        ask(script, "results", {"results": []}, timeout_s=30.0)
    script = Script(httpx2.ConnectError, busy(0), httpx2.Response(200, json={"accepted": 0, "refused": []}))
    assert ask(script, "results", {"results": []}, timeout_s=30.0)["accepted"] == 0


def test_a_wait_beyond_the_deadline_and_the_last_attempt_raise(ask):
    script = Script(httpx2.Response(429, json=BUSY, headers={"Retry-After": "60"}))
    with pytest.raises(Unavailable, match="429 Over capacity: retry later") as caught:
        ask(script, timeout_s=30.0)
    assert caught.value.retry_after_s == 60
    script = Script(busy(0), busy(0))
    with pytest.raises(Unavailable):
        ask(script, attempts=2, timeout_s=30.0)
    assert len(script.requests) == 2


def test_a_refused_request_is_not_repeated_and_names_its_faults(ask):
    script = Script(httpx2.Response(422, json=REFUSED))
    with pytest.raises(InvalidRequest, match="/seat: seat is 3 after 2 previous bids; accepted: 2") as caught:
        ask(script, fallback=spades_client.simple_bid)
    assert caught.value.faults == [FAULT]
    assert (caught.value.status, caught.value.type) == (422, "/problems/invalid-request")


def test_an_answer_that_is_not_of_the_service_is_an_error(ask):
    with pytest.raises(Unavailable, match="502 Bad Gateway: not an answer of the service: '<html>'"):
        ask(Script(httpx2.Response(502, text="<html>")))
    with pytest.raises(Unavailable, match="400") as caught:
        ask(Script(httpx2.Response(400, json={"errors": ["unexpected", {}]})))
    assert caught.value.faults == []
    for text in ("<html>", "[]", '{"status": "ok"}'):
        with pytest.raises(NoAnswer, match=r"the answer is '.*'; accepted: a JSON object with bid"):
            ask(Script(httpx2.Response(200, text=text)), attempts=1)


NOT_THE_CALLERS: dict[str, httpx2.Response | type[httpx2.RequestError]] = {
    str(status): httpx2.Response(status, json={}) for status in (302, 403, 404, 422, 429, 500, 502, 503)
}
NOT_THE_CALLERS |= {
    "404 of the service": httpx2.Response(404, json={"type": "/problems/not-found"}),
    "page": httpx2.Response(200, text="<html>"),
    "other JSON": httpx2.Response(200, json={"status": "ok"}),
    "lost": httpx2.ReadError,
}


@pytest.mark.parametrize("failure", NOT_THE_CALLERS.values(), ids=NOT_THE_CALLERS)
def test_the_fallback_bids_for_whatever_is_not_a_bid(ask, failure, caplog):
    calls = []
    settings = {"fallback": spades_client.simple_bid, "on_fallback": lambda *arguments: calls.append(arguments)}
    answer = ask(Script(failure), attempts=1, **settings)
    assert (answer["bid"], answer["kind"], answer["policy"]) == (5, "regular", "fallback")
    ((error, request),) = calls
    assert (str(error), request) == (answer["fallback"], BID)
    assert caplog.record_tuples == [("spades_client", logging.WARNING, f"fallback bid 5: {error}")]


def test_an_error_of_on_fallback_is_logged_and_the_bid_returned(ask, caplog):
    def broken(*_):
        raise KeyError("a counter")

    answer = ask(Script(httpx2.ReadError), attempts=1, fallback=spades_client.simple_bid, on_fallback=broken)
    assert (answer["bid"], answer["fallback"]) == (5, "the connection failed: scripted")
    (warning, error) = caplog.records
    assert (warning.levelno, error.levelno, error.message) == (
        logging.WARNING, logging.ERROR, "on_fallback raised an error"
    )  # fmt: skip
    assert error.exc_info[0] is KeyError


@pytest.mark.parametrize(
    ("status", "problem"),
    [(401, "/problems/unauthorized"), (401, "about:blank"), (400, "/problems/invalid-json"), (422, REFUSED["type"])],
)
def test_no_fallback_hides_what_the_caller_must_mend(ask, status, problem, caplog):
    with pytest.raises(ProblemError, match=str(status)) as caught:
        ask(Script(httpx2.Response(status, json={"type": problem})), fallback=spades_client.simple_bid)
    assert not caught.value.temporary
    assert not caplog.records


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_service_that_sends_byte_by_byte_is_not_waited_for(ask, bad_url, part):
    """At the end of the minute it would take, the answer is a bid."""
    answer = ask(f"{bad_url}/slow-{part}", timeout_s=0.5, fallback=spades_client.simple_bid)
    assert answer["fallback"] == "no answer in 0.5 s"


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_settings_are_checked(kind):
    for timeout_s in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"timeout_s is {timeout_s}; accepted: more than 0, and finite"):
            kind("http://spades", timeout_s=timeout_s)
    with pytest.raises(ValueError, match="attempts is 0; accepted: 1 or more"):
        kind("http://spades", attempts=0)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("url", [*URLS["wrong"], None])
def test_a_url_that_no_request_could_use_is_an_error(kind, url):
    with pytest.raises(ValueError, match=r"url is .*; accepted: http:// or https:// and a host"):
        kind(url, fallback=spades_client.simple_bid)


@pytest.mark.parametrize("url", URLS["right"])
def test_other_urls_are_accepted(ask, url):
    script = Script(httpx2.Response(200, json=ANSWER))
    assert ask(script, url=url, timeout_s=LIMIT_S) == ANSWER
    assert script.requests[0].url == httpx2.URL(url.rstrip("/") + "/v1/bid")


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize("key", ["secret\n", "\nsecret", "sec\r\nret", " secret", "secret ", "s\u00e9cret", ""])
def test_a_key_that_no_header_can_hold_is_an_error(kind, key):
    with pytest.raises(ValueError, match=r"key is empty, .*; accepted: printable ASCII") as caught:
        kind("http://spades", key=key, fallback=spades_client.simple_bid)
    assert "cret" not in str(caught.value), "a key is a secret"


def test_arguments_of_a_call_are_checked():
    with Client("http://spades", fallback=spades_client.simple_bid) as client:
        with pytest.raises(ValueError, match="timeout_s is -1; accepted"):
            client.bid(cast(BidRequest, BID), timeout_s=-1)
        with pytest.raises(ValueError, match="request_id is empty, has"):
            client.bid(cast(BidRequest, BID), request_id="table\n17")


def test_a_closed_client_says_so():
    client = Client("http://spades", transport=httpx2.MockTransport(Script(httpx2.Response(200, json=ANSWER))))
    client.bid(cast(BidRequest, BID), timeout_s=LIMIT_S)
    client.close()
    client.close()
    with pytest.raises(RuntimeError, match="the client is closed"):
        client.bid(cast(BidRequest, BID))


def test_calls_that_began_before_close_are_answered_and_later_ones_refused():
    """Four threads call all the time while the client is closed; no call may wait for ever."""

    async def answer(_: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(0)
        return httpx2.Response(200, json=ANSWER)

    def bid_until_an_error(client: Client, answered: Event, errors: Queue[str]) -> None:
        while True:
            try:
                assert client.bid(cast(BidRequest, BID), timeout_s=LIMIT_S) == ANSWER
            except RuntimeError as error:
                errors.put(str(error))
                return
            answered.set()

    for _ in range(30):
        client = Client("http://spades", transport=httpx2.MockTransport(answer))
        errors: Queue[str] = Queue()
        answered = [Event() for _ in range(4)]
        for one in answered:
            Thread(target=bid_until_an_error, args=(client, one, errors), daemon=True).start()
        assert all(one.wait(LIMIT_S) for one in answered)
        client.close()
        assert [errors.get(timeout=LIMIT_S) for _ in answered] == ["the client is closed"] * 4


FORKS = """
import os, sys, httpx2, spades_client
transport = httpx2.MockTransport(lambda request: httpx2.Response(200, json={"service": "spades"}))
client = spades_client.Client("http://spades", timeout_s=60.0, transport=transport)
assert client.version()["service"] == "spades"
idle = os.fork()
if not idle:
    client.close()
    sys.exit()
assert os.waitpid(idle, 0)[1] == 0
child = os.fork()
assert client.version()["service"] == "spades"
client.close()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_client_works_in_a_process_that_was_forked():
    environment = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
    subprocess.run([sys.executable, "-c", FORKS], env=environment, timeout=LIMIT_S, check=True)


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

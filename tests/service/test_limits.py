"""Overload, bodies in progress and deadlines, in this process."""

import asyncio
import re
import time

import orjson
import pytest

from service.middleware.limits import MAX_LARGE_BODIES_BYTES
from service.routes import MAX_BATCH_BYTES, MAX_BODY_BYTES
from tests.one_set import served
from tests.patience import LIMIT_S
from tests.service.asgi_calls import send


def test_what_has_waited_too_long_is_shed_and_the_next_is_not(app, call, request_body):
    content = orjson.dumps(request_body)
    for path in ("/bid", "/v1/bids", "/v1/bid/blind", "/v1/rules", "/v1/policies", "/openapi.json", "/nowhere"):
        response = send(app, path, waited_s=100.0)
        assert response.status_code == 503
        assert response.headers["retry-after"] == "1"
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["type"] == "/problems/overloaded"
    for path in ("/healthz", "/readyz", "/metrics", "/", "/docs", "/static/main.js"):
        assert send(app, path, waited_s=100.0, method="GET").status_code == 200
    assert send(app, "/bid", content, waited_s=0.0).status_code == 200
    assert re.search(r'spades_shed_total\{reason="capacity"\} [1-9]', call("GET", "/metrics").text)
    patient = served(queue_ms=0.0)
    assert send(patient, "/bid", content, waited_s=100.0).status_code == 200


def test_a_busy_event_loop_is_seen():
    """A step that holds up the loop makes later ones wait; the task that measures it runs as soon as it can."""

    async def run():
        state = served().state
        assert state.lag_s == 0.0
        measuring = asyncio.create_task(state.measure_lag())
        await asyncio.sleep(0)
        time.sleep(0.1)
        assert state.lag_s > 0.09
        async with asyncio.timeout(LIMIT_S):
            while state.lag_s > 0.09:
                await asyncio.sleep(0.001)
        measuring.cancel()

    asyncio.run(run())


def test_too_many_under_way_are_shed(request_body):
    service = served(max_in_flight=2)
    content = orjson.dumps(request_body)

    async def run():
        come = asyncio.Event()
        statuses = []

        async def receive():
            await come.wait()
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {"type": "http", "method": "POST", "path": "/bid", "headers": []}
        tasks = [asyncio.create_task(service(dict(scope), receive, send)) for _ in range(5)]
        await asyncio.sleep(0)
        early = list(statuses)
        come.set()
        await asyncio.gather(*tasks)
        return early, statuses

    early, statuses = asyncio.run(run())
    assert early == [503] * 3
    assert statuses == [503] * 3 + [200] * 2


def test_large_bodies_in_hand_are_limited(request_body):
    """Only bytes that have arrived count. Small bodies do not count, and are answered beside large ones."""
    service = served()
    small = orjson.dumps({"requests": [request_body]})
    large = small.ljust(MAX_BATCH_BYTES)

    async def run():
        come = asyncio.Event()
        statuses = []
        arrived_bytes = 0

        async def ask(body, waits=False):
            pieces = [body[:-1], body[-1:]]

            async def receive():
                nonlocal arrived_bytes
                if len(pieces) == 1 and waits:
                    arrived_bytes += len(body) - 1
                    await come.wait()
                return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

            async def send(message):
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            await service({"type": "http", "method": "POST", "path": "/v1/bids", "headers": []}, receive, send)

        async with asyncio.TaskGroup() as group:
            for _ in range(24):
                group.create_task(ask(large, waits=True))
            while arrived_bytes < 24 * (MAX_BATCH_BYTES - 1):
                await asyncio.sleep(0)
            assert statuses == []
            await ask(large)
            await ask(small)
            assert statuses == [503, 200]
            come.set()
        assert statuses == [503] + [200] * 25
        await ask(large)
        assert statuses[-1] == 200  # there is room again

    assert MAX_LARGE_BODIES_BYTES == 24 * MAX_BATCH_BYTES
    asyncio.run(run())


def test_a_large_body_gives_its_room_back(request_body, monkeypatch):
    """Room for one body is enough for any number of them, one after the other, whether answered or refused."""
    monkeypatch.setattr("service.middleware.limits.MAX_LARGE_BODIES_BYTES", MAX_BATCH_BYTES)
    service = served()
    good = orjson.dumps({"requests": [request_body]}).ljust(MAX_BATCH_BYTES)
    wrong = b"{".ljust(MAX_BATCH_BYTES)
    assert [send(service, "/v1/bids", body).status_code for body in (good, wrong, good)] == [200, 400, 200]


def test_the_bytes_of_a_body_are_counted_whatever_its_headers_say():
    large = b"x" * (MAX_BODY_BYTES + 1)
    for headers in ({}, {b"content-length": b"5"}, {b"content-length": b"5", b"transfer-encoding": b"chunked"}):
        assert send(served(), "/bid", large, headers).status_code == 413


def test_a_length_that_is_no_number_is_refused():
    """Servers refuse it before, but an app can be called without one."""
    answer = send(served(), "/bid", b"{}", {b"content-length": b"1e5 bytes"})
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems/invalid-http")


def test_a_deadline_that_has_passed_costs_no_work(call, request_body, monkeypatch):
    service = served()
    worked = []
    monkeypatch.setattr("service.endpoints.bids.read_bid", lambda data, games: worked.append(data))
    headers = {b"x-deadline-ms": b"5"}
    response = send(service, "/bid", orjson.dumps(request_body), headers, waited_s=0.01)
    assert (response.status_code, response.json()["type"]) == (504, "/problems/deadline-exceeded")
    assert worked == []
    text = call("GET", "/metrics", service).text
    assert 'spades_shed_total{reason="deadline"} 1.0' in text
    assert "spades_deadline_exceeded_total 1.0" in text


def test_the_deadline_passes_while_the_body_is_awaited():
    """The first part of the body arrives, and the rest never does."""
    parts = [{"type": "http.request", "body": b"{", "more_body": True}]
    statuses = []

    async def receive():
        if not parts:
            await asyncio.Event().wait()
        return parts.pop()

    async def take(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def run():
        scope = {"type": "http", "method": "POST", "path": "/bid", "headers": [(b"x-deadline-ms", b"50")]}
        async with asyncio.timeout(LIMIT_S):
            await served()(scope, receive, take)

    asyncio.run(run())
    assert statuses == [504]


def test_a_body_that_no_route_accepts_ends_the_connection():
    """The server would read it to its end; smaller ones leave the connection usable."""
    for length, ends in ((b"70000", False), (b"2000000", True), (b"9" * 30, True)):
        answer = send(served(), "/bid", b"", {b"content-length": length})
        assert answer.status_code == 413
        assert ("connection" in answer.headers) == ends


@pytest.mark.parametrize(
    ("address", "proxied", "ends"),
    [("127.0.0.1", False, False), ("10.1.2.3", False, True), ("10.1.2.3", True, False), ("::1", False, False)],
)
def test_a_long_answer_ends_a_connection_from_another_machine(request_body, address, proxied, ends):
    service = served(behind_proxy=proxied)
    content = orjson.dumps({"requests": [request_body]})
    for path, long in (("/v1/bids", True), ("/bid", False)):
        answer = send(service, path, content, server=address)
        assert ("connection" in answer.headers) == (long and ends)


def test_a_body_that_did_not_arrive_is_named():
    """httptools ends a request with `Upgrade` after its head; Java's HttpClient sends one by default."""
    answer = send(served(), "/bid", b"", {b"content-length": b"40", b"upgrade": b"h2c"})
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems/invalid-http")
    assert "Upgrade" in answer.json()["detail"]
    assert send(served(), "/bid", b"").json()["type"] == "/problems/invalid-json"

"""Request ids, keys, rates, shedding and the access log, in this process."""

import asyncio
import io
import re
import time
from threading import Event

import httpx
import orjson
import pytest

from service.access_log import AccessLog, Answered
from service.app import create_app
from service.endpoints.body import MAX_BODIES_BYTES
from service.gate import COSTLY_AT_ONCE, COSTLY_RATE, MAX_LARGE_BODIES_BYTES, METRICS, Gate
from service.keys import new_key
from service.line_log import MAX_QUEUED
from service.metrics import Metrics
from service.problems import ProblemError
from service.settings import Settings
from spades.errors import TablesError
from tests.conftest import committed_tables
from tests.one_set import one_set
from tests.patience import patient

_TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def _service(**settings):
    service = create_app(patient(**settings))
    service.state.serve(one_set(committed_tables()))
    return service


def _lines(service, share, call, *requests):
    stream = io.BytesIO()
    service.responder.log = AccessLog(share, stream=stream)
    for method, path, arguments in requests:
        call(method, path, service, **arguments)
    service.responder.log.close()
    return [orjson.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize("path", ["/bid", "/v1/bids", "/healthz", "/nowhere"])
def test_a_request_id_comes_back(call, path):
    response = call("POST", path, content=b"{}", headers={"X-Request-ID": "table-17:4", "traceparent": _TRACE})
    assert response.headers["x-request-id"] == "table-17:4"
    assert response.headers["traceparent"] == _TRACE


@pytest.mark.parametrize("given", [None, "", "a b", "x" * 129, 'a"b', "a{}"])
def test_a_strange_request_id_is_replaced(call, given):
    headers = {} if given is None else {"X-Request-ID": given}
    ids = {call("GET", "/healthz", headers=headers).headers["x-request-id"] for _ in range(3)}
    assert len(ids) == 3
    assert all(re.fullmatch("[0-9a-f]{12}-[0-9a-f]+", one) for one in ids)


@pytest.mark.parametrize("given", ["", "00-0-0-00", _TRACE.upper(), "ff" + _TRACE[2:], f"00-{'0' * 32}-{'1' * 16}-00"])
def test_a_broken_traceparent_is_dropped(call, given):
    assert "traceparent" not in call("GET", "/healthz", headers={"traceparent": given}).headers


def test_the_log_has_ids_and_no_hands(call, request_body):
    service = _service()
    headers = {"X-Request-ID": "me", "traceparent": _TRACE, "authorization": "Bearer secret"}
    lines = _lines(
        service,
        1.0,
        call,
        ("POST", "/bid", {"json": request_body, "headers": headers}),
        ("GET", "/nowhere/AKJ62.AQ.Q.K9543?hand=KC", {"headers": {"X-Request-ID": "me"}}),
    )
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("POST", "/bid", 200),
        ("GET", "other", 404),
    ]
    assert (lines[0]["request_id"], lines[0]["traceparent"]) == ("me", _TRACE)
    assert [line.get("tables") for line in lines] == [service.state.sets.default.version, None]
    assert 0 < lines[0]["duration_ms"] < 10_000
    assert abs(lines[0]["time"] - time.time()) < 60
    text = orjson.dumps([{**line, "time": 0, "duration_ms": 0} for line in lines]).decode()  # these may hold any digits
    assert not any(word in text for word in ("KC", "AKJ62", "secret", "120"))


def test_the_log_is_sampled_but_for_failures(call, request_body, monkeypatch):
    service = _service()
    requests = [("POST", "/bid", {"json": request_body})] * 200
    assert _lines(service, 0.0, call, *requests) == []
    assert 20 < len(_lines(service, 0.5, call, *requests)) < 180

    def fail(*_):
        raise TablesError("a bug")

    monkeypatch.setattr("service.endpoints.bids.decide", fail)
    assert [line["status"] for line in _lines(service, 0.0, call, requests[0])] == [500]


def test_a_log_that_nobody_reads_holds_up_nobody():
    read = Event()

    class Stuck(io.BytesIO):
        def write(self, _):
            read.wait()
            return 0

    dropped: list[int] = []
    log = AccessLog(1.0, dropped.append, Stuck())
    for _ in range(2 * MAX_QUEUED):
        log.write(Answered("POST", "/bid", 200, 0.001, b"id", None, None))
    assert sum(dropped) > MAX_QUEUED / 2
    log.close()  # returns although the write does not
    read.set()


def test_keys_are_needed_by_all_but_health(call, request_body, tmp_path):
    one, two = new_key("one"), new_key("two")
    path = tmp_path / "keys"
    path.write_text(one.line + "\n")
    service = _service(api_keys_file=path)
    good, bad = {"authorization": f"Bearer {one.secret}"}, {"authorization": f"Bearer {two.secret}"}
    for route in ("/metrics", "/version", "/v1/rules", "/v1/policies", "/nowhere", "/problems/x"):
        response = call("GET", route, service)
        assert response.status_code == 401, route
        assert response.json()["type"] == "/problems/unauthorized"
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert call("GET", route, service, headers=bad).status_code == 401
        assert call("GET", route, service, headers=good).status_code in (200, 404)
    for route in ("/healthz", "/readyz", "/", "/docs", "/openapi.json", "/static/main.js"):
        assert call("GET", route, service).status_code == 200
    for route, body in (("/bid", request_body), ("/v1/bid", request_body), ("/v1/bids", {"requests": [request_body]})):
        assert call("POST", route, service, json=body).status_code == 401
        assert call("POST", route, service, json=body, headers=bad).status_code == 401
        assert call("POST", route, service, json=body, headers=good).status_code == 200
        # the short and the long way check the key
        if route != "/v1/bids":
            content = orjson.dumps(body)
            assert service.responder.reply(route, {}, content, time.perf_counter())[0] == 401
            assert (
                service.responder.reply(route, {b"authorization": good["authorization"].encode()}, content, -100.0)[0]
                == 503
            )
            marked = {b"authorization": good["authorization"].encode()}
            assert service.responder.reply(route, marked, content, time.perf_counter())[0] == 200
    lines = _lines(service, 1.0, call, ("POST", "/bid", {"json": request_body, "headers": good}))
    assert lines[0]["key"] == "one"
    assert one.secret not in orjson.dumps(lines).decode()


def test_a_key_over_its_rate_waits(call, clock, request_body, tmp_path):
    one, two = new_key("one", 3), new_key("two")
    path = tmp_path / "keys"
    path.write_text(f"{one.line}\n{two.line}\n")
    service = _service(api_keys_file=path)
    first, second = ({"authorization": f"Bearer {key.secret}"} for key in (one, two))
    statuses = [call("POST", "/bid", service, json=request_body, headers=first).status_code for _ in range(6)]
    assert statuses == [200] * 3 + [429] * 3
    body = {"requests": [request_body] * 40}
    clock.now_s = 0.4
    assert call("POST", "/v1/bids", service, json=body, headers=first).status_code == 200
    response = call("POST", "/bid", service, json=request_body, headers=first)
    assert response.status_code == 429
    assert response.json()["type"] == "/problems/rate-limited"
    assert response.headers["retry-after"] == "14"  # 40 bids to regain at 3 per second, and .8 left over
    assert call("POST", "/bid", service, json=request_body, headers=second).status_code == 200
    text = call("GET", "/metrics", service, headers=second).text
    assert re.search(r'spades_shed_total\{reason="rate"\} [1-9]', text)


@pytest.mark.parametrize("path", ["/v1/reasons", "/v1/rules", "/v1/policies", "/metrics", "/version", "/nowhere"])
def test_other_routes_count_against_the_rate_of_bids(call, clock, request_body, tmp_path, path):
    made = new_key("one", 3)
    file = tmp_path / "keys"
    file.write_text(made.line + "\n")
    service = _service(api_keys_file=file)
    headers = {"authorization": f"Bearer {made.secret}"}
    for _ in range(3):
        assert call("GET", path, service, headers=headers).status_code in (200, 404)
    for method, over, body in (("GET", path, None), ("HEAD", path, None), ("POST", "/bid", request_body)):
        response = call(method, over, service, headers=headers, json=body)
        assert response.status_code == 429
        assert response.headers["retry-after"] == "1"
        if method != "HEAD":
            assert response.json()["title"] == "Too many requests for this key"
    for health in ("/healthz", "/readyz"):
        assert [call("GET", health, service, headers=headers).status_code for _ in range(9)] == [200] * 9


def test_costly_requests_take_turns_by_hand():
    """Some start at once, the others one every 0.01 s; requests that would wait over 0.5 s are refused."""
    now = 0.0
    gate = Gate(Settings(), Metrics((), ()), lambda: now)
    at_once = [gate.turn_s("/v1/rules") for _ in range(int(COSTLY_AT_ONCE))]
    assert at_once == [0.0] * 100
    waits = [gate.turn_s("/v1/rules") for _ in range(50)]
    assert waits == pytest.approx([number / COSTLY_RATE for number in range(1, 51)])
    for _ in range(3):
        with pytest.raises(ProblemError, match="overloaded"):
            gate.turn_s("/version")
        assert gate.turn_s(METRICS) == 0.0
    now = 0.5  # all waiting requests have started
    assert gate.turn_s("/version") == pytest.approx(0.01)
    now = 100.0
    assert [gate.turn_s("/version") for _ in range(101)] == pytest.approx([0.0] * 100 + [0.01])


def test_refusals_of_costly_requests_take_turns_of_their_own():
    now = 0.0
    gate = Gate(Settings(), Metrics((), ()), lambda: now)
    assert [gate.refusal_turn_s() for _ in range(100)] == [0.0] * 100
    assert [gate.refusal_turn_s() for _ in range(50)] == pytest.approx([number / 100 for number in range(1, 51)])
    assert gate.refusal_turn_s() == 0.0
    assert gate.turn_s("/version") == 0.0
    now = 0.5
    assert gate.refusal_turn_s() == pytest.approx(0.01)


def test_a_refusal_waits_and_nobody_else_does(call, clock, monkeypatch, tmp_path):
    monkeypatch.setattr("service.gate.COSTLY_AT_ONCE", 1.0)
    monkeypatch.setattr("service.gate.COSTLY_RATE", 4.0)
    made = new_key("one")
    path = tmp_path / "keys"
    path.write_text(made.line + "\n")
    service = _service(api_keys_file=path)
    waits_s = []

    async def sleep(wait_s):
        waits_s.append(wait_s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    good = {"authorization": f"Bearer {made.secret}"}
    for method, route, headers, status, waited_s in (
        ("GET", "/metrics", {}, 401, []),
        ("GET", "/metrics", {}, 401, [0.25]),
        ("GET", "/metrics", good, 200, []),
        ("POST", "/v1/bids", {}, 401, []),
        ("GET", "/healthz", {}, 200, []),
    ):
        waits_s.clear()
        assert call(method, route, service, headers=headers).status_code == status
        assert [wait_s for wait_s in waits_s if wait_s > 0.0] == waited_s


def test_who_waits_for_a_turn_is_not_under_way(clock, monkeypatch, request_body):
    """With one request allowed in progress, a bid is answered while two requests wait on costly routes."""
    monkeypatch.setattr("service.gate.COSTLY_AT_ONCE", 1.0)
    monkeypatch.setattr("service.gate.COSTLY_RATE", 20.0)
    service = _service(max_in_flight=1)

    async def run():
        ended, waits_s = [], []
        pause, turn = asyncio.sleep, asyncio.Event()

        async def sleep(wait_s):
            waits_s.append(wait_s)
            await turn.wait()

        monkeypatch.setattr(asyncio, "sleep", sleep)
        transport = httpx.ASGITransport(service)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:

            async def ask(method, path, **arguments):
                response = await client.request(method, path, **arguments)
                ended.append((path, response.status_code))

            await ask("GET", "/version")
            async with asyncio.TaskGroup() as group:
                for path in ("/version", "/problems/not-found"):
                    group.create_task(ask("GET", path))
                while len(waits_s) < 2:
                    await pause(0)
                await ask("POST", "/bid", json=request_body)
                turn.set()
        return ended, waits_s

    ended, waits_s = asyncio.run(run())
    assert ended[:2] == [("/version", 200), ("/bid", 200)]
    assert sorted(ended[2:]) == [("/problems/not-found", 200), ("/version", 200)]
    assert waits_s == pytest.approx([0.05, 0.1])


def _late(service, path, waited_s, method="POST", body=b"{}"):
    """Send one request that arrived ``waited_s`` seconds ago."""
    sent = []
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": [], "arrived": time.perf_counter() - waited_s, "http_version": "1.1", "root_path": ""}

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(service(scope, receive, send))
    return httpx.Response(sent[0]["status"], headers=sent[0]["headers"], content=sent[1]["body"])


def test_what_has_waited_too_long_is_shed_and_the_next_is_not(app, call, request_body):
    content = orjson.dumps(request_body)
    for path in ("/bid", "/v1/bids", "/v1/rules", "/v1/policies", "/openapi.json", "/nowhere"):
        response = _late(app, path, 100.0)
        assert response.status_code == 503
        assert response.headers["retry-after"] == "1"
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["type"] == "/problems/overloaded"
    for path in ("/healthz", "/readyz", "/metrics", "/", "/docs", "/static/main.js"):
        assert _late(app, path, 100.0, "GET").status_code == 200
    assert _late(app, "/bid", 0.0, body=content).status_code == 200
    status, _, body = app.responder.reply("/bid", {}, content, time.perf_counter() - 100.0)
    assert (status, orjson.loads(body)["type"]) == (503, "/problems/overloaded")
    assert re.search(r'spades_shed_total\{reason="capacity"\} [1-9]', call("GET", "/metrics").text)
    patient = _service(queue_ms=0.0)
    assert _late(patient, "/bid", 100.0, body=content).status_code == 200


def test_the_default_is_longer_than_two_pauses_of_a_cpu_quota():
    gate = Gate(Settings(), Metrics((), ()))
    assert [gate.overloaded(waited_s, 1) for waited_s in (0.0, 0.1, 0.2, 0.5)] == [False, False, False, True]


def test_a_scrape_while_overloaded_gets_the_last_text(call):
    service = _service()
    first = _late(service, "/metrics", 100.0, "GET").text
    for _ in range(9):
        call("GET", "/healthz", service)
        assert _late(service, "/metrics", 100.0, "GET").text == first
    new = _late(service, "/metrics", 0.0, "GET").text
    assert 'spades_http_requests_total{route="/healthz",status="200"} 9.0' in new
    assert 'spades_shed_total{reason="capacity"} 0.0' in new
    assert _late(service, "/metrics", 100.0, "GET").text == new


def test_too_many_under_way_are_shed(request_body):
    service = _service(max_in_flight=2)
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
    service = _service()
    small = orjson.dumps({"requests": [request_body]})
    large = small.ljust(MAX_BODIES_BYTES)

    async def run():
        come = asyncio.Event()
        statuses = []

        async def ask(body, waits=False):
            pieces = [body[:-1], body[-1:]]

            async def receive():
                if len(pieces) == 1 and waits:
                    await come.wait()
                return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

            async def send(message):
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            await service({"type": "http", "method": "POST", "path": "/v1/bids", "headers": []}, receive, send)

        async with asyncio.TaskGroup() as group:
            for _ in range(24):
                group.create_task(ask(large, waits=True))
            while service.responder.gate.large_bodies_bytes < 24 * (MAX_BODIES_BYTES - 1):
                await asyncio.sleep(0)
            assert statuses == []
            await ask(large)
            await ask(small)
            assert statuses == [503, 200]
            come.set()
        assert statuses == [503] + [200] * 25
        await ask(large)
        assert statuses[-1] == 200  # there is room again

    assert MAX_LARGE_BODIES_BYTES == 24 * MAX_BODIES_BYTES
    asyncio.run(run())


def test_a_deadline_that_has_passed_costs_no_work(call, request_body, monkeypatch):
    service = _service()
    worked = []
    monkeypatch.setattr("service.endpoints.bids.read_bid", lambda data, games: worked.append(data))
    headers = {b"x-deadline-ms": b"5"}
    status, _, body = service.responder.reply("/bid", headers, orjson.dumps(request_body), time.perf_counter() - 0.01)
    assert (status, orjson.loads(body)["type"]) == (504, "/problems/deadline-exceeded")
    assert worked == []
    text = call("GET", "/metrics", service).text
    assert 'spades_shed_total{reason="deadline"} 1.0' in text
    assert "spades_deadline_exceeded_total 1.0" in text


def test_a_bug_is_told_to_nobody(call, request_body, monkeypatch, caplog):
    def fail(*_):
        raise TablesError("/secret/path is broken")

    monkeypatch.setattr("service.endpoints.bids.decide", fail)
    service = _service()
    for answer in (
        call("POST", "/bid", service, json=request_body).content,
        service.responder.reply("/bid", {}, orjson.dumps(request_body), time.perf_counter())[2],
    ):
        assert orjson.loads(answer)["type"] == "/problems/internal-error"
        assert b"secret" not in answer
        assert b"Traceback" not in answer
    assert [record.message.count("request id") for record in caplog.records] == [1, 1]


def test_a_listener_of_its_own_takes_metrics_off_the_main_one(call):
    service = _service(metrics_address=("127.0.0.1", 1))
    assert call("GET", "/metrics", service).status_code == 404
    assert "/metrics" not in call("GET", "/openapi.json", service).json()["paths"]

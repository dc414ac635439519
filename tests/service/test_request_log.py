"""Request ids, the metrics of requests, the access log and bugs, in this process."""

import hashlib
import io
import logging
import re

import orjson
import pytest
from starlette.responses import StreamingResponse

from service.app import create_app
from service.logs import ACCESS, JsonFormatter
from spades.errors import TablesError
from tests.one_set import served
from tests.patience import patient

_TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def _break_bids(monkeypatch):
    """Make every decision fail with a text that only the log may have."""

    def fail(*_):
        raise TablesError("/secret/path is broken")

    monkeypatch.setattr("spades.contract.bid_request.decide", fail)


def _lines(service, call, *requests):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    ACCESS.addHandler(handler)
    try:
        for method, path, arguments in requests:
            call(method, path, service, **arguments)
    finally:
        ACCESS.removeHandler(handler)
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
    service = served(access_log=1.0)
    headers = {"X-Request-ID": "me", "traceparent": _TRACE, "authorization": "Bearer secret"}
    lines = _lines(
        service,
        call,
        ("POST", "/bid", {"json": request_body, "headers": headers}),
        ("GET", "/nowhere/AKJ62.AQ.Q.K9543?hand=KC", {"headers": {"X-Request-ID": "me"}}),
    )
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("POST", "/bid", 200),
        ("GET", "other", 404),
    ]
    assert (lines[0]["request_id"], lines[0]["trace_id"]) == ("me", _TRACE[3:35])
    assert [line.get("tables") for line in lines] == [service.state.sets.default.version, None]
    assert 0 < lines[0]["duration_ms"] < 10_000
    assert [(line["level"], line["logger"], line["message"]) for line in lines] == [
        ("info", "service.access", "POST /bid 200"),
        ("info", "service.access", "GET other 404"),
    ]
    text = orjson.dumps([{**line, "time": 0, "duration_ms": 0} for line in lines]).decode()  # these may hold any digits
    assert not any(word in text for word in ("KC", "AKJ62", "secret", "120"))


def test_the_log_is_sampled_but_for_failures(call, request_body, monkeypatch):
    service = served(access_log=0.0)
    requests = [("POST", "/bid", {"json": request_body})] * 200
    assert _lines(service, call, *requests) == []
    assert 20 < len(_lines(served(access_log=0.5), call, *requests)) < 180
    _break_bids(monkeypatch)
    assert [line["status"] for line in _lines(service, call, requests[0])] == [500]


def test_a_bug_is_told_to_nobody(call, request_body, monkeypatch, caplog):
    _break_bids(monkeypatch)
    service = served()
    answer = call("POST", "/bid", service, json=request_body, headers={"X-Request-ID": "table-17"})
    assert answer.json()["type"] == "/problems/internal-error"
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert [record.name for record in caplog.records if "/bid failed, request id table-17" in record.message] == [
        "service"
    ]
    assert "/secret/path is broken" in caplog.text


def test_the_answer_to_a_bug_has_the_ids_of_the_request(call, request_body, monkeypatch):
    _break_bids(monkeypatch)
    headers = {"X-Request-ID": "table-17", "traceparent": _TRACE}
    answer = call("POST", "/bid", served(), json=request_body, headers=headers)
    assert answer.status_code == 500
    assert (answer.headers["x-request-id"], answer.headers["traceparent"]) == ("table-17", _TRACE)
    other = call("POST", "/bid", served(), json=request_body)
    assert re.fullmatch("[0-9a-f]{12}-[0-9a-f]+", other.headers["x-request-id"])


def test_a_line_about_a_bug_names_the_request_and_the_key(call, request_body, monkeypatch, tmp_path):
    _break_bids(monkeypatch)
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("service")
    logger.addHandler(handler)
    secret = "x" * 40
    keys = tmp_path / "keys"
    keys.write_text(f"studio {hashlib.sha256(secret.encode()).hexdigest()}\n")
    headers = {"X-Request-ID": "table-17", "traceparent": _TRACE, "authorization": f"Bearer {secret}"}
    try:
        call("POST", "/bid", served(api_keys_file=keys), json=request_body, headers=headers)
        logger.error("outside of a request")
    finally:
        logger.removeHandler(handler)
    bug, other = [orjson.loads(line) for line in stream.getvalue().splitlines()]
    assert (bug["level"], bug["logger"]) == ("error", "service")
    assert (bug["request_id"], bug["trace_id"], bug["key"]) == ("table-17", _TRACE[3:35], "studio")
    assert "TablesError: /secret/path is broken" in bug["exception"]
    assert secret not in stream.getvalue()
    assert other.keys() == {"time", "level", "logger", "message"}


def test_a_bug_of_a_middleware_is_answered_too(call, monkeypatch, caplog):
    def fail():
        raise RuntimeError("a bug")

    monkeypatch.setattr("service.middleware.limits.perf_counter", fail)
    assert call("GET", "/version").json()["type"] == "/problems/internal-error"
    assert "a bug" in caplog.text


def test_an_answer_that_has_begun_is_left_as_it_is(call, caplog):
    async def broken(request):
        async def stream():
            yield b"a part"
            raise RuntimeError("a bug")

        return StreamingResponse(stream())

    service = served()
    service.add_route("/broken", broken)
    assert call("GET", "/broken", service).content == b"a part"
    assert "a bug" in caplog.text
    assert _lines(service, call, ("GET", "/broken", {}))[0]["status"] == 500


def test_a_listener_of_its_own_takes_metrics_off_the_main_one(call):
    service = create_app(patient(metrics_address=("127.0.0.1", 1)), started_by_serve=True)
    assert call("GET", "/metrics", service).status_code == 404
    assert "/metrics" not in call("GET", "/openapi.json", service).json()["paths"]

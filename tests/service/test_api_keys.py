"""API keys and their rates, in this process."""

import asyncio
import re

import orjson
import pytest

from service.keys import new_key
from spades.contract.examples import BLIND_REQUEST
from tests.one_set import served
from tests.service.asgi_calls import send
from tests.service.test_request_log import _lines


def test_keys_are_needed_by_all_but_health(call, request_body, tmp_path):
    one, two = new_key("one"), new_key("two")
    path = tmp_path / "keys"
    path.write_text(one.line + "\n")
    service = served(api_keys_file=path)
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
    for route, body in (
        ("/bid", request_body),
        ("/v1/bid", request_body),
        ("/v1/bids", {"requests": [request_body]}),
        ("/v1/bid/blind", BLIND_REQUEST),
    ):
        assert call("POST", route, service, json=body).status_code == 401
        assert call("POST", route, service, json=body, headers=bad).status_code == 401
        assert call("POST", route, service, json=body, headers=good).status_code == 200
    lines = _lines(
        served(api_keys_file=path, access_log=1.0), call, ("POST", "/bid", {"json": request_body, "headers": good})
    )
    assert lines[0]["key"] == "one"
    assert one.secret not in orjson.dumps(lines).decode()


def test_a_key_over_its_rate_waits(call, clock, request_body, tmp_path):
    one, two = new_key("one", 3), new_key("two")
    path = tmp_path / "keys"
    path.write_text(f"{one.line}\n{two.line}\n")
    service = served(api_keys_file=path)
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


def _service_with_a_key(folder, rate):
    """Return a service with one API key of ``rate``, and the headers of its owner."""
    made = new_key("one", rate)
    path = folder / "keys"
    path.write_text(made.line + "\n")
    return served(api_keys_file=path), {"authorization": f"Bearer {made.secret}"}


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_a_batch_counts_as_many_bids_as_it_has(call, clock, request_body, tmp_path, count):
    """A key with a rate of 4 has 4 bids at first, and the clock stands still."""
    service, headers = _service_with_a_key(tmp_path, 4)
    batch = {"requests": [request_body] * count}
    assert call("POST", "/v1/bids", service, json=batch, headers=headers).status_code == 200
    statuses = [call("POST", "/bid", service, json=request_body, headers=headers).status_code for _ in range(5)]
    assert statuses == [200] * (4 - count) + [429] * (1 + count)


@pytest.mark.parametrize("path", ["/v1/reasons", "/v1/rules", "/v1/policies", "/metrics", "/version", "/nowhere"])
def test_other_routes_count_against_the_rate_of_bids(call, clock, request_body, tmp_path, path):
    service, headers = _service_with_a_key(tmp_path, 3)
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


def test_a_refusal_waits_and_nobody_else_does(call, clock, monkeypatch, tmp_path):
    monkeypatch.setattr("service.middleware.api_keys.REFUSALS_AT_ONCE", 1.0)
    monkeypatch.setattr("service.middleware.api_keys.REFUSALS_RATE", 4.0)
    made = new_key("one")
    path = tmp_path / "keys"
    path.write_text(made.line + "\n")
    service = served(api_keys_file=path)
    waits_s = []

    async def sleep(wait_s):
        waits_s.append(wait_s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    good = {"authorization": f"Bearer {made.secret}"}
    for method, route, headers, status, waited_s in (
        ("GET", "/metrics", {}, 401, []),
        ("GET", "/metrics", {}, 401, [0.25]),
        ("GET", "/metrics", good, 200, []),
        ("POST", "/v1/bids", {}, 401, [0.5]),
        ("POST", "/v1/bids", {}, 401, []),  # it would wait longer than half a second
        ("GET", "/healthz", {}, 200, []),
    ):
        waits_s.clear()
        assert call(method, route, service, headers=headers).status_code == status
        assert [wait_s for wait_s in waits_s if wait_s > 0.0] == waited_s


def test_who_has_no_key_is_told_so_before_the_body_is_read(tmp_path):
    path = tmp_path / "keys"
    path.write_text(new_key("one").line + "\n")
    service = served(api_keys_file=path)

    async def run():
        sent = []

        async def receive():
            raise AssertionError("the body is not read")

        async def take(message):
            sent.append(message)

        await service({"type": "http", "method": "POST", "path": "/bid", "headers": []}, receive, take)
        return sent[0]["status"]

    assert asyncio.run(run()) == 401


def test_a_request_that_is_shed_is_not_charged(call, clock, request_body, tmp_path):
    made = new_key("one", 1)
    path = tmp_path / "keys"
    path.write_text(made.line + "\n")
    service = served(api_keys_file=path)
    key = {b"authorization": f"Bearer {made.secret}".encode()}
    content = orjson.dumps(request_body)
    assert [send(service, "/bid", content, key, waited_s).status_code for waited_s in (100.0, 0.0, 0.0)] == [
        503,
        200,
        429,
    ]

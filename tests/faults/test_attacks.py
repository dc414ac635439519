"""Attacks on a real server that reads requests with h11, as beyond loopback: small ones, whatever the machine's speed.

`python -m tests.faults.attacks` runs more of them, and measures.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from tests.faults.attacks import ATTACKS, MOST_MIB, Servers, chunked, running, upgrade
from tests.faults.conftest import BODY, WORKED, ask, connected, read_answers, request_bytes
from tests.patience import PATIENT, wait_until

_HEAD = b"POST /bid HTTP/1.1\r\nHost: service\r\n"
_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n"
_LAST = b"GET /healthz HTTP/1.1\r\nHost: service\r\nX-Request-ID: last\r\nConnection: close\r\n\r\n"
_BATCH = request_bytes(json.dumps({"requests": [WORKED | {"policy": "winprob"}] * 512}).encode(), path="/v1/bids")
_ENOUGH_BYTES = 32 * 1024 * 1024  # an endless input that the server has not refused by then is unbounded
_SEND_BYTES = 64 * 1024


@pytest.fixture(scope="module")
def server() -> Iterator[Servers]:
    with running("h11", settings=PATIENT) as servers:
        yield servers


def _talk(server: Servers, data: bytes) -> bytes:
    """Send ``data``, and return what comes until the connection ends.

    A server that closes it before it has read all bytes resets it: after whole answers, that is an end as well.
    """
    received = b""
    with connected(server) as connection, suppress(ConnectionError):
        with suppress(ConnectionError):
            connection.sendall(data)
        while piece := connection.recv(_SEND_BYTES):
            received += piece
    return received


def _send_endlessly(server: Servers, opening: bytes, piece: bytes) -> bool:
    """Send ``piece`` after ``opening`` again and again; return whether the server has closed the connection."""
    with connected(server) as connection:
        try:
            connection.sendall(opening)
            for _ in range(_ENOUGH_BYTES // len(piece)):
                connection.sendall(piece)
        except ConnectionError:
            return True
    return False


def test_pipelined_requests_are_answered_once_and_in_order(server):
    parts = [
        request_bytes(BODY, "X-Request-ID: r0"),
        request_bytes(BODY, "X-Request-ID: r1", path="/nowhere"),
        _HEALTH[:-2] + b"X-Request-ID: r2\r\n\r\n",
        request_bytes(BODY, "X-Request-ID: r3", path="/v1/bid"),
        chunked()[:-2] + b"X-Request-ID: r4\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY),
    ]
    answers = read_answers(_talk(server, b"".join(parts) * 40 + _LAST))
    assert [headers["x-request-id"] for _, headers, _ in answers] == ["r0", "r1", "r2", "r3", "r4"] * 40 + ["last"]
    assert [status for status, _, _ in answers] == [200, 404, 200, 200, 200] * 40 + [200]


def test_a_batch_ends_its_connection(server):
    """Otherwise uvicorn would keep in memory what is pipelined after it."""
    many = request_bytes(json.dumps({"requests": [WORKED] * 4}).encode(), path="/v1/bids")
    ((status, headers, _),) = read_answers(_talk(server, many * 40 + _LAST))
    assert (status, headers["connection"]) == (200, "close")


@pytest.mark.parametrize("protocol", ["h2c", "websocket", "cow/7"])
def test_an_upgrade_is_ignored_and_its_body_is_no_request(server, protocol):
    fields = ("Connection: Upgrade", f"Upgrade: {protocol}", "Sec-WebSocket-Version: 13")
    answers = read_answers(_talk(server, upgrade(protocol) + request_bytes(BODY, *fields) + _LAST))
    assert [status for status, _, _ in answers] == [400, 200, 200]
    assert answers[1][2] == ask(server, request_bytes())[2]


def test_connect_opens_no_tunnel(server):
    connect = b"CONNECT service:443 HTTP/1.1\r\nHost: service\r\n\r\n"
    assert [status for status, _, _ in read_answers(_talk(server, connect + _HEALTH + _LAST))] == [404, 200, 200]


@pytest.mark.parametrize(
    "name",
    [
        *("trailer flood", "trailer flood after a bid", "endless header", "endless headers", "endless URL"),
        "endless chunk extension",
    ],
)
def test_input_without_end_is_refused(server, name):
    assert _send_endlessly(server, ATTACKS[name].opening, ATTACKS[name].piece)
    assert server.peak_mib(server.service.pid) < MOST_MIB
    assert ask(server, request_bytes())[0] == 200


def test_clients_that_never_read_stop_nobody(server):
    """Each sends batches until neither it nor the server has room for more, and stays."""
    with ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(connected(server))
            connection.sendall(_BATCH)
            connection.setblocking(False)
            with suppress(BlockingIOError):
                for _ in range(40):
                    connection.send(_BATCH)
        for _ in range(20):
            assert ask(server, request_bytes())[0] == 200
        assert server.peak_mib(server.service.pid) < MOST_MIB


@pytest.mark.parametrize(
    ("data", "status", "name"),
    [
        (_HEAD + b"Content-Length: 99999999999999\r\n\r\n", 413, "body-too-large"),
        (chunked() + b"11000\r\n" + b" " * 0x11000 + b"\r\n", 413, "body-too-large"),
        (request_bytes(BODY, "Content-Type: multipart/form-data; boundary=x"), 415, "unsupported-media-type"),
        (request_bytes(BODY, "Content-Encoding: gzip"), 415, "unsupported-media-type"),
        (request_bytes(BODY, "X-Deadline-Ms: soon"), 400, "invalid-deadline"),
        (request_bytes()[:-1].replace(b"Host", b"X-Deadline-Ms: 1\r\nHost"), 504, "deadline-exceeded"),
        (request_bytes(b"[" * 60_000), 422, "invalid-request"),
    ],
)
def test_the_apps_limits_are_problems(server, data, status, name):
    found, headers, body = ask(server, data)
    assert (found, headers["content-type"]) == (status, "application/problem+json")
    assert json.loads(body)["type"] == f"/problems/{name}"


def test_too_many_requests_in_flight_are_shed():
    with running("h11", settings=PATIENT | {"SPADES_MAX_IN_FLIGHT": "2"}) as server, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(connected(server)).sendall(request_bytes()[:-1])
        wait_until(lambda: ask(server, request_bytes())[0] == 503)
        _, headers, body = ask(server, request_bytes())
        assert (headers["content-type"], headers["retry-after"]) == ("application/problem+json", "1")
        assert json.loads(body)["type"] == "/problems/overloaded"
        assert ask(server, _HEALTH)[0] == 200
        stack.close()
        wait_until(lambda: ask(server, request_bytes())[0] == 200)

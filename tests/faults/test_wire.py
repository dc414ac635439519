"""Hostile and faulty callers: each gets a problem, and no other caller is affected."""

import json
import random
import select
import time
from contextlib import suppress

import pytest

from tests.faults.conftest import BODY, WORKED, ask, connected, read_response, request_bytes, rss_kb
from tests.patience import get
from tests.service.conftest import running_server

_HEAD = b"POST /bid HTTP/1.1\r\nHost: service\r\n"


def _well(server):
    assert ask(server, request_bytes())[0] == 200


@pytest.mark.parametrize(
    ("data", "status", "name"),
    [
        (b"\x00\x01\x02\r\n\r\n", 400, "invalid-http"),
        (b"GET / HTTP/9.9\r\n\r\n", 400, "invalid-http"),
        (_HEAD + b"Content-Length: x\r\n\r\n", 400, "invalid-http"),
        (_HEAD + b"Content-Length: -1\r\n\r\n", 400, "invalid-http"),
        (_HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", 400, "invalid-http"),
        (_HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "invalid-http"),
        (_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "invalid-http"),
        (_HEAD + b"X: " + b"x" * 100_000, 431, "headers-too-large"),
        (b"GET /" + b"x" * 100_000, 431, "headers-too-large"),
        (_HEAD + b"Content-Length: 99999999999999\r\n\r\n", 413, "body-too-large"),
        (request_bytes(BODY, "Content-Type: multipart/form-data; boundary=x"), 415, "unsupported-media-type"),
        (request_bytes(BODY, "Content-Encoding: gzip"), 415, "unsupported-media-type"),
        (request_bytes(BODY, "X-Deadline-Ms: soon"), 400, "invalid-deadline"),
        (request_bytes(BODY, "X-Deadline-Ms: 0"), 504, "deadline-exceeded"),
        (request_bytes(b""), 400, "invalid-json"),
        (request_bytes(b"{"), 400, "invalid-json"),
        (request_bytes(b"NaN"), 400, "invalid-json"),
        (request_bytes(b'{"seat": NaN}'), 400, "invalid-json"),
        (request_bytes(b'{"seat": Infinity}'), 400, "invalid-json"),
        (request_bytes(b"[" * 50_000), 422, "invalid-request"),
        (request_bytes(b"[" * 2000), 400, "invalid-json"),
        (request_bytes(b"[" * 1000 + b"]" * 1000), 422, "invalid-request"),
        (request_bytes(b'{"rules":' * 900 + b"1" + b"}" * 900), 422, "invalid-request"),
        (request_bytes(BODY.replace(b'"seat": 0', b'"seat": ' + b"9" * 5000)), 400, "invalid-json"),
        (request_bytes(BODY.replace(b'"seat": 0', b'"seat": 1e999')), 400, "invalid-json"),
        (request_bytes(BODY.replace(b'"seat": 0', b'"seat": ' + b"9" * 30)), 422, "invalid-request"),
        (request_bytes(BODY.replace(b'"seat": 0', b'"seat": -0')), 200, ""),
        (request_bytes(json.dumps(WORKED).encode("utf-16")), 400, "invalid-json"),
        (request_bytes(b"\xff\xfe" + BODY), 400, "invalid-json"),
        (request_bytes(b'{"hand": "\xe9"}'), 400, "invalid-json"),
        (request_bytes(b'{"hand": "\\ud800"}'), 400, "invalid-json"),
        (request_bytes(b"\x00" * 1000), 400, "invalid-json"),
        (request_bytes(b" " * 70_000), 413, "body-too-large"),
    ],
)
def test_a_problem_each(server, data, status, name):
    found, headers, body = ask(server, data)
    assert found == status, body[:300]
    if status != 200:
        assert headers["content-type"] == "application/problem+json"
        assert json.loads(body)["type"] == f"/problems/{name}"
        assert b"Traceback" not in body
    _well(server)


def test_slow_headers_and_bodies_are_cut_off(hasty):
    with connected(hasty) as silent, connected(hasty) as head, connected(hasty) as body:
        head.sendall(b"POST /bid HTTP/1.1\r\nHost")
        body.sendall(request_bytes()[:-5])
        started = time.monotonic()
        with head.makefile("rb") as in_head, body.makefile("rb") as in_body:
            for stream, what in ((in_head, b"headers"), (in_body, b"body")):
                status, headers, content = read_response(stream)
                assert (status, headers["connection"]) == (408, "close")
                assert what in content
                assert stream.read() == b""
        assert silent.recv(100) == b""
        assert time.monotonic() - started > 0.4
    text = get(f"{hasty.url}/metrics").text
    for phase in ("idle", "head", "body"):
        assert f'spades_connection_timeouts_total{{phase="{phase}"}} ' in text
    assert 'spades_http_requests_total{route="/bid",status="408"} 1.0' in text


def test_a_byte_at_a_time_does_not_buy_time(hasty):
    with connected(hasty) as connection, connection.makefile("rb") as stream:
        left = list(request_bytes(b" " * 6000))
        try:
            while left and not select.select([connection], [], [], 0.02)[0]:
                connection.sendall(bytes([left.pop(0)]))
        except OSError:
            pass  # the server has closed it meanwhile
        assert left, "the whole request was read"
        with suppress(ConnectionError):  # bytes sent after the close may have caused a reset, which lost the answer
            assert read_response(stream)[0] == 408
    _well(hasty)


def test_an_idle_connection_is_closed_and_a_used_one_is_not(hasty):
    """The limit is 6 s, twenty times the pauses of the connection that is used."""
    with connected(hasty) as idle, connected(hasty) as used, used.makefile("rb") as stream:
        idle.sendall(request_bytes())
        with idle.makefile("rb") as idle_stream:
            assert read_response(idle_stream)[0] == 200
            while not select.select([idle], [], [], 0.3)[0]:
                used.sendall(request_bytes())
                assert read_response(stream)[0] == 200
            assert idle_stream.read() == b""
            used.sendall(request_bytes())
            assert read_response(stream)[0] == 200


def test_too_many_connections_are_answered_and_closed(server):
    _hold_connections(server, 260, 200)


def _hold_connections(server, count, most):
    before = rss_kb(server.process.pid)
    held = []
    try:
        refused = 0
        for _ in range(count):
            manager = connected(server)
            held.append(manager)
            connection = manager.__enter__()
            if len(held) > most:
                with connection.makefile("rb") as stream:
                    status, headers, body = read_response(stream)
                refused += 1
                assert (status, headers["retry-after"]) == (503, "1")
                assert json.loads(body)["type"] == "/problems/overloaded"
        assert refused >= count - most
        return rss_kb(server.process.pid) - before
    finally:
        for manager in held:
            manager.__exit__(None, None, None)


@pytest.mark.long
def test_ten_thousand_idle_connections():
    """Each costs about 10 KiB; other callers are served meanwhile, and later connections reuse the memory."""
    with running_server(SPADES_READ_S="600", SPADES_MAX_CONNECTIONS="20000") as server:
        _well(server)
        first = _idle(server, 10_000)
        again = _idle(server, 10_000)
        print(f"10,000 idle connections: {first} KiB, the second time {again} KiB")
        assert first < 400_000
        assert again < first + 50_000


def _idle(server, count):
    managers = [connected(server) for _ in range(count)]
    try:
        for manager in managers:
            manager.__enter__()
        _well(server)
        return rss_kb(server.process.pid)
    finally:
        for manager in managers:
            manager.__exit__(None, None, None)


_VARIANTS = [
    BODY,
    json.dumps(WORKED | {"policy": "rb", "explain": False}).encode(),
    json.dumps(WORKED | {"seat": 1}).encode(),
    json.dumps(WORKED | {"policy": "best", "hand": "A.K.Q.J"}).encode(),
    b"[]",
    b"{",
    b"",
    b" " * 65_537,
]


@pytest.mark.parametrize("body", _VARIANTS, ids=range(len(_VARIANTS)))
@pytest.mark.parametrize(
    "headers",
    [(), ("X-Request-ID: me",), ("X-Deadline-Ms: 0",), ("Content-Type: multipart/x",), ("Connection: close",)],
)
def test_pieces_make_no_difference(server, headers, body):
    """A request that comes in pieces gets the same answer as one that comes at once."""
    data = request_bytes(body, *headers)
    at_once = ask(server, data)
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(data[:40])
        time.sleep(0.02)
        connection.sendall(data[40 : len(data) - 1])
        time.sleep(0.02)
        with suppress(OSError):  # the server may refuse and close before the end
            connection.sendall(data[len(data) - 1 :])
        in_pieces = read_response(stream)
    for answer in (at_once, in_pieces):
        answer[1].pop("date")
        if headers != ("X-Request-ID: me",):
            answer[1].pop("x-request-id")
    assert at_once == in_pieces


def test_pipelined_and_cut_at_random_every_request_is_answered_in_order(server):
    """50 requests, some of them wrong and some to other routes, are cut into pieces at random places."""
    random.seed(4)
    expected, data = [], b""
    for index in range(50):
        body, status = random.choice([(BODY, 200), (b"{", 400), (b"{}", 422)])
        path = random.choice(["/bid", "/v1/bid", "/v1/rules", "/nowhere"])
        status = {"/v1/rules": 405, "/nowhere": 404}.get(path, status)
        data += request_bytes(body, f"X-Request-ID: r{index}", path=path)
        expected.append((status, f"r{index}"))
    with connected(server) as connection, connection.makefile("rb") as stream:
        while data:
            size = random.choice([1, 5, 100, 700, 5000])
            connection.sendall(data[:size])
            data = data[size:]
            if random.random() < 0.3:
                time.sleep(0.005)
        found = []
        for _ in expected:
            status, headers, _ = read_response(stream)
            found.append((status, headers["x-request-id"]))
    assert found == expected


def test_http_1_0_and_expect_continue(server):
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(request_bytes().replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert read_response(stream)[0] == 200
        assert stream.read() == b""
    with connected(server) as connection, connection.makefile("rb") as stream:
        data = request_bytes(BODY, "Expect: 100-continue")
        connection.sendall(data[: -len(BODY)])
        assert stream.readline().startswith(b"HTTP/1.1 100")
        stream.readline()
        connection.sendall(BODY)
        assert read_response(stream)[0] == 200


def test_memory_stays_flat_under_refusals(server):
    _well(server)
    hostile = request_bytes(b"[" * 60_000)
    for _ in range(200):
        ask(server, hostile)
    before = rss_kb(server.process.pid)
    for _ in range(400):
        ask(server, hostile)
        ask(server, _HEAD + b"X: " + b"x" * 40_000)
    assert rss_kb(server.process.pid) - before < 20_000

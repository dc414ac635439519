"""The end of a request: trailers, upgrades, heads, half-closed sockets, and ways to hide a request in another."""

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.faults.attackers import chunk, chunked_head
from tests.faults.conftest import (
    BODY,
    UNHURRIED,
    WORKED,
    connected,
    free_port,
    metric,
    new_keys_file,
    read_answers,
    read_response,
    request_bytes,
)
from tests.faults.wire_cases import UPGRADE, framing_cases, upgrade_cases
from tests.patience import LIMIT_S
from tests.service.conftest import RealServer, running_server

_HEAD_LIMIT = 32 * 1024
_HASTY_S = "2"
_NEXT = b"GET /healthz HTTP/1.1\r\nHost: service\r\nX-Request-ID: next\r\n\r\n"
_HEAD = b"POST /bid HTTP/1.1\r\nHost: service\r\n"
_MANY = json.dumps({"requests": [WORKED] * 512}).encode()


@pytest.fixture(scope="module")
def server() -> Iterator[RealServer]:
    """A server whose time limits are so long that no busy machine reaches them."""
    with running_server(**UNHURRIED, SPADES_ACCESS_LOG="0") as running:
        yield running


@pytest.fixture(scope="module")
def hasty() -> Iterator[RealServer]:
    """A server that ends what waits for more bytes after some seconds, for cases that wait for that."""
    with running_server(SPADES_READ_S=_HASTY_S, SPADES_ACCESS_LOG="0") as running:
        yield running


@pytest.fixture(scope="module")
def keyed(tmp_path_factory) -> Iterator[RealServer]:
    """A server with API keys; its metrics have a separate listener, which needs no key."""
    path, secret = new_keys_file(tmp_path_factory.mktemp("keys"))
    settings = {
        "SPADES_API_KEYS_FILE": str(path),
        **UNHURRIED,
        "SPADES_ACCESS_LOG": "0",
        "SPADES_METRICS_ADDRESS": f"127.0.0.1:{free_port()}",
    }
    with running_server(**settings) as running:
        running.secret = secret  # type: ignore[attr-defined]
        running.metrics_port = int(settings["SPADES_METRICS_ADDRESS"].rpartition(":")[2])  # type: ignore[attr-defined]
        yield running


def _talk(server, *pieces: bytes, pause_s: float = 0.005, limit_s: float = LIMIT_S) -> tuple[bytes, bool]:
    """Send ``pieces``; read until the answer to `_NEXT`, the end or ``limit_s``; return the bytes, and if it ended."""
    data = b""
    with connected(server) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(limit_s)
        try:
            for index, piece in enumerate(pieces):
                if index:
                    time.sleep(pause_s)
                connection.sendall(piece)
            while not (b"x-request-id: next" in data and data.endswith(b'{"status":"ok"}')):
                received = connection.recv(1 << 20)
                if not received:
                    return data, True
                data += received
        except ConnectionError:
            return data, True
        except TimeoutError:  # no answer, and the connection is still open
            return data, False
        return data, False


def _executed(server) -> float:
    """Return the number of requests to unknown paths, which are answered with 404 or, without a key, 401."""
    where = RealServer(server.process, getattr(server, "metrics_port", server.port), [])
    return metric(where, r'spades_http_requests_total\{route="other",status="(?:404|401)"\}')


def _cuts(data: bytes) -> Iterator[list[bytes]]:
    """Yield ``data`` in one piece, as head and rest, and in eight pieces."""
    yield [data]
    head = data.find(b"\r\n\r\n") + 4
    if 4 < head < len(data):
        yield [data[:head], data[head:]]
    size = max(1, len(data) // 8)
    yield [data[start : start + size] for start in range(0, len(data), size)]


_CASES = [*framing_cases(), *upgrade_cases()]
_Heard = dict[str, list[tuple[int, bytes, bool]]]


def _hear(server) -> _Heard:
    """Return the result of each case and cut: the number of pieces, the bytes, and whether the server closed.

    Many run at once, because most of their time is pauses.
    """

    def talk(pieces):
        return len(pieces), *_talk(server, *pieces, pause_s=0.002)

    with ThreadPoolExecutor(32) as pool:
        under_way = {case.name: [pool.submit(talk, cut) for cut in _cuts(case.data + _NEXT)] for case in _CASES}
        return {name: [future.result() for future in futures] for name, futures in under_way.items()}


@pytest.fixture(scope="module")
def heard(server) -> _Heard:
    return _hear(server)


@pytest.fixture(scope="module")
def heard_with_keys(keyed) -> _Heard:
    return _hear(keyed)


def _check_hidden(case, heard: _Heard, early: frozenset[int]) -> None:
    """``early``: statuses that may be sent before the fault is reached, so that only the close shows the fault."""
    for pieces, data, closed in heard[case.name]:
        assert b"x-request-id: smuggled" not in data.lower(), data
        answers = read_answers(data, to_head=case.data.startswith(b"HEAD"))
        if pieces > 1 and not answers:
            assert closed  # bytes sent after the close caused a reset, which lost the answer
            continue
        status, headers, _ = answers[0]
        assert status < 500 or status in (501, 505), data
        if closed:
            assert len(answers) == 1, answers
            assert headers.get("connection") == "close" or status in early, data
            assert case.refused is None or status in {400, 405, 431, 501, 505, *early}, data
        else:
            assert not case.refused, f"not refused: {data!r}"
            assert [headers.get("x-request-id") for _, headers, _ in answers][1:] == ["next"], answers


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_a_hidden_request_is_never_executed(heard, case):
    """Each case gets one ordinary answer, or a 4xx and a close."""
    _check_hidden(case, heard, frozenset())


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_a_hidden_request_is_never_executed_with_keys(heard_with_keys, case):
    _check_hidden(case, heard_with_keys, frozenset([401]))


def test_no_hidden_request_was_counted(server, heard, keyed, heard_with_keys):
    """The service counts each request that it executes, whether or not its answer was sent."""
    assert _executed(server) == 0
    assert _executed(keyed) == 0


# ---- trailers -----------------------------------------------------------------------------------------------------


def _with_trailers(trailers: bytes, *headers: str, body: bytes = BODY, path: str = "/bid") -> bytes:
    return chunked_head(path, *headers) + chunk(body) + chunk(b"") + trailers + b"\r\n"


@pytest.mark.parametrize("path", ["/bid", "/v1/bid", "/v1/bids"])
def test_a_key_in_a_trailer_is_no_key(keyed, path):
    key = f"Authorization: Bearer {keyed.secret}"
    body = _MANY if path == "/v1/bids" else BODY
    for pieces in _cuts(_with_trailers(key.encode() + b"\r\n", body=body, path=path) + _NEXT):
        answers = read_answers(_talk(keyed, *pieces)[0])
        assert answers[0][0] == 401
    answers = read_answers(_talk(keyed, _with_trailers(b"A: b\r\n", key, body=body, path=path) + _NEXT)[0])
    assert [status for status, _, _ in answers] == [200, 200]


@pytest.mark.parametrize(
    "trailer",
    [
        b"A: b\r\nC: d\r\n",
        b"X-Deadline-Ms: 0\r\n",
        b"X-Request-ID: trailed\r\n",
        b"Content-Encoding: gzip\r\n",
        b"Content-Type: multipart/form-data\r\n",
        b"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n",
        b"Host: other\r\n",
        b"X: " + b"x" * 20_000 + b"\r\n",
        b"A: b\r\n" * 90,
    ],
    ids=lambda trailer: trailer[:20].decode().strip(),
)
def test_a_trailer_has_no_effect(server, trailer):
    plain = read_answers(_talk(server, _with_trailers(b"", "X-Request-ID: mine") + _NEXT)[0])
    for pieces in _cuts(_with_trailers(trailer, "X-Request-ID: mine") + _NEXT):
        answers = read_answers(_talk(server, *pieces)[0])
        assert [status for status, _, _ in answers] == [200, 200]
        assert answers[0][1].keys() == plain[0][1].keys()
        assert answers[0][1]["x-request-id"] == "mine"
        assert answers[0][2] == plain[0][2]


_NO_END = {
    "trailers": _with_trailers(b"A: b\r\n" * 20_000)[:-2],
    "one trailer": _with_trailers(b"X: " + b"x" * 120_000)[:-2],
    "a trailer's name": _with_trailers(b"x" * 120_000)[:-2],
    "trailers with an end": _with_trailers(b"A: b\r\n" * 20_000),
    "trailers of a batch": _with_trailers(b"A: b\r\n" * 20_000, path="/v1/bids")[:-2],
    "trailers of a GET": b"GET /healthz HTTP/1.1\r\nHost: service\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    + b"A: b\r\n" * 20_000,
    "trailers of no path": chunked_head("/nowhere") + b"0\r\n" + b"A: b\r\n" * 20_000,
    "a chunk extension": chunked_head() + b"1;" + b"x" * 120_000,
}
# The server may count their bytes, or wait for them until the body's time limit.
_SLOW_ENDS = {
    "chunk extensions": chunked_head() + b"1;name=value\r\n \r\n" * 10_000,
    "chunk extensions of a batch": chunked_head("/v1/bids") + b"1;name=value\r\n \r\n" * 10_000,
    "zeros before a chunk size": chunked_head() + b"0" * 120_000,
}


@pytest.mark.parametrize("name", [*_NO_END, *_SLOW_ENDS])
def test_trailers_and_extensions_count_against_the_head_limit(request, name):
    """Over 32 KiB: 431 and a close; only the close if an answer was already sent."""
    used = request.getfixturevalue("hasty" if name in _SLOW_ENDS else "server")
    data = _NO_END.get(name) or _SLOW_ENDS[name]
    expected = {200, 404, 413, 422, 431} | ({408} if name in _SLOW_ENDS else set())
    with connected(used) as connection:
        received = b""
        with suppress(ConnectionError):
            for start in range(0, len(data), 10_000):
                connection.sendall(data[start : start + 10_000])
                time.sleep(0.005)
            while piece := connection.recv(65_536):
                received += piece
    for status, headers, _ in read_answers(received)[-1:]:
        assert status in expected, received
        assert status != 431 or headers["connection"] == "close"
    assert read_answers(_talk(used, _NEXT)[0])[0][0] == 200


def test_too_many_trailer_bytes_before_the_answer_are_a_431(server):
    """Sent in one piece, so that no answer can have been sent before."""
    for size, status in ((20_000, 200), (40_000, 431)):
        data, closed = _talk(server, _with_trailers(b"X: " + b"x" * size + b"\r\n") + _NEXT)
        answers = read_answers(data)
        assert answers[0][0] == status
        assert closed == (status == 431)
        assert status != 431 or len(answers) == 1


# ---- upgrades -----------------------------------------------------------------------------------------------------


def _upgraded(
    body: bytes, size: int | None, path: str = "/bid", fields: bytes = b"X-Request-ID: mine\r\n" + UPGRADE
) -> bytes:
    head = b"POST %b HTTP/1.1\r\nHost: service\r\n%b" % (path.encode(), fields)
    if size is None:
        return head + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    chunks = b"".join(chunk(body[start : start + size]) for start in range(0, len(body), size))
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


def _byte_by_byte(server, data: bytes) -> bytes:
    return _talk(server, *(data[at : at + 1] for at in range(len(data))), pause_s=0.0003)[0]


@pytest.mark.parametrize("path", ["/bid", "/v1/bid", "/v1/bids"])
@pytest.mark.parametrize("size", [None, 7, 10_000], ids=["length", "small chunks", "one chunk"])
def test_an_upgrade_to_h2c_is_ignored(server, size, path):
    """Java's HttpClient and `curl --http2` send this. The answer is HTTP/1.1, however the bytes are cut."""
    body = json.dumps({"requests": [WORKED] * 2}).encode() if path == "/v1/bids" else BODY
    expected = read_answers(_talk(server, request_bytes(body, path=path) + _NEXT)[0])[0]
    assert expected[0] == 200
    data = _upgraded(body, size, path)
    head = data.index(b"\r\n\r\n") + 4
    received = [
        _talk(server, data + _NEXT)[0],
        _talk(server, data, _NEXT)[0],
        _talk(server, data[:head], data[head:] + _NEXT)[0],
        _talk(server, data[:head], data[head:], _NEXT, pause_s=0.02)[0],
        _talk(server, data[:head], *(data[at : at + 40] for at in range(head, len(data), 40)), _NEXT)[0],
        _byte_by_byte(server, data + _NEXT),
    ]
    for answer in map(read_answers, received):
        assert [status for status, _, _ in answer] == [200, 200]
        assert answer[0][1]["x-request-id"] == "mine"
        assert answer[0][2] == expected[2]


def test_an_upgrade_to_h2c_is_ignored_with_keys(keyed):
    for authorization, status in ((f"Authorization: Bearer {keyed.secret}\r\n", 200), ("", 401)):
        data = _upgraded(BODY, None, fields=UPGRADE + authorization.encode())
        head = data.index(b"\r\n\r\n") + 4
        for pieces in ([data + _NEXT], [data[:head], data[head:] + _NEXT]):
            answers = read_answers(_talk(keyed, *pieces, pause_s=0.02)[0])
            assert [found for found, _, _ in answers] == [status, 200]


@pytest.mark.parametrize("protocol", [b"websocket", b"h2c", b"TLS/1.0", b"cow/7"])
def test_an_upgrade_of_a_get_is_ignored(server, protocol):
    data = b"GET /healthz HTTP/1.1\r\nHost: service\r\nConnection: Upgrade\r\nUpgrade: %b\r\n\r\n" % protocol
    for pieces in ([data + _NEXT], [data, _NEXT]):
        answers = read_answers(_talk(server, *pieces, pause_s=0.02)[0])
        assert [(status, body) for status, _, body in answers] == [(200, b'{"status":"ok"}')] * 2
    assert len(read_answers(_byte_by_byte(server, data + _NEXT))) == 2


def test_an_upgrade_with_expect_continue(server):
    data = _upgraded(BODY, None, fields=UPGRADE + b"Expect: 100-continue\r\n")
    head = data.index(b"\r\n\r\n") + 4
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(data[:head])
        assert stream.readline() == b"HTTP/1.1 100 Continue\r\n"
        stream.readline()
        connection.sendall(data[head:])
        assert read_response(stream)[0] == 200


def test_bids_that_ask_for_an_upgrade_are_pipelined_in_order(server):
    count = 20
    data = b"".join(
        _upgraded(BODY, size).replace(b"mine", b"r%d" % at) for at, size in enumerate([None, 50] * (count // 2))
    )
    answers = read_answers(_talk(server, data + _NEXT)[0])
    assert [headers["x-request-id"] for _, headers, _ in answers] == [*(f"r{at}" for at in range(count)), "next"]
    assert {status for status, _, _ in answers} == {200}


# ---- heads --------------------------------------------------------------------------------------------------------


def _sized(size: int, fields: int = 1) -> bytes:
    """Return a GET with a head of ``size`` bytes, with ``fields`` fields besides Host."""
    head = b"GET /healthz HTTP/1.1\r\nHost: service\r\n"
    each = (size - len(head) - 2) // fields
    lines = [b"A%d: " % at for at in range(fields)]
    return head + b"".join(line + b"x" * (each - len(line) - 2) + b"\r\n" for line in lines) + b"\r\n"


@pytest.mark.parametrize("fields", [1, 20])
@pytest.mark.parametrize("method", [b"GET /healthz", b"POST /bid"])
def test_the_head_limit_holds_for_a_head_in_one_piece(server, method, fields):
    for size, status in ((31 * 1024, 200), (33 * 1024, 431), (60 * 1024, 431)):
        head = _sized(size, fields)
        if method == b"POST /bid":
            head = head.replace(b"GET /healthz", method)[:-2] + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
        for pieces in _cuts(head + _NEXT):
            data, closed = _talk(server, *pieces)
            answers = read_answers(data)
            if answers or len(pieces) == 1:
                assert answers[0][0] == status
            assert closed == (status == 431)
            if status == 431 and answers:
                assert answers[0][1]["connection"] == "close"
                assert json.loads(answers[0][2])["type"] == "/problems/headers-too-large"


def test_every_head_of_a_pipeline_has_its_own_limit(server):
    """Two heads, or a head and its body, may together exceed the limit if each head is within it."""
    answers = read_answers(_talk(server, _sized(20_000) * 4 + request_bytes(BODY + b" " * 50_000) + _NEXT)[0])
    assert [status for status, _, _ in answers] == [200] * 6
    data, closed = _talk(server, _sized(20_000) * 2 + _sized(_HEAD_LIMIT + 1000) + _NEXT)
    assert [status for status, _, _ in read_answers(data)] == [200, 200, 431]
    assert closed


@pytest.mark.parametrize(("fields", "status"), [(99, 200), (101, 431), (5000, 431)])
@pytest.mark.parametrize("name", [b"A%d", b"A"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_at_most_a_hundred_fields(server, fields, status, name, method):
    """Host and Content-Length count too."""
    count = fields - (2 if method == "POST" else 1)
    lines = b"".join((name % at if b"%" in name else name) + b":b\r\n" for at in range(count))
    if method == "POST":
        head = _HEAD + b"Content-Length: %d\r\n" % len(BODY) + lines + b"\r\n" + BODY
    else:
        head = b"GET /healthz HTTP/1.1\r\nHost: service\r\n" + lines + b"\r\n"
    for pieces in _cuts(head + _NEXT):
        data, closed = _talk(server, *pieces)
        answers = read_answers(data)
        if answers or len(pieces) == 1:
            assert answers[0][0] == status
        assert closed == (status == 431)


@pytest.mark.parametrize(
    ("hosts", "status"),
    [
        ([], 400),
        (["service"], 200),
        (["service", "service"], 400),
        (["service", "other"], 400),
        (["", ""], 400),
        (["service:8080"], 200),
        (["[::1]:8080"], 200),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_one_host(server, hosts, status, method):
    """A request without Host, or with two, gets a 400 (RFC 9112, section 3.2)."""
    lines = "".join(f"Host: {host}\r\n" for host in hosts).encode()
    head = b"GET /healthz HTTP/1.1\r\n" + lines + b"\r\n"
    if method == "POST":
        head = b"POST /bid HTTP/1.1\r\n" + lines + b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    for pieces in _cuts(head + _NEXT):
        data, closed = _talk(server, *pieces)
        answers = read_answers(data)
        if answers or len(pieces) == 1:
            assert answers[0][0] == status
        assert closed == (status == 400)
        if status == 400 and answers:
            assert len(answers) == 1
            assert json.loads(answers[0][2])["type"] == "/problems/invalid-http"


def test_http_1_0_needs_no_host(server):
    for data in (b"GET /healthz HTTP/1.0\r\n\r\n", request_bytes().replace(b"HTTP/1.1\r\nHost: service", b"HTTP/1.0")):
        received, closed = _talk(server, data)
        assert [status for status, _, _ in read_answers(received)] == [200]
        assert closed


# ---- order --------------------------------------------------------------------------------------------------------

_REFUSED = {
    "not HTTP": (b"\x00\x01\r\n\r\n", 400),
    "two lengths": (_HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", 400),
    "no Host": (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
    "a chunk size": (chunked_head() + b"zz\r\n", 400),
    "a long head": (_sized(60 * 1024), 431),
}


@pytest.mark.parametrize(("data", "status"), _REFUSED.values(), ids=_REFUSED.keys())
@pytest.mark.parametrize("first", ["batch", "bid", "health", "metrics", "many"])
def test_a_refusal_waits_for_the_answers_before_it(server, first, data, status):
    """A refusal after a slower request is sent after its answer; then the connection is closed."""
    before = {
        "batch": request_bytes(_MANY, path="/v1/bids"),
        "bid": request_bytes(),
        "health": _NEXT,
        "metrics": b"GET /metrics HTTP/1.1\r\nHost: service\r\n\r\n",
        "many": request_bytes(_MANY, path="/v1/bids") * 2 + request_bytes() * 3,
    }[first]
    count = 5 if first == "many" else 1
    for pieces in ([before + data], [before, data]):
        with connected(server) as connection:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.01)
            received = b""
            with suppress(ConnectionError):
                while piece := connection.recv(1 << 20):
                    received += piece
        answers = read_answers(received)
        assert [found for found, _, _ in answers] == [200] * count + [status]
        assert answers[-1][1]["connection"] == "close"


# ---- half-closed sockets ------------------------------------------------------------------------------------------

_HALF = {
    "bid": (request_bytes(), 1),
    "bids in a pipeline": (request_bytes() * 30, 30),
    "batch": (request_bytes(_MANY, path="/v1/bids"), 1),
    "batches in a pipeline": (request_bytes(_MANY, path="/v1/bids") * 3, 3),
    "batch, bid": (request_bytes(_MANY, path="/v1/bids") + request_bytes(), 2),
    "health": (_NEXT, 1),
    "document": (b"GET /openapi.json HTTP/1.1\r\nHost: service\r\n\r\n", 1),
    "chunked": (_with_trailers(b""), 1),
}


@pytest.mark.parametrize(("data", "count"), _HALF.values(), ids=_HALF.keys())
@pytest.mark.parametrize("pause_s", [0.0, 0.02])
def test_a_half_closed_socket_gets_its_answers(server, data, count, pause_s):
    """A caller may close its side after its last request, as `nc` and some HTTP/1.0 clients do."""
    with connected(server) as connection:
        connection.sendall(data)
        time.sleep(pause_s)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        while piece := connection.recv(1 << 20):
            received += piece
    answers = read_answers(received)
    assert [status for status, _, _ in answers] == [200] * count


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"POST /bid HTTP/1.1\r\nHost",
        request_bytes()[:-5],
        _with_trailers(b"")[:-9],
        _with_trailers(b"A: b\r\n")[:-2],
    ],
    ids=["nothing", "half a head", "half a body", "half the chunks", "half the trailers"],
)
def test_a_half_closed_socket_with_half_a_request_is_closed(server, data):
    with connected(server) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        with suppress(ConnectionResetError):
            while piece := connection.recv(65_536):  # until the close, long before the time limit of a body
                received += piece
    for status, headers, _ in read_answers(received):
        assert status in (400, 408)
        assert headers["connection"] == "close"


# ---- requests in pieces --------------------------------------------------------------------------------------------

_SAME = [
    (BODY, ()),
    (json.dumps(WORKED | {"policy": "rb", "explain": False}).encode(), ()),
    (json.dumps(WORKED | {"seat": 1}).encode(), ()),
    (b"{", ()),
    (b" " * 65_537, ()),
    (BODY, ("X-Deadline-Ms: 600000",)),
    (BODY, ("X-Deadline-Ms: soon",)),
    (BODY, ("X-Request-ID: me",)),
    (BODY, ("Content-Type: multipart/form-data",)),
    (BODY, ("Content-Encoding: gzip",)),
    (BODY, ("traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",)),
]


@pytest.mark.parametrize("path", ["/bid", "/v1/bid"])
@pytest.mark.parametrize(("body", "headers"), _SAME, ids=range(len(_SAME)))
def test_every_framing_of_a_request_gets_the_same_answer(server, body, headers, path):
    """Status, body and headers are equal, except the date and a new request id."""
    fields = "".join(f"{header}\r\n" for header in headers).encode()
    upgraded = fields + UPGRADE
    whole = request_bytes(body, *headers, path=path)
    forms = {
        "whole": [whole],
        "head, body": [whole[: len(whole) - len(body)], body],
        "without its last byte, that": [whole[:-1], whole[-1:]],
        "in five": [whole[at : at + len(whole) // 5 + 1] for at in range(0, len(whole), len(whole) // 5 + 1)],
        "upgrade": [_upgraded(body, None, path, upgraded)],
        "upgrade, in two": [_upgraded(body, None, path, upgraded)[:-1], body[-1:]],
    }
    if len(body) < 1000:
        forms["byte by byte"] = [whole[at : at + 1] for at in range(len(whole))]
    for size in (1, 7, 100, 65_536) if len(body) < 1000 else (1000, 65_536):
        pieces = b"".join(chunk(body[at : at + size]) for at in range(0, len(body), size))
        data = chunked_head(path, *headers) + pieces + b"0\r\n\r\n"
        forms[f"chunks of {size}"] = [data]
        forms[f"chunks of {size}, in two"] = [data[: len(data) // 2], data[len(data) // 2 :]]
        forms[f"chunks of {size}, trailers"] = [
            data[:-2] + b"A: b\r\nX-Request-ID: trailed\r\nX-Deadline-Ms: 0\r\n\r\n"
        ]
        forms[f"chunks of {size}, upgrade"] = [_upgraded(body, size, path, upgraded)]
    found = {}
    for name, sent in forms.items():
        answers = read_answers(_talk(server, *sent[:-1], sent[-1] + _NEXT, pause_s=0.001)[0])
        status, head, answer = answers[0]
        head.pop("date")
        if "X-Request-ID: me" not in headers:
            head.pop("x-request-id")
        found[name] = (status, head, answer, len(answers))
    assert {name for name, answer in found.items() if answer != found["whole"]} == set(), found


# ---- input after a request that is being answered -----------------------------------------------------------------

_BATCH = request_bytes(json.dumps({"requests": [WORKED] * 200}).encode(), path="/v1/bids")
_FIRST = {
    "health": b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n",
    "version, close": b"GET /version HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n",
    "bid": request_bytes(),
    "bid, close": request_bytes(BODY, "Connection: close"),
    "batch": _BATCH,
    "chunked batch": chunked_head("/v1/bids") + chunk(_BATCH.partition(b"\r\n\r\n")[2]) + b"0\r\n\r\n",
}
_BEHIND = {
    "a zero byte": b"\x00",
    "a letter": b"X",
    "half a head": b"GET /healthz HTTP/1.1\r\n",
    "many fields": b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 110,
    "a bad head": b"GET / HTTP/1.1\r\nHost : service\r\n\r\n",
}


@pytest.mark.parametrize("behind", _BEHIND.values(), ids=_BEHIND.keys())
@pytest.mark.parametrize("first", _FIRST.values(), ids=_FIRST.keys())
def test_an_answer_that_is_due_comes_before_a_refusal(hasty, first, behind):
    with connected(hasty) as connection, connection.makefile("rb") as stream:
        connection.sendall(first + behind)
        assert read_response(stream)[0] == 200
        rest = stream.read()
    assert rest == b"" or rest.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 408 ", b"HTTP/1.1 431 "))
    assert rest.count(b"HTTP/1.1 ") <= 1


@pytest.mark.parametrize("zeros", [10, 300, 5000])
def test_leading_zeros_of_a_length(server, zeros):
    """The parser accepts leading zeros; a length with more than 12 digits is refused as too large."""
    length = b"0" * zeros + b"%d" % len(BODY)
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(b"POST /bid HTTP/1.1\r\nHost: service\r\nContent-Length: %b\r\n\r\n%b" % (length, BODY))
        assert read_response(stream)[0] in (200, 413)
        connection.sendall(request_bytes())
        assert read_response(stream)[0] == 200


@pytest.mark.parametrize("size", [1, 15, 16, 31, 255, 256, 4096, 70_000])
def test_a_large_batch_in_chunks_of_any_size(server, size):
    body = b'{"requests": []}'.ljust(300_000)
    data = chunked_head("/v1/bids")
    data += b"".join(chunk(body[at : at + size]) for at in range(0, len(body), size)) + b"0\r\n\r\n"
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(data)
        assert read_response(stream)[0] == 200


@pytest.mark.parametrize("path", ["/bid", "/healthz"])
def test_a_trailer_closes_nothing(server, path):
    with connected(server) as connection, connection.makefile("rb") as stream:
        for _ in range(3):
            connection.sendall(chunked_head(path) + chunk(BODY) + b"0\r\nConnection: close\r\n\r\n")
            status, headers, _ = read_response(stream)
            assert status == (200 if path == "/bid" else 405)
            assert "connection" not in headers
        connection.sendall(request_bytes())
        assert read_response(stream)[0] == 200


@pytest.mark.parametrize("lines", [["100-continue"] * 2, ["100-Continue"], ["other, 100-continue"]])
def test_expect_in_other_forms(server, lines):
    data = request_bytes(BODY, *(f"Expect: {line}" for line in lines))
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(data[: -len(BODY)])
        assert stream.readline().startswith(b"HTTP/1.1 100 ")
        stream.readline()
        connection.sendall(BODY)
        assert read_response(stream)[0] == 200


def test_an_early_answer_to_expect_closes(server):
    """The peer may or may not send its body after the answer, so the next bytes can't be interpreted."""
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(request_bytes(b" " * 70_000, "Expect: 100-continue")[:-70_000])
        status, headers, _ = read_response(stream)
        assert (status, headers["connection"]) == (413, "close")
        assert stream.read() == b""

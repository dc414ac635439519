"""The service behind the proxy that docker-compose.yml puts in front of it: nginx with deploy/nginx/nginx.conf.

Both must see the same requests, whatever a client sends: nginx uses its connections to the service for all clients. If
the two saw the end of a request at different bytes, one client's bytes could become another client's request or answer.
The other tests show the limits that the proxy keeps, because the service behind it does not limit them.
"""

import json
import select
import shutil
import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from loadtest.servers import free_port
from service.problems import MEDIA_TYPE, TYPES
from service.routes import ROUTES
from tests.faults.conftest import BODY, WORKED, new_keys_file, read_answers, read_response, request_bytes
from tests.faults.proxy import running_proxy, running_uvicorn
from tests.faults.wire_cases import UPGRADE, framing_cases, upgrade_cases
from tests.patience import LIMIT_S, wait_until

pytestmark = pytest.mark.needs("nginx")

# Its answer has 2.3 MiB, forty times the size of the request.
BATCH = json.dumps({"requests": [WORKED | {"policy": "winprob", "explain": True}] * 512}).encode()

# So that the tests see which requests nginx has passed on, and need not wait long for the end of unanswered cases.
_LOGGED = {
    "access_log off;": "log_format ids '$id $upstream_status'; access_log {directory}/access.log ids;",
    "keepalive_timeout 75s;": "keepalive_timeout 2s;",
}
_HASTY = {
    "client_header_timeout 10s;": "client_header_timeout 1s;",
    "client_body_timeout 10s;": "client_body_timeout 1s;",
    "send_timeout 10s;  # for": "send_timeout 1s;  # for",
    "keepalive_timeout 75s;": "keepalive_timeout 1s;",
}


def whole_lines(log: Path) -> list[str]:
    """Return the lines of a log without the last one if it is still being written."""
    return log.read_text("latin-1").split("\n")[:-1]


@dataclass(frozen=True)
class Proxied:
    """The port of nginx, the logs of nginx and of the service, and an API key ("": none is needed)."""

    port: int
    proxy_log: Path
    service_log: Path
    secret: str

    def executed(self) -> list[str]:
        """Return the ids of the requests that the service has executed."""
        return [json.loads(line)["request_id"] for line in whole_lines(self.service_log)]

    def smuggled(self) -> Counter[str]:
        """Return the ids of hidden requests that the service has executed and nginx has not passed on."""
        lines = (line.rsplit(" ", 1) for line in whole_lines(self.proxy_log))
        more = Counter(self.executed())
        more.subtract(name for name, status in lines if status != "-")
        return Counter({name: count for name, count in more.items() if name.startswith("smuggled-")})


@pytest.fixture(scope="module", params=["plain", "keys"])
def proxied(request, tmp_path_factory) -> Iterator[Proxied]:
    work = tmp_path_factory.mktemp("proxy")
    settings = {"SPADES_ACCESS_LOG": "1"}
    secret = ""
    if request.param == "keys":
        path, secret = new_keys_file(work)
        settings["SPADES_API_KEYS_FILE"] = str(path)
    logged = {old: new.format(directory=work) for old, new in _LOGGED.items()}
    with (
        running_uvicorn(work / "service.log", **settings) as service_port,
        running_proxy(work, service_port, logged) as port,
    ):
        yield Proxied(port, work / "access.log", work / "service.log", secret)


@pytest.fixture(scope="module")
def service_port(tmp_path_factory) -> Iterator[int]:
    with running_uvicorn(tmp_path_factory.mktemp("service") / "log") as port:
        yield port


@pytest.fixture(scope="module")
def port(service_port, tmp_path_factory) -> Iterator[int]:
    """The proxy as it is."""
    with running_proxy(tmp_path_factory.mktemp("proxy"), service_port) as port:
        yield port


@pytest.fixture(scope="module")
def hasty(service_port, tmp_path_factory) -> Iterator[int]:
    """The proxy with time limits that are short enough to wait for."""
    with running_proxy(tmp_path_factory.mktemp("proxy"), service_port, _HASTY) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)


def ask(port: int, data: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send ``data`` on a new connection and return the first answer."""
    with connect(port) as connection, connection.makefile("rb") as stream:
        connection.sendall(data)
        return read_response(stream)


def is_problem(answer: tuple[int, dict[str, str], bytes], name: str) -> bool:
    """Whether an answer is the problem ``name`` as the service would say it; nginx adds an id."""
    status, headers, body = answer
    problem = json.loads(body)
    expected = {"type": f"/problems/{name}", "title": TYPES[name].title, "status": TYPES[name].status}
    assert problem.keys() == {"type", "title", "status", "detail"}
    assert (headers["content-type"], headers["server"]) == (MEDIA_TYPE, "nginx")
    assert len(headers["x-request-id"]) == 32
    assert ("retry-after" in headers) == (TYPES[name].status == 503)
    return status == TYPES[name].status and problem.items() >= expected.items()


@contextmanager
def that_takes_no_connection() -> Iterator[int]:
    """Yield the port of a listener that lets connections wait for ever, as the address of a container that is gone."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, ExitStack() as waiting:
        port = listener.getsockname()[1]
        for _ in range(2):  # Linux holds one more than the backlog
            connection = waiting.enter_context(socket.socket())
            connection.setblocking(False)
            with suppress(BlockingIOError):
                connection.connect(("127.0.0.1", port))
        yield port


def ends(connection: socket.socket) -> bytes:
    """Read until the peer closes or resets the connection; return what it has sent."""
    received = b""
    with suppress(ConnectionError):
        while piece := connection.recv(1 << 16):
            received += piece
    return received


def _talk(port: int, data: bytes, last: bytes, cut: int = 0, pause_s: float = 0.03) -> bytes:
    """Send ``data`` in two pieces; read to the answer with the id ``last`` or the end."""
    received = b""
    with connect(port) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if cut:
                connection.sendall(data[:cut])
                time.sleep(pause_s)
            connection.sendall(data[cut:])
            while b"x-request-id: %b\r\n" % last not in received.lower() or not received.endswith(b"}"):
                piece = connection.recv(1 << 20)
                if not piece:
                    break
                received += piece
        except (ConnectionError, TimeoutError):
            pass
    return received


def _health(name: bytes) -> bytes:
    return b"GET /healthz HTTP/1.1\r\nHost: service\r\nX-Request-ID: %b\r\n\r\n" % name


_CASES = [*framing_cases(), *upgrade_cases()]


@pytest.mark.parametrize("pause_s", [None, 0.0, 0.03])
def test_nginx_and_the_service_agree_on_every_request(proxied, pause_s):
    """After each hostile case, ordinary requests get their own answers.

    Bodies follow their heads at once or after ``pause_s``.
    """
    before = proxied.smuggled()

    def attack(number):
        data = _CASES[number].numbered(number)
        cut = 0 if pause_s is None else data.find(b"\r\n\r\n") + 4
        last = b"next-%d" % number
        _talk(proxied.port, data + _health(last), last, cut, pause_s or 0.0)
        wrong = []
        for turn in range(3):
            name = b"after-%d-%d" % (number, turn)
            answers = read_answers(_talk(proxied.port, _health(name), name))
            if [(status, headers.get("x-request-id")) for status, headers, _ in answers] != [(200, name.decode())]:
                wrong.append((_CASES[number].name, answers))
        return wrong

    with ThreadPoolExecutor(8) as pool:
        wrong = [found for case in pool.map(attack, range(len(_CASES))) for found in case]
    # The service works on requests in order, so it has logged a hidden one before this one.
    name = f"last-{pause_s}"
    _talk(proxied.port, _health(name.encode()), name.encode())
    wait_until(lambda: name in proxied.executed())

    def smuggled() -> set[str]:
        """Return the cases of which the service executed a request, but nginx (which logs later) did not send it."""
        return {_CASES[int(name[-3:])].name for name in proxied.smuggled() - before}

    wait_until(lambda: not smuggled(), smuggled)
    assert wrong == [], "a stranger's answer"


def test_an_upgrade_gets_one_answer(proxied):
    authorization = f"Authorization: Bearer {proxied.secret}" if proxied.secret else "A: b"
    expected = read_answers(_talk(proxied.port, request_bytes(BODY, authorization, "X-Request-ID: plain"), b"plain"))[0]
    assert expected[0] == 200
    head = b"POST /bid HTTP/1.1\r\nHost: service\r\nX-Request-ID: first\r\n%b\r\n" % authorization.encode() + UPGRADE
    length = head + b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
    chunks = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    for data in (length, chunks):
        answers = read_answers(_talk(proxied.port, data + _health(b"second"), b"second"))
        assert [(status, headers["x-request-id"]) for status, headers, _ in answers] == [
            (200, "first"),
            (200, "second"),
        ]
        assert answers[0][2] == expected[2]


def test_trailers_have_no_effect(proxied):
    key = f"Authorization: Bearer {proxied.secret}\r\n".encode() if proxied.secret else b""
    body = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n" % (len(BODY), BODY)
    trailers = b"X-Deadline-Ms: 0\r\nContent-Length: 5\r\nHost: other\r\nX-Request-ID: trailed\r\n"
    for before, after, status in ((key, b"", 200), (b"", key, 401 if key else 200)):
        head = b"POST /bid HTTP/1.1\r\nHost: service\r\nX-Request-ID: first\r\n" + before
        data = head + body + trailers + after + b"\r\n" + _health(b"second")
        answers = read_answers(_talk(proxied.port, data, b"second"))
        found = [(answer, headers["x-request-id"]) for answer, headers, _ in answers]
        assert found == [(status, "first"), (200, "second")]


def test_pipelined_requests_get_one_answer_each_in_order(port):
    names = [b"%d" % number for number in range(300)]
    answers = read_answers(_talk(port, b"".join(map(_health, names)), names[-1]))
    assert [headers["x-request-id"].encode() for _, headers, _ in answers] == names


# Time limits.


@pytest.mark.parametrize("path", ["/bid", "/v1/bids"])
def test_a_slow_head_or_body_is_closed_without_an_answer(hasty, path):
    whole = request_bytes(path=path)
    for part in (whole[:30], whole[:-5]):
        with connect(hasty) as connection:
            connection.sendall(part)
            assert ends(connection) == b""


def test_a_head_that_never_ends_is_closed(hasty):
    """Each piece arrives in time. The limit is for the whole head."""
    with connect(hasty) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: service\r\nX: ")
        reader = select.poll()
        reader.register(connection, select.POLLIN)
        deadline = time.monotonic() + LIMIT_S
        with suppress(ConnectionError):
            while not reader.poll(100):
                assert time.monotonic() < deadline
                connection.sendall(b"x")
        assert ends(connection) == b""


def test_an_idle_connection_is_closed(hasty):
    for opening in (b"", _health(b"first")):
        with connect(hasty) as connection:
            connection.sendall(opening)
            assert len(read_answers(ends(connection))) == bool(opening)


def test_a_caller_that_never_reads_is_closed(hasty):
    closed = select.poll()
    with connect(hasty) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _ in range(4):  # four answers of 2.3 MiB: more than the system keeps for a peer
            connection.sendall(request_bytes(BATCH, path="/v1/bids"))
        closed.register(connection, 0)  # only an error or a reset
        assert closed.poll(LIMIT_S * 1000)


# Sizes.


def fields(number: int, size: int) -> bytes:
    return b"".join(b"X-%d: %b\r\n" % (index, b"x" * size) for index in range(number))


def test_large_heads_are_refused(port):
    head = b"GET /healthz HTTP/1.1\r\nHost: service\r\n%b\r\n"
    assert ask(port, head % fields(3, 7000))[0] == 200
    for data in (head % fields(1, 9000), head % fields(6, 7000), head.replace(b"healthz", b"x" * 9000) % b""):
        assert is_problem(ask(port, data), "headers-too-large")


def test_bodies_may_be_as_large_as_the_service_accepts(port):
    """A body of the largest size gets an answer of the service. A larger one is refused before it is read."""
    routes = {route.path: route.max_body_bytes for route in ROUTES if route.method == "POST"}
    assert set(routes.values()) == {65536, 1048576}
    for path, most in routes.items():
        head = b"POST %b HTTP/1.1\r\nHost: service\r\n" % path.encode()
        assert ask(port, head + b"Content-Length: %d\r\n\r\n%b" % (most, b"x" * most))[0] == 400, path
        assert is_problem(ask(port, head + b"Content-Length: %d\r\n\r\n" % (most + 1)), "body-too-large"), path
        chunk = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (most + 1, b"x" * (most + 1))
        assert is_problem(ask(port, head + chunk), "body-too-large"), path


def test_without_room_for_a_body_the_answer_is_overloaded(service_port, tmp_path):
    """A body of over 64 KiB goes to a file; here its folder is gone."""
    with running_proxy(tmp_path / "proxy", service_port) as port:
        shutil.rmtree(tmp_path / "proxy/bodies")
        assert is_problem(ask(port, request_bytes(BODY.ljust(100_000), path="/v1/bids")), "overloaded")
        assert ask(port, request_bytes(BODY))[0] == 200


# Numbers of connections and requests.


def test_idle_connections_keep_nobody_out(service_port, tmp_path):
    changes = {"worker_connections 8192;": "worker_connections 128;"}
    with running_proxy(tmp_path / "proxy", service_port, changes) as port, ExitStack() as stack:
        for number in range(400):
            connection = stack.enter_context(connect(port))
            if number % 2:  # idle after an answer
                connection.sendall(_health(b"idle"))
                assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
        for _ in range(20):
            assert ask(port, _health(b"other"))[0] == 200


@pytest.mark.parametrize(
    "limit", ["limit_conn address 256;  # of one address", "limit_conn all 1024;  # as many", "address_batches 16;\n"]
)
def test_requests_beyond_the_number_are_refused(service_port, tmp_path, limit):
    """Two unfinished bodies are as many requests as may be in progress. When one ends, there is room again."""
    changes = {limit: limit.replace("1024", "2").replace("256", "2").replace(" 16", " 2")}
    path = "/bid"
    if "batches" in limit:
        path, changes = "/v1/results", {f"{limit}            proxy_next": changes[limit] + "            proxy_next"}
    whole = request_bytes(path=path)
    with running_proxy(tmp_path / "proxy", service_port, changes) as port, ExitStack() as stack:
        first, second = (stack.enter_context(connect(port)) for _ in range(2))
        for connection in (first, second):
            connection.sendall(whole[:-1])
        wait_until(lambda: ask(port, whole)[0] == 503)  # nginx may not have read the two heads yet
        assert is_problem(ask(port, whole), "overloaded")
        first.sendall(whole[-1:])
        with first.makefile("rb") as stream:
            assert read_response(stream)[0] in (200, 422)
        wait_until(lambda: ask(port, whole)[0] != 503)


# What is passed on, and what is not.


@pytest.mark.parametrize(
    "path", ["/metrics", "/metrics/", "/metrics?a=b", "//metrics", "/%6detrics", "/a/../metrics", "/metrics%0A"]
)
def test_metrics_are_not_passed_on(port, path):
    assert is_problem(ask(port, b"GET %b HTTP/1.1\r\nHost: service\r\n\r\n" % path.encode()), "not-found")


def test_pages_and_the_service_s_own_problems_are_passed_on(port):
    for path in (b"/", b"/docs", b"/static/main.js", b"/readyz", b"/v1/policies", b"/openapi.json"):
        assert ask(port, b"GET %b HTTP/1.1\r\nHost: service\r\n\r\n" % path)[0] == 200, path
    status, headers, body = ask(port, request_bytes(b"{}", "X-Request-ID: mine"))
    assert (status, headers["x-request-id"], headers["content-type"]) == (422, "mine", MEDIA_TYPE)
    assert json.loads(body)["errors"]


def test_requests_that_nginx_cannot_read_are_problems(port):
    cases = {
        b"\x16\x03\x01 no HTTP\r\n\r\n": "invalid-http",
        b"GET / HTTP/1.1\r\n\r\n": "invalid-http",  # no Host
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n": "invalid-http",
        b"GET / HTTP/3.1\r\nHost: a\r\n\r\n": "invalid-http",
        b"POST /bid HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: cow\r\n\r\n": "invalid-http",
        b"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n": "method-not-allowed",
        b"CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n": "method-not-allowed",
    }
    for data, name in cases.items():
        assert is_problem(ask(port, data), name), data


@contextmanager
def upstream(*script: str) -> Iterator[tuple[int, list[list[bytes]]]]:
    """Run a service of the test's own; yield its port and the requests that it gets, by connection.

    ``script``: for each request "answer", or "close" for a connection that breaks; after that, it answers all.
    """
    connections: list[list[bytes]] = []
    steps = iter(script)

    class Connection(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            requests: list[bytes] = []
            connections.append(requests)
            data = b""
            while piece := self.request.recv(1 << 16):
                data += piece
                if data.endswith(BODY):
                    requests.append(data)
                    data = b""
                    if next(steps, "answer") == "close":
                        return
                    self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Connection) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], connections
        finally:
            server.shutdown()
            thread.join()


def test_the_connection_to_the_service_stays_open_and_the_fields_pass(tmp_path):
    traceparent = "traceparent: 00-" + "1" * 32 + "-" + "2" * 16 + "-01"
    passed = ("X-Request-ID: mine", traceparent, "X-Deadline-Ms: 25", "Authorization: Bearer key")
    replaced = ("X-Forwarded-For: 1.2.3.4", "Forwarded: for=1.2.3.4", "Expect: nothing", UPGRADE.decode().rstrip())
    with upstream() as (at, connections), running_proxy(tmp_path / "proxy", at) as port:
        for _ in range(5):
            assert ask(port, request_bytes(BODY, *passed, *replaced))[0] == 200
        ask(port, request_bytes(BODY, "X-Request-ID: not harmless"))
    (requests,) = connections
    lines = requests[0].decode().split("\r\n")
    assert lines[0] == "POST /bid HTTP/1.1"
    assert {*passed, "X-Forwarded-For: 127.0.0.1", "X-Forwarded-Proto: http", "Host: service"} <= {*lines}
    names = {line.partition(":")[0].lower() for line in lines[1:-2]}
    assert not names & {"upgrade", "http2-settings", "connection", "forwarded", "expect"}
    assert "not harmless" not in requests[-1].decode()


@pytest.mark.parametrize("path", ["/bid", "/v1/bids", "/v1/results"])
def test_a_bid_whose_connection_broke_is_sent_again(tmp_path, path):
    """As when a worker ends just when a request is sent to it. Results are counted, so they are sent once."""
    with upstream("answer", "close") as (at, connections), running_proxy(tmp_path / "proxy", at) as port:
        assert ask(port, request_bytes(path=path))[0] == 200
        answer = ask(port, request_bytes(path=path))
        if path == "/v1/results":
            assert is_problem(answer, "not-ready")
        else:
            assert answer[0] == 200
    assert sum(map(len, connections)) == (2 if path == "/v1/results" else 3)


def test_a_service_that_is_away_or_silent_is_a_problem(tmp_path):
    with running_proxy(tmp_path / "away", free_port()) as port:
        assert is_problem(ask(port, request_bytes()), "not-ready")
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        running_proxy(
            tmp_path / "silent", silent.getsockname()[1], {"proxy_read_timeout 65s;": "proxy_read_timeout 1s;"}
        ) as port,
    ):
        assert is_problem(ask(port, request_bytes()), "deadline-exceeded")


def test_a_service_that_takes_no_connection_is_not_ready(tmp_path):
    """The caller's deadline has not passed, so a 504 would be wrong, and no client would ask again."""
    hasty = {"proxy_connect_timeout 1s;": "proxy_connect_timeout 100ms;"}
    with that_takes_no_connection() as dead, running_proxy(tmp_path, dead, hasty) as port:
        assert is_problem(ask(port, request_bytes()), "not-ready")

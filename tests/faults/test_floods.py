"""Floods: 1 to 80 clients that send without end or never read. Memory stays bounded, and other callers are served.

The attackers and the measured callers run in separate processes (`attackers.py`, `callers.py`), so that they do not
slow each other down. `make test-long` runs every attack for longer, with API keys and with three workers, and compares
the callers' p99 with and without each attack.
"""

import json
import os
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

from service.responder import ROUTES
from tests.faults.attackers import BATCH
from tests.faults.conftest import (
    ask,
    children,
    free_port,
    metric,
    new_keys_file,
    read_answers,
    request_bytes,
    rss_kb,
    status_number,
)
from tests.service.conftest import RealServer, running_server

_LIMIT_MIB = 150
_STOP_MIB = 600  # an attack that reaches this much memory is stopped, to spare the machine
# Limit for the slowest answer to any other caller, on a busy machine; one batch of the eighty takes 0.1 s of work.
_STALL_MS = 1000.0
_BATCH_STALL_MS = 5000.0
_HERE = Path(__file__).parent
_ESTABLISHED = 1  # a state of TCP_INFO
# No request is shed for its waiting time, so that a busy machine changes no answer.
_SETTINGS = {"SPADES_QUEUE_MS": "0", "SPADES_ACCESS_LOG": "0"}


@dataclass(frozen=True)
class Target:
    """A server under attack. ``secret``: the API key of the callers, which attackers lack; "" if none is needed."""

    server: RealServer
    secret: str = ""

    def workers(self) -> list[int]:
        """Return the ids of the processes that answer."""
        return children(self.server.process.pid) or [self.server.process.pid]

    def memory_mib(self) -> float:
        """Return the resident memory of the largest worker, MiB."""
        return max(rss_kb(pid) for pid in self.workers()) / 1024


@contextmanager
def _target(mode: str, tmp_path: Path, **settings: str) -> Iterator[Target]:
    """A server in ``mode`` plain, keys or workers."""
    arguments, secret = [], ""
    settings = _SETTINGS | settings
    if mode == "keys":
        tmp_path.mkdir(exist_ok=True)
        path, secret = new_keys_file(tmp_path)
        settings["SPADES_API_KEYS_FILE"] = str(path)
    elif mode == "workers":
        arguments = ["--workers", "3"]
    with running_server(*arguments, **settings) as server:
        if mode == "workers":
            deadline = time.monotonic() + 20
            while sum("startup complete" in line for line in server.log) < 3:
                assert server.process.stderr is not None
                server.log.append(server.process.stderr.readline())
                assert time.monotonic() < deadline
        yield Target(server, secret)


@dataclass
class Flood:
    """The result of a flood: the peak memory of a worker, the attacker's tally, the callers' report.

    ``over_s``: the time at which memory exceeded the limit, if it did.
    """

    memory_mib: float
    over_s: float | None
    tally: dict[str, Any]
    report: dict[str, Any]

    @property
    def slowest_ms(self) -> float:
        return max(self.report["bids_ms"] + self.report["health_ms"], default=float("inf"))

    def check(self, within_ms: float) -> None:
        """Assert that memory stayed within its limit and that each caller was served in time."""
        served = sum(self.report["statuses"].values())
        over = "" if self.over_s is None else f", over the limit after {self.over_s} s"
        print(
            f"{self.memory_mib:.0f} MiB{over}; {served} served, the slowest in {self.slowest_ms:.0f} ms; {self.tally}"
        )
        assert self.memory_mib < _LIMIT_MIB
        assert self.report["broken"] == 0
        assert self.report["statuses"].keys() == {"200"}
        assert self.slowest_ms < within_ms


def _callers(target: Target, seconds: float, callers: int, rate: float) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(_HERE / "callers.py"), str(target.server.port)]
    arguments = [str(seconds), str(callers), str(rate), *([target.secret] if target.secret else [])]
    return subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE)


def _attacker(target: Target, name: str, seconds: float, connections: int | None = None) -> subprocess.Popen[bytes]:
    """Start an attacker at low priority, as if on another machine: it takes no processor time from its target."""
    command = ["nice", "-n", "10", sys.executable, str(_HERE / "attackers.py"), name, str(target.server.port)]
    arguments = [str(seconds), *([str(connections)] if connections else [])]
    return subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE)


def _finish(process: subprocess.Popen[bytes], limit_s: float) -> dict[str, Any]:
    """Return what a script has printed; {} if it was stopped."""
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return json.loads(output) if output else {}


def _flood(target: Target, name: str, seconds: float, connections: int | None = None, after_s: float = 0.3) -> Flood:
    """Attack for ``seconds`` while callers send requests, and continue them for ``after_s`` after that."""
    callers = _callers(target, seconds + after_s, callers=2, rate=20)
    attacker = _attacker(target, name, seconds, connections)
    peak, over_s = 0.0, None
    began = time.monotonic()
    try:
        deadline = began + seconds + after_s + 10
        while (attacker.poll() is None or callers.poll() is None) and time.monotonic() < deadline:
            peak = max(peak, target.memory_mib())
            if over_s is None and peak >= _LIMIT_MIB:
                over_s = round(time.monotonic() - began, 2)
            if peak > _STOP_MIB:
                break
            time.sleep(0.02)
    finally:
        if peak > _STOP_MIB:
            attacker.kill()
            callers.kill()
        tally = _finish(attacker, 5)
        report = _finish(callers, 5)
    return Flood(peak, over_s, tally, report or {"bids_ms": [], "health_ms": [], "statuses": {}, "broken": 0})


# ---- memory -------------------------------------------------------------------------------------------------------

_ENDLESS = [
    "trailers",
    "trailers-after-a-bid",
    "trailers-of-a-batch",
    "trailer-without-end",
    "trailer-name-without-end",
    "chunk-extension-without-end",
    "header-fields",
    "header-without-end",
    "url-without-end",
]
_PIPELINES = [
    *("health", "health-read-slowly", "health-read", "bids-unread", "bids-read-slowly", "chunked-bids"),
    *("batches", "batches-unread", "one-batch-each-unread", "documents-unread", "some-bids-unread", "large-batches"),
]
_SHORT = [
    ("plain", "trailers-after-a-bid"),
    ("plain", "trailer-without-end"),
    ("plain", "chunk-extension-without-end"),
    ("keys", "trailers-of-a-batch"),
    ("workers", "trailers"),
]


def _long(names: list[str]) -> list[Any]:
    return [
        pytest.param(mode, name, 8.0, marks=pytest.mark.long) for mode in ("plain", "keys", "workers") for name in names
    ]


@pytest.mark.parametrize(("mode", "name", "seconds"), [*((mode, name, 1.2) for mode, name in _SHORT), *_long(_ENDLESS)])
def test_what_has_no_end_is_cut(mode, name, seconds, tmp_path):
    """The connection is closed because of its size: the time limit is longer than the attack."""
    with _target(mode, tmp_path, SPADES_READ_S="60") as target:
        flood = _flood(target, name, seconds)
        flood.check(_STALL_MS)
        assert flood.tally["closed"] > 0
        assert flood.tally["first_closed_s"] < 1.0
        assert ask(target.server, b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n")[0] == 200


@pytest.mark.parametrize(
    ("mode", "name", "seconds"),
    [
        ("plain", "health-read-slowly", 1.5),
        ("keys", "health", 1.5),
        ("plain", "chunked-bids", 1.5),
        ("plain", "large-batches", 2.5),
        *_long(_PIPELINES),
    ],
)
def test_a_pipeline_is_bounded(mode, name, seconds, tmp_path):
    with _target(mode, tmp_path) as target:
        _flood(target, name, seconds).check(_BATCH_STALL_MS if "batch" in name else _STALL_MS)


@pytest.mark.parametrize(("seconds", "connections"), [(2.0, 80), pytest.param(15.0, 80, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["batches-unread", pytest.param("one-batch-each-unread", marks=pytest.mark.long)])
def test_batches_that_nobody_reads_are_bounded(name, seconds, connections, tmp_path):
    """80 answers of 2.3 MiB each are more than the limit for unsent answers."""
    with _target("plain", tmp_path, SPADES_WRITE_S="1") as target:
        _flood(target, name, seconds, connections, after_s=1.5).check(_BATCH_STALL_MS)


@pytest.mark.parametrize("connections", [45, pytest.param(150, marks=pytest.mark.long)])
def test_answers_whose_end_is_not_read_are_bounded(connections, tmp_path):
    """The server's loop keeps all parts of an answer until the last byte is sent, so all of it counts as unsent."""
    left_bytes = 330_000  # more than the systems at both ends keep in their buffers
    request = request_bytes(BATCH, path="/v1/bids")
    with _target("plain", tmp_path) as target, ExitStack() as stack:
        for _ in range(connections):
            peer = stack.enter_context(_small_window(target.server))
            peer.settimeout(10)
            peer.sendall(request)
            head = b""
            while b"\r\n\r\n" not in head:
                head += peer.recv(4096)
            unread = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]) - len(head) - left_bytes
            while unread > 0:
                unread -= len(peer.recv(min(unread, 65536)))
            assert target.memory_mib() < _LIMIT_MIB


# ---- pipelines in order -------------------------------------------------------------------------------------------


def _numbered(count: int, paths: list[str]) -> bytes:
    """Return ``count`` requests with the ids r0, r1, ... to the paths in turn; /bid and /v1/bids are POSTs."""
    data = []
    batch = json.dumps({"requests": [json.loads(BATCH)["requests"][0]] * 4}).encode()
    for index in range(count):
        path = paths[index % len(paths)]
        mark = f"X-Request-ID: r{index}"
        if path == "/bid":
            data.append(request_bytes(request_bytes().partition(b"\r\n\r\n")[2], mark, path=path))
        elif path == "/v1/bids":
            data.append(request_bytes(batch, mark, path=path))
        else:
            data.append(f"GET {path} HTTP/1.1\r\nHost: service\r\n{mark}\r\n\r\n".encode())
    return b"".join(data)


@pytest.fixture(scope="module")
def patient() -> Iterator[Target]:
    """A server that gives its clients time to read."""
    with running_server(**_SETTINGS) as server:
        yield Target(server)


@pytest.mark.parametrize(
    "paths",
    [["/healthz"], ["/bid"], ["/bid", "/healthz", "/v1/bids", "/nowhere"]],
    ids=["health", "bids", "mixed"],
)
@pytest.mark.parametrize("reads", ["slowly", "at the end"])
def test_a_pipeline_is_answered_whole_and_in_order(patient, paths, reads):
    """Requests that are held back while the client does not read are answered when it reads again."""
    count = 2000
    data = memoryview(_numbered(count, paths))
    received = bytearray()
    with _small_window(patient.server) as connection:
        began = last_sent = read_at = time.monotonic()
        while data and time.monotonic() < began + 30:
            now = time.monotonic()
            try:
                data = data[connection.send(data[:65_536]) :]
                last_sent = now
            except BlockingIOError:
                time.sleep(0.002)
            held_back = now - last_sent > 0.3
            if (reads == "slowly" and now >= read_at) or held_back:
                read_at = now + 0.02
                with suppress(BlockingIOError):
                    received += connection.recv(1 << 20 if held_back else 20_000)
        assert not data, "the server has stopped reading for good"
        time.sleep(0.2)
        connection.setblocking(True)
        connection.settimeout(10)
        last = b"x-request-id: r%d\r\n" % (count - 1)
        while last not in received[-4000:]:
            piece = connection.recv(1 << 20)
            assert piece, "closed before the last answer"
            received += piece
    found = re.findall(rb"x-request-id: (r\d+)\r\n", bytes(received))
    assert found == [b"r%d" % index for index in range(count)]
    answers = read_answers(bytes(received[: received.rindex(b"HTTP/1.1 ")]))
    assert len(answers) == count - 1
    assert {status for status, _, _ in answers} <= {200, 404}
    assert patient.memory_mib() < _LIMIT_MIB


# ---- clients that never read --------------------------------------------------------------------------------------


def _is_open(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _ESTABLISHED


def _small_window(server: RealServer) -> socket.socket:
    """Return a connection with a receive buffer of about 2 KiB."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", server.port))
    connection.setblocking(False)
    return connection


def _send_some(connection: socket.socket, data: bytes, most: int = 1 << 25) -> None:
    """Send ``data`` repeatedly, until the server has taken nothing for 0.2 s."""
    left, taken, last = memoryview(data), 0, time.monotonic()
    while taken < most and time.monotonic() < last + 0.2:
        try:
            count = connection.send(left)
        except BlockingIOError:
            time.sleep(0.005)
            continue
        except OSError:
            return
        taken += count
        left = left[count:] or memoryview(data)
        last = time.monotonic()


_UNREAD = {
    "health": b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n" * 500,
    "bids": request_bytes() * 200,
    "batch": request_bytes(BATCH, path="/v1/bids"),
    "document": b"GET /openapi.json HTTP/1.1\r\nHost: service\r\n\r\n" * 100,
}


_WRITE_TIMEOUTS = r'spades_connection_timeouts_total\{phase="write"\}'


@pytest.fixture(scope="module")
def hurried() -> Iterator[Target]:
    """A server that gives its clients one second to read a part of an answer."""
    with running_server(**_SETTINGS, SPADES_WRITE_S="1") as server:
        yield Target(server)


def test_clients_that_never_read_are_closed(hurried):
    before = metric(hurried.server, _WRITE_TIMEOUTS)
    with ExitStack() as stack:
        connections = {name: stack.enter_context(_small_window(hurried.server)) for name in _UNREAD}
        for name, connection in connections.items():
            _send_some(connection, _UNREAD[name], most=1 << 21)
        started = time.monotonic()
        while still := [name for name, connection in connections.items() if _is_open(connection)]:
            assert time.monotonic() < started + 6, f"still open: {still}"
            time.sleep(0.05)
    assert metric(hurried.server, _WRITE_TIMEOUTS) == before + len(_UNREAD)
    time.sleep(1.2)  # the metric of connections is updated once a second
    assert metric(hurried.server, "spades_connections") <= 1  # the scrape's own connection
    assert metric(hurried.server, "spades_http_requests_in_flight") == 1


def test_half_closed_clients_that_never_read_are_closed(hurried):
    """Clients that end their side but never read are closed too."""
    before = metric(hurried.server, _WRITE_TIMEOUTS)
    with ExitStack() as stack:
        connections = [stack.enter_context(_small_window(hurried.server)) for _ in range(10)]
        for connection in connections:
            _send_some(connection, _UNREAD["batch"], most=len(_UNREAD["batch"]))
            connection.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + 8
        while metric(hurried.server, _WRITE_TIMEOUTS) < before + len(connections):
            assert time.monotonic() < deadline
            time.sleep(0.2)


def test_a_client_that_never_reads_learns_of_the_close(hurried):
    """The client sends no more, and all that it sent was read, so only a reset ends both sides at once.

    After an ordinary close, the server's system would keep the unsent answers for minutes and try to send them.
    """
    with _small_window(hurried.server) as connection:
        connection.send(b"GET /openapi.json HTTP/1.1\r\nHost: service\r\n\r\n" * 40)
        started = time.monotonic()
        while _is_open(connection):
            assert time.monotonic() < started + 6, "still open"
            time.sleep(0.05)


def test_slow_readers_are_not_cut(hurried):
    """Clients read 4 KiB every 0.5 s, for three times the write limit, and then the rest."""
    before = metric(hurried.server, _WRITE_TIMEOUTS)
    sent = _UNREAD | {"document": _UNREAD["document"][: len(_UNREAD["document"]) // 10]}
    received = dict.fromkeys(sent, b"")
    with ExitStack() as stack:
        connections = {name: stack.enter_context(_small_window(hurried.server)) for name in sent}
        for name, connection in connections.items():
            connection.setblocking(True)
            connection.settimeout(10)
            connection.sendall(sent[name])
        for _ in range(6):
            time.sleep(0.5)
            for name, connection in connections.items():
                piece = connection.recv(4096)
                assert piece, name
                received[name] += piece
        for name, connection in connections.items():
            count = 1 if name == "batch" else sent[name].count(b" HTTP/1.1\r\n")
            while len(_whole(received[name])) < count:
                piece = connection.recv(1 << 20)
                assert piece, f"{name}: closed before the end"
                received[name] += piece
            assert [status for status, _, _ in _whole(received[name])] == [200] * count
    assert metric(hurried.server, _WRITE_TIMEOUTS) == before


def _whole(data: bytes) -> list[tuple[int, dict[str, str], bytes]]:
    """Return the answers in ``data``; an empty list if the last one is incomplete."""
    try:
        return read_answers(data)
    except ValueError:
        return []


@pytest.mark.alone
@pytest.mark.parametrize(
    ("connections", "most", "seconds"), [(12, 8, 4.0), pytest.param(80, 64, 45.0, marks=pytest.mark.long)]
)
@pytest.mark.parametrize(
    "name",
    ["some-bids-unread", *(pytest.param(name, marks=pytest.mark.long) for name in ("bids-unread", "documents-unread"))],
)
@pytest.mark.parametrize("mode", ["plain", pytest.param("keys", marks=pytest.mark.long)])
def test_those_who_never_read_take_no_place_from_others(mode, name, connections, most, seconds, tmp_path):
    """There are more such clients than requests allowed in progress, so their requests must not stay in progress."""
    with _target(mode, tmp_path, SPADES_MAX_IN_FLIGHT=str(most), SPADES_WRITE_S="1") as target:
        flood = _flood(target, name, seconds, connections, after_s=2.0)
        flood.check(_STALL_MS)
        if mode == "plain":
            assert flood.tally["closed"] > 0
            assert metric(target.server, _WRITE_TIMEOUTS) > 0


# ---- time ---------------------------------------------------------------------------------------------------------


@pytest.mark.alone
@pytest.mark.parametrize(
    "name",
    ["bids", "batches", *(pytest.param(name, marks=pytest.mark.long) for name in ("health-read", "chunked-bids"))],
)
def test_a_pipeline_stalls_nobody(name, tmp_path):
    with _target("plain", tmp_path) as target:
        flood = _flood(target, name, 2.0)
        flood.check(within_ms=250.0)
        assert flood.tally["statuses"].get("200", 0) >= (2 if name == "batches" else 500)


def _percentile(sorted_ms: list[float], percent: float) -> float:
    return sorted_ms[min(len(sorted_ms) - 1, int(len(sorted_ms) * percent / 100))]


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "name"),
    [
        *((mode, name) for mode in ("plain", "keys", "workers") for name in ("bids", "batches", "scrapes")),
        *(("plain", name) for name in ("health-read", "chunked-bids", "trailers-after-a-bid", "documents")),
    ],
)
def test_the_p99_of_others_stays_within_three_times(mode, name, tmp_path):
    """Compare medians of rounds in turn: without an attack, with it, and with the same attack on another server.

    The last one shows the effect of the machine: with two cores, the attacker and the attacked server leave none to the
    callers. The p99 during the attack is compared with the larger of the two other values.
    """
    rounds = int(os.environ.get("FLOOD_ROUNDS", "5"))
    p50: dict[str, list[float]] = {"alone": [], "attacked": [], "other server attacked": []}
    p99: dict[str, list[float]] = {kind: [] for kind in p50}
    with _target(mode, tmp_path) as target, _target(mode, tmp_path / "other") as other:
        _use_all_routes(target)
        _use_all_routes(other)
        for _ in range(rounds):
            for kind, victim in zip(p50, (None, target, other), strict=True):
                attacker = None if victim is None else _attacker(victim, name, 4.0)
                time.sleep(0.5)
                report = _finish(_callers(target, 3.0, callers=4, rate=60), 20)
                if attacker is not None:
                    _finish(attacker, 10)
                assert report["broken"] == 0
                assert report["statuses"].keys() == {"200"}
                times = sorted(report["bids_ms"] + report["health_ms"])
                p50[kind].append(_percentile(times, 50))
                p99[kind].append(_percentile(times, 99))
    for kind in p50:
        print(f"{name}, {mode}, {kind}: p50 {median(p50[kind]):.2f} ms, p99 {median(p99[kind]):.2f} ms")
    without = max(median(p99["alone"]), median(p99["other server attacked"]))
    assert median(p99["attacked"]) <= 3 * without


def _use_all_routes(target: Target) -> None:
    """Send right and wrong requests to each route, so that the text of the metrics is as long as possible."""
    headers = {"Authorization": f"Bearer {target.secret}"} if target.secret else {}
    for _ in range(3):  # there may be three workers
        for path in sorted(ROUTES):
            with httpx.Client(base_url=target.server.url, headers=headers) as client:
                for method, body, extra in (
                    ("GET", b"", {}),
                    ("POST", b"{}", {}),
                    ("POST", b"{", {}),
                    ("POST", b"x" * 70_000, {}),
                    ("POST", b"{}", {"X-Deadline-Ms": "0"}),
                    ("POST", b"{}", {"Content-Encoding": "gzip"}),
                ):
                    client.request(method, path, content=body, headers=extra)


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.parametrize("mode", ["plain", "keys", "workers"])
@pytest.mark.parametrize("name", ["worst-batches", "wrong-batches", "slow-json", "refused-json"])
def test_a_bid_beside_the_slowest_batches_takes_less_than_3_ms(mode, name, tmp_path):
    """The median of the best of three rounds, because other work on the machine may slow down a round."""
    with _target(mode, tmp_path) as target:
        medians = []
        for _ in range(3):
            attacker = _attacker(target, name, 4.5)
            time.sleep(0.5)
            report = _finish(_callers(target, 3.5, callers=4, rate=60), 20)
            tally = _finish(attacker, 10)
            assert report["broken"] == 0
            assert report["statuses"].keys() == {"200"}
            medians.append(median(report["bids_ms"]))
            print(f"{name}, {mode}: p50 {medians[-1]:.2f} ms; {tally['statuses']}")
        assert min(medians) < 3.0
        assert target.memory_mib() < _LIMIT_MIB


# ---- the metrics listener -----------------------------------------------------------------------------------------


@contextmanager
def _half_heads(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Open ``count`` connections that send half a head."""
    connections: list[socket.socket] = []
    try:
        with selectors.DefaultSelector() as selector:
            deadline = time.monotonic() + 4
            while time.monotonic() < deadline and (len(connections) < count or selector.get_map()):
                # a few at once, because the listener's queue may be short
                for _ in range(min(4, count - len(connections))):
                    connection = socket.socket()
                    connections.append(connection)
                    connection.setblocking(False)
                    connection.connect_ex(("127.0.0.1", port))
                    selector.register(connection, selectors.EVENT_WRITE)
                for key, _ in selector.select(0.01):
                    selector.unregister(key.fileobj)
                    with suppress(OSError):
                        key.fileobj.send(b"GET /metrics HTTP/1.1\r\nHost: serv")  # type: ignore[union-attr]
                time.sleep(0.002)
        yield connections
    finally:
        for connection in connections:
            connection.close()


def _closed(connections: list[socket.socket], limit_s: float) -> int:
    """Return how many of the connections the server closes within ``limit_s``."""
    deadline = time.monotonic() + limit_s
    left = list(connections)
    while left and time.monotonic() < deadline:
        left = [connection for connection in left if _is_open(connection)]
        time.sleep(0.05)
    return len(connections) - len(left)


@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["one process", "supervisor"])
def test_half_sent_heads_at_the_metrics_listener(workers):
    port = free_port()
    with running_server(*workers, SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}", SPADES_READ_S="2") as server:
        pid = server.process.pid
        assert httpx.get(f"http://127.0.0.1:{port}/metrics").status_code == 200
        with _half_heads(port, 600) as connections:
            threads = status_number(pid, "Threads")
            started = time.monotonic()
            answers = [httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=8).status_code for _ in range(3)]
            answered_s = time.monotonic() - started
            threads = max(threads, status_number(pid, "Threads"))
            closed = _closed(connections, 6)
            print(f"{threads} threads, 3 scrapes in {answered_s:.2f} s, {closed} closed, {rss_kb(pid) // 1024} MiB")
        assert threads < 20
        assert answers == [200] * 3
        assert closed == 600
        assert rss_kb(pid) < _LIMIT_MIB * 1024
        assert httpx.get(f"http://127.0.0.1:{port}/metrics").status_code == 200


def test_bytes_one_by_one_buy_no_time_at_the_metrics_listener():
    port = free_port()
    with running_server(SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}", SPADES_READ_S="0.5") as server:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            started = time.monotonic()
            while _is_open(connection) and time.monotonic() < started + 6:
                with suppress(OSError):
                    connection.send(b"x")
                time.sleep(0.1)
            assert time.monotonic() - started < 5
        assert server.process.poll() is None

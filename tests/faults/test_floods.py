"""Floods: 1 to 80 clients that send without end or never read. Memory stays bounded, and other callers are served.

The attackers and the measured callers run in separate processes (`attackers.py`, `callers.py`), so that they do not
slow each other down. `make test` checks that all callers get their answers. `make test-long` checks how soon: it runs
every attack for longer, with API keys and with three workers, and compares the callers' p99 with and without each
attack.
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

from service.routes import ROUTES
from tests.faults.attackers import ATTACKS, BATCH
from tests.faults.conftest import (
    UNHURRIED,
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
from tests.patience import LIMIT_S, get, wait_until
from tests.service.conftest import RealServer, running_server

_LIMIT_MIB = 150
_STOP_MIB = 600  # an attack that reaches this much memory is stopped, to spare the machine
# Limit of the long tests for the slowest answer to any other caller; one batch of the eighty takes 0.1 s of work.
_STALL_MS = 1000.0
_BATCH_STALL_MS = 5000.0
_LONG_S = 8.0  # attacks of this length are long tests
_HERE = Path(__file__).parent
_ESTABLISHED = 1  # a state of TCP_INFO
_SETTINGS = {"SPADES_ACCESS_LOG": "0"}


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
            while sum("startup complete" in line for line in server.log) < 3:
                assert server.process.stderr is not None
                server.log.append(server.process.stderr.readline())
                assert server.log[-1], "the server has ended"
        yield Target(server, secret)


@dataclass
class Flood:
    """The result of a flood: the peak memory of a worker, the attacker's tally, the callers' report.

    ``seconds``: the planned time of the attack. ``over_s``: the time at which memory exceeded the limit, if it did.
    """

    seconds: float
    memory_mib: float
    over_s: float | None
    tally: dict[str, Any]
    report: dict[str, Any]

    @property
    def slowest_ms(self) -> float:
        return max(self.report["bids_ms"] + self.report["health_ms"], default=float("inf"))

    def check(self, within_ms: float) -> None:
        """Assert that memory stayed within its limit and that each caller was served; in a long test, in time."""
        served = sum(self.report["statuses"].values())
        over = "" if self.over_s is None else f", over the limit after {self.over_s} s"
        print(
            f"{self.memory_mib:.0f} MiB{over}; {served} served, the slowest in {self.slowest_ms:.0f} ms; {self.tally}"
        )
        assert self.memory_mib < _LIMIT_MIB
        assert self.report["broken"] == 0
        assert self.report["statuses"].keys() == {"200"}
        assert self.report["bids_ms"]
        assert self.report["health_ms"]
        if self.seconds >= _LONG_S:
            assert self.slowest_ms < within_ms


def _callers(target: Target, seconds: float, callers: int, rate: float) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(_HERE / "callers.py"), str(target.server.port)]
    arguments = [str(seconds), str(callers), str(rate), *([target.secret] if target.secret else [])]
    return subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE)


def _attacker(
    target: Target, name: str, seconds: float, connections: int = 0, closed: int = 0, answered: int = 0
) -> subprocess.Popen[bytes]:
    """Start an attacker at low priority, as if on another machine: it takes no processor time from its target."""
    command = ["nice", "-n", "10", sys.executable, str(_HERE / "attackers.py"), name, str(target.server.port)]
    arguments = map(str, (seconds, connections, closed, answered))
    return subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE)


def _finish(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Return what a script has printed; {} if it was stopped."""
    try:
        output, _ = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return json.loads(output) if output else {}


def _flood(
    target: Target,
    name: str,
    seconds: float,
    connections: int = 0,
    after_s: float = 0.3,
    closed: int = 0,
    answered: int = 0,
) -> Flood:
    """Attack for ``seconds`` while callers send requests, and continue them for ``after_s`` after that.

    The attack goes on until the server has closed ``closed`` connections and sent ``answered`` answers.
    """
    callers = _callers(target, seconds + after_s, callers=2, rate=20)
    attacker = _attacker(target, name, seconds, connections, closed, answered)
    peak, over_s = 0.0, None
    began = time.monotonic()
    try:
        deadline = began + seconds + after_s + LIMIT_S
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
        tally = _finish(attacker)
        report = _finish(callers)
    return Flood(seconds, peak, over_s, tally, report or {"bids_ms": [], "health_ms": [], "statuses": {}, "broken": 0})


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
        pytest.param(mode, name, _LONG_S, marks=pytest.mark.long)
        for mode in ("plain", "keys", "workers")
        for name in names
    ]


@pytest.mark.parametrize(("mode", "name", "seconds"), [*((mode, name, 1.2) for mode, name in _SHORT), *_long(_ENDLESS)])
def test_what_has_no_end_is_cut(mode, name, seconds, tmp_path):
    """The connection is closed because of its size: the time limit is longer than the attack."""
    with _target(mode, tmp_path, SPADES_READ_S="300") as target:
        flood = _flood(target, name, seconds, closed=1)
        flood.check(_STALL_MS)
        assert flood.tally["closed"] > 0
        assert seconds < _LONG_S or flood.tally["first_closed_s"] < 1.0
        assert ask(target.server, b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n")[0] == 200


@pytest.mark.parametrize(
    ("mode", "name", "seconds"),
    [
        ("plain", "health-read-slowly", 1.5),
        ("keys", "health", 1.5),
        ("plain", "chunked-bids", 1.5),
        ("plain", "bids", 1.5),
        ("plain", "batches", 1.5),
        ("plain", "large-batches", 2.5),
        *_long(_PIPELINES),
    ],
)
def test_a_pipeline_is_bounded(mode, name, seconds, tmp_path):
    with _target(mode, tmp_path) as target:
        flood = _flood(target, name, seconds, answered=10 if ATTACKS[name].reads == "all" else 0)
        flood.check(_BATCH_STALL_MS if "batch" in name else _STALL_MS)


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
    with _target("plain", tmp_path, SPADES_WRITE_S="300") as target, ExitStack() as stack:
        for _ in range(connections):
            peer = stack.enter_context(_small_window(target.server))
            peer.settimeout(LIMIT_S)
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
    with running_server(**_SETTINGS, **UNHURRIED) as server:
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
        while data and time.monotonic() < began + LIMIT_S:
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
        connection.settimeout(LIMIT_S)
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


class _Endless:
    """Sends the same bytes on a connection again and again, as far as the server takes them."""

    def __init__(self, connection: socket.socket, data: bytes) -> None:
        self._connection = connection
        self._data = self._left = memoryview(data)

    def is_cut(self) -> bool:
        """Send what the server takes now; return whether it has closed the connection."""
        with suppress(OSError):
            while _is_open(self._connection):
                self._left = self._left[self._connection.send(self._left) :] or self._data
        return not _is_open(self._connection)


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
        senders = {
            name: _Endless(stack.enter_context(_small_window(hurried.server)), data) for name, data in _UNREAD.items()
        }
        wait_until(lambda: not [name for name, sender in senders.items() if not sender.is_cut()])
    assert metric(hurried.server, _WRITE_TIMEOUTS) == before + len(_UNREAD)
    # The metric of connections is updated once a second. It counts the scrape's own connection.
    wait_until(lambda: metric(hurried.server, "spades_connections") <= 1)
    assert metric(hurried.server, "spades_http_requests_in_flight") == 1


def test_half_closed_clients_that_never_read_are_closed(hurried):
    """Clients that end their side but never read are closed too."""
    before = metric(hurried.server, _WRITE_TIMEOUTS)
    with ExitStack() as stack:
        connections = [stack.enter_context(_small_window(hurried.server)) for _ in range(10)]
        for connection in connections:
            connection.settimeout(LIMIT_S)
            connection.sendall(_UNREAD["batch"])
            connection.shutdown(socket.SHUT_WR)
        wait_until(lambda: metric(hurried.server, _WRITE_TIMEOUTS) == before + len(connections))


def test_a_client_that_never_reads_learns_of_the_close(hurried):
    """The client sends no more, and all that it sent was read, so only a reset ends both sides at once.

    After an ordinary close, the server's system would keep the unsent answers for minutes and try to send them.
    """
    with _small_window(hurried.server) as connection:
        connection.send(b"GET /openapi.json HTTP/1.1\r\nHost: service\r\n\r\n" * 40)
        wait_until(lambda: not _is_open(connection), "still open")


def test_slow_readers_are_not_cut():
    """Clients read 2 KiB every 0.3 s, for twice the write limit of 5 s, and then the rest.

    Each client has a thread: a client that had to wait until another one has read its rest might rightly be cut.
    """
    sent = _UNREAD | {"document": _UNREAD["document"][: len(_UNREAD["document"]) // 10]}

    def read_slowly(data: bytes) -> bytes:
        received = b""
        with _small_window(server) as connection:
            connection.settimeout(LIMIT_S)
            connection.sendall(data)
            slow_until = time.monotonic() + 10.0
            while time.monotonic() < slow_until:
                time.sleep(0.3)
                received += connection.recv(2048)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 20):
                received += piece
        return received

    with running_server(**_SETTINGS, SPADES_WRITE_S="5") as server:
        with ThreadPoolExecutor(len(sent)) as pool:
            received = dict(zip(sent, pool.map(read_slowly, sent.values()), strict=True))
        for name, data in received.items():
            count = 1 if name == "batch" else sent[name].count(b" HTTP/1.1\r\n")
            assert [status for status, _, _ in read_answers(data)] == [200] * count
        assert metric(server, _WRITE_TIMEOUTS) == 0


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
        flood = _flood(target, name, seconds, connections, after_s=2.0, closed=1 if mode == "plain" else 0)
        flood.check(_STALL_MS)
        if mode == "plain":
            assert flood.tally["closed"] > 0
            assert metric(target.server, _WRITE_TIMEOUTS) > 0


# ---- time ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("name", ["bids", "batches", "health-read", "chunked-bids"])
def test_a_pipeline_stalls_nobody(name, tmp_path):
    with _target("plain", tmp_path) as target:
        flood = _flood(target, name, _LONG_S)
        flood.check(within_ms=250.0)
        assert flood.tally["statuses"].get("200", 0) >= (2 if name == "batches" else 500)


def _percentile(sorted_ms: list[float], percent: float) -> float:
    return sorted_ms[min(len(sorted_ms) - 1, int(len(sorted_ms) * percent / 100))]


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
                report = _finish(_callers(target, 3.0, callers=4, rate=60))
                if attacker is not None:
                    _finish(attacker)
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
        for path in sorted(route.path for route in ROUTES):
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
            report = _finish(_callers(target, 3.5, callers=4, rate=60))
            tally = _finish(attacker)
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
            deadline = time.monotonic() + LIMIT_S
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


@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["one process", "supervisor"])
def test_half_sent_heads_at_the_metrics_listener(workers):
    port = free_port()
    with running_server(*workers, SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}", SPADES_READ_S="2") as server:
        pid = server.process.pid
        assert get(f"http://127.0.0.1:{port}/metrics").status_code == 200
        with _half_heads(port, 600) as connections:
            threads = status_number(pid, "Threads")
            assert [get(f"http://127.0.0.1:{port}/metrics").status_code for _ in range(3)] == [200] * 3
            threads = max(threads, status_number(pid, "Threads"))
            wait_until(lambda: not any(map(_is_open, connections)), "half a head is waited for without end")
        assert threads < 20
        assert rss_kb(pid) < _LIMIT_MIB * 1024
        assert get(f"http://127.0.0.1:{port}/metrics").status_code == 200


def test_bytes_one_by_one_buy_no_time_at_the_metrics_listener():
    port = free_port()
    with running_server(SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}", SPADES_READ_S="0.5") as server:
        with socket.create_connection(("127.0.0.1", port)) as connection:

            def cut() -> bool:
                with suppress(OSError):
                    connection.send(b"x")
                return not _is_open(connection)

            wait_until(cut)
        assert server.process.poll() is None

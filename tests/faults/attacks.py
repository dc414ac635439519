"""Attack the service by one or a few connections, and measure its memory, its answers and another caller's latency.

`python -m tests.faults.attacks` prints one line for each attack; the exit code is 1 if one of them misses a goal of
`GOALS`. Each attack meets a new server. The attacker and the other caller run in processes of their own. Run it on a
quiet machine: the latency goal depends on it.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from time import monotonic, sleep
from typing import NamedTuple

import httpx

from loadtest.servers import free_port, stop
from spades.contract.examples import SHORT_INFERENCE_REQUEST
from tests.faults.conftest import BODY, WORKED, request_bytes, status_number
from tests.patience import LIMIT_S, wait_until
from tests.servers import children
from tests.service.conftest import ROOT

GOALS = "goals: service under 150 MiB, one answer a request, p50 of the other caller under 5 ms"
MOST_MIB = 150
MOST_ANSWERS = 1.0
MOST_P50_MS = 5.0
_STOP_MIB = 800  # an attack that reaches this much memory is stopped, to spare the machine
_BIDS_A_SECOND = 50  # of the other caller


# `serve` chooses h11 by its address. This makes it treat a loopback address as one that other machines can reach.
_SERVE_AS_IF_EXPOSED = """import sys
from service import __main__, server
from service.middleware import request_log
server.is_loopback = lambda host: False
request_log.is_reachable = lambda address: True
sys.exit(__main__.main(sys.argv[1:]))
"""


def service_command(http: str, port: int) -> list[str]:
    """Return the command that starts the service on a loopback port, with uvicorn's h11 or httptools."""
    start = ["-c", _SERVE_AS_IF_EXPOSED] if http == "h11" else ["-m", "service"]
    return [sys.executable, *start, "serve", "--port", str(port), "--allow-unauthenticated"]


# ---- the attacks ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Attack:
    """What each connection sends: ``opening`` once, then ``piece`` again and again. A closed one is opened again."""

    opening: bytes = b""
    piece: bytes = b""
    requests: int = 0  # in a piece; an opening without them is the start of a request
    pause_s: float = 0.0  # after each piece
    read_bytes: int = 1 << 20  # at once; 0: never
    read_pause_s: float = 0.0
    connections: int = 1

    @property
    def answers_each(self) -> float:
        """The least number of answers to a request: 0.9 if it has the time to be answered before the next one."""
        return 0.9 if self.requests == 1 and self.pause_s and self.read_bytes else 0.0


def chunked(path: str = "/bid") -> bytes:
    """Return the head of a POST with a chunked body."""
    return f"POST {path} HTTP/1.1\r\nHost: service\r\nTransfer-Encoding: chunked\r\n\r\n".encode()


def upgrade(protocol: str) -> bytes:
    """Return a POST that asks for another protocol; its body looks like a request."""
    hidden = b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n"
    return request_bytes(hidden, "Connection: Upgrade", f"Upgrade: {protocol}", "Sec-WebSocket-Version: 13")


def batch(**item: object) -> bytes:
    """Return a POST of a batch of 500 bids with the fields of ``item``."""
    return request_bytes(json.dumps({"requests": [WORKED | item] * 500}).encode(), path="/v1/bids")


_HEAD = b"POST /bid HTTP/1.1\r\nHost: service\r\n"
_FIELDS = b"a: b\r\n" * 4096
_ENDLESS = b"x" * 65_536
_DEALS = request_bytes(json.dumps(SHORT_INFERENCE_REQUEST | {"deals": 1000}).encode(), path="/v1/inference")
_BATCH = batch(policy="winprob", explain=True)  # its answer has 2.3 MiB
_SLOW_BATCH = batch(policy="winprob", level=1, previous_bids=[3, 4, 2], seat=3)
_WRONG_BATCH = batch(hand=["1S"] * 40, rules={f"k{index}": 0 for index in range(28)})
_FIELDS_BODY = json.dumps({f"{at:x}": 1 for at in range(27_600)}).encode()
_LONG_BODY = _HEAD + b"Content-Length: 60000\r\n\r\n"
_WORKED_CHUNK = b"%x\r\n%b\r\n0\r\n" % (len(BODY), BODY)

ATTACKS = {
    "no attack": Attack(connections=0),
    "trailer flood": Attack(chunked() + b"0\r\n", _FIELDS),
    "trailer flood after a bid": Attack(chunked() + _WORKED_CHUNK, _FIELDS),
    "endless header": Attack(_HEAD + b"X: ", _ENDLESS),
    "endless headers": Attack(_HEAD, _FIELDS),
    "endless URL": Attack(b"GET /", _ENDLESS),
    "slow head": Attack(_HEAD + b"X: ", b"x", pause_s=0.05),
    "slow head, 100 connections": Attack(_HEAD + b"X: ", b"x", pause_s=0.05, connections=100),
    "slow body": Attack(_LONG_BODY, b" ", pause_s=0.05),
    "slow body, 100 connections": Attack(_LONG_BODY, b" ", pause_s=0.05, connections=100),
    "large bodies unfinished, 100 connections": Attack(
        request_bytes(b" " * 1_000_000, path="/v1/bids")[:-1], connections=100
    ),
    "pipelined, unread": Attack(piece=request_bytes() * 256, requests=256, read_bytes=0),
    "pipelined, read slowly": Attack(piece=request_bytes() * 256, requests=256, read_bytes=16_384, read_pause_s=0.005),
    "pipelined, read": Attack(piece=request_bytes() * 256, requests=256),
    "pipelined slow answers, read": Attack(piece=_DEALS * 256, requests=256),
    "pipelined health, read": Attack(piece=b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n" * 1024, requests=1024),
    "upgrade to h2c": Attack(piece=upgrade("h2c"), requests=1, pause_s=0.05),
    "upgrade to websocket": Attack(piece=upgrade("websocket"), requests=1, pause_s=0.05),
    "CONNECT": Attack(piece=b"CONNECT service:443 HTTP/1.1\r\nHost: service\r\n\r\n", requests=1, pause_s=0.05),
    "batches, unread": Attack(piece=_BATCH, requests=1, read_bytes=0),
    "batches, unread, 20 connections": Attack(piece=_BATCH, requests=1, read_bytes=0, connections=20),
    "batches, read": Attack(piece=_BATCH, requests=1),
    "slow batches, read, 4 connections": Attack(piece=_SLOW_BATCH, requests=1, connections=4),
    "wrong batches, read, 4 connections": Attack(piece=_WRONG_BATCH, requests=1, connections=4),
    "1000 deals, unread": Attack(piece=_DEALS, requests=1, read_bytes=0),
    "1000 deals, unread, 20 connections": Attack(piece=_DEALS, requests=1, read_bytes=0, connections=20),
    "endless chunked body": Attack(chunked("/v1/bids"), b"10000\r\n%b\r\n" % _ENDLESS),
    "tiny chunks": Attack(chunked("/v1/bids"), b"1\r\n \r\n" * 10_000),
    "chunk extensions": Attack(chunked("/v1/bids"), b"1;name=value\r\n \r\n" * 4096),
    "endless chunk extension": Attack(chunked() + b"1;", _ENDLESS),
    "huge Content-Length": Attack(_HEAD + b"Content-Length: 99999999999\r\n\r\n", _ENDLESS),
    "body of an unknown path": Attack(chunked("/nowhere"), b"1\r\n \r\n" * 10_000),
    "deep JSON": Attack(piece=request_bytes(b"[" * 60_000), requests=1),
    "many JSON fields": Attack(piece=request_bytes(_FIELDS_BODY, path="/v1/bids"), requests=1),
    "idle, 200 connections": Attack(connections=200),
    "idle, 10000 connections": Attack(connections=10_000),
}
_ONLY_PROXIED = "idle, 10000 connections"
_STATUS = re.compile(rb"HTTP/1\.1 ([2-5]\d\d) ")


@dataclass
class Tally:
    """The result of an attack: requests begun, connections opened and closed by the server, answers by status."""

    requests: int = 0
    connections: int = 0
    closed: int = 0
    statuses: dict[int, int] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        """The number of answers; an interim one (100 Continue) is none."""
        return sum(self.statuses.values())


def attack(name: str, port: int, seconds: float) -> Tally:
    """Attack the server on ``port`` for ``seconds``, at a low priority, as if from another machine."""
    os.nice(10)
    allow_many_files()
    tally = Tally()

    async def run() -> None:
        connections = [_connection(ATTACKS[name], port, tally) for _ in range(ATTACKS[name].connections)]
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*connections), seconds)

    asyncio.run(run())
    return tally


async def _connection(attack: Attack, port: int, tally: Tally) -> None:
    while True:
        with socket.socket() as connection, suppress(OSError):
            connection.setblocking(False)
            if attack.read_bytes < 1 << 20:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
            tally.connections += 1
            tasks = [asyncio.create_task(_send(connection, attack, tally))]
            if attack.read_bytes:
                tasks.append(asyncio.create_task(_read(connection, attack, tally)))
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                tally.closed += 1
                done.pop().result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.01)


async def _send(connection: socket.socket, attack: Attack, tally: Tally) -> None:
    loop = asyncio.get_running_loop()
    if attack.opening:
        tally.requests += 1
        await loop.sock_sendall(connection, attack.opening)
    if not attack.piece:
        await asyncio.Event().wait()
    while True:
        tally.requests += attack.requests
        await loop.sock_sendall(connection, attack.piece)
        await asyncio.sleep(attack.pause_s)


async def _read(connection: socket.socket, attack: Attack, tally: Tally) -> None:
    """Count the answers until the server closes the connection."""
    end = b""
    while data := await asyncio.get_running_loop().sock_recv(connection, attack.read_bytes):
        text = end + data
        for status in _STATUS.findall(text):
            tally.statuses[int(status)] = tally.statuses.get(int(status), 0) + 1
        end = text[-12:]  # one byte less than a match
        await asyncio.sleep(attack.read_pause_s)


# ---- the other caller -----------------------------------------------------------------------------------------------


class Calls(NamedTuple):
    """The latencies of the answered bids, ms, from the time at which each was due; and how many failed."""

    latencies_ms: list[float]
    failed: int


def call(port: int, seconds: float) -> Calls:
    """Post bids at a gentle rate for ``seconds``; wait for each answer, however late."""
    latencies_ms: list[float] = []
    failed = 0
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT_S) as client:
        client.post("/bid", content=BODY)
        due = end = monotonic()
        end += seconds
        while due < end:
            sleep(max(0.0, due - monotonic()))
            try:
                answered = client.post("/bid", content=BODY).status_code == 200
            except httpx.TransportError:
                answered = False
            if answered:
                latencies_ms.append((monotonic() - due) * 1000.0)
            else:
                failed += 1
            due += 1.0 / _BIDS_A_SECOND
    return Calls(latencies_ms, failed)


# ---- the servers and the measurement --------------------------------------------------------------------------------


class Servers(NamedTuple):
    """The port to attack, the process of the service, and the ids of the proxy's processes."""

    port: int
    service: subprocess.Popen[bytes]
    proxy: list[int]

    def peak_mib(self, *pids: int) -> float:
        """Return the most resident memory since `forget_peaks`, in all."""
        return sum(status_number(pid, "VmHWM") for pid in pids) / 1024

    def forget_peaks(self) -> None:
        """Let the peaks begin with the present memory."""
        for pid in (self.service.pid, *self.proxy):
            Path(f"/proc/{pid}/clear_refs").write_text("5")


@contextmanager
def running(http: str, proxy: Path | None = None, settings: Mapping[str, str] = {}) -> Iterator[Servers]:
    """Run the service, with nginx in front if ``proxy`` is its configuration; see `service_command`."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        log = stack.enter_context((directory / "log").open("wb"))

        def start(command: list[str], port: int) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(command, cwd=ROOT, env=os.environ | settings, stdout=log, stderr=log)
            stack.callback(stop, process)
            wait_until(lambda: process.poll() is not None or _ready(port), "not ready in time")
            assert process.poll() is None, (directory / "log").read_text()
            return process

        service_port = free_port()
        service = start(service_command(http, service_port), service_port)
        if proxy is None:
            yield Servers(service_port, service, [])
            return
        port = free_port()
        text = re.sub(r"^(daemon|pid|error_log|user)\b.*$", "", proxy.read_text(), flags=re.MULTILINE)
        text = text.replace(" /tmp/", f" {directory}/").replace("listen 8080", f"listen 127.0.0.1:{port}")
        text = text.replace("bidder:8080", f"127.0.0.1:{service_port}")
        user = "user root;" if os.geteuid() == 0 else ""  # who may enter the directory
        configuration = directory / "nginx.conf"
        configuration.write_text(f"daemon off; {user} pid {directory}/pid; error_log {directory}/errors;\n{text}")
        front = start(["nginx", "-p", str(directory), "-e", f"{directory}/errors", "-c", str(configuration)], port)
        yield Servers(port, service, [front.pid, *children(front.pid)])


def _ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=LIMIT_S).status_code == 200
    except httpx.TransportError:
        return False


def allow_many_files() -> None:
    """Allow this process and those that it starts as many open files as the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Row(NamedTuple):
    """The result of one attack."""

    name: str
    service_mib: float
    proxy_mib: float
    tally: Tally
    calls: Calls

    @property
    def missed(self) -> list[str]:
        """Return the goals that it misses."""
        answers, latencies_ms = self.tally.answers / max(1, self.tally.requests), self.calls.latencies_ms
        missed = ["memory"] if self.service_mib >= MOST_MIB else []
        missed += [] if ATTACKS[self.name].answers_each <= answers <= MOST_ANSWERS else ["answers"]
        missed += ["others' p50"] if not latencies_ms or median(latencies_ms) >= MOST_P50_MS else []
        return missed + ([f"{self.calls.failed} calls failed"] if self.calls.failed else [])

    def __str__(self) -> str:
        ms = self.calls.latencies_ms
        p50, p99 = (median(ms), quantiles(ms, n=100)[98]) if len(ms) > 1 else (float("nan"), float("nan"))
        statuses = ", ".join(f"{count} x {status}" for status, count in sorted(self.tally.statuses.items()))
        text = f"{self.name:41}{self.service_mib:6.0f}{self.proxy_mib:7.0f}{self.tally.requests:12,}"
        text += f"{self.tally.answers / max(1, self.tally.requests):9.3f}{p50:9.2f}{p99:9.1f}"
        text += f"  {', '.join(self.missed) or 'passed'} ({statuses or 'no answer'}; "
        return f"{text}closed {self.tally.closed:,} of {self.tally.connections:,})"


_TITLE = f"{'attack':41}{'MiB':>6}{'proxy':>7}{'requests':>12}{'answers':>9}{'p50 ms':>9}{'p99 ms':>9}  verdict"


def measure(name: str, http: str, proxy: Path | None, seconds: float) -> Row:
    """Attack new servers while another caller posts bids."""
    with running(http, proxy) as servers, ExitStack() as stack:
        spawn = get_context("spawn")
        attackers, callers = (stack.enter_context(ProcessPoolExecutor(1, spawn)) for _ in range(2))
        callers.submit(call, servers.port, 0.5).result()  # both processes and the service are warm
        attackers.submit(allow_many_files).result()
        servers.forget_peaks()
        attacked = attackers.submit(attack, name, servers.port, seconds)
        called = callers.submit(call, servers.port, seconds)
        _stop_if_too_large(servers, [attacked, called])
        peaks = servers.peak_mib(servers.service.pid), servers.peak_mib(*servers.proxy)
        if peaks[0] >= _STOP_MIB:
            servers.service.kill()
        return Row(name, *peaks, attacked.result(), called.result())


def _stop_if_too_large(servers: Servers, work: list[Future[Tally] | Future[Calls]]) -> None:
    """Wait for the work, but no longer than until the service is too large."""
    while not all(each.done() for each in work) and servers.peak_mib(servers.service.pid) < _STOP_MIB:
        sleep(0.05)


def main() -> int:
    """Attack, print the table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.attacks", description=__doc__)
    parser.add_argument("--http", choices=["h11", "httptools"], help="default: h11; httptools behind a proxy")
    parser.add_argument("--proxy", type=Path, metavar="CONF", help="nginx with this configuration in front")
    parser.add_argument("--only", metavar="NAME", help="the attacks with this text in their names")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each attack; default: 4")
    arguments = parser.parse_args()
    http = arguments.http or ("httptools" if arguments.proxy else "h11")
    allow_many_files()
    names = [name for name in ATTACKS if (arguments.only or "") in name and (arguments.proxy or name != _ONLY_PROXIED)]
    print(f"{http}{f' behind nginx with {arguments.proxy}' if arguments.proxy else ''}; {GOALS}\n{_TITLE}", flush=True)
    missed = 0
    for name in names:
        row = measure(name, http, arguments.proxy, arguments.seconds)
        missed += bool(row.missed)
        print(row, flush=True)
    print(f"{missed} of {len(names)} attacks miss a goal")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())

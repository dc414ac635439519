"""Fixtures and helpers of the fault tests: real servers (`tests/servers.py`) and raw connections to them."""

import asyncio
import json
import math
import re
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Protocol

import httpx

from service.keys import new_key
from tests.patience import LIMIT_S, get, wait_until
from tests.servers import RealServer, workers
from tests.service.conftest import app, folder, made_sets  # noqa: F401  # fixtures

WORKED = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}
BODY = json.dumps(WORKED).encode()
# When a server stops, it closes connections on which no request comes: a new one after the first time, one that had
# requests before after the second. A busy machine may hold up a caller for longer; its request is then lost without a
# fault of the server.
_NEW_IDLE_S = 0.1
_KEPT_IDLE_S = 0.5  # the default of SPADES_DRAIN_S
_RESTART_S = 35.0  # in which both workers are replaced, or a restart has ended


class Listens(Protocol):
    """A server on a loopback port."""

    @property
    def port(self) -> int: ...


def request_bytes(body: bytes = BODY, *headers: str, path: str = "/bid") -> bytes:
    """Return the bytes of a POST."""
    lines = [f"POST {path} HTTP/1.1", "Host: service", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@contextmanager
def connected(server: Listens) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT_S) as connection:
        yield connection


def read_response(stream) -> tuple[int, dict[str, str], bytes]:
    """Read a response from ``socket.makefile("rb")``: status, headers, body; raise ConnectionError if there is none."""
    line = stream.readline()
    if not line:
        raise ConnectionError("closed without an answer")
    headers = {}
    while (header := stream.readline()) not in (b"\r\n", b""):
        name, _, value = header.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return int(line.split()[1]), headers, stream.read(int(headers["content-length"]))


def ask(server: Listens, data: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send ``data`` on a new connection and return the first answer."""
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(data)
        return read_response(stream)


def read_answers(data: bytes) -> list[tuple[int, dict[str, str], bytes]]:
    """Return all answers in ``data``, except interim ones; raise ValueError if the last answer is incomplete."""
    answers: list[tuple[int, dict[str, str], bytes]] = []
    while data:
        head, end, data = data.partition(b"\r\n\r\n")
        if not end:
            raise ValueError(f"a head is cut short: {head!r}")
        first, *lines = head.decode("latin-1").split("\r\n")
        version, status = first.split()[:2]
        if version != "HTTP/1.1":
            raise ValueError(f"not the first line of an answer: {first!r}")
        if status.startswith("1"):
            continue
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers["content-length"])
        if len(data) < length:
            raise ValueError(f"a body is cut short: {len(data)} of {length} bytes")
        answers.append((int(status), headers, data[:length]))
        data = data[length:]
    return answers


def rss_kb(pid: int) -> int:
    """Return the resident memory of a process, KiB."""
    return status_number(pid, "VmRSS")


def status_number(pid: int, name: str) -> int:
    """Return a number from /proc/PID/status, such as VmRSS or VmHWM (KiB) or Threads."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(f"{name}:"))


def metric(server: Listens, text: str) -> float:
    """Return the sum of the metrics whose name and labels match the regular expression ``text``."""
    body = ask(server, b"GET /metrics HTTP/1.1\r\nHost: service\r\n\r\n")[2].decode()
    return sum(float(value) for value in re.findall(rf"^{text} (\S+)$", body, re.MULTILINE))


def new_keys_file(directory: Path) -> tuple[Path, str]:
    """Write a file with one API key; return its path and the key."""
    made = new_key("test")
    path = directory / "keys"
    path.write_text(made.line + "\n")
    path.chmod(0o600)
    return path, made.secret


class Load:
    """Callers that send requests without a pause until `stop`, each on its own connection; counts all outcomes."""

    def __init__(self, port: int, callers: int = 8, closing: int = 0, body: bytes = BODY) -> None:
        self._port = port
        self._callers = callers
        self._body = body
        self._closing = closing  # callers that open a connection for each request
        self._stopping = False
        self.statuses: Counter[int] = Counter()  # answers by status
        self.tables: Counter[str] = Counter()  # answers by version of the tables
        self.unanswered = 0  # requests whose connection broke before the answer
        self.lost_at: list[float] = []  # `monotonic` times of these, except on connections that had been idle too long
        self.refused = 0  # connections that were not accepted

    async def run(self) -> None:
        await asyncio.gather(*(self._call(number < self._closing) for number in range(self._callers)))

    def stop(self) -> None:
        self._stopping = True

    async def answered(self, count: int, tables: str = "") -> None:
        """Wait for ``count`` more answers with 200, or for as many that name these ``tables``."""

        def number() -> int:
            return self.tables[tables] if tables else self.statuses[200]

        wanted = number() + count
        await asyncio.to_thread(wait_until, lambda: number() >= wanted)

    async def _call(self, closing: bool) -> None:
        data = request_bytes(self._body, *(["Connection: close"] if closing else []))
        while not self._stopping:
            idle_since = monotonic()
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            except OSError:
                self.refused += 1
                await asyncio.sleep(0.02)
                continue
            sent_at, idle_s, head = idle_since, _NEW_IDLE_S, b""
            try:
                while not self._stopping:
                    head, sent_at = b"", monotonic()
                    writer.write(data)
                    head = await reader.readuntil(b"\r\n\r\n")
                    status = int(head.split(None, 2)[1])
                    length = next(
                        int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
                    )
                    body = await reader.readexactly(length)
                    self.statuses[status] += 1
                    if status == 200:
                        self.tables[json.loads(body)["tables"]] += 1
                    if b"connection: close" in head.lower():
                        break
                    idle_since, idle_s = sent_at, _KEPT_IDLE_S
            except (OSError, asyncio.IncompleteReadError) as error:
                self.unanswered += 1
                if head or getattr(error, "partial", b"") or sent_at - idle_since < idle_s:
                    self.lost_at.append(sent_at)
            finally:
                writer.close()


def ready(server: RealServer) -> None:
    """Wait until a server is ready; it logs its start before its workers listen."""

    def answers() -> bool:
        try:
            return get(f"{server.url}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    wait_until(answers, "the server is not ready in time")


def alive(pid: int) -> bool:
    """Return whether a process runs."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def restart(server: RealServer) -> None:
    """Send SIGHUP until both workers are new ones.

    On a busy machine a worker may take too long to start, which ends a restart.
    """
    before = set(workers(server.process.pid))
    sent_at = -math.inf

    def replaced() -> bool:
        nonlocal sent_at
        if monotonic() - sent_at > _RESTART_S:
            sent_at = monotonic()
            server.process.send_signal(signal.SIGHUP)
        now = set(workers(server.process.pid))
        return len(now) == 2 and not now & before

    await asyncio.to_thread(wait_until, replaced)

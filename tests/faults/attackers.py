"""Attackers: clients that use up a server's memory or time, to the cost of all other callers.

Standard library only. The fault tests run this file in a separate process, so that its work does not slow down what
they measure:

    python tests/faults/attackers.py ATTACK PORT SECONDS [CONNECTIONS [CLOSED [ANSWERED]]]

It goes on after SECONDS, for at most a minute, until the server has closed CLOSED connections and sent ANSWERED answers
with status 200. At the end it prints one line of JSON; see `Tally`.
"""

import json
import re
import selectors
import socket
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from time import monotonic, sleep

HAND = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}
BID = json.dumps(HAND).encode()
# Its answer has 2.3 MiB, forty times the size of the request.
BATCH = json.dumps({"requests": [HAND | {"policy": "winprob", "explain": True}] * 512}).encode()

# The slowest valid bodies: by decisions, by faults, by JSON.
_MIDGAME = {"previous_bids": [3, 4, 2], "seat": 3, "scores": {"us": 430, "them": 440}}
_SLOW_ITEM = HAND | _MIDGAME | {"policy": "winprob", "level": 1, "style": {"aggression": 0.5, "nil_bias": -0.3}}
_WRONG_ITEM = {"hand": ["1S"] * 40, "rules": {f"k{index}": 0 for index in range(28)}}
WORST_BATCH = json.dumps({"requests": [_SLOW_ITEM] * 512}).encode()
WRONG_BATCH = json.dumps({"requests": [_WRONG_ITEM] * 500}).encode()
SLOW_JSON = json.dumps({f"{number:x}": 1 for number in range(27_600)}, separators=(",", ":")).encode()
REFUSED_JSON = b'{"requests":[' + b"[]," * 349_000 + b"[]]}"

_SEND_BYTES = 64 * 1024
_SLOW_S = 0.5  # between two reads of a slow reader
_SLOW_BYTES = 2048
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_STATUS_BYTES = 13
_ESTABLISHED = 1  # a state of TCP_INFO
_LOOK_S = 0.05
_MORE_S = 60.0  # the longest time that an attack goes on until the server has done its part


@dataclass(frozen=True)
class Attack:
    """What each connection sends: ``opening`` once, then ``piece`` without end. A closed connection is opened again."""

    opening: bytes
    piece: bytes
    reads: str = "never"  # or "slowly", "all"
    connections: int = 1


@dataclass
class Tally:
    """The result of an attack. ``closed`` counts the connections that the server closed."""

    connections: int = 0
    refused: int = 0
    closed: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    first_closed_s: float | None = None
    statuses: dict[str, int] = field(default_factory=dict)


def post(body: bytes, path: str = "/bid", *headers: str) -> bytes:
    """Return a POST with a Content-Length."""
    lines = [f"POST {path} HTTP/1.1", "Host: service", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def chunked_head(path: str = "/bid", *headers: str) -> bytes:
    """Return the head of a POST with a chunked body."""
    lines = [f"POST {path} HTTP/1.1", "Host: service", "Transfer-Encoding: chunked", *headers, "", ""]
    return "\r\n".join(lines).encode()


def chunk(data: bytes) -> bytes:
    """Return one chunk. An empty chunk ends the body, except for the empty line after the trailers."""
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b"0\r\n"


_HEALTH = b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n"
_GOOD_BODY = chunked_head() + chunk(BID) + chunk(b"")
_SHORT_FIELDS = b"a: b\r\n" * 4096

ATTACKS: dict[str, Attack] = {
    # fields after the last chunk
    "trailers": Attack(chunked_head() + chunk(b""), _SHORT_FIELDS),
    "trailers-after-a-bid": Attack(_GOOD_BODY, _SHORT_FIELDS),
    "trailers-of-a-batch": Attack(chunked_head("/v1/bids") + chunk(b""), _SHORT_FIELDS),
    "trailer-without-end": Attack(_GOOD_BODY + b"X: ", b"x" * _SEND_BYTES),
    "trailer-name-without-end": Attack(_GOOD_BODY, b"x" * _SEND_BYTES),
    # other input without end
    "chunk-extension-without-end": Attack(chunked_head() + b"1;", b"x" * _SEND_BYTES),
    "chunk-extensions": Attack(chunked_head(), b"1;name=value\r\n \r\n" * 4096),
    "header-fields": Attack(b"POST /bid HTTP/1.1\r\nHost: service\r\n", _SHORT_FIELDS),
    "header-without-end": Attack(b"POST /bid HTTP/1.1\r\nHost: service\r\nX: ", b"x" * _SEND_BYTES),
    "url-without-end": Attack(b"GET /", b"x" * _SEND_BYTES),
    # pipelines
    "health": Attack(b"", _HEALTH * 1024),
    "health-read-slowly": Attack(b"", _HEALTH * 1024, "slowly"),
    "health-read": Attack(b"", _HEALTH * 1024, "all"),
    "bids": Attack(b"", post(BID) * 256, "all"),
    "bids-unread": Attack(b"", post(BID) * 256, "never", 80),
    "bids-read-slowly": Attack(b"", post(BID) * 256, "slowly", 8),
    "chunked-bids": Attack(b"", (_GOOD_BODY + b"\r\n") * 256, "all"),
    "batches": Attack(b"", post(BATCH, "/v1/bids"), "all"),
    "batches-unread": Attack(b"", post(BATCH, "/v1/bids"), "never", 80),
    # more than the system buffers for a client, then silence
    "some-bids-unread": Attack(post(BID) * 4000, b"", "never", 80),
    "documents-unread": Attack(b"GET /openapi.json HTTP/1.1\r\nHost: service\r\n\r\n" * 40, b"", "never", 80),
    "one-batch-each-unread": Attack(post(BATCH, "/v1/bids"), b"", "never", 80),
    # expensive requests
    "worst-batches": Attack(b"", post(WORST_BATCH, "/v1/bids"), "all", 4),
    "wrong-batches": Attack(b"", post(WRONG_BATCH, "/v1/bids"), "all", 4),
    "slow-json": Attack(b"", post(SLOW_JSON, "/v1/bids"), "all", 4),
    "refused-json": Attack(b"", post(REFUSED_JSON, "/v1/bids"), "all", 4),
    "large-batches": Attack(b"", post(BATCH.ljust(1 << 20), "/v1/bids"), "all", 200),
    "scrapes": Attack(b"", b"GET /metrics HTTP/1.1\r\nHost: service\r\n\r\n", "all", 16),
    "documents": Attack(b"", b"GET /openapi.json HTTP/1.1\r\nHost: service\r\n\r\n", "all", 16),
}


class _Client:
    """One connection of an attack."""

    def __init__(self, port: int, attack: Attack) -> None:
        self.socket = socket.socket()
        if attack.reads != "all":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self._piece = memoryview(attack.piece)
        self._left = memoryview(attack.opening or attack.piece)
        self._tail = b""

    @property
    def is_open(self) -> bool:
        """Return whether the server has left the connection open, without reading from it."""
        return self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _ESTABLISHED

    @property
    def has_more(self) -> bool:
        return bool(self._left)

    def send(self) -> int:
        """Send as much as the server takes; raise OSError if the connection is closed."""
        try:
            count = self.socket.send(self._left[:_SEND_BYTES])
        except BlockingIOError:
            return 0
        self._left = self._left[count:] or self._piece
        return count

    def read(self, most: int, statuses: dict[str, int]) -> int:
        """Read and count answers; raise OSError if the connection is closed."""
        try:
            data = self.socket.recv(most)
        except BlockingIOError:
            return 0
        if not data:
            raise ConnectionError("closed")
        text = self._tail + data
        for found in _STATUS.findall(text):
            status = found.decode()
            statuses[status] = statuses.get(status, 0) + 1
        self._tail = text[-_STATUS_BYTES + 1 :]
        return len(data)


class _Run:
    """One attack in progress."""

    def __init__(self, attack: Attack, port: int) -> None:
        self.tally = Tally()
        self._attack = attack
        self._port = port
        self._began = monotonic()
        self._clients: set[_Client] = set()
        self._selector = selectors.DefaultSelector()

    def attack_for(self, seconds: float, closed: int, answered: int) -> None:
        """Send and read until ``seconds`` have passed and the server has done its part; see the module's docstring."""
        end = self._began + seconds
        look_at, slow_at = 0.0, self._began + _SLOW_S
        while (now := monotonic()) < end or (
            now < end + _MORE_S and (self.tally.closed < closed or self.tally.statuses.get("200", 0) < answered)
        ):
            while len(self._clients) < self._attack.connections and monotonic() < end + _MORE_S:
                self._connect()
            if not self._selector.get_map():
                sleep(_LOOK_S)
            for key, events in self._selector.select(_LOOK_S):
                self._serve(key.data, events)
            if now >= look_at:
                look_at = now + _LOOK_S
                for client in [client for client in self._clients if not client.is_open]:
                    self._close(client)
            if self._attack.reads == "slowly" and now >= slow_at:
                slow_at = now + _SLOW_S
                for client in list(self._clients):
                    self._read(client, _SLOW_BYTES)
        for client in self._clients:
            client.socket.close()

    def _connect(self) -> None:
        try:
            client = _Client(self._port, self._attack)
        except OSError:
            self.tally.refused += 1
            sleep(0.02)
            return
        self.tally.connections += 1
        self._clients.add(client)
        events = selectors.EVENT_WRITE | (selectors.EVENT_READ if self._attack.reads == "all" else 0)
        self._selector.register(client.socket, events, client)

    def _serve(self, client: _Client, events: int) -> None:
        if events & selectors.EVENT_READ and not self._read(client, 1 << 20):
            return
        if events & selectors.EVENT_WRITE:
            try:
                self.tally.sent_bytes += client.send()
            except OSError:
                self._close(client)
                return
            if not client.has_more:
                self._selector.unregister(client.socket)

    def _read(self, client: _Client, most: int) -> bool:
        try:
            self.tally.received_bytes += client.read(most, self.tally.statuses)
        except OSError:
            self._close(client)
            return False
        return True

    def _close(self, client: _Client) -> None:
        self._clients.remove(client)
        with suppress(KeyError):
            self._selector.unregister(client.socket)
        client.socket.close()
        self.tally.closed += 1
        if self.tally.first_closed_s is None:
            self.tally.first_closed_s = monotonic() - self._began


def run(attack: Attack, port: int, seconds: float, closed: int = 0, answered: int = 0) -> Tally:
    """Attack the server on ``port``."""
    running = _Run(attack, port)
    running.attack_for(seconds, closed, answered)
    return running.tally


def main(arguments: list[str]) -> None:
    """Run one attack and print its result."""
    name, port, seconds, *rest = arguments
    attack = ATTACKS[name]
    connections, closed, answered = [*map(int, rest), 0, 0, 0][:3]
    if connections:
        attack = Attack(attack.opening, attack.piece, attack.reads, connections)
    print(json.dumps(asdict(run(attack, int(port), float(seconds), closed, answered))))


if __name__ == "__main__":
    main(sys.argv[1:])

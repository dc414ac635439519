"""An open-model load: requests leave at a constant rate, whether or not the answers keep up.

Locust's users wait for their answer and therefore slow down with the server. That is a closed model: it does not see
the queue in which real callers would wait. Here latency counts from the moment at which a request was *due*. A delay
of the sender counts too, so that nothing is omitted. An arrival that finds no free connection within `PATIENCE_S` is
*missed*.

The sender is one thread with plain sockets and `select`, whose timeout counts microseconds; the timers of an event
loop count whole milliseconds. Of the ready-made tools, k6 takes four times the CPU of the machine that it shares with
the server, wrk is a closed model, and wrk2 is not packaged.
"""

import select
import socket
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from time import perf_counter
from typing import NamedTuple

from loadtest.traffic import Question

PATIENCE_S = 0.25  # how long an arrival may wait for a free connection
TIMEOUT_S = 2.0  # how long an answer may take
LEAD_S = 0.02  # between the call and the first arrival
MAX_CONNECTIONS = 128  # select's own limit is 1,024 descriptors
_READ_BYTES = 256 * 1024
_LENGTH = b"content-length:"


class Prepared(NamedTuple):
    """A request's bytes as sent and the status that is the right answer."""

    wire: bytes
    status: int


@dataclass(slots=True)
class Run:
    """The results of one run. ``statuses`` counts all answers, ``wrong`` those with an unexpected status."""

    rate: float
    arrivals: int
    seconds: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)  # sorted
    lateness_ms: list[float] = field(default_factory=list)  # sorted: from due until handed to the socket
    statuses: Counter[int] = field(default_factory=Counter)
    missed: int = 0
    broken: int = 0  # no complete answer: timed out, or connection lost
    wrong: int = 0

    @property
    def failures(self) -> int:
        """Return the number of arrivals that did not get the right answer."""
        return self.missed + self.broken + self.wrong

    def percentile(self, percent: float) -> float:
        """Return the latency in ms at ``percent``, above 0 and up to 100."""
        return percentile(self.latencies_ms, percent)


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile of ascending values, or nan if there are none.

    >>> percentile([1, 2, 3, 4], 50), percentile([1, 2, 3, 4], 99)
    (2, 4)
    """
    if not ordered:
        return float("nan")
    return ordered[max(0, ceil(percent / 100 * len(ordered)) - 1)]


def prepare(question: Question, host: str, headers: Mapping[str, str]) -> Prepared:
    """Return a question as an HTTP/1.1 request for a connection that stays open."""
    extra = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = (
        f"POST {question.path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"{extra}Content-Length: {len(question.body)}\r\n\r\n"
    )
    return Prepared(head.encode() + question.body, question.status)


def prepare_get(path: str, host: str) -> Prepared:
    """Return a GET request whose right answer is 200."""
    return Prepared(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode(), 200)


class Connection:
    """A socket with at most one request in progress. It does not block; `loadtest.turns` changes that."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, timeout=TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.due = self.sent = 0.0
        self.expected = 0
        self.answer = b""  # as received so far
        self._needed = 0  # bytes of head and body; 0 until the head is complete

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()

    def send(self, request: Prepared, due: float) -> None:
        """Hand the request to the socket. Raises OSError if the socket does not take all of it."""
        self.answer, self._needed = b"", 0
        self.due, self.expected, self.sent = due, request.status, perf_counter()
        if self.socket.send(request.wire) != len(request.wire):
            raise OSError("the socket did not take the whole request")

    def exchange(self, request: Prepared) -> int:
        """Send the request, wait for the answer and return its status. Raises OSError if there is none in time."""
        self.socket.settimeout(TIMEOUT_S)
        self.send(request, 0.0)
        while (status := self.receive()) == 0:
            pass
        self.socket.setblocking(False)
        return status

    def receive(self) -> int:
        """Return the answer's status once the answer is complete, otherwise 0.

        Raises OSError if the connection is lost.
        """
        chunk = self.socket.recv(_READ_BYTES)
        if not chunk:
            raise ConnectionResetError("the connection closed before the answer was complete")
        self.answer += chunk
        if not self._needed:
            end = self.answer.find(b"\r\n\r\n")
            if end < 0:
                return 0
            head = self.answer[:end].lower()
            at = head.find(_LENGTH)
            if at < 0:
                raise OSError("the answer has no Content-Length, which the service always sends")
            self._needed = end + 4 + int(head[at + len(_LENGTH) :].split(b"\r", 1)[0])
        return int(self.answer[9:12]) if len(self.answer) >= self._needed else 0


def _readable(sockets: Collection[socket.socket], pause_s: float) -> list[socket.socket]:
    """Return the sockets that have bytes to read; wait at most ``pause_s`` for the first."""
    try:
        return select.select(list(sockets), [], [], pause_s)[0]
    except ValueError:  # a descriptor above 1,023, in a process with many open files; `poll` counts milliseconds
        poll = select.poll()
        by_descriptor = {one.fileno(): one for one in sockets}
        for descriptor in by_descriptor:
            poll.register(descriptor, select.POLLIN)
        return [by_descriptor[descriptor] for descriptor, _ in poll.poll(pause_s * 1000.0)]


def run(
    address: tuple[str, int],
    requests: Sequence[Prepared],
    rate: float,
    seconds: float,
    max_connections: int = MAX_CONNECTIONS,
    opened: Sequence[Connection] = (),
    answered: Callable[[Connection, int], None] | None = None,
) -> Run:
    """Send ``rate`` requests per second for ``seconds`` and return the results once every request has one.

    The requests are sent in order, again and again, on the ``opened`` connections and then on new ones. ``answered`` is
    called with each answer's connection and status. Raises OSError if not even one connection can be opened.
    """
    total = max(1, round(rate * seconds))
    result = Run(rate, total)
    free = [*opened] or [Connection(address)]
    busy: dict[socket.socket, Connection] = {}
    waiting: deque[float] = deque()  # due times not yet sent
    begin = perf_counter() + LEAD_S
    due_count = sent_count = settled = 0
    try:
        while settled < total:
            now = perf_counter()
            while due_count < total and begin + due_count / rate <= now:
                waiting.append(begin + due_count / rate)
                due_count += 1
            while waiting:
                if now - waiting[0] > PATIENCE_S:
                    waiting.popleft()
                    result.missed += 1
                    settled += 1
                    continue
                if free:
                    connection = free.pop()
                elif len(busy) < max_connections:
                    try:
                        connection = Connection(address)
                    except OSError:
                        break  # the arrival waits, and is missed after PATIENCE_S
                else:
                    break
                due = waiting.popleft()
                try:
                    connection.send(requests[sent_count % len(requests)], due)
                except OSError:
                    connection.close()
                    result.broken += 1
                    settled += 1
                    continue
                sent_count += 1
                result.lateness_ms.append((connection.sent - due) * 1000.0)
                busy[connection.socket] = connection
            pause = 0.05
            if due_count < total and not waiting:
                pause = min(pause, max(0.0, begin + due_count / rate - perf_counter()))
            for readable in _readable(busy, pause):
                connection = busy[readable]
                try:
                    status = connection.receive()
                except OSError:
                    status = -1
                if status == 0:
                    continue
                settled += 1
                del busy[readable]
                if status < 0:
                    connection.close()
                    result.broken += 1
                    continue
                result.latencies_ms.append((perf_counter() - connection.due) * 1000.0)
                result.statuses[status] += 1
                result.wrong += status != connection.expected
                if answered is not None:
                    answered(connection, status)
                free.append(connection)
            for connection in [c for c in busy.values() if now - c.sent > TIMEOUT_S]:
                del busy[connection.socket]
                connection.close()
                result.broken += 1
                settled += 1
        result.seconds = perf_counter() - begin
    finally:
        for connection in (*free, *busy.values()):
            connection.close()
    result.latencies_ms.sort()
    result.lateness_ms.sort()
    return result

"""Normal callers: a moderate load whose latencies show how an attack affects other callers.

Standard library only; it runs in a separate process, like `attackers.py`:

    python tests/faults/callers.py PORT SECONDS CALLERS RATE_EACH [KEY]

Each caller has one connection. It sends POST /bid, GET /healthz, POST /bid in chunks and GET /healthz in turn,
``RATE_EACH`` requests per second, and waits for each answer. A latency is measured from the time at which the request
was due. The command prints one line of JSON; see `Report`.
"""

import json
import socket
import sys
from dataclasses import asdict, dataclass, field
from threading import Thread
from time import monotonic, sleep

_BODY = b'{"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}'
_TIMEOUT_S = 120.0


@dataclass
class Report:
    """Latencies in ms, and the answers by status; ``broken`` counts requests without a complete answer."""

    bids_ms: list[float] = field(default_factory=list)
    health_ms: list[float] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    broken: int = 0


def call(port: int, seconds: float, callers: int, rate: float, key: str = "") -> Report:
    """Run ``callers`` callers for ``seconds``."""
    report = Report()
    start = monotonic() + 0.05
    threads = [
        Thread(target=_call, args=(port, start + index / rate / callers, start + seconds, rate, key, report))
        for index in range(callers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return report


def _call(port: int, start: float, end: float, rate: float, key: str, report: Report) -> None:
    authorization = b"Authorization: Bearer %b\r\n" % key.encode() if key else b""
    bid = b"POST /bid HTTP/1.1\r\nHost: service\r\n%bContent-Length: %d\r\n\r\n%b" % (authorization, len(_BODY), _BODY)
    chunked = b"POST /bid HTTP/1.1\r\nHost: service\r\n%bTransfer-Encoding: chunked\r\n\r\n" % authorization
    chunked += b"%x\r\n%b\r\n0\r\n\r\n" % (len(_BODY), _BODY)
    health = b"GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n"
    requests = (bid, health, chunked, health)
    connection: socket.socket | None = None
    count = 0
    while (due := start + count / rate) < end:
        sleep(max(0.0, due - monotonic()))
        request = requests[count % len(requests)]
        count += 1
        try:
            if connection is None:
                connection = socket.create_connection(("127.0.0.1", port), _TIMEOUT_S)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(request)
            status, closes = _read(connection)
        except (OSError, ValueError):
            report.broken += 1
            if connection is not None:
                connection.close()
            connection = None
            continue
        (report.health_ms if request is health else report.bids_ms).append((monotonic() - due) * 1000.0)
        report.statuses[status] = report.statuses.get(status, 0) + 1
        if closes:
            connection.close()
            connection = None
    if connection is not None:
        connection.close()


def _read(connection: socket.socket) -> tuple[str, bool]:
    """Read one answer; return its status and whether the server closes the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionError("closed without an answer")
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    left = int(next(line for line in lines if line.startswith(b"content-length:"))[15:]) - len(body)
    while left > 0:
        piece = connection.recv(65_536)
        if not piece:
            raise ConnectionError("closed within an answer")
        left -= len(piece)
    return head.split(None, 2)[1].decode(), b"connection: close" in lines


def main(arguments: list[str]) -> None:
    """Call and print the report."""
    port, seconds, callers, rate, *key = arguments
    print(json.dumps(asdict(call(int(port), float(seconds), int(callers), float(rate), *key))))


if __name__ == "__main__":
    main(sys.argv[1:])

"""The access log: one JSON object a line on standard output, for a share of the requests.

Not the error log (that is `logging`, on standard error). A line holds the route's template, never the path, the query,
the body or a header that could hold a secret: hands and keys stay out of it. Every 500 is told, whatever the share.

A thread writes, so that a reader of standard output that hangs does not hang the service; what it can't take is
dropped, and the next line that gets through says how many.
"""

import queue
import sys
from random import random
from threading import Thread
from time import time
from typing import Any, BinaryIO

import orjson

_MOST_WAITING = 4096  # lines
_CLOSE_S = 1.0


class AccessLog:
    """Writes lines for ``share`` (0..1) of the requests to ``stream`` (default: standard output)."""

    def __init__(self, share: float, stream: BinaryIO | None = None) -> None:
        self._share = share
        self._stream = stream
        self._lines: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._writer: Thread | None = None
        self._dropped = 0

    def wants(self, status: int) -> bool:
        """Whether this request is told."""
        return status == 500 or (self._share > 0.0 and random() < self._share)

    def write(
        self,
        method: str,
        route: str,
        status: int,
        seconds: float,
        request_id: bytes,
        traceparent: bytes | None,
        key: str | None,
    ) -> None:
        """Tell one request; ``seconds`` from its arrival to its answer; ``key`` the API key's name."""
        line: dict[str, Any] = {
            "time": round(time(), 6),
            "method": method[:20],
            "route": route,
            "status": status,
            "duration_ms": round(seconds * 1000.0, 3),
            "request_id": request_id.decode("ascii"),
        }
        if traceparent is not None:
            line["traceparent"] = traceparent.decode("ascii")
        if key is not None:
            line["key"] = key
        if self._dropped:
            line["dropped"] = self._dropped
        if self._writer is None:
            self._writer = Thread(target=self._write, name="access-log", daemon=True)
            self._writer.start()
        try:
            self._lines.put_nowait(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            self._dropped = 0
        except queue.Full:
            self._dropped += 1

    def close(self) -> None:
        """Write what waits, for a second at most."""
        if self._writer is not None:
            try:
                self._lines.put(None, timeout=_CLOSE_S)
            except queue.Full:
                return  # nobody reads: the thread ends with the process
            self._writer.join(_CLOSE_S)
            self._writer = None

    def _write(self) -> None:
        stream = sys.stdout.buffer if self._stream is None else self._stream
        while (line := self._lines.get()) is not None:
            stream.write(line)
            if self._lines.empty():
                stream.flush()
        stream.flush()

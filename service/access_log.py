"""The access log: one JSON object per line on standard output, for a share of the requests.

Errors are logged with `logging` on standard error instead. A line holds the route's template. It never holds the path,
the query, the body or a header that could hold a secret, so hands and keys are never logged. Every answer with status
500 is logged, whatever the share.

The request's thread only puts a record into a bounded queue (`logging.handlers.QueueHandler`). A second thread formats
and writes it (`QueueListener`). So the service does not hang when the reader of standard output hangs. A line is
dropped when the queue is full or when writing fails (disk full, closed pipe). Dropped lines are counted, and the next
written line holds their number. A failed write does not end the writing thread: it tries again with the next line.
The writing thread also logs one warning per outage, because standard error may hang too.
"""

import errno
import logging
import sys
from collections.abc import Callable
from io import FileIO
from logging.handlers import QueueHandler, QueueListener
from queue import Full, SimpleQueue
from random import random
from threading import Thread
from time import time
from typing import Any, Protocol

import orjson

MAX_QUEUED = 4096  # lines
_BATCH = 128  # most lines written by one system call
_CLOSE_S = 1.0
_STANDARD_OUTPUT = 1
_logger = logging.getLogger("service")


class Stream(Protocol):
    """An unbuffered binary stream to which lines are written."""

    def write(self, data: bytes, /) -> int | None:
        """Write ``data`` or its beginning; return the number of bytes written, or None for none."""


class Answered(logging.LogRecord):
    """One request, answered ``seconds`` after its arrival; ``key``: the API key's name; ``tables``: their version.

    It does not call `LogRecord.__init__`, which takes longer than all of `AccessLog.write`.
    """

    def __init__(
        self,
        method: str,
        route: str,
        status: int,
        seconds: float,
        request_id: bytes,
        traceparent: bytes | None,
        key: str | None,
        tables: str | None = None,
    ) -> None:
        self.created = time()
        self.method = method
        self.route = route
        self.status = status
        self.seconds = seconds
        self.request_id = request_id
        self.traceparent = traceparent
        self.key = key
        self.tables = tables

    def line(self, dropped: int) -> bytes:
        """Return the record as a line of JSON; ``dropped`` is the number of lines missing before it."""
        fields: dict[str, Any] = {
            "time": round(self.created, 6),
            "method": self.method[:20],
            "route": self.route,
            "status": self.status,
            "duration_ms": round(self.seconds * 1000.0, 3),
            "request_id": self.request_id.decode("ascii", "replace"),
        }
        if self.traceparent is not None:
            fields["traceparent"] = self.traceparent.decode("ascii", "replace")
        if self.key is not None:
            fields["key"] = self.key
        if self.tables is not None:
            fields["tables"] = self.tables
        if dropped:
            fields["dropped"] = dropped
        return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)


class _Handler(QueueHandler):
    """The sending end of the queue; it drops and counts records when the queue is full. For one thread."""

    def __init__(self, records: "SimpleQueue[logging.LogRecord]", count: Callable[[int], object]) -> None:
        super().__init__(records)
        self._records = records
        self._count = count
        self.dropped = 0  # lines, since the start

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record unchanged: the writing thread formats it."""
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a record; raise `queue.Full` when `MAX_QUEUED` records wait: a `SimpleQueue` itself has no limit."""
        if self._records.qsize() >= MAX_QUEUED:
            raise Full
        self._records.put_nowait(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Count a record that `enqueue` refused."""
        self.dropped += 1
        self._count(1)


class _Writer(QueueListener):
    """The writing thread."""

    def __init__(
        self,
        records: "SimpleQueue[logging.LogRecord]",
        stream: Stream | None,
        handler: _Handler,
        count: Callable[[int], object],
    ) -> None:
        super().__init__(records)
        self._records = records
        self._stream = stream
        self._handler = handler
        self._count = count
        self._batch: list[Answered] = []
        self._lost = 0  # lines that could not be written, since the start
        self._told = 0  # dropped lines that a written line has reported
        self._torn = False  # the last line was cut short
        self._failing = False

    def handle(self, record: logging.LogRecord) -> None:
        """Write the record together with the records queued after it."""
        assert isinstance(record, Answered)
        self._batch.append(record)
        if len(self._batch) >= _BATCH or self._records.empty():
            self.write_batch()

    def write_batch(self) -> None:
        """Write the records that `handle` has collected; count those that can't be written."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        dropped = self._handler.dropped + self._lost
        lines = [record.line(0 if index else dropped - self._told) for index, record in enumerate(batch)]
        start = b"\n" if self._torn else b""  # ends a line that was cut short
        written, error = self._write(start + b"".join(lines))
        whole, end = 0, len(start)
        while whole < len(lines) and end + len(lines[whole]) - 1 <= written:  # its line feed may lack
            end += len(lines[whole])
            whole += 1
        if whole:
            self._told = dropped
        self._torn = written != end
        if error is None:
            self._failing = False
            return
        self._lost += len(lines) - whole
        self._count(len(lines) - whole)
        if not self._failing:
            self._failing = True
            why = error.strerror if isinstance(error, OSError) else error
            _logger.warning("the access log can't be written (%s); lines are dropped until it can", why)

    def _write(self, data: bytes) -> tuple[int, Exception | None]:
        """Write ``data``; return the number of bytes written, and the error if some were not written."""
        written = 0
        try:
            if self._stream is None:
                self._stream = _standard_output()
            while written < len(data):
                count = self._stream.write(data[written:])
                if not count:
                    raise BlockingIOError(errno.EAGAIN, "the reader is behind")
                written += count
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            return written, error
        return written, None


class AccessLog:
    """The access log of one process: lines for ``share`` (0..1) of the requests on ``stream`` (standard output).

    Both threads call ``count_dropped`` with the number of lines that they have just dropped.
    """

    def __init__(
        self, share: float, count_dropped: Callable[[int], object] = lambda _: None, stream: Stream | None = None
    ) -> None:
        self._share = share
        records: SimpleQueue[logging.LogRecord] = SimpleQueue()
        self._handler = _Handler(records, count_dropped)
        self._writer = _Writer(records, stream, self._handler, count_dropped)
        self._started = False

    def wants(self, status: int) -> bool:
        """Return whether to log a request that was answered with ``status``."""
        return status == 500 or (self._share > 0.0 and random() < self._share)

    def write(self, record: Answered) -> None:
        """Log one request. For one thread."""
        self._handler.emit(record)
        if not self._started:
            self._started = True
            self._writer.start()

    def close(self) -> None:
        """Write the queued lines, for at most one second. Call it once, at the end."""
        if self._started:
            # `QueueListener.stop` has no time limit, and the thread that it waits for may hang in a write.
            closing = Thread(target=self._finish, name="access-log-close", daemon=True)
            closing.start()
            closing.join(_CLOSE_S)

    def _finish(self) -> None:
        self._writer.stop()
        self._writer.write_batch()


def _standard_output() -> Stream:
    """Return standard output without Python's buffer, which keeps lines that failed and writes parts of them later."""
    if sys.stdout is None:  # it was closed before the start; descriptor 1 may now be another file
        raise OSError(errno.EBADF, "standard output is closed")
    return FileIO(_STANDARD_OUTPUT, "wb", closefd=False)

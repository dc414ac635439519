"""Logs of lines that never slow down a request: a bounded queue and a thread that writes.

The request's thread only puts a record into a bounded queue (`logging.handlers.QueueHandler`). A second thread formats
and writes it (`QueueListener`). So the service does not hang when the reader of a log hangs. A line is dropped when the
queue is full or when writing fails (disk full, closed pipe). Dropped lines are counted, and the next written line holds
their number. A failed write does not end the writing thread: it tries again with the next line. The writing thread also
logs one warning per outage, because standard error may hang too.
"""

import errno
import logging
import sys
from collections.abc import Callable, Sequence
from io import FileIO
from logging.handlers import QueueHandler, QueueListener
from queue import Full, SimpleQueue
from threading import Lock, Thread
from typing import Protocol

MAX_QUEUED = 4096  # lines
_BATCH = 128  # most lines written by one system call
_CLOSE_S = 1.0
_STANDARD_OUTPUT = 1
_logger = logging.getLogger("service")


class Stream(Protocol):
    """An unbuffered binary stream to which lines are written."""

    def write(self, data: bytes, /) -> int | None:
        """Write ``data`` or its beginning; return the number of bytes written, or None for none."""


class Record(logging.LogRecord):
    """What becomes one line of a log.

    Subclasses do not call `LogRecord.__init__`, which takes longer than all of `LineLog.write`.
    """

    def line(self, dropped: int) -> bytes:
        """Return the record as a line of JSON; ``dropped`` is the number of lines missing before it."""
        raise NotImplementedError


class Sink:
    """The stream that `open_stream` returns at the first write. Several logs may share a sink: it writes whole lines.

    ``open_stream`` may raise `OSError`; it is called again at the next write.
    """

    def __init__(self, open_stream: Callable[[], Stream]) -> None:
        self._open = open_stream
        self._stream: Stream | None = None
        self._torn = False  # the last line was cut short
        self._writing = Lock()

    def write(self, lines: Sequence[bytes]) -> tuple[int, Exception | None]:
        """Write ``lines``; return how many were written whole, and the error if some were not."""
        with self._writing:
            start = b"\n" if self._torn else b""  # ends a line that was cut short
            written, error = self._write(start + b"".join(lines))
            whole, end = 0, len(start)
            while whole < len(lines) and end + len(lines[whole]) - 1 <= written:  # its line feed may lack
                end += len(lines[whole])
                whole += 1
            self._torn = written != end
            return whole, error

    def _write(self, data: bytes) -> tuple[int, Exception | None]:
        """Write ``data``; return the number of bytes written, and the error if some were not written."""
        written = 0
        try:
            if self._stream is None:
                self._stream = self._open()
            while written < len(data):
                count = self._stream.write(data[written:])
                if not count:
                    raise BlockingIOError(errno.EAGAIN, "the reader is behind")
                written += count
        except (OSError, ValueError) as error:  # ValueError: the stream is closed
            return written, error
        return written, None


def _standard_output() -> Stream:
    """Return standard output without Python's buffer, which keeps lines that failed and writes parts of them later."""
    if sys.stdout is None:  # it was closed before the start; descriptor 1 may now be another file
        raise OSError(errno.EBADF, "standard output is closed")
    return FileIO(_STANDARD_OUTPUT, "wb", closefd=False)


STANDARD_OUTPUT = Sink(_standard_output)


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
        sink: Sink,
        handler: _Handler,
        count: Callable[[int], object],
        name: str,
    ) -> None:
        super().__init__(records)
        self._records = records
        self._sink = sink
        self._handler = handler
        self._count = count
        self._name = name
        self._batch: list[Record] = []
        self._lost = 0  # lines that could not be written, since the start
        self._told = 0  # dropped lines that a written line has reported
        self._failing = False

    def handle(self, record: logging.LogRecord) -> None:
        """Write the record together with the records queued after it."""
        assert isinstance(record, Record)
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
        whole, error = self._sink.write(lines)
        if whole:
            self._told = dropped
        if error is None:
            self._failing = False
            return
        self._lost += len(lines) - whole
        self._count(len(lines) - whole)
        if not self._failing:
            self._failing = True
            why = error.strerror if isinstance(error, OSError) else error
            _logger.warning("the %s can't be written (%s); lines are dropped until it can", self._name, why)


class LineLog:
    """A log of one process, on ``sink``; ``name`` is for the warning.

    Both threads call ``count_dropped`` with the number of lines that they have just dropped.
    """

    def __init__(self, name: str, sink: Sink, count_dropped: Callable[[int], object]) -> None:
        records: SimpleQueue[logging.LogRecord] = SimpleQueue()
        self._name = name
        self._handler = _Handler(records, count_dropped)
        self._writer = _Writer(records, sink, self._handler, count_dropped, name)
        self._started = False

    def write(self, record: Record) -> None:
        """Log one record. For one thread."""
        self._handler.emit(record)
        if not self._started:
            self._started = True
            self._writer.start()

    def close(self) -> None:
        """Write the queued lines, for at most one second. Call it once, at the end."""
        if self._started:
            # `QueueListener.stop` has no time limit, and the thread that it waits for may hang in a write.
            closing = Thread(target=self._finish, name=f"{self._name} close", daemon=True)
            closing.start()
            closing.join(_CLOSE_S)

    def _finish(self) -> None:
        self._writer.stop()
        self._writer.write_batch()

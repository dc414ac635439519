"""Logs of lines that never slow down a request: a bounded queue and a thread that writes.

The request's thread only puts a line into a bounded queue. A second thread writes it. So the service does not hang when
the reader of a log hangs. A line is dropped when the queue is full or when writing fails (disk full, closed pipe).
Dropped lines are counted, and the next written line holds their number. A failed write does not end the writing thread:
it tries again with the next line. The writing thread also logs one warning per outage, because standard error may hang
too.
"""

import errno
import logging
import sys
from collections.abc import Callable, Sequence
from io import FileIO
from queue import SimpleQueue
from threading import Lock, Thread
from time import sleep
from typing import Protocol

MAX_QUEUED = 16_384  # lines
_BATCH = 2048  # most lines written by one system call
_END = b""  # in the queue after the last line
_CLOSE_S = 1.0
_STANDARD_OUTPUT = 1
_logger = logging.getLogger("service")


class Stream(Protocol):
    """An unbuffered binary stream to which lines are written."""

    def write(self, data: bytes, /) -> int | None:
        """Write ``data`` or its beginning; return the number of bytes written, or None for none."""


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
            data = start + b"".join(lines)
            written, error = self._write(data)
            if error is None:
                self._torn = False
                return len(lines), None
            whole, end = 0, len(start)
            while whole < len(lines) and end + len(lines[whole]) - 1 <= written:  # its line feed may be missing
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


class LineLog:
    """A log of one process, on ``sink``; ``name`` is for the warning.

    Both threads call ``count_dropped`` with the number of lines that they have just dropped. The writing thread waits
    ``gather_s`` seconds for more lines before it writes the first one, because waking it for each line costs several
    times as much as the line.
    """

    def __init__(self, name: str, sink: Sink, count_dropped: Callable[[int], object], gather_s: float = 0.0) -> None:
        self._name = name
        self._sink = sink
        self._count = count_dropped
        self._gather_s = gather_s
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._thread: Thread | None = None
        self._refused = 0  # lines for which the queue had no room, since the start
        self._lost = 0  # lines that could not be written, since the start
        self._reported = 0  # dropped lines that a written line has reported
        self._failing = False

    def write_line(self, line: bytes) -> None:
        """Log a JSON object that ends with a line feed. For one thread."""
        if self._lines.qsize() >= MAX_QUEUED:  # a `SimpleQueue` itself has no limit
            self._refused += 1
            self._count(1)
            return
        self._lines.put(line)
        if self._thread is None:
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Write the queued lines, for at most one second. Call it once, at the end."""
        if self._thread is not None:
            self._lines.put(_END)
            self._thread.join(_CLOSE_S)  # the thread may hang in a write

    def _run(self) -> None:
        """Write lines until the end, those that are queued together."""
        lines, full = self._lines, False
        while line := lines.get():
            if not full:
                sleep(self._gather_s)
            batch = [line]
            batch += [lines.get() for _ in range(min(lines.qsize(), _BATCH - 1))]
            full = len(batch) == _BATCH
            if batch[-1] == _END:
                self._write(batch[:-1])
                return
            self._write(batch)

    def _write(self, batch: list[bytes]) -> None:
        """Write lines, the first with the number of lines missing before it; count those that can't be written."""
        dropped = self._refused + self._lost
        if dropped > self._reported:
            batch[0] = b'{"dropped":%d,%b' % (dropped - self._reported, batch[0][1:])
        whole, error = self._sink.write(batch)
        if whole:
            self._reported = dropped
        if error is None:
            self._failing = False
            return
        self._lost += len(batch) - whole
        self._count(len(batch) - whole)
        if not self._failing:
            self._failing = True
            why = error.strerror if isinstance(error, OSError) else error
            _logger.warning("the %s can't be written (%s); lines are dropped until it can", self._name, why)

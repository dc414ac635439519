"""The logs of a serving process: JSON objects, one on each line, by `logging`.

- The loggers `service` and `uvicorn.error` write to standard error.
- The access log is the logger `service.access`: a share of the requests, and every 500, on standard output. It has no
  path, query, body or header that could hold a secret.
- The decision log has bids and results, in a file or on standard output, if SPADES_DECISION_LOG is set. Its lines go
  directly into the queue of a logging handler, because a `LogRecord` costs more than the line.

A request only puts lines of the last two into a bounded queue (`LineQueue`), and a thread (`LineWriter`) writes them.
It never waits for a slow disk or a reader that hangs. Lines for which the queue has no room, or which cannot be
written, are dropped and counted. The next line that is written has their number in `dropped`.
"""

import atexit
import errno
import json
import logging
import logging.config
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from hashlib import blake2b
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue
from select import PIPE_BUF
from tempfile import TemporaryFile
from threading import Lock, Thread
from time import sleep
from typing import Any, Final

import orjson

from service.keys import Key
from service.settings import Settings, SettingsError

FORMAT: Final = 1  # version of the format of game logs (docs/reference/game-log.md)
MAX_QUEUED = 16_384  # lines
REQUEST: ContextVar[Mapping[str, object]] = ContextVar("request")  # the `RequestState` of the current request
ACCESS = logging.getLogger("service.access")
ACCESS.propagate = False
ACCESS.setLevel(logging.INFO)
_GATHER_S = 0.2  # seconds to wait for more lines: waking the thread for each line costs several times as much as a line
_MOST_TOGETHER = 1024  # lines that are written together
_STOP_S = 1.0
_REQUEST_FIELDS = ("request_id", "trace_id", "tables")
_ACCESS_FIELDS = ("method", "route", "status", "duration_ms")
_TIME = orjson.OPT_UTC_Z | orjson.OPT_OMIT_MICROSECONDS
_MIB = 1024 * 1024
_logger = logging.getLogger("service")


class JsonFormatter(logging.Formatter):
    """Format each record as one line, with the current request; a stack trace becomes the field `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a record."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, object] = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields |= {name: value for name, value in vars(record).items() if name in _ACCESS_FIELDS}
        request = REQUEST.get({})
        fields |= {name: request[name] for name in _REQUEST_FIELDS if name in request}
        if isinstance(key := request.get("key"), Key):
            fields["key"] = key.name
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields)  # not orjson: a message may hold half a surrogate pair, which orjson refuses


CONFIG: Final = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "service.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
}
"""The configuration with which `serve` writes the messages of a process, uvicorn's included, to standard error."""


def configure() -> None:
    """Use `CONFIG`; call it before the app is made, because it closes the handlers that exist."""
    logging.config.dictConfig(CONFIG)
    logging.captureWarnings(True)


def complain(level: str, message: str) -> None:
    """Write one line to standard error before the log is configured."""
    record = logging.makeLogRecord({"name": "service", "levelname": level, "msg": message})
    print(JsonFormatter().format(record), file=sys.stderr)


class LineTarget(logging.Handler):
    """A handler that writes lines. It keeps the error of a write that failed."""

    error: BaseException | None = None

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        """Keep the current exception."""
        self.error = sys.exc_info()[1]


class StandardOutput(LineTarget):
    """Standard output without Python's buffer, which would keep lines that failed and write parts of them later."""

    _writing = Lock()  # both logs may go there

    def emit(self, record: logging.LogRecord) -> None:
        """Write lines."""
        try:
            if sys.stdout is None:  # it was closed before the start; descriptor 1 may now be another file
                raise OSError(errno.EBADF, "standard output is closed")
            with self._writing:
                for data in _writes(record.getMessage()):
                    while data:
                        data = data[os.write(1, data) :]
        except OSError:
            self.handleError(record)


def _writes(lines: str) -> Iterator[bytes]:
    """Yield lines in pieces that a pipe takes whole, so that those of other workers never come in between."""
    piece = b""
    for line in lines.split("\n"):
        data = f"{line}\n".encode()
        if len(piece) + len(data) > PIPE_BUF:
            yield piece
            piece = b""
        piece += data
    yield piece


class RotatingFile(LineTarget, RotatingFileHandler):
    """A file that only its owner may read; when it is full, NAME.jsonl becomes NAME.1.jsonl and so on.

    Raises `OSError` if it cannot be opened. A file that was moved away or removed is begun anew.
    """

    def __init__(self, path: Path, most_bytes: int, kept: int) -> None:
        path.touch(0o600)
        super().__init__(path, maxBytes=most_bytes, backupCount=kept, encoding="utf-8")

    def emit(self, record: logging.LogRecord) -> None:
        """Write lines."""
        if not os.path.exists(self.baseFilename):
            self.close()
            with suppress(OSError):
                Path(self.baseFilename).touch(0o600)
        super().emit(record)

    def rotation_filename(self, default_name: str) -> str:
        """Return NAME.1.jsonl for NAME.jsonl.1."""
        path, number = os.path.splitext(default_name)
        stem, suffix = os.path.splitext(path)
        return stem + number + suffix

    def rotate(self, source: str, dest: str) -> None:
        """Rename the full file and begin the next one."""
        os.replace(source, dest)
        Path(source).touch(0o600)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Keep the current exception, and open the file again for the next lines."""
        super().handleError(record)
        with suppress(OSError):
            self.close()


class LineQueue(QueueHandler):
    """The queue of a log's lines. One thread may add to it, by `handle` or `enqueue`."""

    def __init__(self, count_dropped: Callable[[int], object]) -> None:
        super().__init__(SimpleQueue())  # ten times as fast as a `Queue`, but without a limit
        self.setFormatter(JsonFormatter())
        self.count_dropped = count_dropped
        self.refused = 0  # lines for which there was no room

    def prepare(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        return self.format(record)

    def enqueue(self, line: object) -> None:
        """Add a line, which is a JSON object; drop it if the queue is full."""
        if self.queue.qsize() < MAX_QUEUED:  # type: ignore[attr-defined]  # it is a `SimpleQueue`
            self.queue.put_nowait(line)
        else:
            self.refused += 1
            self.count_dropped(1)


class LineWriter(QueueListener):
    """The thread that writes the lines of a queue to ``target``; ``name`` is for the warning, one for each outage."""

    def __init__(self, name: str, lines: LineQueue, target: LineTarget) -> None:
        super().__init__(lines.queue, target)
        self._name = name
        self._lines = lines
        self._target = target
        self._lost = 0  # lines that could not be written
        self._reported = 0  # dropped lines that a written line has reported

    def dequeue(self, block: bool) -> Any:
        """Return the lines that are queued and come soon, or the sentinel that ends the thread."""
        queue: SimpleQueue[str | None] = self.queue  # type: ignore[assignment]
        first = queue.get()
        if first is None:
            return None
        if queue.qsize() < _MOST_TOGETHER:
            sleep(_GATHER_S)
        lines = [first, *(queue.get() for _ in range(min(queue.qsize(), _MOST_TOGETHER - 1)))]
        if lines[-1] is None:  # the sentinel is the last in the queue
            queue.put(lines.pop())
        return lines

    def handle(self, lines: Any) -> None:
        """Write a list of lines, the first with the number of lines missing before it; count them if it fails."""
        dropped = self._lines.refused + self._lost
        if dropped > self._reported:
            lines[0] = f'{{"dropped": {dropped - self._reported}, {lines[0][1:]}'
        before, self._target.error = self._target.error, None
        if before is not None:
            lines[0] = "\n" + lines[0]  # the last line may be cut short
        self._target.handle(logging.makeLogRecord({"msg": "\n".join(lines)}))
        error = self._target.error
        if error is None:
            self._reported = dropped
            return
        self._lost += len(lines)
        self._lines.count_dropped(len(lines))
        if before is None:
            why = error.strerror if isinstance(error, OSError) else error
            _logger.warning("the %s can't be written (%s); lines are dropped until it can", self._name, why)

    def stop(self) -> None:
        """Write the queued lines, for at most one second."""
        stopping = Thread(target=super().stop, daemon=True)
        stopping.start()
        stopping.join(_STOP_S)
        if stopping.is_alive():  # a write hangs and holds its handler's lock, for which `logging.shutdown` would wait
            atexit.unregister(logging.shutdown)
        else:
            self._target.close()


class DecisionLog:
    """Bids with their requests, and results, of ``share`` (0..1) of all rounds.

    A record is logged if it has a `round_id`. A hash of it decides, so that all records of a round are kept or dropped
    together, in every process. `python -m studio check` joins them.
    """

    def __init__(self, share: float, write: Callable[[str], object]) -> None:
        self._write = write
        self._share = share

    def decided(self, request: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Log a bid if its ``request``, which has no faults, has a `round_id`."""
        if self.includes(request.get("round_id")):
            fields = {
                "format": FORMAT,
                "record": "decision",
                "time": datetime.now(UTC),
                "bid": answer["bid"],
                "policy": answer["policy"],
                "tables": answer["tables"],
                "request": request,
            }
            self._write(orjson.dumps(fields, option=_TIME).decode())

    def reported(self, result: Mapping[str, Any]) -> None:
        """Log a ``result``, as the contract reads it, if it has a `round_id`."""
        if self.includes(result.get("round_id")):
            fields = {"format": FORMAT, "record": "result", "time": datetime.now(UTC)}
            fields |= {name: value for name, value in result.items() if value is not None}
            self._write(orjson.dumps(fields, option=_TIME).decode())

    def includes(self, round_id: str | None) -> bool:
        """Return whether the records of the round are logged."""
        if round_id is None or self._share == 1.0:
            return round_id is not None
        digest = blake2b(round_id.encode(), digest_size=8, person=b"decision log").digest()
        return int.from_bytes(digest, "big") < self._share * 2.0**64


class Logs:
    """The access log and the decision log of an app: queues, and threads that write from `start` to `stop`.

    Raises `SettingsError` if the file of the decision log cannot be opened.
    """

    def __init__(
        self, settings: Settings, count_access: Callable[[int], object], count_decisions: Callable[[int], object]
    ) -> None:
        self._access = LineQueue(count_access)
        self._writers = [LineWriter("access log", self._access, StandardOutput())]
        self.decisions: DecisionLog | None = None
        if settings.decision_log is not None and settings.decision_log_share > 0.0:
            lines = LineQueue(count_decisions)
            self._writers.append(LineWriter("decision log", lines, _decision_target(settings, settings.decision_log)))
            self.decisions = DecisionLog(settings.decision_log_share, lines.enqueue)

    def start(self) -> None:
        """Begin to write."""
        ACCESS.addHandler(self._access)
        for writer in self._writers:
            writer.start()

    def stop(self) -> None:
        """Write the queued lines, and end."""
        ACCESS.removeHandler(self._access)
        for writer in self._writers:
            writer.stop()


def check_decision_log(settings: Settings) -> None:
    """Raise `SettingsError` if the folder of the decision log can't be written."""
    path = settings.decision_log
    if path is None or str(path) == "-":
        return
    try:
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise _unusable(path, error) from None


def _unusable(path: Path, error: OSError) -> SettingsError:
    accepted = "- for standard output, or a file that the service may write"
    why = os.strerror(error.errno or 0)
    return SettingsError(f"SPADES_DECISION_LOG is {str(path)!r}: {why}; accepted: {accepted}")


def _decision_target(settings: Settings, path: Path) -> LineTarget:
    if str(path) == "-":
        return StandardOutput()
    if multiprocessing.parent_process() is not None:  # one of several workers, which cannot rotate a common file
        path = path.with_stem(f"{path.stem}-{os.getpid()}")
    try:
        return RotatingFile(path, settings.decision_log_mib * _MIB, settings.decision_log_files)
    except OSError as error:
        raise _unusable(path, error) from None

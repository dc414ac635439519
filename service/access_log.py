"""The access log: one JSON object per line on standard output, for a share of the requests.

Errors are logged with `logging` on standard error instead. A line holds the route's template. It never holds the path,
the query, the body or a header that could hold a secret, so hands and keys are never logged. Every answer with status
500 is logged, whatever the share. `line_log` writes the lines.
"""

from collections.abc import Callable
from time import time
from typing import Any, NamedTuple

import orjson

from service.line_log import STANDARD_OUTPUT, LineLog, Sink, Stream


class Answered(NamedTuple):
    """One answered request. ``seconds``: from its arrival; ``key``: the API key's name; ``tables``: their version."""

    method: str
    route: str
    status: int
    seconds: float
    request_id: bytes
    traceparent: bytes | None
    key: str | None
    tables: str | None = None

    def line(self) -> bytes:
        """Return the request as a line of JSON, with the current time."""
        fields: dict[str, Any] = {
            "time": round(time(), 6),
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
        return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)


class AccessLog(LineLog):
    """The access log of one process: lines for ``share`` (0..1) of the requests on ``stream`` (standard output)."""

    def __init__(
        self, share: float, count_dropped: Callable[[int], object] = lambda _: None, stream: Stream | None = None
    ) -> None:
        super().__init__("access log", STANDARD_OUTPUT if stream is None else Sink(lambda: stream), count_dropped)
        self.share = share

    def write(self, answered: Answered) -> None:
        """Log one request. For one thread."""
        self.write_line(answered.line())

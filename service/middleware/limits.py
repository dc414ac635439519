"""The middleware of limits: overload (503), the form and size of a body (413, 415), and X-Deadline-Ms (400, 504).

A request is shed (refused before its body is read) when the event loop is too far behind its work, or when too many
requests are in progress. A late answer is useless, and shedding costs a fraction of an answer, so that the other
requests are answered in time. The middleware remembers no overload: a request is answered as soon as the event loop has
caught up. Health routes are never refused, so that a health check does not mistake a busy worker for a dead one.

A body is read by the endpoint. Its size is counted, and its deadline is checked, while its parts arrive.
"""

import math
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.middleware.deadlines import read_deadline, receive_in_time, send_in_time
from service.problems import ProblemError, overloaded, send_problem
from service.requests import AppState, RequestState
from service.routes import MAX_BATCH_BYTES, MAX_BODY_BYTES

MAX_LARGE_BODIES_BYTES = 24 * 1024 * 1024  # in all, for bodies that are too large for a single bid
_LIMIT_DIGITS = len(str(MAX_BODY_BYTES))  # a Content-Length with fewer digits is below every limit


class LimitsMiddleware:
    """The limits of one process."""

    def __init__(self, app: ASGIApp, state: AppState) -> None:
        self.app = app
        self.state = state
        self.large_bodies_bytes = 0  # received so far of the bodies in progress that are over `MAX_BODY_BYTES`
        self._longest_wait_s = state.settings.queue_ms / 1000.0 or math.inf
        self._max_in_flight = state.settings.max_in_flight
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request within the limits."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        self._in_flight += 1
        try:
            await self._answer(scope, receive, send)
        finally:
            self._in_flight -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request: RequestState = scope["state"]
        route = request["route"]
        if route is None or route.may_be_shed:
            waited_s = perf_counter() - request["arrived"]
            if waited_s > self._longest_wait_s or self._in_flight > self._max_in_flight:
                await send_problem(self.shed(), scope, receive, send)
                return
        if route is None or not route.max_body_bytes or scope["method"] != route.method:
            await self.app(scope, receive, send)
            return
        headers, deadline = request["headers"], math.inf
        try:
            _check_content(headers, route.max_body_bytes)
            if (milliseconds := headers.get(b"x-deadline-ms")) is not None:
                deadline = read_deadline(milliseconds, request["arrived"])
                self.state.check_deadline(deadline, perf_counter(), started=False)
        except ProblemError as problem:
            await send_problem(problem, scope, receive, send)
            return
        if deadline < math.inf:
            request["deadline"] = deadline
            send = send_in_time(deadline, scope, receive, send)
            receive = receive_in_time(deadline, receive, self.state)
        announced = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
        body = _Body(self, receive, route.max_body_bytes, announced)
        try:
            await self.app(scope, body.receive, send)
        finally:
            self.large_bodies_bytes -= body.counted_bytes

    def shed(self) -> ProblemError:
        """Count a request that is refused because of an overload, and return its 503."""
        self.state.metrics.shed("capacity")
        return overloaded()


class _Body:
    """Receives the parts of one body, at most ``most`` bytes."""

    __slots__ = ("_announced", "_limits", "_most", "_receive", "_size", "counted_bytes")

    def __init__(self, limits: LimitsMiddleware, receive: Receive, most: int, announced: bool) -> None:
        self._announced = announced  # the headers say that there is a body
        self.counted_bytes = 0  # of `LimitsMiddleware.large_bodies_bytes`
        self._limits = limits
        self._receive = receive
        self._most = most
        self._size = 0

    async def receive(self) -> Message:
        """Return the next message; raise `ProblemError` if the body is too large."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            if self._size > self._most:
                raise _too_large(self._most)
            if self._size > MAX_BODY_BYTES:
                self._count_large()
            if not self._size and self._announced and not message.get("more_body", False):
                detail = (
                    "the body did not arrive, as with httptools after `Upgrade`; accepted: HTTP/1.1 without Upgrade"
                )
                raise ProblemError("invalid-http", detail)
        return message

    def _count_large(self) -> None:
        limits, more = self._limits, self._size - self.counted_bytes
        if limits.large_bodies_bytes + more > MAX_LARGE_BODIES_BYTES:
            raise limits.shed()
        limits.large_bodies_bytes += more
        self.counted_bytes = self._size


def _check_content(headers: dict[bytes, bytes], most: int) -> None:
    """Refuse an unread body that is not plain JSON, or whose Content-Length is over ``most`` bytes."""
    length = headers.get(b"content-length")
    # `_Body` counts the bytes of a chunked body.
    if length is not None and len(length) >= _LIMIT_DIGITS:
        if not length.isdigit():  # real servers have refused it
            raise ProblemError("invalid-http", "Content-Length is not a number")
        if len(length) > 12 or int(length) > most:
            raise _too_large(most, close=len(length) > 12 or int(length) > MAX_BATCH_BYTES)
    kind = headers.get(b"content-type")
    if kind is not None and kind != b"application/json":
        if any(part.lstrip()[:10].lower() == b"multipart/" for part in kind.split(b",")):
            raise ProblemError("unsupported-media-type", "the body is multipart; accepted: plain JSON")
    coding = headers.get(b"content-encoding")
    if coding is not None and coding.strip().lower() not in (b"identity", b""):
        detail = "the body has a Content-Encoding; accepted: JSON without one"
        raise ProblemError("unsupported-media-type", detail, headers=[("accept-encoding", "identity")])


def _too_large(most: int, close: bool = False) -> ProblemError:
    """Return the 413. ``close``: close the connection, because the server would read the whole body otherwise."""
    detail = f"the body is too large; accepted: at most {most} bytes"
    return ProblemError("body-too-large", detail, headers=[("connection", "close")] if close else [])

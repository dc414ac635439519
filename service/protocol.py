"""The protocol: uvicorn's HTTP/1.1 connection with limits of its own, and a short way for single bids.

Not the server (`server.py`) nor the app. What uvicorn's protocol leaves open is closed here:

- A request's head, and then its body, must come within `SPADES_READ_S`, a connection that idles is closed after
  `SPADES_IDLE_S`, a head may have `MAX_HEAD_BYTES`, and connections are counted. The server asks `sweep` once a second;
  there is no timer a request.
- What is refused here (not HTTP, 408, 431, too many connections) is told as a problem, like everything else.
- Each request carries the time at which its bytes were in hand: the wait for its turn is known (`gate.py`).
- A POST to /bid is answered in the very call that reads the end of it, by the same code that answers it otherwise, but
  without an ASGI task and its messages (docs/adr/0010-short-way.md). Everything unusual goes uvicorn's way.
"""

import asyncio
from time import perf_counter
from typing import Any

import httptools
import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from service.api.body import MAX_BODY_BYTES
from service.app import SINGLE, Service
from service.metrics import OTHER_ROUTE, Metrics
from service.problems import MEDIA_TYPE, ProblemError

MAX_HEAD_BYTES = 32 * 1024
_LENGTH_DIGITS = 6
_UNUSUAL = frozenset((b"transfer-encoding", b"content-encoding", b"x-deadline-ms"))
_LINGER_S = 0.25  # for a request on its way when the server stops
_SHORT = {path.encode(): path for path in SINGLE}
_IDLE, _HEAD, _BODY, _ANSWERING = "idle", "head", "body", "answering"


class Turn:
    """A turn of the event loop: the time (`perf_counter`, s) at which its first bytes were read, 0 between turns.

    Everything that is read in one turn was there when it began, so what comes last has waited since then.
    """

    __slots__ = ("start",)

    def __init__(self) -> None:
        self.start = 0.0

    def end(self) -> None:
        """Called by the loop when all reads of the turn are done."""
        self.start = 0.0


_TURN = Turn()  # of this process's event loop


class Protocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        assert isinstance(self.app, Service), "this protocol serves create_app() alone"
        self._service: Service = self.app
        self._phase = _IDLE
        self._since = perf_counter()  # when the phase began, s
        self._fresh = True  # nothing was ever asked
        self._arrived = 0.0  # s
        self._head_bytes = 0
        self._short = ""  # the path of a request on the short way
        self._short_body = b""

    # ---- asyncio.Protocol ----

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count it; close it at once when there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self._service.settings.max_connections:
            self._metrics.shed["capacity"].inc()
            self._refuse(ProblemError("overloaded", "too many connections", headers=[("retry-after", "1")]))

    def connection_lost(self, exc: Exception | None) -> None:
        """Count a request that the caller has left."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read; answer what came whole."""
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
        arrived = _TURN.start
        if not arrived:
            arrived = _TURN.start = perf_counter()
            self.loop.call_soon(_TURN.end)
        self._arrived = arrived
        self._head_bytes += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # there is no other protocol here: the request is answered as HTTP
        except httptools.HttpParserError:
            self._take_long_way()
            if not self.transport.is_closing():
                self._refuse(ProblemError("invalid-http", "the request can't be read as HTTP/1.1"))
            return
        if self._short:
            if self._must_not_wait():
                self._take_long_way()
        elif self._phase is _HEAD and self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(ProblemError("headers-too-large", f"the headers are over {MAX_HEAD_BYTES} bytes"))

    # ---- httptools ----

    def on_message_begin(self) -> None:
        """The first bytes of a request."""
        self.url = b""
        self.headers = []
        self.expect_100_continue = False
        self._fresh = False
        self._phase = _HEAD
        self._since = self._arrived

    def on_headers_complete(self) -> None:
        """Choose the way."""
        self._phase = _BODY
        self._since = self._arrived
        path = _SHORT.get(self.url)
        if (
            path is not None
            and (self.cycle is None or self.cycle.response_complete)  # type: ignore[redundant-expr]
            and not self.pipeline
            and not self.expect_100_continue
            and not self.flow.write_paused
            and self.parser.get_method() == b"POST"
            and self.parser.get_http_version() == "1.1"
            and not self.parser.should_upgrade()
        ):
            self._short = path
            self._short_body = b""
        else:
            self._start()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        if self._short:
            self._short_body = self._short_body + body if self._short_body else body
        elif self.cycle is not None:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there."""
        self._head_bytes = 0
        if self._short:
            self._answer_now()
        else:
            self._phase = _ANSWERING
            super().on_message_complete()
            if self.cycle.response_complete:
                self._rest()

    def on_response_complete(self) -> None:
        """The answer is out; what is left of the request may still come."""
        super().on_response_complete()
        if self._phase is _ANSWERING:
            self._rest()

    # ---- the two ways ----

    def _answer_now(self) -> None:
        """The short way."""
        path, self._short = self._short, ""
        self._rest()
        transport = self.transport
        if transport.is_closing():
            return
        status, headers, body = self._service.reply(path, self.headers, self._short_body, self._arrived)
        keep_alive = self.parser.should_keep_alive()
        content = [STATUS_LINE[status]]
        for name, value in self.server_state.default_headers:
            content += (name, b": ", value, b"\r\n")
        for name, value in headers:
            content += (name, b": ", value, b"\r\n")
            if name == b"connection" and value == b"close":
                keep_alive = False
        if not keep_alive and (b"connection", b"close") not in headers:
            content.append(b"connection: close\r\n")
        content += (b"content-length: %d\r\n\r\n" % len(body), body)
        transport.write(b"".join(content))
        self.server_state.total_requests += 1
        if not keep_alive:
            transport.close()

    def _must_not_wait(self) -> bool:
        """Whether what is left of a body can't be waited for here.

        So it is where its size isn't told or too large, where it has a deadline, and where it may be refused unread: an
        API key is wanted, or it comes in a form. Many callers send a head and its body in two writes and two reads.
        """
        if self._service.gate.keys is not None:
            return True
        length = b""
        for name, value in self.headers:
            if name == b"content-length":
                length = value
            elif name in _UNUSUAL or (name == b"content-type" and value != b"application/json"):
                return True
        return not length or len(length) > _LENGTH_DIGITS or int(length) > MAX_BODY_BYTES

    def _stop_waiting(self) -> None:
        """Something else than the rest of a body has come: let the long way deal with it."""
        if self._short:
            self._arrived = perf_counter()  # it has not waited for us, but we for it
            self._take_long_way()

    def _take_long_way(self) -> None:
        """Give uvicorn's protocol what has come of a request on the short way, as if it came now."""
        if not self._short:
            return
        self._short = ""
        body = self._short_body
        self._start()
        if body:
            super().on_body(body)

    def _start(self) -> None:
        """Uvicorn's way, from the headers on."""
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.headers, self.expect_100_continue = url, headers, expects
        scope: Any = self.scope
        scope["headers"] = headers
        scope["arrived"] = self._arrived
        super().on_headers_complete()

    # ---- limits ----

    def sweep(self, now: float) -> None:
        """Close the connection when its phase has lasted too long; ``now`` is `perf_counter`'s."""
        settings = self._service.settings
        phase = self._phase
        if phase is _ANSWERING:
            return
        limit = settings.idle_s if phase is _IDLE and not self._fresh else settings.read_s
        if now - self._since <= limit or self.transport.is_closing():
            return
        self._stop_waiting()
        self._metrics.timeouts[phase].inc()
        if phase is _IDLE or (phase is _BODY and self.cycle.response_started):
            self.transport.close()
        else:
            scope: Any = self.scope
            if phase is _BODY:
                scope["timed_out"] = True
            what = "headers" if phase is _HEAD else "body"
            self._refuse(ProblemError("request-timeout", f"the {what} did not come within {limit:g} s"))

    def shutdown(self) -> None:
        """The server stops: close after the answer; if there is nothing to answer, after what may be on its way."""
        self._stop_waiting()
        if self._phase is _IDLE and not self.transport.is_closing():
            self.loop.call_later(_LINGER_S, self._close_idle)
        else:
            super().shutdown()

    def _close_idle(self) -> None:
        self._stop_waiting()
        if self._phase is _IDLE:
            self.transport.close()
        else:
            super().shutdown()

    def _rest(self) -> None:
        self._phase = _IDLE
        self._since = self._arrived

    def _refuse(self, problem: ProblemError) -> None:
        """Answer with ``problem`` and close; counted here where the app does not see the request end."""
        if self._phase is not _BODY:
            self._metrics.answered(OTHER_ROUTE, problem.status, perf_counter() - self._since)
        body = orjson.dumps(problem.body())
        content = [STATUS_LINE[problem.status], b"content-type: %b\r\n" % MEDIA_TYPE.encode()]
        content += [f"{name}: {value}\r\n".encode() for name, value in problem.headers]
        content += [b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body), body]
        self.transport.write(b"".join(content))
        self.transport.close()

    @property
    def _metrics(self) -> Metrics:
        return self._service.state.metrics

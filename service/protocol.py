"""The protocol: one HTTP/1.1 connection on the parser of httptools, with limits and a fast path for single bids.

The rules of a connection:

- **One request at a time.** Each piece of input that is parsed contains the end of at most one request. The rest of the
  input stays unread, or in memory (one read, at most 64 KiB), until the answer is written and the peer reads it.
- **Turns.** A connection with more requests in memory than it can answer in `TURN_S` joins a queue. In each turn of the
  event loop, one connection of the queue continues. Peers that wait for each answer are never queued.
- **Time.** A request's head, and then its body, must come within `SPADES_READ_S`. A connection without a request is
  closed after `SPADES_IDLE_S`. A connection whose peer reads no byte of its answer is closed after `SPADES_WRITE_S`.
  The server calls `Edge.sweep` once a second; no request has its own timer.
- **Size.** A head has at most `MAX_HEAD_BYTES` and `MAX_HEADER_FIELDS`; trailer fields and chunk extensions have the
  same limit and are ignored. `MAX_UNSENT_BYTES` limits the unsent answers of all connections together.
- **No second protocol.** `Upgrade` is ignored: the request is answered as HTTP/1.1.
- **Errors.** A request that is refused here is answered with a problem, and the connection is closed.

`request_head.py` checks heads, and `output.py` writes answers. The order in which bytes are parsed, kept, answered and
refused is one state machine, and therefore one class.

The short way: a POST to /bid is answered in the call that reads its end, without an ASGI task
(docs/adr/0010-short-way.md). The long way: all other requests get a task and an `Exchange`.
"""

import asyncio
import logging
import socket
from time import perf_counter
from typing import Any

import httptools
from uvicorn.server import ServerState

from service.asgi import CLOSE, Fields, Headers, join_headers
from service.edge import TURN_S, Edge
from service.exchange import Exchange, http_scope
from service.metrics import OTHER_ROUTE
from service.output import Output
from service.problems import ProblemError, internal_error, written
from service.request_head import (
    LONG_HEAD_BYTES,
    MAX_HEAD_BYTES,
    MAX_HEADER_FIELDS,
    body_bytes,
    check_host,
    has_short_body,
    head_bytes,
    without_upgrade,
)

# Sizes of the kernel's buffers for one connection; the kernel doubles them. Without these sizes it uses up to 6 MiB in
# each direction, which counts towards a container's memory limit. The receive buffer also limits the size of one read.
RECEIVE_BUFFER_BYTES = 32 * 1024
SEND_BUFFER_BYTES = 64 * 1024
_LINE_END = b"\r\n"
_HEAD_END = b"\r\n\r\n"
# Bytes of a chunk besides its data: five, and one more for each further hexadecimal digit of its size.
_CHUNK_BYTES, _CHUNK_SHARE = 5, 16
_LINGER_S = 0.25  # for a request that is on its way when the server stops
_REFUSED_S = 1.0  # for a peer to read the last answer of a connection
_MAX_DROPPED_BYTES = 256 * 1024
_IDLE, _HEAD, _BODY, _REFUSED = "idle", "head", "body", "refused"
_logger = logging.getLogger("service")


class Connection(asyncio.Protocol):
    """One connection. ``server_state`` belongs to uvicorn: connections, tasks and the Date header."""

    parser: Any  # httptools.HttpRequestParser; None once the connection is lost
    transport: asyncio.Transport
    output: Output

    def __init__(self, edge: Edge, server_state: ServerState) -> None:
        self.loop = asyncio.get_running_loop()
        self.parser = httptools.HttpRequestParser(self)
        self._edge = edge
        self._state = server_state
        self._phase = _IDLE
        self._since = perf_counter()  # when the phase began, s
        self._arrived = self._since  # when the bytes that are parsed now arrived, s
        self._fresh = True  # no request has begun yet
        self._ended = False  # the peer has ended its side
        self._stopping = False  # the server stops
        # what was read
        self._rest = b""  # not parsed yet
        self._paused = False
        self._queued = False  # in the edge's queue
        self._framing = 0  # bytes of the request's head, trailer and chunk extensions
        # the request that is being read
        self._split = False  # its head has come in several pieces
        self._trailers = False
        self._keep_alive = True
        self._url = b""
        self._headers: Headers = []
        self._left = 0  # bytes of a body with Content-Length that are still to come
        self._fields: Fields = {}
        self._short = ""  # the path of a request on the short way
        self._body = b""
        self._refusal: ProblemError | None = None  # to send after the answer in progress
        # the request on the long way that is read or answered
        self._exchange: Exchange | None = None
        # what is written
        self._write_paused = False

    # ---- asyncio.Protocol ----

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection; refuse it if there are too many."""
        self.transport = transport  # type: ignore[assignment]  # uvloop's is no subclass
        self.output = Output(self.transport, self._since)
        self.transport.set_write_buffer_limits(high=0)  # a connection with unsent bytes is then in `Edge.slow`
        peer = transport.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        connections: Any = self._state.connections
        connections.add(self)
        if len(connections) > self._edge.settings.max_connections:
            self._edge.metrics.shed["capacity"].inc()
            self._stopping = True  # close at once
            self._refuse(
                ProblemError("overloaded", "too many connections; retry later", headers=[("retry-after", "1")])
            )

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel a request in progress, because its caller has gone; count a request on the short way."""
        self._take_long_way()
        connections: Any = self._state.connections
        connections.discard(self)
        self._edge.slow.discard(self)
        if self._exchange is not None:
            self._exchange.disconnect()
        self._rest = b""
        self._phase = _REFUSED
        self.parser = None  # the parser refers to this object

    def eof_received(self) -> bool:
        """Answer the requests that the peer sent before it ended its side; return True: we close the connection."""
        self._ended = True
        if self._rest or (self._exchange is not None and self._exchange.read):
            return True
        self._take_long_way()
        if self._exchange is not None:
            self._exchange.disconnect()
        self._end()
        return True

    def data_received(self, data: bytes) -> None:
        """Answer the requests that have arrived completely."""
        if self._phase is _REFUSED or self._refusal is not None:
            self._drop(len(data))
            return
        self._arrived = arrived = self._edge.turn()
        if self._rest:
            self._rest += data
        else:
            self._parse(data, arrived + TURN_S)

    def pause_writing(self) -> None:
        """Stop parsing: the peer reads its answers more slowly than they are written."""
        self._write_paused = True
        self._edge.slow.add(self)
        self._edge.bound_unsent()

    def resume_writing(self) -> None:
        """Continue parsing: the peer has read most of its answers."""
        self._write_paused = False
        self._edge.slow.discard(self)
        self._go_on()

    # ---- reading ----

    def work(self, until: float) -> None:
        """Parse the bytes in memory: one request, then more until the time ``until`` (`perf_counter`, s)."""
        self._queued = False
        rest, self._rest = self._rest, b""
        if rest:
            self._parse(rest, until)

    def _parse(self, data: bytes, until: float) -> None:
        """Parse ``data`` and answer its requests until the time ``until``; keep the remaining bytes in ``_rest``."""
        at, size = 0, len(data)
        while not ((self._exchange or self._write_paused or self._phase is _REFUSED) and self._must_wait()):
            # The next piece contains the end of at most one request: a head, a chunked body and a trailer end with an
            # empty line, and after the last empty line come only a body and the beginning of another head.
            end = size
            if self._left:
                end = min(size, at + self._left)
            elif data[at] in _LINE_END:
                end = _after_line_ends(data, at)  # the empty line may have begun in the last read
            elif (found := data.find(_HEAD_END, at)) >= 0 and (
                self._phase is _BODY or data.find(_HEAD_END, found + 4) >= 0
            ):
                end = found + 4
            at += self._feed(data if end - at == size else data[at:end])
            if at == size:
                break
            if perf_counter() > until:
                self._queued = True
                self._edge.later(self)
                break
        if at < size and self._phase is not _REFUSED:
            self._rest = data[at:]
        # An unfinished body moves to the long way, unless it is short and can't be refused for its API key.
        if self._short and (self._edge.keyed or not has_short_body(self._fields)):
            self._take_long_way()
        if self._rest or self._paused:
            self._pause_or_resume()
        elif self._ended:
            self._close_if_done()

    def _must_wait(self) -> bool:
        """Return whether parsing must stop: a request is being answered, or the peer does not read its answers."""
        if self._write_paused or self._phase is _REFUSED:
            return True
        exchange = self._exchange
        return exchange is not None and (exchange.read or exchange.holds_too_much)

    def _feed(self, piece: bytes) -> int:
        """Parse ``piece`` and act on it; return the number of bytes used."""
        self._framing += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade as upgrade:
            self._read_without_upgrade()
            return int(upgrade.args[0])
        except httptools.HttpParserCallbackError:
            _logger.exception("bug in the HTTP protocol code")
            self._refuse(internal_error())
        except httptools.HttpParserError:
            self._refuse(ProblemError("invalid-http", "the request is not valid HTTP/1.1"))
        if self._trailers and self._phase is _IDLE:
            self._trailers = False
            self.parser = httptools.HttpRequestParser(self)  # the old one has used the trailer's `Connection`
        if self._framing > MAX_HEAD_BYTES:
            self._refuse_size("trailer fields or chunk extensions" if self._phase is _BODY else "headers")
        elif self._phase is _HEAD:
            self._split = True
            if len(self._headers) > MAX_HEADER_FIELDS:
                self._refuse_fields()
        return len(piece)

    def _read_without_upgrade(self) -> None:
        """Parse the head again, without its `Upgrade` header."""
        if self.parser.get_method() == b"CONNECT":
            self._refuse(ProblemError("method-not-allowed", "CONNECT is not supported", headers=[("allow", "")]))
            return
        method, version = self.parser.get_method(), self.parser.get_http_version()
        head = without_upgrade(method, self._url, version, self._headers)
        self._phase = _IDLE
        self._framing = 0
        self.parser = httptools.HttpRequestParser(self)
        self._feed(head)

    def _pause_or_resume(self) -> None:
        """Pause reading while unparsed bytes are in memory; resume it after that."""
        if self.transport.is_closing():
            return
        if self._rest and not self._paused:
            self._paused = True
            self.transport.pause_reading()
        elif self._paused and not self._rest:
            self._paused = False
            self.transport.resume_reading()

    def _go_on(self) -> None:
        """Continue in a later turn, after an answer was written or read by the peer."""
        if self._refusal is not None and self._exchange is None:
            problem, self._refusal = self._refusal, None
            self._refuse(problem)
        elif self._rest:
            if not self._queued:
                self._queued = True
                self._edge.later(self)
        elif self._ended:
            self._close_if_done()

    def _close_if_done(self) -> None:
        """Close the connection, whose peer has ended its side, unless a request is being answered."""
        exchange = self._exchange
        if exchange is None or not exchange.read:
            if exchange is not None:
                exchange.disconnect()
            self._end()

    # ---- httptools ----

    def on_message_begin(self) -> None:
        """Start a request: its first byte has arrived."""
        if self._phase is _REFUSED:
            return
        self._phase = _HEAD
        self._since = self._arrived
        self._fresh = False
        self._split = self._trailers = False
        self._url = b""
        self._headers = []

    def on_url(self, url: bytes) -> None:
        """Add a piece of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header field; ignore a trailer field."""
        if self._phase is _HEAD:
            self._headers.append((name.lower(), value))
        else:
            self._trailers = True

    def on_headers_complete(self) -> None:
        """Check the complete head, and choose the short or the long way."""
        parser, headers = self.parser, self._headers
        if self._phase is not _HEAD or parser.should_upgrade():
            return
        self._phase = _BODY
        self._since = self._arrived
        if (self._split or self._framing > LONG_HEAD_BYTES) and head_bytes(self._url, headers) > MAX_HEAD_BYTES:
            self._refuse_size("headers")
            return
        if len(headers) > MAX_HEADER_FIELDS:
            self._refuse_fields()
            return
        self._fields = fields = join_headers(headers)
        host = fields.get(b"host")
        if host != self._edge.host or host is None:  # most callers always send the same host
            try:
                check_host(host, parser.get_http_version())
            except ProblemError as problem:
                self._refuse(problem)
                return
            self._edge.host = host
        self._left = body_bytes(fields)
        # After HTTP/1.0 the connection is always closed.
        self._keep_alive = parser.should_keep_alive() and (
            b"connection" not in fields or parser.get_http_version() != "1.0"
        )
        path = self._edge.short_paths.get(self._url)
        if path is not None and self._exchange is None and b"expect" not in fields and parser.get_method() == b"POST":
            self._short = path
        else:
            self._start()

    def on_chunk_header(self) -> None:
        """Do not count the size line of a chunk as framing."""
        self._framing -= _CHUNK_BYTES

    def on_body(self, body: bytes) -> None:
        """Add a piece of the body."""
        self._framing -= len(body) + len(body) // _CHUNK_SHARE
        if self._left:
            self._left -= len(body)
        if self._short:
            self._body = self._body + body if self._body else body
        elif self._exchange is not None and self._phase is _BODY:
            self._exchange.feed(body)

    def on_message_complete(self) -> None:
        """Answer the complete request."""
        if self._phase is not _BODY:
            return
        if self._framing > MAX_HEAD_BYTES and b"transfer-encoding" in self._fields:
            self._refuse_size("trailer fields or chunk extensions")
            return
        self._framing = 0
        self._phase = _IDLE
        self._since = self._arrived
        if self._short:
            self._answer_now()
        elif self._exchange is not None:
            self._exchange.end_of_request()
            self._drop_exchange()

    # ---- the two ways ----

    def _answer_now(self) -> None:
        """Answer a request on the short way."""
        path, self._short = self._short, ""
        body, self._body = self._body, b""
        assert self._edge.short_way is not None
        status, headers, answer = self._edge.short_way(path, self._fields, body, self._arrived)
        self.answer(status, headers, answer, self._keep_alive)

    def _take_long_way(self) -> None:
        """Move a request from the short to the long way, when anything but the rest of its body arrives."""
        if not self._short:
            return
        self._short = ""
        self._arrived = perf_counter()  # the peer caused the delay until now
        self._start()
        if self._exchange is not None and self._body:
            self._exchange.feed(self._body)
            self._body = b""

    def _start(self) -> None:
        """Start the long way: an ASGI task."""
        parser = self.parser
        method = parser.get_method().decode("ascii")
        try:
            scope = http_scope(method, self._url, parser.get_http_version(), self._headers, self.transport, {})
        except ValueError:
            self._refuse(ProblemError("invalid-http", "the request's target is not a valid URL"))
            return
        scope["arrived"] = self._arrived
        expects_continue = b"100-continue" in self._fields.get(b"expect", b"").lower()
        self._exchange = Exchange(self, scope, self._keep_alive, expects_continue)
        task = self.loop.create_task(self._exchange.run(self._edge.app))
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def body_taken(self) -> None:
        """Continue reading: the app has taken the part of the body that was read."""
        if self._rest:
            self._go_on()

    def exchange_ended(self) -> None:
        """Continue with the next request: the app has returned."""
        self._drop_exchange()
        if self.parser is not None:
            self._go_on()

    def _drop_exchange(self) -> None:
        """Drop a request that is read and answered, so that the next one can start."""
        exchange = self._exchange
        if exchange is not None and exchange.read and (exchange.answered or exchange.disconnected):
            self._exchange = None

    # ---- writing ----

    def write(self, data: bytes) -> None:
        """Send bytes to the peer."""
        self.output.write(data)

    def answer(self, status: int, headers: Headers, body: bytes, keep_alive: bool, length: int | None = None) -> None:
        """Write an answer; close if it or its request says so. ``length``: Content-Length (None: the body's size)."""
        if self._phase is _REFUSED:
            return
        asked_to = CLOSE in headers
        closing = asked_to or not keep_alive or self._stopping
        headers = [*self._state.default_headers, *headers]
        self.output.answer(status, headers, body, length, closing and not asked_to)
        self._state.total_requests += 1
        if closing:
            self._close()

    def _refuse_fields(self) -> None:
        found = f"{len(self._headers)} header fields; accepted: at most {MAX_HEADER_FIELDS}"
        self._refuse(ProblemError("headers-too-large", found))

    def _refuse_size(self, what: str) -> None:
        self._refuse(ProblemError("headers-too-large", f"the {what} are too large; accepted: {MAX_HEAD_BYTES} bytes"))

    def _refuse(self, problem: ProblemError) -> None:
        """Answer with ``problem`` and close; count the answer here if the app does not see the request's end."""
        exchange = self._exchange
        if self._phase is _REFUSED or self._refusal is not None:
            return
        if exchange is not None and exchange.read and not exchange.answered:
            self._refusal = problem  # sent after the answer in progress
            return
        self._short = ""
        self._left = 0
        if exchange is None or not exchange.answered:
            if exchange is None:
                self._edge.metrics.answered(OTHER_ROUTE, problem.status, perf_counter() - self._since)
            else:
                exchange.disconnect(problem.status)
            self.answer(*written(problem), keep_alive=False)
        else:
            self._close()

    def _close(self) -> None:
        """Close the connection after the written bytes are sent.

        Closing at once while the peer still sends would reset the connection, and the peer might lose the answer. So
        first only our side is closed. What the peer sends is read and dropped, until it closes or `sweep` does.
        """
        self._phase = _REFUSED
        self._since = perf_counter()
        self._framing = 0
        self._rest = b""
        if self._stopping:
            self.transport.close()
        else:
            self.transport.write_eof()
            self._pause_or_resume()

    def _end(self) -> None:
        """Close; if an answer is unsent, wait for the peer to read it, within the usual limit."""
        if self.output.waits:
            self._close()
        else:
            self._phase = _REFUSED
            self.transport.close()

    def _drop(self, nbytes: int) -> None:
        """Drop bytes that arrive after the last answer; stop reading when there are too many."""
        self._framing += nbytes
        if self._framing > _MAX_DROPPED_BYTES and not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def give_up(self) -> None:
        """Close at once; unsent bytes are lost."""
        self._phase = _REFUSED
        self._edge.slow.discard(self)
        self.output.reset()

    # ---- limits ----

    def sweep(self, now: float) -> None:
        """Close the connection if its phase has lasted too long; ``now`` is a `perf_counter` time, s."""
        settings, phase = self._edge.settings, self._phase
        stuck_s = self.output.stuck_s(now)
        if self.output.waits:
            if stuck_s > settings.write_s:
                self._edge.metrics.timeouts["write"].inc()
                self.give_up()
            return
        if self.transport.is_closing():
            return
        if phase is _REFUSED:
            if now - self._since > _REFUSED_S:
                self.transport.close()
            return
        exchange = self._exchange
        if self._rest or (exchange is not None and exchange.read):
            return  # it is our turn, not the peer's
        limit = settings.idle_s if phase is _IDLE and not self._fresh else settings.read_s
        if now - self._since <= limit:
            return
        self._edge.metrics.timeouts[phase].inc()
        if phase is _IDLE:
            self.transport.close()
            return
        self._take_long_way()
        if self._exchange is not None:
            self._exchange.disconnect(408)
        what = "headers" if phase is _HEAD else "body"
        self._refuse(ProblemError("request-timeout", f"the {what} took too long; accepted: {limit:g} s"))

    def shutdown(self) -> None:
        """Stop: close after the answer in progress, or else after a short wait for a request that is on its way."""
        if self._phase is _REFUSED:
            self.transport.close()
            return
        self._take_long_way()
        self._stopping = True
        if self._exchange is not None and not self._exchange.answered:
            self._exchange.keep_alive = False
        elif not self._rest:
            self.loop.call_later(_LINGER_S, self._close_idle)

    def _close_idle(self) -> None:
        self._take_long_way()
        if self._exchange is None or self._exchange.answered:
            self.transport.close()


def _after_line_ends(data: bytes, at: int) -> int:
    """Return the index after the line ends that begin at ``at`` in ``data``; at most ``at`` + 3."""
    end = at + 1
    while end < min(len(data), at + 3) and data[end] in _LINE_END:
        end += 1
    return end

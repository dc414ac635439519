"""The protocol: one HTTP/1.1 connection on httptools' parser, with limits of its own and a short way for single bids.

Not the server (`server.py`) nor the app (`app.py`). The rules of a connection:

- **One request at a time.** Each piece of input that is parsed contains the end of at most one request. The rest of the
  input stays unread, or in memory (one read, 64 KiB at most), until the answer is written and the peer takes it.
- **Turns.** A connection with more requests in memory than it can answer in `TURN_S` joins a queue. In each turn of the
  event loop one connection of the queue continues. Peers that wait for each answer are never queued.
- **Time.** A request's head, and then its body, must come within `SPADES_READ_S`. A connection without a request is
  closed after `SPADES_IDLE_S`, and one whose peer takes no byte of its answer after `SPADES_WRITE_S`. The server calls
  `Edge.sweep` once a second; no request has a timer.
- **Size.** A head has at most `MAX_HEAD_BYTES` and `MAX_HEADER_FIELDS`; trailer fields and chunk extensions have the
  same limit and are ignored. Unsent answers of all connections together are bounded by `MAX_UNSENT_BYTES`.
- **No second protocol.** `Upgrade` is ignored: the request is answered as HTTP/1.1.
- What is refused here is answered with a problem, as everywhere else, and the connection is closed.

Checks of a head are in `request_head.py`, writing in `output.py`. The order in which bytes are parsed, kept, answered
and refused is one state machine, and stays in one class.

A POST to /bid is answered in the call that reads its end, without an ASGI task (docs/adr/0010-short-way.md). All other
requests get a task and an `Exchange`.
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

# The kernel's buffers of a connection, which it doubles. Left alone it takes up to 6 MiB each way, and a container's
# memory limit counts that. The first one bounds what is read at once.
RECEIVE_BUFFER_BYTES = 32 * 1024
SEND_BUFFER_BYTES = 64 * 1024
_LINE_END = b"\r\n"
_HEAD_END = b"\r\n\r\n"
# What a chunk takes beside its data: five bytes, and one more for each further hexadecimal digit of its size.
_CHUNK_BYTES, _CHUNK_SHARE = 5, 16
_LINGER_S = 0.25  # for a request on its way when the server stops
_REFUSED_S = 1.0  # for a peer to read the last answer of a connection
_MAX_DROPPED_BYTES = 256 * 1024
_IDLE, _HEAD, _BODY, _REFUSED = "idle", "head", "body", "refused"
_logger = logging.getLogger("service")


class Connection(asyncio.Protocol):
    """One connection. ``server_state`` is uvicorn's: its connections, its tasks and the Date header."""

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
        self._fresh = True  # no request has come
        self._ended = False  # the peer sends no more
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
        self._left = 0  # bytes of a body with Content-Length that were not read yet
        self._fields: Fields = {}
        self._short = ""  # the path of a request on the short way
        self._body = b""
        self._refusal: ProblemError | None = None  # to be sent after the answer that is due
        # the request on the long way that is read or answered
        self._exchange: Exchange | None = None
        # what is written
        self._write_paused = False

    # ---- asyncio.Protocol ----

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count it; refuse it when there are too many."""
        self.transport = transport  # type: ignore[assignment]  # uvloop's is no subclass
        self.output = Output(self.transport, self._since)
        self.transport.set_write_buffer_limits(high=0)  # so that each one whose answer waits is in `Edge.slow`
        peer = transport.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        connections: Any = self._state.connections
        connections.add(self)
        if len(connections) > self._edge.settings.max_connections:
            self._edge.metrics.shed["capacity"].inc()
            self._stopping = True  # close at once
            self._refuse(ProblemError("overloaded", "too many connections", headers=[("retry-after", "1")]))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell a request under way that nobody waits for its answer; count one on the short way."""
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
        """The peer has ended its side: answer the requests that it has sent. Returns that we close the connection."""
        self._ended = True
        if self._rest or (self._exchange is not None and self._exchange.read):
            return True
        self._take_long_way()
        if self._exchange is not None:
            self._exchange.disconnect()
        self._end()
        return True

    def data_received(self, data: bytes) -> None:
        """Answer what has come whole."""
        if self._phase is _REFUSED or self._refusal is not None:
            self._drop(len(data))
            return
        self._arrived = arrived = self._edge.turn()
        if self._rest:
            self._rest += data
        else:
            self._parse(data, arrived + TURN_S)

    def pause_writing(self) -> None:
        """The peer does not take its answers as fast as they are written."""
        self._write_paused = True
        self._edge.slow.add(self)
        self._edge.bound_unsent()

    def resume_writing(self) -> None:
        """The peer has taken most of what was written."""
        self._write_paused = False
        self._edge.slow.discard(self)
        self._go_on()

    # ---- reading ----

    def work(self, until: float) -> None:
        """Continue with the bytes in memory: one request, then more until the time ``until`` (`perf_counter`, s)."""
        self._queued = False
        rest, self._rest = self._rest, b""
        if rest:
            self._parse(rest, until)

    def _parse(self, data: bytes, until: float) -> None:
        """Parse ``data`` and answer its requests until the time ``until``; keep the rest in ``_rest``."""
        at, size = 0, len(data)
        while not ((self._exchange or self._write_paused or self._phase is _REFUSED) and self._must_wait()):
            # The next piece contains the end of at most one request: a head, a chunked body and a trailer end with an
            # empty line, and after the last empty line come only a body and the beginning of another head.
            end = size
            if self._left:
                end = min(size, at + self._left)
            elif data[at] in _LINE_END:
                end = _after_line_ends(data, at)  # the empty line may have begun in the read before
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
        # The rest of a body is read on the long way unless it is sure to come soon and be taken.
        if self._short and (self._edge.keyed or not has_short_body(self._fields)):
            self._take_long_way()
        if self._rest or self._paused:
            self._pause_or_resume()
        elif self._ended:
            self._close_if_done()

    def _must_wait(self) -> bool:
        """Whether parsing must stop: a request is being answered, or the peer does not take its answers."""
        if self._write_paused or self._phase is _REFUSED:
            return True
        exchange = self._exchange
        return exchange is not None and (exchange.read or exchange.holds_too_much)

    def _feed(self, piece: bytes) -> int:
        """Parse ``piece`` and do what follows from it; return how many bytes of it were used."""
        self._framing += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade as upgrade:
            self._read_without_upgrade()
            return int(upgrade.args[0])
        except httptools.HttpParserCallbackError:
            _logger.exception("a bug in the protocol")
            self._refuse(internal_error())
        except httptools.HttpParserError:
            self._refuse(ProblemError("invalid-http", "the request can't be read as HTTP/1.1"))
        if self._trailers and self._phase is _IDLE:
            self._trailers = False
            self.parser = httptools.HttpRequestParser(self)  # the old one has read `Connection` in the trailer
        if self._framing > MAX_HEAD_BYTES:
            self._refuse_size("trailer fields or chunk extensions" if self._phase is _BODY else "headers")
        elif self._phase is _HEAD:
            self._split = True
            if len(self._headers) > MAX_HEADER_FIELDS:
                self._refuse_fields()
        return len(piece)

    def _read_without_upgrade(self) -> None:
        """Parse the head again without its `Upgrade` header."""
        if self.parser.get_method() == b"CONNECT":
            self._refuse(ProblemError("method-not-allowed", "CONNECT is not allowed here", headers=[("allow", "")]))
            return
        method, version = self.parser.get_method(), self.parser.get_http_version()
        head = without_upgrade(method, self._url, version, self._headers)
        self._phase = _IDLE
        self._framing = 0
        self.parser = httptools.HttpRequestParser(self)
        self._feed(head)

    def _pause_or_resume(self) -> None:
        """Read only while no bytes are kept for later."""
        if self.transport.is_closing():
            return
        if self._rest and not self._paused:
            self._paused = True
            self.transport.pause_reading()
        elif self._paused and not self._rest:
            self._paused = False
            self.transport.resume_reading()

    def _go_on(self) -> None:
        """Continue in a later turn, after an answer was written or taken."""
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
        """Close after the peer has ended its side and all is parsed, unless a request is being answered."""
        exchange = self._exchange
        if exchange is None or not exchange.read:
            if exchange is not None:
                exchange.disconnect()
            self._end()

    # ---- httptools ----

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        if self._phase is _REFUSED:
            return
        self._phase = _HEAD
        self._since = self._arrived
        self._fresh = False
        self._split = self._trailers = False
        self._url = b""
        self._headers = []

    def on_url(self, url: bytes) -> None:
        """A piece of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header field; a trailer field is ignored."""
        if self._phase is _HEAD:
            self._headers.append((name.lower(), value))
        else:
            self._trailers = True

    def on_headers_complete(self) -> None:
        """The end of the head: check it and choose the way."""
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
        if host != self._edge.host or host is None:  # callers send the same one again and again
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
        """The size of a chunk."""
        self._framing -= _CHUNK_BYTES

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._framing -= len(body) + len(body) // _CHUNK_SHARE
        if self._left:
            self._left -= len(body)
        if self._short:
            self._body = self._body + body if self._body else body
        elif self._exchange is not None and self._phase is _BODY:
            self._exchange.feed(body)

    def on_message_complete(self) -> None:
        """The end of the request."""
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
        """The short way."""
        path, self._short = self._short, ""
        body, self._body = self._body, b""
        assert self._edge.short_way is not None
        status, headers, answer = self._edge.short_way(path, self._fields, body, self._arrived)
        self.answer(status, headers, answer, self._keep_alive)

    def _take_long_way(self) -> None:
        """Move a request from the short way to a task, when something else than the rest of its body happens."""
        if not self._short:
            return
        self._short = ""
        self._arrived = perf_counter()  # the time before was the peer's
        self._start()
        if self._exchange is not None and self._body:
            self._exchange.feed(self._body)
            self._body = b""

    def _start(self) -> None:
        """The long way: an ASGI task."""
        parser = self.parser
        method = parser.get_method().decode("ascii")
        try:
            scope = http_scope(method, self._url, parser.get_http_version(), self._headers, self.transport, {})
        except ValueError:
            self._refuse(ProblemError("invalid-http", "the request's target can't be read"))
            return
        scope["arrived"] = self._arrived
        expects_continue = b"100-continue" in self._fields.get(b"expect", b"").lower()
        self._exchange = Exchange(self, scope, self._keep_alive, expects_continue)
        task = self.loop.create_task(self._exchange.run(self._edge.app))
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def body_taken(self) -> None:
        """The app has taken what was read of a body."""
        if self._rest:
            self._go_on()

    def exchange_ended(self) -> None:
        """The app has returned."""
        self._drop_exchange()
        if self.parser is not None:
            self._go_on()

    def _drop_exchange(self) -> None:
        """Be ready for the next request once this one is read and answered."""
        exchange = self._exchange
        if exchange is not None and exchange.read and (exchange.answered or exchange.disconnected):
            self._exchange = None

    # ---- writing ----

    def write(self, data: bytes) -> None:
        """Send bytes to the peer."""
        self.output.write(data)

    def answer(self, status: int, headers: Headers, body: bytes, keep_alive: bool, length: int | None = None) -> None:
        """Write an answer; close when it or the request says so. ``length`` is the Content-Length if not the body's."""
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
        self._refuse(ProblemError("headers-too-large", f"the {what} are over {MAX_HEAD_BYTES} bytes"))

    def _refuse(self, problem: ProblemError) -> None:
        """Answer with ``problem`` and close; counted here where the app does not see the request end."""
        exchange = self._exchange
        if self._phase is _REFUSED or self._refusal is not None:
            return
        if exchange is not None and exchange.read and not exchange.answered:
            self._refusal = problem  # after the answer that is due
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
        """Close after what was written is sent.

        Closing at once while the peer still sends would reset the connection, and the peer might lose the answer. So
        first only our side is closed; what the peer sends is read and dropped, until it closes or the sweep does.
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
        """Close; if an answer is not sent yet, after it, unless the peer does not take it in time."""
        if self.output.waits:
            self._close()
        else:
            self._phase = _REFUSED
            self.transport.close()

    def _drop(self, nbytes: int) -> None:
        """Drop what comes after the last answer; a peer that sends for ever has to wait."""
        self._framing += nbytes
        if self._framing > _MAX_DROPPED_BYTES and not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def give_up(self) -> None:
        """Close at once; what was not sent is lost."""
        self._phase = _REFUSED
        self._edge.slow.discard(self)
        self.output.reset()

    # ---- limits ----

    def sweep(self, now: float) -> None:
        """Close the connection when its phase has lasted too long; ``now`` is `perf_counter`'s."""
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
            return  # the peer waits for this process
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
        self._refuse(ProblemError("request-timeout", f"the {what} did not come within {limit:g} s"))

    def shutdown(self) -> None:
        """The server stops: close after the answer; if there is nothing to answer, after what may be on its way."""
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
    """Where the line ends that ``data`` has from ``at`` on are over, three characters on at the latest."""
    end = at + 1
    while end < min(len(data), at + 3) and data[end] in _LINE_END:
        end += 1
    return end

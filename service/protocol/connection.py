"""The protocol: one HTTP/1.1 connection with limits. Each request gets a task and an `Exchange`.

The rules of a connection:

- **One request at a time.** The parser gets input in pieces. Each piece completes at most one request. The remaining
  input stays in the socket, or in memory (at most one read of 64 KiB), until the answer is written and the peer reads
  it.
- **Turns.** A turn is one pass of the event loop. A connection with more requests in memory than it can answer in
  `SLICE_S` joins a queue. In each turn, one connection of the queue continues. Peers that wait for each answer are
  never queued.
- **Time.** A request's head, and then its body, must come within `SPADES_READ_S`. A connection without a request is
  closed after `SPADES_IDLE_S`. A connection whose peer reads no byte of its answer is closed after `SPADES_WRITE_S`.
  The server calls `Edge.sweep` once a second; no request has its own timer.
- **Size.** `request_reader.py` limits heads, trailers and chunk extensions. `edge.MAX_UNSENT_BYTES` limits the unsent
  answers of all connections together.
- **Errors.** A request that is refused here is answered with a problem, and the connection is closed.

`request_reader.py` parses requests, and `output.py` writes answers. Parsing, buffering, answering and refusing share
one state machine (`_phase`). The connection is therefore a subclass of the reader.
"""

import asyncio
import socket
from time import perf_counter
from typing import Any

from uvicorn.server import ServerState

from service.fair_turns import SLICE_S
from service.metrics import OTHER_ROUTE
from service.problems import ProblemError, problem_response
from service.protocol.edge import Edge
from service.protocol.exchange import Exchange, http_scope
from service.protocol.messages import CLOSE, Body, Headers
from service.protocol.output import Output
from service.protocol.request_reader import BODY, HEAD, IDLE, REFUSED, RequestReader

# Sizes of the kernel's buffers for one connection; the kernel doubles them. Without these sizes it uses up to 6 MiB in
# each direction, which counts towards a container's memory limit. The receive buffer also limits the size of one read.
RECEIVE_BUFFER_BYTES = 32 * 1024
SEND_BUFFER_BYTES = 64 * 1024
_LINGER_S = 0.25  # for a request that is on its way when the server stops
_REFUSED_S = 1.0  # for a peer to read the last answer of a connection
_MAX_DROPPED_BYTES = 256 * 1024


class Connection(RequestReader, asyncio.Protocol):
    """One connection. ``server_state`` belongs to uvicorn: connections, tasks and the Date header."""

    transport: asyncio.Transport
    output: Output

    def __init__(self, edge: Edge, server_state: ServerState) -> None:
        super().__init__(edge)
        self.loop = asyncio.get_running_loop()
        self._state = server_state
        self._ended = False  # the peer has closed its sending side
        self._stopping = False  # close after the next answer (the server stops, or there are too many connections)
        self._rest = b""  # what was read and is not parsed yet
        self._dropped_bytes = 0  # received and dropped, because no further request is answered
        self._paused = False  # reading is paused
        self._queued = False  # in the edge's queue
        self._exchange: Exchange | None = None  # the request that is being read or answered
        self._refusal: ProblemError | None = None  # to send after the answer in progress
        self._write_paused = False  # the write buffer still holds an answer

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
            detail = "too many connections; retry later"
            self._refuse(ProblemError("overloaded", detail, headers=[("retry-after", "1")]))

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel a request in progress, because its caller has gone."""
        connections: Any = self._state.connections
        connections.discard(self)
        self._edge.slow.discard(self)
        if self._exchange is not None:
            self._exchange.disconnect()
        self._rest = b""
        self._phase = REFUSED
        self.parser = None  # the parser refers to this object

    def eof_received(self) -> bool:
        """Answer the requests that the peer sent before it closed its side; return True: we close the connection."""
        self._ended = True
        if self._rest or (self._exchange is not None and self._exchange.request_complete):
            return True
        if self._exchange is not None:
            self._exchange.disconnect()
        self._end()
        return True

    def data_received(self, data: bytes) -> None:
        """Answer the requests that have arrived completely."""
        if self._phase is REFUSED or self._refusal is not None:
            self._drop(len(data))
            return
        self._arrived = arrived = self._edge.turn()
        if self._rest:
            self._rest += data
        else:
            self._parse(data, arrived + SLICE_S)

    def pause_writing(self) -> None:
        """Stop parsing: the peer has not read the last answer yet."""
        self._write_paused = True
        self._edge.slow.add(self)
        self._edge.limit_unsent()

    def resume_writing(self) -> None:
        """Continue parsing: the peer has read the last answer."""
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
        while not ((self._exchange or self._write_paused or self._phase is REFUSED) and self._must_wait()):
            at += self._feed(data, at)
            if at == size:
                break
            if perf_counter() > until:
                self._queued = True
                self._edge.later(self)
                break
        if at < size and self._phase is not REFUSED:
            self._rest = data[at:]
        if self._rest or self._paused:
            self._pause_or_resume()
        elif self._ended:
            self._close_if_done()

    def _must_wait(self) -> bool:
        """Return whether parsing must stop: a request is being answered, or the peer does not read its answers."""
        if self._write_paused or self._phase is REFUSED:
            return True
        exchange = self._exchange
        return exchange is not None and (exchange.request_complete or exchange.holds_too_much)

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
        """Close the connection, whose peer has closed its sending side, unless a request is being answered."""
        exchange = self._exchange
        if exchange is None or not exchange.request_complete:
            if exchange is not None:
                exchange.disconnect()
            self._end()

    # ---- requests ----

    def _head_read(self) -> None:
        """Start an ASGI task for the request."""
        parser = self.parser
        method = parser.get_method().decode("ascii")
        try:
            scope = http_scope(method, self._url, parser.get_http_version(), self._headers, self.transport)
        except ValueError:
            self._refuse(ProblemError("invalid-http", "the request's target is not a valid URL"))
            return
        scope["state"] = {"arrived": self._arrived}
        expects_continue = b"100-continue" in self._fields.get(b"expect", b"").lower()
        self._exchange = Exchange(self, scope, self._keep_alive, expects_continue)
        task = self.loop.create_task(self._exchange.run(self._edge.app))
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def _body_read(self, body: bytes) -> None:
        """Add a piece of the body."""
        if self._exchange is not None and self._phase is BODY:
            self._exchange.feed(body)

    def _request_read(self) -> None:
        """Note that the request is complete; the app answers it."""
        if self._exchange is not None:
            self._exchange.end_of_request()
            self._drop_exchange()

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
        if exchange is not None and exchange.request_complete and (exchange.answered or exchange.disconnected):
            self._exchange = None

    # ---- writing ----

    def write(self, data: bytes) -> None:
        """Send bytes to the peer."""
        self.output.write(data)

    def answer(self, status: int, headers: Headers, body: Body, keep_alive: bool, length: int | None = None) -> None:
        """Write an answer; close if it or its request says so. ``length``: Content-Length (None: the body's size)."""
        if self._phase is REFUSED:
            return
        asked_to = CLOSE in headers
        closing = asked_to or not keep_alive or self._stopping
        headers = [*self._state.default_headers, *headers]
        self.output.answer(status, headers, body, length, closing and not asked_to)
        self._state.total_requests += 1
        if closing:
            self._close()

    def _refuse(self, problem: ProblemError) -> None:
        """Answer with ``problem`` and close. If no app task handles this request, count the answer here."""
        exchange = self._exchange
        if self._phase is REFUSED or self._refusal is not None:
            return
        if exchange is not None and exchange.request_complete and not exchange.answered:
            self._refusal = problem  # sent after the answer in progress
            return
        self._left = 0
        if exchange is None or not exchange.answered:
            if exchange is None:
                self._edge.metrics.answered(OTHER_ROUTE, problem.status, perf_counter() - self._since)
            else:
                exchange.disconnect(problem.status)
            response = problem_response(problem)
            headers = [header for header in response.raw_headers if header[0] != b"content-length"]
            self.answer(response.status_code, headers, bytes(response.body), keep_alive=False)
        else:
            self._close()

    def _close(self) -> None:
        """Close the connection after the written bytes are sent.

        Closing at once while the peer still sends would reset the connection, and the peer might lose the answer. So we
        first close only our sending side. Further bytes from the peer are read and dropped until the peer closes the
        connection or `sweep` closes it.
        """
        self._phase = REFUSED
        self._since = perf_counter()
        self._dropped_bytes = 0
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
            self._phase = REFUSED
            self.transport.close()

    def _drop(self, nbytes: int) -> None:
        """Drop bytes that arrive after the last answer; stop reading when there are too many."""
        self._dropped_bytes += nbytes
        if self._dropped_bytes > _MAX_DROPPED_BYTES and not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def give_up(self) -> None:
        """Close at once; unsent bytes are lost."""
        self._phase = REFUSED
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
        if phase is REFUSED:
            if now - self._since > _REFUSED_S:
                self.transport.close()
            return
        exchange = self._exchange
        if self._rest or (exchange is not None and exchange.request_complete):
            return  # we must act next, not the peer
        limit = settings.idle_s if phase is IDLE and not self._fresh else settings.read_s
        if now - self._since <= limit:
            return
        self._edge.metrics.timeouts[phase].inc()
        if phase is IDLE:
            self.transport.close()
            return
        if self._exchange is not None:
            self._exchange.disconnect(408)
        what = "headers" if phase is HEAD else "body"
        self._refuse(ProblemError("request-timeout", f"the {what} took too long; accepted: {limit:g} s"))

    def shutdown(self) -> None:
        """Stop: close after the answer in progress, or else after a short wait for a request that is on its way."""
        if self._phase is REFUSED:
            self.transport.close()
            return
        self._stopping = True
        if self._exchange is not None and not self._exchange.answered:
            self._exchange.keep_alive = False
        elif not self._rest:
            self.loop.call_later(_LINGER_S, self._close_idle)

    def _close_idle(self) -> None:
        if self._exchange is None or self._exchange.answered:
            self.transport.close()

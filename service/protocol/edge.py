"""Edge: what the connections of one event loop share: settings, turns and the limit on unsent answers.

`connection.Connection` is one connection.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Iterable
from time import perf_counter
from typing import Any, Protocol

from service.fair_turns import SLICE_S
from service.metrics import Metrics
from service.protocol.messages import App
from service.protocol.output import Output
from service.settings import Settings

MAX_UNSENT_BYTES = 48 * 1024 * 1024

_logger = logging.getLogger("service")


class Waiting(Protocol):
    """The part of a connection that the edge uses."""

    output: Output

    def work(self, until: float) -> None:
        """Parse and answer the bytes received, until the time ``until`` (`perf_counter`, s)."""

    def sweep(self, now: float) -> None:
        """Close the connection if its peer has taken too long; ``now`` is a `perf_counter` time, s."""

    def give_up(self) -> None:
        """Close at once; unsent bytes are lost."""


class Edge:
    """What the connections of one event loop share. ``app`` answers their requests."""

    def __init__(self, app: App, settings: Settings, metrics: Metrics) -> None:
        self.app = app
        self.settings = settings
        self.metrics = metrics
        self.host: bytes | None = None  # the last valid Host header
        self.slow: set[Waiting] = set()  # connections whose peer has not read an answer yet
        self._waiting: deque[Waiting] = deque()
        self._turn = 0.0

    def turn(self) -> float:
        """Return the time (`perf_counter`, s) at which this turn of the event loop read its first bytes.

        All bytes that are read in one turn had arrived when the turn began. Their waiting time is counted from then.
        """
        if not self._turn:
            self._turn = perf_counter()
            asyncio.get_running_loop().call_soon(self._end_turn)
        return self._turn

    def later(self, connection: Waiting) -> None:
        """Work on ``connection`` in a later turn of the event loop."""
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._next)
        self._waiting.append(connection)

    def sweep(self, connections: Iterable[Any], now: float) -> None:
        """Close those of ``connections`` that have taken too long; ``now`` is a `perf_counter` time, s."""
        for connection in list(connections):
            try:
                connection.sweep(now)
            except Exception:  # a bug must not end the server
                _logger.exception("a connection could not be checked")
                connection.give_up()

    def limit_unsent(self) -> None:
        """While too many bytes are unsent, close the connections whose peers have not read for longest."""
        unsent = {connection: connection.output.unsent_bytes for connection in self.slow}
        total = sum(unsent.values())
        for connection in sorted(unsent, key=lambda one: one.output.taken_at):
            if total <= MAX_UNSENT_BYTES:
                return
            total -= unsent[connection]
            self.metrics.shed["capacity"].inc()
            connection.give_up()

    def _end_turn(self) -> None:
        self._turn = 0.0

    def _next(self) -> None:
        connection = self._waiting.popleft()
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next)
        connection.work(perf_counter() + SLICE_S)

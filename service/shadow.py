"""The shadow: decide bids again with other tables, after the answers, and count how often the bid is the same.

It never changes an answer: a bid waits here until the event loop has sent its answer. The shadow decides for
`SLICE_S` in one turn of the event loop. When bids come faster than that, those over `MOST_WAITING` are dropped.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from time import monotonic, perf_counter
from typing import Any, Final, NamedTuple

from service.fair_turns import SLICE_S
from service.metrics import Metrics
from service.table_sets import OpenSet

MOST_WAITING: Final = 1024
REPORT_S: Final = 60.0  # failures are logged once in this time
_logger = logging.getLogger("service")


class AnsweredBid(NamedTuple):
    """One bid that a caller got."""

    data: Any  # the request
    policy: str  # the one that decided; a label of the metrics
    bid: object  # what `decide` returned with the tables that answered
    decide: Callable[[Any, OpenSet], object]  # (request, table set)


class Shadow:
    """The bids that wait to be decided again."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._waiting: deque[tuple[OpenSet, AnsweredBid]] = deque()
        self._report_at = 0.0  # `monotonic`, s

    def add(self, opened: OpenSet, answered: AnsweredBid) -> None:
        """Decide ``answered`` with the tables of ``opened`` too, in a later turn of the event loop."""
        if len(self._waiting) >= MOST_WAITING:
            self._metrics.counter("spades_shadow_bids", answered.policy, "dropped").inc()
            return
        self._waiting.append((opened, answered))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._work)

    def _work(self) -> None:
        until = perf_counter() + SLICE_S
        while self._waiting:
            opened, answered = self._waiting[0]
            result = self._result(opened, answered)
            self._metrics.counter("spades_shadow_bids", answered.policy, result).inc()
            self._waiting.popleft()
            if perf_counter() > until:
                break
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._work)

    def _result(self, opened: OpenSet, answered: AnsweredBid) -> str:
        try:
            if opened.changed:
                raise RuntimeError(opened.changed)
            return "same" if answered.decide(answered.data, opened) == answered.bid else "other"
        except Exception as error:  # the answer was right whatever happens here
            now = monotonic()
            if now >= self._report_at:
                self._report_at = now + REPORT_S
                text = "the shadow tables %s could not decide a bid of %s; spades_shadow_bids_total counts such bids"
                _logger.error(text, opened.version, answered.policy, exc_info=error)
            return "failed"

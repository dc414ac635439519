"""Metrics: what Prometheus scrapes at GET /metrics.

Not a log: labels come from closed sets only (route templates, statuses, the served policies, the fault codes), so
that no caller can grow the series. Children are looked up once and kept, because labels() takes longer than counting.
Each `Metrics` has its own registry; several may live in one process.

With PROMETHEUS_MULTIPROC_DIR set (several workers) a scrape sums up the files of all workers.

A text takes 8 to 27 ms to make once a worker has answered on all routes, and that of three workers 16 to 58 ms:
`Exposition` limits how often it is made.
"""

import asyncio
import os
import platform
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from threading import Lock
from time import monotonic

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from service import __version__
from service.keys import Bucket
from service.problems import CODES, ProblemError

CONTENT_TYPE = CONTENT_TYPE_LATEST
# Seconds. The default buckets begin at 5 ms, where nearly every answer has long been given.
LATENCY_BUCKETS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25)
DECISION_BUCKETS = (0.000005, 0.00001, 0.00002, 0.00005, *LATENCY_BUCKETS)
OTHER_ROUTE = "other"
NEW_TEXT_S = 1.0  # of scrapes without a pause one in this time gets a new text
NEW_TEXTS_AT_ONCE = 4  # so many after a pause, each with a new text
_KINDS = ("regular", "nil", "blind_nil")

Decided = tuple[tuple[str, str, str], float]  # a bid made: kind, policy and convention; the seconds that it took


def observe_many(child: Histogram, seconds: list[float]) -> None:
    """Observe several times, which are sorted in place.

    prometheus_client has no such method; one `observe` for each bid of a batch takes 1.3 us more, 9 % of its bid. The
    attributes of `Histogram` that are used here are in tests/service/test_metrics.py.
    """
    child._sum.inc(sum(seconds))
    seconds.sort()
    counted = 0
    for bucket, bound in zip(child._buckets, child._upper_bounds, strict=True):  # the last bound is infinite
        reached = bisect_right(seconds, bound, counted)
        if reached > counted:
            bucket.inc(reached - counted)
            counted = reached


class Exposition:
    """The text of a scrape: ``make`` makes a new one, but under a flood only one each `NEW_TEXT_S`.

    Other scrapes get the last one again, which is that old at most. After a pause `NEW_TEXTS_AT_ONCE` scrapes get a new
    one each, so that callers who don't flood always see present values. Any thread may call it.
    """

    def __init__(self, make: Callable[[], bytes], clock: Callable[[], float] = monotonic) -> None:
        self._make = make
        self._last: bytes | None = None
        self._new_texts = Bucket(1.0 / NEW_TEXT_S, clock, NEW_TEXTS_AT_ONCE)
        self._counting = Lock()
        self._making = Lock()  # one at a time: several would only take turns

    def text(self) -> bytes:
        """The text, new or the last one; the caller waits while one is made."""
        allowed = self._may_make()
        last = self._last
        return self._new(allowed) if allowed or last is None else last

    async def text_beside_requests(self, overloaded: bool) -> bytes:
        """`text` for the event loop: a thread makes a new one, and none is made while the process is ``overloaded``."""
        allowed = not overloaded and self._may_make()
        last = self._last
        return await asyncio.to_thread(self._new, allowed) if allowed or last is None else last

    def _new(self, allowed: bool) -> bytes:
        """A new text; the last one where that was not ``allowed`` and there is one by now."""
        with self._making:
            if allowed or self._last is None:
                self._last = self._make()
            return self._last

    def _may_make(self) -> bool:
        """Whether a new text may be made now, which is then counted."""
        with self._counting:
            return self._new_texts.take() == 0.0


class Metrics:
    """The service's metrics, in one registry."""

    def __init__(self, policies: tuple[str, ...], conventions: tuple[str, ...]) -> None:
        # one series more for each child, which nothing reads
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._requests = Counter(
            "spades_http_requests", "Requests answered.", ("route", "status"), registry=self.registry
        )
        self._latency = Histogram(
            "spades_http_request_duration_seconds",
            "Time from a request's arrival to the last byte handed to the server.",
            ("route", "status"),
            buckets=LATENCY_BUCKETS,
            registry=self.registry,
        )
        self.in_flight = Gauge(
            "spades_http_requests_in_flight",
            "Requests being answered now.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        bids = Counter("spades_bids", "Bids made.", ("kind", "policy", "convention"), registry=self.registry)
        decisions = Histogram(
            "spades_decision_duration_seconds",
            "Time that the bidding code took for a bid, explanation included.",
            ("policy",),
            buckets=DECISION_BUCKETS,
            registry=self.registry,
        )
        faults = Counter("spades_validation_errors", "Faults found in requests.", ("code",), registry=self.registry)
        shed = Counter(
            "spades_shed",
            "Requests refused unworked, by what was short.",
            ("reason",),
            registry=self.registry,
        )
        self.deadline_exceeded = Counter(
            "spades_deadline_exceeded", "Answers 504: the caller's deadline had passed.", registry=self.registry
        )
        timeouts = Counter(
            "spades_connection_timeouts",
            "Connections closed because a request, or the next one, did not come.",
            ("phase",),
            registry=self.registry,
        )
        self.log_dropped = Counter(
            "spades_access_log_dropped",
            "Lines of the access log that were dropped: not taken by its reader, or not written.",
            registry=self.registry,
        )
        self.connections = Gauge(
            "spades_connections", "Open connections.", registry=self.registry, multiprocess_mode="livesum"
        )
        self._tables = Gauge(
            "spades_tables_info",
            "1 for the tables in use.",
            ("version", "sha256"),
            registry=self.registry,
            multiprocess_mode="max",
        )
        self._build = Gauge(
            "spades_build_info",
            "1 for the code.",
            ("version", "python"),
            registry=self.registry,
            multiprocess_mode="max",
        )
        self.ready = Gauge(
            "spades_ready", "1 when /readyz says so.", registry=self.registry, multiprocess_mode="livemin"
        )
        self._build.labels(__version__, platform.python_version()).set(1)
        self._bids = {labels: bids.labels(*labels) for labels in product(_KINDS, policies, conventions)}
        self.shed = {reason: shed.labels(reason) for reason in ("capacity", "deadline", "rate")}
        self.timeouts = {phase: timeouts.labels(phase) for phase in ("idle", "head", "body", "write")}
        self.decisions = {policy: decisions.labels(policy) for policy in policies}
        self.faults = {code: faults.labels(code) for code in CODES}
        self._answers: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count one answer of ``route`` (a template or `OTHER_ROUTE`), ``seconds`` after its arrival."""
        children = self._answers.get((route, status))
        if children is None:
            labels = (route, str(status))
            children = (self._requests.labels(*labels), self._latency.labels(*labels))
            self._answers[route, status] = children
        children[0].inc()
        children[1].observe(seconds)

    def refused(self, problem: ProblemError) -> None:
        """Count the faults of a refused request, and a deadline that has passed."""
        for fault in problem.faults:
            self.faults[fault.code].inc()
        if problem.name == "deadline-exceeded":
            self.deadline_exceeded.inc()

    def decided(self, made: Decided) -> None:
        """Count one bid."""
        labels, seconds = made
        self.decisions[labels[1]].observe(seconds)
        self._bids[labels].inc()

    def decided_many(self, made: Sequence[Decided]) -> None:
        """`decided` for each, in a fraction of the time."""
        by_labels: dict[tuple[str, str, str], list[float]] = {}
        for labels, seconds in made:
            by_labels.setdefault(labels, []).append(seconds)
        for labels, times in by_labels.items():
            self._bids[labels].inc(len(times))
            observe_many(self.decisions[labels[1]], times)

    def tables_mapped(self, version: str, sha256: str) -> None:
        """Name the tables in use."""
        self._tables.labels(version, sha256).set(1)

    def text(self) -> bytes:
        """A new text of this process's metrics or, with several workers, those of all of them."""
        directory = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        return workers_text(Path(directory)) if directory else generate_latest(self.registry)


def workers_text(directory: Path) -> bytes:
    """A new text of the sum of all workers' metrics, whose files are in ``directory``."""
    _forget_the_dead(directory)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(directory))  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def _forget_the_dead(directory: Path) -> None:
    """Drop the live gauges of workers that have died; their counters still count."""
    for path in directory.glob("gauge_live*_*.db"):
        pid = int(path.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            with suppress(FileNotFoundError):  # another worker's scrape was faster
                mark_process_dead(pid, str(directory))  # type: ignore[no-untyped-call]

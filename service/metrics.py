"""Metrics: the counters and histograms that Prometheus reads at GET /metrics.

Label values come from closed sets only (route templates, statuses, the served policies, the fault codes), so that no
caller can add series. Children are looked up once and kept, because labels() takes longer than counting. Each
`Metrics` has its own registry, so that one process can have several.

If PROMETHEUS_MULTIPROC_DIR is set (several workers), a scrape sums the files of all workers.

Making the text takes 8 to 27 ms once a worker has answered on all routes, and 16 to 58 ms for three workers.
`Exposition` limits how often this happens.
"""

import asyncio
import os
import platform
from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TypeVar

from prometheus_client import (
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
from service.problems import ProblemError
from service.result_metrics import OTHER_VERSION, ResultMetrics
from spades.contract.faults import CODES

# Seconds. The default buckets begin at 5 ms, but nearly all answers take less.
LATENCY_BUCKETS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25)
DECISION_BUCKETS = (0.000005, 0.00001, 0.00002, 0.00005, *LATENCY_BUCKETS)
OTHER_ROUTE = "other"
NEW_TEXT_S = 1.0  # frequent scrapes get a new text once in this time
NEW_TEXTS_AT_ONCE = 4  # after a pause, this many scrapes get a new text each
_KINDS = ("regular", "nil", "blind_nil")

# Answers and bids are counted in groups, because counting each one takes 8% of a request's time. A group holds those
# of one turn of the event loop, at most this many. A worker that is killed loses the counts of its last turn.
COUNTED_AT_ONCE = 64
MOST_VERSIONS = 64  # of tables that are labels, in the life of a process; later ones count as OTHER_VERSION
REFUSALS = ("content", "version", "unusable", "folder")  # why tables can't be used (`table_sets`)
SHADOW_RESULTS = ("same", "other", "failed", "dropped")

# One bid: kind, policy, convention and version of the tables; seconds that it took.
Decided = tuple[tuple[str, str, str, str], float]
L = TypeVar("L")


def observe_many(child: Histogram, seconds: list[float]) -> None:
    """Observe all ``seconds`` at once; the list is sorted in place.

    prometheus_client has no such method. tests/service/test_metrics.py checks the private attributes of `Histogram`
    that are used here.
    """
    child._sum.inc(sum(seconds))
    seconds.sort()
    buckets, bounds = child._buckets, child._upper_bounds  # the last bound is infinite
    counted = 0
    while counted < len(seconds):
        bucket = bisect_left(bounds, seconds[counted])
        reached = bisect_right(seconds, bounds[bucket], counted)
        buckets[bucket].inc(reached - counted)
        counted = reached


def _by_labels(gathered: deque[tuple[L, float]]) -> dict[L, list[float]]:
    """Remove all items and return their seconds by label."""
    by_labels: defaultdict[L, list[float]] = defaultdict(list)
    for _ in range(len(gathered)):
        labels, seconds = gathered.popleft()
        by_labels[labels].append(seconds)
    return by_labels


class Exposition:
    """The text of GET /metrics. ``make`` makes a new one; frequent scrapes cause only one per `NEW_TEXT_S`.

    Other scrapes get the last text again, which is at most that old. After a pause, `NEW_TEXTS_AT_ONCE` scrapes get a
    new text each, so that callers with a normal rate always see current values. Thread-safe.
    """

    def __init__(self, make: Callable[[], bytes], clock: Callable[[], float] = monotonic) -> None:
        self._make = make
        self._last: bytes | None = None
        self._new_texts = Bucket(1.0 / NEW_TEXT_S, clock, NEW_TEXTS_AT_ONCE)
        self._counting = Lock()
        self._making = Lock()  # one at a time: several at once would not be faster

    def text(self) -> bytes:
        """Return a new text or the last one; the caller waits while a new one is made."""
        allowed = self._may_make()
        last = self._last
        return self._new(allowed) if allowed or last is None else last

    async def text_beside_requests(self, overloaded: bool) -> bytes:
        """Return `text` without blocking the event loop; no new text is made while the process is ``overloaded``."""
        allowed = not overloaded and self._may_make()
        last = self._last
        return await asyncio.to_thread(self._new, allowed) if allowed or last is None else last

    def _new(self, allowed: bool) -> bytes:
        """Return a new text, or the last one if a new one is not ``allowed`` and a last one exists by now."""
        with self._making:
            if allowed or self._last is None:
                self._last = self._make()
            return self._last

    def _may_make(self) -> bool:
        """Return whether a new text may be made now; if so, count it."""
        with self._counting:
            return self._new_texts.take() == 0.0


class Metrics:
    """The service's metrics, in one registry."""

    def __init__(self, policies: tuple[str, ...], conventions: tuple[str, ...]) -> None:
        # the created metrics add one series per child, and nothing reads them
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        counter = partial(Counter, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self._requests = counter("spades_http_requests", "Requests answered.", ("route", "status"))
        self._latency = histogram(
            "spades_http_request_duration_seconds",
            "Time from a request's arrival to the last byte handed to the server.",
            ("route", "status"),
            buckets=LATENCY_BUCKETS,
        )
        self.in_flight = gauge("spades_http_requests_in_flight", "Requests in progress.", multiprocess_mode="livesum")
        bids = counter("spades_bids", "Bids made.", ("kind", "policy", "convention"))
        decisions = histogram(
            "spades_decision_duration_seconds",
            "Time that the bidding code took for a bid, including its explanation and success curve.",
            ("policy",),
            buckets=DECISION_BUCKETS,
        )
        faults = counter("spades_validation_errors", "Faults found in requests.", ("code",))
        shed = counter("spades_shed", "Requests refused before any work on them, by reason.", ("reason",))
        self.deadline_exceeded = counter(
            "spades_deadline_exceeded", "Requests answered with 504: the deadline had passed."
        )
        timeouts = counter(
            "spades_connection_timeouts", "Connections closed because the peer took too long, by phase.", ("phase",)
        )
        self.log_dropped = counter(
            "spades_access_log_dropped", "Access log lines dropped because the queue was full or writing failed."
        )
        self.decision_log_dropped = counter(
            "spades_decision_log_dropped", "Decision log lines dropped because the queue was full or writing failed."
        )
        self.connections = gauge("spades_connections", "Open connections.", multiprocess_mode="livesum")
        self._tables = gauge(
            "spades_tables_info",
            "Version and checksum of the tables in use; the value is 1.",
            ("version", "sha256"),
            multiprocess_mode="livemax",
        )
        self._open_tables = gauge(
            "spades_tables_open",
            "1 for each open table set in each of its roles; 0 after it was closed or its files have changed.",
            ("version", "role"),
            multiprocess_mode="livemax",
        )
        self._bids_by_tables = counter(
            "spades_tables_bids", "Bids made, by the tables that decided.", ("version", "kind")
        )
        reloads = counter("spades_tables_reloads", "Readings of the tables on SIGHUP.", ("result",))
        self._tables_read = gauge(
            "spades_tables_last_read_successful",
            "1 if nothing was refused when the folder of the tables was last read, else 0.",
            multiprocess_mode="livemin",
        )
        refusals = counter(
            "spades_tables_refused", "Table sets, or folders of them, that could not be used, by reason.", ("reason",)
        )
        shadowed = counter(
            "spades_shadow_bids",
            "Bids that the shadow tables decided too, by the policy and by whether the bid was the same.",
            ("policy", "result"),
        )
        searches = counter("spades_searches", "Searches for cards, by result.", ("result",))
        self.search_seconds = histogram(
            "spades_search_duration_seconds",
            "Time that a search for a card took, without waiting for a process.",
            buckets=LATENCY_BUCKETS,
        )
        processes = gauge(
            "spades_search_processes",
            "Search processes: those that the settings want, and those that are ready or search.",
            ("state",),
            multiprocess_mode="livesum",
        )
        build = gauge(
            "spades_build_info",
            "Version of the service and of Python; the value is 1.",
            ("version", "python"),
            multiprocess_mode="max",
        )
        self.ready = gauge("spades_ready", "1 if /readyz answers 200, else 0.", multiprocess_mode="livemin")
        self.results = ResultMetrics(self.registry)
        build.labels(__version__, platform.python_version()).set(1)
        self._bids = {labels: bids.labels(*labels) for labels in product(_KINDS, policies, conventions)}
        self.shed = {reason: shed.labels(reason) for reason in ("capacity", "deadline", "rate", "search")}
        self.timeouts = {phase: timeouts.labels(phase) for phase in ("idle", "head", "body", "write")}
        self.decisions = {policy: decisions.labels(policy) for policy in policies}
        self.faults = {code: faults.labels(code) for code in CODES}
        self.reloads = {result: reloads.labels(result) for result in ("done", "refused")}
        self.searches = {result: searches.labels(result) for result in ("done", "failed")}
        self.search_processes = {state: processes.labels(state) for state in ("wanted", "live")}
        self._refusals = {reason: refusals.labels(reason) for reason in REFUSALS}
        self.shadowed = {pair: shadowed.labels(*pair) for pair in product(policies, SHADOW_RESULTS)}
        self._by_version: dict[tuple[str, str], Counter] = {}  # children of `_bids_by_tables` by version and kind
        self._count_bids_of(OTHER_VERSION)
        self._shown: set[Gauge] = set()  # children of `_tables` and `_open_tables` that are 1
        self._answers: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        # Not yet counted. Threads may append while `count` empties them, because each step of a deque is atomic.
        self._answered: deque[tuple[tuple[str, int], float]] = deque()  # route and status; seconds
        self._decided: deque[Decided] = deque()
        self._counting = Lock()
        self.call_soon: Callable[[Callable[[], None]], object] | None = None  # the event loop's; set by the server

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count one answer on ``route`` (a template or `OTHER_ROUTE`), ``seconds`` after the request's arrival."""
        self._answered.append(((route, status), seconds))
        if len(self._answered) == 1 and self.call_soon is not None:
            self.call_soon(self.count)
        elif len(self._answered) >= COUNTED_AT_ONCE:
            self.count()

    def refused(self, problem: ProblemError) -> None:
        """Count the faults of a refused request, and a deadline that has passed."""
        for fault in problem.faults:
            self.faults[fault.code].inc()
        if problem.name == "deadline-exceeded":
            self.deadline_exceeded.inc()

    def decided(self, decided: Decided) -> None:
        """Count one bid."""
        self._decided.append(decided)
        if len(self._decided) >= COUNTED_AT_ONCE:
            self.count()

    def decided_many(self, decided: Sequence[Decided]) -> None:
        """Count several bids."""
        self._decided.extend(decided)
        self.count()

    def count(self) -> None:
        """Add the answers and bids of `answered` and `decided` to the metrics."""
        with self._counting:
            by_version = self._by_version
            for (kind, policy, convention, version), times in _by_labels(self._decided).items():
                self._bids[kind, policy, convention].inc(len(times))
                (by_version.get((version, kind)) or by_version[OTHER_VERSION, kind]).inc(len(times))
                observe_many(self.decisions[policy], times)
            for answer, times in _by_labels(self._answered).items():
                children = self._answers.get(answer)
                if children is None:
                    route, status = answer
                    children = (self._requests.labels(route, str(status)), self._latency.labels(route, str(status)))
                    self._answers[answer] = children
                children[0].inc(len(times))
                observe_many(children[1], times)

    def tables_refused(self, *reasons: str) -> None:
        """Count why table sets, or the whole folder, were refused at a reading; no reasons: all can be used."""
        for reason in reasons:
            self._refusals[reason].inc()
        self._tables_read.set(not reasons)

    def tables_served(self, default: tuple[str, str], roles: Sequence[tuple[str, str]]) -> None:
        """Record the open tables: the ``default``, version and sha256, and pairs of a version and one of its roles."""
        for version in {version for version, _ in roles}:
            if len(self._by_version) < MOST_VERSIONS * len(_KINDS) and not self.is_label(version):
                self._count_bids_of(version)
        version, sha256 = default if self.is_label(default[0]) else (OTHER_VERSION, OTHER_VERSION)
        shown = {self._tables.labels(version, sha256)}
        for version, role in roles:
            shown.add(self._open_tables.labels(version if self.is_label(version) else OTHER_VERSION, role))
        for child in self._shown - shown:
            child.set(0)
        for child in shown:
            child.set(1)
        self._shown = shown

    def is_label(self, version: str) -> bool:
        """Return whether the version of a table set is a label; otherwise its bids count as `OTHER_VERSION`."""
        return (version, _KINDS[0]) in self._by_version

    def _count_bids_of(self, version: str) -> None:
        self._by_version |= {(version, kind): self._bids_by_tables.labels(version, kind) for kind in _KINDS}

    def text(self) -> bytes:
        """Return a new text with the metrics of this process or, if there are several workers, of all of them."""
        self.count()
        directory = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        return workers_text(Path(directory)) if directory else generate_latest(self.registry)


def workers_text(directory: Path) -> bytes:
    """Return a new text with the sum of all workers' metrics, whose files are in ``directory``."""
    _forget_the_dead(directory)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(directory))  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def _forget_the_dead(directory: Path) -> None:
    """Drop the live gauges of workers that have ended; their counters are kept."""
    for path in directory.glob("gauge_live*_*.db"):
        pid = int(path.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            with suppress(FileNotFoundError):  # another worker has removed it
                mark_process_dead(pid, str(directory))  # type: ignore[no-untyped-call]

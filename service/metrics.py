"""Metrics: the counters, gauges and histograms that Prometheus reads at GET /metrics.

All are declared in `COUNTERS`, `GAUGES` and `HISTOGRAMS`. Label values come from closed sets only (route templates,
statuses, the served policies, the fault codes), so that no caller can add series. Where the set is declared here, its
series exist from the start, with 0, so that Prometheus sees the first increase.

Each `Metrics` has its own registry, so that one process can have several. If PROMETHEUS_MULTIPROC_DIR is set (several
workers), a scrape sums the files of all workers.
"""

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from service import __version__
from service.problems import ProblemError
from spades.contract.faults import CODES
from spades.options import CONVENTIONS
from spades.policies import SERVED

# Seconds. The default buckets begin at 5 ms, but nearly all answers take less.
LATENCY_BUCKETS: Final = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25)
DECISION_BUCKETS: Final = (0.000005, 0.00001, 0.00002, 0.00005, *LATENCY_BUCKETS)
MULTIPROC_DIR: Final = "PROMETHEUS_MULTIPROC_DIR"  # the directory of the workers' metrics; prometheus_client reads it
OTHER_ROUTE: Final = "other"
_OTHER_VERSION: Final = "other"  # the label of tables that are not open
_KINDS: Final = ("regular", "nil", "blind_nil")
_BINS: Final = tuple(f"{tenth / 10:.1f}" for tenth in range(10))  # of stated probabilities, by their lower bounds

# The labels of an instrument, each with its values; None: the values are not declared here.
Labels = Mapping[str, Sequence[str] | None]
_BY_ROUTE: Final[Labels] = {"route": None, "status": None}
_BY_RESULT: Final[Labels] = {"kind": None, "policy": None, "tables": None, "bin": None}

COUNTERS: Final[dict[str, tuple[str, Labels]]] = {
    "spades_http_requests": ("Requests answered.", _BY_ROUTE),
    "spades_bids": ("Bids made.", {"kind": _KINDS, "policy": SERVED, "convention": CONVENTIONS}),
    "spades_tables_bids": ("Bids made, by the tables that decided.", {"version": None, "kind": None}),
    "spades_validation_errors": ("Faults found in requests.", {"code": tuple(CODES)}),
    "spades_shed": (
        "Requests refused before any work on them, by reason.",
        {"reason": ("capacity", "deadline", "rate", "search")},
    ),
    "spades_deadline_exceeded": ("Requests answered with 504: the deadline had passed.", {}),
    "spades_access_log_dropped": ("Access log lines dropped because the queue was full or writing failed.", {}),
    "spades_decision_log_dropped": ("Decision log lines dropped because the queue was full or writing failed.", {}),
    "spades_searches": ("Searches for cards, by result.", {"result": ("done", "failed")}),
    "spades_search_fallbacks": (
        "Cards chosen without a search because none could, by reason.",
        {"reason": ("busy", "deadline", "failed")},
    ),
    "spades_results": ("Reported outcomes with a stated probability.", _BY_RESULT),
    "spades_results_happened": ("Reported outcomes that happened.", _BY_RESULT),
    "spades_results_stated": ("Sum of the stated probabilities of outcomes.", _BY_RESULT),
}

# With several workers, the third field says how their values become one.
GAUGES: Final[dict[str, tuple[str, Labels, str]]] = {
    "spades_http_requests_in_flight": ("Requests in progress.", {}, "livesum"),
    "spades_tables_info": (
        "Version and checksum of the tables in use; the value is 1.",
        {"version": None, "sha256": None},
        "livemax",
    ),
    "spades_tables_open": (
        "1 for each open table set, with its role; 0 after its files have changed.",
        {"version": None, "role": None},
        "livemax",
    ),
    "spades_tables_last_read_successful": (
        "1 if no table set was refused when the folder of the tables was read, else 0.",
        {},
        "livemin",
    ),
    "spades_search_processes": (
        "Search processes: those that the settings want, and those that are ready or search.",
        {"state": ("wanted", "live")},
        "livesum",
    ),
    "spades_build_info": (
        "Version of the service and of Python; the value is 1.",
        {"version": None, "python": None},
        "max",
    ),
    "spades_ready": ("1 if /readyz answers 200, else 0.", {}, "livemin"),
}

HISTOGRAMS: Final[dict[str, tuple[str, Labels, Sequence[float]]]] = {
    "spades_http_request_duration_seconds": (
        "Time from a request's arrival, as the event loop's delay shows it, to the last byte handed to the server.",
        _BY_ROUTE,
        LATENCY_BUCKETS,
    ),
    "spades_decision_duration_seconds": (
        "Time that the bidding code took for a bid, including its explanation and success curve.",
        {"policy": SERVED},
        DECISION_BUCKETS,
    ),
    "spades_search_duration_seconds": (
        "Time that a search for a card took, without waiting for a process.",
        {},
        LATENCY_BUCKETS,
    ),
}


class Decided(NamedTuple):
    """One bid. ``seconds``: how long it took to decide."""

    kind: str
    policy: str
    convention: str
    version: str  # of the tables
    seconds: float


class Metrics:
    """The metrics of one process, in one registry."""

    def __init__(self) -> None:
        # the created metrics add one series per child, and nothing reads them
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._instruments: dict[str, Any] = {}
        self._children: dict[tuple[str, ...], Any] = {}  # by name and label values: `labels` takes longer than counting
        for name, (text, labels) in COUNTERS.items():
            self._add(name, Counter(name, text, labels, registry=self.registry), labels)
        for name, (text, labels, mode) in GAUGES.items():
            gauge = Gauge(name, text, labels, registry=self.registry, multiprocess_mode=mode)  # type: ignore[arg-type]
            self._add(name, gauge, labels)
        for name, (text, labels, buckets) in HISTOGRAMS.items():
            self._add(name, Histogram(name, text, labels, registry=self.registry, buckets=buckets), labels)
        self.gauge("spades_build_info", __version__, platform.python_version()).set(1)
        self._roles: Mapping[str, str] = {}  # of the open tables, by version

    def counter(self, name: str, *labels: str) -> Counter:
        """Return the counter ``name`` of `COUNTERS` with these label values."""
        child: Counter = self._child(name, *labels)
        return child

    def gauge(self, name: str, *labels: str) -> Gauge:
        """Return the gauge ``name`` of `GAUGES` with these label values."""
        child: Gauge = self._child(name, *labels)
        return child

    def histogram(self, name: str, *labels: str) -> Histogram:
        """Return the histogram ``name`` of `HISTOGRAMS` with these label values."""
        child: Histogram = self._child(name, *labels)
        return child

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count one answer on ``route`` (a template or `OTHER_ROUTE`), ``seconds`` after the request's arrival."""
        self.counter("spades_http_requests", route, str(status)).inc()
        self.histogram("spades_http_request_duration_seconds", route, str(status)).observe(seconds)

    def shed(self, reason: str) -> None:
        """Count a request that is refused before any work on it."""
        self.counter("spades_shed", reason).inc()

    def refused(self, problem: ProblemError) -> None:
        """Count the faults of a refused request, and a deadline that has passed."""
        for fault in problem.faults:
            self.counter("spades_validation_errors", fault.code).inc()
        if problem.name == "deadline-exceeded":
            self.counter("spades_deadline_exceeded").inc()

    def decided(self, bid: Decided) -> None:
        """Count one bid."""
        self.counter("spades_bids", bid.kind, bid.policy, bid.convention).inc()
        self.counter("spades_tables_bids", bid.version, bid.kind).inc()
        self.histogram("spades_decision_duration_seconds", bid.policy).observe(bid.seconds)

    def tables_opened(self, default: tuple[str, str], roles: Mapping[str, str], refused: int) -> None:
        """Record the tables that were opened at the start.

        ``default``: version and sha256; ``roles``: the role of each open version; ``refused``: sets that are not open.
        """
        self.gauge("spades_tables_info", *default).set(1)
        self.gauge("spades_tables_last_read_successful").set(not refused)
        self._roles = roles
        for version, role in roles.items():
            self.gauge("spades_tables_open", version, role).set(1)
            for kind in _KINDS:
                self.counter("spades_tables_bids", version, kind)

    def tables_changed(self, version: str) -> None:
        """Record that the files of an open table set have changed."""
        self.gauge("spades_tables_open", version, self._roles[version]).set(0)

    def text(self) -> bytes:
        """Return the metrics of this process or, if there are several workers, of all of them. Thread-safe."""
        directory = os.environ.get(MULTIPROC_DIR)
        return generate_latest(workers_registry(directory) if directory else self.registry)

    def _add(self, name: str, instrument: Any, labels: Labels) -> None:
        self._instruments[name] = instrument
        values = [values for values in labels.values() if values is not None]
        if len(values) == len(labels):
            for label_values in product(*values):
                self._child(name, *label_values)

    def _child(self, *key: str) -> Any:
        child = self._children.get(key)
        if child is None:
            name, *labels = key
            instrument = self._instruments[name]
            child = self._children[key] = instrument.labels(*labels) if labels else instrument
        return child


class ResultCounts:
    """Outcomes of one batch of POST /v1/results, added up before they are counted.

    Three counters have the same labels: the number of outcomes, the number that happened, and the sum of the stated
    probabilities. They are counted together, so that rates of the three cover the same outcomes. ``versions``: those
    of the open tables; results of others have the label `other`.
    """

    def __init__(self, metrics: Metrics, versions: Iterable[str]) -> None:
        self._metrics = metrics
        self._versions = frozenset(versions)
        self.sums: dict[tuple[str, str, str, str], list[float]] = {}  # by labels: the three numbers

    def add(self, kind: str, policy: str, version: str, stated: float, happened: bool) -> None:
        """Add one outcome with the ``stated`` probability."""
        name = _BINS[min(int(stated * len(_BINS)), len(_BINS) - 1)]
        tables = version if version in self._versions else _OTHER_VERSION
        sums = self.sums.setdefault((kind, policy, tables, name), [0.0, 0.0, 0.0])
        sums[0] += 1.0
        sums[1] += happened
        sums[2] += stated

    def count(self) -> None:
        """Count the outcomes of the batch."""
        names = ("spades_results", "spades_results_happened", "spades_results_stated")
        for labels, sums in self.sums.items():
            for name, amount in zip(names, sums, strict=True):
                self._metrics.counter(name, *labels).inc(amount)


class _Workers(MultiProcessCollector):
    """The metrics of all workers, without the live gauges of those that have ended; their counters are kept."""

    def __init__(self, directory: str) -> None:
        super().__init__(None, directory)  # type: ignore[no-untyped-call]
        self._directory = Path(directory)

    def collect(self) -> Iterable[Metric]:
        """Return the metrics."""
        for path in self._directory.glob("gauge_live*_*.db"):
            pid = int(path.stem.rpartition("_")[2])
            try:
                os.kill(pid, 0)
            except OSError:  # it has ended, or its id is now that of another user's process
                with suppress(FileNotFoundError):  # another process has removed it
                    mark_process_dead(pid, str(self._directory))  # type: ignore[no-untyped-call]
        metrics: Iterable[Metric] = super().collect()  # type: ignore[no-untyped-call]
        return metrics


def workers_registry(directory: str) -> CollectorRegistry:
    """Return a registry with the sum of the metrics of all workers, whose files are in ``directory``."""
    registry = CollectorRegistry()
    registry.register(_Workers(directory))
    return registry

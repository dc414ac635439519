"""The service's account: its counters, read across restarts, and the records of its decision log.

Counters begin at 0 when a process starts. They are read all the time; when a reading comes from another process, or a
counter has fallen, the last reading of the old process is added to a base. `Ledger.process_ended` says which answers
may be missing in it. One process, or several workers that share their metrics, answer at the address; for replicas
behind one address, sum Prometheus' `increase` instead.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any, NamedTuple

import httpx2

from loadtest.season.ledger import Ledger

COUNTERS = (
    "spades_http_requests_total",
    "spades_bids_total",
    "spades_tables_bids_total",
    "spades_results_total",
    "spades_validation_errors_total",
    "spades_decision_log_dropped_total",
    "spades_search_fallbacks_total",
    "spades_searches_total",
)
_SAMPLE = re.compile(rf"^({'|'.join(COUNTERS)})(\{{.*\}})? (\S+)$", re.MULTILINE)
_SEARCHES = re.compile(r'^spades_search_processes\{state="wanted"\} (\S+)$', re.MULTILINE)
_STARTED = re.compile(r"^process_start_time_seconds (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
TIMEOUT_S = 5.0


class Roles(NamedTuple):
    """The open table sets and their roles while one process served, from GET /version."""

    default: str
    canary: str | None
    share: float
    versions: tuple[str, ...]
    since: float  # s: a bid that was answered before is of an earlier process
    until: float  # s: a bid that was asked for later is of a later process

    @classmethod
    def of(cls, answer: dict[str, Any], since: float) -> "Roles":
        """Read an answer of GET /version."""
        roles = {one["version"]: one["roles"] for one in answer["table_sets"]}
        canary = next((version for version, of_it in roles.items() if "canary" in of_it), None)
        default = answer["tables"]["version"]
        return cls(default, canary, answer["canary_share"], tuple(sorted(roles)), since, float("inf"))


@dataclass
class Restart:
    """Two readings of the counters, between which a process ended."""

    last_read_at: float
    next_read_at: float
    unread: int  # answers that the ended process may have taken with it


@dataclass
class ServiceCounts:
    """The counters of the service since `start`. ``url``: where /metrics and /version answer."""

    url: str
    ledger: Ledger
    restarts: list[Restart] = field(default_factory=list)
    roles: list[Roles] = field(default_factory=list)
    searches: bool = False  # whether the service has search processes
    _base: Counter[str] = field(default_factory=Counter)  # of ended processes, less what was counted before the start
    _last: Counter[str] = field(default_factory=Counter)
    _process: str = ""
    _asked_at: float = 0.0

    async def start(self, http: httpx2.AsyncClient) -> None:
        """Read the counters for the first time. Raises `httpx2.HTTPError`."""
        asked_at, process, reading = await self._read(http)
        self._base.subtract(reading)
        self._asked_at, self._process, self._last = asked_at, process, reading
        self.roles.append(Roles.of((await http.get(f"{self.url}/version")).json(), 0.0))

    async def poll(self, http: httpx2.AsyncClient) -> bool:
        """Read the counters; return whether they could be read."""
        try:
            asked_at, process, reading = await self._read(http)
            fallen = any(reading[sample] < value for sample, value in self._last.items())
            if process != self._process or fallen:
                version = (await http.get(f"{self.url}/version")).json()
                read_at = time()
                self._base.update(self._last)
                unread = self.ledger.process_ended(self._asked_at, read_at)
                self.restarts.append(Restart(self._asked_at, read_at, unread))
                self.roles[-1] = self.roles[-1]._replace(until=read_at)
                self.roles.append(Roles.of(version, self._asked_at))
        except (httpx2.HTTPError, ValueError, KeyError):
            return False
        self._asked_at, self._process, self._last = asked_at, process, reading
        self.ledger.counters_read(asked_at)
        return True

    async def _read(self, http: httpx2.AsyncClient) -> tuple[float, str, Counter[str]]:
        asked_at = time()
        response = await http.get(f"{self.url}/metrics")
        response.raise_for_status()
        text = response.text
        started, wanted = _STARTED.search(text), _SEARCHES.search(text)
        self.searches = wanted is not None and float(wanted[1]) > 0.0
        reading = Counter({name + labels: float(value) for name, labels, value in _SAMPLE.findall(text)})
        if not reading:
            raise ValueError(f"{self.url}/metrics has no counters of the service")
        return asked_at, started[1] if started else "", reading

    def total(self, name: str) -> int:
        """Return the sum of a counter's samples."""
        return sum(self.by(name).values())

    def by(self, name: str, *labels: str) -> dict[tuple[str, ...], int]:
        """Return the sums of a counter by the values of some labels."""
        sums: Counter[tuple[str, ...]] = Counter()
        for sample in {*self._base, *self._last}:
            if sample.partition("{")[0] == name:
                values = dict(_LABEL.findall(sample))
                sums[tuple(values[label] for label in labels)] += round(self._base[sample] + self._last[sample])
        return dict(sums)


def decision_records(place: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a decision log: a file, or all files of a folder. A line that was cut short is left out."""
    for path in sorted(place.glob("*.jsonl")) if place.is_dir() else [place]:
        with path.open() as lines:
            for line in lines:
                if not line.strip():
                    continue
                try:
                    yield json.loads(line)
                except ValueError:
                    continue

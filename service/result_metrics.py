"""Metrics of POST /v1/results: by stated probability, how many outcomes there were and how many of them happened.

The number, the number that happened, and the sum of the stated probabilities are three counters with the same labels.
A series of each is created at the same time, so that rates of the three cover the same outcomes.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from prometheus_client import CollectorRegistry, Counter

OTHER_VERSION: Final = "other"  # the label of all tables whose version is not a label
_BINS: Final = 10
_NAMES: Final = tuple(f"{number / _BINS:.1f}" for number in range(_BINS))  # of the bins, by their lower bounds

Labels = tuple[str, str, str, int]  # kind, policy, table set, number of the bin


class Tally:
    """Outcomes of one batch, added up before they are counted. ``versions``: those that are labels."""

    def __init__(self, versions: Iterable[str]) -> None:
        self._versions = frozenset(versions)
        self.sums: dict[Labels, list[float]] = {}  # outcomes, those that happened, sum of the stated probabilities

    def add(self, kind: str, policy: str, version: str, stated: float, happened: bool) -> None:
        """Add one outcome."""
        tables = version if version in self._versions else OTHER_VERSION
        labels = (kind, policy, tables, min(int(stated * _BINS), _BINS - 1))
        sums = self.sums.get(labels)
        if sums is None:
            sums = self.sums[labels] = [0.0, 0.0, 0.0]
        sums[0] += 1.0
        sums[1] += happened
        sums[2] += stated


class _Counters(NamedTuple):
    outcomes: Counter
    happened: Counter
    stated: Counter


class ResultMetrics:
    """The counters of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("kind", "policy", "tables", "bin")
        self._all = _Counters(
            Counter("spades_results", "Reported outcomes with a stated probability.", labels, registry=registry),
            Counter("spades_results_happened", "Reported outcomes that happened.", labels, registry=registry),
            Counter("spades_results_stated", "Sum of the stated probabilities of outcomes.", labels, registry=registry),
        )
        self._children: dict[Labels, _Counters] = {}

    def count(self, tally: Tally) -> None:
        """Count the outcomes of a batch."""
        for labels, sums in tally.sums.items():
            children = self._children.get(labels)
            if children is None:
                *names, number = labels
                children = _Counters(*(counter.labels(*names, _NAMES[number]) for counter in self._all))
                self._children[labels] = children
            for child, amount in zip(children, sums, strict=True):
                child.inc(amount)

"""What a log holds: rounds, their uses, labels and faults, as counts that can be added, JSON or Markdown."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.markdown import table
from studio.reading import Batch, Fault
from studio.rounds import NO_LABEL, Names
from studio.uses import USES

EXAMPLES = 3  # shown of each kind of fault


class Summary:
    """What a log holds."""

    def __init__(self) -> None:
        self.good = 0
        self.bad = 0
        self.faults: Counter[str] = Counter()  # records by fault
        self.examples: dict[str, list[Fault]] = {}
        self.dropped: Counter[str] = Counter()
        self.uses: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()
        self.unreadable: list[str] = []  # why a file could not be read to its end
        self.joined: Counter[str] = Counter()  # of decision logs: decisions, results, repeats, dropped

    def add(self, batch: Batch, names: Names) -> None:
        """Add a batch."""
        self.good += len(batch.frame)
        self.bad += len(batch.bad)
        self.dropped += batch.dropped
        for faults in batch.faults.values():
            self.faults.update({fault.name for fault in faults})
            for fault in faults:
                self._show(fault)
        for name, (_, has) in USES.items():
            self.uses[name] += int(has(batch.rounds).sum())
        seats = np.bincount(batch.rounds.labels.ravel() - NO_LABEL, minlength=1 + len(names.labels)).tolist()
        self.labels += Counter(dict(zip(("no label", *names.labels), seats, strict=True)))

    def add_record(self, record: Mapping[str, Any]) -> None:
        """Add another summary, as `record` returns it."""
        self.good += record["good"]
        self.bad += record["bad"]
        self.faults.update(record["faults"])
        for faults in record["examples"].values():
            for fault in faults:
                self._show(Fault(**fault))
        self.dropped.update(record["dropped_fields"])
        self.uses.update(record["uses"])
        self.labels.update(record["seats_by_label"])
        self.unreadable += [text for text in record["unreadable"] if text not in self.unreadable]

    def _show(self, fault: Fault) -> None:
        shown = self.examples.setdefault(fault.name, [])
        if len(shown) < EXAMPLES:
            shown.append(fault)

    def status(self) -> int:
        """Return the exit status: 0, 1 for faults, 2 if a file could not be read, or has no rounds."""
        return 2 if self.unreadable or not self.good + self.bad else min(1, self.bad)

    def record(self) -> dict[str, Any]:
        """Return the summary as JSON values."""
        return {
            "rounds": self.good + self.bad,
            "good": self.good,
            "bad": self.bad,
            "uses": {name: self.uses[name] for name in USES},
            "seats_by_label": dict(sorted(self.labels.items())),
            "faults": dict(sorted(self.faults.items())),
            "examples": {name: [fault._asdict() for fault in shown] for name, shown in sorted(self.examples.items())},
            "dropped_fields": dict(sorted(self.dropped.items())),
            "unreadable": self.unreadable,
            "joined": dict(sorted(self.joined.items())),
        }

    def markdown(self) -> str:
        """Return the summary for readers."""
        parts = [f"{self.good + self.bad:,} rounds: {self.good:,} without a fault, {self.bad:,} with one."]
        rows = [(name, needs, f"{self.uses[name]:,}") for name, (needs, _) in USES.items()]
        parts.append(table("use | what it needs | rounds", rows))
        parts.append(table("label | seats", [(name, f"{n:,}") for name, n in sorted(self.labels.items())]))
        if self.faults:
            found = [
                (name, f"{n:,}" if i == 0 else "", f"{fault.file}:{fault.line}", _cell(fault.text))
                for name, n in sorted(self.faults.items())
                for i, fault in enumerate(self.examples[name])
            ]
            parts.append(table("fault | rounds | where | what is wrong", found))
        if self.dropped:
            names = ", ".join(f"{_cell(name)} ({n:,})" for name, n in sorted(self.dropped.items()))
            parts.append(f"Fields that are not in the format, and were dropped: {names}.")
        if self.joined:
            text = "Joined from {decisions:,} decisions and {results:,} results, of which {repeats:,} were repeats."
            lost = " The service dropped {dropped:,} lines." if self.joined["dropped"] else ""
            parts.append((text + lost).format_map(self.joined))
        parts += self.unreadable
        return "\n\n".join(part.strip() for part in parts) + "\n"


def _cell(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", "?", text).replace("|", "\\|")

"""Count a log in pieces, on several processes or machines."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays, Executor
from arena.progress import working_on
from spades.manifest import read_manifest
from spades.tableset import DEFAULT_DIRECTORY
from studio.fit.counting import Counts, RoundCounter, no_counts, shipped_profiles
from studio.fit.samples import Sample, joined
from studio.fit.segments import Segments
from studio.keys import Keys
from studio.pieces import KEYS, pieces_of, work_on
from studio.reading import Piece, read
from studio.rounds import Names

_HEAD = "head"  # the array with the JSON of what is not an array
_DIFFERENT = "different"  # the array with the different rules of a sample, whose rounds have their numbers


@dataclass
class Counted:
    """The counts of a log."""

    good: int = 0
    bad: int = 0  # records with a fault
    labels: dict[str, None] = field(default_factory=dict)
    rounds: Counter[str] = field(default_factory=Counter)  # by segment
    seats: Counter[str] = field(default_factory=Counter)
    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)  # by segment and table profile
    samples: dict[str, Sample] = field(default_factory=dict)  # by segment

    @property
    def segments(self) -> list[str]:
        """The names of the segments that have seats."""
        return sorted(name for name, seats in self.seats.items() if seats)


def count_log(files: Sequence[Path], segments: Segments, folder: Path, executor: Executor) -> Counted:
    """Return the counts of all files; finished pieces are kept in ``folder``. Raises `BuildError`."""

    def work(piece: Piece, seen: NDArray[np.uint64]) -> dict[str, Any]:
        return _count_piece(piece, seen, segments)

    counted, options = Counted(), (segments, read_manifest(DEFAULT_DIRECTORY).sha256)
    with (
        work_on(pieces_of(files), work, options, folder, executor, "studio fit") as found,
        working_on("studio fit: add up the pieces"),
    ):
        for part in found:
            _add(counted, part)
    return counted


def _count_piece(piece: Piece, seen: NDArray[np.uint64], segments: Segments) -> dict[str, Any]:
    counter, names, keys = RoundCounter(shipped_profiles(), segments), Names(), Keys()
    keys.repeated(seen)
    good, bad, hashes = 0, 0, [np.zeros(0, np.uint64)]
    for batch in read(piece, names, keys):
        bad += len(batch.bad)
        if len(batch.frame):
            good += len(batch.rounds.keys)
            hashes.append(batch.rounds.keys)
            counter.add(batch.rounds, names)
    head: dict[str, Any] = {"good": good, "bad": bad, "labels": names.labels}
    head |= {"rounds": counter.rounds, "seats": counter.seats, "counts": [], "samples": list(counter.samples)}
    arrays: dict[str, Any] = {KEYS: np.concatenate(hashes)}
    for number, (names_of, counts) in enumerate(counter.counts.items()):
        head["counts"].append(names_of)
        for name, array in counts._asdict().items():  # most cells are 0
            cells = np.flatnonzero(array)
            arrays |= {f"cells-{number}-{name}": cells, f"values-{number}-{name}": array.ravel()[cells]}
    for number, sample in enumerate(counter.samples.values()):
        arrays |= {f"sample-{number}-{name}": array for name, array in _packed(sample).items()}
    return arrays | {_HEAD: np.frombuffer(json.dumps(head).encode(), np.uint8)}


def _add(counted: Counted, part: Arrays) -> None:
    head = json.loads(part[_HEAD].tobytes())
    counted.good += head["good"]
    counted.bad += head["bad"]
    counted.labels |= dict.fromkeys(head["labels"])
    counted.rounds.update(head["rounds"])
    counted.seats.update(head["seats"])
    for number, (segment, profile) in enumerate(head["counts"]):
        counts = counted.counts.setdefault((segment, profile), no_counts())
        for name, array in counts._asdict().items():
            array.ravel()[part[f"cells-{number}-{name}"]] += part[f"values-{number}-{name}"]
    for number, segment in enumerate(head["samples"]):
        sample = _unpacked({name: part[f"sample-{number}-{name}"] for name in (*Sample._fields, _DIFFERENT)})
        if segment in counted.samples:
            sample = joined([counted.samples[segment], sample])
        counted.samples[segment] = sample


def _packed(sample: Sample) -> dict[str, NDArray[Any]]:
    # The arrays of a sample, where each of the rules is written once.
    numbers, different = np.full(len(sample.rules), -1, np.int32), []
    while len(rows := np.flatnonzero(numbers < 0)):
        different.append(sample.rules[rows[0]])
        numbers[rows[(sample.rules[rows] == different[-1]).all(axis=1)]] = len(different) - 1
    rules = np.array(different, sample.rules.dtype).reshape(-1, sample.rules.shape[1])
    return sample._asdict() | {"rules": numbers, _DIFFERENT: rules}


def _unpacked(arrays: dict[str, NDArray[Any]]) -> Sample:
    rules = arrays.pop(_DIFFERENT)
    return Sample(**arrays | {"rules": rules[arrays["rules"]]})

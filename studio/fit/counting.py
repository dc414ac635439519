"""Counts of a log's rounds, and a sample of them, for each segment: tables are fitted to these.

Segments are groups of seats, formed by the labels of the seat and of its partner. Counts are kept by table profile, and
twice: of the games that a table is fitted on, and of those held out, which choose how far the table may move away from
the shipped one. A hash of the game's id decides, so all rounds of a game fall into the same part. The sample is for
fits that read whole rounds. It has the rounds with the lowest hashes, so that it does not depend on the order in which
a log is read. A log is counted in pieces (`pieces`), on several processes or machines.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays, Executor
from arena.counters import (
    AUCTIONS,
    BID_SUMS,
    auctions_of,
    count_aces,
    count_blind_nils,
    count_cards,
    count_contracts,
    count_later_bids,
    count_nils,
    nil_values,
)
from arena.engine.simulate import KernelTables, tables_for
from arena.errors import BuildError
from arena.progress import working_on
from spades.bis import GRID
from spades.inference import PRIOR_COLUMNS, reads_bids
from spades.legal import BLIND_NIL, NIL
from spades.options import Policy
from spades.rules import Rules
from spades.tables import PROFILES, SEQUENCES, Tables, plain_profile
from studio.pieces import KEYS, pieces_of, work_on
from studio.reading import Piece, read
from studio.round_log import LABEL_FIELDS
from studio.rounds import NO_LABEL, NO_POINTS, NO_TRICKS, Keys, Names, Rounds, rows_of_log
from studio.sets import shipped_profiles, shipped_set

PARTNER = "partner."
FIELDS = (*LABEL_FIELDS, *(f"{PARTNER}{name}" for name in LABEL_FIELDS))
EVERY = "all"  # name of the only segment, without `by`
MOST_SEGMENTS = 32
MOST_ROUNDS = 200_000  # in a sample
HELD_OUT = 5  # one game in five is held out
BINS = GRID + 1
POLICY = Policy()  # whose nil values are counted
_HEAD = "head"  # the array with the JSON of what is not an array
_DIFFERENT = "different"  # the array with the different rules of a sample, whose rounds have their numbers


class Segments(NamedTuple):
    """Which seats are used (``label``), and by which label fields they are grouped into segments (``by``)."""

    label: tuple[str, ...] = ()  # what the labels must contain, such as kind=human or partner.kind=bot
    by: tuple[str, ...] = ()  # some of FIELDS; seats of a segment have the same values of them

    def split(self, labels: NDArray[np.int32], names: Names) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Yield the segments of rounds, each with the seats (n, 4) that belong to it.

        ``labels``: as in `Rounds`. Raises `BuildError` if there are more than MOST_SEGMENTS.
        """
        own_numbers = labels.astype(np.int64) - NO_LABEL  # 0: no label, otherwise 1 + index in names.labels
        # One number for the labels of the seat and of its partner.
        label_pairs = own_numbers * (len(names.labels) + 1) + np.roll(own_numbers, 2, axis=1)
        pairs_by_segment: dict[str, list[int]] = {}
        for pair in np.unique(label_pairs).tolist():
            seat, partner = (
                _values(names.labels[number - 1]) if number else {} for number in divmod(pair, len(names.labels) + 1)
            )
            values = seat | {f"{PARTNER}{name}": value for name, value in partner.items()}
            if set(self.label) <= {f"{name}={value}" for name, value in values.items()}:
                pairs_by_segment.setdefault(self._name(values), []).append(pair)
        if len(pairs_by_segment) > MOST_SEGMENTS:
            raise BuildError(f"--by gives {len(pairs_by_segment)} segments; accepted: {MOST_SEGMENTS} at most")
        for name, pairs in sorted(pairs_by_segment.items()):
            yield name, np.isin(label_pairs, pairs)

    def _name(self, values: dict[str, str]) -> str:
        return ",".join(f"{name}={values[name]}" if name in values else f"no {name}" for name in self.by) or EVERY


def read_segments(label: str | None, by: str | None) -> Segments:
    """Return the segments of the options --label and --by. Raises `BuildError`."""
    parts = tuple(label.split(",")) if label else ()
    fields = tuple(by.split(",")) if by else ()
    for part in parts:
        name, equals, value = part.partition("=")
        if name not in FIELDS or not equals or not value:
            raise BuildError(f"--label has {part!r}; accepted: FIELD=VALUE, where FIELD is one of {', '.join(FIELDS)}")
    for name in fields:
        if name not in FIELDS:
            raise BuildError(f"--by has {name!r}; accepted: {', '.join(FIELDS)}")
    return Segments(parts, fields)


def _values(label: str) -> dict[str, str]:
    # The fields of a label of `Names`. A value has no comma.
    return dict(part.split("=", 1) for part in label.split(","))


class Sample(NamedTuple):
    """n rounds with tricks and scores, in the order of their hashes. Seats are in bidding order."""

    keys: Any  # uint64 (n,): hash of game and round
    games: Any  # uint64 (n,): hash of the game's id
    rules: Any  # int32 (n, fields of `Rules`)
    hands: Any  # int64 (n, 4): bit masks; 0 if not known
    bids: Any  # int8 (n, 4)
    tricks: Any  # int8 (n, 4)
    scores: Any  # int16 (n, 2)
    bags: Any  # int8 (n, 2); 0 if not known
    winner: Any  # int8 (n,): 0 if the side of seats 0 and 2 won the game, 1 for the other, or NO_WINNER
    chosen: Any  # bool (n, 4): the seats of the segment


def sample_of(rounds: Rounds, chosen: NDArray[np.bool_], names: Names) -> Sample:
    """Return the rounds of a batch that belong in the sample; ``chosen`` (n, 4): the seats that count."""
    known = (rounds.tricks[:, 0] != NO_TRICKS) & (rounds.scores[:, 0] != NO_POINTS)
    rows = np.flatnonzero(chosen.any(axis=1) & known)
    rules = np.array(names.rules, np.int32).reshape(len(names.rules), -1)[rounds.rules[rows]]
    parts = rounds.hands, rounds.bids, rounds.tricks, rounds.scores, np.maximum(rounds.bags, 0), rounds.winner, chosen
    return _lowest(Sample(rounds.keys[rows], rounds.games[rows], rules, *(part[rows] for part in parts)))


def joined(samples: Sequence[Sample]) -> Sample:
    """Return the sample of the rounds of all samples."""
    return samples[0] if len(samples) == 1 else _lowest(Sample(*map(np.concatenate, zip(*samples, strict=True))))


def rows_of(sample: Sample, rows: NDArray[Any]) -> Sample:
    """Return some rounds; ``rows``: their indices, or whether each belongs to them."""
    return Sample(*(part[rows] for part in sample))


def by_rules(sample: Sample) -> Iterator[tuple[Rules, Sample]]:
    """Yield the different rules of a sample, each with its rounds."""
    for row in np.unique(sample.rules, axis=0):
        yield Rules(*row.tolist()), rows_of(sample, (sample.rules == row).all(axis=1))


def _lowest(sample: Sample) -> Sample:
    return rows_of(sample, np.argsort(sample.keys, kind="stable")[:MOST_ROUNDS])


class Counts(NamedTuple):
    """What is counted; the first axis is 0 for the games to fit on and 1 for those held out."""

    nils: Any  # float64 (2, SEQUENCES, BINS, 2): by previous bids and nil value: total number, and number made
    bids: Any  # float64 (2, SEQUENCES, 4): auctions, and the sums of the next three bids
    bid_squares: Any  # float64 (2, SEQUENCES, 3): sums of the squares of the next three bids
    contracts: Any  # float64 (2, 2, 27, 2): by whether a partner bid nil, and contract: total number, and number made
    # float64 (2, 4, BID_SUMS, 2): hands by seat and sum of the previous bids: total number, and number with the ace
    aces: Any
    holders: Any  # int64 (2, AUCTIONS, 4, PRIOR_COLUMNS): the cards of each bidder, by the four bids
    blind_nils: Any  # float64 (2, SEQUENCES, 2): by previous bids: total number, and number made


def no_counts() -> Counts:
    """Return counts of nothing."""
    return Counts(
        np.zeros((2, SEQUENCES, BINS, 2)),
        np.zeros((2, SEQUENCES, 4)),
        np.zeros((2, SEQUENCES, 3)),
        np.zeros((2, 2, 27, 2)),
        np.zeros((2, 4, BID_SUMS, 2)),
        np.zeros((2, AUCTIONS, 4, PRIOR_COLUMNS), np.int64),
        np.zeros((2, SEQUENCES, 2)),
    )


@dataclass
class Counted:
    """The counts of a log, or of a part of it."""

    good: int = 0
    bad: int = 0  # records with a fault
    labels: dict[str, None] = field(default_factory=dict)
    rounds: Counter[str] = field(default_factory=Counter)  # by segment
    seats: Counter[str] = field(default_factory=Counter)  # whose bids count
    counts: dict[tuple[str, str], Counts] = field(default_factory=dict)  # by segment and table profile
    parts: dict[str, list[Sample]] = field(default_factory=dict)  # of the samples, by segment, not joined yet

    @property
    def samples(self) -> dict[str, Sample]:
        """The samples by segment."""
        return {segment: joined(parts) for segment, parts in self.parts.items()}

    @property
    def segments(self) -> list[str]:
        """The names of the segments that have seats."""
        return sorted(name for name, seats in self.seats.items() if seats)

    def add(self, rounds: Rounds, names: Names, segments: Segments, profiles: tuple[Tables, ...]) -> None:
        """Count the rounds of a batch; ``profiles``: the shipped tables. Raises `BuildError`."""
        self.good += len(rounds.keys)
        held_out = is_held_out(rounds.games)
        for segment, chosen in segments.split(rounds.labels, names):
            some = chosen.any(axis=1)
            self.rounds[segment] += int(some.sum())
            self.seats[segment] += int(chosen.sum())
            self._add_sample(segment, sample_of(rounds, chosen, names))
            for number in np.unique(rounds.rules[some]).tolist():
                rules, of_rules = names.rules[number], (rounds.rules == number) & some
                counts = self._counts(segment, PROFILES[plain_profile(rules)])
                tables = tables_for(profiles, rules, [POLICY])
                for part, in_part in enumerate((~held_out, held_out)):
                    rows = np.flatnonzero(of_rules & in_part)
                    if len(rows):
                        count_rounds(rows_of_log(rounds, rows), chosen[rows], rules, tables, counts, part)

    def add_arrays(self, part: Arrays) -> None:
        """Add other counts, as `arrays` returns them."""
        head = json.loads(part[_HEAD].tobytes())
        self.good += head["good"]
        self.bad += head["bad"]
        self.labels |= dict.fromkeys(head["labels"])
        self.rounds.update(head["rounds"])
        self.seats.update(head["seats"])
        for number, (segment, profile) in enumerate(head["counts"]):
            for name, array in self._counts(segment, profile)._asdict().items():
                array.ravel()[part[f"cells-{number}-{name}"]] += part[f"values-{number}-{name}"]
        for number, segment in enumerate(head["samples"]):
            arrays = {name: part[f"sample-{number}-{name}"] for name in Sample._fields}
            arrays["rules"] = part[f"sample-{number}-{_DIFFERENT}"][arrays["rules"]]
            self._add_sample(segment, Sample(**arrays))

    def arrays(self) -> dict[str, Any]:
        """Return the counts as arrays, for `add_arrays`; only the cells that are not 0, and each of the rules once."""
        head = {
            "good": self.good,
            "bad": self.bad,
            "labels": [*self.labels],
            "rounds": self.rounds,
            "seats": self.seats,
        }
        head |= {"counts": [*self.counts], "samples": [*self.parts]}
        arrays: dict[str, Any] = {_HEAD: np.frombuffer(json.dumps(head).encode(), np.uint8)}
        for number, counts in enumerate(self.counts.values()):
            for name, array in counts._asdict().items():
                cells = np.flatnonzero(array)
                arrays |= {f"cells-{number}-{name}": cells, f"values-{number}-{name}": array.ravel()[cells]}
        for number, sample in enumerate(self.samples.values()):
            numbers, different = _numbered(sample.rules)
            packed = sample._asdict() | {"rules": numbers, _DIFFERENT: different}
            arrays |= {f"sample-{number}-{name}": array for name, array in packed.items()}
        return arrays

    def _counts(self, segment: str, profile: str) -> Counts:
        return self.counts.setdefault((segment, profile), no_counts())

    def _add_sample(self, segment: str, sample: Sample) -> None:
        parts = self.parts.setdefault(segment, [])
        parts.append(sample)
        if sum(len(part.keys) for part in parts) > 2 * MOST_ROUNDS:
            self.parts[segment] = [joined(parts)]


def _numbered(rules: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    # The number of each row, and the different rows. They are few, so this is faster than sorting with `np.unique`.
    numbers, different = np.full(len(rules), -1, np.int32), []
    while len(rows := np.flatnonzero(numbers < 0)):
        different.append(rules[rows[0]])
        numbers[rows[(rules[rows] == different[-1]).all(axis=1)]] = len(different) - 1
    return numbers, np.array(different, rules.dtype).reshape(-1, rules.shape[1])


def count_rounds(
    rounds: NDArray[np.void], chosen: NDArray[np.bool_], rules: Rules, tables: KernelTables, counts: Counts, part: int
) -> None:
    """Add rounds of a log to a part of ``counts``; ``chosen`` (n, 4): the seats whose bids count."""
    auctions = auctions_of(rounds)
    bids, hands, tricks = (rounds[field].astype(np.int64) for field in ("bids", "hands", "tricks"))
    known, held = tricks[:, :1] != NO_TRICKS, hands != 0
    count_later_bids(counts.bids[part], rounds, auctions, counts.bid_squares[part], chosen)
    count_aces(counts.aces[part], rounds, auctions, chosen & held)
    blind = chosen & known & (bids == BLIND_NIL)
    count_blind_nils(counts.blind_nils[part], auctions.sequences[blind], tricks[blind] == 0)
    rows, seats = np.nonzero(chosen & known & held & (bids == NIL))
    values, _ = nil_values(rounds[rows], seats, rules, POLICY, tables)
    count_nils(counts.nils[part], auctions.sequences[rows, seats], values, tricks[rows, seats] == 0)
    finished = known[:, 0]
    count_contracts(counts.contracts[part], rounds[finished], chosen[finished])
    if reads_bids(rules):
        count_cards(counts.holders[part], rounds[held.all(axis=1)])


def is_held_out(games: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which games are held out; ``games``: hashes of their ids."""
    held_out: NDArray[np.bool_] = games % np.uint64(HELD_OUT) == 0
    return held_out


def count_log(files: Sequence[Path], segments: Segments, folder: Path, executor: Executor) -> Counted:
    """Return the counts of all files; finished pieces are kept in ``folder``. Raises `BuildError` if no seat counts."""

    def work(piece: Piece, seen: NDArray[np.uint64]) -> dict[str, Any]:
        return _count_piece(piece, seen, segments)

    counted, options = Counted(), (segments, shipped_set().sha256)
    with (
        work_on(pieces_of(files), work, options, folder, executor, "studio fit") as found,
        working_on("studio fit: add up the pieces"),
    ):
        for part in found:
            counted.add_arrays(part)
    if not counted.good:
        bad = f"{counted.bad:,} with one"
        raise BuildError(f"found no round without a fault, and {bad}; accepted: logs that have rounds")
    if not counted.segments:
        labels = "; ".join(counted.labels) or "none, as the log has no labels"
        raise BuildError(f"found no seat with label {','.join(segments.label)!r}; accepted: parts of {labels}")
    return counted


def _count_piece(piece: Piece, seen: NDArray[np.uint64], segments: Segments) -> dict[str, Any]:
    counted, names, keys = Counted(), Names(), Keys()
    keys.repeated(seen)
    hashes = [seen[:0]]
    for batch in read(piece, names, keys):
        counted.bad += len(batch.bad)
        if len(batch.frame):
            hashes.append(batch.rounds.keys)
            counted.add(batch.rounds, names, segments, shipped_profiles())
    counted.labels |= dict.fromkeys(names.labels)
    return counted.arrays() | {KEYS: np.concatenate(hashes)}

"""Counts of a log's rounds for each segment and table profile. Tables are fitted to these counts.

Counts are kept twice: of the games that a table is fitted on, and of those held out, which choose how far the table may
move away from the shipped one. A hash of the game's id decides, so all rounds of a game fall into the same part.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from arena.engine.simulate import KernelTables, kernel_tables, tables_for
from spades.bis import GRID
from spades.inference import PRIOR_COLUMNS, reads_bids
from spades.legal import BLIND_NIL, NIL
from spades.options import Policy
from spades.rules import Rules
from spades.tables import PROFILES, SEQUENCES, Tables, plain_profile
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from studio.fit.samples import MOST_ROUNDS, Sample, joined, sample_of
from studio.fit.segments import Segments
from studio.rounds import NO_TRICKS, Names, Rounds, rows_of_log

HELD_OUT = 5  # one game in five is held out
BINS = GRID + 1
EVERY_SEAT = Segments()


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


@cache
def shipped_profiles() -> tuple[Tables, ...]:
    """Return the shipped tables by profile, for compiled code."""
    return kernel_tables(open_tables(DEFAULT_DIRECTORY).arrays)


class RoundCounter:
    """Counts rounds by segment and table profile."""

    def __init__(self, profiles: tuple[Tables, ...], segments: Segments = EVERY_SEAT) -> None:
        self._profiles = profiles
        self._segments = segments
        self.counts: dict[tuple[str, str], Counts] = {}  # by segment and profile
        self._samples: dict[str, list[Sample]] = {}  # by segment, not joined yet
        self.rounds: dict[str, int] = {}
        self.seats: dict[str, int] = {}  # number of seats whose bids count, by segment

    @property
    def samples(self) -> dict[str, Sample]:
        """The samples by segment."""
        return {segment: joined(samples) for segment, samples in self._samples.items()}

    def add(self, rounds: Rounds, names: Names) -> None:
        """Count the rounds of a batch. Raises `BuildError`."""
        for segment, chosen in self._segments.split(rounds.labels, names):
            some = chosen.any(axis=1)
            self.rounds[segment] = self.rounds.get(segment, 0) + int(some.sum())
            self.seats[segment] = self.seats.get(segment, 0) + int(chosen.sum())
            for number in np.unique(rounds.rules[some]).tolist():
                rows = np.flatnonzero((rounds.rules == number) & some)
                self._count(segment, rows, names.rules[number], rounds, chosen)
            samples = self._samples.setdefault(segment, [])
            samples.append(sample_of(rounds, chosen, names))
            if sum(len(sample.keys) for sample in samples) > 2 * MOST_ROUNDS:
                self._samples[segment] = [joined(samples)]

    def _count(self, segment: str, rows: Any, rules: Rules, rounds: Rounds, chosen: NDArray[np.bool_]) -> None:
        counts = self.counts.setdefault((segment, PROFILES[plain_profile(rules)]), no_counts())
        held_out = is_held_out(rounds.games[rows]).astype(np.int64)
        policy = Policy()
        tables = tables_for(self._profiles, rules, [policy])
        for part in range(2):
            own = rows[held_out == part]
            if len(own):
                count_log(rows_of_log(rounds, own), chosen[own], rules, policy, tables, counts, part)


def count_log(
    rounds: NDArray[np.void],
    chosen: NDArray[np.bool_],
    rules: Rules,
    policy: Policy,
    tables: KernelTables,
    counts: Counts,
    part: int,
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
    values, _ = nil_values(rounds[rows], seats, rules, policy, tables)
    count_nils(counts.nils[part], auctions.sequences[rows, seats], values, tricks[rows, seats] == 0)
    finished = known[:, 0]
    count_contracts(counts.contracts[part], rounds[finished], chosen[finished])
    if reads_bids(rules):
        count_cards(counts.holders[part], rounds[held.all(axis=1)])


def is_held_out(games: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which games are held out; ``games``: hashes of their ids."""
    held_out: NDArray[np.bool_] = games % np.uint64(HELD_OUT) == 0
    return held_out

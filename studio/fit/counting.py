"""Counts of a log's rounds for each segment and table profile. Tables are fitted to these counts.

Counts are kept twice: of the games that a table is fitted on, and of those held out, which choose how far the table may
move away from the shipped one. A hash of the game's id decides, so all rounds of a game fall into the same part.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.bid_deals import BidDeals
from arena.engine.choose_bid import auction_at
from arena.engine.jit import entry
from arena.engine.simulate import kernel_tables
from arena.engine.states import STATE
from spades.bis import GRID, NilTerms, consider_nil
from spades.cards import ACE, FIRST_SPADE, suits_of
from spades.inference import PRIOR_COLUMNS, reads_bids
from spades.legal import BLIND_NIL, EVERY_BID, NIL, contract_of, extra_spades_of, is_nil
from spades.options import RAW, Policy
from spades.rules import Rules
from spades.tables import PROFILES, SEQUENCES, Tables, plain_profile
from spades.tableset import DEFAULT_DIRECTORY, open_tables
from studio.fit.samples import MOST_ROUNDS, Sample, joined, sample_of
from studio.fit.segments import Segments
from studio.rounds import NO_TRICKS, Names, Rounds
from tables.counts import AUCTIONS, BID_SUMS, CLASSES, count_cards

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


def _count(
    rows: Any, rules: Rules, policy: Policy, tables: Tables, rounds: Any, chosen: Any, states: Any, counts: Counts
) -> None:
    # rounds: hands, bids, tricks and held_out (n,). chosen (n, 4): the seats whose bids count.
    hands, bids, tricks, held_out = rounds
    state = states[0]
    terms = NilTerms(0.0, RAW, policy.spade_honours, 1, extra_spades_of(rules.variant, rules))
    for row in rows:
        part = held_out[row]
        known = tricks[row, 0] != NO_TRICKS
        for seat in range(4):
            state.bid[seat] = bids[row, seat]
        for seat in range(4):
            if not chosen[row, seat]:
                continue
            auction = auction_at(state, seat)
            counts.bids[part, auction.sequence, 0] += 1
            for later in range(seat, min(4, seat + 3)):
                tricks_bid = contract_of(bids[row, later])
                counts.bids[part, auction.sequence, 1 + later - seat] += tricks_bid
                counts.bid_squares[part, auction.sequence, later - seat] += tricks_bid * tricks_bid
            if bids[row, seat] == BLIND_NIL and known:
                counts.blind_nils[part, auction.sequence, 0] += 1
                counts.blind_nils[part, auction.sequence, 1] += 1 if tricks[row, seat] == 0 else 0
            hand = hands[row, seat]
            if hand == 0:
                continue
            total = auction.sum_of_bids
            counts.aces[part, seat, total, 0] += 1
            counts.aces[part, seat, total, 1] += hand >> (FIRST_SPADE + ACE) & 1
            if bids[row, seat] == NIL and known:
                nil = consider_nil(suits_of(hand), auction, terms, EVERY_BID, rules, tables)
                cell = int(nil.value * GRID)
                counts.nils[part, auction.sequence, cell, 0] += 1
                counts.nils[part, auction.sequence, cell, 1] += 1 if tricks[row, seat] == 0 else 0
        if known:
            for side in range(2):
                if not (chosen[row, side] or chosen[row, side + 2]):
                    continue
                contract = contract_of(bids[row, side]) + contract_of(bids[row, side + 2])
                with_nil = 0
                made = 0
                for seat in range(side, 4, 2):
                    if is_nil(bids[row, seat]):
                        with_nil = 1
                    else:
                        made += tricks[row, seat]
                counts.contracts[part, with_nil, contract, 0] += 1
                counts.contracts[part, with_nil, contract, 1] += 1 if made >= contract else 0


_count_rows = entry(_count)


@cache
def shipped_profiles() -> tuple[Tables, ...]:
    """Return the shipped tables by profile, for compiled code."""
    return kernel_tables(open_tables(DEFAULT_DIRECTORY).arrays)


class RoundCounter:
    """Counts rounds by segment and table profile."""

    def __init__(self, profiles: tuple[Tables, ...], segments: Segments = EVERY_SEAT) -> None:
        self._profiles = profiles
        self._segments = segments
        self._states = np.zeros(1, STATE)
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
        profile = plain_profile(rules)
        counts = self.counts.setdefault((segment, PROFILES[profile]), no_counts())
        held_out = is_held_out(rounds.games).astype(np.int64)
        parts = rounds.hands, rounds.bids, rounds.tricks, held_out
        _count_rows(rows, rules, Policy(), self._profiles[profile], parts, chosen, self._states, counts)
        if reads_bids(rules):
            whole = rows[(rounds.hands[rows] != 0).all(axis=1)]
            for part in range(2):
                own = whole[held_out[whole] == part]
                made = BidDeals(rounds.hands[own], rounds.bids[own], np.zeros((len(own), 4), np.int16))
                count_cards(made, CLASSES, counts.holders[part])


def is_held_out(games: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which games are held out; ``games``: hashes of their ids."""
    held_out: NDArray[np.bool_] = games % np.uint64(HELD_OUT) == 0
    return held_out

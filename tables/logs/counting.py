"""Counts of a log's rounds, from which tables are fitted: nils, bids, contracts and aces of spades.

Counts are kept twice: of the games that a table is fitted on, and of those held out, which choose how far the table may
move away from the shipped one. A hash of the game's id decides, so that all rounds of a game are on one side.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from service.bidding.bis.nil import GRID, NilTerms, consider_nil
from service.bidding.game.auction import SEQUENCES
from service.bidding.game.cards import ACE, FIRST_SPADE, suits_of
from service.bidding.game.legal import EVERY_BID
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import NIL, contract_of, is_nil
from service.bidding.game.variants import ranks_above_ace
from service.bidding.policy import RAW, Policy
from service.bidding.table_profile import PROFILES, plain_profile
from service.bidding.table_views import Tables
from tables.builders.ace_of_spades import SUMS
from tables.engine.choose_bid import auction_at
from tables.engine.jit import entry
from tables.engine.states import STATE
from tables.logs.rounds import NO_TRICKS, Names, Rounds

HELD_OUT = 5  # one game in so many
BINS = GRID + 1


class Counts(NamedTuple):
    """What is counted; the first axis is 0 for the games to fit on and 1 for those held out."""

    nils: Any  # float64 (2, SEQUENCES, BINS, 2): by previous bids and nil value: all, and those made
    bids: Any  # float64 (2, SEQUENCES, 4): auctions, and the sums of the next three bids
    bid_squares: Any  # float64 (2, SEQUENCES, 3): sums of the squares of the next three bids
    contracts: Any  # float64 (2, 2, 27, 2): by whether a partner bid nil, and contract: all, and those made
    aces: Any  # float64 (2, 4, SUMS, 2): hands by seat and sum of the previous bids: all, and with the ace of spades


def no_counts() -> Counts:
    """Return counts of nothing."""
    return Counts(
        np.zeros((2, SEQUENCES, BINS, 2)),
        np.zeros((2, SEQUENCES, 4)),
        np.zeros((2, SEQUENCES, 3)),
        np.zeros((2, 2, 27, 2)),
        np.zeros((2, 4, SUMS, 2)),
    )


def _count(
    rows: Any, rules: Rules, policy: Policy, tables: Tables, rounds: Any, chosen: Any, states: Any, counts: Counts
) -> None:
    # rounds: hands, bids, tricks and held_out (n,). chosen (n, 4): the seats whose bids count.
    hands, bids, tricks, held_out = rounds
    state = states[0]
    terms = NilTerms(0.0, RAW, policy.spade_honours, 1, ranks_above_ace(rules.variant, rules))
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


class Counter:
    """Counts batches of a log, by table profile."""

    def __init__(self, profiles: tuple[Tables, ...], label: str | None = None) -> None:
        self._profiles = profiles
        self._label = label
        self._states = np.zeros(1, STATE)
        self.by_profile: dict[str, Counts] = {}
        self.rounds = 0
        self.seats = 0  # whose bids count

    def add(self, rounds: Rounds, names: Names) -> None:
        """Count the rounds of a batch; with a label, only bids and nils of seats that have it."""
        chosen = self.chosen(rounds.labels, names)
        self.rounds += int(chosen.any(axis=1).sum())
        self.seats += int(chosen.sum())
        held_out = (rounds.games % np.uint64(HELD_OUT) == 0).astype(np.int64)
        for number in np.unique(rounds.rules).tolist():
            rules = names.rules[number]
            profile = plain_profile(rules)
            counts = self.by_profile.setdefault(PROFILES[profile], no_counts())
            rows = np.flatnonzero((rounds.rules == number) & chosen.any(axis=1))
            parts = rounds.hands, rounds.bids, rounds.tricks, held_out
            _count_rows(rows, rules, Policy(), self._profiles[profile], parts, chosen, self._states, counts)

    def chosen(self, labels: NDArray[np.int32], names: Names) -> NDArray[np.bool_]:
        """Return which seats (n, 4) have the label: all its parts, such as kind=human, are among theirs."""
        if self._label is None:
            return np.ones(labels.shape, np.bool_)
        wanted = set(self._label.split(","))
        numbers = [number for number, label in enumerate(names.labels) if wanted <= set(label.split(","))]
        return np.isin(labels, numbers)

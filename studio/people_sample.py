"""Bids of a log as a model of people sees them: inputs, bid and label, and the split of the games.

One game in HELD_OUT judges the model. Of the others, one in CHOOSING chooses how long the model is trained, and the
rest trains it. A hash of the game's id decides, so that all rounds of a game have the same purpose.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.mixing import mixed
from arena.engine.states import STATE
from arena.people.bid_net import Seen
from arena.people.inputs import NIL_VALUE_AT, P_NIL_AT, STEPS
from arena.people.seeing import positions
from arena.people.successes import contract_features, nil_features
from spades.legal import BLIND_NIL, NIL
from spades.tables import Tables
from studio.fit.counting import HELD_OUT
from studio.people import card_play
from studio.people.success_fit import Cases, Correction, learn
from studio.rounds import NO_LABEL, NO_POINTS, NO_TRICKS, Names, Rounds

CHOOSING = 10
MOST_REPLAYED = 20_000  # rounds that are kept to be played again
MOST_BIDS = 2_000_000  # bids that are kept; of labels with more bids than others, only a random part is kept
EVERY = 2**64 - 1


class Sample(NamedTuple):
    """n bids; `Seen.labels` are the log's label numbers plus 1, so that 0 has no label."""

    seen: Seen
    bids: NDArray[np.int8]  # (n,)
    games: NDArray[np.uint64]  # (n,)
    keys: NDArray[np.uint64]  # (n,): hash of the round and the seat
    results: NDArray[np.int8]  # (n, 3): own tricks and partner's, or NO_TRICKS, and partner's bid


class BidCollector:
    """Collects the bids of batches of a log."""

    def __init__(self, profiles: tuple[Tables, ...]) -> None:
        self._profiles = profiles
        self._parts: list[Sample] = []
        self._limits: dict[int, int] = {}  # by label: seats with a larger hash are left out
        self._sizes: dict[int, int] = {}  # by label: bids kept
        self._replayed: dict[int, list[Any]] = {}  # by number of the rules, columns of `card_play.Rounds` and keys
        self._limit = EVERY
        self.rounds = 0
        self.blind: dict[int, list[int]] = {}  # by label: blind nils, and bids by players who were far enough behind

    def add(self, rounds: Rounds, names: Names) -> None:
        """Add the rounds of a batch that have scores: the bids of seats whose hand is known."""
        if not len(rounds.bids):
            return
        labels = rounds.labels - NO_LABEL
        usable = (rounds.hands != 0) & (rounds.scores[:, :1] != NO_POINTS)
        self._add_blind(rounds, labels, usable, names)
        keys = mixed(rounds.keys[:, None] + np.arange(1, 5, dtype=np.uint64))
        known = np.unique(labels)
        limits = np.zeros(int(known.max()) + 1, np.uint64)
        limits[known] = [self._limits.setdefault(label, EVERY) for label in known.tolist()]
        chosen = usable & (rounds.bids != BLIND_NIL) & (keys <= limits[labels])
        self.rounds += int(usable.any(axis=1).sum())
        for number in np.unique(rounds.rules).tolist():
            rules = names.rules[number]
            places = np.argwhere(chosen & (rounds.rules == number)[:, None])
            rows, seats = places[:, 0], places[:, 1]
            states = np.zeros(len(places), STATE)
            states["hand"][np.arange(len(places)), seats] = rounds.hands[rows, seats]
            states["bid"], states["score"] = rounds.bids[rows], rounds.scores[rows]
            states["bags"] = np.maximum(0, rounds.bags[rows])
            seen = positions(states, seats, rules, self._profiles)
            seen = seen._replace(x=seen.x.astype(np.float16), labels=labels[rows, seats].astype(np.int16))
            partners = (seats + 2) & 3
            results = np.stack([rounds.tricks[rows, seats], rounds.tricks[rows, partners], rounds.bids[rows, partners]])
            bids = rounds.bids[rows, seats]
            self._parts.append(Sample(seen, bids, rounds.games[rows], keys[rows, seats], results.T.astype(np.int8)))
            for label, n in zip(*np.unique(seen.labels, return_counts=True), strict=True):
                self._sizes[int(label)] = self._sizes.get(int(label), 0) + int(n)
        self._keep(rounds, labels)
        while self.bids > MOST_BIDS:
            self._thin_out()

    def _add_blind(self, rounds: Rounds, labels: NDArray[Any], usable: NDArray[np.bool_], names: Names) -> None:
        deficits = np.array([rules.blind_nil_deficit if rules.blind_nil else 2**15 for rules in names.rules])
        sides = np.arange(4) & 1
        behind = rounds.scores[:, 1 - sides].astype(np.int64) - rounds.scores[:, sides]
        may = usable & (behind >= deficits[rounds.rules][:, None])
        for label in np.unique(labels[may]).tolist():
            found = self.blind.setdefault(label, [0, 0])
            theirs = may & (labels == label)
            found[0] += int((rounds.bids[theirs] == BLIND_NIL).sum())
            found[1] += int(theirs.sum())

    def _thin_out(self) -> None:
        # Keep half of the bids of the label that has most.
        label = max(self._sizes, key=lambda one: (self._sizes[one], -one))
        self._limits[label] //= 2
        limit = np.uint64(self._limits[label])
        self._parts = [part_of(one, (one.seen.labels != label) | (one.keys <= limit)) for one in self._parts]
        self._sizes[label] = sum(int((one.seen.labels == label).sum()) for one in self._parts)

    def _keep(self, rounds: Rounds, labels: NDArray[Any]) -> None:
        # Keep random rounds with all hands, tricks and scores, but at most MOST_REPLAYED.
        keys = mixed(rounds.keys)
        whole = (rounds.hands != 0).all(axis=1) & (rounds.tricks[:, 0] != NO_TRICKS)
        whole &= rounds.scores[:, 0] != NO_POINTS
        for number in np.unique(rounds.rules).tolist():
            rows = np.flatnonzero(whole & (rounds.rules == number) & (keys <= np.uint64(self._limit)))
            columns = [rounds.hands, rounds.bids, rounds.tricks, rounds.scores, rounds.bags, labels, keys]
            new = [column[rows] for column in columns]
            before = self._replayed.get(number, new)
            both = [np.concatenate(pair) for pair in zip(before, new, strict=True)]
            self._replayed[number] = both if number in self._replayed else new
        while sum(len(columns[-1]) for columns in self._replayed.values()) > MOST_REPLAYED:
            self._limit //= 2
            for kept in self._replayed.values():
                below = kept[-1] <= np.uint64(self._limit)
                kept[:] = [column[below] for column in kept]

    def replayed(self, names: Names, numbers: NDArray[Any]) -> list[card_play.Rounds]:
        """Return rounds to be played again; ``numbers``: the new number of each label."""
        found = []
        for number, columns in sorted(self._replayed.items()):
            hands, bids, tricks, scores, bags, labels, _ = columns
            rules = names.rules[number]
            found.append(card_play.Rounds(rules, hands, bids, tricks, scores, bags, numbers[labels].astype(np.int64)))
        return found

    @property
    def bids(self) -> int:
        """The number of bids kept."""
        return sum(self._sizes.values())

    def sample(self) -> Sample:
        """Return all bids collected, of which there is at least one."""
        parts = self._parts
        seen = Seen(*(np.concatenate(column) for column in zip(*(one.seen for one in parts), strict=True)))
        rest = (np.concatenate(column) for column in zip(*(one[1:] for one in parts), strict=True))
        self._parts = []
        return Sample(seen, *rest)


def part_of(sample: Sample, rows: NDArray[Any]) -> Sample:
    """Return some bids of a sample."""
    return Sample(Seen(*(column[rows] for column in sample.seen)), *(column[rows] for column in sample[1:]))


class Split(NamedTuple):
    """Bids by what their games are for."""

    fit_on: Sample
    choose_on: Sample
    held_out: Sample


def split(sample: Sample) -> Split:
    """Return the bids to fit on, those that choose the number of passes, and those that judge."""
    held_out = sample.games % np.uint64(HELD_OUT) == 0
    choosing = ~held_out & (sample.games // np.uint64(HELD_OUT) % np.uint64(CHOOSING) == 0)
    return Split(*(part_of(sample, rows) for rows in (~held_out & ~choosing, choosing, held_out)))


def success_corrections(parts: Split, shipped: Any, labels: int) -> tuple[Correction, Correction]:
    """Return the corrections of P(nil made) and P(contract made); ``shipped``: shares of contracts made (2, 27)."""
    learned = [_cases(parts.fit_on, shipped), _cases(parts.choose_on, shipped)]
    fit_on = [Cases(*(np.concatenate(columns) for columns in zip(*pair, strict=True))) for pair in zip(*learned)]
    held_out = _cases(parts.held_out, shipped)
    nils, contracts = (learn(one, other, labels) for one, other in zip(fit_on, held_out, strict=True))
    return nils, contracts


def _cases(sample: Sample, shipped: NDArray[Any]) -> tuple[Cases, Cases]:
    # The nils and the contracts of a sample whose tricks are known. A contract comes once for each partner.
    own, partners, partner_bids = sample.results.T.astype(np.int64)
    known = own != NO_TRICKS
    labels, bids = sample.seen.labels.astype(np.int64), sample.bids.astype(np.int64)
    rows = np.flatnonzero(known & (bids == NIL))
    x = sample.seen.x[rows].astype(np.float64)
    stated = x[:, P_NIL_AT : P_NIL_AT + STEPS].sum(axis=1) / STEPS
    features = nil_features(x[:, NIL_VALUE_AT], x[:, :4].argmax(axis=1), partner_bids[rows])
    nils = Cases(stated, features, labels[rows], np.ones(len(rows)), (own[rows] == 0).astype(np.float64))
    rows = np.flatnonzero(known & (bids > 0))
    with_nil = (partner_bids[rows] == NIL) | (partner_bids[rows] == BLIND_NIL)
    contract = np.minimum(26, bids[rows] + np.where(with_nil, 0, partner_bids[rows]))
    made = own[rows] + np.where(with_nil, 0, partners[rows]) >= contract
    cells = (labels[rows] * 2 + with_nil) * 27 + contract
    used, at = np.unique(cells, return_inverse=True)
    level, by_nil, asked = used // 54, used // 27 % 2, used % 27
    return nils, Cases(
        shipped[by_nil, asked].astype(np.float64),
        contract_features(asked, by_nil),
        level,
        np.bincount(at, minlength=len(used)).astype(np.float64),
        np.bincount(at, weights=made, minlength=len(used)).astype(np.float64),
    )

"""Bids of a log as a model of people sees them: inputs, bid and label, and the split of the games.

One game in HELD_OUT judges the model. Of the others, one in CHOOSING chooses how long the model is trained, and the
rest trains it. A hash of the game's id decides, so that all rounds of a game have the same purpose.
"""

from typing import Any, NamedTuple

import numpy as np
import polars
from numpy.typing import NDArray

from arena.engine.mixing import mixed
from arena.engine.states import STATE
from arena.people.bid_net import Seen
from arena.people.inputs import NIL_VALUE_AT, P_NIL_AT, STEPS
from arena.people.seeing import positions
from arena.people.successes import contract_features, nil_features
from spades.legal import BLIND_NIL, NIL, TRICKS
from spades.rules import Rules
from spades.tables import Tables
from studio.fit.counting import HELD_OUT
from studio.people import card_play
from studio.people.success_fit import Cases, Correction, learn
from studio.rounds import NO_LABEL, NO_POINTS, NO_TRICKS, Names, Rounds

CHOOSING = 10
MOST_REPLAYED = 20_000  # rounds that are kept to be played again
MOST_BIDS = 2_000_000  # bids that are kept; of labels with more bids than others, only a random part is kept
AT_A_TIME = 100_000  # bids of which a sample is made at a time
EVERY = 2**64 - 1
_KEY, _GROUP = polars.col("key"), polars.col("group")


class Sample(NamedTuple):
    """n bids; `Seen.labels` are the log's label numbers plus 1, so that 0 has no label."""

    seen: Seen
    bids: NDArray[np.int8]  # (n,)
    games: NDArray[np.uint64]  # (n,)
    keys: NDArray[np.uint64]  # (n,): hash of the round and the seat
    results: NDArray[np.int8]  # (n, 3): own tricks and partner's, or NO_TRICKS, and partner's bid


class Reservoir:
    """Rows of a log, chosen by a hash: at most ``most``, and only a part of groups that have more rows than others.

    Its frames have the columns `key`, a hash, and `group`, an integer.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limits: dict[int, int] = {}  # by group of which only a part is kept: the largest hash
        self.rows = polars.DataFrame()

    def add(self, rows: polars.DataFrame) -> None:
        """Add rows. While there are too many, keep half of the largest group."""
        for group, limit in self._limits.items():
            rows = rows.filter((group != _GROUP) | (limit >= _KEY))
        self.rows = polars.concat([self.rows, rows]) if len(self.rows) else rows
        while len(self.rows) > self._most:
            sizes = self.rows["group"].value_counts().sort(["count", "group"], descending=[True, False])
            group = sizes["group"][0]
            self._limits[group] = limit = self._limits.get(group, EVERY) // 2
            self.rows = self.rows.filter((group != _GROUP) | (limit >= _KEY))


class BidCollector:
    """Collects the bids of batches of a log; pass the same ``names`` for all of them."""

    def __init__(self, profiles: tuple[Tables, ...]) -> None:
        self._profiles = profiles
        self._bids = Reservoir(MOST_BIDS)  # a group for each label
        self._replayed = Reservoir(MOST_REPLAYED)  # one group
        self.rounds = 0
        self.blind: dict[int, list[int]] = {}  # by label: blind nils, and bids by players who were far enough behind

    def add(self, rounds: Rounds, names: Names) -> None:
        """Add the rounds of a batch that have scores: the bids of seats whose hand is known."""
        if not len(rounds.bids):
            return
        labels = rounds.labels - NO_LABEL
        usable = (rounds.hands != 0) & (rounds.scores[:, :1] != NO_POINTS)
        self._add_blind(rounds, labels, usable, names)
        self.rounds += int(usable.any(axis=1).sum())
        frame = polars.DataFrame({**rounds._asdict(), "labels": labels}).drop("plays")
        keys = mixed(rounds.keys[:, None] + np.arange(1, 5, dtype=np.uint64))
        rows, seats = np.nonzero(usable & (rounds.bids <= TRICKS))
        bids = frame[rows].with_columns(key=keys[rows, seats], group=labels[rows, seats], seat=seats)
        self._bids.add(bids.sort("rules", maintain_order=True))
        whole = usable.all(axis=1) & (rounds.tricks[:, 0] != NO_TRICKS)
        self._replayed.add(frame.with_columns(key=mixed(rounds.keys), group=polars.lit(0)).filter(whole))

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

    def replayed(self, names: Names, numbers: NDArray[Any]) -> list[card_play.Rounds]:
        """Return rounds to be played again; ``numbers``: the new number of each label."""
        found = []
        for number in sorted(self._replayed.rows["rules"].unique()):
            rows = self._replayed.rows.filter(rules=number)
            hands, bids, tricks, scores, bags = (np.array(rows[name]) for name in card_play.Rounds._fields[1:-1])
            labels = numbers[rows["labels"].to_numpy()].astype(np.int64)
            found.append(card_play.Rounds(names.rules[number], hands, bids, tricks, scores, bags, labels))
        return found

    @property
    def bids(self) -> int:
        """The number of bids kept."""
        return len(self._bids.rows)

    def sample(self, names: Names) -> Sample:
        """Return all bids collected, of which there is at least one."""
        bids = self._bids.rows
        parts, places = [], []
        for number in bids["rules"].unique().to_list():
            at = np.flatnonzero(bids["rules"] == number)
            for first in range(0, len(at), AT_A_TIME):
                places.append(at[first : first + AT_A_TIME])
                parts.append(self._part(bids[places[-1]], names.rules[number]))
        seen = Seen(*(np.concatenate(column) for column in zip(*(one.seen for one in parts), strict=True)))
        rest = (np.concatenate(column) for column in zip(*(one[1:] for one in parts), strict=True))
        return part_of(Sample(seen, *rest), np.argsort(np.concatenate(places)))

    def _part(self, bids: polars.DataFrame, rules: Rules) -> Sample:
        # The sample of bids with the same rules.
        columns = {name: np.array(bids[name]) for name in bids.columns}
        n, seats, tricks, all_bids = np.arange(len(bids)), columns["seat"], columns["tricks"], columns["bids"]
        states = np.zeros(len(bids), STATE)
        states["hand"][n, seats] = columns["hands"][n, seats]
        states["bid"], states["score"], states["bags"] = all_bids, columns["scores"], np.maximum(0, columns["bags"])
        seen = positions(states, seats, rules, self._profiles)
        seen = seen._replace(x=seen.x.astype(np.float16), labels=columns["group"].astype(np.int16))
        partners = (seats + 2) & 3
        results = np.stack([tricks[n, seats], tricks[n, partners], all_bids[n, partners]], axis=1)
        return Sample(seen, all_bids[n, seats], columns["games"], columns["key"], results)


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

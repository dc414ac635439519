"""How well stated probabilities come true in a log, and what policies bid with two table sets in its rounds.

Log-loss and Brier score: G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather
Review 78, 1950. The calibration error is the mean distance between stated and observed over ten bins of stated
probability, weighted by their cases (M. P. Naeini et al., "Obtaining well calibrated probabilities using Bayesian
binning", AAAI 2015).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from arena.engine.rounds import bids_of, states_at
from arena.engine.simulate import tables_for
from arena.stats import CONFIDENCE, Gain, wilson, z_of
from spades.policies import parse_policy
from spades.rules import Rules
from spades.set_options import SetOptions, with_options
from spades.tables import Tables
from studio.fit.counting import BINS as BINS_OF_NILS
from studio.fit.counting import Counts, Sample, by_rules
from tables.regression import LEAST_P, sequences, value_at_bins

BINS = 10
Floats = NDArray[np.float64]


class Stated(NamedTuple):
    """Stated probabilities and what happened, by cell."""

    p: Floats  # (cells,)
    n: Floats  # (cells,): cases
    made: Floats  # (cells,): cases in which it happened


class Judged(NamedTuple):
    """Figures over all cases of some `Stated`."""

    n: int
    stated: float  # mean
    observed: float
    low: float  # ends of the 95% interval of `observed`
    high: float
    log_loss: float
    brier: float
    calibration_error: float


class Bin(NamedTuple):
    """The cases with a stated probability in one of BINS bins."""

    n: int
    stated: float
    observed: float
    low: float
    high: float


def judged(cells: Stated) -> Judged:
    """Return the figures of ``cells``, which have at least one case."""
    n = float(cells.n.sum())
    p = np.clip(cells.p, LEAST_P, 1 - LEAST_P)
    lost = -(cells.made * np.log(p) + (cells.n - cells.made) * np.log(1 - p)).sum() / n
    brier = (cells.made * (1 - cells.p) ** 2 + (cells.n - cells.made) * cells.p**2).sum() / n
    observed = float(cells.made.sum() / n)
    error = sum(one.n * abs(one.stated - one.observed) for one in bins(cells)) / n
    stated = float((cells.p * cells.n).sum() / n)
    return Judged(int(n), stated, observed, *wilson(observed, n), float(lost), float(brier), float(error))


def bins(cells: Stated) -> list[Bin]:
    """Return the bins that have cases, by stated probability."""
    found = []
    where = np.minimum((cells.p * BINS).astype(int), BINS - 1)
    for number in range(BINS):
        own = Stated(*(part[where == number] for part in cells))
        n = float(own.n.sum())
        if n:
            observed = float(own.made.sum() / n)
            found.append(Bin(int(n), float((own.p * own.n).sum() / n), observed, *wilson(observed, n)))
    return found


def nils(arrays: Arrays, prefix: str, counts: Counts) -> Stated:
    """Return the stated chances of the nils that were bid; ``prefix``: of the arrays' names, such as ``whiz_``."""
    stated = value_at_bins(np.asarray(arrays[f"{prefix}curves"], np.float64))
    return _stated(stated, counts.nils.sum(axis=0))


def contracts(arrays: Arrays, prefix: str, counts: Counts) -> Stated:
    """Return the stated chances of the contracts of both partners."""
    name = f"{prefix}contract_made"
    stated = np.asarray(arrays[name if name in arrays else "contract_made"], np.float64)
    return _stated(stated, counts.contracts.sum(axis=0))


def nils_by_auction(cells: Stated) -> Iterator[tuple[str, Stated]]:
    """Yield the nils of each seat, and those by what partner and the opponents have bid, if there are any."""
    by_sequence = Stated(*(part.reshape(-1, len(_AUCTIONS), BINS_OF_NILS) for part in cells))
    for name in dict.fromkeys(name for names in _AUCTIONS for name in names):
        rows = [row for row, names in enumerate(_AUCTIONS) if name in names]
        own = Stated(*(part[:, rows].ravel() for part in by_sequence))
        if own.n.any():
            yield name, own


def _kinds_of(bids: tuple[int, ...]) -> list[str]:
    seat = len(bids)
    names = [f"seat {seat}"]
    if seat >= 2:
        partner = bids[seat - 2]
        bid = "nil" if partner == 0 else ("1 to 3" if partner <= 3 else "4 or more")
        names.append(f"partner bid {bid}")
    opponents = [bid for place, bid in enumerate(bids) if (seat - place) % 2]
    if opponents:
        names.append("an opponent bid nil" if 0 in opponents else "no opponent bid nil")
    return names


_AUCTIONS = [_kinds_of(bids) for bids in sequences()]


def _stated(p: Floats, cells: Any) -> Stated:
    return Stated(p.ravel(), cells[..., 0].ravel(), cells[..., 1].ravel())


def cases(p: Floats, happened: Floats) -> Stated:
    """Return single cases as cells; those whose outcome is not known (NaN) are left out."""
    known = ~np.isnan(happened)
    return Stated(p[known], np.ones(int(known.sum())), happened[known])


def joined(parts: Sequence[Stated]) -> Stated:
    """Return the cells of all parts."""
    return Stated(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def gain(before: Stated, after: Stated) -> Gain:
    """Return by how much the log-loss of ``after`` is lower than that of ``before``, for the same cases.

    The interval is computed as if the cases were independent.
    """
    p, q = (np.clip(one.p, LEAST_P, 1 - LEAST_P) for one in (before, after))
    of_made, of_failed = np.log(q / p), np.log((1 - q) / (1 - p))
    n, made = before.n, before.made
    total = float(n.sum())
    mean = float((made * of_made + (n - made) * of_failed).sum() / total)
    squares = float((made * of_made**2 + (n - made) * of_failed**2).sum() / total)
    half = z_of(CONFIDENCE) * float(np.sqrt(max(0.0, squares - mean * mean) / total))
    return Gain(mean, mean - half, mean + half)


BIDS = 15  # nil, the numbers, blind nil


class Changes(NamedTuple):
    """How often a policy bids what with two table sets."""

    policy: str
    counts: NDArray[np.int64]  # (BIDS, BIDS): by the bid with the first set and the bid with the second

    @property
    def n(self) -> int:
        """The number of bids."""
        return int(self.counts.sum())

    @property
    def changed(self) -> int:
        """The number of bids that differ."""
        return self.n - int(np.trace(self.counts))

    def most_common(self, most: int) -> list[tuple[int, int, int]]:
        """Return the most frequent differences: bid with the first set, bid with the second, and how often."""
        other = self.counts * (1 - np.eye(BIDS, dtype=np.int64))
        order = np.argsort(-other.ravel(), kind="stable")[:most]
        found = [(*divmod(int(cell), BIDS), int(other.ravel()[cell])) for cell in order]
        return [one for one in found if one[2]]


def changes(
    policy: str, before: tuple[Tables, ...], after: tuple[Tables, ...], sample: Sample, options: SetOptions = ()
) -> Changes:
    """Return what ``policy`` bids with the tables ``before`` and ``after`` in the rounds of a sample.

    ``options``: those that the set of the tables ``after`` gives to policies.
    """
    counts = np.zeros((BIDS, BIDS), np.int64)
    for rules, own in by_rules(sample):
        one = _bids(policy, before, rules, own)
        other = _bids(with_options(policy, rules.variant, options), after, rules, own)
        asked = one >= 0
        np.add.at(counts, (one[asked], other[asked]), 1)
    return Changes(policy, counts)


def _bids(policy: str, profiles: tuple[Tables, ...], rules: Rules, sample: Sample) -> NDArray[np.int8]:
    # The bids (n, 4) of the seats that are `chosen`; -1 for the others.
    parsed = parse_policy(policy, rules.variant)
    bids = np.full(sample.bids.shape, -1, np.int8)
    rows, seats = np.nonzero(sample.chosen & (sample.hands != 0))
    states = states_at(rules, sample.hands[rows], sample.bids[rows], sample.scores[rows], sample.bags[rows])
    bids[rows, seats] = bids_of(states, seats, rules, parsed, tables_for(profiles, rules, [parsed]))
    return bids

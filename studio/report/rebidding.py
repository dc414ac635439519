"""What policies bid with two table sets in the rounds of a log."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.engine.rounds import bids_of, states_at
from arena.engine.simulate import tables_for
from spades.policies import parse_policy
from spades.rules import Rules
from spades.set_options import SetOptions, with_options
from spades.tables import Tables
from studio.fit.counting import Sample, by_rules

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

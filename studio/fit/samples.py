"""A sample of a log's rounds, for fits that read whole rounds: the win tables and the last layer of `winprob`'s net.

The sample has the rounds with the lowest hashes, so that it does not depend on the order in which a log is read.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.rounds import NO_POINTS, NO_TRICKS, Names, Rounds

MOST_ROUNDS = 200_000


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


def _lowest(sample: Sample) -> Sample:
    return rows_of(sample, np.argsort(sample.keys, kind="stable")[:MOST_ROUNDS])

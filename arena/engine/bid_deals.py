"""Deals in which players bid and no card is played, at scores from rounds of whole games."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arena.engine.rounds import BATCH, Batch
from arena.engine.simulate import policy_rows, tables_for
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables

NO_PLAYERS = np.zeros((4, 2), np.int64)  # no card is played


def bid_deals(
    seed: int, first: int, n: int, rules: Rules, bidder: str, profiles: tuple[Tables, ...], scores: NDArray[np.int64]
) -> Iterator[NDArray[np.void]]:
    """Yield rows of `ROUND`: deals ``first`` to ``first + n - 1``, each bid at a random row of ``scores`` (m, 4).

    ``bidder``: policy text of all four seats; ``profiles``: `Tables` by profile; the columns of ``scores``: points and
    bags of the first bidder's side, then of the other. Raises `PolicyError` for an unknown policy.
    """
    policy = parse_policy(bidder, rules.variant)
    policies, used = policy_rows([policy]), tables_for(profiles, rules, [policy])
    for at in range(first, first + n, BATCH):
        batch = Batch(rules, np.arange(at, min(at + BATCH, first + n)))
        batch.deal(seed & 0x7FFFFFFF, NO_PLAYERS)
        batch.set_scores(scores[batch.draw(len(scores))[:, 0]])
        batch.bid(policies, used)
        yield batch.rounds

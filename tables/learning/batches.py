"""Labelled batches of played positions for the outcome net. Threads make a batch while the net learns from others."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from spades.options import PLAYER_KINDS, UNKNOWN
from tables.learning.scores import GAMES, Ints, another_game, drawn_scores
from tables.learning.training_data import Labels, Played, empty_labels, label

REDRAWN = 0.3  # share of positions with a score that get another score
# Shares of positions in which the net knows the kind of none of the other players, or of all. In the rest it knows each
# kind with probability 1/2. If all others are `winprob`, it knows none more often: players of unknown kind are mostly
# strong ones, so that the win probabilities are right in a game between such players.
NONE_KNOWN, ALL_KNOWN = 0.35, 0.45
NONE_KNOWN_OF_STRONG = 0.8
HELD_OUT = 20_000  # positions that are not used to train, at most a tenth of all
THREADS = 2  # threads that label positions; their number does not change a batch


class Source(NamedTuple):
    """Positions to label, and what labels them."""

    data: Arrays  # by position: the fields of `Played`, `scores` (n, 4) and `games` (n,), -1 for no score
    seen: Ints  # (games, scores of a game, 4): scores that games reached
    profiles: Any  # `Tables` by profile, with the win tables of all games
    seed: int


def batch_of(source: Source, rows: Ints, rng: np.random.Generator, redrawn: float = REDRAWN) -> Labels:
    """Return the positions with the indices ``rows`` (B,), labelled.

    Positions without a score, and a share ``redrawn`` of the others, get a new random game with the same rules of play,
    and a new random score in it.
    """
    data = source.data
    games = data["games"][rows].astype(np.int64)
    fresh = (games < 0) | (rng.random(len(rows)) < redrawn)
    games = np.where(fresh, another_game(rng, games), games)
    scores = np.where(fresh[:, None], drawn_scores(rng, games, source.seen), data["scores"][rows].astype(np.int64))
    labels = empty_labels(len(rows))
    played = Played(*(data[name] for name in Played._fields))
    rules = np.array(GAMES, np.int64)
    label(rows, played, scores, games, known_kinds(data["kinds"][rows], rng), rules, source.profiles, labels)
    return labels


def known_kinds(kinds: NDArray[np.int8], rng: np.random.Generator) -> Ints:
    """Return the kinds (B, 3) of the other players that the net gets to know, UNKNOWN for the others."""
    drawn = rng.random((len(kinds), 1))
    strong = (kinds == PLAYER_KINDS.index("winprob")).all(axis=1, keepdims=True)
    none_known = drawn < np.where(strong, NONE_KNOWN_OF_STRONG, NONE_KNOWN)
    hidden = none_known | ((drawn < 1.0 - ALL_KNOWN) & (rng.random(kinds.shape) < 0.5))
    return np.where(hidden, UNKNOWN, kinds).astype(np.int64)


def held_out(source: Source) -> Labels:
    """Return the first positions, labelled: those that are not used to train. A position with a score keeps it."""
    return batch_of(source, np.arange(_held(source)), np.random.default_rng(source.seed), 0.0)


def sample(source: Source) -> Labels:
    """Return labelled positions that are used to train, as many as are held out. A position with a score keeps it."""
    held = _held(source)
    return batch_of(source, np.arange(held, 2 * held), np.random.default_rng(source.seed), 0.0)


def steps_of(source: Source, size: int, epochs: int) -> int:
    """Return how many batches `batches` yields."""
    return epochs * ((len(source.data["hands"]) - _held(source)) // size)


def batches(source: Source, size: int, epochs: int, first: int = 0, last: int | None = None) -> Iterator[Labels]:
    """Yield batches of ``size`` positions: ``epochs`` times those that are not held out, each time in another order.

    Positions that do not fill a batch are left out of that epoch. ``first``, ``last``: yield only these batches.
    """
    rng = np.random.default_rng(source.seed)
    coming: deque[Future[Labels]] = deque()
    with ThreadPoolExecutor(THREADS) as pool:
        for step, rows in islice(enumerate(_orders(source, size, epochs, rng)), first, last):
            coming.append(pool.submit(batch_of, source, rows, np.random.default_rng([source.seed, step])))
            if len(coming) > THREADS:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def _orders(source: Source, size: int, epochs: int, rng: np.random.Generator) -> Iterator[Ints]:
    held, total = _held(source), len(source.data["hands"])
    for _ in range(epochs):
        order = held + rng.permutation(total - held)
        yield from (order[at : at + size] for at in range(0, len(order) - size + 1, size))


def _held(source: Source) -> int:
    return min(HELD_OUT, len(source.data["hands"]) // 10)

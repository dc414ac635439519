"""A distribution over the deals of unseen cards: exact probabilities of who holds each card, and random deals.

Every card has a weight for each seat; the weight is 0 if the seat cannot hold the card. Only deals that give each seat
its number of cards are possible. A deal's probability is proportional to the product of its cards' weights.

The cards are dealt one by one in a fixed order. A *state* is the number of cards that each seat has so far. The rest of
a deal depends only on the state, so exact sums over all deals are sums over states. With four seats of 13 cards, there
are at most 1,834 states after the same number of cards.

Random deals are drawn card by card from the same sums, so that their frequencies match the probabilities. Equal
weights, counts and random numbers give equal deals on every machine, because only products and sums of two numbers
decide each draw.
"""

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Seats = NDArray[np.int8]

_BELOW_ONE = 1.0 - 2.0**-50  # a product with it is smaller than the other factor, also after rounding


class Deals(NamedTuple):
    """The distribution over the deals of m cards to some seats, from `deals_of`."""

    weights: Floats  # (m, seats)
    probabilities: Floats  # (m, seats): that each seat holds each card; rows sum to 1, columns to the seats' counts
    rest: tuple[Floats, ...]  # by number of cards dealt: for each place, the sum over the deals of the other cards
    after: tuple[Places, ...]  # from `_steps`


@lru_cache(maxsize=16)  # up to 1.2 MB each
def _steps(counts: tuple[int, ...]) -> tuple[Places, ...]:
    """Return, by number of cards dealt, an array (seats, states): the state that follows if a seat gets the next card.

    ``counts``: the number of cards that each seat gets in all. A state is given by its place: its number, from 1, among
    the states after the same number of cards. A place outside that range is no state, because the seat already has all
    its cards. The sum of such a place is 0: arrays of sums have a 0 at both ends, and are read with ``mode="clip"``.
    """
    *first, last = counts  # the last seat has the other cards that are dealt
    cube = tuple(count + 1 for count in first)
    totals = np.indices(cube).sum(axis=0, dtype=np.uint8).ravel()
    # Sorted by the number of cards of all seats but the last, the states after the same number of cards are neighbours.
    # Read backwards, they are sorted by the number of cards that the seats still get.
    order = np.argsort(totals, kind="stable")
    starts = np.searchsorted(totals[order], np.arange(sum(first) + 2)).tolist()
    padded = np.full([size + 1 for size in cube], len(order), np.intp)  # at the end, a seat has too many
    numbers = np.empty(len(order), np.intp)
    numbers[order] = np.arange(len(order))
    padded[tuple(map(slice, cube))] = numbers.reshape(cube)
    places = padded.ravel()
    here = np.flatnonzero(places < len(order))[order]
    strides = np.array([*(stride // padded.itemsize for stride in padded.strides), 0])
    after = places[here + strides[:, np.newaxis]]
    parts = [(starts[max(0, i - last)], starts[min(sum(first), i) + 1]) for i in range(sum(counts) + 1)]
    return tuple(after[:, start:end] - (next_start - 1) for (start, end), (next_start, _) in pairwise(parts))


def deals_of(weights: Floats, counts: tuple[int, ...]) -> Deals | None:
    """Return the distribution for ``weights`` (m, seats) and the number of cards of each seat; None if no deal fits.

    ``counts`` sum to m. Weights are finite and not negative.
    """
    weights = np.ascontiguousarray(weights)
    after = _steps(counts)
    sums = np.array([0.0, 1.0, 0.0])
    past = [sums[1:2]]  # by number of cards dealt: for each state, the sum over the deals of these cards
    for own, places in zip(weights, reversed(after), strict=True):
        # Here a state says how many cards each seat still gets. Before a seat got this card, it was to get one more, so
        # ``after`` leads from a state to those before it.
        terms = sums.take(places, mode="clip")
        sums = np.zeros(terms.shape[1] + 2)
        np.dot(own, terms, out=sums[1:-1])
        past.append(sums[-2:0:-1])
    if not sums[1] > 0.0:
        return None
    sums = np.array([0.0, 1.0, 0.0])
    rest = [sums]
    probabilities = np.empty(weights.shape)
    columns = weights[:, :, np.newaxis]
    for i in range(len(weights) - 1, -1, -1):
        terms = sums.take(after[i], mode="clip")
        terms *= columns[i]
        np.dot(terms, past[i], out=probabilities[i])
        sums = np.zeros(terms.shape[1] + 2)
        np.add.reduce(terms, axis=0, out=sums[1:-1])  # no dot product, because machines round it in different ways
        rest.append(sums)
    probabilities /= sums[1]
    return Deals(weights, probabilities, tuple(rest[::-1]), after)


class Sampler(NamedTuple):
    """What `draw` draws random deals from; `sampler_of` makes it. Each tuple is by number of cards dealt."""

    sums: tuple[Floats, ...]  # (seats, states): over the deals in which this or an earlier seat gets the next card
    after: tuple[Places, ...]  # from `_steps`


def sampler_of(deals: Deals) -> Sampler:
    """Return what `draw` needs; make it once for a distribution."""
    running_sums = []
    for weights, rest, after in zip(deals.weights[:, :, np.newaxis], deals.rest[1:], deals.after, strict=True):
        sums = rest.take(after, mode="clip")
        sums *= weights
        for seat in range(1, len(sums)):  # faster than cumsum
            sums[seat] += sums[seat - 1]  # so the last two are equal if the last seat cannot hold the card
        running_sums.append(sums)
    return Sampler(tuple(running_sums), deals.after)


def draw(sampler: Sampler, number: int, rng: np.random.Generator) -> Seats:
    """Return ``number`` random deals: (number, m), the index of the seat that gets each card."""
    m = len(sampler.sums)
    uniform = np.minimum(rng.random((number, m)), _BELOW_ONE).T
    drawn = np.empty((m, number), np.int8)
    state = np.zeros(number, np.intp)  # the place, from 0
    for i, (sums, after) in enumerate(zip(*sampler, strict=True)):
        up_to_seat = sums.take(state, axis=1)
        seat = (uniform[i] * up_to_seat[-1] >= up_to_seat[:-1]).sum(axis=0)
        drawn[i] = seat
        state += sums.shape[1] * seat
        state = after.take(state)
        state -= 1
    return drawn.T

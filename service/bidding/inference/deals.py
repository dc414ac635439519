"""A distribution over the deals of unseen cards: exact probabilities of who holds each card, and random deals.

Every card has a weight for each seat, 0 where the seat cannot hold it. A deal's probability is proportional to the
product of its cards' weights, among all deals that give each seat its number of cards. Sums over these deals are exact,
because the rest of a deal depends only on how many cards each seat has so far. With the cards in a fixed order and
three seats of 13, there are 14 x 14 such states: the numbers of the first and of the second seat.

Deals are drawn card by card from the same sums. So their frequencies match the probabilities. Equal weights, counts and
random numbers give equal deals on every machine, because products and sums of two numbers decide each draw.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Seats = NDArray[np.int8]

_BELOW_ONE = 1.0 - 2.0**-50  # a product with it is smaller than the other factor, also after rounding


class Deals(NamedTuple):
    """The distribution over the deals of m cards to some seats, from `deals_of`."""

    weights: Floats  # (m, seats)
    probabilities: Floats  # (m, seats): that each seat holds each card; rows sum to 1, columns to the seats' counts
    rest: Floats  # (m + 1, states): by number of cards dealt and state, the sum over the deals of the other cards
    steps: tuple[int, ...]  # for each seat: how its next card changes the state


def deals_of(weights: Floats, counts: tuple[int, ...]) -> Deals | None:
    """Return the distribution for ``weights`` (m, seats) and the number of cards of each seat; None if no deal fits.

    ``counts`` sum to m. Weights are finite and not negative.
    """
    m, seats = weights.shape
    shape = [count + 2 for count in counts[:-1]]  # one more than a seat gets, where all sums are 0
    steps = (*(int(np.prod(shape[seat + 1 :], dtype=int)) for seat in range(seats - 1)), 0)
    states = 1 + sum(count * step for count, step in zip(counts, steps))
    within = np.zeros(shape)
    within[tuple(slice(count + 1) for count in counts[:-1])] = 1.0
    within = within.ravel()[:states]
    # sums[i]: over the deals of the first i cards (0), and of the last i cards (1). Both are computed together.
    sums = np.zeros((m + 1, 2, states))
    sums[0, :, 0] = 1.0
    both = np.stack([weights, weights[::-1]], axis=1)[..., np.newaxis]
    term = np.empty((2, states))
    multiply, add = np.multiply, np.add
    for i in range(m):
        own, past, here = both[i], sums[i], sums[i + 1]
        multiply(past, own[:, seats - 1], here)
        for seat in range(seats - 1):
            step = steps[seat]
            part, target = term[:, step:], here[:, step:]
            multiply(past[:, : part.shape[1]], own[:, seat], part)
            add(target, part, target)
        multiply(here, within, here)
    rest = sums[::-1, 1, ::-1]
    whole = rest[0, 0]
    if not whole > 0.0:
        return None
    probabilities = np.empty((m, seats))
    for seat, step in enumerate(steps):
        after = rest[1:, step:]
        np.einsum("is,is->i", sums[:m, 0, : after.shape[1]], after, out=probabilities[:, seat])
    probabilities *= weights / whole
    return Deals(weights, probabilities, rest, steps)


class Sampler(NamedTuple):
    """What random deals are drawn from, made once for a distribution by `sampler_of`."""

    sums: Floats  # (seats, m, states): over the deals in which this or an earlier seat gets the card
    change: NDArray[np.intp]  # (seats,): how a seat's next card changes the state


def sampler_of(deals: Deals) -> Sampler:
    """Return what `draw` needs."""
    weights, _, rest, steps = deals
    m, states = len(weights), rest.shape[1]
    sums = np.zeros((len(steps), m, states))
    for seat, step in enumerate(steps):
        after = rest[1:, step:]
        np.multiply(weights[:, seat, np.newaxis], after, out=sums[seat, :, : after.shape[1]])
    np.cumsum(sums, axis=0, out=sums)  # so the last two are equal if the last seat cannot hold the card
    return Sampler(sums, np.array(steps, np.intp))


def draw(sampler: Sampler, number: int, rng: np.random.Generator) -> Seats:
    """Return ``number`` random deals: (number, m), the index of the seat that gets each card."""
    sums, change = sampler
    m = sums.shape[1]
    lots = np.minimum(rng.random((number, m)), _BELOW_ONE).T
    drawn = np.empty((m, number), np.int8)
    state = np.zeros(number, np.intp)
    for i in range(m):
        until = sums[:, i].take(state, axis=1)
        seat = (lots[i] * until[-1] >= until[:-1]).sum(axis=0, dtype=np.int8)
        state += change.take(seat)
        drawn[i] = seat
    return drawn.T

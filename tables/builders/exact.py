"""Exact probabilities of a suit's distribution, `p_length` and `cnil`, by counting instead of sampling.

The unseen cards of a suit are spread over three hidden hands. Each hand has `places` places for cards, 13 of 39 in the
classic game. The hands hold a, b and c of the s unseen cards with probability

    multinomial(s; a, b, c) x falling(places, a) x falling(places, b) x falling(places, c) / falling(3 x places, s)

Everything is counted in integers and divided once, so the bytes are the same on every machine. No tricks are simulated
and nothing is fitted. The definitions are from ECAI 2020, sections 4.1 (length) and 4.2 (nil);
docs/explanation/how-bis-bids.md settles what the paper leaves open. The tables go to tables/data/p_length.npy and
cnil.npy.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from math import comb, factorial, perm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from spades.cards import ACE, HOLDINGS, KING, NINE, QUEEN
from tables.run.family import Context, Family

RANKS_CLASSIC = 13  # ranks of a suit; spades have 15 or 16 with jokers
PLACES_CLASSIC = 13  # cards in each of the three hidden hands
MAX_LENGTH = 3  # largest k: the fourth trick in a suit is not considered

READINGS = ("and", "or", "any")  # readings of the paper's "partner can't cover" at the second card: `_partner_fails`
KINDS = ("side", "spades")
SIDE, SPADES = 0, 1


def length_probability(m: int, unseen: int, k: int, places: int = PLACES_CLASSIC) -> float:
    """Return the probability that each of ``m`` given hidden hands (0..3) holds at least ``k`` of ``unseen`` cards.

    >>> length_probability(1, 1, 1), round(length_probability(2, 2, 1), 4)
    (0.3333333333333333, 0.2281)
    """
    hits = sum(
        comb(places, a) * comb(places, b) * comb(places, unseen - a - b)
        for a in range(unseen + 1)
        for b in range(unseen - a + 1)
        if all(length >= k for length in (a, b, unseen - a - b)[:m])
    )
    return hits / comb(3 * places, unseen)


def length_table(n_ranks: int = RANKS_CLASSIC, places: int = PLACES_CLASSIC) -> NDArray[np.float64]:
    """Return `length_probability` for the cards of a suit that the bidder does not hold: float64 (4, n_ranks + 1, 4).

    The axes are the number m of players, the number n of cards that the bidder holds, and k.
    """
    cells = [
        [[length_probability(m, n_ranks - n, k, places) for k in range(MAX_LENGTH + 1)] for n in range(n_ranks + 1)]
        for m in range(4)
    ]
    return np.array(cells, dtype=np.float64)


def cnil_table() -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick): float64, shape (3, 2, 8192).

    The axes are the reading and kind, in the order of READINGS and KINDS, and the holding; see `by_holding`.
    """
    return by_holding(cnil_of_zones)


def by_holding(of_zones: Callable[[tuple[int, ...]], NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return a value by zones (`zones_of`) for each holding: float64, shape (..., 2, 8192).

    The last axes are the kind, in the order of KINDS, and the holding, a bit mask with bit 0 the deuce. Spade holdings
    that rule out a nil (`spade_is_lost`) are 0.
    """
    values = cache(of_zones)
    table = np.ascontiguousarray(np.stack([values(zones_of(held)) for held in range(HOLDINGS)], axis=-1))
    table[..., SPADES, [spade_is_lost(held) for held in range(HOLDINGS)]] = 0.0
    return table


def zones_of(held: int, n_ranks: int = RANKS_CLASSIC) -> tuple[int, ...]:
    """Return the numbers of unseen cards below, between and above the three lowest cards of a holding.

    If the holding has fewer than three cards, there are fewer zones.

    >>> zones_of(0b1000000100010)  # A73: the 2 below, 3 ranks between 3 and 7, 6 between 7 and A, none above
    (1, 3, 6, 0)
    """
    ranks = [rank for rank in range(n_ranks) if held >> rank & 1]
    low = ranks[:MAX_LENGTH]
    between = [above - below - 1 for below, above in zip([-1, *low], low, strict=False)]
    return (*between, n_ranks - len(ranks) - sum(between))


def spade_is_lost(held: int, extra_spades: int = 0) -> bool:
    """Return whether a spade holding rules out a nil.

    It does so with the ace, with KQ, and with three cards above the 9, because these are sure to win a trick; and with
    four or more cards, by experience. ``extra_spades``: number of spades beyond the 13 of the standard deck; the high
    cards are as many ranks higher. With two jokers (``extra_spades`` is 2) they are the big joker, the little joker
    with the ace, and three cards above the J.
    """
    tops = held >> extra_spades
    return bool(
        tops >> ACE
        or (tops >> KING & 1 and tops >> QUEEN & 1)
        or (tops >> (NINE + 1)).bit_count() >= 3
        or held.bit_count() >= 4
    )


class Layouts(NamedTuple):
    """All ways to distribute the cards of every zone over the three hidden hands."""

    ways: NDArray[np.int64]  # by layout: ways to choose the cards, at most 3 ** (unseen cards): exact in int64
    lengths: NDArray[np.int64]  # by hand and layout: its cards of the suit
    below: list[NDArray[np.int64]]  # by k - 1, hand and layout: its cards below the k-th lowest of the holding

    def probability_except(self, lost: NDArray[np.bool_], places: int = PLACES_CLASSIC) -> float:
        """Return the probability of the layouts that are not ``lost``."""
        total = perm(3 * places, int(self.lengths[:, 0].sum()))
        kept = total - placings(self.lengths, np.where(lost, self.ways, 0), places)
        return kept / total  # int / int: correctly rounded, once


def layouts_of(zones: Sequence[int]) -> Layouts:
    """Return the layouts of the unseen cards of a suit, for ``zones`` from `zones_of`."""
    splits = [splits_of(zone) for zone in zones]
    index = np.array(list(product(*(range(len(split)) for split in splits))))
    chosen = [np.array(split)[index[:, zone]].T for zone, split in enumerate(splits)]
    *below, lengths = np.cumsum([zone[:3] for zone in chosen], axis=0)
    return Layouts(np.prod([zone[3] for zone in chosen], axis=0), lengths, below)


def cnil_of_zones(zones: Sequence[int], places: int = PLACES_CLASSIC) -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick) for ``zones`` from `zones_of`: float64 (3, 2), reading and kind.

    The sum has one term for each layout. Hands 0 and 1 are the opponents, 2 is the partner.
    """
    layouts = layouts_of(zones)
    lengths = layouts.lengths
    result = np.empty((len(READINGS), len(KINDS)))
    for reading, kind in product(range(len(READINGS)), range(len(KINDS))):
        lost = np.zeros(len(layouts.ways), dtype=bool)
        for k, below in enumerate(layouts.below, start=1):
            ducks = (lengths < k) | (below >= k)
            higher = lengths[2] - below[2]
            lost |= ducks[0] & ducks[1] & _partner_fails(READINGS[reading], kind == SPADES, k, lengths[2], higher)
        result[reading, kind] = layouts.probability_except(lost, places)
    return result


def _partner_fails(
    reading: str, spades: bool, k: int, length: NDArray[np.int64], higher: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether partner cannot cover the k-th card, for each layout.

    Usually that is so if partner must follow suit and has no card above it. In spades partner cannot ruff, so it does
    not matter whether they must follow. At the second card, readings `and` and `or` count partner as unable with fewer
    than two higher cards; `or` needs only one of the two conditions.

    ``length``: partner's cards of the suit; ``higher``: those of them above the k-th card.
    """
    follows = np.ones(len(length), dtype=bool) if spades else length >= k
    fails: NDArray[np.bool_] = higher == 0
    if k == 2 and reading != "any":
        fails = higher < 2
        if reading == "or" and not spades:  # in spades `or` equals `and`
            return np.logical_or(follows, fails)
    return np.logical_and(follows, fails)


def splits_of(zone: int) -> list[tuple[int, int, int, int]]:
    """Return all ways to split ``zone`` cards over three hands.

    Each way has the three counts, and the number of ways to choose the cards.
    """
    return [
        (a, b, zone - a - b, factorial(zone) // (factorial(a) * factorial(b) * factorial(zone - a - b)))
        for a in range(zone + 1)
        for b in range(zone - a + 1)
    ]


def placings(lengths: NDArray[np.int64], ways: NDArray[np.int64], places: int) -> int:
    """Return the sum over layouts of ``ways`` times the ordered choices of places in the three hands, as an exact int.

    ``lengths``: cards by hand and layout; ``ways``: ways to choose these cards, by layout.
    """
    longest = int(lengths.max()) + 1
    key = lengths[0] * longest + lengths[1]  # the third length follows from the first two
    unseen = int(lengths[:, 0].sum())
    sums = np.zeros(longest * longest, dtype=np.int64)
    np.add.at(sums, key, ways)
    return sum(
        int(sums[a * longest + b]) * perm(places, a) * perm(places, b) * perm(places, unseen - a - b)
        for a, b in product(range(longest), repeat=2)
        if sums[a * longest + b]
    )


def _make_p_length(context: Context) -> Arrays:
    return {"p_length": length_table()}


def _make_cnil(context: Context) -> Arrays:
    return {"cnil": cnil_table()}


_SUIT: Mapping[str, object] = {"n_ranks": RANKS_CLASSIC, "places": PLACES_CLASSIC}

FAMILIES = (
    Family(
        name="p_length",
        generator=1,
        make=_make_p_length,
        axes={"p_length": ("players m, 0..3", "cards held n, 0..13", "cards each holds at least k, 0..3")},
        parameters=_SUIT,
        exact=True,
    ),
    Family(
        name="cnil",
        generator=1,
        make=_make_cnil,
        axes={"cnil": ("reading: and, or, any", "kind: side, spades", "holding, bit 0 the deuce")},
        parameters=_SUIT,
        exact=True,
    ),
)

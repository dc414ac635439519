"""Exact tables: what can be counted without playing a round. Nothing is sampled or fitted.

The unseen cards of a suit are spread over three hidden hands. Each hand has `places` places for cards, 13 of 39 in the
classic game. The hands hold a, b and c of the s unseen cards with probability

    multinomial(s; a, b, c) x falling(places, a) x falling(places, b) x falling(places, c) / falling(3 x places, s)

Everything is counted in integers and divided once, so the bytes are the same on every machine. The definitions are from
ECAI 2020, sections 4.1 (length) and 4.2 (nil); docs/explanation/how-bis-bids.md settles what the paper leaves open.

- `p_length`: how many hidden hands have at least k cards of a suit.
- `cnil`: the probability that the three lowest cards of a suit take no trick. Cutthroat has its own (`hunted_cnil`).
- `side_high`, `ruffs`, `spade_high`, `spade_takes`: expected tricks of the cards of a suit, for `spades.bis.estimates`.
  Those of side suits and ruffs are probabilities from `p_length`, those of spades are counted.

The decks with jokers have suits of other sizes (`DECKS`). Their arrays use the same encoding of holdings
(`spades.cards`). A suit of 12 has no deuce, so cells of holdings with bit 0 are 0. docs/adr/0030 describes how suits of
two sizes share an array.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from math import comb, factorial, perm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from spades.bis import MOST_RUFFS
from spades.cards import ACE, HOLDINGS, JACK, KING, NINE, QUEEN
from spades.tables import View
from spades.tableset import CNIL_READING
from tables.run.family import Context

RANKS_CLASSIC = 13  # ranks of a suit; spades have 15 or 16 with jokers
PLACES_CLASSIC = 13  # cards in each of the three hidden hands
MAX_LENGTH = 3  # largest k: the fourth trick in a suit is not considered

READINGS = ("and", "or", "any")  # readings of the paper's "partner can't cover" at the second card: `_partner_fails`
KINDS = ("side", "spades")
SIDE, SPADES = 0, 1
SHORT_RANKS = 12  # a side suit without its deuce
HUNTERS = 2  # in cutthroat: number of the other three players who try to set the nil


class Suits(NamedTuple):
    """The suits of a deck with jokers; clubs and hearts have SHORT_RANKS."""

    spades: int  # number of cards
    diamonds: int  # number of cards

    @property
    def extra_spades(self) -> int:
        """The number of spades beyond the 13 of the standard deck."""
        return self.spades - RANKS_CLASSIC

    @property
    def long_diamonds(self) -> bool:
        """Whether diamonds have more cards than clubs and hearts, and so rows of their own."""
        return self.diamonds != SHORT_RANKS


# By table profile. In `jjdd`, the deuce of diamonds is a trump.
DECKS = {"jokers": Suits(spades=15, diamonds=13), "jjdd": Suits(spades=16, diamonds=12)}


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
    table = np.zeros((4, n_ranks + 1, MAX_LENGTH + 1))
    for m, n, k in np.ndindex(table.shape):
        table[m, n, k] = length_probability(m, n_ranks - n, k, places)
    return table


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


def hunted_cnil(hunters: int = HUNTERS) -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick) in cutthroat: float64, shape (2, 8192), axes as in `by_holding`.

    ``hunters`` of the other players try to make the nil fail, and the rest try to win the trick. The k-th lowest card
    takes a trick, and the nil fails, if both of these hold:

    - Each hunter can stay below it: they have fewer than k cards of the suit, or at least k cards below ours.
    - None of the rest can beat it: they have no higher card and, except in spades, at least k cards of the suit, so
      that they cannot ruff.

    With two hunters it equals the partnership's reading `any`, in which the third hand is a partner who covers. HUNTERS
    is the number that predicts nils in play best. It is not three, because a player who hunts a nil gives up tricks of
    their own.
    """
    return by_holding(lambda zones: hunted_cnil_of_zones(zones, hunters))


def hunted_cnil_of_zones(zones: Sequence[int], hunters: int) -> NDArray[np.float64]:
    """Return P(no trick) against ``hunters`` for ``zones`` from `zones_of`: float64 (2,), by kind.

    The example is the bare deuce and the bare ace.

    >>> hunted_cnil_of_zones((0, 12), 3).tolist(), hunted_cnil_of_zones((12, 0), 3).tolist()
    ([1.0, 1.0], [0.0, 0.0])
    """
    layouts = layouts_of(zones)
    lengths = layouts.lengths
    result = np.empty(len(KINDS))
    for kind in range(len(KINDS)):
        lost = np.zeros(len(layouts.ways), dtype=bool)
        for k, below in enumerate(layouts.below, start=1):
            stays = (lengths < k) | (below >= k)
            cannot_beat = lengths == below
            if kind != SPADES:
                cannot_beat &= lengths >= k
            lost |= stays[:hunters].all(axis=0) & cannot_beat[hunters:].all(axis=0)
        result[kind] = layouts.probability_except(lost)
    return result


def view(array: Any) -> Any:
    """Return an array as the kernels of `spades.bis.estimates` read it."""
    return memoryview(array)


def side_value(cards: int, ruffers: int, p_length: View) -> float:
    """Return the expected tricks of a side suit's ace, king and queen if ``ruffers`` opponents (0..3) might ruff.

    The ace wins if each of them has a card of the suit, the king if each has two, the queen if each has three. The king
    counts with at least two cards in the suit, the queen with three. ``cards``: the suit's holding as a bit mask;
    ``p_length``: the table of that name.
    """
    n = cards.bit_count()
    value = 0.0
    if cards >> ACE & 1:
        value += p_length[ruffers, n, 1]
    if n >= 2 and cards >> KING & 1:
        value += p_length[ruffers, n, 2]
    if n >= 3 and cards >> QUEEN & 1:
        value += p_length[ruffers, n, 3]
    return value


def spade_counts(cards: int, extra_spades: int = 0) -> tuple[int, int]:
    """Return the spade tricks of a holding (bit mask): those of high cards, and those of length.

    High cards: the ace, and each of K Q J with at least 1, 2 or 3 other spades. Length: each spade beyond the fourth.
    ``extra_spades``: number of spades beyond the 13 of the standard deck. The four high cards are always the four
    highest ranks: with two jokers (``extra_spades`` is 2) the big joker, the little joker, A and K.

    >>> spade_counts(0b1101000010001)  # AKJ62
    (3, 1)
    """
    n = cards.bit_count()
    tops = cards >> extra_spades
    high = tops >> ACE & 1
    for rank, guards in ((KING, 1), (QUEEN, 2), (JACK, 3)):
        if tops >> rank & 1 and n > guards:
            high += 1
    return high, max(0, n - 4)


def ruff_values(lengths: Sequence[int], ruffers: int, p_length: View) -> list[float]:
    """Return the expected tricks of each ruff that side suits of these lengths offer, best first.

    A suit of n cards can be ruffed in its tricks n + 1 to 3. A ruff wins if each of ``ruffers`` opponents must follow.
    """
    return sorted((float(p_length[ruffers, n, k]) for n in lengths for k in range(n + 1, 4)), reverse=True)


def side_table(p_length: Any) -> NDArray[np.float64]:
    """Return `side_value` by opponents who might ruff and holding: float64 (4, 8192)."""
    return np.array([[side_value(h, m, p_length) for h in range(HOLDINGS)] for m in range(4)])


def ruff_table(clubs: Any, diamonds: Any, hearts: Any) -> NDArray[np.float64]:
    """Return float64 (4, 64, 10): tricks of the best k ruffs, by opponents who might ruff, side-suit lengths and k.

    The lengths of clubs, diamonds and hearts, at most 3, are the base-4 digits of the second index, clubs the lowest.
    Each argument is the table `p_length` of that suit.
    """
    table = np.zeros((4, 64, MOST_RUFFS + 1))
    for ruffers in range(4):
        for index in range(64):
            suits = zip((index & 3, index >> 2 & 3, index >> 4), (clubs, diamonds, hearts), strict=True)
            values = sorted((v for n, p in suits for v in ruff_values((n,), ruffers, p)), reverse=True)
            for k in range(1, MOST_RUFFS + 1):
                table[ruffers, index, k] = table[ruffers, index, k - 1] + (values[k - 1] if k <= len(values) else 0.0)
    return table


def spade_tables(n_ranks: int, extra_spades: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return two uint8 (2**n_ranks, 10): spade tricks from high cards, and from high cards and length.

    Columns: the number of lowest spades taken away for ruffs. ``extra_spades``: as in `spade_counts`.
    """
    counts = np.array([spade_counts(held, extra_spades) for held in range(1 << n_ranks)], np.uint8)
    rest = np.arange(1 << n_ranks)
    columns = []
    for _ in range(MOST_RUFFS + 1):
        columns.append(counts[rest])
        rest = rest & np.maximum(rest - 1, 0)
    by_rank, by_length = np.stack(columns, axis=1).transpose(2, 0, 1)
    return np.ascontiguousarray(by_rank), by_rank + by_length


def cnil_rows(suits: Suits) -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick), in the shipped reading only: float64 (rows, 2**spades).

    The rows are clubs and hearts, then diamonds if they have a deuce, then spades. Spade holdings that rule out a nil
    (`spade_is_lost`) are 0.
    """
    table = np.zeros((3 if suits.long_diamonds else 2, 1 << suits.spades))
    values = cache(cnil_of_zones)

    def row(n_ranks: int, kind: int) -> list[float]:
        return [values(zones_of(held, n_ranks))[CNIL_READING, kind] for held in range(1 << n_ranks)]

    table[0, : 2 << SHORT_RANKS : 2] = row(SHORT_RANKS, SIDE)
    if suits.long_diamonds:
        table[1, :HOLDINGS] = row(RANKS_CLASSIC, SIDE)
    table[-1] = row(suits.spades, SPADES)
    table[-1, [spade_is_lost(held, suits.extra_spades) for held in range(1 << suits.spades)]] = 0.0
    return table


def p_length(ctx: Context) -> Arrays:
    """Make `p_length`; that of a deck with jokers is for its short suits."""
    return {"p_length": length_table(SHORT_RANKS if ctx.family.profile in DECKS else RANKS_CLASSIC)}


def cnil(ctx: Context) -> Arrays:
    """Make `cnil`."""
    return {"cnil": cnil_table()}


def cutthroat_cnil(ctx: Context) -> Arrays:
    """Make `cnil` of cutthroat."""
    return {"cnil": hunted_cnil()}


def side(ctx: Context) -> Arrays:
    """Make `side_high`."""
    return {"side_high": side_table(view(ctx.array("p_length")))}


def ruffs(ctx: Context) -> Arrays:
    """Make `ruffs`."""
    short, deck = view(ctx.own_array("p_length")), DECKS.get(ctx.family.profile)
    diamonds = view(ctx.array("p_length")) if deck is not None and deck.long_diamonds else short
    return {"ruffs": ruff_table(short, diamonds, short)}


def spades(ctx: Context) -> Arrays:
    """Make `spade_high` and `spade_takes`."""
    suits = DECKS.get(ctx.family.profile, Suits(RANKS_CLASSIC, RANKS_CLASSIC))
    high, takes = spade_tables(suits.spades, suits.extra_spades)
    return {"spade_high": high, "spade_takes": takes}


def deck_cnil(ctx: Context) -> Arrays:
    """Make `cnil` of a deck with jokers."""
    return {"cnil": cnil_rows(DECKS[ctx.family.profile])}


def deck_side(ctx: Context) -> Arrays:
    """Make `side_high` of a deck with jokers."""
    lengths = ctx.own_array("p_length")
    shorter = np.pad(lengths, ((0, 0), (0, 1), (0, 0)))  # a row for 13 cards, which do not occur
    short = side_table(view(shorter))
    short[:, 1::2] = 0.0  # no deuce
    long_diamonds = DECKS[ctx.family.profile].long_diamonds
    return {"side_high": np.concatenate([short, ctx.array("side_high")]) if long_diamonds else short}

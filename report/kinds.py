"""The kinds of hand for which BIS's estimate is furthest from the results.

A kind is a value of one feature of hand and auction, or of two features together. For regular bids the estimate
(regular takes before rounding) is compared with the tricks taken. For nils the stated probability is compared with the
nils made. BIS's estimates are below the tricks by design, because a set contract costs more than a bag. So the
difference of a kind is measured from the mean difference of all regular bids.

Kinds are ranked by their share of hands times their difference in points: ten points per trick, 200 between a nil made
and a nil failed. They are chosen on the even rounds and judged on the odd ones, so that the worst of many is not
overestimated.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from report.distributions import recorded
from report.figures import query
from report.reads import BIS_FIELDS
from report.recorded_rounds import Rounds
from report.setup import Setup

TRICK_POINTS, NIL_POINTS = 10.0, 200.0
SMALLEST = 0.002  # minimum share of all hands for a kind
MOST_SHARED = 0.3  # of two kinds that share more of the smaller one's hands, only the first is shown
SHOWN = 3
_ACE, _KING, _JACK = 12, 11, 9
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Family = dict[str, Bools]  # a feature's values, each with the hands that have it


class Kind(NamedTuple):
    """A kind of hand and the error of the estimate, in tricks or as a probability."""

    name: str
    hands: int
    share: float  # of all hands, regular bids and nils
    stated: float
    real: float
    mean: float  # real minus stated over all regular bids, or over all nils
    error: float  # half of the 95% interval of real minus stated
    points: float  # share times difference in points; above 0 the estimate is too low

    @property
    def difference(self) -> float:
        """Return real minus stated, measured from the mean of all."""
        return self.real - self.stated - self.mean


@query(*BIS_FIELDS)
def kinds(setup: Setup) -> dict[str, Any]:
    """Return the kinds that are furthest from the results: the first of all, those of regular bids, those of nils."""
    return furthest(recorded(setup))


def furthest(rounds: Rounds) -> dict[str, Any]:
    """Return the figures of `kinds`."""
    regular = _worst(rounds, _regular_families(rounds), nil=False)
    nils = _worst(rounds, _nil_families(rounds), nil=True)
    three = sorted([*regular, *nils], key=lambda kind: -abs(kind.points))[:SHOWN]
    return {
        "rounds": len(rounds.hands),
        "regular": f"{regular[0].mean:+.2f}",
        "nils": f"{100 * nils[0].mean:+.1f}",
        "first": [(i, kind.name, f"{kind.points:+.2f}") for i, kind in enumerate(three, 1)],
        "of_regular": [_row(kind, 1, 2, kind.difference) for kind in regular],
        "of_nils": [_row(kind, 100, 1, kind.real - kind.stated) for kind in nils],
    }


def _row(kind: Kind, factor: int, digits: int, difference: float) -> tuple[str, ...]:
    # A row of the tables of `furthest`, with the figures of the estimate multiplied by ``factor``.
    stated, real, error = (f"{factor * value:.{digits}f}" for value in (kind.stated, kind.real, kind.error))
    shown = f"{factor * difference:+.{digits}f} ± {error}"
    return kind.name, f"{kind.hands:,}", f"{100 * kind.share:.1f}", stated, real, shown, f"{kind.points:+.2f}"


def _worst(rounds: Rounds, families: dict[str, Family], nil: bool) -> list[Kind]:
    bid_nil = (rounds.bids == 0).ravel()
    chosen = bid_nil if nil else ~bid_nil
    if nil:
        stated, real = rounds.p_nil.ravel(), (rounds.taken == 0).ravel().astype(float)
    else:
        stated, real = rounds.estimates.ravel(), rounds.taken.ravel().astype(float)
    unit = NIL_POINTS if nil else TRICK_POINTS
    even = np.repeat(np.arange(len(rounds.hands)) % 2 == 0, 4)
    difference = real - stated
    whole = len(chosen) / 2
    middle = 0.0 if nil else float(difference[chosen & even].mean())
    ranked: list[tuple[float, str, Bools]] = []
    for name, members in _conjunctions(families, chosen):
        first = members & even
        n = np.count_nonzero(first)
        if n / whole >= SMALLEST:
            ranked.append((n / whole * abs(float(difference[first].mean()) - middle), name, members))
    ranked.sort(key=lambda row: (-row[0], row[1]))
    shown: list[Bools] = []
    kinds: list[Kind] = []
    mean = float(difference[chosen & ~even].mean())
    for _, name, members in ranked:
        smaller = [min(np.count_nonzero(members), np.count_nonzero(other)) for other in shown]
        if any(np.count_nonzero(members & other) > MOST_SHARED * n for other, n in zip(shown, smaller, strict=True)):
            continue
        shown.append(members)
        kinds.append(_judged(name, stated, real, members & ~even, whole, mean, 0.0 if nil else mean, unit))
        if len(kinds) == SHOWN:
            break
    return kinds


def _judged(
    name: str, stated: Any, real: Any, members: Bools, whole: float, mean: float, middle: float, unit: float
) -> Kind:
    difference = real[members] - stated[members]
    n = len(difference)
    error = 1.96 * float(difference.std()) / np.sqrt(max(n, 1))
    points = n / whole * (float(difference.mean()) - middle) * unit
    return Kind(
        name, n, n / whole, float(stated[members].mean()), float(real[members].mean()), mean, float(error), points
    )


def _conjunctions(families: dict[str, Family], chosen: Bools) -> Iterator[tuple[str, Bools]]:
    for values in families.values():
        for name, members in values.items():
            yield name, members & chosen
    for one, other in combinations(families.values(), 2):
        for name, members in one.items():
            for second, others in other.items():
                yield f"{name}, {second}", members & others & chosen


def _suits(rounds: Rounds) -> list[Ints]:
    hands = rounds.hands.ravel()
    return [hands >> (16 * suit) & 0x1FFF for suit in range(4)]


def _total(flags: Iterable[NDArray[Any]]) -> Ints:
    total: Ints = np.sum([flag.astype(np.int64) for flag in flags], axis=0, dtype=np.int64)
    return total


def _counts(values: Ints, names: dict[str, tuple[int, int]]) -> Family:
    return {name: (values >= low) & (values <= high) for name, (low, high) in names.items()}


def _auction(rounds: Rounds) -> dict[str, Family]:
    bids = rounds.bids.astype(np.int64)
    seat = np.tile(np.arange(4), len(bids))
    none = np.full(len(bids), -1, np.int64)
    partner = np.stack([none, none, bids[:, 0], bids[:, 1]], axis=1).ravel()
    before = np.stack([none * 0, bids[:, 0] == 0, bids[:, 1] == 0, (bids[:, 0] == 0) | (bids[:, 2] == 0)], axis=1)
    sums = np.concatenate([none[:, None] * 0, np.cumsum(bids, axis=1)[:, :3]], axis=1).ravel()
    mean = np.array([sums[seat == i].mean() for i in range(4)])[seat]
    return {
        "seat": {f"seat {i + 1}": seat == i for i in range(4)},
        "partner": _counts(
            partner,
            {
                "partner nil": (0, 0),
                "partner bid 1-2": (1, 2),
                "partner bid 3": (3, 3),
                "partner bid 4": (4, 4),
                "partner bid 5 or more": (5, 13),
            },
        ),
        "opponents": {"an opponent has bid nil": before.ravel().astype(bool)},
        "sum": {
            "previous bids 2 or more above their mean": (seat > 0) & (sums >= mean + 2),
            "previous bids 2 or more below their mean": (seat > 0) & (sums <= mean - 2),
        },
    }


def _regular_families(rounds: Rounds) -> dict[str, Family]:
    suits = _suits(rounds)
    lengths = [np.bitwise_count(suit).astype(np.int64) for suit in suits]
    spades = lengths[3]
    voids = _total(n == 0 for n in lengths[:3])
    singletons = _total(n == 1 for n in lengths[:3])
    aces = _total(suit >> _ACE & 1 for suit in suits[:3])
    high = [suit >> _JACK for suit in suits]  # J Q K A
    lone_kings = _total(((n == 1) & (suit >> _KING & 1 == 1)) for suit, n in zip(suits[:3], lengths))
    kings = _total(
        ((n >= 2) & (suit >> _KING & 1 == 1) & (suit >> _ACE & 1 == 0)) for suit, n in zip(suits[:3], lengths)
    )
    queens = _total(((n >= 3) & (h & 0b1110 == 0b0010)) for h, n in zip(high[:3], lengths))
    short_queens = _total(((n <= 2) & (h & 0b1110 == 0b0010)) for h, n in zip(high[:3], lengths))
    longest = np.max(lengths[:3], axis=0)
    honours = np.bitwise_count(suits[3] >> _JACK).astype(np.int64)
    kept = rounds.estimates.ravel()
    return {
        **_auction(rounds),
        "spades": _counts(
            spades,
            {f"{n} spade{'s' * (n != 1)}": (n, n) for n in range(6)} | {"6 or more spades": (6, 13)},
        ),
        "honours": _counts(
            honours, {"no spade honour": (0, 0), "one spade honour": (1, 1), "two or more spade honours": (2, 4)}
        ),
        "shape": {
            "a side void": voids > 0,
            "a side singleton, no void": (voids == 0) & (singletons > 0),
            "no side suit under two cards": (voids == 0) & (singletons == 0),
        },
        "long": {"a side suit of six or more": longest >= 6},
        "aces": _counts(aces, {"no side ace": (0, 0), "one side ace": (1, 1), "two or three side aces": (2, 3)}),
        "lone kings": {"a lone side king": lone_kings > 0},
        "kings": {"a guarded side king without its ace": kings > 0},
        "queens": {"a guarded side queen without ace and king": queens > 0},
        "short queens": {"an unguarded side queen without ace and king": short_queens > 0},
        "estimate": {
            "estimate under 1.5": kept < 1.5,
            "estimate 1.5 to 2.5": (kept >= 1.5) & (kept < 2.5),
            "estimate 4.5 or more": kept >= 4.5,
        },
    }


def _nil_families(rounds: Rounds) -> dict[str, Family]:
    suits = _suits(rounds)
    lengths = [np.bitwise_count(suit).astype(np.int64) for suit in suits]
    lowest = [
        np.where(n > 0, np.bitwise_count((suit & -suit) - 1), 0).astype(np.int64) for suit, n in zip(suits, lengths)
    ]
    shortest, longest = np.min(lengths[:3], axis=0), np.max(lengths[:3], axis=0)
    bare = _total(low >= 4 for low in lowest[:3])  # no card under the six
    lone = _total(((n == 1) & (low >= 8)) for n, low in zip(lengths[:3], lowest))
    top = np.where(suits[3] > 0, np.floor(np.log2(np.maximum(suits[3], 1))).astype(np.int64), -1)
    aces = _total((suit >> _ACE & 1) for suit in suits[:3])
    p = rounds.p_nil.ravel()
    return {
        **_auction(rounds),
        "spades": _counts(lengths[3], {f"{n} spade{'s' * (n != 1)}": (n, n) for n in range(4)}),
        "top spade": _counts(
            top, {"highest spade 2-6": (0, 4), "highest spade 7-9": (5, 7), "highest spade T-J": (8, 9)}
        ),
        "shape": {"a side void": shortest == 0, "a side singleton, no void": shortest == 1},
        "long": {"a side suit of six or more": longest >= 6},
        "bare": _counts(bare, {"a card under the six in each side suit": (0, 0), "a side suit without one": (1, 3)}),
        "lone": {"a lone side card of ten or higher": lone > 0},
        "aces": _counts(aces, {"no side ace": (0, 0), "a side ace": (1, 3)}),
        "stated": {"stated under 70%": p < 0.7, "stated 90% or more": p >= 0.9},
    }

"""Exact tables of tricks: high cards of a side suit, ruffs and spades, for `spades.bis.estimates`.

Nothing is sampled or fitted. The tricks of side suits and ruffs are probabilities from `p_length`, those of spades are
counted. The tables go to side_high.npy, ruffs.npy, spade_high.npy and spade_takes.npy.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from spades.bis import MOST_RUFFS
from spades.cards import ACE, HOLDINGS, JACK, KING, QUEEN
from spades.tables import View
from tables.builders.exact import RANKS_CLASSIC
from tables.run.family import Context, Family


def view(array: Any) -> Any:
    """Return an array as the kernels of `regular` read it.

    The type is `Any` because numpy's stubs do not know that an array is a buffer.
    """
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
    return sorted(
        (float(p_length[ruffers, n, k]) for n in lengths for k in range(n + 1, 4)),
        reverse=True,
    )


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
    high = np.zeros((1 << n_ranks, MOST_RUFFS + 1), np.uint8)
    takes = np.zeros((1 << n_ranks, MOST_RUFFS + 1), np.uint8)
    for holding in range(1 << n_ranks):
        rest = holding
        for k in range(MOST_RUFFS + 1):
            by_rank, by_length = spade_counts(rest, extra_spades)
            high[holding, k] = by_rank
            takes[holding, k] = by_rank + by_length
            rest &= rest - 1
    return high, takes


def _side(ctx: Context) -> Arrays:
    return {"side_high": side_table(view(ctx.array("p_length")))}


def _ruffs(ctx: Context) -> Arrays:
    p_length = view(ctx.array("p_length"))
    return {"ruffs": ruff_table(p_length, p_length, p_length)}


def _spades(ctx: Context) -> Arrays:
    high, takes = spade_tables(RANKS_CLASSIC)
    return {"spade_high": high, "spade_takes": takes}


_HOLDING = "holding: bit 0 the deuce .. bit 12 the ace"
_RUFFED = "number of lowest spades used for ruffs, 0..9"
_RUFFERS = "opponents who might ruff, 0..3"
_FAMILY: dict[str, Any] = {"generator": 1, "exact": True}

FAMILIES = (
    Family(name="side", make=_side, axes={"side_high": (_RUFFERS, _HOLDING)}, depends=("p_length",), **_FAMILY),
    Family(
        name="ruffs",
        make=_ruffs,
        axes={"ruffs": (_RUFFERS, "lengths of C, D, H capped at 3, in base 4", "tricks of the best k ruffs, 0..9")},
        depends=("p_length",),
        **_FAMILY,
    ),
    Family(
        name="spades",
        make=_spades,
        axes={"spade_high": (_HOLDING, _RUFFED), "spade_takes": (_HOLDING, _RUFFED)},
        **_FAMILY,
    ),
)

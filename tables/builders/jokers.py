"""The exact tables of the decks with jokers, whose suits have other numbers of cards.

Clubs and hearts have 12 cards. In the profile `jokers`, diamonds have 13 cards and spades 15. In `jjdd`, where the
deuce of diamonds is a trump, they have 12 and 16. Nothing is fitted: the functions of `exact` and `derived` count with
these numbers. Holdings use the same encoding (`spades.cards`). A suit of 12 has no deuce, so cells of
holdings with bit 0 are 0. docs/adr/0030 describes how suits of two sizes share an array. The files' names begin with
the profile's name.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.chunks import Arrays
from spades.cards import HOLDINGS
from spades.tableset import CNIL_READING
from tables.builders.derived import ruff_table, side_table, spade_tables, view
from tables.builders.exact import (
    PLACES_CLASSIC,
    RANKS_CLASSIC,
    SIDE,
    SPADES,
    cnil_of_zones,
    length_table,
    spade_is_lost,
    zones_of,
)
from tables.run.family import Context, Family

SHORT_RANKS = 12  # a side suit without its deuce

_HOLDING = "holding: bit 0 the deuce .. bit 12 the ace"
_SPADES = "spade holding: bit 0 the lowest spade"
_RUFFERS = "opponents who might ruff, 0..3"
_LENGTHS = "lengths of C, D, H capped at 3, in base 4"
_RUFFED = "number of lowest spades used for ruffs, 0..9"
_FAMILY: dict[str, Any] = {"generator": 1, "exact": True}


class Suits(NamedTuple):
    """The suits of a deck with jokers; clubs and hearts have SHORT_RANKS."""

    profile: str  # prefix of the arrays
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


JOKERS, JJDD = Suits("jokers", 15, 13), Suits("jjdd", 16, 12)


def cnil_rows(suits: Suits) -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick), in the shipped reading only: float64 (rows, 2**spades).

    The rows are clubs and hearts, then diamonds if they have a deuce, then spades. Spade holdings that rule out a nil
    (`exact.spade_is_lost`) are 0.
    """
    table = np.zeros((3 if suits.long_diamonds else 2, 1 << suits.spades))
    known: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def cell(held: int, n_ranks: int, kind: int) -> float:
        zones = zones_of(held, n_ranks)
        if zones not in known:
            known[zones] = cnil_of_zones(zones)
        return float(known[zones][CNIL_READING, kind])

    for held in range(1 << SHORT_RANKS):
        table[0, held << 1] = cell(held, SHORT_RANKS, SIDE)
    if suits.long_diamonds:
        for held in range(HOLDINGS):
            table[1, held] = cell(held, RANKS_CLASSIC, SIDE)
    for held in range(1 << suits.spades):
        if not spade_is_lost(held, suits.extra_spades):
            table[-1, held] = cell(held, suits.spades, SPADES)
    return table


def exact_families(suits: Suits) -> tuple[Family, ...]:
    """Return the families of a deck's exact tables."""
    profile, long_diamonds = suits.profile, suits.long_diamonds
    lengths, n_ranks = f"{profile}_p_length", [SHORT_RANKS, suits.diamonds, suits.spades]

    def make_p_length(ctx: Context) -> Arrays:
        return {lengths: length_table(SHORT_RANKS)}

    def make_cnil(ctx: Context) -> Arrays:
        return {f"{profile}_cnil": cnil_rows(suits)}

    def make_side(ctx: Context) -> Arrays:
        shorter = np.pad(ctx.array(lengths), ((0, 0), (0, 1), (0, 0)))  # a row for 13 cards, which do not occur
        short = side_table(view(shorter))
        short[:, 1::2] = 0.0  # no deuce
        return {f"{profile}_side_high": np.concatenate([short, ctx.array("side_high")]) if long_diamonds else short}

    def make_ruffs(ctx: Context) -> Arrays:
        short = view(ctx.array(lengths))
        diamonds = view(ctx.array("p_length")) if long_diamonds else short
        return {f"{profile}_ruffs": ruff_table(short, diamonds, short)}

    def make_spades(ctx: Context) -> Arrays:
        high, takes = spade_tables(suits.spades, suits.extra_spades)
        return {f"{profile}_spade_high": high, f"{profile}_spade_takes": takes}

    kinds = "kind: clubs and hearts, diamonds, spades" if long_diamonds else "kind: side suits, spades"
    rows = f"{_RUFFERS}, for clubs and hearts; 4..7 for diamonds" if long_diamonds else _RUFFERS
    return (
        Family(
            name=lengths,
            make=make_p_length,
            axes={lengths: ("players m, 0..3", "cards held of a short suit, 0..12", "cards each holds at least k")},
            parameters={"n_ranks": SHORT_RANKS, "places": PLACES_CLASSIC},
            **_FAMILY,
        ),
        Family(
            name=f"{profile}_cnil",
            make=make_cnil,
            axes={f"{profile}_cnil": (kinds, _SPADES)},
            parameters={"n_ranks": n_ranks, "places": PLACES_CLASSIC},
            **_FAMILY,
        ),
        Family(
            name=f"{profile}_side",
            make=make_side,
            axes={f"{profile}_side_high": (rows, _HOLDING)},
            depends=(lengths, "side") if long_diamonds else (lengths,),
            **_FAMILY,
        ),
        Family(
            name=f"{profile}_ruffs",
            make=make_ruffs,
            axes={f"{profile}_ruffs": (_RUFFERS, _LENGTHS, "tricks of the best k ruffs")},
            depends=(lengths, "p_length") if long_diamonds else (lengths,),
            **_FAMILY,
        ),
        Family(
            name=f"{profile}_spades",
            make=make_spades,
            axes={f"{profile}_spade_high": (_SPADES, _RUFFED), f"{profile}_spade_takes": (_SPADES, _RUFFED)},
            **_FAMILY,
        ),
    )


EXACT_OF_JOKERS, EXACT_OF_JJDD = exact_families(JOKERS), exact_families(JJDD)
FAMILIES = (*EXACT_OF_JOKERS, *EXACT_OF_JJDD)

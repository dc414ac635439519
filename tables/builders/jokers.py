"""The exact tables of the variant with jokers: suits of 12 (clubs, hearts), 13 (diamonds) and 15 cards (spades).

Nothing is fitted: the functions of `exact` and `derived` count with other suits. Holdings use the same encoding
(`service.bidding.game.cards`). Clubs and hearts have no deuce, bit 0, so cells of holdings with that bit are 0.
docs/adr/0030 describes how suits of two sizes share an array. The files' names begin with `jokers_`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.bidding.game.cards import HOLDINGS
from service.bidding.tableset import CNIL_READING
from tables.builders.derived import ruff_table, side_table, spade_tables, view
from tables.builders.exact import (
    SIDE,
    SPADES,
    cnil_of_zones,
    length_table,
    spade_is_lost,
    zones_of,
)
from tables.run.family import Arrays, Context, Family

SHORT_RANKS, LONG_RANKS = 12, 15  # clubs and hearts without the deuce, spades with the jokers
JOKERS_ABOVE = 2  # spade ranks above the ace

_HOLDING = "holding: bit 0 the deuce .. bit 12 the ace"
_SPADES = "spade holding: bit 0 the deuce .. bit 12 the ace, little joker, big joker"
_RUFFERS = "opponents who might ruff, 0..3"
_RUFFED = "number of lowest spades used for ruffs, 0..9"
_FAMILY: dict[str, Any] = {"generator": 1, "exact": True}


def cnil_rows() -> NDArray[np.float64]:
    """Return P(the three lowest cards take no trick), in the shipped reading only: float64 (3, 32768).

    The rows are clubs and hearts, diamonds, spades. Spade cells that are lost by rule are 0; the rule's ranks are two
    higher.
    """
    table = np.zeros((3, 1 << LONG_RANKS))
    known: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def cell(held: int, n_ranks: int, kind: int) -> float:
        zones = zones_of(held, n_ranks)
        if zones not in known:
            known[zones] = cnil_of_zones(zones)
        return float(known[zones][CNIL_READING, kind])

    for held in range(1 << SHORT_RANKS):
        table[0, held << 1] = cell(held, SHORT_RANKS, SIDE)
    for held in range(HOLDINGS):
        table[1, held] = cell(held, 13, SIDE)
    for held in range(1 << LONG_RANKS):
        if not spade_is_lost(held, JOKERS_ABOVE):
            table[2, held] = cell(held, LONG_RANKS, SPADES)
    return table


def _make_p_length(ctx: Context) -> Arrays:
    return {"jokers_p_length": length_table(SHORT_RANKS)}


def _make_cnil(ctx: Context) -> Arrays:
    return {"jokers_cnil": cnil_rows()}


def _make_side(ctx: Context) -> Arrays:
    shorter = np.pad(ctx.array("jokers_p_length"), ((0, 0), (0, 1), (0, 0)))  # a row for 13 cards, which do not occur
    clubs = side_table(view(shorter))
    clubs[:, 1::2] = 0.0  # no deuce
    return {"jokers_side_high": np.concatenate([clubs, ctx.array("side_high")])}


def _make_ruffs(ctx: Context) -> Arrays:
    shorter, diamonds = view(ctx.array("jokers_p_length")), view(ctx.array("p_length"))
    return {"jokers_ruffs": ruff_table(shorter, diamonds, shorter)}


def _make_spades(ctx: Context) -> Arrays:
    high, takes = spade_tables(LONG_RANKS, JOKERS_ABOVE)
    return {"jokers_spade_high": high, "jokers_spade_takes": takes}


FAMILIES = (
    Family(
        name="jokers_p_length",
        make=_make_p_length,
        axes={"jokers_p_length": ("players m, 0..3", "clubs or hearts held n, 0..12", "cards each holds at least k")},
        parameters={"n_ranks": SHORT_RANKS, "places": 13},
        **_FAMILY,
    ),
    Family(
        name="jokers_cnil",
        make=_make_cnil,
        axes={"jokers_cnil": ("kind: clubs and hearts, diamonds, spades", _SPADES)},
        parameters={"n_ranks": [SHORT_RANKS, 13, LONG_RANKS], "places": 13},
        **_FAMILY,
    ),
    Family(
        name="jokers_side",
        make=_make_side,
        axes={"jokers_side_high": (f"{_RUFFERS}, for clubs and hearts; 4..7 for diamonds", _HOLDING)},
        depends=("jokers_p_length", "side"),
        **_FAMILY,
    ),
    Family(
        name="jokers_ruffs",
        make=_make_ruffs,
        axes={"jokers_ruffs": (_RUFFERS, "lengths of C, D, H capped at 3, in base 4", "tricks of the best k ruffs")},
        depends=("jokers_p_length", "p_length"),
        **_FAMILY,
    ),
    Family(
        name="jokers_spades",
        make=_make_spades,
        axes={"jokers_spade_high": (_SPADES, _RUFFED), "jokers_spade_takes": (_SPADES, _RUFFED)},
        **_FAMILY,
    ),
)
EXACT = tuple(family.name for family in FAMILIES)

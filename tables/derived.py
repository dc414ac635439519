"""Tables that follow exactly from `p_length`: what one suit's holding is worth, for the kernels of `regular`.

No sampling and no fitting. Goes to side_high.npy, spade_high.npy, spade_takes.npy and ruffs.npy.
"""

from typing import Any

import numpy as np

from service.bidding.cards import HOLDINGS
from service.bidding.regular import MOST_RUFFS, ruff_values, side_value, spade_counts
from tables.family import Arrays, Context, Family


def _view(ctx: Context) -> Any:
    array: Any = ctx.array("p_length")  # numpy's stubs don't know that an array is a buffer
    return memoryview(array)


def _side(ctx: Context) -> Arrays:
    p_length = _view(ctx)
    return {"side_high": np.array([[side_value(h, m, p_length) for h in range(HOLDINGS)] for m in range(4)])}


def _ruffs(ctx: Context) -> Arrays:
    p_length = _view(ctx)
    table = np.zeros((4, 64, MOST_RUFFS + 1))
    for cutters in range(4):
        for row in range(64):
            values = ruff_values((row & 3, row >> 2 & 3, row >> 4), cutters, p_length)
            for k in range(1, MOST_RUFFS + 1):
                table[cutters, row, k] = table[cutters, row, k - 1] + (values[k - 1] if k <= len(values) else 0.0)
    return {"ruffs": table}


def _spades(ctx: Context) -> Arrays:
    high = np.zeros((HOLDINGS, MOST_RUFFS + 1), np.uint8)
    takes = np.zeros((HOLDINGS, MOST_RUFFS + 1), np.uint8)
    for holding in range(HOLDINGS):
        rest = holding
        for k in range(MOST_RUFFS + 1):
            by_rank, by_length = spade_counts(rest)
            high[holding, k] = by_rank
            takes[holding, k] = by_rank + by_length
            rest &= rest - 1
    return {"spade_high": high, "spade_takes": takes}


_HOLDING = "holding: bit 0 the deuce .. bit 12 the ace"
_RUFFED = "k lowest spades taken away for ruffs, 0..9"
_CUTTERS = "opponents who might cut, 0..3"
_FAMILY: dict[str, Any] = {"generator": 1, "exact": True}

FAMILIES = (
    Family(name="side", make=_side, axes={"side_high": (_CUTTERS, _HOLDING)}, depends=("p_length",), **_FAMILY),
    Family(
        name="ruffs",
        make=_ruffs,
        axes={"ruffs": (_CUTTERS, "lengths of C, D, H capped at 3, in base 4", "worth of the best k ruffs, 0..9")},
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

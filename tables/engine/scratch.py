"""Functions that compiled code replaces with its own forms (`tables.engine.jit`).

They give working memory, and copy tuples to arrays.
"""

from array import array
from typing import Any


def scratch(n: int) -> memoryview:
    """Return ``n`` int64 cells, all 0: a memoryview whose cells read as ints; in compiled code, an array."""
    return memoryview(array("q", bytes(8 * n)))


def put(numbers: tuple[float, ...], first: int, x: Any) -> None:
    """Write ``numbers`` to ``x`` from index ``first`` on.

    The compiled form is unrolled, because a loop over a tuple would select a field by its type at each turn.
    """
    for i, number in enumerate(numbers):
        x[first + i] = number

"""Working memory, and copies of tuples to arrays; `arena.engine.jit` has other forms of both for compiled code."""

from array import array
from typing import Any


def scratch(n: int) -> memoryview:
    """Return ``n`` int64 cells, all 0: a memoryview whose cells read as ints; in compiled code, an array."""
    return memoryview(array("q", bytes(8 * n)))


def put(numbers: tuple[float, ...], first: int, x: Any) -> None:
    """Write ``numbers`` to ``x`` from index ``first`` on.

    The compiled form has one store for each number. In a loop, numba would first have to find out which element of the
    tuple an index means, each time.
    """
    for i, number in enumerate(numbers):
        x[first + i] = number

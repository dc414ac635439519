"""What compiled code does in its own way (see `tables.engine.jit`): working memory, arrays from and to tuples."""

from array import array
from typing import Any


def scratch(n: int) -> memoryview:
    """Return ``n`` int64 cells, all 0. In plain Python its cells read as ints; compiled code gets an array."""
    return memoryview(array("q", bytes(8 * n)))


def put(numbers: tuple[float, ...], first: int, x: Any) -> None:
    """Write ``numbers`` to ``x`` from cell ``first`` on.

    The compiled form is unrolled: a loop over a tuple would choose among its fields at each turn.
    """
    for i, number in enumerate(numbers):
        x[first + i] = number


def rule_values(cells: list[int]) -> tuple[int, ...]:
    """Return the cells of a play state's ``rules`` as a tuple. Compiled code needs its length at compile time."""
    return tuple(cells)

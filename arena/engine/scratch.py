"""Working memory; `arena.engine.jit` has another form of it for compiled code."""

from array import array


def scratch(n: int) -> memoryview:
    """Return ``n`` int64 cells, all 0: a memoryview whose cells read as ints; in compiled code, an array."""
    return memoryview(array("q", bytes(8 * n)))

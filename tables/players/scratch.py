"""Working memory for kernels that need some of their own: the one allocation either world may make.

Plain Python gets a memoryview of machine words, so that cells read as ints; `tables.engine.jit` gives compiled code an
array. Not for states, which their owner makes and hands in.
"""

from array import array


def scratch(n: int) -> memoryview:
    """``n`` int64 cells, all 0."""
    return memoryview(array("q", bytes(8 * n)))

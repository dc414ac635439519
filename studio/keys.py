"""Find rounds that come twice in a log, by 64-bit hashes: 16 to 32 bytes a round, and 56 while the table grows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import entry

FIRST_CELLS = 1 << 16


def _add(cells: Any, keys: Any, repeated: Any) -> None:
    # A hash table with linear probing; an empty cell holds 0.
    mask = len(cells) - 1
    for i in range(len(keys)):
        cell = keys[i] & mask
        while cells[cell] != 0 and cells[cell] != keys[i]:
            cell = (cell + 1) & mask
        repeated[i] = cells[cell] != 0
        cells[cell] = keys[i]


_add_keys = entry(_add)


class Keys:
    """The keys seen so far."""

    def __init__(self) -> None:
        self._cells = np.zeros(FIRST_CELLS, np.int64)
        self._used = 0

    def repeated(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Add ``keys`` (n,), of which none is 0; return which of them had been added before."""
        found = np.zeros(len(keys), np.bool_)
        while 2 * (self._used + len(keys)) > len(self._cells):
            before = self._cells[self._cells != 0]
            self._cells = np.zeros(2 * len(self._cells), np.int64)
            _add_keys(self._cells, before, np.zeros(len(before), np.bool_))
        _add_keys(self._cells, keys.view(np.int64), found)
        self._used += len(keys) - int(found.sum())
        return found

"""A hash of 64-bit numbers, for random draws that depend only on the numbers."""

import numpy as np
from numpy.typing import NDArray


def mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the hash of each number, in the same shape: the function "fmix64" of MurmurHash3 (Appleby)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        x = (x ^ x >> np.uint64(33)) * np.uint64(factor)
    return x ^ x >> np.uint64(33)

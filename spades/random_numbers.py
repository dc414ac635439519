"""Pseudo-random numbers that depend only on a seed, as kernels: the same on every machine, compiled or not."""


def hash_uniform(seed: int) -> float:
    """Return a number in [0, 1) that depends only on ``seed``, an int 0..2^53.

    The hash is "lowbias32" (Wellons, 2018); it gives the same number on every machine.

    >>> round(hash_uniform(1), 4), round(hash_uniform(2), 4)
    (0.4083, 0.8167)
    """
    x = (seed ^ seed >> 32) & 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x7FEB352D & 0xFFFFFFFF
    x = (x ^ x >> 15) * 0x846CA68B & 0xFFFFFFFF
    return (x ^ x >> 16) / 4294967296.0


def hash_normal(seed: int) -> float:
    """Return a pseudo-random number with mean 0 and standard deviation 1, in -3..3; nearly normal.

    It is made from the random numbers of three seeds: ``seed`` and the next two.

    >>> round(hash_normal(8), 3)
    0.793
    """
    return 2.0 * (hash_uniform(seed) + hash_uniform(seed + 1) + hash_uniform(seed + 2)) - 3.0

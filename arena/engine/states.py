"""Arrays of play states. Plain Python uses a `PlayState`, compiled code an element of an array of dtype `STATE`.

Both have the same fields; in the array each number is an int64.
"""

from dataclasses import asdict

import numpy as np

from spades.play import PlayState

FIELDS: dict[str, tuple[int, ...]] = {name: np.shape(value) for name, value in asdict(PlayState()).items()}  # by name
STATE = np.dtype([(name, np.int64, shape) for name, shape in FIELDS.items()])


def new_states(count: int) -> list[PlayState]:
    """Return ``count`` empty states; in compiled code, an array of `STATE`.

    Keep the array as long as its elements are in use: compiled code does not count references to an element.
    """
    return [PlayState() for _ in range(count)]


def plain_state(record: np.void) -> PlayState:
    """Return an element of an array of `STATE` as a `PlayState`."""
    return PlayState(**{name: record[name].tolist() for name in FIELDS})

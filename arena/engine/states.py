"""Play states, rows of policies and working memory: what plain Python and compiled code have in two forms.

Plain Python uses a `PlayState`, compiled code an element of an array of dtype `STATE`. Both have the same fields; in
the array each number is an int64. `arena.engine.jit` has the compiled forms of the functions.
"""

from array import array
from dataclasses import asdict

import numpy as np

from spades.options import Policy
from spades.play import PlayState

FIELDS: dict[str, tuple[int, ...]] = {name: np.shape(value) for name, value in asdict(PlayState()).items()}  # by name
STATE = np.dtype([(name, np.int64, shape) for name, shape in FIELDS.items()])
POLICY = np.dtype([(name, type(default)) for name, default in Policy._field_defaults.items()])


def new_states(count: int) -> list[PlayState]:
    """Return ``count`` empty states; in compiled code, an array of `STATE`.

    Keep the array as long as its elements are in use: compiled code does not count references to an element.
    """
    return [PlayState() for _ in range(count)]


def plain_state(record: np.void) -> PlayState:
    """Return an element of an array of `STATE` as a `PlayState`."""
    return PlayState(**{name: record[name].tolist() for name in FIELDS})


def policy_of(row: np.void) -> Policy:
    """Return a row of `POLICY` as a policy."""
    return Policy(*row.item())


def scratch(n: int) -> memoryview:
    """Return ``n`` int64 cells, all 0: a memoryview whose cells read as ints; in compiled code, an array."""
    return memoryview(array("q", bytes(8 * n)))

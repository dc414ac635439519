"""Where the net's inputs are written: cells of an array, from the tuples that `service.bidding.winprob.features` gives.

Compiled code gets its own form in `tables.engine.jit`: a loop over a tuple would choose among its fields at each turn.
"""

from typing import Any


def put(numbers: tuple[float, ...], first: int, x: Any) -> None:
    """Write ``numbers`` to ``x`` from cell ``first`` on."""
    for i, number in enumerate(numbers):
        x[first + i] = number

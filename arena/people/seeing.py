"""What a model of people sees of many positions at once, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import entry
from arena.engine.simulate import numba_typed, tables_for
from arena.people.bid_net import Seen, no_positions
from arena.people.inputs import see
from spades.policies import parse_policy
from spades.rules import Rules
from spades.tables import Tables


def _see(states: Any, seats: Any, rules: Rules, policies: Any, profiles: Any, seen: Any) -> None:
    for n in range(len(seats)):
        see(states[n], seats[n], rules, policies, profiles, seen, n)


_see_all = entry(_see)


def positions(states: NDArray[np.void], seats: NDArray[np.int64], rules: Rules, profiles: tuple[Tables, ...]) -> Seen:
    """Return n positions without labels: those in ``states`` (n,) at the turns of ``seats`` (n,).

    ``profiles``: the shipped tables, from `kernel_tables`.
    """
    policies = tuple(numba_typed(parse_policy(text, rules.variant)) for text in ("bis", "bis:nils=off"))
    seen = no_positions(len(seats))
    _see_all(states, seats, rules, policies, tables_for(profiles, rules, policies), seen)
    return seen

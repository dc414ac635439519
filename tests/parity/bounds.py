"""A smaller sample of the comparisons with numba's bounds checks, run as a separate process (see test_rounds).

Run it with `NUMBA_BOUNDSCHECK=1 XDG_CACHE_HOME=$(mktemp -d) python -m tests.parity.bounds`. The checks change the
machine code, so they need a separate cache.
"""

import random

import numba
import numpy as np

from tests.conftest import random_worlds
from tests.parity.cases import CASES, HOW_MANY
from tests.parity.worlds import both, compiled_rounds, frozen_bids, plain_rounds

KERNELS = (
    "arena.engine.choose_bid.choose_bid",
    "spades.bis.partnership.bis",
    "arena.engine.deal.deal",
    "arena.players.choose_card.choose_card",
)


def main() -> None:
    assert numba.config.BOUNDSCHECK, "NUMBA_BOUNDSCHECK is not set; accepted: 1"
    worlds = random_worlds()
    rng = random.Random(2)
    compared = 0
    for name in KERNELS:
        for _ in range(HOW_MANY.get(name, 2000)):
            args = CASES[name](rng)
            plain, fast = both(name, args, worlds)
            assert plain == fast, (name, args)
            compared += 1
    bids = frozen_bids()
    for players in (("wrp",), ("srp@1",)):
        assert np.array_equal(plain_rounds(0, 50, bids, *players), compiled_rounds(0, 50, bids, *players))
        compared += 50
    print(f"compared {compared} calls and rounds within bounds")


if __name__ == "__main__":
    main()

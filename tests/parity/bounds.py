"""The games of test_rounds with numba's bounds checks, run as a separate process (see there).

Run it with `NUMBA_BOUNDSCHECK=1 XDG_CACHE_HOME=$(mktemp -d) python -m tests.parity.bounds`. The checks change the
machine code, so they need a separate cache.
"""

import numba

from tests.conftest import random_worlds
from tests.parity.games import GAMES, compiled_pair, plain_game


def main() -> None:
    assert numba.config.BOUNDSCHECK, "NUMBA_BOUNDSCHECK is not set; accepted: 1"
    worlds = random_worlds()
    rounds = 0
    for name in GAMES:
        first, second = compiled_pair(name, worlds.array_settings)
        assert first == list(plain_game(name, 0, worlds.plain_settings)), name
        rounds += len(first) + len(second)
    print(f"compared {rounds} rounds within bounds")


if __name__ == "__main__":
    main()

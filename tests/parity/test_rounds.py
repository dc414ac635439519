"""Whole games as plain Python and compiled, card by card; many bids; and all of it with numba's bounds checks."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from arena.engine.bidding import bid_seat
from arena.engine.rounds import bids_of, states_at
from arena.engine.states import plain_state
from tests.conftest import ROOT
from tests.parity.cases import POLICIES, any_position
from tests.parity.games import GAMES, compiled_pair, plain_game

pytestmark = pytest.mark.parity


@pytest.mark.parametrize("name", GAMES)
def test_games(fitted, name):
    games = compiled_pair(name, fitted.array_settings)
    for swap in range(2):
        assert games[swap] == list(plain_game(name, swap, fitted.plain_settings))


@pytest.mark.parametrize("positions", [2_000, pytest.param(20_000, marks=pytest.mark.long)])
def test_all_policies_bids(fitted, positions):
    """In each position, half of the policies in turn: both forms make the same bid."""
    rng = random.Random(1)
    by_rules: dict = {}
    for _ in range(positions):
        *where, rules = any_position(rng)
        by_rules.setdefault(rules, []).append(where)
    found = set()
    for rules, where in by_rules.items():
        for number, policy in enumerate(POLICIES):
            seats, states = at_turn(rules, where[number % 2 :: 2])
            bids = bids_of(states, seats, rules, policy, fitted.array_settings).tolist()
            for state, seat, bid in zip(states, seats.tolist(), bids, strict=True):
                assert bid_seat(plain_state(state), seat, rules, policy, fitted.plain_settings) == bid, (state, policy)
            found.update(bids)
    assert found >= set(range(9))


def at_turn(rules, where):
    """Return the seats (n,) to bid and the states (n,) of n hands, auctions and standings."""
    hands, auctions, standings = zip(*where, strict=True)
    seats = np.array([auction.seat for auction in auctions])
    held = np.where(np.arange(4) == seats[:, None], np.array(hands)[:, None], 0)
    bids = np.array([(auction.b0, auction.b1, auction.b2, -1) for auction in auctions])
    own_first = np.array(standings).reshape(-1, 2, 2)  # points and bags of us and them
    by_side = np.where((seats & 1 == 1)[:, None, None], own_first[:, :, ::-1], own_first)
    return seats, states_at(rules, held, bids, by_side[:, 0], by_side[:, 1])


@pytest.mark.long
def test_within_bounds(tmp_path):
    """No kernel reads or writes past an array's end: the same games, compiled with NUMBA_BOUNDSCHECK=1."""
    # Optimisation changes no bound, and takes a quarter of the time.
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.parity.bounds"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("compared ")

"""Whole rounds and games as plain Python and compiled, card by card, and once more with numba's bounds checks."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arena.engine.cutthroat import play_cutthroat_game
from arena.engine.deal import prepare_state
from arena.engine.game import DRAWS, GAMES, PAIR_DD, PAIR_DR, PAIR_RR, SUMS, WINS_A, Game, Lineup, play_game
from arena.engine.selfplay import play_pairs
from arena.engine.simulate import player_rows, policies_by_chair
from spades.play.srp.goals import ALL_PIECES
from spades.play.tricks import write_rules
from spades.policies import parse_policy
from spades.rules import CUTTHROAT, make_rules
from tests.arena.engine import states
from tests.conftest import view
from tests.parity.worlds import compiled_rounds, frozen_bids, plain_rounds

pytestmark = pytest.mark.parity
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("players", "first", "pieces"),
    [
        (("wrp",), 0, ALL_PIECES),
        (("srp@1",), 200, ALL_PIECES),
        (("srp@1", "wrp", "srp@1", "wrp"), 400, ALL_PIECES),
        (("srp@1",), 600, 0),
        (("srp@3",), 200, ALL_PIECES),
        (("srp@3", "srp@1", "srp@3", "wrp"), 300, 0x15555),
        (("srp@4",), 400, ALL_PIECES),
        (("srp@4", "srp@3", "srp@4", "wrp"), 500, 0x15555555),
        (("solo@1",), 800, ALL_PIECES),
        (("solo@2",), 600, ALL_PIECES),
        (("solo@1", "wrp", "solo@1", "srp@1"), 900, 85),
        (("srp@1",), 700, 0x15555),
    ],
)
def test_card_by_card(players, first, pieces):
    bids = frozen_bids()
    plain = plain_rounds(first, 100, bids, *players, pieces=pieces)
    assert np.array_equal(plain, compiled_rounds(first, 100, bids, *players, pieces=pieces))


@pytest.mark.parametrize(
    ("preset", "a", "b", "players"),
    [
        ("bis-paper", "bis", "rb:nil=5-8-T", ("srp", "wrp")),
        ("bis-paper", "bis:tuned", "io", ("wrp", "srp")),
        ("cutthroat", "bis", "ms", ("solo", "srp")),
        ("jjdd", "fixed:bid=3", "fixed:bid=2", ("srp", "wrp")),  # the big joker is the sign bit
    ],
)
def test_games(fitted, preset, a, b, players):
    """Pairs of games by `play_pairs` equal the same games, played one by one in plain Python: scores and sums."""
    rules = make_rules(preset)
    policies = policies_by_chair(parse_policy(a, rules.variant), parse_policy(b, rules.variant))
    seats = player_rows(*players)
    scores, sums = np.zeros((2, 2), np.int64), np.zeros(SUMS)
    play_pairs(7, 10, 12, rules, Lineup(policies, seats), fitted.array_settings, scores, sums)
    s, plain_sums = prepare_state([states.empty()], rules), np.zeros(SUMS)
    write_rules(s, rules)
    play_one = play_cutthroat_game if rules.variant == CUTTHROAT else play_game
    for pair in range(2):
        for swap in range(2):
            lineup = Lineup(policies, view(seats))
            result = play_one(s, Game(7, 10 + pair, swap), rules, lineup, fitted.plain_settings, view(plain_sums))
            assert result == scores[pair, swap]
    sums[[GAMES, WINS_A, DRAWS, PAIR_DD, PAIR_DR, PAIR_RR]] = 0.0  # only `play_pairs` counts these
    assert np.array_equal(sums, plain_sums)
    assert sums.any()


@pytest.mark.slow
@pytest.mark.xdist_group("bounds")  # compiles everything again, so it can run in another process
def test_within_bounds(tmp_path):
    """No kernel reads or writes past an array's end: the same comparisons, compiled with NUMBA_BOUNDSCHECK=1."""
    # Optimisation changes no bound, and takes a quarter of the time.
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.parity.bounds"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("compared ")

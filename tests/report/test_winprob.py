"""What `winprob` states: each bid counts once, with its own side's value; bins with few games are not judged."""

from pathlib import Path

import numpy as np
import pytest

from arena.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from report.setup import Setup
from report.winprob import (
    BINS,
    ENOUGH,
    NIL_PRESETS,
    Stated,
    StatedBids,
    _judged,
    counted,
    stated_by_seat,
    stated_nils,
    watched,
)
from spades.policies import parse_policy
from spades.rules import make_rules
from tests.conftest import committed_tables

RULES = make_rules("bis-paper")
GAMES = 12


def _stated(times: int) -> Stated:
    """Return ``times`` bids that state 60%, of which 50% win."""
    bins = np.zeros((2, BINS, 4))
    bins[0, 12] = times, 0.6 * times, 0.5 * times, 0.6 * times
    return Stated(bins, np.array([0.25 * times, 0.0]), times)


def test_a_bin_is_judged_by_its_distance():
    assert _judged(_stated(ENOUGH), 0) == ("100", "+0.0", "+10.0", "10.0", "10.0", "0.2500")


def test_bins_with_too_few_games_are_not_judged():
    assert _judged(_stated(ENOUGH - 10), 0)[-3:] == ("-", "-", "0.2500")


@pytest.mark.compiled
def test_the_value_after_the_round_is_that_of_side_a(monkeypatch):
    """Two games of one round. Side a bids first in game 0, which it wins, and side b in game 1, which it wins."""

    def play(batch, lineup, seed, profiles):
        batch.rounds["first_chair"] = 0, 1
        lineup.agents[0].stated.append(
            StatedBids(np.array([0, 1]), np.zeros(2, np.int64), np.zeros(2, np.int64), np.array([0.61, 0.71]))
        )
        yield np.array([1, -1])

    def value(rounds, rules, profiles, before, after):
        before[:] = 0.52, 0.56
        after[:] = (0.9, 0.1), (0.8, 0.2)  # of the sides of seats 0 and 1

    monkeypatch.setattr("report.winprob.play_games", play)
    monkeypatch.setattr("report.winprob._value_all", value)
    policies = policies_by_chair(parse_policy("winprob"), parse_policy("rb"))
    profiles = tables_for(kernel_tables(committed_tables().arrays), RULES, policies)
    rounds = watched(1, 2, RULES, policies, player_rows("srp", "srp"), profiles)
    of_bids, of_win_table = counted(2, rounds).bins
    assert of_bids[12] == pytest.approx([1, 0.61, 1, 0.9])  # side a sits in seat 0
    assert of_bids[14] == pytest.approx([1, 0.71, 0, 0.2])  # side a sits in seat 1
    assert of_win_table[10] == pytest.approx([1, 0.52, 1, 0.9])  # of side a
    assert of_win_table[11] == pytest.approx([1, 0.56, 1, 0.8])  # of side b


@pytest.fixture(scope="module")
def setup() -> Setup:
    return Setup(committed_tables(), GAMES, 1, 1, Path("unused"))


@pytest.mark.compiled
@pytest.mark.long
def test_side_a_bids_twice_in_each_round(setup):
    """Side a has seats 0 and 2, or 1 and 3: both seats of a side have as many bids."""
    found = stated_by_seat(setup)
    bids = [
        sum(int(number.replace(",", "")) for seat, _, number, _ in found["rows"] if seat == one) for one in range(4)
    ]
    assert bids[0] == bids[2] > GAMES
    assert bids[1] == bids[3] > GAMES


@pytest.mark.compiled
@pytest.mark.long
def test_more_nils_are_made_with_a_pass(setup):
    rows = stated_nils(setup)["rows"]
    assert [(name, seat) for name, seat, *_ in rows] == [(name, seat) for name in NIL_PRESETS for seat in range(4)]
    nils = {name: sum(int(row[2].replace(",", "")) for row in rows if row[0] == name) for name in NIL_PRESETS}
    assert nils["classic"] < min(nils["pass-2"], nils["pass-4"])

"""Games without a win table of their own: how far the value of a score is off in the nearest table.

For each case, a win table is made as the build makes it, with fewer rounds. Games of `bis:tuned` under the case's rules
give the scores at which the two tables are compared. For rules that differ from those of
the nearest table, the service states these errors (`nearest_errors`), from a file that `report.__main__` writes.
"""

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from report.figures import query
from report.reads import BIS_FIELDS, WIN_TABLES
from report.setup import Setup
from spades.policies import parse_policy
from spades.rules import FIELDS, Rules, make_rules, overrides_of
from spades.scoring import Standing
from spades.winprob import WIN_SCALE, WinTableSlice, win_probability, win_slice_of
from tables.counts import scores_of_games, self_play_of
from tables.win import BUCKETS, FIRST, bucket_outcomes, by_both_sides, solve

ROUNDS = 4_000  # in each bucket of distances to the goal (`tables.win`)
SCORES = 20_000
# Each case differs in one rule from a game that has a win table, so that its error is the error of this rule.
CASES = tuple(
    make_rules("classic", overrides)
    for overrides in (
        {"win": 1100},
        {"win": 510, "lose": -100},
        {"win": 740, "lose": -100},
        {"win": 500, "lose": -350},
        {"win": 700, "lose": -400},
        {"win": 100, "lose": -100, "bag_limit": 7},
        {"win": 100, "lose": -100, "bag_limit": 7, "bag_penalty": 97},
        {"win": 100, "lose": -100, "bag_limit": 5},
        {"bag_limit": 3, "bag_penalty": 33},
        {"bag_penalty": 50},
        {"bag_penalty": 200},
        {"nil_points": 80},
        {"nil_points": 150},
        {"nil_points": 300},
        {"nil_pass": 1},
        {"nil_pass": 3},
        {"variant": "whiz", "bags": False},
        {"variant": "jokers", "bags": False},
        {"min_bid": 2},
        {"team_min": 5},
        {"team_max": 9},
        {"failed_nil_tricks": "contract"},
        {"ten_for_200": True, "lose": -200},
        {"nil": False},
        {"set_points": "missing"},
        {"set_points": "none"},
        {"slam_points": 200},
        {"double_nil_points": 500},
        {"sum_not_13": True},
        {"spades_lead": "any"},
        {"first_lead": "lowest_club"},
        {"first_trick_spades": False},
    )
)


class Error(NamedTuple):
    """How far the win chances of the nearest table are from those of an exact one."""

    rules: Rules
    instead: tuple[tuple[str, int], ...]
    mean: float  # percentage points of a win chance
    high: float  # 99th percentile


@query(*BIS_FIELDS, *WIN_TABLES)
def nearest_tables(setup: Setup) -> dict[str, Any]:
    """Return rows of errors, and by field of the rules the error that the service states."""
    errors = [error_of(rules, setup) for rules in CASES]
    by_field: dict[str, float] = {}
    for error in errors:
        for field, _ in error.instead:
            by_field[field] = max(by_field.get(field, 0.0), round(error.mean, 1))
    rows = [
        (in_code(overrides_of(error.rules)), in_code(in_words(error.instead)), f"{error.mean:.2f}", f"{error.high:.2f}")
        for error in errors
    ]
    return {"by_field": by_field, "rows": rows}


def error_of(rules: Rules, setup: Setup) -> Error:
    """Compare the nearest table with one made for ``rules``."""
    nearest = setup.opened.games.nearest(rules)
    assert nearest is not None, "the cases are games that have win tables"
    stored = setup.opened.arrays["extra_win" if nearest.win_slice.extra else "win"]
    seen = scores_of_games(setup.tables, rules, FIRST, SCORES, setup.seed)
    place = win_slice_of(rules, 0)
    exact = _values(seen, place, _made(rules, place, setup))
    away = 100 * np.abs(exact - _values(seen, nearest.win_slice, stored))
    return Error(rules, nearest.instead, float(away.mean()), float(np.quantile(away, 0.99)))


def _made(rules: Rules, place: WinTableSlice, setup: Setup) -> np.ndarray:
    # The cells of the win table that is made for ``rules``.
    self_play = self_play_of(rules, parse_policy(FIRST, rules.variant), setup.tables)
    seeds = np.random.default_rng(setup.seed).integers(0, 2**31, BUCKETS * BUCKETS).tolist()

    def play(bucket: int) -> tuple[np.ndarray, np.ndarray]:
        return bucket_outcomes(bucket, seeds[bucket], ROUNDS, self_play, place.unit)

    with ThreadPoolExecutor(setup.jobs) as pool:
        found, share = zip(*pool.map(play, range(BUCKETS * BUCKETS)), strict=True)
    value, _, _ = solve(rules, place, by_both_sides(np.stack(found)), by_both_sides(np.stack(share)))
    return np.round(value.ravel() * WIN_SCALE)


def _values(seen: np.ndarray, place: WinTableSlice, win: np.ndarray) -> np.ndarray:
    counted = seen if place.bags > 1 or place.bag_shift else seen * (1, 0, 1, 0)
    return np.array([win_probability(Standing(a, c, b, d), place, win) for a, b, c, d in counted.tolist()])


def in_words(instead: Iterable[tuple[str, int]]) -> dict[str, object]:
    """Return numbers of `Rules` as JSON values, by field."""
    return {field: FIELDS[field].values.json_of(number) for field, number in instead}


def in_code(values: dict[str, object]) -> str:
    """Return fields and their JSON values as text for a table's cell; `none` without a field."""
    return ", ".join(f"`{field}` {json.dumps(value)}" for field, value in values.items()) or "none"

"""The section about rule options: each bidder against the same bidder that ignores the option.

The ignoring bidder bids as if all rules except the goals were classic. Its bid is then moved to a legal one.
"""

from typing import Any

from arena.markdown import table
from report.setup import Setup, by_points, percent
from spades.rules import make_rules

LONG: dict[str, object] = {"win": 500, "lose": None}
SHORT: dict[str, object] = {"win": 200, "lose": -100}  # the goals of ECAI 2020, section 5.1
OPTIONS: dict[str, dict[str, object]] = {  # by name, their fields
    "nil 25": {"nil_points": 25},
    "nil 50": {"nil_points": 50},
    "nil 200": {"nil_points": 200},
    "no bags": {"bags": False},
    "five bags cost 50": {"bag_limit": 5, "bag_penalty": 50},
    "ten bags cost 50": {"bag_penalty": 50},
    "ten bags cost 200": {"bag_penalty": 200},
    "five bags cost 100": {"bag_limit": 5},
    "ten for 200": {"ten_for_200": True},
    "minimum bid 2": {"min_bid": 2},
    "minimum bid 3": {"min_bid": 3},
    "minimum bid of a side 4": {"team_min": 4},
    "minimum bid of a side 6": {"team_min": 6},
    "maximum bid of a side 9": {"team_max": 9},
    "one nil per side": {"double_nil": False},
    "tricks of a failed nil count for the contract": {"failed_nil_tricks": "contract"},
    "tricks of a failed nil count for nothing": {"failed_nil_tricks": "none"},
    "a pass of two cards": {"nil_pass": 2},
    "a pass of four cards": {"nil_pass": 4},
}


def rule_options(setup: Setup) -> str:
    """Return the win rates of `bis` and `bis:tuned` against the same bidder that ignores the rules."""
    rows: list[tuple[Any, ...]] = []
    for name, fields in OPTIONS.items():
        long, short = (make_rules("classic", fields | goals) for goals in (LONG, SHORT))
        by_goal = [setup.match("bis", "bis:rules=ignore", rules=rules) for rules in (long, short)]
        tuned = setup.match("bis:tuned", "bis:tuned,rules=ignore", rules=long)
        rows.append((name, *map(percent, by_goal), percent(tuned), by_points(by_goal[0])))
    return table("rules | bis, 500 | bis, 200/-100 | bis:tuned, 500 | points per round, bis, 500", rows)

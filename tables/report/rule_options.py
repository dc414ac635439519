"""The section about rule options: each bidder against the same bidder that ignores the option.

The ignoring bidder bids as if all rules except the goals were classic. Its bid is then moved to a legal one.
"""

from typing import Any, NamedTuple

from service.bidding.game.rules import Rules, make_rules
from tables.markdown import table
from tables.report.setup import Setup, by_points, percent

LONG: dict[str, object] = {"win": 500, "lose": None}
SHORT: dict[str, object] = {"win": 200, "lose": -100}  # the goals of ECAI 2020, section 5.1


class Option(NamedTuple):
    """A rule option: its name and its fields."""

    name: str
    fields: dict[str, object]


OPTIONS = (
    Option("nil 25", {"nil_points": 25}),
    Option("nil 50", {"nil_points": 50}),
    Option("nil 200", {"nil_points": 200}),
    Option("no bags", {"bags": False}),
    Option("five bags cost 50", {"bag_limit": 5, "bag_penalty": 50}),
    Option("ten bags cost 50", {"bag_penalty": 50}),
    Option("ten bags cost 200", {"bag_penalty": 200}),
    Option("five bags cost 100", {"bag_limit": 5}),
    Option("ten for 200", {"ten_for_200": True}),
    Option("minimum bid 2", {"min_bid": 2}),
    Option("minimum bid 3", {"min_bid": 3}),
    Option("minimum bid of a side 4", {"team_min": 4}),
    Option("minimum bid of a side 6", {"team_min": 6}),
    Option("maximum bid of a side 9", {"team_max": 9}),
    Option("one nil per side", {"double_nil": False}),
    Option("tricks of a failed nil count for the contract", {"failed_nil_tricks": "contract"}),
    Option("tricks of a failed nil count for nothing", {"failed_nil_tricks": "none"}),
    Option("a pass of two cards", {"nil_pass": 2}),
    Option("a pass of four cards", {"nil_pass": 4}),
)


def rules_of(option: Option, goals: dict[str, object]) -> Rules:
    """Return the option's rules with the given goals."""
    return make_rules("classic", {**option.fields, **goals})


def rule_options(setup: Setup) -> str:
    """Return the win rates of `bis` and `bis:tuned` against the same bidder that ignores the rules."""
    rows: list[tuple[Any, ...]] = []
    for option in OPTIONS:
        long, short = rules_of(option, LONG), rules_of(option, SHORT)
        by_goal = [setup.match("bis", "bis:rules=ignore", rules=rules) for rules in (long, short)]
        tuned = setup.match("bis:tuned", "bis:tuned,rules=ignore", rules=long)
        rows.append((option.name, *map(percent, by_goal), percent(tuned), by_points(by_goal[0])))
    return table("rules | bis, 500 | bis, 200/-100 | bis:tuned, 500 | points per round, bis, 500", rows)

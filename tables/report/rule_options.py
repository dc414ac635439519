"""The section about rule options: under each, the bidder that knows it against the same bidder that ignores it.

Who ignores the rules bids as if all but the goals were classic's; its bid is then brought into what the rules allow.
"""

from typing import Any, NamedTuple

from service.bidding.game.rules import Rules, make_rules
from tables.markdown import table
from tables.report.setup import Setup, by_points, percent

LONG: dict[str, object] = {"win": 500, "lose": None}
SHORT: dict[str, object] = {"win": 200, "lose": -100}  # the goals of ECAI 2020, section 5.1


class Option(NamedTuple):
    """A rule option: what it is called, and its fields."""

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
    Option("least bid 2", {"min_bid": 2}),
    Option("least bid 3", {"min_bid": 3}),
    Option("side's least 4", {"team_min": 4}),
    Option("side's least 6", {"team_min": 6}),
    Option("side's most 9", {"team_max": 9}),
    Option("one nil a side", {"double_nil": False}),
    Option("failed nil's tricks make the contract", {"failed_nil_tricks": "contract"}),
    Option("failed nil's tricks count nothing", {"failed_nil_tricks": "none"}),
)


def rules_of(option: Option, goals: dict[str, object]) -> Rules:
    """The option's rules with these goals."""
    return make_rules("classic", {**option.fields, **goals})


def rule_options(setup: Setup) -> str:
    """Win rates of `bis` and `bis:tuned` against themselves ignoring the rules."""
    rows: list[tuple[Any, ...]] = []
    for option in OPTIONS:
        long, short = rules_of(option, LONG), rules_of(option, SHORT)
        by_goal = [setup.match("bis", "bis:rules=ignore", rules=rules) for rules in (long, short)]
        tuned = setup.match("bis:tuned", "bis:tuned,rules=ignore", rules=long)
        rows.append((option.name, *map(percent, by_goal), percent(tuned), by_points(by_goal[0])))
    return table("rules | bis, 500 | bis, 200/-100 | bis:tuned, 500 | points a round, bis, 500", rows)

"""The section about skill levels and style: win rates of each level, and the cost of a style."""

from typing import Any

from arena.markdown import table
from report.setup import Setup, by_points, percent, share
from spades.options import FULL_LEVEL

POLICIES = ("winprob", "bis")
STYLES = ("aggression=-1", "aggression=-0.5", "aggression=0.5", "aggression=1", "nil_bias=-1", "nil_bias=1")


def against(setup: Setup) -> str:
    """Return the win rates of each level against level 5 of the same policy and against `bis`."""
    rows: list[tuple[Any, ...]] = []
    for name in POLICIES:
        for level in range(1, FULL_LEVEL + 1):
            text = f"{name}:level={level}"
            result = setup.match(text, name)
            nils, made = share(result.nil_rate[0]), share(result.nil_success[0])
            won = "-" if level == FULL_LEVEL else percent(result)
            rows.append((f"`{text}`", won, percent(setup.match(text, "bis")), nils, made))
    return table("level | wins against level 5, % | against `bis`, % | nils, % | made, %", rows)


def styles(setup: Setup) -> str:
    """Return the win rates of styles at full strength against the same policy without the style."""
    rows: list[tuple[Any, ...]] = []
    for name in POLICIES:
        for style in STYLES:
            text = f"{name}:{style}"
            result = setup.match(text, name)
            nils, made = share(result.nil_rate[0]), share(result.nil_success[0])
            rows.append((f"`{text}`", percent(result), by_points(result), nils, made))
    return table("style | wins against the policy without it, % | points per round | nils, % | made, %", rows)

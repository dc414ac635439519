"""Sections about the variants: BIS against the same bidder that ignores the variant, and its curves' calibration."""

from typing import Any

from arena.markdown import table
from arena.result import MatchResult
from report.setup import Setup, both, by_points, percent
from spades.rules import NO_LOSING_GOAL, PRESETS, Rules

DECIDED = ("whiz", "suicide", "jokers")
FORCED = ("mirror", "whiz-strict")
IGNORING = ("bis:variant=ignore", "bis:tuned,variant=ignore")


def against_ignoring(setup: Setup) -> str:
    """Return the win rates in each variant against bidders that bid as in a partnership game, at two goals."""
    rows: list[tuple[Any, ...]] = []
    for preset in DECIDED:
        for b in IGNORING:
            rows += [_row(setup, preset, b, rules) for rules in _goals(preset)]
    rows += [_row(setup, preset, IGNORING[0], rules) for preset in FORCED for rules in _goals(preset)]
    head = "variant | goals | bis against | win rate, % | points per round | sets, % | nils, % of bids | nils made, %"
    return table(head, rows)


def _goals(preset: str) -> tuple[Rules, Rules]:
    rules = PRESETS[preset]
    return rules, rules._replace(win=200, lose=-100)


def _row(setup: Setup, preset: str, b: str, rules: Rules) -> tuple[Any, ...]:
    result: MatchResult = setup.match("bis", b, rules=rules)
    rates = map(both, (result.set_rate, result.nil_rate, result.nil_success))
    goals = f"{rules.win}" if rules.lose == NO_LOSING_GOAL else f"{rules.win}/{rules.lose}"
    return preset, goals, b, percent(result), by_points(result), *rates


def calibration(setup: Setup) -> str:
    """Return how well the variants' curves predict nils of rounds that they were not fitted on."""
    rows: list[tuple[Any, ...]] = []
    for preset in DECIDED:
        figures = setup.opened.families[f"{preset}_curves"].figures
        held = setup.opened.research[f"{preset}_held_out"]
        n, stated, made = held[:, 0].sum(), held[:, 0] @ held[:, 1], held[:, 0] @ held[:, 2]
        rows.append(
            (
                preset,
                f"{int(figures['nil_rounds'] - figures['held_out_nils']):,}",
                f"{int(n):,}",
                f"{100 * stated / n:.1f}",
                f"{100 * made / n:.1f}",
                f"{figures['held_out_calibration_error']:.4f}",
                f"{figures['held_out_brier']:.4f}",
            )
        )
    return table("variant | nils fitted on | held out | stated, % | made, % | calibration error | Brier", rows)

"""Sections about cutthroat: BIS against partnership bidders, its parts, the calibration of its curves."""

from typing import Any

from arena.markdown import table
from report.setup import Setup, both, by_points, percent
from spades.rules import PRESETS

RULES = PRESETS["cutthroat"]  # to 300, no losing goal
SHORT = RULES._replace(win=200, lose=-100)
OPPONENTS = ("bis:variant=ignore", "bis:tuned,variant=ignore", "rb", "ms", "io")
PARTS = (
    ("end-of-game rules", "bis:endgame=off"),
    ("fitted threshold and offset, instead of the paper's 25 and 0", "bis:nil_threshold=25,offset=0"),
    ("previous-bids factor", "bis:factor=off"),
    ("nils", "bis:nils=off"),
)


def against(setup: Setup) -> str:
    """Return the win rates against bidders that treat the opposite seat as a partner; all seats play SOLO."""
    rows: list[tuple[Any, ...]] = []
    for b in OPPONENTS:
        for rules, goals in ((RULES, "300"), (SHORT, "200/-100")):
            result = setup.match("bis", b, "solo", rules)
            rates = map(both, (result.nil_rate, result.nil_success, result.set_rate))
            rows.append((f"`{b}`", goals, percent(result), by_points(result), *rates))
    head = "bis against | goals | win rate, % | points per round, two seats | nils, % of bids | nils made, % | set, %"
    return table(head, rows)


def parts(setup: Setup) -> str:
    """Return how much each part of the decision wins: BIS against itself without the part."""
    rows = [(name, f"`{b}`", percent(setup.match("bis", b, "solo", RULES))) for name, b in PARTS]
    return table("part | bis against | win rate, %", rows)


def calibration(setup: Setup) -> str:
    """Return how well the curves predict nils of rounds that they were not fitted on."""
    figures = setup.opened.families["cutthroat_curves"].figures
    held = setup.opened.research["cutthroat_held_out"]
    n, stated, made = held[:, 0].sum(), held[:, 0] @ held[:, 1], held[:, 0] @ held[:, 2]
    whole = (
        f"Of {int(figures['nil_rounds']):,} nils, {int(n):,} are held out. The curves state {100 * stated / n:.1f}% "
        f"for these, and {100 * made / n:.1f}% are made (calibration error "
        f"{figures['held_out_calibration_error']:.4f}, Brier score {figures['held_out_brier']:.4f})."
    )
    rows = [(f"{int(n):,}", f"{100 * stated:.1f}", f"{100 * made:.1f}") for n, stated, made in held if n]
    return whole + "\n\n" + table("held-out nils | stated, % | made, %", rows)

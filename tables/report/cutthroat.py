"""Sections about cutthroat: BIS against bidders for partnerships, its parts, its curves' calibration, the search."""

from typing import Any

from service.bidding.game.rules import PRESETS
from tables import fit
from tables.markdown import table
from tables.report.setup import Setup, by_points, percent, share

RULES = PRESETS["cutthroat"]  # to 300, no losing goal
SHORT = RULES._replace(win=200, lose=-100)
OPPONENTS = ("bis:variant=ignore", "bis:tuned,variant=ignore", "rb", "ms", "io")
PARTS = (
    ("end-of-game rules", "bis:endgame=off"),
    ("fitted threshold and offset; the paper's 25 and none", "bis:nil_threshold=25,offset=0"),
    ("previous-bids factor", "bis:factor=off"),
    ("nils", "bis:nils=off"),
)


def against(setup: Setup) -> str:
    """Win rates against bidders that take the seat opposite for a partner, SOLO in all seats."""
    rows: list[tuple[Any, ...]] = []
    for b in OPPONENTS:
        for rules, goals in ((RULES, "300"), (SHORT, "200/-100")):
            result = setup.match("bis", b, "solo", rules)
            bids, made = (" : ".join(share(rate) for rate in rates) for rates in (result.nil_rate, result.nil_success))
            broken = " : ".join(share(rate) for rate in result.set_rate)
            rows.append((f"`{b}`", goals, percent(result), by_points(result), bids, made, broken))
    head = "bis against | goals | win rate, % | points a round of two seats | nils, % of bids | nils made, % | set, %"
    return table(head, rows)


def parts(setup: Setup) -> str:
    """What each part of the decision is worth: BIS against itself without it."""
    rows = [(name, f"`{b}`", percent(setup.match("bis", b, "solo", RULES))) for name, b in PARTS]
    return table("part | bis against | win rate, %", rows)


def calibration(setup: Setup) -> str:
    """How the curves hold on rounds that they were not fitted on, and the exact reading of nil values on all nils."""
    figures = setup.opened.families["cutthroat_curves"].figures
    held = setup.opened.arrays["cutthroat_held_out"]
    n, stated, made = held[:, 0].sum(), held[:, 0] @ held[:, 1], held[:, 0] @ held[:, 2]
    whole = (
        f"Of {int(figures['nil_rounds']):,} nils {int(n):,} are held out: {100 * stated / n:.1f}% stated, "
        f"{100 * made / n:.1f}% made, calibration error {figures['held_out_calibration_error']:.4f}, "
        f"Brier score {figures['held_out_brier']:.4f}."
    )
    rows = [(f"{int(n):,}", f"{100 * stated:.1f}", f"{100 * made:.1f}") for n, stated, made in held if n]
    return whole + "\n\n" + table("held-out nils | stated, % | made, %", rows)


def searched(setup: Setup) -> str:
    """The search behind threshold and offset, and what each piece of SOLO is worth."""
    return fit.fit_cutthroat(setup.tables, max(1, setup.pairs // 5), 9, setup.jobs)

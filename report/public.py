"""The section about matches against the public bots. No table was fitted on them, and no net learned from them."""

from typing import Any

from arena.markdown import table
from arena.public.bots import BOTS
from report.setup import LONG, PAPER, Setup, by_points, percent, share

GOALS = {"200/-100": PAPER, "500": LONG}
POLICIES = ("winprob", "bis", "bis:tuned")


def against(setup: Setup) -> str:
    """Return the win rates against each bot: of three policies, and of `winprob` with a bot as its partner."""
    rows: list[tuple[Any, ...]] = []
    for bot in BOTS:
        for goal, rules in GOALS.items():
            first, *others = (setup.match(policy, f"public:{bot}", rules=rules) for policy in POLICIES)
            mixed = setup.match("winprob", f"public:{bot}", rules=rules, mixed=True)
            nils, made, sets = (share(rates[1]) for rates in (first.nil_rate, first.nil_success, first.set_rate))
            won = (percent(result) for result in (first, *others, mixed))
            rows.append((f"`public:{bot}`", goal, *won, by_points(first), nils, made, sets))
    head = "bot | goal | winprob, % | bis, % | bis:tuned, % | winprob beside a bot, % | points per round, winprob | "
    sizes = f"Tables {setup.opened.version}, {setup.pairs:,} duplicate pairs per match."
    return table(f"{head} nils of the bot, % | made, % | contracts set, %", rows) + "\n\n" + sizes

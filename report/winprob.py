"""Figures of `winprob`: the rounds of its training. The pages' texts of a `winprob` that knows how the others bid."""

from typing import Any, cast

from report.figures import query
from report.reads import NET
from report.setup import Setup
from spades.levels import kind_of_player
from spades.options import PLAYER_KINDS
from spades.policies import parse_policy


def informed(opponents: str) -> str:
    """Return the policy text of a `winprob` that knows how its opponents bid, and that its partner is `winprob` too."""
    kind = PLAYER_KINDS[kind_of_player(parse_policy(opponents))]
    return f"winprob:left={kind},partner=winprob,right={kind}"


@query(*NET)
def winprob_training(setup: Setup) -> dict[str, Any]:
    """Return the result of each round of training, as the builds of both nets recorded it."""
    rows = []
    for family in (setup.opened.families[name] for name in ("net0", "net")):
        for name, *_ in cast(list[list[Any]], family.parameters["rounds"]):
            figures = (family.figures[f"{name}_{what}"] for what in ("wins_bis", "held_out_lost"))
            won, lost = (f"{100 * figure:.2f}" for figure in figures)
            rows.append((name, f"{family.sizes[f'{name}_positions']:,}", won, f"{family.sizes['pairs']:,}", lost))
    return {"rows": rows}

"""The rounds per second of a card player, measured now."""

from typing import Any

from arena.match import Match
from arena.result import run_match
from report.figures import query
from report.reads import BIS_FIELDS
from report.setup import Setup


@query(*BIS_FIELDS)
def speed(setup: Setup, player: str, share: int) -> dict[str, Any]:
    """Return rounds per second on one thread, with ``player`` on side a and SRP on side b.

    They play the report's pairs, divided by ``share``.
    """
    result = run_match(Match("bis", "bis", (player, "srp"), max(1, setup.pairs // share), seed=setup.seed))
    return {"rounds_a_second": round(result.rounds / result.seconds)}

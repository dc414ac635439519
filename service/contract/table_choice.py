"""`tables` and `game`: which table set decides a request."""

from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import Field, StrictStr

from service.problems import Fault, quote

MAX_GAME_CHARS: Final = 128  # as in a log of games (docs/reference/game-log.md)

TablesName = Annotated[
    StrictStr | None,
    Field(
        description="Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: "
        "chosen by the service.",
        examples=["2026.11.8+978c7521"],
    ),
]
GameId = Annotated[
    Annotated[StrictStr, Field(min_length=1, max_length=MAX_GAME_CHARS)] | None,
    Field(
        description="The caller's name for the game, the same in all its rounds. While new tables are tried on a share "
        "of the callers, all requests of a game get the same tables. Default: the API key counts as one game."
    ),
]


def unknown_tables(version: str, accepted: Iterable[str]) -> Fault:
    """Return the fault of a request that names tables which are not open."""
    return Fault("/tables", "unknown-tables", f"tables is {quote(version)}; accepted: {', '.join(sorted(accepted))}")

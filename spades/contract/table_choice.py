"""`tables` and `game`: which table set decides a request."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field, StrictStr

from spades.contract.faults import Fault, quote
from spades.contract.round_id import Id

TablesName = Annotated[
    StrictStr | None,
    Field(
        description="Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: "
        "chosen by the service.",
        examples=["2026.11.9+fedcf0a0"],
    ),
]
GameId = Annotated[
    Id | None,
    Field(
        description="The caller's name for the game, the same in all its rounds. While new tables are tried on a share "
        "of the callers, all requests of a game get the same tables. Default: the API key counts as one game."
    ),
]


def unknown_tables(version: str, accepted: Iterable[str]) -> Fault:
    """Return the fault of a request that names tables which are not open."""
    return Fault("/tables", "unknown-tables", f"tables is {quote(version)}; accepted: {', '.join(sorted(accepted))}")

"""The answers of GET /healthz, /readyz and /version."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from service.endpoints.catalogue_answers import TableOptions
from service.roles import Role
from spades.contract.answer_types import ANSWER_CONFIG


@with_config(ANSWER_CONFIG)
class Status(TypedDict):
    """Alive."""

    status: Literal["ok"]


@with_config(ANSWER_CONFIG)
class Ready(TypedDict):
    """Ready for requests."""

    status: Literal["ready"]
    tables: Annotated[str, Field(description="Version of the tables that answer by default.")]


@with_config(ANSWER_CONFIG)
class TablesInfo(TypedDict):
    """The tables that answer by default."""

    version: str
    sha256: str


@with_config(ANSWER_CONFIG)
class TableSetInfo(TypedDict):
    """An open table set, which a request can name in `tables`."""

    version: str
    sha256: str
    roles: Annotated[list[Role], Field(description="Empty: only by name.")]
    options: Annotated[list[TableOptions], Field(description="What it gives to policies. Empty: nothing.")]
    changed: NotRequired[Annotated[str, Field(description="Why it can't be used any longer.")]]


@with_config(ANSWER_CONFIG)
class VersionAnswer(TypedDict):
    """The versions of the code and of the tables."""

    service: str
    python: str
    tables: Annotated[TablesInfo | None, Field(description="Null until they are mapped.")]
    table_sets: list[TableSetInfo]
    canary_share: Annotated[float, Field(description="The share of the callers that the canary answers.")]

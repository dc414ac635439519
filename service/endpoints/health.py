"""GET /healthz, /readyz, /version, /metrics and /problems/{name}: for operators.

/healthz answers if the process is alive; it does not use the tables. /readyz answers 200 if requests should be sent:
the tables are mapped, checked and unchanged since then, the warm-up is done, and the service is not shutting down.
"""

import asyncio
import platform
from typing import Annotated, Literal, NotRequired

import orjson
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import Field, with_config
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import TypedDict

from service import __version__
from service.endpoints.catalogue import TableOptions, table_options
from service.problems import TYPES, ProblemError, ProblemTypeInfo, not_ready
from service.requests import app_state, json_response
from service.table_sets import OpenSet, Role, TableSets
from spades.contract.answer_types import ANSWER_CONFIG
from spades.contract.faults import CODES


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


async def alive(request: Request) -> Response:
    """Answer if the process is alive."""
    return json_response(orjson.dumps(Status(status="ok")))


async def ready(request: Request) -> Response:
    """Answer 200 if requests should be sent: the tables are checked, and the service is not shutting down."""
    state = app_state(request)
    if not state.ready or state.sets is None:
        raise not_ready(state.why_not_ready)
    return json_response(orjson.dumps(Ready(status="ready", tables=state.sets.default.version)))


async def version(request: Request) -> Response:
    """Answer with the versions of the code and of the tables."""
    answer = VersionAnswer(
        service=__version__, python=platform.python_version(), tables=None, table_sets=[], canary_share=0.0
    )
    if (sets := app_state(request).sets) is not None:
        answer["tables"] = TablesInfo(version=sets.default.version, sha256=sets.default.tables.sha256)
        answer["table_sets"] = [_set_info(sets, one) for one in sets.by_version.values()]
        answer["canary_share"] = 0.0 if sets.canary is None else sets.canary.share
    return json_response(orjson.dumps(answer))


async def problem_type(request: Request) -> Response:
    """Answer with what a problem's `type` means."""
    name = request.path_params["name"]
    if name not in TYPES:
        raise ProblemError("not-found", f"no problem type of that name; accepted: {', '.join(TYPES)}")
    return json_response(orjson.dumps(type_info(name)))


async def metrics(request: Request) -> Response:
    """Answer with the metrics for Prometheus: requests, latency, bids, faults and tables."""
    text = await asyncio.to_thread(app_state(request).metrics.text)  # it takes 8 to 27 ms, so not in the event loop
    return Response(text, media_type=CONTENT_TYPE_LATEST)


def _set_info(sets: TableSets, opened: OpenSet) -> TableSetInfo:
    role = sets.role_of(opened.version)
    info = TableSetInfo(
        version=opened.version,
        sha256=opened.tables.sha256,
        roles=[] if role is None else [role],
        options=table_options(opened.options),
    )
    if opened.changed:
        info["changed"] = opened.changed
    return info


def type_info(name: str) -> ProblemTypeInfo:
    """Return what the problem type ``name`` means."""
    status, title, meaning = TYPES[name]
    codes = CODES if name == "invalid-request" else {}
    return {"type": f"/problems/{name}", "status": status, "title": title, "meaning": meaning, "codes": codes}

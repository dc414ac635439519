"""GET /healthz, /readyz, /version, /metrics and /problems/{name}: for operators.

/healthz answers if the process is alive; it does not use the tables. /readyz answers 200 if requests should be sent:
the tables are mapped, checked and unchanged since then, the warm-up is done, and the service is not shutting down.
"""

import platform
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from service import __version__
from service.endpoints.catalogue import table_options
from service.endpoints.health_answers import Ready, Status, TableSetInfo, TablesInfo, VersionAnswer
from service.endpoints.openapi import GET_PROBLEMS, HEALTH_PROBLEMS, example, problems
from service.problems import TYPES, ProblemError, ProblemTypeInfo
from service.state import State, not_ready
from service.table_sets import OpenSet, TableSets
from spades.contract.faults import CODES

_VERSION = {
    "service": "0.1.0",
    "python": "3.12.8",
    "tables": {"version": "2026.11.1+3f9a2c", "sha256": "3f9a2c…"},
    "table_sets": [
        {"version": "2026.11.1+3f9a2c", "sha256": "3f9a2c…", "roles": ["default"], "options": []},
        {
            "version": "2026.11.1-logs+0c4b5a",
            "sha256": "0c4b5a…",
            "roles": ["canary"],
            "options": [{"policy": "bis", "variant": "partnership", "options": "nil_threshold=-15"}],
        },
    ],
    "canary_share": 0.05,
}


def health_routes(state: State, with_metrics: bool = True) -> APIRouter:
    """Return the routes; without /metrics if it has a separate listener."""
    router = APIRouter(tags=["operation"])
    no_key: dict[str, Any] = {"security": []}  # in the OpenAPI document: no API key needed

    @router.get("/healthz", responses={200: example({"status": "ok"}), **HEALTH_PROBLEMS}, openapi_extra=no_key)
    async def alive() -> Status:
        """Answer if the process is alive."""
        return Status(status="ok")

    @router.get(
        "/readyz",
        responses={
            200: example({"status": "ready", "tables": "2026.11.1+3f9a2c"}),
            **HEALTH_PROBLEMS,
            **problems("not-ready"),
        },
        openapi_extra=no_key,
    )
    async def ready() -> Ready:
        """Answer 200 if requests should be sent: the tables are checked, and the service is not shutting down."""
        if not state.ready or state.sets is None:
            raise not_ready(state.why_not_ready)
        return Ready(status="ready", tables=state.sets.default.version)

    @router.get("/version", responses={200: example(_VERSION), **GET_PROBLEMS})
    async def version() -> VersionAnswer:
        """Return the versions of the code and of the tables."""
        answer = VersionAnswer(
            service=__version__, python=platform.python_version(), tables=None, table_sets=[], canary_share=0.0
        )
        if (sets := state.sets) is not None:
            answer["tables"] = TablesInfo(version=sets.default.version, sha256=sets.default.tables.sha256)
            answer["table_sets"] = [_set_info(sets, one) for one in sets.by_version.values()]
            answer["canary_share"] = 0.0 if sets.canary is None else sets.canary.share
        return answer

    @router.get(
        "/problems/{name}",
        responses={
            200: example(_problem_type("deadline-exceeded")),
            **GET_PROBLEMS,
            **problems("not-found", "invalid-request"),
        },
    )
    async def problem_type(name: str) -> ProblemTypeInfo:
        """Return what a problem's `type` means."""
        if name not in TYPES:
            raise ProblemError("not-found", f"no problem type of that name; accepted: {', '.join(TYPES)}")
        return _problem_type(name)

    if with_metrics:
        _add_metrics(router)
    return router


def _add_metrics(router: APIRouter) -> None:
    @router.get(
        "/metrics",
        response_class=Response,
        responses={
            200: {
                "description": "Prometheus's text format",
                "content": {
                    "text/plain": {
                        "schema": {"type": "string"},
                        "example": 'spades_bids_total{kind="regular",policy="bis"} 1.0\n',
                    }
                },
            },
            **GET_PROBLEMS,
        },
    )
    async def metrics() -> None:
        """Return the metrics for Prometheus: requests, latency, bids, faults and tables."""
        raise AssertionError("Service answers this route; serve create_app(), not its FastAPI part")


def _set_info(sets: TableSets, opened: OpenSet) -> TableSetInfo:
    info = TableSetInfo(
        version=opened.version,
        sha256=opened.tables.sha256,
        roles=sets.roles_of(opened),
        options=table_options(opened.options),
    )
    if opened.changed:
        info["changed"] = opened.changed
    return info


def _problem_type(name: str) -> ProblemTypeInfo:
    status, title, meaning = TYPES[name]
    codes = CODES if name == "invalid-request" else {}
    return {"type": f"/problems/{name}", "status": status, "title": title, "meaning": meaning, "codes": codes}

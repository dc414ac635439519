"""GET /healthz, /readyz, /version, /metrics and /problems/{name}: for operators.

/healthz answers if the process is alive; it does not use the tables. /readyz answers 200 if requests should be sent:
the tables are mapped, checked and unchanged since then, the warm-up is done, and the service is not shutting down.
"""

import platform
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from service import __version__
from service.api.documentation import GET_PROBLEMS, HEALTH_PROBLEMS, example, problems
from service.api.state import State
from service.contract.answer import ProblemTypeInfo, Status, TablesInfo, VersionAnswer
from service.problems import CODES, TYPES, ProblemError


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
        responses={200: example({"status": "ready"}), **HEALTH_PROBLEMS, **problems("not-ready")},
        openapi_extra=no_key,
    )
    async def ready() -> Status:
        """Answer 200 if requests should be sent: the tables are checked, and the service is not shutting down."""
        if not state.ready:
            raise ProblemError("not-ready", state.why_not_ready, headers=[("retry-after", "1")])
        return Status(status="ready")

    @router.get(
        "/version",
        responses={
            200: example(
                {"service": "0.1.0", "python": "3.12.8", "tables": {"version": "2026.11.1+3f9a2c", "sha256": "3f9a2c…"}}
            ),
            **GET_PROBLEMS,
        },
    )
    async def version() -> VersionAnswer:
        """Return the versions of the code and of the tables."""
        tables = state.tables
        return VersionAnswer(
            service=__version__,
            python=platform.python_version(),
            tables=None if tables is None else TablesInfo(version=tables.version, sha256=tables.sha256),
        )

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


def _problem_type(name: str) -> ProblemTypeInfo:
    status, title, meaning = TYPES[name]
    codes = CODES if name == "invalid-request" else {}
    return {"type": f"/problems/{name}", "status": status, "title": title, "meaning": meaning, "codes": codes}

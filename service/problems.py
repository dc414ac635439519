"""Problems: the error answers of the service, as RFC 9457 `application/problem+json`.

This module holds the names and the form of errors; other modules detect them. `problem_of` turns the faults that
`spades.contract` finds in a request into the 422. The OpenAPI document and GET /problems/{name} are made from `TYPES`
and from the contract's `CODES`. Texts go to callers, so they never hold a stack trace or a path.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, NamedTuple, NotRequired

import orjson
from fastapi import FastAPI
from fastapi.exception_handlers import http_exception_handler
from pydantic import Field, JsonValue, with_config
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import TypedDict

from spades.contract.answer_types import ANSWER_CONFIG
from spades.contract.faults import CODES, MAX_FAULTS, Fault, RequestError

MEDIA_TYPE = "application/problem+json"


class ProblemType(NamedTuple):
    """One type of problem: HTTP status, title, and what the caller can do about it."""

    status: int
    title: str
    meaning: str


TYPES: dict[str, ProblemType] = {
    "invalid-json": ProblemType(400, "The body is not JSON", "Send one JSON value in UTF-8; NaN is not JSON."),
    "invalid-deadline": ProblemType(400, "X-Deadline-Ms is not a number", "Milliseconds left, such as 25 or 2.5."),
    "invalid-http": ProblemType(400, "Not HTTP", "The server could not read the request; the connection is closed."),
    "unauthorized": ProblemType(401, "No valid API key", "Send Authorization: Bearer and a key of this service."),
    "not-found": ProblemType(404, "No such path", "The paths are listed in /openapi.json."),
    "method-not-allowed": ProblemType(405, "Method not allowed", "The Allow header lists the allowed methods."),
    "request-timeout": ProblemType(408, "The request came too slowly", "Send it faster; the connection is closed."),
    "body-too-large": ProblemType(413, "The body is too large", "At most 64 KiB; 1 MiB for batches."),
    "unsupported-media-type": ProblemType(
        415, "The form of the body is not supported", "Send plain JSON: no multipart, no Content-Encoding."
    ),
    "invalid-request": ProblemType(422, "The request can't be used", "`errors` lists all faults by JSON pointer."),
    "rate-limited": ProblemType(
        429,
        "Too many requests for this key",
        "Each bid and each request except health checks counts; retry after the seconds in Retry-After.",
    ),
    "headers-too-large": ProblemType(431, "The headers are too large", "At most 32 KiB; the connection is closed."),
    "internal-error": ProblemType(500, "The service failed on this request", "A bug in the service; it is logged."),
    "not-ready": ProblemType(
        503, "Not ready", "The service is starting or stopping, a table file has changed, or a search failed."
    ),
    "overloaded": ProblemType(503, "Over capacity", "Too many requests wait, or all search processes are busy. Retry."),
    "deadline-exceeded": ProblemType(
        504, "The deadline has passed", "X-Deadline-Ms ran out before the answer was made."
    ),
}


_CODES: list[JsonValue] = list(CODES)
_FaultCode = Annotated[str, Field(json_schema_extra={"enum": _CODES})]
_PROBLEMS: list[JsonValue] = [f"/problems/{name}" for name in TYPES]
_ProblemType = Annotated[str, Field(description="A stable URI reference.", json_schema_extra={"enum": _PROBLEMS})]


@with_config(ANSWER_CONFIG)
class FaultItem(TypedDict):
    """One fault of a request."""

    pointer: Annotated[str, Field(description="JSON pointer (RFC 6901); empty: the whole body.")]
    code: _FaultCode
    detail: str


@with_config(ANSWER_CONFIG)
class Problem(TypedDict):
    """An error answer (RFC 9457)."""

    type: _ProblemType
    title: str
    status: int
    detail: str
    errors: NotRequired[Annotated[list[FaultItem], Field(description="Every fault of the request, at most 64.")]]


@with_config(ANSWER_CONFIG)
class ProblemTypeInfo(TypedDict):
    """The meaning of a problem type; `codes` lists the codes of its `errors`."""

    type: _ProblemType
    status: int
    title: str
    meaning: str
    codes: dict[str, str]


class ProblemError(Exception):
    """An error answer; ``name`` is a key of `TYPES`."""

    def __init__(
        self, name: str, detail: str, faults: Sequence[Fault] = (), headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(f"{name}: {detail}")
        self.name = name
        self.detail = detail
        self.faults = tuple(faults)
        self.headers = tuple(headers)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return TYPES[self.name].status

    def body(self) -> dict[str, Any]:
        """Return the problem as a dict that can be written as JSON."""
        body: dict[str, Any] = {
            "type": f"/problems/{self.name}",
            "title": TYPES[self.name].title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.faults:
            body["errors"] = [fault._asdict() for fault in self.faults[:MAX_FAULTS]]
        return body


REFUSALS: Final = (ProblemError, RequestError)  # what an endpoint raises for a request that it refuses


def problem_of(error: ProblemError | RequestError) -> ProblemError:
    """Return the error answer for ``error``: the 422 for a request with faults.

    >>> problem_of(RequestError([Fault("/seat", "missing-field", "seat is missing")])).status
    422
    """
    return ProblemError("invalid-request", str(error), error.faults) if isinstance(error, RequestError) else error


def method_not_allowed(method: str, allowed: str) -> ProblemError:
    """Return the 405; ``allowed``: the methods of the path, with commas between."""
    detail = f"{method[:20]} is not allowed here; accepted: {allowed}"
    return ProblemError("method-not-allowed", detail, headers=[("allow", allowed)])


def deadline_exceeded() -> ProblemError:
    """Return the 504."""
    return ProblemError("deadline-exceeded", "X-Deadline-Ms ran out before the answer was ready")


def internal_error() -> ProblemError:
    """Return the 500. It does not name the cause, which is only in the log."""
    return ProblemError("internal-error", "this is a bug; the service's log has the cause, by X-Request-ID")


def overloaded(why: str = "the service is overloaded") -> ProblemError:
    """Return the 503 of a request for which there is no capacity."""
    return ProblemError("overloaded", f"{why}; retry later", headers=[("retry-after", "1")])


def not_ready(why: str) -> ProblemError:
    """Return the 503 of a request that can't be decided now."""
    return ProblemError("not-ready", why, headers=[("retry-after", "1")])


def no_such_path() -> ProblemError:
    """Return the 404."""
    return ProblemError("not-found", "no such path; /openapi.json lists them")


def problem_response(problem: ProblemError) -> Response:
    """Return the answer for ``problem``."""
    return Response(orjson.dumps(problem.body()), problem.status, dict(problem.headers), MEDIA_TYPE)


async def send_problem(problem: ProblemError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request with ``problem`` in a middleware, and count it."""
    scope["app"].state.metrics.refused(problem)
    await problem_response(problem)(scope, receive, send)


async def refused(request: Request, error: Exception) -> Response:
    """Return the answer to a request that an endpoint has refused with one of `REFUSALS`, and count it."""
    assert isinstance(error, REFUSALS), f"{type(error).__name__} is no refusal"
    problem = problem_of(error)
    request.app.state.metrics.refused(problem)
    return problem_response(problem)


async def _http_error(request: Request, error: Exception) -> Response:
    """Return the answer to an error of the router or of static files."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return await refused(request, no_such_path())
    if error.status_code == 405:
        methods = {method.strip() for method in (error.headers or {}).get("Allow", "").split(",")}
        return await refused(request, method_not_allowed(request.method, ", ".join(sorted(methods))))
    return await http_exception_handler(request, error)


def add_exception_handlers(app: FastAPI) -> None:
    """Let ``app`` answer refused requests and errors of the router with problems."""
    for error in REFUSALS:
        app.add_exception_handler(error, refused)
    app.add_exception_handler(HTTPException, _http_error)

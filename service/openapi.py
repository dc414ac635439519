"""The OpenAPI document: FastAPI's, made from the table of routes.

The endpoints are plain functions of a request, so FastAPI cannot read their models from their signatures. This module
adds the models, examples, headers and problems that the table declares for each. It answers no request.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.responses import JSONResponse, Response

from service import __version__
from service.problems import MEDIA_TYPE, TYPES, Problem, ProblemError, problem_of
from service.routes import Operation, Route
from spades.contract.bid_request import BidRequest, BidsRequest, BlindRequest
from spades.contract.card_request import CardRequest, CardsRequest
from spades.contract.examples import FAULTS, SEVERAL_FAULTS
from spades.contract.faults import CODES, RequestError
from spades.contract.inference_request import InferenceItemRequest, InferenceRequest, InferencesRequest
from spades.contract.pass_request import PassRequest
from spades.contract.results import Result, ResultsRequest
from spades.contract.review_request import ReviewRequest

DESCRIPTION = """A bidding service for Spades: send a hand and the bids before it, get a bid and its explanation.

Errors are `application/problem+json` (RFC 9457) and list all faults of the request. Bodies are read as JSON, whatever
their Content-Type, except multipart/*. If a JSON key occurs twice, the last one counts. A null field counts as left
out, except rules.lose, rules.team_max and rules.deck, where null is a value. The same request always gets the same
answer."""

_EXAMPLES = {
    "invalid-json": "unexpected character, expected a JSON value (line 1, column 1)",
    "invalid-deadline": "X-Deadline-Ms is 'soon'; accepted: milliseconds, such as 25",
    "invalid-http": "the request is not valid HTTP/1.1",
    "unauthorized": "no valid API key; accepted: the header Authorization: Bearer KEY with a key of this service",
    "not-found": "no such path; /openapi.json lists them",
    "method-not-allowed": "GET is not allowed here; accepted: POST",
    "request-timeout": "the body took too long; accepted: 10 s",
    "body-too-large": "the body is too large; accepted: at most 65536 bytes",
    "unsupported-media-type": "the body is multipart; accepted: plain JSON",
    "rate-limited": "this key has used up its rate; retry after 1 s",
    "headers-too-large": "the headers are too large; accepted: 32768 bytes",
    "internal-error": "this is a bug; the service's log has the cause, by X-Request-ID",
    "not-ready": "the tables are not mapped yet",
    "overloaded": "the service is overloaded; retry later",
    "deadline-exceeded": "X-Deadline-Ms ran out before the answer was ready",
}
_PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_REQUEST_HEADERS = [
    {
        "name": "X-Deadline-Ms",
        "in": "header",
        "required": False,
        "description": "Milliseconds that the caller can wait, from the request's arrival; after that the answer is a "
        "504.",
        "schema": {"type": "number", "minimum": 0},
        "example": 25,
    },
    {
        "name": "X-Request-ID",
        "in": "header",
        "required": False,
        "description": "Repeated in the answer and the log. If it is missing or not valid, the service makes one.",
        "schema": {"type": "string", "maxLength": 128},
        "example": "table-17-round-4",
    },
]
_TEXT = {"type": "string"}
_EVERY_HEADER = ("X-Request-ID", "traceparent")  # every answer can have these
_HEADERS = {  # headers of answers
    "X-Request-ID": {"description": "The request's id, or a new one.", "required": True, "schema": _TEXT},
    "traceparent": {"description": "The request's traceparent, if it had one.", "schema": _TEXT},
    "Retry-After": {"description": "Seconds to wait before a retry.", "schema": {"type": "integer", "minimum": 1}},
    "Allow": {"description": "The methods that the path accepts.", "schema": _TEXT},
    "WWW-Authenticate": {"description": "How to send an API key.", "schema": _TEXT},
    "Accept-Encoding": {"description": "The accepted content codings: identity.", "schema": _TEXT},
}
_HEADERS_OF = {401: "WWW-Authenticate", 405: "Allow", 415: "Accept-Encoding", 429: "Retry-After", 503: "Retry-After"}
# Models of requests. They and `Problem` are in the document although no function's signature has them.
_MODELS = (
    *(BidRequest, BidsRequest, BlindRequest, CardRequest, CardsRequest, InferenceItemRequest, InferenceRequest),
    *(InferencesRequest, PassRequest, ResultsRequest, Result, ReviewRequest, Problem),
)


def openapi_document(app: FastAPI, routes: Sequence[Route]) -> dict[str, Any]:
    """Return the OpenAPI document of ``routes`` and of FastAPI's routes in ``app``, made once for each app."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=__version__,
            description=DESCRIPTION,
            routes=[*(_documented(route, route.operation) for route in routes if route.operation), *app.routes],
            servers=[{"url": "/", "description": "The host that served this document."}],
            separate_input_output_schemas=False,
        )
        _, extra = TypeAdapter.json_schemas(
            [(model.__name__, "validation", TypeAdapter(model)) for model in _MODELS],
            ref_template="#/components/schemas/{model}",
        )
        components = document["components"]
        components["schemas"] |= extra["$defs"]
        components["headers"] = _HEADERS
        components["securitySchemes"] = {
            "key": {"type": "http", "scheme": "bearer", "description": "Required if the operator has set API keys."}
        }
        document["security"] = [{}, {"key": []}]
        for route in routes:
            if route.operation is not None and callable(route.operation.example):
                answer = document["paths"][route.path]["get"]["responses"]["200"]
                answer["content"]["application/json"]["example"] = route.operation.example()
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"]["200"].setdefault("headers", _headers())
        app.openapi_schema = document
    return app.openapi_schema


def _documented(route: Route, operation: Operation) -> APIRoute:
    """Return FastAPI's form of a route; it is only read for the document."""
    responses: dict[int | str, dict[str, Any]] = {}
    if operation.answer is None:
        content = {"schema": {"type": "string"}, "example": operation.example}
        responses[200] = {"description": operation.answer_description, "content": {"text/plain": content}}
    elif not callable(operation.example):
        responses[200] = {"headers": _headers(), "content": {"application/json": {"example": operation.example}}}
    return APIRoute(
        route.path,
        _with_path_parameter if operation.path_parameter else _without_parameters,
        methods=[route.method],
        name=operation.id,
        operation_id=operation.id,
        tags=[operation.tag],
        summary=operation.summary,
        description=operation.description,
        response_model=operation.answer,
        response_class=Response if operation.answer is None else JSONResponse,
        response_description=operation.answer_description,
        responses=responses | _problems(operation.problems),
        openapi_extra=_extra(route, operation),
    )


def _without_parameters() -> None: ...


def _with_path_parameter(name: str) -> None: ...


def _extra(route: Route, operation: Operation) -> dict[str, Any]:
    """Return what FastAPI does not know: the request's JSON and headers, and that no API key is needed."""
    extra: dict[str, Any] = {}
    if operation.request:
        body = {
            "schema": {"$ref": f"#/components/schemas/{operation.request}"},
            "examples": {name: {"value": value} for name, value in operation.requests.items()},
        }
        extra["requestBody"] = {"required": True, "content": {"application/json": body}}
        extra["parameters"] = _REQUEST_HEADERS
    if not route.needs_key:
        extra["security"] = []
    return extra


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*_EVERY_HEADER, *names)}


def _problems(names: Sequence[str]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` entries, by status, of the problem types ``names``, with examples (422: one per code)."""
    entries: dict[int | str, dict[str, Any]] = {}
    for name in names:
        status = TYPES[name].status
        entry = entries.setdefault(
            status,
            {
                "description": TYPES[name].title,
                "headers": _headers(*([_HEADERS_OF[status]] if status in _HEADERS_OF else [])),
                "content": {MEDIA_TYPE: {"schema": _PROBLEM_SCHEMA, "examples": {}}},
            },
        )
        examples = entry["content"][MEDIA_TYPE]["examples"]
        if name == "invalid-request":
            for code, fault in FAULTS.items():
                examples[code] = {"summary": CODES[code], "value": problem_of(RequestError([fault])).body()}
            several = problem_of(RequestError(SEVERAL_FAULTS)).body()
            examples["several"] = {"summary": "several faults at once", "value": several}
        else:
            value = ProblemError(name, _EXAMPLES[name]).body()
            examples[name] = {"summary": TYPES[name].meaning, "value": value}
    return entries

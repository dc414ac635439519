"""Documentation: what the OpenAPI document says beyond what FastAPI finds out by itself.

The hot routes are answered before FastAPI's stack, so it knows them only as placeholders: their bodies, answers,
headers and problems come in here. No code of an endpoint is here.
"""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from service import __version__
from service.contract.answer import BidAnswer, BidsAnswer, BlindAnswer, Problem
from service.contract.examples import (
    ANSWER,
    BATCH_REQUEST,
    BLIND_ANSWER,
    BLIND_REQUEST,
    CUTTHROAT_REQUEST,
    FAULTS,
    LEVEL_REQUEST,
    POLICY_REQUESTS,
    REQUEST,
    SEVERAL_FAULTS,
    SHORT_BLIND_REQUEST,
    SHORT_REQUEST,
)
from service.contract.request import BidRequest, BidsRequest, BlindRequest
from service.problems import CODES, MEDIA_TYPE, TYPES, ProblemError, invalid_request

DESCRIPTION = """A Spades bidding service: one hand and the bids before it in, one bid and the numbers that made it out.

Errors are `application/problem+json` (RFC 9457) with every fault of the request at once. Bodies are JSON whatever
their Content-Type says, except multipart/*; of a doubled JSON key the last one counts. A field that is null counts as
left out, except rules.lose and rules.team_max, where null is a value. The same request always gets the same answer."""

_EXAMPLES = {
    "invalid-json": "unexpected character, expected a JSON value (line 1, column 1)",
    "invalid-deadline": "X-Deadline-Ms is 'soon'; expected milliseconds, such as 25",
    "invalid-http": "the request can't be read as HTTP/1.1",
    "unauthorized": "expected Authorization: Bearer and one of this service's keys",
    "not-found": "no such path",
    "method-not-allowed": "GET is not allowed here; expected POST",
    "request-timeout": "the body did not come within 10 s",
    "body-too-large": "the body is over 65536 bytes; send at most that many",
    "unsupported-media-type": "multipart is not read; send plain JSON",
    "rate-limited": "the key's rate is used up; retry after 1 s",
    "headers-too-large": "the headers are over 32768 bytes",
    "internal-error": "the request was well-formed as far as read; the service's log has the cause",
    "not-ready": "the tables are not mapped yet",
    "overloaded": "shed to keep the others in time",
    "deadline-exceeded": "X-Deadline-Ms ran out before the answer was ready",
}
_PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_DEADLINE_HEADER = {
    "name": "X-Deadline-Ms",
    "in": "header",
    "required": False,
    "description": "milliseconds left to the caller, counted from the request's arrival; past it the answer is a 504",
    "schema": {"type": "number", "minimum": 0},
    "example": 25,
}
_REQUEST_ID_HEADER = {
    "name": "X-Request-ID",
    "in": "header",
    "required": False,
    "description": "comes back in the answer and is in the log; the service makes one where none or a faulty one came",
    "schema": {"type": "string", "maxLength": 128},
    "example": "table-17-round-4",
}
_TEXT = {"type": "string"}
_EVERY_HEADER = ("X-Request-ID", "traceparent")  # of every answer
_HEADERS = {  # of answers
    "X-Request-ID": {"description": "the request's, or a new one", "required": True, "schema": _TEXT},
    "traceparent": {"description": "the request's, where one came", "schema": _TEXT},
    "Retry-After": {"description": "seconds after which to try again", "schema": {"type": "integer", "minimum": 1}},
    "Allow": {"description": "the methods that the path has", "schema": _TEXT},
    "WWW-Authenticate": {"description": "how to send an API key", "schema": _TEXT},
    "Accept-Encoding": {"description": "the content codings that are read: identity", "schema": _TEXT},
}
_HEADERS_OF = {401: ("WWW-Authenticate",), 405: ("Allow",), 415: ("Accept-Encoding",), 429: ("Retry-After",)} | {
    503: ("Retry-After",)
}


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*_EVERY_HEADER, *names)}


def example(value: Any) -> dict[str, Any]:
    """The `responses` entry of a JSON answer with one example."""
    return {"headers": _headers(), "content": {"application/json": {"example": value}}}


def problems(*names: str) -> dict[int | str, dict[str, Any]]:
    """The `responses` entries, by status, of the problem types ``names``, an example for each (422: for each code)."""
    entries: dict[int | str, dict[str, Any]] = {}
    for name in names:
        entry = entries.setdefault(
            TYPES[name].status,
            {
                "description": TYPES[name].title,
                "headers": _headers(*_HEADERS_OF.get(TYPES[name].status, ())),
                "content": {MEDIA_TYPE: {"schema": _PROBLEM_SCHEMA, "examples": {}}},
            },
        )
        examples = entry["content"][MEDIA_TYPE]["examples"]
        if name == "invalid-request":
            for code, fault in FAULTS.items():
                examples[code] = {"summary": CODES[code], "value": invalid_request([fault]).body()}
            examples["several"] = {"summary": "every fault at once", "value": invalid_request(SEVERAL_FAULTS).body()}
        else:
            value = ProblemError(name, _EXAMPLES[name]).body()
            examples[name] = {"summary": TYPES[name].meaning, "value": value}
    return entries


HEALTH_PROBLEMS = problems("method-not-allowed", "internal-error")
GET_PROBLEMS = problems("unauthorized", "method-not-allowed", "rate-limited", "internal-error", "overloaded")
POST_PROBLEMS = problems(
    "invalid-json",
    "invalid-http",
    "invalid-deadline",
    "unauthorized",
    "method-not-allowed",
    "request-timeout",
    "body-too-large",
    "unsupported-media-type",
    "invalid-request",
    "rate-limited",
    "headers-too-large",
    "internal-error",
    "not-ready",
    "overloaded",
    "deadline-exceeded",
)


def post_extra(schema: str, examples: dict[str, Any]) -> dict[str, Any]:
    """The `openapi_extra` of a hot route: its body by schema name, with examples, and its header."""
    body = {
        "schema": {"$ref": f"#/components/schemas/{schema}"},
        "examples": {name: {"value": value} for name, value in examples.items()},
    }
    return {
        "requestBody": {"required": True, "content": {"application/json": body}},
        "parameters": [_DEADLINE_HEADER, _REQUEST_ID_HEADER],
    }


def add_hot_routes(app: FastAPI) -> None:
    """Add to FastAPI's document the routes that `Service` answers itself."""
    for path, name in (("/v1/bid", "bid"), ("/bid", "bid_unversioned")):
        app.add_api_route(
            path,
            _placeholder,
            methods=["POST"],
            name=name,
            operation_id=name,
            tags=["bidding"],
            summary="One bid with its explanation",
            response_model=BidAnswer,
            response_description="The bid",
            responses={200: example(ANSWER), **POST_PROBLEMS},
            openapi_extra=post_extra(
                "BidRequest",
                {
                    "full": REQUEST,
                    "short": SHORT_REQUEST,
                    "level": LEVEL_REQUEST,
                    "cutthroat": CUTTHROAT_REQUEST,
                    **POLICY_REQUESTS,
                },
            ),
        )
    app.add_api_route(
        "/v1/bid/blind",
        _placeholder,
        methods=["POST"],
        name="blind",
        operation_id="blind",
        tags=["bidding"],
        summary="Before the hand is seen: blind nil, or look?",
        response_model=BlindAnswer,
        response_description="Whether to bid blind nil",
        responses={200: example(BLIND_ANSWER), **POST_PROBLEMS},
        openapi_extra=post_extra("BlindRequest", {"full": BLIND_REQUEST, "short": SHORT_BLIND_REQUEST}),
    )
    refused = invalid_request([FAULTS["missing-field"]])
    answers = [{"status": 200, "body": ANSWER}, {"status": refused.status, "body": refused.body()}]
    app.add_api_route(
        "/v1/bids",
        _placeholder,
        methods=["POST"],
        name="bids",
        operation_id="bids",
        tags=["bidding"],
        summary="Up to 512 bids; each request fails alone",
        response_model=BidsAnswer,
        response_description="An answer or a problem for each request, in order",
        responses={200: example({"answers": answers}), **POST_PROBLEMS},
        openapi_extra=post_extra("BidsRequest", {"two": BATCH_REQUEST}),
    )


async def _placeholder() -> None:
    raise AssertionError("the hot routes are answered by Service; serve create_app(), not its FastAPI part")


def openapi(app: FastAPI, examples: dict[str, Any]) -> dict[str, Any]:
    """The document, made once: FastAPI's, the schemas that no FastAPI route mentions, and GET ``examples`` by path."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=__version__,
            description=DESCRIPTION,
            routes=app.routes,
            servers=[{"url": "/", "description": "the host that this document comes from"}],
            separate_input_output_schemas=False,
        )
        models = (BidRequest, BidsRequest, BlindRequest, Problem)
        _, extra = TypeAdapter.json_schemas(
            [(model.__name__, "validation", TypeAdapter(model)) for model in models],
            ref_template="#/components/schemas/{model}",
        )
        components = document["components"]
        components["schemas"] |= extra["$defs"]
        components["headers"] = _HEADERS
        components["securitySchemes"] = {
            "key": {"type": "http", "scheme": "bearer", "description": "needed where the operator has set API keys"}
        }
        document["security"] = [{}, {"key": []}]
        for path, value in examples.items():
            document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["example"] = value
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"]["200"].setdefault("headers", _headers())
        app.openapi_schema = document
    return app.openapi_schema

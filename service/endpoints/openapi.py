"""The parts of the OpenAPI document that FastAPI can't derive by itself.

FastAPI does not answer the hot routes and knows them only as placeholders. Their bodies, answers, headers and problems
are added here. This module answers no request, except that its placeholders raise an error.
"""

from typing import Any, NamedTuple

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from service import __version__
from service.endpoints.batch_answers import BidsAnswer, CardsAnswer, InferencesAnswer, ResultsAnswer
from service.problems import MEDIA_TYPE, TYPES, Problem, ProblemError, problem_of
from spades.contract.answer_types import BidAnswer, BlindAnswer, CardAnswer, InferenceAnswer, PassAnswer
from spades.contract.bid_request import MAX_ITEMS, BidRequest, BidsRequest, BlindRequest
from spades.contract.card_request import MAX_CARD_ITEMS, CardRequest, CardsRequest
from spades.contract.examples import (
    ANSWER,
    BATCH_REQUEST,
    BLIND_ANSWER,
    BLIND_REQUEST,
    BRIEF_REQUEST,
    CARD_ANSWER,
    CARD_REQUEST,
    CUTTHROAT_REQUEST,
    FAULTS,
    INFERENCE_ANSWER,
    INFERENCE_REQUEST,
    LEVEL_REQUEST,
    PASS_ANSWER,
    PASS_REQUEST,
    POLICY_REQUESTS,
    REQUEST,
    RESULTS_REQUEST,
    SEARCH_REQUEST,
    SEVERAL_FAULTS,
    SHORT_BLIND_REQUEST,
    SHORT_INFERENCE_REQUEST,
    SHORT_REQUEST,
    SPECTATOR_REQUEST,
)
from spades.contract.faults import CODES, RequestError
from spades.contract.inference_request import (
    MAX_INFERENCE_ITEMS,
    InferenceItemRequest,
    InferenceRequest,
    InferencesRequest,
)
from spades.contract.pass_request import PassRequest
from spades.contract.results import MAX_RESULTS, Result, ResultsRequest

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
_DEADLINE_HEADER = {
    "name": "X-Deadline-Ms",
    "in": "header",
    "required": False,
    "description": "Milliseconds that the caller can wait, from the request's arrival; after that the answer is a 504.",
    "schema": {"type": "number", "minimum": 0},
    "example": 25,
}
_REQUEST_ID_HEADER = {
    "name": "X-Request-ID",
    "in": "header",
    "required": False,
    "description": "Repeated in the answer and the log. If it is missing or not valid, the service makes one.",
    "schema": {"type": "string", "maxLength": 128},
    "example": "table-17-round-4",
}
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


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*_EVERY_HEADER, *names)}


def example(value: Any) -> dict[str, Any]:
    """Return the `responses` entry of a JSON answer with one example."""
    return {"headers": _headers(), "content": {"application/json": {"example": value}}}


def problems(*names: str) -> dict[int | str, dict[str, Any]]:
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
            examples["several"] = {
                "summary": "several faults at once",
                "value": problem_of(RequestError(SEVERAL_FAULTS)).body(),
            }
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
    """Return the `openapi_extra` of a hot route: the schema and examples of its body, and its headers."""
    body = {
        "schema": {"$ref": f"#/components/schemas/{schema}"},
        "examples": {name: {"value": value} for name, value in examples.items()},
    }
    return {
        "requestBody": {"required": True, "content": {"application/json": body}},
        "parameters": [_DEADLINE_HEADER, _REQUEST_ID_HEADER],
    }


class _HotRoute(NamedTuple):
    """A POST that `Service` answers itself."""

    path: str
    name: str
    summary: str
    model: Any  # of the answer
    description: str  # of the answer
    answer: Any  # an example
    schema: str  # of the request
    requests: dict[str, Any]  # examples


def _hot_routes() -> tuple[_HotRoute, ...]:
    one = (
        "One bid with its explanation",
        BidAnswer,
        "The bid",
        ANSWER,
        "BidRequest",
        {
            "full": REQUEST,
            "brief": BRIEF_REQUEST,
            "short": SHORT_REQUEST,
            "level": LEVEL_REQUEST,
            "cutthroat": CUTTHROAT_REQUEST,
            **POLICY_REQUESTS,
        },
    )
    refused = problem_of(RequestError([FAULTS["missing-field"]]))
    answers = [{"status": 200, "body": ANSWER}, {"status": refused.status, "body": refused.body()}]
    inferred = {name: value for name, value in INFERENCE_ANSWER.items() if name != "deals"}
    return (
        _HotRoute("/v1/bid", "bid", *one),
        _HotRoute("/bid", "bid_unversioned", *one),
        _HotRoute(
            "/v1/bid/blind",
            "blind",
            "Whether to bid blind nil, before the hand is seen",
            BlindAnswer,
            "Whether to bid blind nil",
            BLIND_ANSWER,
            "BlindRequest",
            {"full": BLIND_REQUEST, "short": SHORT_BLIND_REQUEST},
        ),
        _HotRoute(
            "/v1/pass",
            "pass_cards",
            "Which cards a nil bidder and partner give each other",
            PassAnswer,
            "The cards, with a reason for each",
            PASS_ANSWER,
            "PassRequest",
            {"nil": PASS_REQUEST},
        ),
        _HotRoute(
            "/v1/card",
            "card",
            "Which card to play",
            CardAnswer,
            "The card, with the reasons",
            CARD_ANSWER,
            "CardRequest",
            {"third": CARD_REQUEST, "search": SEARCH_REQUEST},
        ),
        _HotRoute(
            "/v1/cards",
            "cards",
            f"Up to {MAX_CARD_ITEMS} cards of different players; a request with a fault gets its own error",
            CardsAnswer,
            "An answer or a problem for each request, in order",
            {"answers": [{"status": 200, "body": CARD_ANSWER}, answers[1]]},
            "CardsRequest",
            {"one": {"requests": [CARD_REQUEST]}},
        ),
        _HotRoute(
            "/v1/inference",
            "inference",
            "Who may hold each unseen card, and random deals of these cards",
            InferenceAnswer,
            "The probabilities, with the deals if some were requested",
            INFERENCE_ANSWER,
            "InferenceRequest",
            {"full": INFERENCE_REQUEST, "short": SHORT_INFERENCE_REQUEST, "spectator": SPECTATOR_REQUEST},
        ),
        _HotRoute(
            "/v1/inferences",
            "inferences",
            f"Up to {MAX_INFERENCE_ITEMS} inferences without deals; a request with a fault gets its own error",
            InferencesAnswer,
            "An answer or a problem for each request, in order",
            {"answers": [{"status": 200, "body": inferred}, answers[1]]},
            "InferencesRequest",
            {"two": {"requests": [SHORT_INFERENCE_REQUEST, SPECTATOR_REQUEST]}},
        ),
        _HotRoute(
            "/v1/bids",
            "bids",
            f"Up to {MAX_ITEMS} bids; a request with a fault gets its own error",
            BidsAnswer,
            "An answer or a problem for each request, in order",
            {"answers": answers},
            "BidsRequest",
            {"two": BATCH_REQUEST},
        ),
        _HotRoute(
            "/v1/results",
            "results",
            f"Up to {MAX_RESULTS} outcomes of bids, for the metrics; a faulty one is refused alone",
            ResultsAnswer,
            "How many were accepted, and what is wrong with the others",
            {"accepted": 1, "refused": [{"index": 1, "status": refused.status, "body": refused.body()}]},
            "ResultsRequest",
            {"two": RESULTS_REQUEST},
        ),
    )


def add_hot_routes(app: FastAPI) -> None:
    """Add the routes that `Service` answers itself to FastAPI's document."""
    for route in _hot_routes():
        app.add_api_route(
            route.path,
            _placeholder,
            methods=["POST"],
            name=route.name,
            operation_id=route.name,
            tags=["bidding"],
            summary=route.summary,
            response_model=route.model,
            response_description=route.description,
            responses={200: example(route.answer), **POST_PROBLEMS},
            openapi_extra=post_extra(route.schema, route.requests),
        )


async def _placeholder() -> None:
    raise AssertionError("the hot routes are answered by Service; serve create_app(), not its FastAPI part")


def openapi(app: FastAPI, examples: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI document, made once; ``examples``: answers of GET, by path.

    It is FastAPI's document, with the schemas that no FastAPI route uses added.
    """
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=__version__,
            description=DESCRIPTION,
            routes=app.routes,
            servers=[{"url": "/", "description": "The host that served this document."}],
            separate_input_output_schemas=False,
        )
        cards = (CardRequest, CardsRequest, InferenceItemRequest, InferenceRequest, InferencesRequest)
        models = (BidRequest, BidsRequest, BlindRequest, *cards, PassRequest, ResultsRequest, Result, Problem)
        _, extra = TypeAdapter.json_schemas(
            [(model.__name__, "validation", TypeAdapter(model)) for model in models],
            ref_template="#/components/schemas/{model}",
        )
        components = document["components"]
        components["schemas"] |= extra["$defs"]
        components["headers"] = _HEADERS
        components["securitySchemes"] = {
            "key": {"type": "http", "scheme": "bearer", "description": "Required if the operator has set API keys."}
        }
        document["security"] = [{}, {"key": []}]
        for path, value in examples.items():
            document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["example"] = value
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"]["200"].setdefault("headers", _headers())
        app.openapi_schema = document
    return app.openapi_schema

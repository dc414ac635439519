"""Documentation: what the OpenAPI document says beyond what FastAPI finds out by itself.

The hot routes are answered before FastAPI's stack, so it knows them only as placeholders: their bodies, answers and
problems come in here, through `openapi_extra` and `responses`. Also the examples, which a test holds against
the schemas, and the schemas that no FastAPI route mentions. No code of an endpoint is here.
"""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from service import __version__
from service.problems import CODES, MEDIA_TYPE, TYPES, Fault, ProblemError, invalid_request
from service.schemas import BidAnswer, BidRequest, BidsAnswer, BidsRequest, BlindAnswer, BlindRequest, Problem

DESCRIPTION = """A Spades bidding service: one hand and the bids before it in, one bid and the numbers that made it out.

Errors are `application/problem+json` (RFC 9457) with every fault of the request at once. Bodies are JSON whatever
their Content-Type says, but for multipart/*; of a doubled JSON key the last one counts. The same request always gets
the same answer."""

REQUEST = {
    "hand": ["KC", "9C", "5C", "4C", "3C", "QD", "AH", "QH", "AS", "KS", "JS", "6S", "2S"],
    "previous_bids": [3, 1],
    "seat": 2,
    "scores": {"us": 120, "them": 95, "us_bags": 3, "them_bags": 5},
    "convention": "none",
    "policy": "bis",
    "rules": {"preset": "classic"},
    "explain": True,
}
SHORT_REQUEST = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}
LEVEL_REQUEST = {
    **SHORT_REQUEST,
    "policy": "winprob",
    "level": 2,
    "style": {"aggression": 0.5, "nil_bias": -0.3},
    "seed": 7,
}
CUTTHROAT_REQUEST = {
    "hand": "AKJ62.AQ.Q.K9543",
    "previous_bids": [3, 1],
    "seat": 2,
    "scores": {"seats": [120, 95, 140, 60], "bags": [3, 5, 0, 2]},
    "rules": {"preset": "cutthroat"},
}
# Figures for shape only.
ANSWER = {
    "bid": 6,
    "kind": "regular",
    "policy": "bis",
    "tables": "2026.11.1+3f9a2c",
    "assumed": [],
    "explanation": {
        "regular": {
            "side_high": {"H": 0.9908, "D": 0.0, "C": 0.6767},
            "spade_high": 2.0,
            "spade_long": 0.0,
            "ruffs": 2.3034,
            "previous_bids_factor": 0.0,
            "estimate": 5.971,
            "takes": 6,
        },
        "nil": {
            "cnil": {"S": 0.0, "H": 0.0084, "D": 0.5714, "C": 1.0},
            "void_factor": 1.0,
            "value": 0.0,
            "probability": 0.03,
            "expected_points": -94.0,
            "threshold": 25.0,
            "chosen": False,
            "ruled_out": "ace of spades",
        },
        "adjustments": [],
        "candidates": [],
        "sentence": "About 5.97 tricks, rounded to 6; nil is out (ace of spades): bid 6.",
    },
}
BLIND_REQUEST = {
    "previous_bids": [4, 4, 3],
    "seat": 3,
    "scores": {"us": 120, "them": 310, "us_bags": 3, "them_bags": 5},
    "convention": "none",
    "policy": "bis",
    "rules": {"preset": "blind-nil"},
    "seed": 7,
}
SHORT_BLIND_REQUEST = {"previous_bids": [], "seat": 0}
# Figures for shape only.
BLIND_ANSWER = {
    "blind_nil": False,
    "policy": "bis",
    "tables": "2026.11.1+3f9a2c",
    "assumed": [],
    "explanation": {
        "rule": "fourth-seat",
        "p_ace_of_spades": 0.038,
        "p_made": 0.613,
        "expected_points": 45.2,
        "floor": 0.0,
        "frequency": 0.1,
        "lot": 0.62,
        "projected": {"us": 171.5, "them": 380.0, "sum_of_bids": 12.2},
        "sentence": "After 11 tricks bid our hand holds the ace of spades in 4%, and a blind nil here makes 61%; bid "
        "in 10% of such places, and the lot drawn is 62%: look.",
    },
}
FAULT_EXAMPLES = {
    "missing-field": Fault("/seat", "missing-field", "seat is missing"),
    "unknown-field": Fault("/previousBids", "unknown-field", "previousBids is no field of the request"),
    "unsupported-field": Fault(
        "/scores/seats",
        "unsupported-field",
        "scores.seats has no use there; expected us and them and us_bags and them_bags with variant partnership",
    ),
    "wrong-type": Fault("/seat", "wrong-type", "seat is a string; expected an integer"),
    "out-of-range": Fault("/seat", "out-of-range", "seat is 4; expected at most 3"),
    "too-many-items": Fault("/previous_bids", "too-many-items", "4 previous bids; expected at most 3"),
    "hand-size": Fault("/hand", "hand-size", "12 cards; expected 13"),
    "unknown-card": Fault(
        "/hand/3", "unknown-card", "1S is no card; expected a rank of 23456789TJQKA (or 10) and a suit of SHDC"
    ),
    "duplicate-card": Fault("/hand/7", "duplicate-card", "AS stands twice in the hand"),
    "bid-out-of-range": Fault(
        "/previous_bids/0", "bid-out-of-range", 'the bid is 14; expected 0..13, "nil" or "blind_nil"'
    ),
    "seat-mismatch": Fault("/seat", "seat-mismatch", "seat is 3 after 2 previous bids; expected 2"),
    "team-over-limit": Fault(
        "/previous_bids/2",
        "team-over-limit",
        "the bid is 6 beside the partner's 9; expected nil or 1..4, for a side bids 13 at most",
    ),
    "team-under-limit": Fault(
        "/previous_bids/2",
        "team-under-limit",
        "the bid is 1 beside the partner's 2; expected 2..11, for rules.team_min is 4",
    ),
    "illegal-bids": Fault("/legal_bids", "illegal-bids", "0 legal bids; expected 1..15"),
    "unknown-policy": Fault("/policy", "unknown-policy", "unknown policy best; expected one of bis, rb, ms, io"),
    "unsupported-convention": Fault(
        "/convention", "unsupported-convention", "convention big5 with policy rb; expected none, for only bis plays one"
    ),
    "unsupported-rules": Fault(
        "/rules/team_min", "unsupported-rules", "team_min is 4 with variant mirror; expected 0 there"
    ),
}
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
    "description": "comes back in the answer and stands in the log; a new one where none or a strange one came",
    "schema": {"type": "string", "maxLength": 128},
    "example": "table-17-round-4",
}


def example(value: Any) -> dict[str, Any]:
    """The `responses` entry of a JSON answer with one example."""
    return {"content": {"application/json": {"example": value}}}


def problems(*names: str) -> dict[int | str, dict[str, Any]]:
    """The `responses` entries, by status, of the problem types ``names``, an example for each (422: for each code)."""
    entries: dict[int | str, dict[str, Any]] = {}
    for name in names:
        entry = entries.setdefault(
            TYPES[name].status,
            {
                "description": TYPES[name].title,
                "content": {MEDIA_TYPE: {"schema": _PROBLEM_SCHEMA, "examples": {}}},
            },
        )
        examples = entry["content"][MEDIA_TYPE]["examples"]
        if name == "invalid-request":
            for code, fault in FAULT_EXAMPLES.items():
                examples[code] = {"summary": CODES[code], "value": invalid_request([fault]).body()}
            both = [FAULT_EXAMPLES["hand-size"], FAULT_EXAMPLES["seat-mismatch"]]
            examples["several"] = {"summary": "every fault at once", "value": invalid_request(both).body()}
        else:
            value = ProblemError(name, _EXAMPLES[name]).body()
            examples[name] = {"summary": TYPES[name].meaning, "value": value}
    return entries


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
                {"full": REQUEST, "short": SHORT_REQUEST, "level": LEVEL_REQUEST, "cutthroat": CUTTHROAT_REQUEST},
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
    refused = invalid_request([Fault("/seat", "missing-field", "seat is missing")])
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
        openapi_extra=post_extra("BidsRequest", {"two": {"requests": [REQUEST, {"hand": [], "previous_bids": []}]}}),
    )


async def _placeholder() -> None:
    raise AssertionError("the hot routes are answered by Service; serve create_app(), not its FastAPI part")


def openapi(app: FastAPI, examples: dict[str, Any]) -> dict[str, Any]:
    """The document, made once: FastAPI's, the schemas that no FastAPI route mentions, and GET ``examples`` by path."""
    if app.openapi_schema is None:
        document = get_openapi(
            title="Spades bidding service",
            version=__version__,
            description=DESCRIPTION,
            routes=app.routes,
            separate_input_output_schemas=False,
        )
        _, extra = models_json_schema(
            [(model, "validation") for model in (BidRequest, BidsRequest, BlindRequest, Problem)],
            ref_template="#/components/schemas/{model}",
        )
        document["components"]["schemas"] |= extra["$defs"]
        document["components"]["securitySchemes"] = {
            "key": {"type": "http", "scheme": "bearer", "description": "needed where the operator has set API keys"}
        }
        document["security"] = [{}, {"key": []}]
        for path, value in examples.items():
            document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["example"] = value
        app.openapi_schema = document
    return app.openapi_schema

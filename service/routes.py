"""The endpoints: one table with everything that is known of each.

The app's routes, the limits and keys of the middleware, the labels of the metrics and the OpenAPI document are read
from `ROUTES`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from service.endpoints import batches, bids, cards, catalogue, health, inferences, pages, results, reviews
from service.endpoints.batches import BidsAnswer, CardsAnswer, InferencesAnswer
from service.endpoints.catalogue import PoliciesAnswer, ReasonsAnswer, RulesAnswer
from service.endpoints.health import Ready, Status, VersionAnswer
from service.endpoints.results import ResultsAnswer
from service.problems import ProblemTypeInfo, problem_of
from spades.contract import examples
from spades.contract.answer_types import (
    BidAnswer,
    BlindAnswer,
    CardAnswer,
    InferenceAnswer,
    PassAnswer,
    ReviewAnswer,
)
from spades.contract.bid_request import MAX_ITEMS
from spades.contract.card_request import MAX_CARD_ITEMS
from spades.contract.faults import RequestError
from spades.contract.inference_request import MAX_INFERENCE_ITEMS
from spades.contract.results import MAX_RESULTS

MAX_BODY_BYTES: Final = 64 * 1024
MAX_BATCH_BYTES: Final = 1024 * 1024
METRICS: Final = "/metrics"

# Names of the problems that an endpoint can answer with (`problems.TYPES`).
_HEALTH = ("method-not-allowed", "internal-error")
_GET = ("unauthorized", "method-not-allowed", "rate-limited", "internal-error", "overloaded")
_POST = (
    *("invalid-json", "invalid-http", "invalid-deadline", "unauthorized", "method-not-allowed", "request-timeout"),
    *("body-too-large", "unsupported-media-type", "invalid-request", "rate-limited", "headers-too-large"),
    *("internal-error", "not-ready", "overloaded", "deadline-exceeded"),
)

Endpoint = Callable[[Request], Awaitable[Response]]


class Operation(NamedTuple):
    """What the OpenAPI document says about a route."""

    id: str  # the name of its function in generated clients
    answer: Any  # model of the answer's JSON; None: the answer is text
    example: Any  # an answer, or a function that returns one
    summary: str | None = None  # default: the id
    description: str = ""
    answer_description: str = "Successful Response"
    request: str = ""  # name of the model of the request's JSON
    requests: Mapping[str, Any] = {}  # examples of requests, by name
    path_parameter: str = ""
    problems: Sequence[str] = _POST
    tag: str = "bidding"


class Route(NamedTuple):
    """An endpoint, and the conditions on its requests."""

    path: str
    method: Literal["GET", "POST"]  # GET: HEAD too
    endpoint: Endpoint
    operation: Operation | None = None  # None: not in the OpenAPI document (pages, and the document itself)
    max_body_bytes: int = 0  # 0: a body is not read
    needs_key: bool = True  # if API keys are set
    may_be_shed: bool = True  # while the process is overloaded
    takes_turns: bool = False  # a long answer, made in slices (`fair_turns`)


_BID = Operation(
    "bid",
    BidAnswer,
    examples.ANSWER,
    summary="One bid with its explanation",
    answer_description="The bid",
    request="BidRequest",
    requests={
        "full": examples.REQUEST,
        "brief": examples.BRIEF_REQUEST,
        "short": examples.SHORT_REQUEST,
        "level": examples.LEVEL_REQUEST,
        "cutthroat": examples.CUTTHROAT_REQUEST,
        **examples.POLICY_REQUESTS,
    },
)
_BLIND = Operation(
    "blind",
    BlindAnswer,
    examples.BLIND_ANSWER,
    summary="Whether to bid blind, before the hand is seen",
    answer_description="Whether to bid blind",
    request="BlindRequest",
    requests={"full": examples.BLIND_REQUEST, "short": examples.SHORT_BLIND_REQUEST},
)
_PASS = Operation(
    "pass_cards",
    PassAnswer,
    examples.PASS_ANSWER,
    summary="Which cards a nil bidder and partner give each other",
    answer_description="The cards, with a reason for each",
    request="PassRequest",
    requests={"nil": examples.PASS_REQUEST},
)
_CARD = Operation(
    "card",
    CardAnswer,
    examples.CARD_ANSWER,
    summary="Which card to play",
    answer_description="The card, with the reasons",
    request="CardRequest",
    requests={"third": examples.CARD_REQUEST, "search": examples.SEARCH_REQUEST},
)
_INFERENCE = Operation(
    "inference",
    InferenceAnswer,
    examples.INFERENCE_ANSWER,
    summary="Who may hold each unseen card, and random deals of these cards",
    answer_description="The probabilities, with the deals if some were requested",
    request="InferenceRequest",
    requests={
        "full": examples.INFERENCE_REQUEST,
        "short": examples.SHORT_INFERENCE_REQUEST,
        "spectator": examples.SPECTATOR_REQUEST,
    },
)
_REVIEW = Operation(
    "review",
    ReviewAnswer,
    examples.REVIEW_ANSWER,
    summary="What each bid, pass and card of a finished round cost its player",
    answer_description="The decisions with their grades, and a summary by player",
    request="ReviewRequest",
    requests={"full": examples.REVIEW_REQUEST},
)
_REFUSED = problem_of(RequestError([examples.FAULTS["missing-field"]]))
_REFUSED_ITEM = {"status": _REFUSED.status, "body": _REFUSED.body()}
_INFERRED = {name: value for name, value in examples.INFERENCE_ANSWER.items() if name != "deals"}


def _items(answer: Any) -> dict[str, Any]:
    """Return an example of a batch's answer: an ``answer`` and a refused request."""
    return {"answers": [{"status": 200, "body": answer}, _REFUSED_ITEM]}


_CARDS = Operation(
    "cards",
    CardsAnswer,
    _items(examples.CARD_ANSWER),
    summary=f"Up to {MAX_CARD_ITEMS} cards of different players; a request with a fault gets its own error",
    answer_description="An answer or a problem for each request, in order",
    request="CardsRequest",
    requests={"one": {"requests": [examples.CARD_REQUEST]}},
)
_INFERENCES = Operation(
    "inferences",
    InferencesAnswer,
    _items(_INFERRED),
    summary=f"Up to {MAX_INFERENCE_ITEMS} inferences without deals; a request with a fault gets its own error",
    answer_description="An answer or a problem for each request, in order",
    request="InferencesRequest",
    requests={"two": {"requests": [examples.SHORT_INFERENCE_REQUEST, examples.SPECTATOR_REQUEST]}},
)
_BIDS = Operation(
    "bids",
    BidsAnswer,
    _items(examples.ANSWER),
    summary=f"Up to {MAX_ITEMS} bids; a request with a fault gets its own error",
    answer_description="An answer or a problem for each request, in order",
    request="BidsRequest",
    requests={"two": examples.BATCH_REQUEST},
)
_RESULTS = Operation(
    "results",
    ResultsAnswer,
    {"accepted": 1, "refused": [{"index": 1, **_REFUSED_ITEM}]},
    summary=f"Up to {MAX_RESULTS} outcomes of bids, for the metrics; a faulty one is refused alone",
    answer_description="How many were accepted, and what is wrong with the others",
    request="ResultsRequest",
    requests={"two": examples.RESULTS_REQUEST},
)
_POLICIES = Operation(
    "list_policies",
    PoliciesAnswer,
    catalogue.policies_answer,
    description="List the policies: options, supported rules, typical time and measured strength.",
    problems=_GET,
    tag="catalogue",
)
_RULES = Operation(
    "list_rules",
    RulesAnswer,
    catalogue.rules_answer,
    description="List the presets with all their values, and the accepted values of each field.",
    problems=_GET,
    tag="catalogue",
)
_REASONS = Operation(
    "list_reasons",
    ReasonsAnswer,
    catalogue.reasons_answer,
    description="List the reasons of explanations with their sentences, to show or translate them.",
    problems=_GET,
    tag="catalogue",
)
_ALIVE = Operation(
    "alive",
    Status,
    {"status": "ok"},
    description="Answer if the process is alive.",
    problems=_HEALTH,
    tag="operation",
)
_READY = Operation(
    "ready",
    Ready,
    {"status": "ready", "tables": "2026.11.1+3f9a2c"},
    description="Answer 200 if requests should be sent: the tables are checked, and the service is not shutting down.",
    problems=(*_HEALTH, "not-ready"),
    tag="operation",
)
_VERSION = Operation(
    "version",
    VersionAnswer,
    {
        "service": "1.0.0",
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
    },
    description="Return the versions of the code and of the tables.",
    problems=_GET,
    tag="operation",
)
_PROBLEM_TYPE = Operation(
    "problem_type",
    ProblemTypeInfo,
    health.type_info("deadline-exceeded"),
    description="Return what a problem's `type` means.",
    path_parameter="name",
    problems=(*_GET, "not-found", "invalid-request"),
    tag="operation",
)
_METRICS = Operation(
    "metrics",
    None,
    'spades_bids_total{kind="regular",policy="bis"} 1.0\n',
    description="Return the metrics for Prometheus: requests, latency, bids, faults and tables.",
    answer_description="Prometheus's text format",
    problems=_GET,
    tag="operation",
)

# Health checks must not take a busy process for a dead one. A page costs no more than a refusal, and holds no secret.
ROUTES: Final = (
    Route("/v1/bid", "POST", bids.bid, _BID, MAX_BODY_BYTES),
    Route("/bid", "POST", bids.bid, _BID._replace(id="bid_unversioned"), MAX_BODY_BYTES),
    Route("/v1/bid/blind", "POST", bids.blind, _BLIND, MAX_BODY_BYTES),
    Route("/v1/pass", "POST", cards.pass_cards, _PASS, MAX_BODY_BYTES),
    Route("/v1/card", "POST", cards.card, _CARD, MAX_BODY_BYTES),
    Route("/v1/cards", "POST", batches.cards_batch, _CARDS, MAX_BATCH_BYTES, takes_turns=True),
    Route("/v1/inference", "POST", inferences.inference, _INFERENCE, MAX_BODY_BYTES, takes_turns=True),
    Route("/v1/inferences", "POST", batches.inferences_batch, _INFERENCES, MAX_BATCH_BYTES, takes_turns=True),
    Route("/v1/review", "POST", reviews.review, _REVIEW, MAX_BODY_BYTES, takes_turns=True),
    Route("/v1/bids", "POST", batches.bids_batch, _BIDS, MAX_BATCH_BYTES, takes_turns=True),
    Route("/v1/results", "POST", results.results, _RESULTS, MAX_BATCH_BYTES, takes_turns=True),
    Route("/v1/policies", "GET", catalogue.list_policies, _POLICIES),
    Route("/v1/rules", "GET", catalogue.list_rules, _RULES),
    Route("/v1/reasons", "GET", catalogue.list_reasons, _REASONS),
    Route("/healthz", "GET", health.alive, _ALIVE, needs_key=False, may_be_shed=False),
    Route("/readyz", "GET", health.ready, _READY, needs_key=False, may_be_shed=False),
    Route("/version", "GET", health.version, _VERSION),
    Route("/problems/{name}", "GET", health.problem_type, _PROBLEM_TYPE),
    Route(METRICS, "GET", health.metrics, _METRICS, may_be_shed=False),
    Route("/openapi.json", "GET", catalogue.openapi, needs_key=False),
    Route("/", "GET", pages.playground, needs_key=False, may_be_shed=False),
    Route("/docs", "GET", pages.docs, needs_key=False, may_be_shed=False),
    Route("/static/{name}", "GET", pages.static, needs_key=False, may_be_shed=False),
)
ROUTE_BY_PATH: Final = {route.path: route for route in ROUTES}
_BY_PREFIX: Final = [(route.path.partition("{")[0], route) for route in ROUTES if "{" in route.path]


def templated_route(path: str) -> Route | None:
    """Return the route with a variable part that a request's path matches; None if there is none."""
    return next((route for prefix, route in _BY_PREFIX if path.startswith(prefix)), None)

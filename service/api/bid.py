"""POST /bid and /v1/bid: from the bytes of a body to the bytes of its answer.

These routes are answered without FastAPI (docs/adr/0005-hot-path.md); `documentation.py` adds them to the OpenAPI
document. The functions get a complete body. They raise errors as `ProblemError`, from which `responder.py` makes
answers.
"""

from time import perf_counter
from typing import Any

import orjson

from service.api.json_limits import SINGLE_LIMITS, SMALL_BYTES, JsonLimits, excess
from service.api.state import State
from service.bidding.bidder import Decision, decide
from service.bidding.skill import decide_with_skill
from service.bidding.tableset import TableSet
from service.contract.answer import BidAnswer
from service.contract.request import BidCall, check_size, read_bid
from service.metrics import Decided
from service.problems import ProblemError, invalid_request


def bid(state: State, tables: TableSet, body: bytes) -> bytes:
    """Return the JSON answer of POST /bid and /v1/bid; raise `ProblemError` for an error answer."""
    answer, made = answer_one(state, tables, parsed(body, SINGLE_LIMITS))
    state.metrics.decided(made)
    return orjson.dumps(answer)


def answer_one(state: State, tables: TableSet, data: Any) -> tuple[BidAnswer, Decided]:
    """Return the answer to one request, ready for JSON, and what to count for it.

    Raises `ProblemError` with all faults of a request that can't be used.
    """
    call = read_bid(data, tables.games)
    started = perf_counter()
    if call.policy.level:
        decision = decide_with_skill(*call[:2], tables, call.legal, call.explain, call.seed)
    else:
        decision = decide(call.position, call.policy, tables, call.legal, call.explain)
    made = ((decision.kind, call.base, call.convention), perf_counter() - started)
    return answer_body(call, decision, tables.version), made


def answer_body(call: BidCall, decision: Decision, version: str) -> BidAnswer:
    """Return the fields of the answer in the contract's order."""
    answer: BidAnswer = {
        "bid": decision.bid,
        "kind": decision.kind,
        "policy": call.policy_text,
        "tables": version,
        "assumed": call.assumed,
    }
    if call.policy.noise_sd:
        answer["seed"] = call.seed
    if decision.explanation is not None:
        answer["explanation"] = decision.explanation  # type: ignore[typeddict-item]  # tests check its fields
    return answer


def parsed(body: bytes, limits: JsonLimits) -> Any:
    """Return the body's JSON value; raise the 422 if it exceeds ``limits``, the 400 if it is not JSON."""
    if len(body) > SMALL_BYTES:
        fault = excess(body, limits)
        if fault is not None:
            raise invalid_request([fault])
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ProblemError("invalid-json", f"{error.msg} (line {error.lineno}, column {error.colno})") from None
    if len(body) > SMALL_BYTES:
        check_size(data)
    return data

"""POST /bid and /v1/bid: from the bytes of a body to the bytes of its answer.

These routes are answered without FastAPI (docs/adr/0005-hot-path.md); `documentation.py` adds them to the OpenAPI
document. The functions get a complete body. They raise errors as `ProblemError`, from which `responder.py` makes
answers.
"""

from time import perf_counter
from typing import Any

import orjson

from service.endpoints.table_choice import set_for
from service.json_body import SINGLE_LIMITS, SMALL_BYTES, JsonLimits, excess
from service.keys import Key
from service.metrics import Decided
from service.problems import ProblemError
from service.shadow import Made
from service.state import State
from service.table_sets import OpenSet, TableSets
from spades.contract.answer_types import BidAnswer
from spades.contract.answers import bid_answer
from spades.contract.bid_request import read_bid
from spades.contract.faults import RequestError
from spades.contract.reading import check_field_count
from spades.position import NOT_EXPLAINED


def bid(state: State, sets: TableSets, body: bytes, key: Key | None) -> tuple[bytes, str]:
    """Return the JSON answer of POST /bid and /v1/bid, and the version of the tables that decided.

    Raises `ProblemError` for an error answer.
    """
    answer, made = answer_one(state, sets, parsed(body, SINGLE_LIMITS), key, body)
    state.metrics.decided(made)
    return orjson.dumps(answer), answer["tables"]


def answer_one(
    state: State, sets: TableSets, data: Any, key: Key | None, body: bytes | None = None
) -> tuple[BidAnswer, Decided]:
    """Return the answer to one request, ready for JSON, and what to count for it. ``body``: its bytes, if known.

    Raises `ProblemError` with all faults of a request that can't be used.
    """
    chosen = set_for(sets, data, key, read_bid)
    tables, version = chosen.tables, chosen.version
    call = read_bid(data, tables.games, chosen.options)
    started = perf_counter()
    answer = bid_answer(call, tables, version)
    made = ((answer["kind"], call.base, call.convention, version), perf_counter() - started)
    if sets.shadow is not None and chosen is sets.default:
        state.shadow.add(sets.shadow, Made(data, call.base, answer["bid"], _bid_of))
    if state.decision_log is not None:
        state.decision_log.decided(data, body, answer)
    return answer, made


def _bid_of(data: Any, chosen: OpenSet) -> int:
    call = read_bid(data, chosen.tables.games, chosen.options)
    return bid_answer(call._replace(explain=NOT_EXPLAINED), chosen.tables, chosen.version)["bid"]


def parsed(body: bytes, limits: JsonLimits) -> Any:
    """Return the body's JSON value; raise the 422 if it exceeds ``limits``, the 400 if it is not JSON."""
    large = len(body) > SMALL_BYTES
    if large:
        fault = excess(body, limits)
        if fault is not None:
            raise RequestError([fault])
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ProblemError("invalid-json", f"{error.msg} (line {error.lineno}, column {error.colno})") from None
    if large:
        check_field_count(data)
    return data

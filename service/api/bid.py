"""POST /bid, /v1/bid and /v1/bids: the hot path, from a body's bytes to the answer's bytes.

Not FastAPI: these run before its stack (docs/adr/0005-hot-path.md); `documentation.py`
tells the OpenAPI document about them. A body comes in whole, its answer's bytes go out; errors are raised as
`ProblemError` and become answers in `app.py`.
"""

import asyncio
import logging
from time import perf_counter
from typing import Any

import orjson

from service.api.body import NO_DEADLINE, deadline_exceeded
from service.api.faults import MAX_KEYS, faults_of
from service.api.requests import BidCall, read_fast
from service.api.state import State
from service.bidding.bidder import decide
from service.bidding.grading import decide_graded
from service.bidding.tableset import TableSet
from service.keys import Key
from service.metrics import Decided
from service.problems import Fault, ProblemError, internal_error, invalid_request, pointer, quote
from service.schemas import MAX_ITEMS

YIELD_EVERY = 32  # decisions between two turns of the event loop
_logger = logging.getLogger("service")


def bid(state: State, body: bytes, deadline: float) -> bytes:
    """POST /bid and /v1/bid: the answer's JSON; raise `ProblemError` for anything else."""
    tables = tables_of(state)
    if deadline != NO_DEADLINE and perf_counter() > deadline:
        raise too_late(state)
    answer, made = answer_one(state, tables, parsed(body))
    state.metrics.decided(made)
    if deadline != NO_DEADLINE and perf_counter() > deadline:
        raise deadline_exceeded()
    return orjson.dumps(answer)


async def bids(state: State, body: bytes, deadline: float, key: Key | None) -> bytes:
    """POST /v1/bids: an answer or a problem for each request, in order; yields every `YIELD_EVERY`.

    Few such bodies are worked at once, the others wait: so a turn of the event loop stays short for single bids.
    """
    async with state.batches:
        if perf_counter() > deadline:
            raise too_late(state)
        tables = tables_of(state)
        items = _items(parsed(body), state)
        if key is not None and key.bucket is not None:
            key.bucket.owe(len(items) - 1)  # the gate has taken one
        answers: list[bytes] = []  # bytes, not dicts: the garbage collector would walk thousands of those
        for start in range(0, len(items), YIELD_EVERY):
            if start:
                await asyncio.sleep(0)
            answers.append(_answer_some(state, tables, items[start : start + YIELD_EVERY], deadline))
        return b'{"answers":[%b]}' % b",".join(answers)


def answer_one(state: State, tables: TableSet, data: Any) -> tuple[dict[str, Any], Decided]:
    """The answer to one request, JSON-ready, and what is to be counted of it (not counted here).

    Raises `ProblemError` with all its faults when it can't be used.
    """
    call = read_fast(data, tables.games)
    if call is None:
        raise refuse(state, tables, data)
    started = perf_counter()
    if call.policy.level:
        chosen, kind, explanation = decide_graded(*call[:2], tables, call.legal, call.explain, call.seed)
    else:
        chosen, kind, explanation = decide(call.position, call.policy, tables, call.legal, call.explain)
    made = ((kind, call.base, call.convention), perf_counter() - started)
    return answer_body(call, chosen, kind, explanation, tables.version), made


def answer_body(
    call: BidCall, chosen: int, kind: str, explanation: dict[str, Any] | None, version: str
) -> dict[str, Any]:
    """The answer's fields in the contract's order."""
    answer: dict[str, Any] = {
        "bid": chosen,
        "kind": kind,
        "policy": call.policy_text,
        "tables": version,
        "assumed": call.assumed,
    }
    if call.policy.spread:
        answer["seed"] = call.seed
    if call.explain:
        answer["explanation"] = explanation
    return answer


def refuse(state: State, tables: TableSet, data: Any) -> ProblemError:
    """The 422 for a request that `read_fast` gave up on."""
    faults = faults_of(data, tables.games)
    assert faults, "read_fast gave up on a request without a fault"
    return refused(state, faults)


def refused(state: State, faults: list[Fault]) -> ProblemError:
    """The 422 with ``faults``, which are counted."""
    for fault in faults:
        state.metrics.faults[fault.code].inc()
    return invalid_request(faults)


def _answer_some(state: State, tables: TableSet, items: list[Any], deadline: float) -> bytes:
    """The answers to the items of one turn of the event loop, set apart by commas.

    They are counted and written in one go, which saves a tenth of the time.
    """
    made: list[Decided] = []
    answers: list[dict[str, Any]] = []
    for item in items:
        if deadline != NO_DEADLINE and perf_counter() > deadline:
            state.metrics.decided_many(made)
            raise deadline_exceeded()
        try:
            answer, decided = answer_one(state, tables, item)
            answers.append({"status": 200, "body": answer})
            made.append(decided)
        except ProblemError as problem:
            answers.append({"status": problem.status, "body": problem.body()})
        except Exception:  # one item's bug fails that item alone
            _logger.exception("a request of POST /v1/bids failed")
            bug = internal_error()
            answers.append({"status": bug.status, "body": bug.body()})
    state.metrics.decided_many(made)
    try:
        return orjson.dumps(answers)[1:-1]
    except orjson.JSONEncodeError:  # a bug in one answer: the others' are good
        _logger.exception("an answer of POST /v1/bids can't be written")
        return b",".join(map(_written, answers))


def _written(answer: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(answer)
    except orjson.JSONEncodeError:
        bug = internal_error()
        return orjson.dumps({"status": bug.status, "body": bug.body()})


def _items(data: Any, state: State) -> list[Any]:
    """The requests of a POST /v1/bids body."""
    if type(data) is not dict:
        raise refused(state, [Fault("", "wrong-type", 'the body is no object; expected {"requests": [...]}')])
    if len(data) > MAX_KEYS:
        raise refused(state, [Fault("", "too-many-items", f"{len(data)} fields; expected requests alone")])
    faults = [
        Fault(pointer(name), "unknown-field", f"{quote(name)} is no field; expected requests")
        for name in data
        if name != "requests"
    ]
    requests = data.get("requests")
    if "requests" not in data:
        faults.append(Fault("/requests", "missing-field", "requests is missing"))
    elif type(requests) is not list:
        faults.append(Fault("/requests", "wrong-type", "requests is no array"))
    elif len(requests) > MAX_ITEMS:
        detail = f"{len(requests)} requests; expected at most {MAX_ITEMS}"
        faults.append(Fault("/requests", "too-many-items", detail))
    if faults:
        raise refused(state, faults)
    assert type(requests) is list
    return requests


def parsed(body: bytes) -> Any:
    """The body's JSON value; raise the 400."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ProblemError("invalid-json", f"{error.msg} (line {error.lineno}, column {error.colno})") from None


def too_late(state: State) -> ProblemError:
    """The 504 of a request on which no work is done."""
    state.metrics.shed["deadline"].inc()
    return deadline_exceeded()


def tables_of(state: State) -> TableSet:
    """The mapped tables; raise the 503 while there are none."""
    if state.tables is None:
        raise ProblemError("not-ready", "the tables are not mapped yet", headers=[("retry-after", "1")])
    return state.tables

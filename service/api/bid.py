"""POST /bid, /v1/bid and /v1/bids: from the bytes of a body to the bytes of its answer.

These routes are answered without FastAPI (docs/adr/0005-hot-path.md); `documentation.py` adds them to the OpenAPI
document. The functions get a complete body. They raise errors as `ProblemError`, from which `responder.py` makes
answers.
"""

import asyncio
import logging
from time import perf_counter
from typing import Any

import orjson

from service.api.json_limits import BATCH_LIMITS, SINGLE_LIMITS, SMALL_BYTES, JsonLimits, excess
from service.api.state import State
from service.bidding.bidder import Decision, decide
from service.bidding.skill import decide_with_skill
from service.bidding.tableset import TableSet
from service.contract.answer import BidAnswer
from service.contract.request import BidCall, check_size, read_batch, read_bid
from service.keys import Key
from service.metrics import Decided
from service.problems import ProblemError, internal_error, invalid_request

SLICE_S = 0.0005  # work on one batch in one turn of the event loop
_logger = logging.getLogger("service")


def bid(state: State, tables: TableSet, body: bytes) -> bytes:
    """Return the JSON answer of POST /bid and /v1/bid; raise `ProblemError` for an error answer."""
    answer, made = answer_one(state, tables, parsed(body, SINGLE_LIMITS))
    state.metrics.decided(made)
    return orjson.dumps(answer)


async def bids(state: State, body: bytes, deadline: float, key: Key | None) -> list[bytes]:
    """Return the JSON answer of POST /v1/bids in parts: an answer or a problem for each request, in order.

    Only a few batches are in progress at once; the others wait. In one turn of the event loop, one batch is worked on
    for `SLICE_S`, or longer if one step (parsing, one decision) takes longer. Then all other requests have their turn.
    """
    async with state.batches:
        async with state.batch_turn:
            try:
                now = perf_counter()
                state.check_deadline(deadline, now, started=False)
                until = now + SLICE_S
                tables = state.tables_in_use()
                requests = read_batch(parsed(body, BATCH_LIMITS))
                if key is not None and key.bucket is not None:
                    key.bucket.debit(len(requests) - 1)  # the gate has charged one
                batch = _Batch(state, tables, requests)
                batch.work(until, deadline)
            finally:
                await asyncio.sleep(0)
        while not batch.complete:
            async with state.batch_turn:
                batch.work(perf_counter() + SLICE_S, deadline)
                await asyncio.sleep(0)
    return batch.answer()


class _Batch:
    """The requests of one body, and the answers made so far."""

    def __init__(self, state: State, tables: TableSet, requests: list[Any]) -> None:
        self._requests = iter(requests)
        self._left = len(requests)
        self._state = state
        self._tables = tables
        self._texts = [b'{"answers":[']  # bytes, because the garbage collector would visit thousands of dicts

    @property
    def complete(self) -> bool:
        """Whether every request has its answer."""
        return self._left == 0

    def work(self, until: float, deadline: float) -> None:
        """Answer requests until the time ``until``; raise the 504 after the time ``deadline`` (`perf_counter`, s).

        The answers are counted and written together, which saves a tenth of the time.
        """
        state, tables = self._state, self._tables
        made: list[Decided] = []
        answers: list[dict[str, Any]] = []
        now = perf_counter()
        try:
            for request in self._requests:
                state.check_deadline(deadline, now)
                try:
                    check_size(request)
                    answer, decided = answer_one(state, tables, request)
                    answers.append({"status": 200, "body": answer})
                    made.append(decided)
                except ProblemError as problem:
                    state.metrics.refused(problem)
                    answers.append({"status": problem.status, "body": problem.body()})
                except Exception:  # a bug in one item fails only that item
                    _logger.exception("a request of POST /v1/bids failed")
                    bug = internal_error()
                    answers.append({"status": bug.status, "body": bug.body()})
                now = perf_counter()
                if now > until:
                    break
        finally:
            state.metrics.decided_many(made)
        if answers:
            comma = b"," if len(self._texts) > 1 else b""
            self._texts.append(comma + _joined(answers))
            self._left -= len(answers)

    def answer(self) -> list[bytes]:
        """Return the parts of the JSON answer of a complete batch."""
        return [*self._texts, b"]}"]


def _joined(answers: list[dict[str, Any]]) -> bytes:
    """Return the JSON of the answers, separated by commas."""
    try:
        return orjson.dumps(answers)[1:-1]
    except orjson.JSONEncodeError:  # a bug in one answer must not lose the others
        _logger.exception("an answer of POST /v1/bids can't be written")
        return b",".join(map(_written, answers))


def _written(answer: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(answer)
    except orjson.JSONEncodeError:
        bug = internal_error()
        return orjson.dumps({"status": bug.status, "body": bug.body()})


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

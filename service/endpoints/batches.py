"""POST /v1/bids, /v1/cards, /v1/inferences and /v1/results: many requests in one body, each with its own answer.

Like POST /bid, these routes are answered without FastAPI (docs/adr/0005-hot-path.md).
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, Final, NamedTuple, Protocol

import orjson

from service.endpoints import bids, cards, inferences
from service.endpoints.bids import parsed
from service.endpoints.results import ResultsBatch
from service.json_body import BATCH_LIMITS
from service.keys import Key
from service.metrics import Decided
from service.problems import ProblemError, internal_error, problem_of
from service.state import SLICE_S, State
from service.table_sets import TableSets
from spades.contract.bid_request import BIDS
from spades.contract.card_request import CARDS
from spades.contract.faults import RequestError
from spades.contract.inference_request import INFERENCES
from spades.contract.reading import check_field_count, read_batch
from spades.contract.results import RESULTS

# Answers one request of a batch; with the answer, it returns what to count for it.
_AnswerOne = Callable[[State, TableSets, Any, Key | None], tuple[Mapping[str, Any], Decided | None]]
_logger = logging.getLogger("service")


async def batch(state: State, path: str, body: bytes, deadline: float, key: Key | None) -> list[bytes]:
    """Return the JSON answer of a route of BATCHES in parts: an answer or a problem for each request, in order.

    Only a few batches are in progress at once; the others wait. In one turn of the event loop, one batch is worked on
    for `SLICE_S`, or longer if one step (parsing, one decision) takes longer. Then all other requests have their turn.
    """
    async with state.batches:
        async with state.batch_turn:
            try:
                now = perf_counter()
                state.check_deadline(deadline, now, started=False)
                until = now + SLICE_S
                sets = state.tables_in_use()
                requests = BATCHES[path].requests(parsed(body, BATCH_LIMITS))
                if key is not None and key.bucket is not None:
                    key.bucket.debit(len(requests) - 1)  # the gate has charged one
                work = BATCHES[path].work(state, sets, requests, key)
                complete = work.go_on(until, deadline)
            finally:
                await asyncio.sleep(0)
        while not complete:
            async with state.batch_turn:
                complete = work.go_on(perf_counter() + SLICE_S, deadline)
                await asyncio.sleep(0)
    return work.answer()


class _Work(Protocol):
    """The work on one body."""

    def go_on(self, until: float, deadline: float) -> bool:
        """Work until the time ``until``; return whether the batch is complete.

        Raises the 504 after the time ``deadline``. Both are `perf_counter` times, s.
        """

    def answer(self) -> list[bytes]:
        """Return the parts of the JSON answer of a complete batch."""


class _Batch:
    """The requests of one body, and the answers made so far."""

    def __init__(
        self, answer_one: _AnswerOne, state: State, sets: TableSets, requests: list[Any], key: Key | None
    ) -> None:
        self._answer_one = answer_one
        self._requests = iter(requests)
        self._left = len(requests)
        self._state = state
        self._sets = sets
        self._key = key
        self._texts = [b'{"answers":[']  # bytes, because the garbage collector would visit thousands of dicts

    def go_on(self, until: float, deadline: float) -> bool:
        """Answer requests until the time ``until``; see `_Work`.

        The answers are counted and written together, which saves a tenth of the time.
        """
        state, sets, answer_one = self._state, self._sets, self._answer_one
        made: list[Decided] = []
        answers: list[dict[str, Any]] = []
        now = perf_counter()
        try:
            for request in self._requests:
                state.check_deadline(deadline, now)
                try:
                    check_field_count(request)
                    answer, decided = answer_one(state, sets, request, self._key)
                    answers.append({"status": 200, "body": answer})
                    if decided is not None:
                        made.append(decided)
                except (ProblemError, RequestError) as error:
                    problem = problem_of(error)
                    state.metrics.refused(problem)
                    answers.append({"status": problem.status, "body": problem.body()})
                except Exception:  # a bug in one item fails only that item
                    _logger.exception("a request of a batch failed")
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
        return self._left == 0

    def answer(self) -> list[bytes]:
        """Return the parts of the JSON answer of a complete batch."""
        return [*self._texts, b"]}"]


def _joined(answers: list[dict[str, Any]]) -> bytes:
    """Return the JSON of the answers, separated by commas."""
    try:
        return orjson.dumps(answers)[1:-1]
    except orjson.JSONEncodeError:  # a bug in one answer must not lose the others
        _logger.exception("an answer of a batch can't be written")
        return b",".join(map(_written, answers))


def _written(answer: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(answer)
    except orjson.JSONEncodeError:
        bug = internal_error()
        return orjson.dumps({"status": bug.status, "body": bug.body()})


class _Route(NamedTuple):
    """A route of batches."""

    requests: Callable[[Any], list[Any]]  # of a body; raises the 422
    work: Callable[[State, TableSets, list[Any], Key | None], _Work]


BATCHES: Final = {
    "/v1/bids": _Route(lambda data: read_batch(data, BIDS), partial(_Batch, bids.answer_one)),
    "/v1/cards": _Route(lambda data: read_batch(data, CARDS), partial(_Batch, cards.answer_one)),
    "/v1/inferences": _Route(lambda data: read_batch(data, INFERENCES), partial(_Batch, inferences.answer_one)),
    "/v1/results": _Route(
        lambda data: read_batch(data, RESULTS, "results"),
        lambda state, sets, results, _: ResultsBatch(state, sets, results),
    ),
}

"""POST /v1/bids, /v1/cards and /v1/inferences: many requests in one body, each with its own answer."""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, Final, Literal, NamedTuple, Protocol

import orjson
from pydantic import with_config
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import TypedDict

from service.endpoints import bids, cards, inferences
from service.fair_turns import SLICE_S
from service.keys import Key
from service.problems import Problem, ProblemError, internal_error, problem_of
from service.requests import MAX_BATCH_MARKS, AppState, app_state, json_response, read_json, request_state
from service.table_sets import TableSets
from spades.contract.answer_types import ANSWER_CONFIG, BidAnswer, CardAnswer, InferenceItemAnswer
from spades.contract.bid_request import read_bids
from spades.contract.card_request import read_cards
from spades.contract.faults import RequestError
from spades.contract.fields import check_field_count
from spades.contract.inference_request import read_inferences


@with_config(ANSWER_CONFIG)
class AnsweredItem(TypedDict):
    """The answer to one request of a batch."""

    status: Literal[200]
    body: BidAnswer


@with_config(ANSWER_CONFIG)
class RefusedItem(TypedDict):
    """The problem of one request of a batch."""

    status: Literal[422, 500, 503]
    body: Problem


# A client tells the two apart by `status`. The OpenAPI document declares no `discriminator`: a discriminator has only
# string values, so openapi-typescript would turn the number into a string.
BidsItem = AnsweredItem | RefusedItem


@with_config(ANSWER_CONFIG)
class BidsAnswer(TypedDict):
    """The answers, in the order of the requests."""

    answers: list[BidsItem]


@with_config(ANSWER_CONFIG)
class AnsweredCard(TypedDict):
    """The answer to one request of a batch."""

    status: Literal[200]
    body: CardAnswer


CardsItem = AnsweredCard | RefusedItem


@with_config(ANSWER_CONFIG)
class CardsAnswer(TypedDict):
    """The answers, in the order of the requests."""

    answers: list[CardsItem]


@with_config(ANSWER_CONFIG)
class AnsweredInference(TypedDict):
    """The answer to one request of a batch."""

    status: Literal[200]
    body: InferenceItemAnswer


InferencesItem = AnsweredInference | RefusedItem


@with_config(ANSWER_CONFIG)
class InferencesAnswer(TypedDict):
    """The answers, in the order of the requests."""

    answers: list[InferencesItem]


_AnswerOne = Callable[[AppState, TableSets, Any, Key | None], Mapping[str, Any]]  # answers one request of a batch
_logger = logging.getLogger("service")


async def bids_batch(request: Request) -> Response:
    """Answer with many bids."""
    return await answer_batch(request, BIDS_BATCH)


async def cards_batch(request: Request) -> Response:
    """Answer with many cards, without searches."""
    return await answer_batch(request, CARDS_BATCH)


async def inferences_batch(request: Request) -> Response:
    """Answer with many inferences, without deals."""
    return await answer_batch(request, INFERENCES_BATCH)


class Work(Protocol):
    """The work on one body."""

    def go_on(self, until: float, deadline: float) -> bool:
        """Work until the time ``until``; return whether the batch is complete.

        Raises the 504 after the time ``deadline``. Both are `perf_counter` times, s.
        """

    def answer(self) -> bytes:
        """Return the JSON answer of a complete batch."""


class _Answers:
    """The requests of one body, and the answers made so far."""

    def __init__(
        self, answer_one: _AnswerOne, state: AppState, sets: TableSets, requests: list[Any], key: Key | None
    ) -> None:
        self._answer_one = answer_one
        self._requests = iter(requests)
        self._left = len(requests)
        self._state = state
        self._sets = sets
        self._key = key
        self._texts = [b'{"answers":[']  # bytes, because the garbage collector would visit thousands of dicts

    def go_on(self, until: float, deadline: float) -> bool:
        """Answer requests until the time ``until``; see `Work`.

        The answers are written together, which saves a tenth of the time.
        """
        state, sets, answer_one = self._state, self._sets, self._answer_one
        answers: list[dict[str, Any]] = []
        now = perf_counter()
        for request in self._requests:
            state.check_deadline(deadline, now)
            try:
                check_field_count(request)
                answers.append({"status": 200, "body": answer_one(state, sets, request, self._key)})
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
        if answers:
            comma = b"," if len(self._texts) > 1 else b""
            self._texts.append(comma + _joined(answers))
            self._left -= len(answers)
        return self._left == 0

    def answer(self) -> bytes:
        """Return the JSON answer of a complete batch."""
        return b"".join((*self._texts, b"]}"))


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


class Batch(NamedTuple):
    """How the requests of one body are read and answered."""

    requests: Callable[[Any], list[Any]]  # of a body; raises the 422
    work: Callable[[AppState, TableSets, list[Any], Key | None], Work]


BIDS_BATCH: Final = Batch(read_bids, partial(_Answers, bids.answer_bid))
CARDS_BATCH: Final = Batch(read_cards, partial(_Answers, cards.answer_card))
INFERENCES_BATCH: Final = Batch(read_inferences, partial(_Answers, inferences.answer_inference))


async def answer_batch(request: Request, batch: Batch) -> Response:
    """Answer all requests of a body."""
    state, of_request = app_state(request), request_state(request)
    body = await request.body()
    deadline = of_request.get("deadline", math.inf)
    return json_response(await answer_in_slices(state, batch, body, deadline, of_request.get("key")))


async def answer_in_slices(state: AppState, batch: Batch, body: bytes, deadline: float, key: Key | None) -> bytes:
    """Return the JSON answer of a batch: an answer or a problem for each request, in order.

    Only a few batches are in progress at once; the others wait. Each is worked on in slices (`service.fair_turns`).
    ``deadline``: a `perf_counter` time, s; inf: none.
    """
    turns = state.turns
    async with turns.batches:
        async with turns.slice:
            try:
                now = perf_counter()
                state.check_deadline(deadline, now, started=False)
                until = now + SLICE_S
                sets = state.tables_in_use()
                requests = batch.requests(read_json(body, MAX_BATCH_MARKS))
                if key is not None and key.bucket is not None:
                    key.bucket.debit(len(requests) - 1)  # `ApiKeyMiddleware` has charged one
                work = batch.work(state, sets, requests, key)
                complete = work.go_on(until, deadline)
            finally:
                await asyncio.sleep(0)
        while not complete:
            async with turns.slice:
                complete = work.go_on(perf_counter() + SLICE_S, deadline)
                await asyncio.sleep(0)
    return work.answer()

"""POST /v1/results: count what became of rounds whose bids the service gave. Nothing is stored.

It is answered like the batches of `batches.py`. The outcomes are counted together when all results have been read, so
that a batch that fails as a whole has counted nothing and can be sent again.
"""

import logging
from time import perf_counter
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import Field, with_config
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import TypedDict

from service.endpoints.batches import Batch, answer_batch
from service.keys import Key
from service.metrics import ResultCounts
from service.problems import Problem, ProblemError, internal_error, problem_of
from service.requests import AppState
from service.table_sets import TableSets
from spades.contract.answer_types import ANSWER_CONFIG
from spades.contract.faults import RequestError
from spades.contract.fields import check_field_count
from spades.contract.results import OUTCOMES, ResultCall, read_result, read_results


@with_config(ANSWER_CONFIG)
class RefusedResult(TypedDict):
    """A result that was not counted."""

    index: Annotated[int, Field(ge=0, description="Its place among the results.")]
    status: Literal[422, 500]
    body: Problem


@with_config(ANSWER_CONFIG)
class ResultsAnswer(TypedDict):
    """How many results were accepted, and what is wrong with the others."""

    accepted: int
    refused: list[RefusedResult]


_logger = logging.getLogger("service")


async def results(request: Request) -> Response:
    """Answer how many results were counted, and what is wrong with the others."""
    return await answer_batch(request, RESULTS_BATCH)


class _Results:
    """The results of one body."""

    def __init__(self, state: AppState, sets: TableSets, results: list[Any], _: Key | None) -> None:
        self._results = enumerate(results)
        self._left = len(results)
        self._state = state
        self._counts = ResultCounts(state.metrics, sets.by_version)
        self._accepted = 0
        self._refused: list[dict[str, Any]] = []

    def go_on(self, until: float, deadline: float) -> bool:
        """Read results until the time ``until``; return whether all have been read.

        Raises the 504 after the time ``deadline``. Both are `perf_counter` times, s.
        """
        state = self._state
        now = perf_counter()
        for index, item in self._results:
            state.check_deadline(deadline, now)
            self._left -= 1
            try:
                check_field_count(item)
                self._add(read_result(item))
                self._accepted += 1
            except RequestError as error:
                problem = problem_of(error)
                state.metrics.refused(problem)
                self._refuse(index, problem)
            except Exception:  # a bug in one item fails only that item
                _logger.exception("a result of POST /v1/results failed")
                self._refuse(index, internal_error())
            now = perf_counter()
            if now > until:
                break
        return self._left == 0

    def answer(self) -> bytes:
        """Count the outcomes of a complete batch; return the JSON answer."""
        self._counts.count()
        return orjson.dumps({"accepted": self._accepted, "refused": self._refused})

    def _add(self, call: ResultCall) -> None:
        fields = call.fields
        for kind, (stated, happened) in OUTCOMES.items():
            probability = fields.get(stated)
            if probability is not None:
                self._counts.add(kind, call.base, fields["tables"], probability, fields[happened])
        if self._state.logs.decisions is not None:
            self._state.logs.decisions.reported(fields)

    def _refuse(self, index: int, problem: ProblemError) -> None:
        self._refused.append({"index": index, "status": problem.status, "body": problem.body()})


RESULTS_BATCH: Final = Batch(read_results, _Results)

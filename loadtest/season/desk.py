"""The season's desk at the service: it asks through the Python client, again after an error, and in batches.

A game asks for one decision at a time. With ``batch``, the desk puts requests of several games that come together into
one `POST /v1/bids` or `POST /v1/cards`.
"""

import asyncio
from collections.abc import Mapping
from time import monotonic, time
from typing import Any, NamedTuple

from spades_client import AsyncClient, InvalidRequest, NoAnswer, ProblemError, SpadesError, Unavailable

from loadtest.season.ledger import Ledger, can_act_on

USUAL_S = 15.0  # the client's deadline of a call
REVIEW_S = 60.0
PATIENCE_S = 300.0  # how long a request is repeated: a restart takes some seconds
PAUSE_S = 0.25
RETRY_AFTER_S = 1.0  # of an item of a batch, which has no headers: what `Retry-After` says elsewhere
GATHER_S = 0.004  # how long a batch waits for requests of other games
MOST_TOGETHER = {"bids": 512, "cards": 256}


class Answer(NamedTuple):
    """An answer, and when its request was sent and answered, as `time.time`."""

    body: dict[str, Any]
    asked_at: float
    answered_at: float


class GaveUp(RuntimeError):
    """A request had no answer for `PATIENCE_S`, or its error is one that no repetition mends."""


class Desk:
    """Ask the service; count the decisions and errors in the ledger."""

    def __init__(self, client: AsyncClient, ledger: Ledger) -> None:
        self._client = client
        self._ledger = ledger
        self._batches = {method: _Batch(self, method) for method in MOST_TOGETHER}

    async def ask(
        self,
        method: str,
        request: Mapping[str, Any],
        *,
        batch: bool = False,
        deadline_s: float | None = None,
        repeat: bool = True,
    ) -> Answer:
        """Return the answer of a method of the client.

        ``deadline_s``: the deadline of the first attempt. ``repeat``: ask again after a temporary error. Raises
        `GaveUp`.
        """
        give_up = monotonic() + PATIENCE_S
        timeout_s = deadline_s or (REVIEW_S if method == "review" else USUAL_S)
        while True:
            asked_at = time()
            try:
                if batch:
                    body = await self._batches[f"{method}s"].add(dict(request))
                else:
                    body = await getattr(self._client, method)(request, timeout_s=timeout_s)
                return Answer(body, asked_at, time())
            except SpadesError as error:
                late = deadline_s is not None and (isinstance(error, NoAnswer) or getattr(error, "status", 0) == 504)
                if isinstance(error, NoAnswer) and error.__cause__ is None:
                    self._ledger.error(f"{method}: an answer that cannot be used", False, error)
                if late:
                    self._ledger.decided(f"late {method}")
                elif isinstance(error.__cause__, TimeoutError):
                    self._ledger.no_answer(method, error)
                if not error.temporary or not repeat or monotonic() > give_up:
                    raise GaveUp(f"{method}: {error}; the request: {request}") from error
                wait_s = (error.retry_after_s if isinstance(error, ProblemError) else None) or PAUSE_S
            await asyncio.sleep(0 if late else wait_s)
            deadline_s, timeout_s = None, max(timeout_s, USUAL_S)

    async def close(self) -> None:
        """Wait for the batches that are under way, whose games may have been given up."""
        for batch in self._batches.values():
            await asyncio.gather(*batch.tasks, return_exceptions=True)

    def given_up(self, method: str) -> None:
        """Note an answer of an item of a batch that came after its game had given up."""
        self._ledger.given_up(f"/v1/{method}")

    async def refused(self, method: str, request: Mapping[str, Any], pointer: str) -> str:
        """Send a request that is wrong on purpose; return what is wrong with the answer, or an empty text."""
        try:
            answer = await getattr(self._client, method)(request, timeout_s=USUAL_S)
        except InvalidRequest as error:
            self._ledger.decided("refused on purpose")
            if any(fault["pointer"].startswith(pointer) for fault in error.faults):
                return ""
            return f"{method}: the faults are {error.faults}; accepted: one at {pointer}"
        except SpadesError:
            return ""  # during a restart; the ledger has it
        return f"{method}: the answer is {answer!r:.300}; accepted: a fault at {pointer}"

    async def batch_answers(self, method: str, requests: list[dict[str, Any]]) -> list[Any]:
        """Return the items of a batch's answer. Raises `SpadesError`."""
        answer = await getattr(self._client, method)({"requests": requests}, timeout_s=USUAL_S)
        items: list[Any] = answer["answers"]
        if len(items) != len(requests):
            raise NoAnswer(f"{len(items)} answers to {len(requests)} requests")
        for item in items:
            if item["status"] != 200:
                self._note_item(method, item)
        return items

    def _note_item(self, method: str, item: dict[str, Any]) -> None:
        status, problem = item["status"], item["body"]
        if status == 422:
            self._ledger.refused(problem.get("errors", []))
        told = can_act_on(status, problem, f"{RETRY_AFTER_S:g}")
        self._ledger.error(f"/v1/{method}, an item: {status} {problem.get('type')}", told, problem)


class _Batch:
    """Requests that wait for one `POST /v1/bids` or `POST /v1/cards`."""

    def __init__(self, desk: Desk, method: str) -> None:
        self._desk = desk
        self._method = method
        self._waiting: list[tuple[dict[str, Any], asyncio.Future[dict[str, Any]]]] = []
        self.tasks: set[asyncio.Task[None]] = set()

    async def add(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one request. Raises `SpadesError`."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if len(self._waiting) == 1:
            self._start(GATHER_S)
        elif len(self._waiting) == MOST_TOGETHER[self._method]:
            self._start(0.0)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._desk.given_up(self._method)
            raise

    def _start(self, wait_s: float) -> None:
        task = asyncio.create_task(self._send(wait_s))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _send(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        sent, self._waiting = self._waiting, []
        if not sent:
            return
        try:
            items = await self._desk.batch_answers(self._method, [request for request, _ in sent])
        except SpadesError as error:
            for _, future in sent:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), item in zip(sent, items, strict=True):
            if future.done():
                if item["status"] == 200:
                    self._desk.given_up(self._method)
                continue
            if item["status"] == 200:
                future.set_result(item["body"])
            elif item["status"] == 422:
                future.set_exception(InvalidRequest(422, item["body"]))
            else:
                future.set_exception(Unavailable(item["status"], item["body"], RETRY_AFTER_S))

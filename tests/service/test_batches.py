"""POST /v1/bids shares the event loop: each turn works on one batch, for a limited time."""

import asyncio
import math
from contextlib import suppress

import orjson
import pytest

from service import requests
from service.endpoints import batches
from service.fair_turns import SLICE_S
from service.problems import ProblemError
from spades.bidder import decide
from spades.contract import bid_request
from spades.contract.faults import RequestError
from tests.one_set import served

_WORKED = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}


class Work:
    """A clock that each decision advances by `decision_s`. It records the work in each turn of the event loop."""

    def __init__(self, monkeypatch, decision_s: float) -> None:
        self.now = 0.0
        self.decision_s = decision_s
        self.turns: list[float] = []  # seconds of work in each
        self.parsed: list[int] = []  # bodies parsed in each
        self._loads = orjson.loads
        self._bodies = 0
        monkeypatch.setattr(batches, "perf_counter", lambda: self.now)
        monkeypatch.setattr(bid_request, "decide", self._decide)
        monkeypatch.setattr(requests, "orjson", self)
        monkeypatch.setattr(batches, "orjson", self)

    dumps = staticmethod(orjson.dumps)
    JSONDecodeError, JSONEncodeError = orjson.JSONDecodeError, orjson.JSONEncodeError

    def loads(self, body: bytes):
        self._bodies += 1
        return self._loads(body)

    def _decide(self, *position):
        self.now += self.decision_s
        return decide(*position)

    async def watch(self) -> None:
        """Record each turn of the event loop, until cancelled."""
        while True:
            worked, bodies = self.now, self._bodies
            await asyncio.sleep(0)
            self.turns.append(self.now - worked)
            self.parsed.append(self._bodies - bodies)


def _run(state, work, *bodies: bytes) -> list[bytes | Exception]:
    async def main() -> list[bytes | Exception]:
        watcher = asyncio.create_task(work.watch())
        tasks = [
            asyncio.create_task(batches.answer_in_slices(state, batches.BIDS_BATCH, body, math.inf, None))
            for body in bodies
        ]
        found: list[bytes | Exception] = []
        for task in tasks:
            try:
                found.append(await task)
            except (ProblemError, RequestError) as problem:
                found.append(problem)
        watcher.cancel()
        with suppress(asyncio.CancelledError):
            await watcher
        return found

    return asyncio.run(main())


@pytest.fixture
def state():
    service = served()
    return service.state


def _batch(count: int) -> bytes:
    return orjson.dumps({"requests": [_WORKED] * count})


@pytest.mark.parametrize("slices", [0.1, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("batches", [1, 2, 5])
def test_a_turn_holds_one_slice_of_work(monkeypatch, state, slices, batches):
    """A decision takes ``slices`` slices; a decision that exceeds the slice is finished."""
    work = Work(monkeypatch, slices * SLICE_S)
    answers = _run(state, work, *([_batch(20)] * batches))
    assert [len(orjson.loads(answer)["answers"]) for answer in answers] == [20] * batches  # type: ignore[arg-type]
    full = max(SLICE_S, work.decision_s)
    assert full - 1e-9 < max(work.turns) < SLICE_S + work.decision_s + 1e-9
    assert sum(work.turns) == pytest.approx(20 * batches * work.decision_s)


def test_small_batches_share_turns_no_more_than_large_ones(monkeypatch, state):
    work = Work(monkeypatch, SLICE_S / 4)
    answers = _run(state, work, *([_batch(1)] * 30))
    assert len(answers) == 30
    assert max(work.turns) == pytest.approx(work.decision_s)
    assert max(work.parsed) == 1


def test_refused_batches_share_turns_no_more_than_good_ones(monkeypatch, state):
    work = Work(monkeypatch, SLICE_S)
    found = _run(state, work, *([b"[]", b"{", _batch(2)] * 6))
    assert [type(one) for one in found] == [RequestError, ProblemError, bytes] * 6
    assert max(work.parsed) == 1


def test_a_deadline_ends_a_batch_between_two_slices(monkeypatch, state):
    work = Work(monkeypatch, SLICE_S)

    async def main() -> None:
        with pytest.raises(ProblemError, match="deadline-exceeded"):
            await batches.answer_in_slices(state, batches.BIDS_BATCH, _batch(100), 10.5 * SLICE_S, None)

    asyncio.run(main())
    assert work.now == pytest.approx(11 * SLICE_S)
    assert b"spades_bids_total{" in state.metrics.text()
    # the decisions made were counted
    assert sum(float(line.split()[-1]) for line in _lines(state, "spades_bids_total{")) == 11


def test_the_answer_is_one_array(monkeypatch, state):
    """The answer is one array for every number of slices, for an empty batch and for wrong requests."""

    def answer(body: bytes) -> bytes:
        return asyncio.run(batches.answer_in_slices(state, batches.BIDS_BATCH, body, math.inf, None))

    whole = answer(_batch(7))
    Work(monkeypatch, SLICE_S)
    assert answer(_batch(7)) == whole
    assert answer(_batch(0)) == b'{"answers":[]}'
    wrong = orjson.loads(answer(b'{"requests":[{},1]}'))
    assert [answer["status"] for answer in wrong["answers"]] == [422, 422]


def _lines(state, start: str) -> list[str]:
    return [line for line in state.metrics.text().decode().splitlines() if line.startswith(start)]

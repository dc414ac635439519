"""Print the time of each stage of one bid, in-process, as a JSON object of microseconds.

`make bench` runs it (`python -m tests.bench.stages`); it tests nothing. Each figure is the best of several runs. The
stages are timed one by one on the contract's example request. `whole` is the complete request without the socket.
"""

import asyncio
import json
import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

import orjson
from starlette.types import ASGIApp

from service.app import create_app
from service.endpoints.batches import BIDS_BATCH, answer_in_slices
from service.metrics import Decided
from service.requests import AppState
from service.settings import Settings
from service.table_sets import open_sets
from spades.bidder import decide
from spades.contract.bid_request import bid_answer, read_bid
from spades.contract.examples import REQUEST

_RUNS = 300
_CALLS = 100  # short runs, so that some of them have the core alone even on a busy machine
_BATCH = 64


def best_us(call: Callable[[], object], calls: int = _CALLS) -> float:
    """Return the microseconds per call: the mean of the fastest run."""
    best = float("inf")
    for _ in range(_RUNS):
        started = perf_counter()
        for _ in range(calls):
            call()
        best = min(best, perf_counter() - started)
    return best / calls * 1e6


def stages() -> dict[str, float]:
    """Return the microseconds by stage."""
    settings = Settings(access_log=0.0)
    app, sets = create_app(settings), open_sets(settings)
    state: AppState = app.state  # type: ignore[assignment]
    tables, metrics = sets.default.tables, state.metrics
    app.state.serve(sets)
    body, quiet = orjson.dumps(REQUEST), orjson.dumps(REQUEST | {"explain": False})
    data = orjson.loads(body)
    call = read_bid(data)
    position, policy = call.position, call.policy
    answer = bid_answer(call, tables, tables.version)

    def count() -> None:
        metrics.decided(Decided("regular", "bis", "none", tables.version, 1e-5))
        metrics.answered("/bid", 200, 1e-4)

    decided = best_us(lambda: decide(position, policy, tables, None, False))
    found = {
        "parse": best_us(lambda: orjson.loads(body)),
        "validate": best_us(lambda: read_bid(data)),
        "decide": decided,
        "explain": best_us(lambda: decide(position, policy, tables)) - decided,
        "serialise": best_us(lambda: orjson.dumps(answer)),
        "metrics": best_us(count),
    }
    many = orjson.dumps({"requests": [REQUEST] * _BATCH})
    with asyncio.Runner() as runner:

        def whole_us(content: bytes) -> float:
            return best_us(lambda: runner.run(_answer(app, content)), calls=1) / _CALLS

        whole = whole_us(body)
        found["app, middleware, the rest"] = whole - sum(found.values())
        found["whole"] = whole
        found["whole, without explanation"] = whole_us(quiet)
        batch = best_us(lambda: runner.run(answer_in_slices(state, BIDS_BATCH, many, math.inf, None)), calls=1)
        found["whole, one of /v1/bids"] = batch / _BATCH
    return found


async def _answer(app: ASGIApp, body: bytes) -> None:
    """Answer `_CALLS` bids, as a server would ask for them."""
    headers = [(b"host", b"127.0.0.1:8080"), (b"content-length", b"%d" % len(body))]
    scope = {"type": "http", "method": "POST", "path": "/bid", "headers": headers, "root_path": ""}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        pass

    for _ in range(_CALLS):
        await app({**scope, "state": {}}, receive, send)


if __name__ == "__main__":
    print(json.dumps(stages()))

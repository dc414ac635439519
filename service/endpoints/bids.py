"""POST /bid, /v1/bid and /v1/bid/blind: a bid for a hand, and whether to bid blind before the hand is seen.

`bid` is the route's function, and `DirectBidsMiddleware` answers the same requests without the router.
"""

import math
from collections.abc import Callable, Collection
from functools import partial
from time import perf_counter
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from service.keys import Key
from service.metrics import Decided
from service.problems import REFUSALS, refused
from service.requests import (
    AppState,
    RequestState,
    app_state,
    in_turn,
    json_response,
    read_json,
    request_state,
    set_for,
)
from service.table_sets import TableSets
from spades.bidder import HandWithNumbers
from spades.contract.answer_types import BidAnswer
from spades.contract.bid_request import (
    bid_answer,
    blind_answer,
    decide_blind_nil,
    decider_of_blind,
    read_bid,
    read_blind,
    steps_to_number,
    with_number,
)

_JSON_TYPE = (b"content-type", b"application/json")


async def bid(request: Request) -> Response:
    """Answer with one bid."""
    return json_response(bid_json(app_state(request), request_state(request), await request.body()))


def bid_json(state: AppState, of_request: RequestState, body: bytes) -> bytes:
    """Return the JSON of the bid that the request's ``body`` wants; raise one of `problems.REFUSALS`."""
    sets = state.tables_in_use()
    answer = answer_bid(state, sets, read_json(body), of_request.get("key"))
    of_request["tables"] = answer["tables"]
    return orjson.dumps(answer)


class DirectBidsMiddleware:
    """The innermost middleware: answer POST on the paths of `bid` without the router, with the same function.

    It answers a refused request as the app's exception handlers do (docs/adr/0073-one-fastapi-app.md).
    """

    def __init__(self, app: ASGIApp, paths: Collection[str]) -> None:
        self.app = app
        self._paths = frozenset(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] not in self._paths or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        try:
            content = bid_json(scope["app"].state, scope["state"], await _body(receive))
        except REFUSALS as error:
            await (await refused(Request(scope), error))(scope, receive, send)
            return
        headers = [(b"content-length", b"%d" % len(content)), _JSON_TYPE]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _timed(step: Callable[[], HandWithNumbers]) -> tuple[HandWithNumbers, float]:
    """Return the result of a step, and the seconds it took."""
    started = perf_counter()
    return step(), perf_counter() - started


async def blind(request: Request) -> Response:
    """Answer whether to bid blind nil or a number."""
    state, of_request = app_state(request), request_state(request)
    body = await request.body()
    sets = state.tables_in_use()
    data = read_json(body)
    chosen = set_for(sets, data, of_request.get("key"), read_blind)
    tables, version = chosen.tables, chosen.version
    call = read_blind(data, tables.games, chosen.options)
    started = perf_counter()
    decision = decide_blind_nil(call, tables)
    seconds = perf_counter() - started
    hands, deadline = [], of_request.get("deadline", math.inf)
    for step in steps_to_number(call, decision, tables):
        hand, step_seconds = await in_turn(state, deadline, partial(_timed, step))
        hands.append(hand)
        seconds += step_seconds
    decision = with_number(call, decision, hands)
    bidder = decider_of_blind(call, decision)
    if decision.blind_nil or decision.number is not None:
        kind = "blind_nil" if decision.blind_nil else "regular"
        state.metrics.decided(Decided(kind, bidder.base, bidder.convention, version, seconds))
    else:
        # the bid follows later
        state.metrics.histogram("spades_decision_duration_seconds", bidder.base).observe(seconds)
    of_request["tables"] = version
    return json_response(orjson.dumps(blind_answer(call, decision, version)))


def answer_bid(state: AppState, sets: TableSets, data: Any, key: Key | None) -> BidAnswer:
    """Return the answer to one request, ready for JSON, and count it.

    Raises `ProblemError` with all faults of a request that can't be used.
    """
    chosen = set_for(sets, data, key, read_bid)
    tables, version = chosen.tables, chosen.version
    call = read_bid(data, tables.games, chosen.options)
    started = perf_counter()
    answer = bid_answer(call, tables, version)
    seconds = perf_counter() - started
    state.metrics.decided(Decided(answer["kind"], call.base, call.convention, version, seconds))
    if state.logs.decisions is not None:
        state.logs.decisions.decided(data, answer)
    return answer

"""POST /v1/review: what each bid, pass and card of a finished round cost its player.

Bids and passes are judged in slices on the event loop, and each card by a search of its own, so that the requests of
others are answered between them.
"""

import math
from functools import partial

import orjson
from starlette.requests import Request
from starlette.responses import Response

from service.endpoints.cards import searched
from service.keys import Key
from service.requests import AppState, app_state, in_turn, json_response, read_json, request_state, set_for
from service.searchers import opening
from service.table_sets import OpenSet
from spades.contract.answer_types import NotReviewed
from spades.contract.review_request import ReviewCall, read_review, review_answer
from spades.round_review import (
    ReviewedChoice,
    ValuedCard,
    card_turns,
    review_bids_and_passes,
    review_card,
    valuing_request,
)
from spades.tableset import TableSet


async def review(request: Request) -> Response:
    """Answer with what each decision of a finished round cost."""
    state, of_request = app_state(request), request_state(request)
    body = await request.body()
    deadline, key = of_request.get("deadline", math.inf), of_request.get("key")
    call, chosen = await in_turn(state, deadline, partial(_read, state, body, key))
    of_request["tables"] = chosen.version
    async with state.turns.reviews:
        choices = await _judged(state, call, chosen.tables, deadline)
    why: NotReviewed | None = None if state.searchers.started else "no-processes"
    return json_response(orjson.dumps(review_answer(call, choices, why, chosen.version)))


def _read(state: AppState, body: bytes, key: Key | None) -> tuple[ReviewCall, OpenSet]:
    data = read_json(body)
    chosen = set_for(state.tables_in_use(), data, key, read_review)
    return read_review(data, chosen.tables.games, chosen.options), chosen


async def _judged(state: AppState, call: ReviewCall, tables: TableSet, deadline: float) -> list[ReviewedChoice]:
    """Return the review of all bids and passes and, if there are processes that search, of all cards."""
    played, choices = call.played, []
    steps = review_bids_and_passes(played, call.judge, tables)
    while (choice := await in_turn(state, deadline, partial(next, steps, None))) is not None:
        choices.append(choice)
    if state.searchers.started:
        for number, turn in enumerate(card_turns(played)):
            # Only the first card is refused if all processes are busy: a review that has begun goes on.
            request = {**opening(tables), **valuing_request(turn, played.rules, call.bidder, call.deals)}
            answer = await searched(state, request, deadline, patient=number > 0)
            valued = [ValuedCard(*row) for row in answer["valued"]]
            choices.append(await in_turn(state, deadline, partial(review_card, turn, valued, played.rules)))
    return choices

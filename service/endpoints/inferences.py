"""POST /v1/inference: who may hold each card that the viewer cannot see, and random deals of these cards.

An answer with deals takes longer than other answers. It is made in slices, and other requests have their turn between
them.
"""

import asyncio
import math
from collections.abc import Iterator
from time import perf_counter
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response

from service.fair_turns import SLICE_S
from service.keys import Key
from service.requests import AppState, app_state, json_response, read_json, request_state, set_for
from service.table_sets import TableSets
from spades.cards import CARD_NAMES
from spades.contract.answer_types import InferenceItemAnswer
from spades.contract.inference_request import (
    InferenceCall,
    inferred_from,
    probabilities_answer,
    read_inference,
    read_inference_item,
)
from spades.inference import Readers, Seats, Unseen, draw, sampler_of
from spades.legal import deck_number

DEALS_AT_ONCE: Final = 200  # deals drawn in one step; the result does not depend on it
_NAME_BYTES = 5  # of a card's name in JSON: two quotes, two characters, and a comma

# By deck and card: the name in JSON with a comma, as bytes.
_NAMES: Final = np.zeros((len(CARD_NAMES), 64, _NAME_BYTES), np.uint8)
for _deck, _names in enumerate(CARD_NAMES):
    for _card, _name in _names.items():
        _NAMES[_deck, _card] = list(f'"{_name}",'.encode())


async def inference(request: Request) -> Response:
    """Answer who may hold each unseen card, with random deals if the request wants some."""
    state, of_request = app_state(request), request_state(request)
    body = await request.body()
    deadline = of_request.get("deadline", math.inf)
    content, of_request["tables"] = await answer_in_slices(state, body, deadline, of_request.get("key"))
    return json_response(content)


async def answer_in_slices(state: AppState, body: bytes, deadline: float, key: Key | None) -> tuple[bytes, str]:
    """Return the JSON answer, and the version of the tables.

    A request without deals is read and answered in one step. Drawing deals pauses after each slice
    (`service.fair_turns`). Deals are drawn for only a few answers at once; the others wait. ``deadline``: a
    `perf_counter` time, s; inf: none.
    """
    turns = state.turns
    async with turns.slice:
        try:
            sets = state.tables_in_use()
            state.check_deadline(deadline, perf_counter(), started=False)
            data = read_json(body)
            chosen = set_for(sets, data, key, lambda data, _: read_inference(data))
            readers, version = chosen.readers, chosen.version
            call = read_inference(data)
            if not call.deals:
                content = [*parts(call, readers, version)]
                state.check_deadline(deadline, perf_counter())
                return b"".join(content), version
        finally:
            await asyncio.sleep(0)
    async with turns.deals:
        content = []
        steps = parts(call, readers, version)
        while True:
            async with turns.slice:
                until = perf_counter() + SLICE_S
                for part in steps:
                    content.append(part)
                    now = perf_counter()
                    state.check_deadline(deadline, now)
                    if now > until:
                        break
                else:
                    return b"".join(content), version
                await asyncio.sleep(0)


def answer_inference(state: AppState, sets: TableSets, data: Any, key: Key | None) -> InferenceItemAnswer:
    """Return the answer to one request of a batch.

    Raises `ProblemError` for a request that can't be used.
    """
    chosen = set_for(sets, data, key, lambda data, _: read_inference_item(data))
    call = read_inference_item(data)
    return probabilities_answer(call, inferred_from(call, chosen.readers), chosen.version)


def parts(call: InferenceCall, readers: Readers, version: str) -> Iterator[bytes]:
    """Yield the JSON answer in parts; raise `ProblemError` before the first one if no deal fits.

    ``readers``: the tables that turn bids into probabilities; ``version``: of the tables.
    """
    inferred = inferred_from(call, readers)
    text = orjson.dumps(probabilities_answer(call, inferred, version))
    if not call.deals:
        yield text
        return
    yield text[:-1]
    random_numbers = np.random.default_rng(call.seed)
    sampler = sampler_of(inferred.deals)
    yield b',"deals":['
    write = _DealWriter(inferred.unseen, deck_number(call.rules))
    for first in range(0, call.deals, DEALS_AT_ONCE):
        drawn = draw(sampler, min(DEALS_AT_ONCE, call.deals - first), random_numbers)
        written = write.json(drawn)
        yield written if first else written[1:]  # without the comma before the first deal
    yield b"]}"


def _columns_of(unseen: Unseen) -> list[tuple[int, int]]:
    """Return each seat and its column, the lowest seat first."""
    return sorted((seat, column) for column, seat in enumerate(unseen.seats))


class _DealWriter:
    """Writes deals as JSON.

    All texts have the same length, because a seat has the same number of cards in each deal.
    """

    def __init__(self, unseen: Unseen, deck: int) -> None:
        self._names: NDArray[np.uint8] = _NAMES[deck, list(unseen.cards)]
        # By seat: offset of its card names in the text, index of its first card in the order by column, count of cards.
        self._places: list[tuple[int, int, int]] = []
        text = b",{"
        for seat, column in _columns_of(unseen):
            number = unseen.counts[column]
            text += b'"%d":[' % seat
            self._places.append((len(text), sum(unseen.counts[:column]), number))
            text += b" " * (_NAME_BYTES * number - 1) + b"],"
        self._text = np.frombuffer(text[:-1] + b"}", np.uint8)

    def json(self, drawn: Seats) -> bytes:
        """Return the JSON of the deals, with a comma before each.

        ``drawn``: (deals, m), the column of the seat for each card.
        """
        deals = len(drawn)
        order = np.argsort(drawn, axis=1, kind="stable")  # the cards by column, each seat's lowest first
        lines = np.tile(self._text, (deals, 1))
        for place, first, number in self._places:
            names = self._names[order[:, first : first + number]].reshape(deals, _NAME_BYTES * number)
            lines[:, place : place + names.shape[1] - 1] = names[:, :-1]
        return lines.tobytes()

"""POST /v1/card: the card that a strong player would play.

Like /v1/bid/blind, this route is answered without FastAPI (docs/adr/0005-hot-path.md).
"""

from time import perf_counter
from typing import Any

import orjson

from service.endpoints import searches
from service.endpoints.bids import parsed
from service.endpoints.table_choice import set_for
from service.json_body import SINGLE_LIMITS
from service.keys import Key
from service.problems import deadline_exceeded
from service.state import State
from service.table_sets import TableSets
from spades.contract.answer_types import CardAnswer
from spades.contract.answers import card_answer
from spades.contract.card_request import read_card
from spades.contract.faults import Fault, RequestError


async def play(state: State, body: bytes, deadline: float, key: Key | None) -> tuple[bytes, str | None]:
    """Return the JSON answer, and the version of the tables if they decided; raise `ProblemError` or `BusyError`.

    A rule-based player chooses at once. A search waits for another process.
    """
    sets = state.tables_in_use()
    state.check_deadline(deadline, perf_counter(), started=False)
    data = parsed(body, SINGLE_LIMITS)
    chosen = set_for(sets, data, key, read_card)
    call = read_card(data, chosen.tables.games)
    if call.search is None:
        content, version = orjson.dumps(card_answer(call)), None
    else:
        request = searches.search_request(call, call.search, chosen.tables)
        try:
            found = await state.searchers.search(request, deadline)
        except TimeoutError:
            raise deadline_exceeded() from None
        content = orjson.dumps(searches.answer_body(call, call.search, found, chosen.version))
        version = chosen.version
    state.check_deadline(deadline, perf_counter())
    return content, version


def answer_one(state: State, sets: TableSets, data: Any, key: Key | None) -> tuple[CardAnswer, None]:
    """Return the answer to one request; raise `ProblemError` for a request that can't be used."""
    call = read_card(data)
    if call.search is not None:
        detail = f"player is {call.search.player}, but POST /v1/cards does not search; accepted: leave out player, or "
        detail += "send this request alone to POST /v1/card"
        raise RequestError([Fault("/player", "unsupported-field", detail)])
    return card_answer(call), None

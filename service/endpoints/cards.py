"""POST /v1/card and /v1/pass: the card that a strong player would play, and the cards that partners exchange.

A player that searches plays the card with the best chance to win the game, by random deals: in another process
(`service.searchers`); this module writes its request, and the answer with reasons. The player `best` searches if it
can, and otherwise a player chooses that does not.
"""

import math
from time import perf_counter
from typing import Any, Final, Literal

import orjson
from starlette.requests import Request
from starlette.responses import Response

from service.keys import Key
from service.problems import ProblemError, deadline_exceeded, overloaded
from service.requests import AppState, RequestState, app_state, json_response, read_json, request_state, set_for
from service.searchers import BusyError, LateError, opening
from service.table_sets import OpenSet, TableSets
from spades.cards import CARD_NAMES, cards_of
from spades.contract.answer_types import CardAnswer, NotSearched, TriedCard
from spades.contract.card_request import BEST, CardCall, Search, card_answer, read_card
from spades.contract.faults import Fault, RequestError
from spades.contract.pass_request import pass_answer, read_pass
from spades.legal import deck_number
from spades.play import SRP_OF_SEARCH, card_reason, explain_card, legal_cards
from spades.tableset import TableSet

MOST_SEARCH_S: Final = 2.0  # the longest wait for a search if another player can choose instead
AT_ONCE_S: Final = 0.005  # before a deadline: the time in which another player chooses and the answer is sent
_DECIMALS: Final = 6  # of probabilities
_PERCENT_DECIMALS: Final = 1


async def card(request: Request) -> Response:
    """Answer with the card to play. Most players choose at once; a search waits for another process."""
    state, of_request = app_state(request), request_state(request)
    deadline = of_request.get("deadline", math.inf)
    body = await request.body()
    sets = state.tables_in_use()
    data = read_json(body)
    chosen = set_for(sets, data, of_request.get("key"), read_card)
    call = read_card(data, chosen.tables.games)
    if call.search is None:
        return _at_once(state, of_request, chosen, call, call.not_searched)
    to_search = search_request(call, call.search, chosen.tables)
    search = searched if call.search.required else _searched_if_possible
    answer = await search(state, to_search, deadline)
    if isinstance(answer, str):
        return _at_once(state, of_request, chosen, call, answer)
    of_request["tables"] = chosen.version
    return json_response(orjson.dumps(searched_answer(call, call.search, answer, chosen.version)))


def _at_once(
    state: AppState, of_request: RequestState, chosen: OpenSet, call: CardCall, why: NotSearched | None
) -> Response:
    """Answer with the card of a player that does not search."""
    answer = card_answer(call, chosen.tables, why, searches=state.searchers.started)
    if "tables" in answer:
        of_request["tables"] = chosen.version
    return json_response(orjson.dumps(answer))


async def searched(
    state: AppState, request: dict[str, Any], deadline: float, *, patient: bool = False
) -> dict[str, Any]:
    """Return the answer of a search process; raise `ProblemError` or `RequestError` if there is none in time.

    ``patient``: wait for a process until the deadline.
    """
    try:
        return await state.searchers.search(request, deadline, patient=patient)
    except TimeoutError as error:
        if isinstance(error, LateError):
            state.metrics.shed("deadline")
        raise deadline_exceeded() from None
    except BusyError:
        state.metrics.shed("search")
        raise overloaded("all search processes are busy") from None


async def _searched_if_possible(
    state: AppState, request: dict[str, Any], deadline: float
) -> dict[str, Any] | NotSearched:
    """Return the answer of a search process, or why there is none; leave time for another player to choose."""
    if not state.searchers.started:
        return "no-processes"
    now, until = perf_counter(), deadline - AT_ONCE_S
    why: Literal["busy", "deadline", "failed"]
    try:
        return await state.searchers.search(request, min(until, now + MOST_SEARCH_S))
    except TimeoutError as error:
        why = "busy" if isinstance(error, LateError) and now < until else "deadline"
    except BusyError:
        why = "busy"
    except ProblemError:
        why = "failed"
    state.metrics.counter("spades_search_fallbacks", why).inc()
    return why


async def pass_cards(request: Request) -> Response:
    """Answer with the cards that a nil bidder or partner gives the other after the bidding."""
    body = await request.body()
    app_state(request).tables_in_use()
    return json_response(orjson.dumps(pass_answer(read_pass(read_json(body)))))


def answer_card(state: AppState, sets: TableSets, data: Any, key: Key | None) -> CardAnswer:
    """Return the answer to one request; raise `ProblemError` for a request that can't be used."""
    tables = set_for(sets, data, key, read_card).tables
    call = read_card(data, tables.games)
    if call.search is not None and call.search.required:
        accepted = f"{BEST}, or send this request alone to POST /v1/card"
        detail = f"player is {call.search.player}, but POST /v1/cards does not search; accepted: {accepted}"
        raise RequestError([Fault("/player", "unsupported-field", detail)])
    why: NotSearched | None = "batch" if call.search is not None else call.not_searched
    return card_answer(call, tables, why, searches=state.searchers.started)


def search_request(call: CardCall, search: Search, tables: TableSet) -> dict[str, Any]:
    """Return the request to a search process."""
    return {
        **opening(tables),
        "rules": list(call.rules),
        "state": call.state,
        "seat": call.seat,
        "dealt": call.dealt,
        "given": call.given,
        "player": search.player,
        "bids": search.bidder,
        "deals": search.deals,
    }


def searched_answer(call: CardCall, search: Search, answer: dict[str, Any], version: str) -> CardAnswer:
    """Return the fields of the answer in the contract's order; ``answer``: the answer of a search process."""
    state, me = call.state, call.seat
    names = CARD_NAMES[deck_number(call.rules)]
    tried: list[TriedCard] = [
        {"card": names[card], "deals": deals, "p_win": None if p_win is None else round(p_win, _DECIMALS)}
        for card, deals, p_win in answer["tried"]
    ]
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    return {
        "card": names[answer["card"]],
        "player": search.player,
        "legal": [names[one] for one in cards_of(legal)],
        "assumed": [*call.assumed, *search.assumed],
        "reasons": _reasons(call, search.player, answer["card"], tried),  # type: ignore[typeddict-item]
        "search": {
            "deals": max(one["deals"] for one in tried),
            "cards": sorted(tried, key=lambda one: -(one["p_win"] or 0.0)),
            "policy": search.bidder,
            "tables": version,
        },
    }


def _reasons(call: CardCall, player: str, card: int, tried: list[TriedCard]) -> list[dict[str, Any]]:
    """Return why the card is played; the first of ``tried`` is the card of SRP."""
    names = CARD_NAMES[deck_number(call.rules)]
    usual = tried[0]
    chosen = next(one for one in tried if one["card"] == names[card])
    numbers = {
        "deals": max(one["deals"] for one in tried),
        "card": chosen["card"],
        "percent": _percent(chosen),
        "usual": usual["card"],
        "usual_percent": _percent(usual),
    }
    if chosen is not usual:
        return [card_reason("search-better", numbers)]
    by_rules = explain_card(call.state, call.seat, card, call.rules, SRP_OF_SEARCH[player])
    return [card_reason("search-kept", numbers), *by_rules] if usual["deals"] else by_rules


def _percent(tried: TriedCard) -> float | None:
    return None if tried["p_win"] is None else round(100.0 * tried["p_win"], _PERCENT_DECIMALS)

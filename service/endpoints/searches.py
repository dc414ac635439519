"""POST /v1/card with player search@1: the card with the best chance to win the game, by random deals.

The search runs in another process (`service.searchers`). This module writes its request, and the answer with reasons.
"""

from typing import Any, Final

from service.searchers import opening
from spades.cards import CARD_NAMES, cards_of
from spades.contract.answer_types import CardAnswer, TriedCard
from spades.contract.card_request import CardCall, Search
from spades.legal import deck_number
from spades.play import SEARCH_VERSION, card_reason, explain_card, legal_cards
from spades.tableset import TableSet

_DECIMALS: Final = 6  # of probabilities
_PERCENT_DECIMALS: Final = 1


def search_request(call: CardCall, search: Search, tables: TableSet) -> dict[str, Any]:
    """Return the request to a search process."""
    return {
        **opening(tables),
        "rules": list(call.rules),
        "state": call.state,
        "seat": call.seat,
        "dealt": call.dealt,
        "given": call.given,
        "bids": search.bidder,
        "deals": search.deals,
    }


def answer_body(call: CardCall, search: Search, found: dict[str, Any], version: str) -> CardAnswer:
    """Return the fields of the answer in the contract's order; ``found``: the answer of a search process."""
    state, me = call.state, call.seat
    names = CARD_NAMES[deck_number(call.rules)]
    tried: list[TriedCard] = [
        {"card": names[card], "deals": deals, "p_win": None if p_win is None else round(p_win, _DECIMALS)}
        for card, deals, p_win in found["tried"]
    ]
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    return {
        "card": names[found["card"]],
        "player": search.player,
        "legal": [names[one] for one in cards_of(legal)],
        "assumed": call.assumed,
        "reasons": _reasons(call, found["card"], tried),  # type: ignore[typeddict-item]
        "search": {
            "deals": tried[0]["deals"],
            "cards": sorted(tried, key=lambda one: -(one["p_win"] or 0.0)),
            "policy": search.bidder,
            "tables": version,
        },
    }


def _reasons(call: CardCall, card: int, tried: list[TriedCard]) -> list[dict[str, Any]]:
    """Return why the card is played; the first of ``tried`` is srp@3's card."""
    names = CARD_NAMES[deck_number(call.rules)]
    usual = tried[0]
    chosen = next(one for one in tried if one["card"] == names[card])
    numbers = {
        "deals": usual["deals"],
        "card": chosen["card"],
        "percent": _percent(chosen),
        "usual": usual["card"],
        "usual_percent": _percent(usual),
    }
    if chosen is not usual:
        return [card_reason("search-better", numbers)]
    by_rules = explain_card(call.state, call.seat, card, call.rules, SEARCH_VERSION)
    return [card_reason("search-kept", numbers), *by_rules] if usual["deals"] else by_rules


def _percent(tried: TriedCard) -> float | None:
    return None if tried["p_win"] is None else round(100.0 * tried["p_win"], _PERCENT_DECIMALS)

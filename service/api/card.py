"""POST /v1/card: the card that a strong player would play.

Like /v1/bid/blind, this route is answered without FastAPI (docs/adr/0005-hot-path.md).
"""

from typing import Any

import orjson

from service.api.bid import parsed
from service.api.json_limits import SINGLE_LIMITS
from service.api.state import State
from service.bidding.game.cards import cards_of
from service.bidding.game.decks import CARD_NAMES
from service.bidding.game.rules import CUTTHROAT
from service.bidding.game.variants import deck_number
from service.contract.card import CardAnswer, CardCall, read_card
from service.keys import Key
from service.playing.card_reasons import explain_card
from service.playing.solo1.solo import solo1
from service.playing.srp3.srp import srp3
from service.playing.tricks import legal_cards
from service.table_sets import TableSets

# By whether the player is alone: its name and its kernel.
PLAYERS = {False: ("srp@3", srp3), True: ("solo@1", solo1)}


def play(state: State, sets: TableSets, body: bytes, key: Key | None) -> tuple[bytes, None]:
    """Return the JSON answer, which no tables decide; raise `ProblemError` for an error answer."""
    return orjson.dumps(answer_one(state, sets, parsed(body, SINGLE_LIMITS), key)[0]), None


def answer_one(state: State, sets: TableSets, data: Any, key: Key | None) -> tuple[CardAnswer, None]:
    """Return the answer to one request; raise `ProblemError` for a request that can't be used."""
    return answer_body(read_card(data)), None


def answer_body(call: CardCall) -> CardAnswer:
    """Choose the card; return the fields of the answer in the contract's order."""
    state, me = call.state, call.seat
    names = CARD_NAMES[deck_number(call.rules)]
    player, choose = PLAYERS[call.rules.variant == CUTTHROAT]
    card = choose(state, me)
    legal = legal_cards(state.hand[me], state.trick_size, state.trick[0], state.broken)
    return {
        "card": names[card],
        "player": player,
        "legal": [names[one] for one in cards_of(legal)],
        "assumed": call.assumed,
        "reasons": explain_card(state, me, card, call.rules),  # type: ignore[typeddict-item]
    }

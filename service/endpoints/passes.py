"""POST /v1/pass: which cards a nil bidder or partner gives the other after the bidding.

Like /v1/bid/blind, this route is answered without FastAPI (docs/adr/0005-hot-path.md).
"""

import orjson

from service.endpoints.bids import parsed
from service.json_body import SINGLE_LIMITS
from service.keys import Key
from service.state import State
from service.table_sets import TableSets
from spades.contract.answer_types import PassAnswer
from spades.contract.pass_request import PassCall, read_pass
from spades.explain.pass_explanation import explain_pass
from spades.legal import deck_number, deck_of
from spades.passing import given_cards
from spades.scoring import is_nil


def give(state: State, sets: TableSets, body: bytes, key: Key | None) -> tuple[bytes, None]:
    """Return the JSON answer, which no tables decide; raise `ProblemError` for an error answer."""
    return orjson.dumps(answer_body(read_pass(parsed(body, SINGLE_LIMITS)))), None


def answer_body(call: PassCall) -> PassAnswer:
    """Choose the cards; return the fields of the answer in the contract's order."""
    hand = call.hand | call.received
    deck = deck_of(call.rules)
    given = given_cards(hand, call.bid, call.number, deck)
    reasons = explain_pass(hand, given, deck & ~hand, is_nil(call.bid), deck_number(call.rules))
    return {"cards": [reason["card"] for reason in reasons], "to": call.seat ^ 2, "reasons": reasons}  # type: ignore[typeddict-item]

"""Requests for cards to pass, a hand after the bidding, and their answers: POST /v1/pass."""

from typing import Annotated, Any, NamedTuple, Required

from pydantic import Field, StrictInt, TypeAdapter
from typing_extensions import TypedDict

from spades.contract.answer_types import (
    PassAnswer,
)
from spades.contract.cards_and_bids import Exchanged, FourBids, Hand
from spades.contract.faults import Fault, RequestError, pointer
from spades.contract.fields import RulesField, read_fields, request_object
from spades.explanations import explain_pass
from spades.legal import BLIND_NIL, deck_number, deck_of, is_nil
from spades.passing import MOST_PASSED, cards_to_pass, given_cards, gives_first
from spades.rules import CUTTHROAT, Rules


@request_object
class PassRequest(TypedDict, total=False):
    """A hand after the bidding, in a game in which a nil bidder and partner exchange cards."""

    rules: Annotated[RulesField, Field(description="The rules of the game, with nil_pass or blind_nil_pass.")]
    hand: Required[Hand]
    bids: Required[FourBids]
    seat: Required[Annotated[StrictInt, Field(ge=0, le=3, description="Place of the hand in the bidding order.")]]
    received: Annotated[
        Exchanged | None,
        Field(
            description="The cards that partner has given, if rules.nil_passes_first is true and partner gives first."
        ),
    ]


_PASS = TypeAdapter[PassRequest](PassRequest).validator.validate_python


class PassCall(NamedTuple):
    """A request for the cards to give."""

    hand: int
    received: int  # 0: none
    seat: int
    bid: int  # of the hand
    number: int  # of cards to give
    rules: Rules


def read_pass(data: Any) -> PassCall:
    """Read a request for the cards to give. Raises `RequestError`."""
    request, rules = read_fields(data, _PASS)
    bids, seat, hand = request["bids"], request["seat"], request["hand"]
    number = cards_to_pass(bids[seat], bids[seat ^ 2], rules.nil_pass, rules.blind_nil_pass)
    received = request.get("received") or 0
    faults = []
    partner_first = gives_first(bids, seat ^ 2, rules)
    if not (is_nil(bids[seat]) or is_nil(bids[seat ^ 2])):
        detail = f"neither seat {seat} nor its partner has bid nil; accepted: bids in which one has"
        faults.append(Fault("/bids", "bid-out-of-range", detail))
    elif rules.variant == CUTTHROAT:
        detail = "variant is cutthroat, in which players have no partner; accepted: the other variants"
        faults.append(Fault(pointer("rules", "variant"), "unsupported-rules", detail))
    elif number == 0:
        field = "blind_nil_pass" if BLIND_NIL in (bids[seat], bids[seat ^ 2]) else "nil_pass"
        faults.append(Fault(pointer("rules", field), "unsupported-rules", f"{field} is 0; accepted: 1..{MOST_PASSED}"))
    elif partner_first and not received:
        detail = f"received is missing; accepted: the {number} cards that seat {seat ^ 2} has given"
        faults.append(Fault("/received", "missing-field", detail))
    elif received:
        if not partner_first:
            detail = "received is present; accepted: only if rules.nil_passes_first is true and partner gives first"
            faults.append(Fault("/received", "unsupported-field", detail))
        elif received & hand:
            detail = "a card of received is in the hand too; accepted: the 13 cards that were dealt, and other cards"
            faults.append(Fault("/received", "duplicate-card", detail))
        elif received.bit_count() != number:
            detail = f"received has {received.bit_count()} cards; accepted: {number}"
            faults.append(Fault("/received", "hand-size", detail))
    if faults:
        raise RequestError(faults)
    return PassCall(hand, received, seat, bids[seat], number, rules)


# ---- the answer ------------------------------------------------------------------------------------------------------


def pass_answer(call: PassCall) -> PassAnswer:
    """Choose the cards to give; return the answer."""
    hand = call.hand | call.received
    deck = deck_of(call.rules)
    given = given_cards(hand, call.bid, call.number, deck)
    reasons = explain_pass(hand, given, deck & ~hand, is_nil(call.bid), deck_number(call.rules))
    return {"cards": [reason["card"] for reason in reasons], "to": call.seat ^ 2, "reasons": reasons}  # type: ignore[typeddict-item]

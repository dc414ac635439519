"""`given` and `received`: the cards that a nil bidder and partner exchanged, and their faults."""

from typing import Annotated

from pydantic import Field

from spades.contract.faults import Fault, pointer
from spades.contract.hand import Exchanged
from spades.passing import Exchange, exchange_in
from spades.rules import Rules

Given = Annotated[Exchanged | None, Field(description="The cards that the player gave to partner after the bidding.")]
Received = Annotated[Exchanged | None, Field(description="The cards that the player got from partner.")]


def exchange_of(
    hand: int, bids: tuple[int, ...], seat: int, given: int, received: int, rules: Rules
) -> tuple[Exchange, list[Fault]]:
    """Return the cards that ``seat`` has given and got for good, and the faults (`passing.exchange_in`)."""
    exchange, faults = exchange_in(hand, bids, seat, given, received, rules)
    return exchange, [Fault(pointer(field), code, detail) for field, code, detail in faults]

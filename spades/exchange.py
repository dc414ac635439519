"""The cards that a nil bidder and partner have exchanged, checked against bids, rules and hand."""

from typing import NamedTuple

from spades.cards import cards_of
from spades.decks import CARD_NAMES
from spades.passing import cards_to_pass
from spades.rules import CUTTHROAT, Rules
from spades.scoring import is_nil
from spades.variants import deck_number


class ExchangeFault(NamedTuple):
    """What is wrong with the cards of ``field``, ``given`` or ``received``."""

    field: str
    code: str  # of the HTTP contract
    detail: str


class Exchange(NamedTuple):
    """The cards that a player gave to partner for good, and those that it got for good, as bits."""

    given: int
    received: int


def gives_first(bids: tuple[int, ...], seat: int, rules: Rules) -> bool:
    """Return whether ``seat`` gives before partner: the nil bidder does; of two, the one who bid first."""
    return bool(rules.nil_passes_first) and is_nil(bids[seat]) and not (seat > 1 and is_nil(bids[seat ^ 2]))


def exchange_in(
    hand: int, bids: tuple[int, ...], seat: int, given: int, received: int, rules: Rules
) -> tuple[Exchange, list[ExchangeFault]]:
    """Return the cards that ``seat`` has given and got for good, and the faults.

    If one partner gives first, the other may give the same card back. Then it is in both lists and is ignored.
    """
    number = 0
    if rules.variant != CUTTHROAT:
        number = cards_to_pass(bids[seat], bids[seat ^ 2], rules.nil_pass, rules.blind_nil_pass)
    faults = []
    for field, cards in (("given", given), ("received", received)):
        found = cards.bit_count()
        if found == number:
            continue
        if number == 0:
            detail = f"{field} is present; accepted: only with a pass in the rules and a nil on this side"
            faults.append(ExchangeFault(field, "unsupported-field", detail))
        elif found == 0:
            detail = f"{field} is missing; accepted: {number} cards"
            faults.append(ExchangeFault(field, "missing-field", detail))
        else:
            faults.append(ExchangeFault(field, "hand-size", f"{field} has {found} cards; accepted: {number}"))
    if faults:
        return Exchange(0, 0), faults
    first = gives_first(bids, seat, rules)
    may_give = hand | (received if rules.nil_passes_first and not first else 0)
    may_get = ~hand | (given if first else 0)
    names = CARD_NAMES[deck_number(rules)]
    for card in cards_of(given & ~may_give):
        detail = f"{names[card]} is given, but it is not in the hand; accepted: cards that the player held"
        faults.append(ExchangeFault("given", "contradiction", detail))
    for card in cards_of(received & ~may_get):
        detail = f"{names[card]} is received, but it is in the hand; accepted: cards that are not in the hand"
        faults.append(ExchangeFault("received", "contradiction", detail))
    return Exchange(given & ~received, received & ~given), faults

"""Why a card is given to partner: coded reasons with numbers, and the sentences made from them."""

from typing import Any

from service.bidding.game.cards import SPADES, SUIT_BITS
from service.bidding.game.decks import CARD_NAMES

# By code; the numbers are those of the reason. GET /v1/reasons lists the reasons for bids, not these.
PASS_TEMPLATES = {
    "spade": "{card} may win a trick as a trump (higher unseen spades: {above}).",
    "empties-suit": "Without {card} the hand has no more cards of the suit and can discard when it is led.",
    "high": "{card} may win a trick (unseen cards of its suit: {above} higher, {below} lower).",
    "low": "{card} is low: the nil bidder can play it without winning (higher unseen cards of its suit: {above}).",
    "low-spade": "{card} is the lowest card that is left to give.",
}


def explain_pass(hand: int, given: int, unseen: int, by_nil: bool, deck: int) -> list[dict[str, Any]]:
    """Return a reason for each card of ``given``, highest first, with its sentence.

    ``unseen``: the cards in the other hands; ``by_nil``: the hand has bid nil; ``deck``: its index in `decks.DECKS`.
    """
    reasons = []
    for card in range(63, -1, -1):
        if not given >> card & 1:
            continue
        suit, rank = card >> 4, card & 15
        others = unseen >> 16 * suit & SUIT_BITS
        numbers = {
            "card": CARD_NAMES[deck][card],
            "above": (others >> rank).bit_count(),
            "below": (others & (1 << rank) - 1).bit_count(),
        }
        kept = (hand & ~given) >> 16 * suit & SUIT_BITS
        if by_nil:
            code = "spade" if suit == SPADES else "high" if kept else "empties-suit"
        else:
            code = "low-spade" if suit == SPADES else "low"
        reasons.append({"code": code, **numbers, "sentence": PASS_TEMPLATES[code].format(**numbers)})
    return reasons

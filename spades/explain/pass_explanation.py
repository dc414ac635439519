"""Why a card is given to partner: coded reasons with numbers, and the sentences made from them."""

from typing import Any

from spades.cards import CARD_NAMES, SPADES, SUIT_BITS
from spades.explain.reasons import Number

# By code; the numbers are those of the reason. GET /v1/reasons lists them.
PASS_TEMPLATES = {
    "top-spade": "{card} always wins a trick, because no unseen card is higher.",
    "spade": "{card} may win a trick as a trump (higher unseen spades: {above}).",
    "empties-suit": "You give away all your cards of this suit, including {card}, so you can discard in this suit.",
    "high": "{card} may win a trick (unseen cards of its suit: {above} higher, {below} lower).",
    "low-of-suit": "{card} is low, but no other card is more dangerous (unseen cards of its suit: {above} higher).",
    "low": "{card} is low: the nil bidder can play it without winning (higher unseen cards of its suit: {above}).",
    "lowest-left": "{card} is the least useful card to keep, but the nil bidder may win a trick with it.",
    "low-spade": "{card} is a low spade, and the other suits have nothing lower to give.",
}


PASS_NUMBERS = {
    "card": Number("string", "card", "The card that is given or played."),
    "above": Number("integer", "cards", "Unseen cards of its suit that are higher."),
    "below": Number("integer", "cards", "Unseen cards of its suit that are lower."),
}
FEW_ABOVE = 3  # with fewer higher unseen cards than this, a card may win a trick even if the nil bidder plays it early


def explain_pass(hand: int, given: int, unseen: int, by_nil: bool, deck: int) -> list[dict[str, Any]]:
    """Return a reason for each card of ``given``, from the highest spade to the lowest club, with its sentence.

    ``hand``, ``given`` and ``unseen`` (the cards in the other hands) are bit masks. ``by_nil``: whether the hand has
    bid nil; ``deck``: index of the deck in `cards.DECKS`.
    """
    reasons = []
    for card in range(63, -1, -1):
        if not given >> card & 1:
            continue
        suit, rank = card >> 4, card & 15
        others = unseen >> 16 * suit & SUIT_BITS
        above = (others >> rank).bit_count()
        numbers = {
            "card": CARD_NAMES[deck][card],
            "above": above,
            "below": (others & (1 << rank) - 1).bit_count(),
        }
        kept = (hand & ~given) >> 16 * suit & SUIT_BITS
        if by_nil and suit == SPADES:
            code = "spade" if above else "top-spade"
        elif by_nil:
            code = "empties-suit" if not kept else "high" if numbers["below"] else "low-of-suit"
        else:
            code = "low-spade" if suit == SPADES else "lowest-left" if above < FEW_ABOVE else "low"
        reasons.append({"code": code, **numbers, "sentence": PASS_TEMPLATES[code].format(**numbers)})
    return reasons

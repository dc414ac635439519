"""Who played which card of a finished round, and whether cards were passed before, as kernels."""

from typing import Any

from arena.engine.jit import register
from spades.legal import BLIND_NIL, NIL, broken_after
from spades.play import beats, legal_cards
from spades.rules import Rules

PLAYS = 52
NEVER = -1


def passes(bid: int, partner_bid: int, rules: Rules) -> bool:
    """Return whether a side with these bids exchanges cards after the bidding."""
    nil = bid == NIL or partner_bid == NIL
    blind = bid == BLIND_NIL or partner_bid == BLIND_NIL
    return (nil and rules.nil_pass > 0) or (blind and rules.blind_nil_pass > 0)


def replay(cards: Any, seats: Any, played: Any, took: Any) -> int:
    """Write who played each of the ``cards`` (PLAYS,) and return the place of the first one that comes twice, or NEVER.

    ``seats`` (PLAYS,) get the seats, ``played`` (4,) the cards of each seat as bit masks, ``took`` (4,) its tricks.
    """
    for seat in range(4):
        played[seat] = 0
        took[seat] = 0
    seen = 0
    leader = 0
    best = 0
    winner = 0
    for n in range(PLAYS):
        card = cards[n]
        if seen >> card & 1:
            return n
        seen |= 1 << card
        seat = (leader + n) & 3
        seats[n] = seat
        played[seat] |= 1 << card
        if n & 3 == 0 or beats(card, best):
            best = card
            winner = seat
        if n & 3 == 3:
            took[winner] += 1
            leader = winner
    return NEVER


def first_revoke(cards: Any, seats: Any, played: Any, broken: int, left: Any) -> int:
    """Return the place of the first card that was not legal, or NEVER; the arguments are those of `replay`.

    ``broken``: from `broken_at_start`. ``left`` (4,) is working memory.
    """
    for seat in range(4):
        left[seat] = played[seat]
    for n in range(PLAYS):
        card, seat = cards[n], seats[n]
        if not legal_cards(left[seat], n & 3, cards[n & ~3], broken) >> card & 1:
            return n
        left[seat] &= ~(1 << card)
        broken = broken_after(broken, card, n & 3)
    return NEVER


register(__name__)

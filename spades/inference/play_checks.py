"""Check whether the numbers of cards played and the void suits in a `View` can be true together.

`knowledge.contradictions_in` checks each card. This module checks the order of play, the suits of `View.voids`, and
whether the hands have room for the unseen cards. A view has only the set of cards that each seat played, not the
tricks. So the module finds a revoke (a player who did not follow suit, but could have) only in the first trick, which
seat 0 leads.
"""

from typing import NamedTuple

from spades.cards import FIRST_SPADE, SUIT_BITS, SUITS
from spades.inference.knowledge import CARDS, SPECTATOR, View

EVERY_SUIT = (1 << len(SUITS)) - 1
SIDE_SUITS = 0b0111  # as a set of suits


class NoRoom(NamedTuple):
    """Suits of which more cards are unseen than the seats that may hold them have room for."""

    suits: int  # as a set; bit 0 is clubs
    cards: int  # unseen cards of these suits
    seats: tuple[int, ...]  # the seats that may hold one of these suits
    room: int  # cards that they can hold


def out_of_turn(view: View) -> tuple[str, int] | None:
    """Return the kind of fault and the seat at fault if the seats cannot have played these numbers of cards, else None.

    Kinds: `before-leader` (the seat has played to the first trick before seat 0, which leads it), `not-next` (the seat
    has played to the current trick, but neither led it nor played after another seat). The caller has checked that no
    seat has played two cards more than another.
    """
    numbers = [played.bit_count() for played in view.played]
    most = max(numbers)
    if min(numbers) == most:
        return None
    # The seats that have played to the current trick although the seat before them has not: only the leader may.
    first = [seat for seat in range(4) if numbers[seat] == most > numbers[seat - 1]]
    if most == 1 and first[0] != 0:
        return "before-leader", first[0]
    return ("not-next", first[1]) if len(first) > 1 else None


def with_first_trick(view: View) -> View:
    """Return the view with those voids added that seats have shown in the first trick, if no second trick has begun.

    A seat that does not follow suit is out of the suit. A seat that leads a spade to the first trick holds only spades.
    """
    played = view.played
    if max(cards.bit_count() for cards in played) != 1 or not played[0]:
        return view
    lead = played[0].bit_length() - 1
    voids = [*view.voids]
    if lead >= FIRST_SPADE:
        voids[0] |= SIDE_SUITS
    for seat in (1, 2, 3):
        if played[seat] and played[seat].bit_length() - 1 >> 4 != lead >> 4:
            voids[seat] |= 1 << (lead >> 4)
    return view._replace(voids=(voids[0], voids[1], voids[2], voids[3]))


def hand_contradictions(view: View) -> list[tuple[str, int, int]]:
    """Return what cannot be true of the cards that seats still hold, as (kind, seat, suit); -1 for no suit.

    Kinds: `void-unshown` (the seat has not failed to follow the suit: it has played no other one, or it is the first
    trick), `given-left` (the seat has fewer cards left than it must still hold of those that it was given),
    `void-unplayed` (the seat has played no card, so that it has shown nothing), `void-held` (the player still holds the
    suit), `void-given` (the seat still holds a card of the suit that the player gave to it), `void-all` (the seat is
    out of every suit, but has cards left).
    """
    found: list[tuple[str, int, int]] = []
    known = view.seat != SPECTATOR
    held = [0, 0, 0, 0]  # by seat: the cards that it is known to hold
    if known:
        partner = view.seat ^ 2
        held[view.seat] = (view.hand & ~view.given | view.received) & ~view.played[view.seat]
        held[partner] = view.given & ~view.played[partner]
        if held[partner].bit_count() > CARDS - view.played[partner].bit_count():
            found.append(("given-left", partner, -1))
    for seat, voids in enumerate(view.voids):
        own = known and seat == view.seat
        number = view.played[seat].bit_count()
        if voids and not own and number == 0:
            found.append(("void-unplayed", seat, -1))
        elif voids == EVERY_SUIT and not own and number < CARDS:
            found.append(("void-all", seat, -1))
        else:
            kind = "void-held" if own else "void-given"
            suits = [suit for suit in range(len(SUITS)) if voids >> suit & 1]
            still = [(kind, seat, suit) for suit in suits if held[seat] >> 16 * suit & SUIT_BITS]
            if not still and not own and (suit := _unshown(view, seat)) >= 0:
                still = [("void-unshown", seat, suit)]
            found += still
    return found


def _unshown(view: View, seat: int) -> int:
    """Return a suit of `View.voids` that ``seat`` cannot have shown to be out of, -1 if there is none.

    If no card of a suit is unseen, everybody is known to be out of it, so the seat need not have shown it.
    """
    own = view.hand & ~view.given | view.received if view.seat != SPECTATOR else 0
    out = view.played[0] | view.played[1] | view.played[2] | view.played[3]
    first = max(cards.bit_count() for cards in view.played) == 1
    shown = with_first_trick(view._replace(voids=(0, 0, 0, 0))).voids[seat]
    for suit in range(len(SUITS)):
        bits = SUIT_BITS << 16 * suit
        if view.voids[seat] >> suit & 1 and view.deck & ~(own | out) & bits:
            if not view.played[seat] & ~bits or (first and not shown >> suit & 1):
                return suit
    return -1


def no_room(view: View) -> NoRoom | None:
    """Return the smallest set of suits for whose unseen cards the hands have no room; None if some deal fits.

    ``view`` has no other contradictions. Some deal fits if, for every set of suits, the seats that may hold at least
    one of them have room for all unseen cards of these suits (Hall, On Representatives of Subsets, 1935).
    """
    if not any(view.voids):
        return None
    own = view.hand & ~view.given | view.received
    out = view.played[0] | view.played[1] | view.played[2] | view.played[3]
    partners = view.given & ~out  # these are in partner's hand
    unseen = view.deck & ~(own | out | partners)
    room = [CARDS - played.bit_count() for played in view.played]
    if view.seat != SPECTATOR:
        room[view.seat] = 0
        room[view.seat ^ 2] -= partners.bit_count()
    counts = [(unseen >> 16 * suit & SUIT_BITS).bit_count() for suit in range(len(SUITS))]
    for suits in sorted(range(1, EVERY_SUIT + 1), key=int.bit_count):
        seats = tuple(seat for seat in range(4) if seat != view.seat and suits & ~view.voids[seat])
        cards = sum(count for suit, count in enumerate(counts) if suits >> suit & 1)
        places = sum(room[seat] for seat in seats)
        if cards > places:
            return NoRoom(suits, cards, seats, places)
    return None

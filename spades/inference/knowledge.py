"""What a player, or a spectator, knows about the cards of a round, and what of it cannot be true.

A view has only the set of cards that each seat played, not the tricks. So a revoke (a player did not follow suit, but
could have) is found only in the first trick, which seat 0 leads, or by the rules the seat with the lowest club.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spades.cards import (
    CARD_NAMES,
    EVERY_SUIT,
    FIRST_SPADE,
    SIDE_SUITS,
    SUIT_BITS,
    SUITS,
    cards_of,
    spades_of,
    suits_of,
)
from spades.errors import Contradiction
from spades.inference.deals import Floats
from spades.legal import BLIND_NIL, FIRST_WITHOUT_SPADES, SPADE_COUNTS, SPADES_LED, broken_at_start, deck_number
from spades.passing import PassedCards, check_pass
from spades.rules import LOWEST_CLUB_LEADS, WHIZ, Rules

SPECTATOR = -1  # in `View.seat`: nobody's hand is known
UNKNOWN = -1  # in `View.leader`
HAND_SIZE = 13  # cards that each seat is dealt


class View(NamedTuple):
    """What one player, or a spectator, knows. Sets of cards are bit masks. Seats are in bidding order."""

    deck: int  # the 52 cards in play
    seat: int  # the player, or SPECTATOR
    hand: int  # the cards that the player was dealt, 0 for a spectator
    given: int  # of these, the cards that the player gave to partner after the bidding
    received: int  # the cards that the player got from partner
    played: tuple[int, int, int, int]  # by seat: the cards that it has played
    voids: tuple[int, int, int, int]  # by seat: the suits that it has shown to be out of; bit 0 is clubs
    leader: int = 0  # the seat that leads the first trick, or UNKNOWN
    broken: int = 0  # `PlayState.broken` before the first card


class Unseen(NamedTuple):
    """The cards that the viewer cannot see, and the seats that may hold them."""

    cards: tuple[int, ...]  # m cards, lowest first
    seats: tuple[int, ...]  # the other seats, in bidding order after the viewer; all four for a spectator
    counts: tuple[int, ...]  # for each of these seats: the number of cards that it still holds
    allowed: Floats  # (m, seats): 1 if the seat may hold the card, otherwise 0


def under(view: View, rules: Rules) -> View:
    """Return the view with who leads the first trick, and what may be led."""
    leader = 0
    if rules.first_lead == LOWEST_CLUB_LEADS:
        lowest = view.deck & -view.deck
        own = view.hand & ~view.given | view.received
        holders = [seat for seat, cards in enumerate(view.played) if cards & lowest]
        leader = holders[0] if holders else view.seat if own & lowest else UNKNOWN
    return view._replace(leader=leader, broken=broken_at_start(rules))


def unseen_of(view: View) -> Unseen:
    """Return the unseen cards of a view that has no contradictions (`contradictions_in`)."""
    own = view.hand & ~view.given | view.received
    out = view.played[0] | view.played[1] | view.played[2] | view.played[3]
    cards = tuple(cards_of(view.deck & ~own & ~out))
    first = view.seat + 1
    seats = tuple(range(4)) if view.seat == SPECTATOR else tuple((first + place) & 3 for place in range(3))
    allowed = np.ones((len(cards), len(seats)))
    for row, card in enumerate(cards):
        for column, seat in enumerate(seats):
            if view.voids[seat] >> (card >> 4) & 1 or (view.given >> card & 1 and seat != view.seat ^ 2):
                allowed[row, column] = 0.0
    counts = tuple(HAND_SIZE - view.played[seat].bit_count() for seat in seats)
    return Unseen(cards, seats, counts, allowed)


def contradictions_in(view: View) -> list[tuple[str, int, int]]:
    """Return everything in a view that cannot be true, as (kind, seat, card); -1 for no card.

    Kinds: `too-many` (more than 13 cards played), `uneven` (a seat has played two cards more than another), `twice`
    (played by this seat and by an earlier one), `not-held` (played by the player, who does not hold it), `in-hand`
    (played by another seat, but in the player's hand), `not-dealt` (given, but not in the hand), `received-own`
    (received, but in the hand), `given-elsewhere` (given to partner, but played by another seat).
    """
    impossible: list[tuple[str, int, int]] = []
    own = view.hand & ~view.given | view.received
    numbers = [played.bit_count() for played in view.played]
    known = view.seat != SPECTATOR
    impossible += [("not-dealt", view.seat, card) for card in cards_of(view.given & ~view.hand)]
    impossible += [("received-own", view.seat, card) for card in cards_of(view.received & view.hand)]
    out = 0
    for seat, played in enumerate(view.played):
        if numbers[seat] > HAND_SIZE:
            impossible.append(("too-many", seat, -1))
        if numbers[seat] > min(numbers) + 1:
            impossible.append(("uneven", seat, -1))
        impossible += [("twice", seat, card) for card in cards_of(played & out)]
        out |= played
        if known and seat == view.seat:
            impossible += [("not-held", seat, card) for card in cards_of(played & ~own)]
        elif known:
            impossible += [("in-hand", seat, card) for card in cards_of(played & own)]
            if seat != view.seat ^ 2:
                impossible += [("given-elsewhere", seat, card) for card in cards_of(played & view.given)]
    return impossible


# ---- the order of play, and the room for unseen cards ----------------------------------------------------------------

_SETS_OF_SUITS = sorted(range(1, EVERY_SUIT + 1), key=int.bit_count)  # the smallest first


class NoRoom(NamedTuple):
    """Suits of which more cards are unseen than the seats that may hold them have room for."""

    suits: int  # as a set; bit 0 is clubs
    cards: int  # unseen cards of these suits
    seats: tuple[int, ...]  # the seats that may hold one of these suits
    room: int  # cards that they can hold


def out_of_turn(view: View) -> tuple[str, int] | None:
    """Return the kind of fault and the seat at fault if the seats cannot have played these numbers of cards, else None.

    Kinds: `before-leader` (the seat has played to the first trick before the leader), `not-next` (the seat
    has played to the current trick, but neither led it nor played after another seat). The caller has checked that no
    seat has played two cards more than another.
    """
    numbers = [played.bit_count() for played in view.played]
    most = max(numbers)
    if min(numbers) == most:
        return None
    # The seats that have played to the current trick although the seat before them has not: only the leader may.
    first = [seat for seat in range(4) if numbers[seat] == most > numbers[seat - 1]]
    if most == 1 and first[0] != view.leader:
        return "before-leader", first[0]
    return ("not-next", first[1]) if len(first) > 1 else None


def with_first_trick(view: View) -> View:
    """Return the view with those voids added that seats have shown in the first trick, if no second trick has begun.

    A seat that does not follow suit is out of the suit. A seat that leads a spade to the first trick holds only spades.
    """
    played, leader = view.played, view.leader
    if leader == UNKNOWN or max(cards.bit_count() for cards in played) != 1 or not played[leader]:
        return view
    lead = played[leader].bit_length() - 1
    voids = [*view.voids]
    without_spades = view.broken & FIRST_WITHOUT_SPADES
    if lead >= FIRST_SPADE and (without_spades or not view.broken & SPADES_LED):
        voids[leader] |= SIDE_SUITS
    for seat in range(4):
        if played[seat] and played[seat].bit_length() - 1 >> 4 != lead >> 4:
            voids[seat] |= 1 << (lead >> 4)
            if without_spades and played[seat].bit_length() - 1 >= FIRST_SPADE:
                voids[seat] |= SIDE_SUITS
    return view._replace(voids=(voids[0], voids[1], voids[2], voids[3]))


def hand_contradictions(view: View) -> list[tuple[str, int, int]]:
    """Return what cannot be true of the cards that seats still hold, as (kind, seat, suit); -1 for no suit.

    Kinds: `void-unshown` (the seat has not failed to follow the suit: it has played no other one, or it is the first
    trick), `given-left` (the seat has fewer cards left than it must still hold of those that it was given),
    `void-unplayed` (the seat has played no card, so that it has shown nothing), `void-held` (the player still holds the
    suit), `void-given` (the seat still holds a card of the suit that the player gave to it), `void-all` (the seat is
    out of every suit, but has cards left).
    """
    impossible: list[tuple[str, int, int]] = []
    known = view.seat != SPECTATOR
    held = [0, 0, 0, 0]  # by seat: the cards that it is known to hold
    if known:
        partner = view.seat ^ 2
        held[view.seat] = (view.hand & ~view.given | view.received) & ~view.played[view.seat]
        held[partner] = view.given & ~view.played[partner]
        if held[partner].bit_count() > HAND_SIZE - view.played[partner].bit_count():
            impossible.append(("given-left", partner, -1))
    for seat, voids in enumerate(view.voids):
        own = known and seat == view.seat
        number = view.played[seat].bit_count()
        if voids and not own and number == 0:
            impossible.append(("void-unplayed", seat, -1))
        elif voids == EVERY_SUIT and not own and number < HAND_SIZE:
            impossible.append(("void-all", seat, -1))
        else:
            kind = "void-held" if own else "void-given"
            suits = [suit for suit in range(len(SUITS)) if voids >> suit & 1]
            still = [(kind, seat, suit) for suit in suits if held[seat] >> 16 * suit & SUIT_BITS]
            if not still and not own and (suit := _unshown(view, seat)) >= 0:
                still = [("void-unshown", seat, suit)]
            impossible += still
    return impossible


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

    ``view`` has no other contradictions.
    """
    if not any(view.voids):
        return None
    own = view.hand & ~view.given | view.received
    out = view.played[0] | view.played[1] | view.played[2] | view.played[3]
    partners = view.given & ~out  # these are in partner's hand
    unseen = view.deck & ~(own | out | partners)
    room = [HAND_SIZE - played.bit_count() for played in view.played]
    if view.seat != SPECTATOR:
        room[view.seat] = 0
        room[view.seat ^ 2] -= partners.bit_count()
    suits = suits_without_room(unseen, view.voids, room)
    if not suits:
        return None
    seats = tuple(seat for seat in range(4) if seat != view.seat and suits & ~view.voids[seat])
    cards = sum(number for suit, number in enumerate(suit_lengths(unseen)) if suits >> suit & 1)
    return NoRoom(suits, cards, seats, sum(room[seat] for seat in seats))


def suits_without_room(unseen: int, voids: Sequence[int], room: Sequence[int]) -> int:
    """Return the smallest set of suits for whose ``unseen`` cards the seats have no room; 0 if some deal fits.

    ``voids``: by seat, the suits that it cannot hold; ``room``: by seat, the number of unseen cards that it holds. Some
    deal fits if, for every set of suits, the seats that may hold at least one of them have room for all unseen cards of
    these suits (Hall, On Representatives of Subsets, 1935). Sets that every seat may hold have the room of all hands.
    """
    lengths = suit_lengths(unseen)
    for suits in _SETS_OF_SUITS:
        if any(suits & ~void == 0 for void in voids):
            cards = sum(number for suit, number in enumerate(lengths) if suits >> suit & 1)
            if cards > sum(places for places, void in zip(room, voids) if suits & ~void):
                return suits
    return 0


def suit_lengths(cards: int) -> tuple[int, int, int, int]:
    """Return the number of cards of each suit, clubs first."""
    clubs, diamonds, hearts, spades = suits_of(cards)
    return clubs.bit_count(), diamonds.bit_count(), hearts.bit_count(), spades.bit_count()


# ---- what cannot be true, as sentences -------------------------------------------------------------------------------

NOTHING_FITS = (
    "no deal of the unseen cards fits these bids; accepted: bids that the other hands could make"  # if `infer` is None
)
_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
# By the kind of a contradiction: the field, and the sentence about it.
_CONTRADICTIONS = {
    "too-many": ("played", "seat {seat} has played more than 13 cards; accepted: at most 13"),
    "uneven": ("played", "seat {seat} has played two cards more than another seat; accepted: at most one more"),
    "twice": ("played", "seat {seat} has played {card}, and so has an earlier seat; accepted: each card once"),
    "not-held": ("played", "seat {seat} has played {card}, which is not in its hand; accepted: cards that it held"),
    "in-hand": ("played", "seat {seat} has played {card}, which is in the hand of seat {own}; accepted: other cards"),
    "given-elsewhere": (
        "played",
        "seat {seat} has played {card}, which was given to seat {partner}; accepted: other cards",
    ),
    "given-left": (
        "played",
        "seat {seat} has fewer cards left than exchanged cards that it must still hold; accepted: fewer cards played",
    ),
    "before-leader": (
        "played",
        "seat {seat} has played a card before {leader}; accepted: {leader} leads the first trick",
    ),
    "not-next": (
        "played",
        "seat {seat} and another seat have both played to this trick before the seat on their right; accepted: one "
        "such seat, which led the trick",
    ),
    "revoke": ("played", "seat {seat} did not follow {suit} in the first trick, but holds {suit}; accepted: {suit}"),
    "void-unplayed": (
        "voids",
        "seat {seat} has played no card, so it cannot have shown a void; accepted: voids of seats that have played",
    ),
    "void-unshown": (
        "voids",
        "seat {seat} has not failed to follow {suit}; accepted: voids of seats that have played another suit instead",
    ),
    "void-held": ("voids", "seat {seat} still holds {suit}; accepted: suits that are not in the hand"),
    "void-given": ("voids", "seat {seat} still holds an exchanged card of {suit}; accepted: other suits"),
    "void-all": ("voids", "seat {seat} is out of every suit, but it has cards left; accepted: at most three suits"),
}
# `passing.check_pass` has found these, and knows cards that were given and came back.
_EXCHANGE_KINDS = ("not-dealt", "received-own")


def contradictions(view: View, bids: tuple[int, ...], rules: Rules) -> list[Contradiction]:
    """Return what cannot be true of a view and the bids; for a view without contradictions, [].

    ``view``: as the viewer states it, without what the first trick has shown.
    """
    shown = with_first_trick(view)
    impossible = _in_view(view, shown, rules) + _in_bids(view, bids, rules)
    if not impossible and (lack := no_room(shown)) is not None:
        impossible.append(_room(lack, "voids" if any(view.voids) else "played"))
    return impossible


def _in_view(view: View, shown: View, rules: Rules) -> list[Contradiction]:
    """Return what cannot be true in a view. ``shown``: the view with what the first trick has shown."""
    impossible: list[tuple[str, int, int, int]] = [
        (kind, seat, card, -1) for kind, seat, card in contradictions_in(view) if kind not in _EXCHANGE_KINDS
    ]
    for kind, seat, suit in hand_contradictions(shown):
        is_stated = suit < 0 or view.voids[seat] >> suit & 1
        impossible.append((kind if is_stated else "revoke", seat, -1, suit))
    if all(kind != "uneven" for kind, *_ in impossible) and (turn := out_of_turn(view)) is not None:
        impossible.append((*turn, -1, -1))
    names = CARD_NAMES[deck_number(rules)]
    faults = []
    for kind, seat, card, suit in impossible:
        field, sentence = _CONTRADICTIONS[kind]
        leader = "the holder of the lowest club" if view.leader == UNKNOWN else f"seat {view.leader}"
        values = {"own": view.seat, "partner": view.seat ^ 2, "card": names.get(card), "suit": _SUIT_NAMES[suit]}
        values["leader"] = leader
        faults.append(Contradiction((field, seat), "contradiction", sentence.format(seat=seat, **values)))
    return faults


def _in_bids(view: View, bids: tuple[int, ...], rules: Rules) -> list[Contradiction]:
    """Return the faults of bids in the variants in which a bid is the number of spades that the seat was dealt."""
    if rules.variant not in SPADE_COUNTS:
        return []
    faults = []
    passes = rules.nil_pass or rules.blind_nil_pass  # seats may have played spades that they were not dealt
    dealt = [bid if bid or rules.variant != WHIZ else -1 for bid in bids] + [-1] * (4 - len(bids))  # -1: any number
    dealt = [-1 if bid == BLIND_NIL else bid for bid in dealt]
    for seat, bid in enumerate(dealt):
        known = view.hand if seat == view.seat else 0 if passes else view.played[seat]
        spades = spades_of(known).bit_count()
        if seat == view.seat and bid < 0:
            dealt[seat] = spades
        elif 0 <= bid < spades or (seat == view.seat and bid != spades):
            what = "its hand has" if seat == view.seat else "it has played"
            detail = f"the bid of seat {seat} is {bid}, but {what} {spades} spades; accepted: the number of its spades"
            faults.append(Contradiction(("bids", seat), "contradiction", detail))
    total = sum(spades for spades in dealt if spades > 0)
    number = spades_of(view.deck).bit_count()
    if not faults and (total > number or (total < number and -1 not in dealt)):
        detail = f"the hands have {total} spades by these bids; accepted: {number}"
        faults.append(Contradiction(("bids",), "contradiction", detail))
    return faults


def _room(lack: NoRoom, field: str) -> Contradiction:
    """Return the contradiction in ``field``: unseen cards for which the seats that may hold them have no room."""
    suits = " and ".join(_SUIT_NAMES[suit] for suit in reversed(range(len(SUITS))) if lack.suits >> suit & 1)
    who = (
        f"the seats that may hold them ({', '.join(map(str, lack.seats))}) have"
        if lack.seats
        else "the other seats have"
    )
    detail = f"{lack.cards} cards of {suits} are unseen, but {who} room for {lack.room}; accepted: fewer voids"
    return Contradiction((field,), "contradiction", detail)


def viewers_pass(
    hand: int | None, seat: int | None, bids: tuple[int, ...], given: int, received: int, has_played: bool, rules: Rules
) -> tuple[PassedCards, list[Contradiction]]:
    """Return the cards that a viewer has given and got, and everything about them that cannot be true.

    ``hand``, ``seat``: None for a spectator. Before the first card, ``given`` and ``received`` may be empty although
    the rules have a pass: then nothing has been exchanged yet.
    """
    none = PassedCards(0, 0)
    is_player = hand is not None and seat is not None
    if not (given or received) and not (is_player and has_played):
        return none, []
    if hand is None or seat is None or len(bids) < 4:
        accepted = "only after 4 bids" if is_player else "only with hand and seat"
        return none, [
            Contradiction((field,), "unsupported-field", f"{field} is present; accepted: {accepted}")
            for field, cards in (("given", given), ("received", received))
            if cards
        ]
    passed, faults = check_pass(hand, bids, seat, given, received, rules)
    if faults:
        return none, faults
    # A card that came from partner and went back is in partner's hand, and the player knows it.
    return PassedCards(passed.given | given & received & ~hand, passed.received), []

"""What a player, or a spectator, knows about the cards of a round, and which seats may hold each unseen card."""

from typing import NamedTuple

import numpy as np

from spades.cards import cards_of
from spades.inference.deals import Floats

SPECTATOR = -1  # in `View.seat`: nobody's hand is known
CARDS = 13  # cards that each seat is dealt


class View(NamedTuple):
    """What one player, or a spectator, knows. Sets of cards are bit masks. Seats are in bidding order."""

    deck: int  # the 52 cards in play
    seat: int  # the player, or SPECTATOR
    hand: int  # the cards that the player was dealt, 0 for a spectator
    given: int  # of these, the cards that the player gave to partner after the bidding
    received: int  # the cards that the player got from partner
    played: tuple[int, int, int, int]  # by seat: the cards that it has played
    voids: tuple[int, int, int, int]  # by seat: the suits that it has shown to be out of; bit 0 is clubs


class Unseen(NamedTuple):
    """The cards that the viewer cannot see, and the seats that may hold them."""

    cards: tuple[int, ...]  # m cards, lowest first
    seats: tuple[int, ...]  # the other seats, in bidding order after the viewer; all four for a spectator
    counts: tuple[int, ...]  # for each of these seats: the number of cards that it still holds
    allowed: Floats  # (m, seats): 1 if the seat may hold the card, otherwise 0


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
    counts = tuple(CARDS - view.played[seat].bit_count() for seat in seats)
    return Unseen(cards, seats, counts, allowed)


def contradictions_in(view: View) -> list[tuple[str, int, int]]:
    """Return everything in a view that cannot be true, as (kind, seat, card); -1 for no card.

    Kinds: `too-many` (more than 13 cards played), `uneven` (a seat has played two cards more than another), `twice`
    (played by this seat and by an earlier one), `not-held` (played by the player, who does not hold it), `in-hand`
    (played by another seat, but in the player's hand), `not-dealt` (given, but not in the hand), `received-own`
    (received, but in the hand), `given-elsewhere` (given to partner, but played by another seat).
    """
    found: list[tuple[str, int, int]] = []
    own = view.hand & ~view.given | view.received
    numbers = [played.bit_count() for played in view.played]
    known = view.seat != SPECTATOR
    found += [("not-dealt", view.seat, card) for card in cards_of(view.given & ~view.hand)]
    found += [("received-own", view.seat, card) for card in cards_of(view.received & view.hand)]
    out = 0
    for seat, played in enumerate(view.played):
        if numbers[seat] > CARDS:
            found.append(("too-many", seat, -1))
        if numbers[seat] > min(numbers) + 1:
            found.append(("uneven", seat, -1))
        found += [("twice", seat, card) for card in cards_of(played & out)]
        out |= played
        if known and seat == view.seat:
            found += [("not-held", seat, card) for card in cards_of(played & ~own)]
        elif known:
            found += [("in-hand", seat, card) for card in cards_of(played & own)]
            if seat != view.seat ^ 2:
                found += [("given-elsewhere", seat, card) for card in cards_of(played & view.given)]
    return found

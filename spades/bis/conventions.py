"""Bidding conventions (ECAI 2020, appendix G.2), as kernels: bids that ask partner for a nil.

The first of two partners (seats 0 and 1) reserves one bid as a signal for hands that can protect a nil: 5 in Big 5, 6
in Big 6. A hand that meets the convention's conditions makes this bid, whatever its regular takes. Any other hand that
would bid the same number bids one less. A hand that bids nil itself does neither. The end-of-game rules do not change a
signal, and make no bid that partner would read as one.

The second partner answers a 6 with a blind nil if the rules allow it (`blind_nil`). Otherwise they answer it like a 5:
with a nil, at a lower threshold, and the king or queen of spades does not rule it out.

`tables.convention_of` returns the convention that applies at a score. A signal that the rules of the game do not
allow is not made. See docs/explanation/how-bis-bids.md, "Conventions".
"""

from typing import NamedTuple

from spades.cards import ACE, JACK, KING, TEN, spades_of
from spades.legal import NO_BID
from spades.options import BIG5, BIG6, NO_CONVENTION

BIG5_BID, BIG6_BID = 5, 6  # the bids that are reserved as signals of Big 5 and Big 6
BIG5_MOST_TAKES = 6  # most regular takes of a Big 5 signal; Big 6 has no upper limit

# How the convention changed a bid.
SILENT, BIG5_SIGNAL, BIG5_REFUSAL, BIG5_ANSWER, BIG6_SIGNAL, BIG6_REFUSAL, BIG6_ANSWER = range(7)
CONVENTION_RULES = (
    "",
    "big5-signal",
    "big5-refusal",
    "big5-answer",
    "big6-signal",
    "big6-refusal",
    "big6-answer",
)


class ConventionStep(NamedTuple):
    """How a convention changed a bid."""

    bid: int
    rule: int  # SILENT if the convention did not apply, otherwise the rule of CONVENTION_RULES
    before: int  # the bid without the convention


NO_CONVENTION_STEP = ConventionStep(NO_BID, SILENT, NO_BID)  # if no convention is played


def guarded(cards: int, rank: int) -> bool:
    """Return whether a side suit can protect partner's nil: the hand is void in it, or has a card of ``rank`` or above.

    ``cards``: the hand's holding in the suit.
    """
    return cards == 0 or cards >= 1 << rank


def covers_nil(hand: int, takes: int, fewest: int) -> bool:
    """Return whether the hand meets Big 5's conditions for a signal.

    They are: the ace or king of spades, ``fewest`` (default 4) to 6 regular takes, and in each side suit a card above
    the ten or a void.
    """
    return (
        fewest <= takes <= BIG5_MOST_TAKES
        and spades_of(hand) >= 1 << KING
        and guarded(hand & 0xFFFF, JACK)
        and guarded(hand >> 16 & 0xFFFF, JACK)
        and guarded(hand >> 32 & 0xFFFF, JACK)
    )


def covers_blind_nil(hand: int, takes: int, fewest: int) -> bool:
    """Return whether the hand meets Big 6's conditions for a signal.

    They are: the ace of spades, at least ``fewest`` (default 4) regular takes, and in each side suit the ten, a card
    above it or a void.
    """
    return (
        takes >= fewest
        and spades_of(hand) >= 1 << ACE
        and guarded(hand & 0xFFFF, TEN)
        and guarded(hand >> 16 & 0xFFFF, TEN)
        and guarded(hand >> 32 & 0xFFFF, TEN)
    )


def reserved_bid(convention: int, seat: int) -> int:
    """Return the bid that ``convention`` reserves as a signal of the player in ``seat``; NO_BID if there is none."""
    if seat > 1:
        return NO_BID
    return BIG5_BID if convention == BIG5 else (BIG6_BID if convention == BIG6 else NO_BID)


def is_signal(rule: int) -> bool:
    """Return whether ``rule``, of a `ConventionStep`, made a signal."""
    return rule == BIG5_SIGNAL or rule == BIG6_SIGNAL


def partner_signalled(partner_bid: int, convention: int) -> bool:
    """Return whether partner has made the bid that ``convention`` reserves as its signal."""
    if convention == BIG5:
        return partner_bid == BIG5_BID
    return convention == BIG6 and partner_bid == BIG6_BID


def signal(hand: int, seat: int, bid: int, takes: int, convention: int, fewest: int, allowed: int) -> ConventionStep:
    """Return how ``convention`` changes ``bid``, the bid that the hand in ``seat`` is about to make.

    ``takes``: the hand's regular takes; ``fewest``: the least takes with which a hand signals; ``allowed``: the set of
    bids that the rules allow. If it does not contain the signal's number, the hand does not signal.
    """
    if convention == NO_CONVENTION or seat > 1 or bid == 0:
        return ConventionStep(bid, SILENT, bid)
    if convention == BIG5:
        if covers_nil(hand, takes, fewest):
            return (
                ConventionStep(BIG5_BID, BIG5_SIGNAL, bid)
                if allowed >> BIG5_BID & 1
                else ConventionStep(bid, SILENT, bid)
            )
        return ConventionStep(BIG5_BID - 1, BIG5_REFUSAL, bid) if bid == BIG5_BID else ConventionStep(bid, SILENT, bid)
    if covers_blind_nil(hand, takes, fewest):
        return (
            ConventionStep(BIG6_BID, BIG6_SIGNAL, bid) if allowed >> BIG6_BID & 1 else ConventionStep(bid, SILENT, bid)
        )
    return ConventionStep(BIG6_BID - 1, BIG6_REFUSAL, bid) if bid == BIG6_BID else ConventionStep(bid, SILENT, bid)


def answer_signal(unasked: int, convention: int) -> ConventionStep:
    """Return the convention's step for a hand that bids nil after partner's signal.

    ``unasked``: the bid that the hand would have made without the signal.
    """
    return ConventionStep(0, BIG5_ANSWER if convention == BIG5 else BIG6_ANSWER, unasked)

"""Bidding conventions (ECAI 2020, appendix G.2), as kernels: bids that ask partner for a nil.

The first of two partners (seats 0 and 1) keeps one bid for hands that cover a nil: 5 in Big 5, 6 in Big 6. Such a hand
bids it whatever its takes; another hand that would bid it bids one less; a nil of its own goes before both. The second
partner answers a 6 with a blind nil where the rules allow it (`blind_nil`), otherwise, as after a 5, with a nil at a
lower threshold, the king or queen of spades allowed. `table_profile.convention_of` says which convention holds at a
score. The end of the game and the rules come later and may change a signal.
"""

from typing import NamedTuple

from service.bidding.game.auction import NO_BID
from service.bidding.game.cards import ACE, JACK, KING, TEN
from service.bidding.policies import BIG5, BIG6, NO_CONVENTION

FIVE, SIX = 5, 6  # the bids that are kept for a signal
MOST_TAKES = 6  # of a signal in Big 5; Big 6 has no upper limit

# What the convention made of a bid.
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
    """What the convention made of a bid."""

    bid: int
    rule: int  # SILENT, or what the bid says
    before: int  # the bid without it


NO_CONVENTION_STEP = ConventionStep(NO_BID, SILENT, NO_BID)  # where no convention is played


def guarded(cards: int, rank: int) -> bool:
    """Whether a side suit can't lose to partner's low cards: a void, or a card of ``rank`` or above."""
    return cards == 0 or cards >= 1 << rank


def covers_nil(hand: int, takes: int, fewest: int) -> bool:
    """Big 5's hand: A or K of spades, ``fewest`` (4) to 6 takes, in each side suit a card above the ten or a void."""
    return (
        fewest <= takes <= MOST_TAKES
        and hand >> 48 >= 1 << KING
        and guarded(hand & 0xFFFF, JACK)
        and guarded(hand >> 16 & 0xFFFF, JACK)
        and guarded(hand >> 32 & 0xFFFF, JACK)
    )


def covers_blind_nil(hand: int, takes: int, fewest: int) -> bool:
    """Big 6's hand: A of spades, at least ``fewest`` (4) takes, in each side suit a card from the ten up or a void."""
    return (
        takes >= fewest
        and hand >> 48 >= 1 << ACE
        and guarded(hand & 0xFFFF, TEN)
        and guarded(hand >> 16 & 0xFFFF, TEN)
        and guarded(hand >> 32 & 0xFFFF, TEN)
    )


def partner_signalled(partner_bid: int, convention: int) -> bool:
    """Return whether the bidder's partner has made the bid that ``convention`` keeps for a signal."""
    if convention == BIG5:
        return partner_bid == FIVE
    return convention == BIG6 and partner_bid == SIX


def signal(hand: int, seat: int, bid: int, takes: int, convention: int, fewest: int, allowed: int) -> ConventionStep:
    """What the hand in ``seat`` bids under ``convention`` where it is about to bid ``bid``.

    ``takes``: the hand's regular takes; ``fewest``: those that a signal needs; ``allowed``: the set of bids that the
    rules allow, for a hand that may not bid a signal gives none.
    """
    if convention == NO_CONVENTION or seat > 1 or bid == 0:
        return ConventionStep(bid, SILENT, bid)
    if convention == BIG5:
        if covers_nil(hand, takes, fewest):
            return ConventionStep(FIVE, BIG5_SIGNAL, bid) if allowed >> FIVE & 1 else ConventionStep(bid, SILENT, bid)
        return ConventionStep(FIVE - 1, BIG5_REFUSAL, bid) if bid == FIVE else ConventionStep(bid, SILENT, bid)
    if covers_blind_nil(hand, takes, fewest):
        return ConventionStep(SIX, BIG6_SIGNAL, bid) if allowed >> SIX & 1 else ConventionStep(bid, SILENT, bid)
    return ConventionStep(SIX - 1, BIG6_REFUSAL, bid) if bid == SIX else ConventionStep(bid, SILENT, bid)


def answer_signal(unasked: int, convention: int) -> ConventionStep:
    """A nil after partner's signal; ``unasked``: what the hand would have bid without it."""
    return ConventionStep(0, BIG5_ANSWER if convention == BIG5 else BIG6_ANSWER, unasked)

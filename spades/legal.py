"""The bids that the rules allow with a hand, as kernels: sets of bids as bit masks, and the nearest bid in a set.

Bit b of a set is bid b; bit 0 is nil. A blind nil is never in a set, because the bidder has already seen the hand. This
module does not know the request's `legal_bids`. `winprob` chooses among the bids that are allowed and legal or, if
there are none, among all legal bids. The bids of all other policies are brought into the set by `nearest_allowed`, and
then `bidder` applies `legal_bids`.
"""

from spades.auction import NO_BID
from spades.cards import spades_of
from spades.rules import CUTTHROAT, MIRROR, PARTNERSHIP, SUICIDE, UNLIMITED, WHIZ, WHIZ_STRICT, Rules
from spades.scoring import contract_of, is_nil

EVERY_BID = 0x3FFF  # set of all bids: nil and 1..13
NIL_BIT = 1


def allowed_bids(hand: int, partner_bid: int, rules: Rules) -> int:
    """Return the set of bids that the rules allow with ``hand``; it is never empty.

    ``partner_bid`` is NO_BID if partner has not bid yet. The two bids of a side sum to at most 13, with one exception:
    without a team_max, the smallest number is allowed even if partner's bid leaves fewer tricks than that
    (docs/explanation/how-bis-bids.md, "What the rules change").
    """
    low, high, team_max, nil = rules.min_bid or 1, 13, rules.team_max, NIL_BIT
    variant = rules.variant
    if variant != PARTNERSHIP:
        if variant == CUTTHROAT:
            return EVERY_BID & -1 << low | NIL_BIT
        if variant == MIRROR or variant == WHIZ or variant == WHIZ_STRICT:
            count = 1 << spades_of(hand).bit_count()
            return count | NIL_BIT if variant == WHIZ else count
    if team_max < UNLIMITED:
        high = team_max
    if variant == SUICIDE:
        if partner_bid != NO_BID:
            if not is_nil(partner_bid):
                return NIL_BIT
            nil = 0
        if low < rules.team_min:
            low = rules.team_min  # partner's nil adds nothing to the contract
    elif partner_bid == NO_BID:
        if team_max < UNLIMITED:
            high -= low  # leave room for partner's smallest number
    else:
        tricks = contract_of(partner_bid)
        high -= tricks
        least = rules.team_min - tricks
        if least > 0:
            nil = 0  # with a nil, the side's contract would be below team_min
            if low < least:
                low = least
        elif tricks == 0 and not rules.double_nil:
            nil = 0
    if high >= low:
        return (2 << high) - (1 << low) | nil
    return nil if nil and team_max < UNLIMITED else 1 << low | nil


def possible_bids(partner_bid: int, rules: Rules) -> int:
    """Return the set of bids that the rules allow with at least one hand.

    ``partner_bid`` is NO_BID if partner has not bid yet.
    """
    variant = rules.variant
    if variant == MIRROR or variant == WHIZ or variant == WHIZ_STRICT:
        return bids_between(0, 13 if partner_bid == NO_BID else 13 - contract_of(partner_bid))
    return allowed_bids(0, partner_bid, rules)


def bids_between(low: int, high: int) -> int:
    """Return the set of bids ``low`` to ``high``; it is empty if ``high`` is lower than ``low``.

    >>> bin(bids_between(2, 4))
    '0b11100'
    """
    return (2 << high) - (1 << low) if high >= low else 0


def nearest_number(bid: int, allowed: int) -> int:
    """Return the number in the set ``allowed`` that is nearest to ``bid``.

    If two numbers are equally near, return the lower one. If the set has no number, return 0 (nil).

    >>> nearest_number(3, 0b110001), nearest_number(3, 0b1)
    (4, 0)
    """
    numbers = allowed & ~NIL_BIT
    if numbers == 0:
        return 0
    below = numbers & ((2 << bid) - 1)
    above = numbers & ~((1 << bid) - 1)
    if below == 0:
        return (above & -above).bit_length() - 1
    lower = below.bit_length() - 1
    if above == 0:
        return lower
    higher = (above & -above).bit_length() - 1
    return higher if higher - bid < bid - lower else lower


def nearest_allowed(bid: int, takes: int, allowed: int) -> int:
    """Return ``bid`` if the set ``allowed`` contains it, otherwise the nearest number in the set.

    For a nil that is not allowed, return the number nearest to the regular takes, ``takes``. If the set has no number,
    return 0 (nil).
    """
    if allowed >> bid & 1:
        return bid
    return nearest_number(takes if bid == 0 else bid, allowed)

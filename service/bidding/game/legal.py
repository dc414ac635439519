"""Which bids the rules allow a hand, as kernels: sets of bids as bit masks, and the nearest bid in one.

Bit b stands for bid b, bit 0 for nil. A blind nil is never in a set: whoever asks has seen the hand. The request's
`legal_bids` are not known here; they have the last word in `bidder`. Data comes from the rules; every bid goes
through `nearest_allowed`, in the service and in the simulator.
"""

from service.bidding.game.auction import NO_BID, partner_bid
from service.bidding.game.rules import CUTTHROAT, MIRROR, PARTNERSHIP, SUICIDE, UNLIMITED, WHIZ, WHIZ_STRICT, Rules
from service.bidding.game.scoring import contract_of, is_nil

EVERY_BID = 0x3FFF  # nil and 1..13
NIL_BIT = 1


def allowed_bids(hand: int, seat: int, b0: int, b1: int, rules: Rules) -> int:
    """The set of bids that the rules allow in ``seat`` with ``hand``; never empty.

    A side's two bids sum to 13 at most, but the least bid is allowed beside a 13 too (bis.md, section 3).
    """
    variant = rules.variant
    if variant == CUTTHROAT:
        return EVERY_BID & ~bids_between(1, rules.min_bid - 1)
    partner = partner_bid(seat, b0, b1)
    if variant == PARTNERSHIP and partner < 13 and not (rules.min_bid or rules.team_min or rules.team_max < UNLIMITED):
        # `restricted_bids` for most requests, in a third of its time
        if partner > 0:
            return (2 << (13 - partner)) - 1
        return EVERY_BID if rules.double_nil or partner == NO_BID else EVERY_BID & ~NIL_BIT
    return restricted_bids(hand, partner, rules)


def restricted_bids(hand: int, partner: int, rules: Rules) -> int:
    """`allowed_bids` beside a partner who bid ``partner`` (NO_BID: she has yet to), rule by rule."""
    variant = rules.variant
    if variant == MIRROR or variant == WHIZ or variant == WHIZ_STRICT:
        count = 1 << (hand >> 48).bit_count()
        return count | NIL_BIT if variant == WHIZ else count
    low = rules.min_bid if rules.min_bid > 1 else 1
    high = 13 if rules.team_max == UNLIMITED else rules.team_max
    nil = NIL_BIT
    if variant == SUICIDE:
        if partner != NO_BID and not is_nil(partner):
            return NIL_BIT
        nil = NIL_BIT if partner == NO_BID else 0
        if low < rules.team_min:
            low = rules.team_min  # the nil beside it adds nothing
    elif partner == NO_BID:
        if rules.team_max < UNLIMITED:
            high -= low  # partner must be able to bid a number
    else:
        high -= contract_of(partner)
        least = rules.team_min - contract_of(partner)
        if least > 0:
            nil = 0  # a nil would leave the side below its minimum
        elif is_nil(partner) and not rules.double_nil:
            nil = 0
        if low < least:
            low = least
    numbers = bids_between(low, high)
    if numbers == 0 and (nil == 0 or rules.team_max == UNLIMITED):
        numbers = bids_between(low, low)
    return numbers | nil


def possible_bids(partner: int, rules: Rules) -> int:
    """The set of bids that the rules allow some hand beside ``partner``'s bid (NO_BID: she has yet to)."""
    variant = rules.variant
    if variant == MIRROR or variant == WHIZ or variant == WHIZ_STRICT:
        return bids_between(0, 13 if partner == NO_BID else 13 - contract_of(partner))
    if variant == CUTTHROAT:
        return EVERY_BID & ~bids_between(1, rules.min_bid - 1)
    return restricted_bids(0, partner, rules)


def pair_allowed(first: int, second: int, rules: Rules) -> bool:
    """Whether partners may have bid ``first`` and then ``second`` (NO_BID: not yet), as far as one can tell unseen."""
    beside = NO_BID if rules.variant == CUTTHROAT else first
    return bool(possible_bids(NO_BID, rules) >> contract_of(first) & 1) and (
        second == NO_BID or bool(possible_bids(beside, rules) >> contract_of(second) & 1)
    )


def bids_between(low: int, high: int) -> int:
    """The set of bids low..high; empty when high is lower.

    >>> bin(between(2, 4))
    '0b11100'
    """
    return (2 << high) - (1 << low) if high >= low else 0


def nearest_number(bid: int, allowed: int) -> int:
    """The number in ``allowed`` nearest to ``bid``, the lower of two; nil when it holds no number.

    >>> nearest(3, 0b110001), nearest(3, 0b1)
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
    """``bid`` where it is allowed; else the allowed number nearest to it, for a nil to the regular ``takes``."""
    if allowed >> bid & 1:
        return bid
    return nearest_number(takes if bid == 0 else bid, allowed)

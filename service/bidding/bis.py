"""BIS (ECAI 2020, Algorithm 1) as one kernel: regular takes, nil, end of game, in that order."""

from typing import Any, NamedTuple

from service.bidding.auction import partner_bid, sequence_index
from service.bidding.endgame import UNTOUCHED, Endgame, adjust
from service.bidding.legal import within
from service.bidding.nil import Nil, consider_nil, partnership_threshold
from service.bidding.policies import Policy
from service.bidding.regular import Regular, previous_bids_factor, regular_takes
from service.bidding.rules import Rules


class BisDecision(NamedTuple):
    """A BIS bid with all that made it."""

    bid: int
    regular: Regular
    nil: Nil
    endgame: Endgame


def bis(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    us: int,
    them: int,
    us_bags: int,
    rules: Rules,
    policy: Policy,
    allowed: int,
    t: Any,
) -> BisDecision:
    """The bid of the hand in ``seat`` after the previous bids; scores from its own side.

    ``allowed``: the set of bids that the rules allow; ``t``: the setting's tables.
    """
    factor = previous_bids_factor(seat, b0, b1, b2, t) if policy.factor else 0.0
    regular = regular_takes(hand, seat, b0, b1, b2, factor, policy.offset, t)
    sequence = sequence_index(seat, b0, b1, b2)
    threshold = policy.nil_threshold
    if policy.dynamic:
        threshold = partnership_threshold(regular.takes, partner_bid(seat, b0, b1), sequence, t)
    nil = consider_nil(
        hand,
        seat,
        b0,
        b1,
        sequence,
        policy.curves,
        threshold,
        policy.spade_honours,
        policy.nils,
        rules.nil_points,
        allowed,
        t,
    )
    bid = 0 if nil.chosen else regular.takes
    if not policy.endgame:
        return BisDecision(
            within(bid, regular.takes, allowed), regular, nil, Endgame(bid, UNTOUCHED, bid, 0.0, 0.0, 0.0)
        )
    end = adjust(
        seat,
        b0,
        b1,
        b2,
        bid,
        regular.takes,
        regular.estimate,
        nil.probability,
        nil.ruled_out,
        policy.nil_floor,
        us,
        them,
        us_bags,
        rules,
        t,
    )
    return BisDecision(within(end.bid, regular.takes, allowed), regular, nil, end)

"""One bid from any policy: the kernel that the simulator calls at every turn."""

from typing import Any

from service.bidding.auction import partner_bid
from service.bidding.baselines import io, ms, rb
from service.bidding.bis import bis
from service.bidding.policies import BIS, IO, MS, RB, Policy
from service.bidding.regular import limit_takes
from service.bidding.rules import Rules


def choose_bid(
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
    t: Any,
) -> int:
    """The bid of ``policy``, tricks; scores from the bidder's side."""
    if policy.kind == BIS:
        return bis(hand, seat, b0, b1, b2, us, them, us_bags, rules, policy, t).bid
    if policy.kind == RB:
        return rb(hand, seat, b0, b1, policy, t).bid
    if policy.kind == MS:
        return ms(hand, seat, b0, b1, policy, t).bid
    if policy.kind == IO:
        return io(hand, seat, b0, b1, policy, t).bid
    return limit_takes(float(policy.bid), partner_bid(seat, b0, b1))

"""One bid from any policy: the kernel that the simulator calls at every turn."""

from typing import Any

from service.bidding.baselines import fixed, io, ms, rb
from service.bidding.bis import bis
from service.bidding.legal import allowed_bids, within
from service.bidding.policies import BIS, IO, MS, RB, Policy
from service.bidding.rules import Rules
from service.bidding.setting import setting_of


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
    ts: Any,
) -> int:
    """The bid of ``policy``, tricks, always one that the rules allow.

    Scores from the bidder's side; ``ts``: `Tables` by setting.
    """
    allowed = allowed_bids(hand, seat, b0, b1, rules)
    t = ts[setting_of(rules, policy, us, them)]
    if policy.kind == BIS:
        return bis(hand, seat, b0, b1, b2, us, them, us_bags, rules, policy, allowed, t).bid
    if policy.kind == RB:
        made = rb(hand, seat, b0, b1, policy, t)
    elif policy.kind == MS:
        made = ms(hand, seat, b0, b1, policy, t)
    elif policy.kind == IO:
        made = io(hand, seat, b0, b1, policy, t)
    else:
        made = fixed(seat, b0, b1, policy)
    return within(made.bid, made.takes, allowed)

"""One bid from any policy: the kernel that the simulator calls at every turn."""

from typing import Any

from service.bidding.baselines import fixed, io, ms, rb
from service.bidding.bis.bis import bis
from service.bidding.bis.solo import own_and_best, solo
from service.bidding.bis.stakes import seen_rules
from service.bidding.game.cards import ordinary
from service.bidding.game.legal import allowed_bids, within
from service.bidding.game.rules import Rules
from service.bidding.game.variants import sees_ordinary
from service.bidding.policies import BIS, IO, MS, RB, Policy
from service.bidding.setting import at_setting, setting_of


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
    t = at_setting(ts, setting_of(rules, policy, us, them))
    if sees_ordinary(rules, policy):
        hand = ordinary(hand)
    if policy.kind == BIS:
        if policy.ignores_rules:
            seen = seen_rules(rules)
            free = allowed_bids(hand, seat, b0, b1, seen)
            decided = bis(hand, seat, b0, b1, b2, us, them, us_bags, seen, policy, free, t)
            return within(decided.bid, decided.number, allowed)
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


def choose_solo(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    scores: tuple[int, int, int, int],
    bags: int,
    rules: Rules,
    policy: Policy,
    ts: Any,
) -> int:
    """The bid of ``policy`` where each seat plays for itself; ``scores`` by seat, ``bags`` the bidder's own.

    A policy that knows no such game reads the seat opposite as its partner and the best other score as theirs.
    """
    if policy.kind == BIS and not policy.ignores:
        allowed = allowed_bids(hand, seat, b0, b1, rules)
        seen = seen_rules(rules) if policy.ignores_rules else rules
        t = at_setting(ts, setting_of(rules, policy, 0, 0))
        made = solo(hand, seat, b0, b1, b2, scores, bags, seen, policy, allowed, t)
        return made.bid
    own, best = own_and_best(seat, scores)
    return choose_bid(hand, seat, b0, b1, b2, own, best, bags, rules, policy, ts)

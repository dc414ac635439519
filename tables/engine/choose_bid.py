"""One bid from any policy: the kernel that the simulator calls at every turn."""

from typing import Any

from service.bidding.baselines import fixed, io, ms, rb
from service.bidding.bis.bis import bis
from service.bidding.bis.cutthroat import bis_cutthroat, own_and_best
from service.bidding.bis.stakes import simplified_rules
from service.bidding.game.cards import without_jokers
from service.bidding.game.legal import allowed_bids, nearest_allowed
from service.bidding.game.rules import Rules
from service.bidding.game.variants import sees_no_jokers
from service.bidding.policies import BIS, IO, MS, RB, Policy
from service.bidding.table_profile import profile_of, tables_of_profile


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
    profiles: Any,
) -> int:
    """The bid of ``policy``, tricks, always one that the rules allow.

    Scores from the bidder's side; ``profiles``: `Tables` by setting.
    """
    allowed = allowed_bids(hand, seat, b0, b1, rules)
    t = tables_of_profile(profiles, profile_of(rules, policy, us, them))
    if sees_no_jokers(rules, policy):
        hand = without_jokers(hand)
    if policy.kind == BIS:
        if policy.ignores_rules:
            seen = simplified_rules(rules)
            free = allowed_bids(hand, seat, b0, b1, seen)
            decided = bis(hand, seat, b0, b1, b2, us, them, us_bags, seen, policy, free, t)
            return nearest_allowed(decided.bid, decided.number, allowed)
        return bis(hand, seat, b0, b1, b2, us, them, us_bags, rules, policy, allowed, t).bid
    if policy.kind == RB:
        made = rb(hand, seat, b0, b1, policy, t)
    elif policy.kind == MS:
        made = ms(hand, seat, b0, b1, policy, t)
    elif policy.kind == IO:
        made = io(hand, seat, b0, b1, policy, t)
    else:
        made = fixed(seat, b0, b1, policy)
    return nearest_allowed(made.bid, made.takes, allowed)


def choose_cutthroat_bid(
    hand: int,
    seat: int,
    b0: int,
    b1: int,
    b2: int,
    scores: tuple[int, int, int, int],
    bags: int,
    rules: Rules,
    policy: Policy,
    profiles: Any,
) -> int:
    """The bid of ``policy`` where each seat plays for itself; ``scores`` by seat, ``bags`` the bidder's own.

    A policy that knows no such game reads the seat opposite as its partner and the best other score as theirs.
    """
    if policy.kind == BIS and not policy.ignores:
        allowed = allowed_bids(hand, seat, b0, b1, rules)
        seen = simplified_rules(rules) if policy.ignores_rules else rules
        t = tables_of_profile(profiles, profile_of(rules, policy, 0, 0))
        made = bis_cutthroat(hand, seat, b0, b1, b2, scores, bags, seen, policy, allowed, t)
        return made.bid
    own, best = own_and_best(seat, scores)
    return choose_bid(hand, seat, b0, b1, b2, own, best, bags, rules, policy, profiles)

"""What a variant changes in a decision, as kernels: where its number bid and its nil stand.

Whiz: the number is that of the spades, so a nil is weighed against a contract that may lie far from the takes.
Suicide: one of two partners bids nil, so the first one's number sends the other into a nil with any hand. Both have a
nil threshold that moves with the estimate, fitted by `python -m tables fit variants`. Jokers: two trumps above the
ace. Mirror and strict whiz leave nothing to decide. Which bids are allowed is told in `legal`; cutthroat in `solo`.
"""

from service.bidding.game.rules import JOKERS, PARTNERSHIP, SUICIDE, WHIZ, Rules
from service.bidding.policies import BIS, Policy

RANKS_OF_JOKERS = 2


def variant_of(rules: Rules, policy: Policy) -> int:
    """The variant that ``policy`` bids by."""
    return PARTNERSHIP if policy.ignores else rules.variant


def ranks_above_ace(variant: int) -> int:
    """How many ranks of spades stand above the ace."""
    return RANKS_OF_JOKERS if variant == JOKERS else 0


def sees_no_jokers(rules: Rules, policy: Policy) -> bool:
    """Whether ``policy`` knows no jokers and reads a hand that may hold them as `cards.without_jokers` gives it."""
    return rules.variant == JOKERS and (policy.kind != BIS or policy.ignores != 0)


def nil_threshold(variant: int, policy: Policy, estimate: float, number: int) -> float:
    """Points that a nil must be worth beside a bid of ``number`` with ``estimate`` tricks.

    Whiz: it rises with the tricks that the estimate has beyond the number; suicide: with the estimate itself.
    """
    if variant == WHIZ:
        return policy.nil_threshold + policy.nil_slope * (estimate - number)
    if variant == SUICIDE:
        return policy.nil_threshold + policy.nil_slope * estimate
    return policy.nil_threshold

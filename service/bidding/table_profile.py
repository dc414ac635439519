"""Which tables a decision reads: one `Tables` for each setting, chosen by a kernel.

A setting is a game that is bid or played otherwise: a variant, or a partnership's convention. Tables that a setting
has none of its own of are the partnership's (`tableset.tables_by_profile`).
"""

from service.bidding.game.rules import CUTTHROAT, JOKERS, PARTNERSHIP, SUICIDE, WHIZ, Rules
from service.bidding.game.scoring import Standing
from service.bidding.policies import AUTO, BIG5, BIG6, NO_CONVENTION, Policy

PARTNERSHIP_PROFILE, BIG5_PROFILE, BIG6_PROFILE, CUTTHROAT_PROFILE, WHIZ_PROFILE, SUICIDE_PROFILE, JOKERS_PROFILE = (
    range(7)
)
# The prefix of a setting's own arrays: big5_curves.npy. Mirror and strict whiz leave nothing to decide.
PROFILES = ("partnership", "big5", "big6", "cutthroat", "whiz", "suicide", "jokers")

BIG6_DEFICIT = 100  # `auto` plays Big 6 when behind by more (bis.md, section 3)


def convention_of(rules: Rules, policy: Policy, standing: Standing) -> int:
    """The convention that a side plays at this score: NO_CONVENTION (in any variant), BIG5 or BIG6."""
    if policy.convention == NO_CONVENTION or (rules.variant != PARTNERSHIP and not policy.ignores):
        return NO_CONVENTION
    if policy.convention == AUTO:
        deficit = standing.them - standing.us
        return BIG6 if rules.blind_nil and deficit > max(BIG6_DEFICIT, rules.blind_nil_deficit - 1) else BIG5
    return policy.convention


def profile_of(rules: Rules, policy: Policy, standing: Standing) -> int:
    """The row of a tuple of `Tables` by setting."""
    variant = PARTNERSHIP if policy.ignores else rules.variant
    if variant == PARTNERSHIP:
        if policy.convention == NO_CONVENTION:
            return PARTNERSHIP_PROFILE
        return BIG5_PROFILE if convention_of(rules, policy, standing) == BIG5 else BIG6_PROFILE
    if variant == CUTTHROAT:
        return CUTTHROAT_PROFILE
    if variant == WHIZ:
        return WHIZ_PROFILE
    if variant == SUICIDE:
        return SUICIDE_PROFILE
    return JOKERS_PROFILE if variant == JOKERS else PARTNERSHIP_PROFILE

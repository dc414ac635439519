"""Table profiles: choose the `Tables` that a decision reads.

A profile is a kind of game in which bids or play differ enough for tables of its own: a variant, a deck with jokers, a
convention, or a pass of cards to and from a nil bidder. A profile without its own version of a table uses the
partnership's (`tableset.tables_by_profile`).
"""

from spades.options import AUTO, BIG5, BIG6, NO_CONVENTION, Policy
from spades.rules import CUTTHROAT, JOKERS, PARTNERSHIP, SUICIDE, WHIZ, Rules
from spades.scoring import Standing
from spades.variants import extra_spades_of

PARTNERSHIP_PROFILE, BIG5_PROFILE, BIG6_PROFILE, CUTTHROAT_PROFILE, WHIZ_PROFILE, SUICIDE_PROFILE = range(6)
JOKERS_PROFILE, JJDD_PROFILE = 6, 7  # decks with 15 and with 16 spades
PASS2_PROFILE, PASS4_PROFILE = 8, 9  # nil bidder and partner exchange up to two cards, and more
# Names of the profiles, and prefixes of their arrays: big5_curves.npy. Mirror and strict whiz need none, because their
# rules determine every bid.
PROFILES = ("partnership", "big5", "big6", "cutthroat", "whiz", "suicide", "jokers", "jjdd", "pass2", "pass4")

FEW_PASSED = 2  # most cards that are exchanged in PASS2_PROFILE
EXTRA_WITH_JOKERS = 2  # extra spades (`variants.extra_spades_of`) in the decks of JOKERS_PROFILE
# Points: convention `auto` is Big 6 when the side is further behind (docs/explanation/how-bis-bids.md).
BIG6_DEFICIT = 100


def convention_of(rules: Rules, policy: Policy, standing: Standing) -> int:
    """Return the convention that a side plays at this score: NO_CONVENTION, BIG5 or BIG6.

    In variants other than partnership, it is NO_CONVENTION unless the policy ignores the variant.
    """
    if policy.convention == NO_CONVENTION or (rules.variant != PARTNERSHIP and not policy.ignores):
        return NO_CONVENTION
    if policy.convention == AUTO:
        deficit = standing.them - standing.us
        return BIG6 if rules.blind_nil and deficit > max(BIG6_DEFICIT, rules.blind_nil_deficit - 1) else BIG5
    return policy.convention


def profile_of(rules: Rules, policy: Policy, standing: Standing) -> int:
    """Return the profile that a decision reads, as an index in `PROFILES`."""
    passes = rules.nil_pass > 0 and not policy.ignores_rules
    if policy.convention != NO_CONVENTION and not passes:
        convention = convention_of(rules, policy, standing)
        if convention != NO_CONVENTION:
            return BIG5_PROFILE if convention == BIG5 else BIG6_PROFILE
    if policy.ignores or (rules.variant == PARTNERSHIP and not passes):
        return PARTNERSHIP_PROFILE
    return plain_profile(rules)


def plain_profile(rules: Rules) -> int:
    """Return the profile of bidders that play no convention, as an index in `PROFILES`."""
    variant = rules.variant
    if variant == PARTNERSHIP:
        if rules.nil_pass:
            return PASS2_PROFILE if rules.nil_pass <= FEW_PASSED else PASS4_PROFILE
        return PARTNERSHIP_PROFILE
    if variant == CUTTHROAT:
        return CUTTHROAT_PROFILE
    if variant == WHIZ:
        return WHIZ_PROFILE
    if variant == SUICIDE:
        return SUICIDE_PROFILE
    if variant == JOKERS:
        return JOKERS_PROFILE if extra_spades_of(variant, rules) == EXTRA_WITH_JOKERS else JJDD_PROFILE
    return PARTNERSHIP_PROFILE

"""What a variant changes in a decision, as kernels: the nil threshold, the deck and its additional spades.

Whiz: the number bid must be the number of spades held. A nil then competes with a contract that may be far from the
regular takes. Suicide: exactly one of two partners bids nil, so after partner's number a player must bid nil with any
hand. In both variants the nil threshold depends on the estimate; `python -m tables fit variants` fits it. Jokers: two
to four trumps rank above the ace of spades (`decks`). Mirror and strict whiz leave no choice of bid. `legal` computes
the allowed bids of all variants; `bis.cutthroat` bids in cutthroat.
"""

from spades.decks import DECK_SUITS, EXTRA_SPADES, JOKERS_DECK, STANDARD
from spades.options import BIS, WINPROB, Policy
from spades.rules import JOKERS, MIRROR, PARTNERSHIP, SUICIDE, WHIZ, WHIZ_STRICT, Rules

SPADE_COUNTS = (MIRROR, WHIZ, WHIZ_STRICT)  # variants in which a bid above 0 is the number of the hand's spades


def variant_of(rules: Rules, policy: Policy) -> int:
    """Return the variant that ``policy`` bids by: partnership if the policy ignores the variant."""
    return PARTNERSHIP if policy.ignores else rules.variant


def deck_number(rules: Rules) -> int:
    """Return the index in `decks.DECKS` of the deck in play.

    >>> deck_number(Rules(variant=JOKERS)) == JOKERS_DECK, deck_number(Rules(variant=WHIZ)) == STANDARD
    (True, True)
    """
    if rules.variant == JOKERS and rules.deck == STANDARD:
        return JOKERS_DECK
    return rules.deck


def deck_of(rules: Rules) -> int:
    """Return the 52 cards in play as a bit mask."""
    clubs, diamonds, hearts, spades = DECK_SUITS[deck_number(rules)]
    return clubs | diamonds << 16 | hearts << 32 | spades << 48


def extra_spades_of(variant: int, rules: Rules) -> int:
    """Return the number of spades beyond the standard deck's 13: 2 or 3 if ``variant`` is jokers, otherwise 0.

    ``variant``: from `variant_of`. If the deuce of spades is raised, one more trump than that ranks above the ace.
    """
    return EXTRA_SPADES[deck_number(rules)] if variant == JOKERS else 0


def sees_no_jokers(rules: Rules, policy: Policy) -> bool:
    """Return whether ``policy`` does not know jokers, so that it gets the hand from `cards.without_jokers`."""
    return rules.variant == JOKERS and (policy.ignores != 0 or (policy.kind != BIS and policy.kind != WINPROB))


def nil_threshold(variant: int, policy: Policy, estimate: float, number: int) -> float:
    """Return the points that a nil's expected value must exceed, compared with a bid of ``number``.

    ``estimate``: the hand's estimated tricks. In whiz the threshold rises with the tricks by which the estimate exceeds
    the number; in suicide it rises with the estimate itself.
    """
    if variant == WHIZ:
        return policy.nil_threshold + policy.nil_slope * (estimate - number)
    if variant == SUICIDE:
        return policy.nil_threshold + policy.nil_slope * estimate
    return policy.nil_threshold

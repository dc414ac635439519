"""Bids, what the rules allow and what a variant changes, as kernels: allowed bids, the deck, the nil threshold.

Bit b of a set is bid b; bit 0 is nil. A blind bid is never in a set, because the bidder has already seen the hand. This
module does not know the request's `legal_bids`. `winprob` chooses among the bids that are allowed and legal or, if
there are none, among all legal bids. The bids of all other policies are brought into the set by `nearest_allowed`, and
then `bidder` applies `legal_bids`.

Whiz: the number bid must be the number of spades held. A nil then competes with a contract that may be far from the
regular takes. Suicide: exactly one of two partners bids nil, so after partner's number a player must bid nil with any
hand. In both variants the nil threshold depends on the estimate. Jokers: two to four trumps rank above the ace of
spades (`cards.DECKS`). Mirror and strict whiz leave no choice of bid. `bis.cutthroat` bids in cutthroat.
"""

from collections.abc import Sequence

from spades.cards import DECK_SUITS, EXTRA_SPADES, FIRST_SPADE, JOKERS_DECK, STANDARD, spades_of
from spades.errors import Contradiction
from spades.options import BIS, WINPROB, Policy
from spades.rules import (
    CUTTHROAT,
    FIELDS,
    JOKERS,
    LOWEST_CLUB_LEADS,
    MIRROR,
    PARTNERSHIP,
    SPADES_AT_ANY_TIME,
    SUICIDE,
    UNLIMITED,
    VARIANTS,
    WHIZ,
    WHIZ_STRICT,
    Rules,
    rules_maker,
)

# ---- bids ------------------------------------------------------------------------------------------------------------

# A bid is its tricks, 0..13, or BLIND_NIL. A number that was bid before the hand was seen is larger by BLIND_NUMBER.
NIL = 0
BLIND_NIL = 14
BLIND_NUMBER = 16
HIGHEST_BID = BLIND_NUMBER + 13
NO_BID = -1  # of a seat that has not bid yet


def contract_of(bid: int) -> int:
    """Return the tricks that a bid adds to its side's contract; 0 for a nil.

    >>> contract_of(6), contract_of(BLIND_NUMBER + 6), contract_of(BLIND_NIL)
    (6, 6, 0)
    """
    if bid < BLIND_NIL:
        return bid
    return bid - BLIND_NUMBER if bid > BLIND_NUMBER else 0


def is_blind_number(bid: int) -> bool:
    """Return whether a bid is a number that was bid before the hand was seen."""
    return bid > BLIND_NUMBER


def is_blind_bid(bid: int, rules: Rules) -> bool:
    """Return whether a bid is a blind nil or a blind number that the rules have."""
    if bid == BLIND_NIL:
        return rules.blind_nil > 0
    return 0 < rules.blind_min <= bid - BLIND_NUMBER <= TRICKS


def without_mark(bid: int) -> int:
    """Return a bid as bidders see it: of a blind number, the number; any other bid as it is."""
    return bid - BLIND_NUMBER if bid > BLIND_NUMBER else bid


def is_nil(bid: int) -> bool:
    """Return whether a bid is a nil, blind or not."""
    return bid == NIL or bid == BLIND_NIL


# ---- what a variant changes ------------------------------------------------------------------------------------------

SPADE_COUNTS = (MIRROR, WHIZ, WHIZ_STRICT)  # variants in which a bid above 0 is the number of the hand's spades


def variant_of(rules: Rules, policy: Policy) -> int:
    """Return the variant that ``policy`` bids by: partnership if the policy ignores the variant."""
    return PARTNERSHIP if policy.ignores else rules.variant


def simplified_rules(rules: Rules) -> Rules:
    """Return the rules as a policy with `rules=ignore` sees them.

    They are preset classic's, except for the fields that such a policy still sees (`Rule.seen_by_ignore`).
    """
    return _seen_rules(rules)


_seen_rules = rules_maker(
    __name__,
    "rules",
    (f"rules.{rule.name}" if rule.seen_by_ignore else str(rule.default) for rule in FIELDS.values()),
)


def deck_number(rules: Rules) -> int:
    """Return the index in `cards.DECKS` of the deck in play.

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
    """Return the number of spades beyond the standard deck's 13: 2 or 3 with jokers, otherwise 0.

    ``variant``: from `variant_of`; a policy that bids as in a partnership sees no jokers. If the deuce of spades is
    raised, one more trump than that ranks above the ace.
    """
    return 0 if variant == PARTNERSHIP else EXTRA_SPADES[deck_number(rules)]


def sees_no_jokers(rules: Rules, policy: Policy) -> bool:
    """Return whether ``policy`` does not know jokers, so that it gets the hand from `cards.without_jokers`."""
    has_jokers = rules.variant != PARTNERSHIP and deck_number(rules) != STANDARD
    return has_jokers and (policy.ignores != 0 or (policy.kind != BIS and policy.kind != WINPROB))


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


# ---- leads ----------------------------------------------------------------------------------------------------------

# Bits of `PlayState.broken`, which says what may be led, and what is special in the first trick.
SPADES_LED = 1  # spades may be led: because one was played, or by the rules
LOWEST_CLUB_FIRST = 2  # the next card is the first lead, and it must be the lowest club
FIRST_WITHOUT_SPADES = 4  # the first trick, to which seats with other cards may not play spades


def broken_at_start(rules: Rules) -> int:
    """Return `PlayState.broken` before the first card; 0 for a state that holds no rules.

    >>> broken_at_start(Rules()), broken_at_start(Rules(spades_lead=SPADES_AT_ANY_TIME, first_trick_spades=0))
    (0, 5)
    """
    if rules.win <= 0:
        return 0
    broken = SPADES_LED if rules.spades_lead == SPADES_AT_ANY_TIME else 0
    if rules.first_lead == LOWEST_CLUB_LEADS:
        broken |= LOWEST_CLUB_FIRST
    return broken if rules.first_trick_spades else broken | FIRST_WITHOUT_SPADES


def broken_after(broken: int, card: int, place: int) -> int:
    """Return `PlayState.broken` after ``card`` was played as card ``place`` (0..3) of its trick."""
    broken &= ~LOWEST_CLUB_FIRST
    if card >= FIRST_SPADE:
        broken |= SPADES_LED
    return broken & SPADES_LED if place == 3 else broken


# ---- allowed bids ----------------------------------------------------------------------------------------------------

EVERY_BID = 0x3FFF  # set of all bids: nil and 1..13
NIL_BIT = 1
TRICKS = 13


def allowed_bids(hand: int, partner_bid: int, rules: Rules) -> int:
    """Return the set of bids that the rules allow with ``hand``; it is never empty.

    ``partner_bid`` is NO_BID if partner has not bid yet. The two bids of a side sum to at most 13, with one exception:
    without a team_max, the smallest number is allowed even if partner's bid leaves fewer tricks than that
    (docs/explanation/how-bis-bids.md, "What the rules change").
    """
    low, high, team_max, nil = rules.min_bid or 1, 13, rules.team_max, NIL_BIT if rules.nil else 0
    variant = rules.variant
    if variant != PARTNERSHIP:
        if variant == CUTTHROAT:
            return EVERY_BID & -1 << low | nil
        if variant == MIRROR or variant == WHIZ or variant == WHIZ_STRICT:
            count = 1 << spades_of(hand).bit_count()
            return count | nil if variant == WHIZ else count
    if team_max < UNLIMITED:
        high = team_max
    if variant == SUICIDE:
        if partner_bid != NO_BID:
            if not is_nil(partner_bid):
                return NIL_BIT
            nil = 0
        if low < rules.team_min:
            low = rules.team_min  # partner's nil adds nothing to the contract
    elif partner_bid == NO_BID:
        if team_max < UNLIMITED:
            high -= low  # leave room for partner's smallest number
    else:
        tricks = contract_of(partner_bid)
        high -= tricks
        least = rules.team_min - tricks
        if least > 0:
            nil = 0  # with a nil, the side's contract would be below team_min
            if low < least:
                low = least
        elif tricks == 0 and not rules.double_nil:
            nil = 0
    if high >= low:
        return (2 << high) - (1 << low) | nil
    return nil if nil and team_max < UNLIMITED else 1 << low | nil


def without_sum(allowed: int, sum_of_bids: int, rules: Rules) -> int:
    """Return the bids in ``allowed`` that ``sum_not_13`` leaves the last bidder; all of them if it would leave none.

    ``sum_of_bids``: of the three other seats, in tricks.

    >>> bin(without_sum(0b11110, 10, Rules(sum_not_13=1))), bin(without_sum(0b01000, 10, Rules(sum_not_13=1)))
    ('0b10110', '0b1000')
    """
    if not rules.sum_not_13 or sum_of_bids > TRICKS:
        return allowed
    left = allowed & ~(1 << (TRICKS - sum_of_bids))
    return left if left else allowed


def possible_bids(partner_bid: int, rules: Rules) -> int:
    """Return the set of bids that the rules allow with at least one hand.

    ``partner_bid`` is NO_BID if partner has not bid yet.
    """
    variant = rules.variant
    if variant == MIRROR or variant == WHIZ or variant == WHIZ_STRICT:
        left = TRICKS + extra_spades_of(variant, rules) - (0 if partner_bid == NO_BID else contract_of(partner_bid))
        return bids_between(0, min(left, TRICKS))
    return allowed_bids(0, partner_bid, rules)


def bids_between(low: int, high: int) -> int:
    """Return the set of bids ``low`` to ``high``; it is empty if ``high`` is lower than ``low``.

    >>> bin(bids_between(2, 4))
    '0b11100'
    """
    return (2 << high) - (1 << low) if high >= low else 0


def nearest_number(bid: int, allowed: int) -> int:
    """Return the number in the set ``allowed`` that is nearest to ``bid``.

    If two numbers are equally near, return the lower one. If the set has no number, return 0 (nil).

    >>> nearest_number(3, 0b110001), nearest_number(3, 0b1)
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
    """Return ``bid`` if the set ``allowed`` contains it, otherwise the nearest number in the set.

    For a nil that is not allowed, return the number nearest to the regular takes, ``takes``. If the set has no number,
    return 0 (nil).
    """
    if allowed >> bid & 1:
        return bid
    return nearest_number(takes if bid == 0 else bid, allowed)


def bid_contradictions(bids: Sequence[int], rules: Rules) -> list[Contradiction]:
    """Return what the rules do not allow of 0..4 bids, first bidder first.

    Each is a number, a nil or a blind bid that the rules have. The place of a contradiction is the index of the bid.
    """
    contradictions = []
    for index, bid in enumerate(bids):
        partner = bids[index - 2] if index > 1 and rules.variant != CUTTHROAT else NO_BID
        possible = possible_bids(partner, rules)
        if not possible >> contract_of(bid) & 1:
            code, why = _against(bid, partner, possible, rules)
            beside = "" if partner == NO_BID else f" and the partner's is {bid_word(partner)}"
            detail = f"the bid is {bid_word(bid)}{beside}; accepted: {_texts(possible)}, because {why}"
            contradictions.append(Contradiction((index,), code, detail))
    spades = TRICKS + extra_spades_of(rules.variant, rules)
    if rules.variant in SPADE_COUNTS and sum(bids) > spades:
        detail = f"the bids sum to {sum(bids)}; accepted: at most {spades} with variant {VARIANTS[rules.variant]}"
        contradictions.append(Contradiction((len(bids) - 1,), "bid-out-of-range", detail))
    if len(bids) == 4 and not contradictions:
        *others, last = bids
        possible = possible_bids(NO_BID if rules.variant == CUTTHROAT else bids[1], rules)
        if not without_sum(possible, sum(map(contract_of, others)), rules) >> contract_of(last) & 1:
            detail = f"the bid is {bid_word(last)}, and the four bids sum to {TRICKS}; accepted: another sum, because"
            contradictions.append(Contradiction((3,), "bid-out-of-range", f"{detail} rules.sum_not_13 is true"))
    return contradictions


def _against(bid: int, partner: int, possible: int, rules: Rules) -> tuple[str, str]:
    """Return the code and the rule that excludes a bid which is not among the ``possible`` ones."""
    if rules.variant == SUICIDE and partner != NO_BID and is_nil(partner) == is_nil(bid):
        return "bid-out-of-range", "in variant suicide one of two partners bids nil"
    if not is_nil(bid):
        if contract_of(bid) < rules.min_bid:
            return "bid-out-of-range", f"rules.min_bid is {rules.min_bid}"
        if contract_of(bid) > possible.bit_length() - 1:
            if rules.team_max == UNLIMITED:
                return "team-over-limit", "the bids of two partners sum to 13 at most"
            room = f" and leaves room for the partner's {max(1, rules.min_bid)}" if partner == NO_BID else ""
            return "team-over-limit", f"rules.team_max is {rules.team_max}{room}"
    elif not rules.nil:
        return "bid-out-of-range", "rules.nil is false"
    elif not rules.double_nil and partner != NO_BID and is_nil(partner):
        return "bid-out-of-range", "rules.double_nil is false"
    beside = 0 if partner == NO_BID else contract_of(partner)
    is_first_nil = is_nil(bid) and partner == NO_BID  # excluded by no rule but the variant
    if contract_of(bid) + beside < rules.team_min and not is_first_nil:
        return "team-under-limit", f"rules.team_min is {rules.team_min}"
    return "bid-out-of-range", f"variant {VARIANTS[rules.variant]} does not allow {bid_word(bid)}"


def bid_word(bid: int) -> str:
    """Return a bid as a request has it.

    >>> bid_word(0), bid_word(4), bid_word(BLIND_NIL), bid_word(BLIND_NUMBER + 6)
    ('nil', '4', 'blind_nil', 'blind_6')
    """
    if bid > BLIND_NUMBER:
        return f"blind_{bid - BLIND_NUMBER}"
    return "nil" if bid == NIL else "blind_nil" if bid == BLIND_NIL else str(bid)


def _texts(bids: int) -> str:
    """Return a set of bids (bit b: bid b) as text, such as "nil or 4..9"."""
    numbers = [bid for bid in range(1, bids.bit_length()) if bids >> bid & 1]
    if not numbers:
        return "nil"
    low, high = numbers[0], numbers[-1]
    is_range = low < high and len(numbers) == high - low + 1
    return ("nil or " if bids & 1 else "") + (f"{low}..{high}" if is_range else ", ".join(map(str, numbers)))

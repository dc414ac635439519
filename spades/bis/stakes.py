"""How the rules change BIS's number, offset and nil threshold before the nil decision, as kernels.

If a bag costs more, the estimate rises. If a nil is worth less, its threshold falls. If a contract of ten is worth 200
points, the second partner may bid what makes the contract ten. `legal` computes the allowed bids; `endgame` runs later.
The command `python -m tables fit rules` fits the constants; docs/strength.md shows their effect.
"""

from spades.bis.regular import Regular, certain_tricks
from spades.legal import nearest_allowed
from spades.options import Policy
from spades.rules import FIELDS, Rules, rules_maker
from spades.scoring import NO_BID, TEN_TRICKS, contract_of

# What decided the number: the regular takes, the bids that the rules allow, the contract of ten, certain tricks.
AS_COUNTED, BY_RULES, FOR_TEN, CERTAIN = range(4)
NUMBER_RULES = ("", "table-rules", "ten-for-200", "certain-tricks")

BAG_PRICE = 11.0  # points that a bag costs in the paper (110 for ten); the table `factor` was fitted at 10
BAG_SLOPE = 0.03  # tricks to add for each point above BAG_PRICE
MOST_BAG_OFFSET = 0.75  # tricks
NIL_STAKE = 100  # points of a nil for which the nil threshold was fitted


def bag_offset(rules: Rules) -> float:
    """Return the tricks to add to an estimate because bags cost points, 0 to MOST_BAG_OFFSET."""
    if not rules.bags:
        return 0.0
    offset = BAG_SLOPE * (rules.bag_penalty / rules.bag_limit - BAG_PRICE)
    if offset <= 0.0:
        return 0.0
    return offset if offset < MOST_BAG_OFFSET else MOST_BAG_OFFSET


def scaled_nil_threshold(threshold: float, forced: int, forced_trick: float, rules: Rules) -> float:
    """Return the nil threshold, in points, as the rules change it.

    It shrinks in proportion if a nil is worth less than NIL_STAKE points. It also falls if the smallest bid is above
    the regular takes: ``forced`` is the number of tricks by which `min_bid` exceeds the takes, and ``forced_trick`` is
    the points that a nil saves for each of them.
    """
    if rules.nil_points < NIL_STAKE:
        threshold = threshold * rules.nil_points / NIL_STAKE
    if rules.min_bid and forced > 0:
        threshold -= forced_trick * forced
    return threshold


def number_under_rules(
    regular: Regular, partner_bid: int, allowed: int, rules: Rules, policy: Policy
) -> tuple[int, int]:
    """Return the regular takes as the rules change them, and what changed them.

    The second number is AS_COUNTED, BY_RULES or FOR_TEN. ``partner_bid``: NO_BID if partner has not bid yet;
    ``allowed``: the set of bids that the rules allow.
    """
    takes = regular.takes
    if rules.ten_for_200 and partner_bid != NO_BID:
        bid = TEN_TRICKS - contract_of(partner_bid)
        tricks = TEN_TRICKS - bid + regular.estimate
        if bid > 0 and bid != takes and tricks >= policy.ten_from and allowed >> bid & 1:
            return bid, FOR_TEN
    if allowed >> takes & 1:
        return takes, AS_COUNTED
    return nearest_allowed(takes, takes, allowed), BY_RULES


def contract_is_ten(number: int, partner_bid: int, rules: Rules) -> bool:
    """Return whether ``number`` makes a contract of exactly ten, and the rules reward such a contract."""
    return rules.ten_for_200 > 0 and partner_bid != NO_BID and contract_of(partner_bid) + number == TEN_TRICKS


def at_least_certain(takes: int, spades: int, extra_spades: int, partner_bid: int, allowed: int) -> int:
    """Return ``takes``, or the certain spade tricks of the hand if they are more.

    The certain tricks count as 13 less partner's bid if they are more than that, and as the nearest number in the set
    ``allowed``. ``spades`` and ``extra_spades``: as in `certain_tricks`.
    """
    certain = certain_tricks(spades, extra_spades)
    if partner_bid > 0 and certain > 13 - contract_of(partner_bid):
        certain = 13 - contract_of(partner_bid)
    certain = nearest_allowed(certain, takes, allowed) if certain > takes else takes
    return certain if certain > takes else takes


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

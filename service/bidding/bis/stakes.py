"""What the rules' stakes and limits change before the nil decision, as kernels: the number bid, offset, threshold.

A bag that costs more moves the estimate up, a smaller nil moves its threshold down, and where a contract of ten stakes
200 the second partner completes ten. Which bids are allowed is told in `legal`; the end of the game comes after. The
constants are fitted by `python -m tables fit rules`; what they are worth is in docs/strength.md.
"""

from service.bidding.bis.regular import Regular
from service.bidding.game.auction import NO_BID
from service.bidding.game.legal import nearest_allowed
from service.bidding.game.rules import FIELDS, Rules, rules_maker
from service.bidding.game.scoring import TEN_TRICKS, contract_of
from service.bidding.policies import Policy

# What made the number.
AS_COUNTED, BY_RULES, FOR_TEN = range(3)
NUMBER_RULES = ("", "table-rules", "ten-for-200")

BAG_PRICE = 11.0  # points a bag costs in the paper (110 for ten); the factor was fitted at 10 (tables.factor)
BAG_SLOPE = 0.03  # tricks to add for each point beyond it
MOST_BAG_OFFSET = 0.75  # tricks
NIL_STAKE = 100  # points: the nil threshold is meant for this stake


def bag_offset(rules: Rules) -> float:
    """Tricks to add to an estimate for the price of a bag."""
    if not rules.bags:
        return 0.0
    offset = BAG_SLOPE * (rules.bag_penalty / rules.bag_limit - BAG_PRICE)
    if offset <= 0.0:
        return 0.0
    return offset if offset < MOST_BAG_OFFSET else MOST_BAG_OFFSET


def scaled_nil_threshold(threshold: float, forced: int, forced_trick: float, rules: Rules) -> float:
    """The nil threshold, points: in proportion to stakes below 100, and lower where the least bid is above the takes.

    ``forced``: tricks by which `min_bid` exceeds the takes; a nil spares them, each worth ``forced_trick`` points.
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

    ``partner_bid``: NO_BID if partner has not bid yet; ``allowed``: the set of bids that the rules allow.
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


def simplified_rules(rules: Rules) -> Rules:
    """Return the rules as a policy with `rules=ignore` sees them: classic's, but for the fields that it still sees."""
    return _seen_rules(rules)


_seen_rules = rules_maker(
    __name__,
    "rules",
    (f"rules.{rule.name}" if rule.seen_by_ignore else str(rule.default) for rule in FIELDS.values()),
)

"""The explanation of a decision: its numbers, enough to redo the bid by hand, and the reasons that a player reads.

The numbers come unchanged from the tuples that the kernels return. `reasons` declares the reasons.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from spades.baselines import Baseline
from spades.bis.conventions import CONVENTION_RULES, SILENT
from spades.bis.endgame import NO_RULE, RULE_NAMES
from spades.bis.nil import NIL_REASONS, NOT_RULED_OUT, Nil
from spades.bis.partnership import BisDecision
from spades.bis.regular import AS_COUNTED, BY_RULES, NUMBER_RULES, Regular
from spades.cards import RANKS
from spades.explain.reasons import (
    MOST_IN_BRIEF,
    NO_NIL,
    Reason,
    bid_reason,
    check_reasons,
    contract_reasons,
    nil_details,
    percent,
    reason,
    sentence_of,
    tenth,
)
from spades.legal import variant_of
from spades.options import Policy
from spades.position import BRIEF, Turn, auction_after
from spades.rules import CUTTHROAT, MIRROR, SUICIDE, VARIANTS, WHIZ, WHIZ_STRICT, Rules
from spades.scoring import NIL, contract_of
from spades.tables import Tables

Adjustment = dict[str, Any]
Explanation = dict[str, Any]

_FORCED = {MIRROR: "mirror", WHIZ: "whiz", WHIZ_STRICT: "whiz-strict", SUICIDE: "suicide"}  # reasons, by variant
# The reason for a step has the step's name, unless it is `table-rules` or a variant's.
check_reasons((*RULE_NAMES[1:], *CONVENTION_RULES[1:], *NUMBER_RULES[BY_RULES + 1 :], *_FORCED.values()))


class Steps(NamedTuple):
    """The steps after the estimate, as adjustments and as reasons."""

    adjustments: list[Adjustment]
    reasons: list[Reason]

    def add(self, rule: str, before: int, after: int, *reasons: Reason) -> Adjustment:
        """Add and return the step of ``rule`` from the bid ``before`` to ``after``."""
        adjustment = {"rule": rule, "before": before, "after": after, "why": sentence_of(reasons)}
        self.adjustments.append(adjustment)
        self.reasons.extend(reasons)
        return adjustment

    def add_rules(self, before: int, after: int) -> None:
        """Add the step from the bid that the policy wanted to the bid that the rules allow."""
        why = reason("not-allowed", before) if before else reason("nil-not-allowed")
        self.add("table-rules", before, after, why)

    def add_legal(self, before: int, after: int) -> None:
        """Add the step from the bid that the rules allow to the bid that the request's `legal_bids` allow."""
        why = reason("not-legal", before) if before else reason("nil-not-legal")
        self.add("legal-bids", before, after, why)

    def add_end(self, rule: int, before: int, after: int, projected: tuple[float, float, float], turn: Turn) -> None:
        """Add the step of an end-of-game rule; ``projected``: our points, theirs and the sum of bids."""
        us, them, total = projected
        goal = turn.position.rules.win
        if before == NIL:
            would = reason("would-win-nil", round(us), goal)
        elif them >= goal and (us < goal or them >= us):
            would = reason("would-lose", before, round(us), round(them), goal)
        else:
            would = reason("would-win", before, round(us), goal)
        self.reasons.append(would)
        adjustment = self.add(RULE_NAMES[rule], before, after, reason(RULE_NAMES[rule]))
        mean_bids = mean_bids_after((*turn.position.bids, before), turn.tables)
        adjustment["projected"] = {"us": us, "them": them, "sum_of_bids": total, "mean_bids": mean_bids}


def explain_bis(made: BisDecision, turn: Turn, bid: int, policy: Policy) -> Explanation:
    """Return the explanation of a BIS decision; ``bid`` is the bid in the answer, after rules and `legal_bids`."""
    by_rules, regular, number, number_rule, nil, spoken, end = made
    steps = Steps(adjustments=[], reasons=[])
    # If the hand bids nil, a change of the number is no step, unless the rules allow only the nil (number 0).
    if number_rule != AS_COUNTED and not (nil.chosen and number > 0):
        variant = variant_of(turn.position.rules, policy)
        if number_rule != BY_RULES:
            steps.add(NUMBER_RULES[number_rule], regular.takes, number, reason(NUMBER_RULES[number_rule]))
        elif variant in _FORCED:
            steps.add(VARIANTS[variant], regular.takes, number, reason(_FORCED[variant]))
        else:
            steps.add_rules(regular.takes, number)
    if spoken.rule != SILENT:
        rule = CONVENTION_RULES[spoken.rule]
        steps.add(rule, spoken.before, spoken.bid, reason(rule))
    if end.rule != NO_RULE:
        steps.add_end(end.rule, end.before, end.bid, (end.projected_us, end.projected_them, end.total), turn)
    if by_rules != end.bid:
        steps.add_rules(end.bid, by_rules)
    if bid != by_rules:
        steps.add_legal(by_rules, bid)
    rules, partner_bid = turn.position.rules, turn.auction.partner_bid
    contract = _contract(bid, partner_bid, rules)
    reasons = reasons_of(bid, regular, nil, steps, contract, partner_bid, rules.nil_pass)
    return brief(reasons) if turn.explain == BRIEF else finish(numbers_of(regular, nil), steps, reasons)


def reasons_of(
    bid: int, regular: Regular, nil: Nil, steps: Steps, contract: Sequence[Reason], partner_bid: int, passed: int
) -> list[Reason]:
    """Return the reasons of a BIS decision, in the order in which a player reads them.

    ``bid``: the bid in the answer; ``contract``: the reasons about the side's contract; ``partner_bid``: NO_BID if
    partner has not bid yet, or if there is no partner; ``passed``: number of cards that a nil bidder gives to partner.
    """
    estimate = regular.estimate
    reasons = [bid_reason(bid)]
    if estimate < 0.5:
        reasons.append(reason("hardly-a-trick"))
        if bid == 1:
            reasons.append(reason("at-least-one"))
    else:
        reasons.append(reason("tricks", tenth(estimate)))
        if regular.takes < int(estimate + 0.5):
            reasons.append(reason("tricks-left", 13 - contract_of(partner_bid)))
    reasons += steps.reasons
    if bid != NIL:
        reasons += contract
    if nil.ruled_out == NOT_RULED_OUT:
        code = "nil-above-threshold" if nil.expected_points > nil.threshold else "nil-below-threshold"
        numbers = percent(nil.probability), tenth(nil.expected_points), tenth(nil.threshold)
        reasons.append(reason(code, *numbers))
        reasons += nil_details(nil, passed)
    elif bid != NIL:  # a nil that is ruled out is bid if nothing else is possible
        reasons.append(reason(NO_NIL[nil.ruled_out]))
    if bid == NIL:
        reasons += contract
    return reasons


def _contract(bid: int, partner_bid: int, rules: Rules) -> tuple[Reason, ...]:
    """Return the reasons about the side's contract, for a policy that plays with a partner."""
    reasons = contract_reasons(bid, partner_bid)
    return reasons if rules.variant != CUTTHROAT else (reason("opposite-as-partner"), *reasons)


def brief(reasons: list[Reason]) -> Explanation:
    """Return the brief explanation: the first reasons only."""
    return {"reasons": reasons[:MOST_IN_BRIEF]}


def finish(numbers: Explanation, steps: Steps, reasons: list[Reason]) -> Explanation:
    """Return the full explanation: ``numbers`` with the steps, the reasons and their sentence added."""
    numbers["adjustments"] = steps.adjustments
    numbers["reasons"] = reasons
    numbers["sentence"] = sentence_of(reasons)
    return numbers


def numbers_of(regular: Regular, nil: Nil) -> Explanation:
    """Return the explanation's fields `regular` and `nil`."""
    clubs, diamonds, hearts, high, long, ruffs, factor, offset, estimate, takes = regular
    c, d, h, s, void_factor, value, probability, expected_points, threshold, reason, chosen = nil
    return {
        "regular": {
            "side_high": {"H": hearts, "D": diamonds, "C": clubs},
            "spade_high": high + 0.0,
            "spade_long": long + 0.0,
            "ruffs": ruffs,
            "previous_bids_factor": factor,
            "offset": offset,
            "estimate": estimate,
            "takes": takes,
        },
        "nil": {
            "cnil": {"S": s, "H": h, "D": d, "C": c},
            "void_factor": void_factor,
            "value": value,
            "probability": probability,
            "expected_points": expected_points,
            "threshold": threshold,
            "chosen": chosen,
            "ruled_out": NIL_REASONS[reason] if reason != NOT_RULED_OUT else None,
        },
    }


def mean_bids_after(bids: tuple[int, ...], tables: Tables) -> list[float]:
    """Return the mean bids of the seats still to bid after ``bids``, in bidding order."""
    if len(bids) == 4:
        return []
    row, mean_bids = auction_after(bids).sequence, tables.mean_bids
    return [mean_bids[row, later] for later in range(4 - len(bids))]


def explain_baseline(made: Baseline, turn: Turn, by_rules: int, bid: int, policy: Policy, nil_rule: str) -> Explanation:
    """Return the explanation of a rule-based bid: tricks by suit, corrections, rounded sum and nil rule.

    ``by_rules``: the bid after the limits of the rules; ``bid``: the bid in the answer; ``nil_rule``: the nil rule in
    words, with ``{ranks}`` for the policy's nil ranks.
    """
    steps, partner_bid = Steps(adjustments=[], reasons=[]), turn.auction.partner_bid
    if by_rules != made.bid:
        steps.add_rules(made.bid, by_rules)
    if bid != by_rules:
        steps.add_legal(by_rules, bid)
    reasons = [bid_reason(bid), reason("simple-count", tenth(max(made.estimate, 0.0)))]
    if made.takes < int(made.estimate + 0.5):
        reasons.append(reason("tricks-left", 13 - contract_of(partner_bid)))
    if made.nil:
        reasons.append(reason("nil-by-simple-rule"))
    reasons += [*steps.reasons, *_contract(bid, partner_bid, turn.position.rules)]
    if turn.explain == BRIEF:
        return brief(reasons)
    numbers: Explanation = {
        "regular": {
            "suits": {"S": made.spades, "H": made.hearts, "D": made.diamonds, "C": made.clubs},
            "shape": made.shape,
            "offset": policy.offset,
            "estimate": made.estimate,
            "takes": made.takes,
        },
        "nil": {"chosen": made.nil, "rule": _with_ranks(nil_rule, policy.nil_x, policy.nil_y, policy.nil_z)},
    }
    return finish(numbers, steps, reasons)


@lru_cache(maxsize=256)
def _with_ranks(nil_rule: str, *highest: int) -> str:
    return nil_rule.format(ranks=", ".join(RANKS[rank] for rank in highest))

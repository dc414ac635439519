"""The explanation of a decision: its numbers, enough to redo the bid by hand, and a sentence.

The numbers come unchanged from the tuples that the kernels return.
"""

from functools import lru_cache
from typing import Any

from service.bidding.baselines import Baseline
from service.bidding.bis.bis import BisDecision
from service.bidding.bis.conventions import (
    BIG5_ANSWER,
    BIG5_REFUSAL,
    BIG5_SIGNAL,
    BIG6_ANSWER,
    BIG6_REFUSAL,
    BIG6_SIGNAL,
    CONVENTION_RULES,
    SILENT,
)
from service.bidding.bis.endgame import (
    ATTACK_NIL,
    CLOSE_RACE,
    COMPLETE_TO_14,
    DESPERATE_NIL,
    LAST_SEAT_LESS,
    NO_RULE,
    RULE_NAMES,
    SAFE_REGULAR,
)
from service.bidding.bis.nil import NIL_REASONS, NOT_RULED_OUT, Nil
from service.bidding.bis.regular import Regular
from service.bidding.bis.stakes import AS_COUNTED, BY_RULES, CERTAIN, FOR_TEN, NUMBER_RULES
from service.bidding.game.auction import auction_after
from service.bidding.game.cards import RANKS
from service.bidding.game.rules import MIRROR, PARTNERSHIP, SUICIDE, VARIANTS, WHIZ, WHIZ_STRICT
from service.bidding.policy import Policy
from service.bidding.table_views import Tables

_WHY = {
    ATTACK_NIL: "opponents can win and one of them bid nil: half a trick less, to be free to set the nil",
    COMPLETE_TO_14: "opponents can win if they make their bid: with 14 bid, both sides can't make it",
    CLOSE_RACE: "opponents win by less than 20 when both make it: bid to come out ahead",
    DESPERATE_NIL: "opponents win by 20 or more when both make it, beyond two tricks more: a nil that is likely enough",
    SAFE_REGULAR: "the regular bid wins the game too: no need for a nil",
    LAST_SEAT_LESS: "one trick less wins the game too, and two more bags bring no penalty",
}
_ANSWERED = "asks for a nil: the threshold is lower, and the king or queen of spades is no bar"
_SAID = {
    BIG5_SIGNAL: "a 5 asks partner for a nil: ace or king of spades, up to 6 takes, "
    "and in each side suit a card above the ten or a void",
    BIG5_REFUSAL: "a 5 would ask partner for a nil, and this hand can't cover one: one less",
    BIG5_ANSWER: f"partner's 5 {_ANSWERED}",
    BIG6_SIGNAL: "a 6 demands a blind nil of partner: ace of spades, "
    "and in each side suit a card from the ten up or a void",
    BIG6_REFUSAL: "a 6 would demand a blind nil of partner, and this hand can't cover one: one less",
    BIG6_ANSWER: f"partner's 6 {_ANSWERED}",
}
_FORCED = {
    MIRROR: "mirror: the number of spades, without any nil",
    WHIZ: "whiz: the number of spades or nil",
    WHIZ_STRICT: "strict whiz: the number of spades, without any nil",
    SUICIDE: "suicide: one of two partners bids nil, the other the side's least contract or more",
}
_BY_RULES = "the nearest bid that the rules allow"
_NUMBER = {
    BY_RULES: _BY_RULES,
    FOR_TEN: "a contract of exactly ten stakes 200, and both partners' tricks come near enough",
    CERTAIN: "the spades alone take this many tricks by force",
}


def explain_bis(
    made: BisDecision, bid: int, bids: tuple[int, ...], tables: Tables, variant: int = PARTNERSHIP
) -> dict[str, Any]:
    """Return the explanation of a BIS decision after ``bids``; ``bid`` is the answered (legal) bid.

    ``variant``: the variant by whose rules the policy bids.
    """
    by_rules, regular, _, number_rule, nil, spoken, end = made
    adjustments: list[dict[str, Any]] = []
    adjusted = ""  # in words
    forced = None if number_rule == AS_COUNTED else _forced(made, variant)
    if forced is not None:
        rule, why = forced
        adjustments.append({"rule": rule, "before": regular.takes, "after": made.number, "why": why})
        adjusted = f"; {why}"
    if spoken.rule != SILENT:
        adjustments.append(
            {
                "rule": CONVENTION_RULES[spoken.rule],
                "before": spoken.before,
                "after": spoken.bid,
                "why": _SAID[spoken.rule],
            }
        )
        adjusted += f"; {_SAID[spoken.rule]}"
    if end.rule != NO_RULE:
        adjustments.append(
            {
                "rule": RULE_NAMES[end.rule],
                "before": end.before,
                "after": end.bid,
                "why": _WHY[end.rule],
                "projected": {
                    "us": end.projected_us,
                    "them": end.projected_them,
                    "sum_of_bids": end.total,
                    "mean_bids": mean_bids_after((*bids, end.before), tables),
                },
            }
        )
        adjusted += f"; {_WHY[end.rule]}"
    if by_rules != end.bid:
        adjustments.append(rules_adjustment(end.bid, by_rules))
        adjusted += f"; the rules don't allow {end.bid or 'nil'} here"
    if bid != by_rules:
        adjustments.append(legal_adjustment(by_rules, bid))
        adjusted += f"; {by_rules or 'nil'} is not legal here"
    explanation = numbers_of(regular, nil)
    explanation["adjustments"] = adjustments
    explanation["sentence"] = f"About {tricks_in_words(regular)}; {nil_in_words(nil)}{adjusted}: bid {bid or 'nil'}."
    return explanation


def _forced(made: BisDecision, variant: int) -> tuple[str, str] | None:
    """Return the rule that changed the regular takes first, and why; None if none did or a nil was chosen.

    A nil that was chosen because the rules allow nothing else counts as changed by the rules.
    """
    rule = made.number_rule
    if rule == AS_COUNTED or (made.nil.chosen and made.number > 0):
        return None
    if variant in _FORCED and rule == BY_RULES:
        return VARIANTS[variant], _FORCED[variant]
    return NUMBER_RULES[rule], _NUMBER[rule]


def numbers_of(regular: Regular, nil: Nil) -> dict[str, Any]:
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


def nil_in_words(nil: Nil) -> str:
    """Return the reasons for or against a nil, as part of a sentence."""
    if nil.ruled_out != NOT_RULED_OUT:
        return f"nil is out ({NIL_REASONS[nil.ruled_out]})"
    # This runs on every request, and plain ints are formatted three times as fast as floats and signed ints.
    points = round(nil.expected_points)
    return (
        f"nil makes {int(100 * nil.probability + 0.5)}%, worth {'+' if points >= 0 else ''}{points} points"
        f" against a threshold of {_short(nil.threshold)}"
    )


@lru_cache(maxsize=1024)  # most decisions use one of a few thresholds
def _short(number: float) -> str:
    return f"{number + 0.0:g}"  # avoids -0, which has the same cache key as 0


def tricks_in_words(regular: Regular) -> str:
    """Return the estimate and the takes, as part of a sentence.

    If the takes are not the rounded estimate, a limit applied: at least 1, and at most 13 less partner's bid.
    """
    estimate, takes = regular.estimate, regular.takes
    how = "rounded" if -0.5 <= estimate - takes < 0.5 else "limited"
    return f"{estimate:.2f} tricks, {how} to {takes}"


def rules_adjustment(before: int, after: int) -> dict[str, Any]:
    """Return the step from the bid that the policy wanted to the bid that the rules allow."""
    return {"rule": "table-rules", "before": before, "after": after, "why": _BY_RULES}


def legal_adjustment(before: int, after: int) -> dict[str, Any]:
    """Return the step from the bid that the rules allow to the bid that the request's `legal_bids` allow."""
    return {"rule": "legal-bids", "before": before, "after": after, "why": "the nearest bid that is legal"}


def explain_baseline(
    made: Baseline, by_rules: int, bid: int, policy: Policy, name: str, nil_rule: str
) -> dict[str, Any]:
    """Return the explanation of a rule-based bid: tricks by suit, corrections, rounded sum and nil rule.

    ``by_rules``: the bid after the game's rules; ``bid``: the answered bid; ``name``: of the bidder, for the sentence;
    ``nil_rule``: in words, with ``{ranks}`` for the policy's nil ranks.

    """
    adjustments = [] if by_rules == made.bid else [rules_adjustment(made.bid, by_rules)]
    if bid != by_rules:
        adjustments.append(legal_adjustment(by_rules, bid))
    wanted = "nil by its rule" if made.nil else f"{made.takes} tricks"
    return {
        "regular": {
            "suits": {
                "S": made.spades,
                "H": made.hearts,
                "D": made.diamonds,
                "C": made.clubs,
            },
            "shape": made.shape,
            "offset": policy.offset,
            "estimate": made.estimate,
            "takes": made.takes,
        },
        "nil": {"chosen": made.nil, "rule": _with_ranks(nil_rule, policy.nil_x, policy.nil_y, policy.nil_z)},
        "adjustments": adjustments,
        "sentence": f"{name} counts {made.estimate:.2f} tricks and wants {wanted}: bid {bid if bid else 'nil'}.",
    }


@lru_cache(maxsize=256)
def _with_ranks(nil_rule: str, *highest: int) -> str:
    return nil_rule.format(ranks=", ".join(RANKS[rank] for rank in highest))

"""Blind nil or look: from a position without a hand to the decision, with its numbers and a sentence.

`decide_blind` serves POST /v1/bid/blind as `bidder.decide` serves POST /bid. Its kernel is
`blind_nil.decide_blind_nil`.
"""

from typing import Any, NamedTuple

from spades.bis.blind_nil import (
    BESIDE_NIL,
    BLIND_NIL_RULES,
    DESPAIR,
    FOURTH_SEAT,
    NO_REASON,
    NOT_BEHIND,
    RULED_OUT,
    SWITCHED_OFF,
    BlindNil,
    decide_blind_nil,
    hash_uniform,
)
from spades.options import BIS, Policy
from spades.position import auction_after
from spades.reasons import Reason, percent, reason
from spades.rules import Rules
from spades.scoring import Standing
from spades.tables import profile_of
from spades.tableset import TableSet


class BlindDecision(NamedTuple):
    """Whether to bid blind nil, and the JSON-ready explanation."""

    blind_nil: bool
    explanation: dict[str, Any]


def decide_blind(
    bids: tuple[int, ...], us: int, them: int, rules: Rules, policy: Policy, seed: int, tables: TableSet
) -> BlindDecision:
    """Return whether to bid blind nil after 0..3 previous bids, in bidding order.

    ``us`` and ``them`` are the points of the bidder's side and of the opponents. ``seed`` draws the random number. The
    policy's option `blind` is ignored: BIS always considers a blind nil here, and other policies never bid it.
    """
    auction, standing = auction_after(bids), Standing(us, them, 0, 0)
    policy = policy._replace(blind=1 if policy.kind == BIS else 0)
    drawn = hash_uniform(seed)
    profile_tables = tables.kernel[profile_of(rules, policy, standing)]
    made = decide_blind_nil(auction, standing, rules, policy, drawn, profile_tables)
    explanation: dict[str, Any] = {"rule": BLIND_NIL_RULES[made.rule]}
    if rules.blind_nil:
        explanation |= {
            "p_ace_of_spades": made.p_ace,
            "p_made": made.p_made,
            "expected_points": made.expected_points,
            "floor": policy.blind_floor,
            "frequency": made.frequency,
            "lot": drawn,
            "projected": None,
        }
        if made.total:
            explanation["projected"] = {
                "us": made.projected_us,
                "them": made.projected_them,
                "sum_of_bids": made.total,
            }
    explanation["sentence"] = _reason(made, auction.sum_of_bids, them - us, rules, policy, drawn).sentence
    return BlindDecision(made.chosen, explanation)


def _reason(made: BlindNil, total: int, deficit: int, rules: Rules, policy: Policy, drawn: float) -> Reason:
    rule = BLIND_NIL_RULES[made.rule]
    if made.rule in (SWITCHED_OFF, RULED_OUT, BESIDE_NIL):
        return reason("blind nil", rule)
    if made.rule == NOT_BEHIND:
        if deficit > 0:
            return reason("blind nil", rule, deficit=deficit, least=rules.blind_nil_deficit)
        return reason("blind nil", "not-behind", least=rules.blind_nil_deficit)
    numbers: dict[str, float] = {"makes": percent(made.p_made)}
    if made.rule == NO_REASON:
        return reason("blind nil", rule, **numbers)
    if made.rule == DESPAIR:
        numbers |= {"their_score": round(made.projected_them), "total": round(made.total, 1)}
    elif made.rule == FOURTH_SEAT:
        numbers |= {"sum": total, "ace": percent(made.p_ace)}
    if made.p_made < policy.blind_floor:
        return reason("blind nil", f"{rule}-below-floor", floor=percent(policy.blind_floor), **numbers)
    if made.frequency < 1.0:
        code = f"{rule}-drawn" if made.chosen else f"{rule}-not-drawn"
        return reason("blind nil", code, frequency=percent(made.frequency), lot=percent(drawn), **numbers)
    return reason("blind nil", rule, **numbers)

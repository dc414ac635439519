"""Blind nil or look: from a position without a hand to the decision, with its numbers and a sentence.

`decide_blind` serves POST /v1/bid/blind as `bidder.decide` serves POST /bid. Its kernel is
`blind_nil.decide_blind_nil`.
"""

from typing import Any, NamedTuple

from spades.bis.blind_nil import (
    BESIDE_NIL,
    BIG6_DEMAND,
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
    explanation["sentence"] = (
        f"{_why(made, auction.sum_of_bids, them - us, rules, policy, drawn)}: {_word(made.chosen)}."
    )
    return BlindDecision(made.chosen, explanation)


def _word(chosen: bool) -> str:
    return "blind nil" if chosen else "look"


def _percent(p: float) -> str:
    return f"{int(100 * p + 0.5)}%"


def _why(made: BlindNil, total: int, deficit: int, rules: Rules, policy: Policy, drawn: float) -> str:
    made_in = f"a blind nil here makes {_percent(made.p_made)}"
    if made.rule == SWITCHED_OFF:
        return "This policy never bids blind nil"
    if made.rule == RULED_OUT:
        return "The rules allow no blind nil here"
    if made.rule == NOT_BEHIND:
        behind = f"Behind by {deficit}" if deficit > 0 else "Not behind"
        return f"{behind}, and the rules ask for {rules.blind_nil_deficit}"
    if made.rule == BESIDE_NIL:
        return "Partner bid nil"
    if made.rule == NO_REASON:
        return f"No rule calls for it, and {made_in}"
    if made.rule == BIG6_DEMAND:
        why = f"Partner's 6 demands it (Big 6), and {made_in}"
    elif made.rule == DESPAIR:
        why = (
            f"The opponents win with {made.projected_them:.0f} when all make their bids, easily, for the four sum to"
            f" {made.total:.1f} (seats to come at their means), and {made_in}"
        )
    else:
        assert made.rule == FOURTH_SEAT, f"rule {made.rule} has no sentence"
        why = f"After {total} tricks bid our hand holds the ace of spades in {_percent(made.p_ace)}, and {made_in}"
    if made.p_made < policy.blind_floor:
        return f"{why}, under the floor of {_percent(policy.blind_floor)}"
    if made.frequency < 1.0:
        return f"{why}; bid in {_percent(made.frequency)} of such places, and the lot drawn is {_percent(drawn)}"
    return why

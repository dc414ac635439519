"""A bid with a skill level or a style: decide it, and explain how it differs from full strength.

`levels` holds the errors of a level. This module decides the same position with and without level and style, so that
the explanation can name the bid at full strength. In `adjustments`, style and level come first, in this order.
"""

import zlib
from typing import Any

from service.bidding.bidder import Decision, Position, decide, turn_of
from service.bidding.explain.winprob_explanation import explain_winprob
from service.bidding.game.rules import seed_values
from service.bidding.levels import perturbed, sample_bid
from service.bidding.policies import weigh_bids
from service.bidding.policy import BIS, WINPROB, Policy
from service.bidding.tableset import TableSet


def position_seed(position: Position) -> int:
    """Return the seed of a position, 0..2^32 - 1, the same on every machine.

    It does not depend on the policy, so that levels can be compared on the same random numbers.
    """
    return zlib.crc32(repr((*position[:6], *seed_values(position.rules), position.scores)).encode())


def decide_with_skill(
    position: Position,
    policy: Policy,
    tables: TableSet,
    legal: tuple[int, ...] | None = None,
    explain: bool = True,
    seed: int = 0,
) -> Decision:
    """Return the bid of a ``policy`` with a level or a style.

    The arguments are those of `bidder.decide`, and ``seed``, 0..LARGEST_SEED, for the random errors of a level.
    """
    if policy.kind == WINPROB:
        return _drawn(position, policy, tables, legal, explain, seed)
    made = decide(position, perturbed(policy, seed), tables, legal, explain)
    if made.explanation is not None:
        full = decide(position, policy, tables, legal, False).bid
        styled = full
        if policy.aggression or policy.nil_bias:
            styled = decide(position, perturbed(policy._replace(noise_sd=0.0), seed), tables, legal, False).bid
        _tell(made.explanation, policy, full, styled, made.bid, seed)
    return made


def _drawn(
    position: Position,
    policy: Policy,
    tables: TableSet,
    legal: tuple[int, ...] | None,
    explain: bool,
    seed: int,
) -> Decision:
    made = weigh_bids(turn_of(position, policy, tables, legal, explain), policy, tables)
    p_win = [-1.0] * 14
    for bid, p in zip(made.bids, made.p_win):
        if made.weighed >> bid & 1:
            p_win[bid] = p
    p_nil = made.nil.probability
    full = made.bid
    bid = sample_bid(p_win, full, p_nil, policy, seed)
    explanation = None
    if explain:
        styled = full
        if policy.aggression or policy.nil_bias:
            styled = sample_bid(p_win, full, p_nil, policy._replace(noise_sd=0.0), seed)
        explanation = explain_winprob(made._replace(bid=bid))
        _tell(explanation, policy, full, styled, bid, seed)
    return Decision(bid, "regular" if bid else "nil", explanation)


def _tell(explanation: dict[str, Any], policy: Policy, full: int, styled: int, bid: int, seed: int) -> None:
    """Add the steps of style and level to ``explanation``, and the bid at full strength to its sentence."""
    steps: list[dict[str, Any]] = []
    if policy.aggression or policy.nil_bias:
        style = {"aggression": policy.aggression, "nil_bias": policy.nil_bias}
        steps.append({"rule": "style", "before": full, "after": styled, "why": _why_style(policy), **style})
    if policy.noise_sd:
        why = f"level {policy.level} {_why_level(policy, seed)}"
        steps.append({"rule": "level", "before": styled, "after": bid, "why": why, "level": policy.level, "seed": seed})
    explanation["adjustments"] = steps + explanation["adjustments"]
    why = "; ".join(step["why"] for step in steps)
    would = "the same" if full == bid else str(full or "nil")
    explanation["sentence"] += f" {why[0].upper()}{why[1:]}; full strength bids {would}."


def _why_style(policy: Policy) -> str:
    return f"style: aggression {policy.aggression:g}, nil bias {policy.nil_bias:g}"


def _why_level(policy: Policy, seed: int) -> str:
    if policy.kind == WINPROB:
        return f"sees little between bids whose chances differ by {100 * policy.noise_sd:.1f}% or less, and draws one"
    styled, made = perturbed(policy._replace(noise_sd=0.0), seed), perturbed(policy, seed)
    tricks = f"misjudges the hand by {made.offset - styled.offset:+.2f} tricks"
    if policy.kind == BIS:
        return f"{tricks} and a nil by {styled.nil_shift - made.nil_shift:+.0f} points"
    forgets = (made.nils, made.nil_x, made.nil_y, made.nil_z) < (styled.nils, styled.nil_x, styled.nil_y, styled.nil_z)
    return f"{tricks} and forgets some nils" if forgets else tricks

"""A bid with a skill level or a style: decide it, and explain how it differs from full strength.

`levels` holds the errors of a level. This module decides the same position with and without level and style, so that
the explanation can name the bid at full strength. In `adjustments`, style and level come first, in this order.
"""

import zlib

from spades.bidder import Decision, decide, turn_of
from spades.explanations import MOST_IN_BRIEF, Explanation, Steps, explain_winprob
from spades.levels import perturbed, sample_bid
from spades.options import BIS, WINPROB, Policy
from spades.policies import POLICY_KINDS
from spades.position import EXPLAINED, NOT_EXPLAINED, Position
from spades.reasons import Reason, reason, sentence_of, tenth
from spades.rules import seed_values
from spades.tableset import TableSet
from spades.winprob.decision import nil_of_all_spades, win_decision


def position_seed(position: Position) -> int:
    """Return the seed of a position, 0..2^32 - 1, the same on every machine.

    It does not depend on the policy, so that levels can be compared on the same random numbers.
    """
    content = (position.hand, position.bids, *position.standing, *seed_values(position.rules), position.seat_scores)
    return zlib.crc32(repr(content).encode())


def decide_with_skill(
    position: Position,
    policy: Policy,
    tables: TableSet,
    legal: tuple[int, ...] | None = None,
    explain: int = EXPLAINED,
    seed: int = 0,
) -> Decision:
    """Return the bid of a ``policy`` with a level or a style.

    The arguments are those of `bidder.decide`, and ``seed``, 0..LARGEST_SEED, from which the random errors are made.
    """
    if policy.kind == WINPROB:
        return _drawn(position, policy, tables, legal, explain, seed)
    decision = decide(position, perturbed(policy, seed), tables, legal, explain)
    if decision.explanation is not None:
        full = decide(position, policy, tables, legal, NOT_EXPLAINED).bid
        styled = full
        if policy.aggression or policy.nil_bias:
            leaning = perturbed(policy._replace(noise_sd=0.0), seed)
            styled = decide(position, leaning, tables, legal, NOT_EXPLAINED).bid
        _add_skill(decision.explanation, policy, full, styled, decision.bid, seed)
    return decision


def _drawn(
    position: Position,
    policy: Policy,
    tables: TableSet,
    legal: tuple[int, ...] | None,
    explain: int,
    seed: int,
) -> Decision:
    """Return the bid of `winprob` with a level or a style: one of the bids that it compares (`levels.sample_bid`)."""
    turn = turn_of(position, policy, tables, legal, explain)
    decision = win_decision(turn, tables.weights)
    p_win = [-1.0] * 14
    for bid, p in zip(decision.bids, decision.p_win):
        if decision.weighed >> bid & 1:
            p_win[bid] = p
    p_nil = nil_of_all_spades(turn).probability
    full = decision.bid
    bid = sample_bid(p_win, full, p_nil, policy, seed)
    explanation = None
    if explain:
        styled = full
        if policy.aggression or policy.nil_bias:
            styled = sample_bid(p_win, full, p_nil, policy._replace(noise_sd=0.0), seed)
        explanation = explain_winprob(decision._replace(bid=bid), turn)
        _add_skill(explanation, policy, full, styled, bid, seed)
    return Decision(bid=bid, kind="regular" if bid else "nil", explanation=explanation)


def _add_skill(explanation: Explanation, policy: Policy, full: int, styled: int, bid: int, seed: int) -> None:
    """Add the steps of style and level to ``explanation``, and the bid at full strength to its reasons.

    ``full``: the bid at full strength; ``styled``: with the style only; ``bid``: with style and level.
    """
    steps = Steps(adjustments=[], reasons=[])
    if policy.aggression or policy.nil_bias:
        style = {"aggression": policy.aggression, "nil_bias": policy.nil_bias}
        steps.add("style", full, styled, reason("bid", "style", **style)).update(style)
    if policy.noise_sd:
        misjudged = _misjudgements(policy, seed)
        steps.add("level", styled, bid, *misjudged).update(level=policy.level, seed=seed)
    if full == bid:
        would = reason("bid", "full-strength-same")
    else:
        would = reason("bid", "full-strength", other=full) if full else reason("bid", "full-strength-nil")
    reasons = explanation["reasons"]
    if "sentence" not in explanation:  # a brief explanation
        reasons[MOST_IN_BRIEF - 1 :] = [would]
        return
    explanation["adjustments"] = steps.adjustments + explanation["adjustments"]
    reasons += [*steps.reasons, would]
    explanation["sentence"] = sentence_of(reasons)


def _misjudgements(policy: Policy, seed: int) -> list[Reason]:
    """Return how the level of ``policy`` misjudges the position."""
    level = policy.level
    if policy.kind == WINPROB:
        return [reason("bid", "draws", level=level, percent=tenth(100 * policy.noise_sd))]
    styled, misjudging = perturbed(policy._replace(noise_sd=0.0), seed), perturbed(policy, seed)
    reasons = [reason("bid", "misjudges", level=level, tricks=tenth(misjudging.offset - styled.offset))]
    if policy.kind == BIS:
        reasons.append(
            reason("bid", "misjudges-nil", level=level, points=tenth(styled.nil_shift - misjudging.nil_shift))
        )
    elif "nils" in POLICY_KINDS[policy.kind].options:
        limits, usual = ((p.nils, p.nil_x, p.nil_y, p.nil_z) for p in (misjudging, styled))
        if limits < usual:
            reasons.append(reason("bid", "forgets-nils", level=level))
    return reasons

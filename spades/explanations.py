"""Explanations: the numbers of a decision, enough to redo the bid by hand, and the reasons that a player reads.

The numbers come unchanged from the tuples that the kernels return; of `winprob`, the only numbers computed here are
sums of the outcomes' probabilities, and the scores if all bids are made. `reasons` declares the reasons.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from spades.baselines import Baseline
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
)
from spades.bis.conventions import CONVENTION_RULES, SILENT
from spades.bis.cutthroat import CutthroatDecision
from spades.bis.estimates import (
    AS_COUNTED,
    BY_RULES,
    FOUR_SPADES,
    GRID,
    NOT_RULED_OUT,
    NUMBER_RULES,
    RULED_OUT_CODES,
    Nil,
    Regular,
)
from spades.bis.partnership import NO_RULE, RULE_NAMES, BisDecision
from spades.cards import CARD_NAMES, RANKS, SPADES, SUIT_BITS
from spades.legal import BLIND_NIL, NIL, NIL_BIT, NO_BID, contract_of, is_nil, variant_of
from spades.options import RAW, SINGLE, Policy
from spades.passing import cards_to_pass
from spades.position import BRIEF, Position, Turn, auction_after, contract_factors
from spades.reasons import Reason, percent, reason, sentence_of, tenth, tenth_of_percent
from spades.rules import CUTTHROAT, MIRROR, SUICIDE, TWO_NILS, VARIANTS, WHIZ, WHIZ_STRICT, Rules
from spades.scoring import contract_points, points_if_set
from spades.tables import Tables, profile_of
from spades.tableset import TableSet
from spades.winprob.candidates import TIE_TOLERANCE
from spades.winprob.decision import WinDecision, outcome_columns, sum_outcomes
from spades.winprob.features import POSITION_NAMES
from spades.winprob.outcomes import NO_NIL, OURS, THEIRS

Adjustment = dict[str, Any]
Explanation = dict[str, Any]

MOST_IN_BRIEF = 4  # reasons of a brief explanation
# The reason for a step has the step's name, unless it is `table-rules` or one of these variants.
FORCED = {MIRROR: "mirror", WHIZ: "whiz", WHIZ_STRICT: "whiz-strict", SUICIDE: "suicide"}
_SAFE = 0.9  # a suit that wins no trick with at least this probability is no weak point of a nil
_HALF_SAFE = 0.5  # the same in a hand with four low spades, which are a weak point themselves
FEW_BAGS = 3  # a reason names a side's bags if at most this many are missing until the penalty
FEW_ABOVE = 3  # with fewer higher unseen cards than this, a card may win a trick even if the nil bidder plays it early


class FinalBid(NamedTuple):
    """A policy's bid within its limits."""

    by_rules: int  # the bid of the policy, or the nearest one that the rules allow
    bid: int  # the bid in the answer: the same, or the nearest of the caller's legal bids


# ---- the steps after the estimate -----------------------------------------------------------------------------------


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
        why = reason("bid", "not-allowed", other=before) if before else reason("bid", "nil-not-allowed")
        self.add("table-rules", before, after, why)

    def add_limits(self, wanted: int, bids: FinalBid) -> None:
        """Add the steps from the bid ``wanted`` to the bid that the rules allow, and to a legal bid."""
        if bids.by_rules != wanted:
            self.add_rules(wanted, bids.by_rules)
        if bids.bid != bids.by_rules:
            before = bids.by_rules
            why = reason("bid", "not-legal", other=before) if before else reason("bid", "nil-not-legal")
            self.add("legal-bids", before, bids.bid, why)

    def add_end(self, rule: int, before: int, after: int, projected: tuple[float, float, float], turn: Turn) -> None:
        """Add the step of an end-of-game rule; ``projected``: our points, theirs and the sum of bids."""
        us, them, total = projected
        goal = turn.position.rules.win
        if before == NIL:
            would = reason("bid", "would-win-nil", score=round(us), goal=goal)
        elif them >= goal and (us < goal or them >= us):
            would = reason("bid", "would-lose", other=before, score=round(us), their_score=round(them), goal=goal)
        else:
            would = reason("bid", "would-win", other=before, score=round(us), goal=goal)
        self.reasons.append(would)
        adjustment = self.add(RULE_NAMES[rule], before, after, reason("bid", RULE_NAMES[rule]))
        mean_bids = mean_bids_after((*turn.position.bids, before), turn.tables)
        adjustment["projected"] = {"us": us, "them": them, "sum_of_bids": total, "mean_bids": mean_bids}


def mean_bids_after(bids: tuple[int, ...], tables: Tables) -> list[float]:
    """Return the mean bids of the seats still to bid after ``bids``, in bidding order."""
    if len(bids) == 4:
        return []
    row, mean_bids = auction_after(bids).sequence, tables.mean_bids
    return [mean_bids[row, later] for later in range(4 - len(bids))]


# ---- parts of explanations that several policies have ---------------------------------------------------------------


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
    ruled_out = None
    if nil.ruled_out != NOT_RULED_OUT:
        ruled_out = reason("nil", RULED_OUT_CODES[nil.ruled_out]).sentence
    return {
        "regular": {
            "side_high": {"H": regular.hearts, "D": regular.diamonds, "C": regular.clubs},
            "spade_high": regular.spade_high + 0.0,
            "spade_long": regular.spade_long + 0.0,
            "ruffs": regular.ruffs,
            "previous_bids_factor": regular.factor,
            "offset": regular.offset,
            "estimate": regular.estimate,
            "takes": regular.takes,
        },
        "nil": {
            "cnil": {"S": nil.spades, "H": nil.hearts, "D": nil.diamonds, "C": nil.clubs},
            "void_factor": nil.void_factor,
            "value": nil.value,
            "probability": nil.probability,
            "expected_points": nil.expected_points,
            "threshold": nil.threshold,
            "chosen": nil.chosen,
            "ruled_out": ruled_out,
        },
    }


@cache
def bid_reason(bid: int) -> Reason:
    """Return the reason that names the bid."""
    if bid == BLIND_NIL:
        return reason("bid", "bid-blind-nil")
    return reason("bid", "bid", bid=bid) if bid else reason("bid", "bid-nil")


@cache  # at most 240 entries: 15 bids beside 16 of partner
def contract_reasons(bid: int, partner_bid: int) -> tuple[Reason, ...]:
    """Return the reasons about the side's contract with ``bid``; none if partner has not bid yet or both bid nil."""
    if partner_bid == NO_BID:
        return ()
    if is_nil(partner_bid):
        return () if is_nil(bid) else (reason("bid", "partner-nil", bid=bid),)
    if is_nil(bid):
        return (reason("bid", "partner-alone", partner=partner_bid),)
    return (reason("bid", "partner-bid", partner=partner_bid, bid=bid, contract=partner_bid + bid),)


def goal_reasons(ours: float, theirs: float, goal: int) -> list[Reason]:
    """Return the reason that says which side reaches the goal with these projected scores; none if no side does."""
    if ours >= goal and theirs >= goal:
        return [reason("bid", "both-reach-goal", score=round(ours), their_score=round(theirs), goal=goal)]
    if ours >= goal:
        return [reason("bid", "we-reach-goal", score=round(ours), goal=goal)]
    return [reason("bid", "they-reach-goal", score=round(theirs), goal=goal)] if theirs >= goal else []


def no_nil_reason(ruled_out: int) -> Reason:
    """Return the reason why a nil is ruled out; ``ruled_out``: `Nil.ruled_out`."""
    return reason("bid", f"no-nil-{RULED_OUT_CODES[ruled_out]}")


def nil_details(nil: Nil, passed: int) -> list[Reason]:
    """Return the reasons that go with a nil's probability: the number of cards ``passed``, and the nil's weak point."""
    reasons: list[Reason] = []
    if passed:
        reasons.append(reason("bid", "nil-pass", cards=passed) if passed > 1 else reason("bid", "nil-pass-one"))
    chances = {"clubs": nil.clubs, "diamonds": nil.diamonds, "hearts": nil.hearts, "spades": nil.spades}
    four_spades = nil.ruled_out == FOUR_SPADES  # then the `cnil` of the spades is 0, which says nothing
    if four_spades:
        del chances["spades"]
    weakest = min(chances, key=chances.__getitem__)
    if chances[weakest] < (_HALF_SAFE if four_spades else _SAFE):
        reasons.append(reason("bid", f"weak-{weakest}"))
    elif four_spades:
        reasons.append(reason("bid", "weak-four-spades"))
    return reasons


# ---- bis ------------------------------------------------------------------------------------------------------------


def explain_bis(decision: BisDecision, turn: Turn, bids: FinalBid) -> Explanation:
    """Return the explanation of a BIS decision."""
    regular, number, nil = decision.regular, decision.number, decision.nil
    convention_step, end = decision.convention_step, decision.endgame
    rules, partner_bid = turn.position.rules, turn.auction.partner_bid
    steps = Steps(adjustments=[], reasons=[])
    # If the hand bids nil, a change of the number is no step, unless the rules allow only the nil (number 0).
    if decision.number_rule != AS_COUNTED and not (nil.chosen and number > 0):
        variant = variant_of(rules, turn.policy)
        if decision.number_rule != BY_RULES:
            rule = NUMBER_RULES[decision.number_rule]
            steps.add(rule, regular.takes, number, reason("bid", rule))
        elif variant in FORCED:
            steps.add(VARIANTS[variant], regular.takes, number, reason("bid", FORCED[variant]))
        else:
            steps.add_rules(regular.takes, number)
    if convention_step.rule != SILENT:
        rule = CONVENTION_RULES[convention_step.rule]
        steps.add(rule, convention_step.before, convention_step.bid, reason("bid", rule))
    if end.rule != NO_RULE:
        steps.add_end(end.rule, end.before, end.bid, (end.projected_us, end.projected_them, end.total), turn)
    steps.add_limits(end.bid, bids)
    contract = _contract(bids.bid, partner_bid, rules)
    reasons = _bis_reasons(bids.bid, regular, nil, steps, contract, partner_bid, rules.nil_pass)
    return brief(reasons) if turn.explain == BRIEF else finish(numbers_of(regular, nil), steps, reasons)


def explain_cutthroat(decision: CutthroatDecision, turn: Turn, bids: FinalBid) -> Explanation:
    """Return the explanation of a cutthroat decision, with the same fields as that of a partnership decision.

    In an end-of-game step, `us` is the bidder's score and `them` the best score of an opponent.
    """
    regular, nil, end = decision.regular, decision.nil, decision.finish
    steps = Steps(adjustments=[], reasons=[])
    if decision.number != regular.takes and not nil.chosen:
        steps.add_rules(regular.takes, decision.number)
    if end.rule != NO_RULE:
        steps.add_end(end.rule, end.before, end.bid, (end.projected_own, end.projected_best, end.total), turn)
    steps.add_limits(end.bid, bids)
    reasons = _bis_reasons(bids.bid, regular, nil, steps, [reason("bid", "alone")], NO_BID, 0)
    return brief(reasons) if turn.explain == BRIEF else finish(numbers_of(regular, nil), steps, reasons)


def _bis_reasons(
    bid: int, regular: Regular, nil: Nil, steps: Steps, contract: Sequence[Reason], partner_bid: int, passed: int
) -> list[Reason]:
    """Return the reasons of a BIS decision, in the order in which a player reads them.

    ``bid``: the bid in the answer; ``contract``: the reasons about the side's contract; ``partner_bid``: NO_BID if
    partner has not bid yet, or if there is no partner; ``passed``: number of cards that a nil bidder gives to partner.
    """
    estimate = regular.estimate
    reasons = [bid_reason(bid)]
    if estimate < 0.5:
        reasons.append(reason("bid", "hardly-a-trick"))
        if bid == 1:
            reasons.append(reason("bid", "at-least-one"))
    else:
        reasons.append(reason("bid", "tricks", tricks=tenth(estimate)))
        if regular.takes < int(estimate + 0.5):
            reasons.append(reason("bid", "tricks-left", tricks=13 - contract_of(partner_bid)))
    reasons += steps.reasons
    if bid != NIL:
        reasons += contract
    if nil.ruled_out == NOT_RULED_OUT:
        code = "nil-above-threshold" if nil.expected_points > nil.threshold else "nil-below-threshold"
        points, threshold = tenth(nil.expected_points), tenth(nil.threshold)
        reasons.append(reason("bid", code, makes=percent(nil.probability), points=points, threshold=threshold))
        reasons += nil_details(nil, passed)
    elif bid != NIL:  # a nil that is ruled out is bid if nothing else is possible
        reasons.append(no_nil_reason(nil.ruled_out))
    if bid == NIL:
        reasons += contract
    return reasons


def _contract(bid: int, partner_bid: int, rules: Rules) -> tuple[Reason, ...]:
    """Return the reasons about the side's contract, for a policy that plays with a partner."""
    reasons = contract_reasons(bid, partner_bid)
    return reasons if rules.variant != CUTTHROAT else (reason("bid", "opposite-as-partner"), *reasons)


def explain_blind_nil(
    decision: BlindNil, sum_of_bids: int, deficit: int, rules: Rules, policy: Policy, drawn: float
) -> Explanation:
    """Return the explanation of a decision for or against a blind nil.

    ``sum_of_bids``: of the previous bids; ``deficit``: points by which the side is behind; ``drawn``: the random number
    of the decision.
    """
    explanation: Explanation = {"rule": BLIND_NIL_RULES[decision.rule]}
    if rules.blind_nil:
        explanation |= {
            "p_ace_of_spades": decision.p_ace,
            "p_made": decision.p_made,
            "expected_points": decision.expected_points,
            "floor": policy.blind_floor,
            "frequency": decision.frequency,
            "lot": drawn,
            "projected": None,
        }
        if decision.total:
            explanation["projected"] = {
                "us": decision.projected_us,
                "them": decision.projected_them,
                "sum_of_bids": decision.total,
            }
    explanation["sentence"] = _blind_nil_reason(decision, sum_of_bids, deficit, rules, policy, drawn).sentence
    return explanation


def _blind_nil_reason(
    decision: BlindNil, sum_of_bids: int, deficit: int, rules: Rules, policy: Policy, drawn: float
) -> Reason:
    rule = BLIND_NIL_RULES[decision.rule]
    if decision.rule in (SWITCHED_OFF, RULED_OUT, BESIDE_NIL):
        return reason("blind nil", rule)
    if decision.rule == NOT_BEHIND:
        if deficit > 0:
            return reason("blind nil", rule, deficit=deficit, least=rules.blind_nil_deficit)
        return reason("blind nil", "not-behind", least=rules.blind_nil_deficit)
    numbers: dict[str, float] = {"makes": percent(decision.p_made)}
    if decision.rule == NO_REASON:
        return reason("blind nil", rule, **numbers)
    if decision.rule == DESPAIR:
        numbers |= {"their_score": round(decision.projected_them), "total": round(decision.total, 1)}
    elif decision.rule == FOURTH_SEAT:
        numbers |= {"sum": sum_of_bids, "ace": percent(decision.p_ace)}
    if decision.p_made < policy.blind_floor:
        return reason("blind nil", f"{rule}-below-floor", floor=percent(policy.blind_floor), **numbers)
    if decision.frequency < 1.0:
        code = f"{rule}-drawn" if decision.chosen else f"{rule}-not-drawn"
        return reason("blind nil", code, frequency=percent(decision.frequency), lot=percent(drawn), **numbers)
    return reason("blind nil", rule, **numbers)


def explain_blind_numbers(
    numbers: Sequence[int], p_win: Sequence[float], p_look: float, chosen: int | None
) -> Explanation:
    """Return the fields that a decision about blind ``numbers`` adds to, or changes in, that about a blind nil.

    ``p_win``: by number, the win probability; ``p_look``: that of a look; ``chosen``: the number to bid, None to look.
    """
    best = max(zip(p_win, numbers))
    percents = {"number_percent": tenth_of_percent(best[0]), "look_percent": tenth_of_percent(p_look)}
    rule = "look-wins-more" if chosen is None else "blind-number"
    return {
        "rule": rule,
        "p_look": p_look,
        "numbers": [{"number": number, "p_win": p} for number, p in zip(numbers, p_win)],
        "sentence": reason("blind nil", rule, number=best[1], **percents).sentence,
    }


def success_curve(position: Position, policy: Policy, tables: TableSet) -> list[float]:
    """Return the policy's success curve in ``position``: GRID + 1 probabilities that a nil is made.

    They are those of a nil of value 0, 1 / GRID, ... 1 after these previous bids.
    """
    if policy.curves == RAW:
        return [point / GRID for point in range(GRID + 1)]
    profile = tables.kernel[profile_of(position.rules, policy, position.standing)]
    curves, row = profile.curves, auction_after(position.bids).sequence
    if policy.curves == SINGLE:
        curves, row = profile.single_curve, 0
    return [curves[row, point] for point in range(GRID + 1)]


# ---- rb, ms and io --------------------------------------------------------------------------------------------------


def explain_baseline(decision: Baseline, turn: Turn, bids: FinalBid, nil_rule: str) -> Explanation:
    """Return the explanation of a rule-based bid: tricks by suit, corrections, rounded sum and nil rule.

    ``nil_rule``: the code of the nil rule in `reasons.REASONS`.
    """
    steps, partner_bid = Steps(adjustments=[], reasons=[]), turn.auction.partner_bid
    steps.add_limits(decision.bid, bids)
    count = reason("bid", "simple-count", tricks=tenth(max(decision.estimate, 0.0)))
    reasons = [bid_reason(bids.bid), count]
    if decision.takes < int(decision.estimate + 0.5):
        reasons.append(reason("bid", "tricks-left", tricks=13 - contract_of(partner_bid)))
    if decision.nil:
        reasons.append(reason("bid", "nil-by-simple-rule"))
    reasons += [*steps.reasons, *_contract(bids.bid, partner_bid, turn.position.rules)]
    if turn.explain == BRIEF:
        return brief(reasons)
    policy = turn.policy
    ranks = ", ".join(RANKS[rank] for rank in (policy.nil_x, policy.nil_y, policy.nil_z))
    numbers: Explanation = {
        "regular": {
            "suits": {"S": decision.spades, "H": decision.hearts, "D": decision.diamonds, "C": decision.clubs},
            "shape": decision.shape,
            "offset": policy.offset,
            "estimate": decision.estimate,
            "takes": decision.takes,
        },
        "nil": {"chosen": decision.nil, "rule": reason("nil", nil_rule, ranks=ranks).sentence},
    }
    return finish(numbers, steps, reasons)


# ---- winprob --------------------------------------------------------------------------------------------------------

# By name in an answer, without a nil on the side (False) and with one (True): 1 for each of the side's ways to end the
# round that count for the name, in the order of `winprob.outcomes`.
_OURS = {
    False: {"made": (1, 1, 1, 1, 0, 1), "set": (0, 0, 0, 0, 1, 0), "bags": (0, 0, 1, 1, 0, 0)},
    True: {
        "made": (1, 1, 1, 0, 0, 1),
        "set": (0, 0, 0, 1, 1, 0),
        "nil_made": (1, 1, 0, 1, 0, 1),
        "nil_failed": (0, 0, 1, 0, 1, 0),
    },
}
_THEIRS = {
    False: {"opponents_set": (0, 0, 0, 1, 0)},
    True: {"opponents_set": (0, 0, 1, 1, 0), "opponents_nil_failed": (0, 1, 0, 1, 0)},
}


def _column(ours: tuple[int, ...], theirs: tuple[int, ...]) -> list[int]:
    return [a * b for a in ours for b in theirs]


# By (nil on our side, nil on their side), for each name: 1 for each of the OUTCOMES that count for it.
_COUNTED = {
    (nil, their_nil): {name: _column(ways, (1,) * THEIRS) for name, ways in ours.items()}
    | {name: _column((1,) * OURS, ways) for name, ways in theirs.items()}
    for nil, ours in _OURS.items()
    for their_nil, theirs in _THEIRS.items()
}
_NAMES = {sides: tuple(columns) for sides, columns in _COUNTED.items()}
# Matrices for `sum_outcomes`. Their columns are these names, then the names of a hand that bids nil itself.
_COLUMNS = {
    (nil, their_nil): outcome_columns([*columns.values(), *_COUNTED[True, their_nil].values()])
    for (nil, their_nil), columns in _COUNTED.items()
}


def explain_winprob(decision: WinDecision, turn: Turn) -> Explanation:
    """Return the explanation of a decision; with `position.BRIEF` only the win probability and the first reasons.

    Each bid has the probabilities of its outcomes. `made` and `set` are about our contract and sum to 1; `bags`: made
    with two bags or more.
    """
    sides = decision.stake != NO_NIL, decision.their_stake != NO_NIL
    names = _NAMES[sides]
    rows = sum_outcomes(decision.odds, _COLUMNS[sides])
    outcomes = [dict(zip(names, row)) for row in rows]
    if not decision.bids[0]:
        outcomes[0] = dict(zip(_NAMES[True, sides[1]], rows[0][len(names) :])) | _nil_after_a_pass(decision, turn)
    chosen = decision.bids.index(decision.bid)
    p_win = decision.p_win[chosen]
    reasons = _chosen_reasons(decision, chosen, outcomes[chosen], turn)
    reasons += _score_reasons(decision, chosen, turn)
    reasons += _other_reasons(decision, chosen, outcomes, bool(turn.policy.level), turn)
    reasons += _bag_reasons("bags", turn.standing.us_bags, turn)
    reasons += _bag_reasons("their-bags", turn.standing.them_bags, turn)
    if turn.explain == BRIEF:
        return {"p_win": round(p_win, 4), **brief(reasons)}
    explanation = finish(_fields(decision, outcomes), Steps(adjustments=[], reasons=[]), reasons)
    explanation["p_win"] = p_win
    return explanation


def _nil_after_a_pass(decision: WinDecision, turn: Turn) -> dict[str, float]:
    """Return the outcomes of the hand's own nil by its success curve, if the nil bidder gives cards to partner.

    The curve knows which cards are kept, so it is closer to what happens than the net. {} if the net alone says it:
    without a pass, beside partner's nil, and with four spades, which the curve does not know.
    """
    if not turn.position.rules.nil_pass or decision.stake != NO_NIL or decision.nil.ruled_out == FOUR_SPADES:
        return {}
    return {"nil_made": decision.nil.probability, "nil_failed": 1.0 - decision.nil.probability}


def _fields(decision: WinDecision, outcomes: list[dict[str, float]]) -> Explanation:
    fields = numbers_of(decision.regular, decision.nil)
    fields["nil"]["threshold"] = None  # `winprob` does not use the threshold of BIS
    fields["nil"]["chosen"] = decision.bid == NIL
    candidates = zip(decision.bids, decision.p_win, decision.contracts, decision.opposing, outcomes)
    fields["candidates"] = [
        {"bid": bid, "p_win": p, "contract": ours, "opponents_contract": theirs, "outcomes": odds}
        for bid, p, ours, theirs, odds in candidates
    ]
    fields["inputs"] = dict(zip(POSITION_NAMES, decision.inputs))
    return fields


def _chosen_reasons(decision: WinDecision, chosen: int, odds: dict[str, float], turn: Turn) -> list[Reason]:
    """Return the reasons about the bid itself: how often it wins, its contract, and how often that is made."""
    bid, partner_bid, total = decision.bid, turn.auction.partner_bid, decision.contracts[chosen]
    wins = tenth_of_percent(decision.p_win[chosen])
    contract = contract_reasons(bid, partner_bid)
    if bid == NIL:
        if partner_bid == NO_BID and total:
            contract = (reason("bid", "partner-alone-to-bid", partner=total),)
        reasons: list[Reason] = [
            reason("bid", "wins-nil", percent=wins),
            reason("bid", "nil-makes", makes=percent(odds["nil_made"])),
            *nil_details(decision.nil, _given(turn)),
            *contract,
        ]
    else:
        if partner_bid == NO_BID:
            contract = (reason("bid", "partner-to-bid", partner=total - bid, contract=total),)
        makes = reason("bid", "makes", makes=percent(odds["made"]))
        reasons = [reason("bid", "wins", bid=bid, percent=wins), *contract, makes]
        if decision.stake != NO_NIL:
            reasons.append(reason("bid", "partner-nil-makes", makes=percent(odds["nil_made"])))
    if decision.their_stake != NO_NIL:
        reasons.append(reason("bid", "their-nil", fails=percent(odds["opponents_nil_failed"])))
    return reasons


def _score_reasons(decision: WinDecision, chosen: int, turn: Turn) -> list[Reason]:
    """Return the reasons about the goals that a side reaches if all bids are made, or if our contract or nil fails."""
    rules, (us, them, _, _) = turn.position.rules, turn.standing
    our_factor, their_factor = contract_factors(turn.auction)
    worth = our_factor * contract_points(decision.contracts[chosen], rules)
    ours = us + worth + (decision.stake_with_nil if decision.bid == NIL else max(0, decision.stake))
    theirs = them + their_factor * contract_points(decision.opposing[chosen], rules) + max(0, decision.their_stake)
    reasons = [reason("bid", "counts-double")] if our_factor > 1 else []
    if their_factor > 1:
        reasons.append(reason("bid", "theirs-counts-double"))
    reasons += goal_reasons(ours, theirs, rules.win)
    if theirs >= rules.win and turn.auction.seat < 3:
        partner_bid = turn.auction.partner_bid
        known = turn.auction.sum_of_bids - (0 if partner_bid == NO_BID else contract_of(partner_bid))
        tricks = decision.opposing[chosen] - known
        if tricks > 0:
            reasons.append(reason("bid", "others-to-bid", tricks=tricks))
    if decision.bid == NIL:
        double = turn.auction.partner_bid == NIL and rules.double_nil_points != TWO_NILS
        failed = us + worth - (decision.stake_with_nil if double else rules.nil_points)
        if failed <= rules.lose:
            reasons.append(reason("bid", "loses-if-nil-fails", score=failed, goal=rules.lose))
    else:
        score = us - our_factor * points_if_set(decision.contracts[chosen], 1, rules)
        if score <= rules.lose:
            reasons.append(reason("bid", "loses-if-set", score=score, goal=rules.lose))
    return reasons


def _other_reasons(
    decision: WinDecision, chosen: int, outcomes: list[dict[str, float]], drawn: bool, turn: Turn
) -> list[Reason]:
    """Return the reasons about other bids: the next number up, the next down and a nil, or the best number for a nil.

    ``chosen``: index of the bid; ``drawn``: whether a level or style made the bid, so that it may not be the best.
    """
    bid, numbers = decision.bid, decision.weighed & ~NIL_BIT
    others = []
    if bid == NIL:
        if numbers:
            weighed = [other for other in decision.bids if numbers >> other & 1]
            others.append(max(weighed, key=lambda other: decision.p_win[decision.bids.index(other)]))
    else:
        above, below = numbers >> bid + 1, numbers & (1 << bid) - 1
        if above:
            others.append(bid + (above & -above).bit_length())
        if below:
            others.append(below.bit_length() - 1)
    reasons = [_other_number(decision, chosen, decision.bids.index(other), outcomes, drawn, turn) for other in others]
    if bid == NIL:
        return reasons or [reason("bid", "no-other-bid")]
    if decision.weighed & NIL_BIT:  # nil is the first of the bids
        p, better = decision.p_win[0], decision.p_win[0] > decision.p_win[chosen] + TIE_TOLERANCE
        code = ("better-nil" if drawn else "nil-too-close") if better else "nil-wins-less"
        reasons.append(reason("bid", code, makes=percent(outcomes[0]["nil_made"]), percent=tenth_of_percent(p)))
        reasons += nil_details(decision.nil, _given(turn))
    elif decision.nil.ruled_out != NOT_RULED_OUT:
        reasons.append(no_nil_reason(decision.nil.ruled_out))
    return reasons or [reason("bid", "no-other-bid")]


def _other_number(
    decision: WinDecision, chosen: int, other: int, outcomes: list[dict[str, float]], drawn: bool, turn: Turn
) -> Reason:
    """Return the reason that compares the bid with another number; ``chosen`` and ``other``: indices of bids.

    A lower contract is made at least as often. Where the net's rough probabilities say otherwise, the reason says only
    how often the other number wins the game.
    """
    bid, p = decision.bids[other], decision.p_win[other]
    wins = tenth_of_percent(p)
    if p > decision.p_win[chosen] + TIE_TOLERANCE:
        code = "better" if drawn else "too-close" if bid > decision.bid > NIL else "close"
        return reason("bid", code, other=bid, percent=wins)
    if decision.bid == NIL:
        return reason("bid", "best-number", other=bid, percent=wins)
    makes, code = percent(outcomes[other]["made"]), "other-number"
    more_often = makes - percent(outcomes[chosen]["made"])
    if more_often * (decision.bid - bid) < 0:
        return reason("bid", "other-number-wins", other=bid, percent=wins)
    if bid < decision.bid and more_often > 0:
        rules = turn.position.rules
        if _near_penalty(turn.standing.us_bags, rules):
            code = "lower-bags"
        else:
            worth = contract_factors(turn.auction)[0] * contract_points(decision.contracts[other], rules)
            if turn.standing.us + worth + max(0, decision.stake) < rules.win:
                code = "lower"
    return reason("bid", code, other=bid, makes=makes, percent=wins)


def _given(turn: Turn) -> int:
    """Return the number of cards that a nil would give to partner."""
    rules = turn.position.rules
    return cards_to_pass(NIL, turn.auction.partner_bid, rules.nil_pass, rules.blind_nil_pass)


def _near_penalty(bags: int, rules: Rules) -> bool:
    return rules.bags > 0 and rules.bag_penalty > 0 and bags > 0 and bags >= rules.bag_limit - FEW_BAGS


def _bag_reasons(code: str, bags: int, turn: Turn) -> list[Reason]:
    """Return how many bags a side has, if a penalty is near."""
    rules = turn.position.rules
    if not _near_penalty(bags, rules):
        return []
    return [reason("bid", code, bags=bags, limit=rules.bag_limit, penalty=rules.bag_penalty)]


# ---- cards to pass --------------------------------------------------------------------------------------------------


def explain_pass(hand: int, given: int, unseen: int, by_nil: bool, deck: int) -> list[dict[str, Any]]:
    """Return a reason for each card of ``given``, from the highest spade to the lowest club, with its sentence.

    ``hand``, ``given`` and ``unseen`` (the cards in the other hands) are bit masks. ``by_nil``: whether the hand has
    bid nil; ``deck``: index of the deck in `cards.DECKS`.
    """
    reasons = []
    for card in range(63, -1, -1):
        if not given >> card & 1:
            continue
        suit, rank = card >> 4, card & 15
        others = unseen >> 16 * suit & SUIT_BITS
        above = (others >> rank).bit_count()
        below = (others & (1 << rank) - 1).bit_count()
        kept = (hand & ~given) >> 16 * suit & SUIT_BITS
        if by_nil and suit == SPADES:
            code = "spade" if above else "top-spade"
        elif by_nil:
            code = "empties-suit" if not kept else "high" if below else "low-of-suit"
        else:
            code = "low-spade" if suit == SPADES else "lowest-left" if above < FEW_ABOVE else "low"
        why = reason("pass", code, card=CARD_NAMES[deck][card], above=above, below=below)
        reasons.append({**why, "sentence": why.sentence})
    return reasons

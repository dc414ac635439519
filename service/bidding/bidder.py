"""The whole pipeline from a position to a bid. Start reading here.

`service.contract` has already checked the position. The policy's kernel decides, the rules and the request's legal bids
limit the bid, and `explanation` turns the kernel's numbers into fields and a sentence.
"""

from typing import Any, NamedTuple

from service.bidding.baselines import Baseline, fixed, io, ms, rb
from service.bidding.bis.bis import BisDecision, bis
from service.bidding.bis.cutthroat import CutthroatDecision, bis_cutthroat
from service.bidding.bis.stakes import simplified_rules
from service.bidding.explain.cutthroat_explanation import explain_cutthroat
from service.bidding.explain.explanation import explain_baseline, explain_bis
from service.bidding.explain.winprob_explanation import explain_winprob
from service.bidding.game.auction import auction_after
from service.bidding.game.cards import without_jokers
from service.bidding.game.legal import EVERY_BID, allowed_bids, nearest_allowed
from service.bidding.game.rules import CUTTHROAT, JOKERS, Rules
from service.bidding.game.scoring import BLIND_NIL, NIL, Standing
from service.bidding.game.variants import sees_no_jokers, variant_of
from service.bidding.policies import BIS, IO, MS, RB, WINPROB, Policy
from service.bidding.record import record
from service.bidding.table_profile import profile_of
from service.bidding.table_views import Tables
from service.bidding.tableset import TableSet
from service.bidding.winprob.decision import WinDecision, win_decision

__all__ = ["BLIND_NIL", "Decision", "Position", "decide", "nearest_legal"]


class Position(NamedTuple):
    """What a bidder may know; scores and bags from the side of the bidder.

    In cutthroat, ``us`` is the bidder's own score and ``them`` is the best score of the other three players.
    """

    hand: int  # 13 cards as bits, see cards.py
    bids: tuple[int, ...]  # 0..3 previous bids in bidding order, each 0..13 or BLIND_NIL
    us: int  # points
    them: int  # points
    us_bags: int
    them_bags: int
    rules: Rules
    scores: tuple[int, int, int, int] = (0, 0, 0, 0)  # in cutthroat only: points by seat


class Decision(NamedTuple):
    """A bid and, if requested, the JSON-ready explanation."""

    bid: int
    kind: str  # "regular", "nil" or "blind_nil"
    explanation: dict[str, Any] | None


_KINDS = ("nil", *["regular"] * 13, "blind_nil")


def decide(
    position: Position,
    policy: Policy,
    tables: TableSet,
    legal: tuple[int, ...] | None = None,
    explain: bool = True,
) -> Decision:
    """Return the bid of ``policy`` in ``position`` at full strength.

    ``legal``: the accepted bids, sorted; if given, the bid is always one of them. ``explain``: whether to make the
    explanation. `skill.decide_with_skill` applies a skill level or a style. Policy `winprob` needs rules for which
    `games.unsupported_field` returns None.
    """
    hand, bids, us, them, us_bags, them_bags, rules, scores = position
    kind = policy.kind
    if kind == WINPROB:
        decided = decide_winprob(position, tables, legal, explain)
        return record(Decision, (decided.bid, _KINDS[decided.bid], explain_winprob(decided) if explain else None))
    auction = auction_after(bids)
    standing = record(Standing, (us, them, us_bags, them_bags))
    allowed = allowed_bids(hand, auction.partner_bid, rules)
    t = tables.kernel[profile_of(rules, policy, standing)]
    variant = rules.variant
    if variant == JOKERS and sees_no_jokers(rules, policy):
        hand = without_jokers(hand)
    made: BisDecision | CutthroatDecision | Baseline
    if kind == BIS and variant == CUTTHROAT and not policy.ignores:
        seen = simplified_rules(rules) if policy.ignores_rules else rules
        made = by_solo = bis_cutthroat(hand, auction, scores, us_bags, allowed, seen, policy, t)
        takes = by_solo.number
    elif kind == BIS:
        seen, free = rules, allowed
        if policy.ignores_rules:
            seen = simplified_rules(rules)
            free = allowed_bids(hand, auction.partner_bid, seen)
        made = by_bis = bis(hand, auction, standing, free, seen, policy, t)
        takes = by_bis.number or by_bis.regular.takes  # number is 0 if the rules allow only nil; `legal` may exclude it
    else:
        made = by_rule = _baseline(hand, auction.partner_bid, policy, t)
        takes = by_rule.takes
    by_rules = made.bid if allowed >> made.bid & 1 else nearest_allowed(made.bid, takes, allowed)
    bid = by_rules
    if legal is not None and bid not in legal:
        bid = nearest_legal(bid, takes, legal)
    explanation = None
    if explain:
        if isinstance(made, BisDecision):
            if by_rules != made.bid:  # only with option `rules=ignore`
                made = made._replace(bid=by_rules)
            explanation = explain_bis(made, bid, bids, t, variant_of(rules, policy))
        elif isinstance(made, CutthroatDecision):
            explanation = explain_cutthroat(made, bid, bids, t)
        else:
            explanation = explain_baseline(made, by_rules, bid, policy)
    return record(Decision, (bid, _KINDS[bid], explanation))


def decide_winprob(position: Position, tables: TableSet, legal: tuple[int, ...] | None, explain: bool) -> WinDecision:
    """Return the bid of `winprob` at full strength; the arguments are those of `decide`."""
    auction, rules = auction_after(position.bids), position.rules
    standing = record(Standing, position[2:6])
    allowed = allowed_bids(position.hand, auction.partner_bid, rules)
    may = EVERY_BID if legal is None else sum(1 << bid for bid in legal)
    return win_decision(position.hand, auction, standing, allowed, may, explain, rules, tables.weights)


def _baseline(hand: int, partner_bid: int, policy: Policy, tables: Tables) -> Baseline:
    if policy.kind == RB:
        return rb(hand, partner_bid, policy, tables)
    if policy.kind == MS:
        return ms(hand, partner_bid, policy, tables)
    if policy.kind == IO:
        return io(hand, partner_bid, policy, tables)
    return fixed(partner_bid, policy)


def nearest_legal(bid: int, takes: int, legal: tuple[int, ...]) -> int:
    """Return the bid in ``legal`` that is nearest to ``bid``, the lower one if two are equally near.

    Regular bids go before nils. A nil that is not legal is replaced by the bid nearest to the regular ``takes``.

    >>> nearest_legal(0, 3, (2, 4, 5)), nearest_legal(1, 1, (0, 14))
    (2, 0)
    """
    wanted = takes if bid == NIL else bid
    regular = [b for b in legal if b not in (NIL, BLIND_NIL)]
    if regular:
        return min(regular, key=lambda b: (abs(b - wanted), b))
    return NIL if NIL in legal else legal[0]

"""The whole pipeline from a position to a bid. Start reading here.

The position has been checked by `service.contract`. The policy's kernel decides, the legal bids limit the result, and
`explanation` turns the kernel's numbers into fields and a sentence.
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
    """What a bidder may know. ``us`` is the bidder's side; in cutthroat the bidder, and ``them`` the best opponent."""

    hand: int  # 13 cards, encoded as in cards.py
    bids: tuple[int, ...]  # 0 to 3 previous bids in bidding order, each 0..13 or BLIND_NIL
    us: int
    them: int
    us_bags: int
    them_bags: int
    rules: Rules
    scores: tuple[int, int, int, int] = (0, 0, 0, 0)  # in cutthroat: by seat


class Decision(NamedTuple):
    """A bid and, if requested, its explanation, ready for JSON."""

    bid: int
    kind: str  # "regular" | "nil"
    explanation: dict[str, Any] | None


_KINDS = ("nil", *["regular"] * 13, "blind_nil")


def decide(
    position: Position,
    policy: Policy,
    tables: TableSet,
    legal: tuple[int, ...] | None = None,
    explain: bool = True,
) -> Decision:
    """Return the bid of ``policy`` in ``position``, at full strength and without style.

    If ``legal`` (sorted) is given, the bid is one of it. For a level or a style use `skill.decide_with_skill`.
    `winprob` accepts only rules for which `games.unsupported_field` returns no field.
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
        takes = by_bis.number or by_bis.regular.takes  # 0 if the rules allow only a nil; `legal` may exclude it
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
    """Return the bid of `winprob` at full strength; arguments as `decide` takes them."""
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
    """Return the legal bid nearest to ``bid``; of two, the lower one. A nil is returned only if nothing else is legal.

    If ``bid`` is a nil, return the legal bid nearest to ``takes``, the regular bid.

    >>> nearest_legal(0, 3, (2, 4, 5)), nearest_legal(1, 1, (0, 14))
    (2, 0)
    """
    wanted = takes if bid == NIL else bid
    regular = [b for b in legal if b not in (NIL, BLIND_NIL)]
    if regular:
        return min(regular, key=lambda b: (abs(b - wanted), b))
    return NIL if NIL in legal else legal[0]

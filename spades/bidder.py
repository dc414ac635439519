"""The whole pipeline from a position to a bid. Start reading here.

1. `spades.contract` has checked the position.
2. The policy, one of `policies.POLICY_KINDS`, decides: it returns a bid with the numbers behind it.
3. If the rules do not allow this bid, the nearest allowed bid replaces it. If that bid is not one of the caller's legal
   bids, the nearest legal bid replaces it. If the policy has `keeps_to_legal`, it has already decided for a legal bid,
   allowed if possible, and this step is skipped.
4. The policy's `explain` turns these numbers into fields and reasons.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from spades.bis.blind_nil import decide_blind_nil
from spades.cards import without_jokers
from spades.explanations import FinalBid, explain_blind_nil, explain_blind_numbers
from spades.legal import BLIND_NIL, NIL, deck_of, nearest_allowed, sees_no_jokers
from spades.options import BIS, Policy
from spades.policies import POLICY_KINDS
from spades.position import EXPLAINED, NOT_EXPLAINED, Position, Turn, allowed_at_turn, auction_after
from spades.random_numbers import hash_uniform
from spades.rules import Rules
from spades.scoring import Standing
from spades.tables import profile_of
from spades.tableset import TableSet
from spades.winprob.blind_numbers import HANDS, blind_numbers, is_worth_it, random_hand
from spades.winprob.decision import blind_win_probabilities, win_decision

Kind = Literal["regular", "nil", "blind_nil"]


class Decision(NamedTuple):
    """A bid and, if requested, the JSON-ready explanation."""

    bid: int
    kind: Kind
    explanation: dict[str, Any] | None


_KINDS: tuple[Kind, ...] = ("nil", *("regular",) * 13, "blind_nil")


def decide(
    position: Position,
    policy: Policy,
    tables: TableSet,
    legal: tuple[int, ...] | None = None,
    explain: int = EXPLAINED,
) -> Decision:
    """Return the bid of ``policy`` in ``position`` at full strength.

    ``legal``: the bids that the caller accepts, sorted; if given, the bid is always one of them. ``explain``: which
    explanation to make: `position.EXPLAINED`, NOT_EXPLAINED or BRIEF. `skill.decide_with_skill` applies a
    skill level or a style. For policy `winprob`, the caller has checked that a win table serves the rules
    (`Games.nearest` returns one).
    """
    kind = POLICY_KINDS[policy.kind]
    turn = turn_of(position, policy, tables, legal, explain)
    decided = kind.decide(turn, tables)
    by_rules = bid = decided.bid
    if not kind.keeps_to_legal:
        if not turn.allowed >> by_rules & 1:
            by_rules = bid = nearest_allowed(by_rules, kind.takes(decided), turn.allowed)
        if legal is not None and bid not in legal:
            bid = nearest_legal(bid, kind.takes(decided), legal)
    explanation = kind.explain(decided, turn, FinalBid(by_rules=by_rules, bid=bid)) if explain else None
    return Decision(bid=bid, kind=_KINDS[bid], explanation=explanation)


def turn_of(position: Position, policy: Policy, tables: TableSet, legal: tuple[int, ...] | None, explain: int) -> Turn:
    """Return what ``policy`` needs to decide in ``position``; the arguments are those of `decide`."""
    hand, rules, standing = position.hand, position.rules, position.standing
    auction = auction_after(position.bids)
    allowed = allowed_at_turn(hand, auction, rules)
    views = tables.kernel[profile_of(rules, policy, standing)]
    if sees_no_jokers(rules, policy):
        hand = without_jokers(hand)
    return Turn(
        hand=hand,
        position=position,
        auction=auction,
        standing=standing,
        allowed=allowed,
        policy=policy,
        tables=views,
        legal=legal,
        explain=explain,
    )


def nearest_legal(bid: int, takes: int, legal: tuple[int, ...]) -> int:
    """Return the number in ``legal`` that is nearest to ``bid``, the lower one if two are equally near.

    For a nil, return the number nearest to the regular takes, ``takes``. If no number is legal, return a nil, or else a
    blind nil.

    >>> nearest_legal(0, 3, (2, 4, 5)), nearest_legal(1, 1, (0, 14))
    (2, 0)
    """
    wanted = takes if bid == NIL else bid
    regular = [b for b in legal if b not in (NIL, BLIND_NIL)]
    if regular:
        return min(regular, key=lambda b: (abs(b - wanted), b))
    return NIL if NIL in legal else legal[0]


class BlindDecision(NamedTuple):
    """Whether to bid blind nil or a number, and the JSON-ready explanation."""

    blind_nil: bool
    explanation: dict[str, Any]
    number: int | None = None  # to bid blind; None: look at the hand, or bid blind nil


def decide_blind(
    bids: tuple[int, ...], us: int, them: int, rules: Rules, policy: Policy, seed: int, tables: TableSet
) -> BlindDecision:
    """Return whether to bid blind nil, before the hand is seen, after 0..3 previous bids in bidding order.

    ``us`` and ``them`` are the points of the bidder's side and of the opponents. ``seed`` draws the random number. The
    policy's option `blind` is ignored: BIS always considers a blind nil here, and other policies never bid it.

    >>> from spades import make_rules, open_tables, parse_policy
    >>> rules, policy = make_rules("blind-nil"), parse_policy("bis:tuned")
    >>> decide_blind((4, 3, 5), 100, 450, rules, policy, seed=1, tables=open_tables()).explanation["rule"]
    'fourth-seat'
    """
    auction, standing = auction_after(bids), Standing(us=us, them=them, us_bags=0, them_bags=0)
    policy = policy._replace(blind=1 if policy.kind == BIS else 0)
    drawn = hash_uniform(seed)
    profile_tables = tables.kernel[profile_of(rules, policy, standing)]
    decision = decide_blind_nil(auction, standing, rules, policy, drawn, profile_tables)
    explanation = explain_blind_nil(decision, auction.sum_of_bids, them - us, rules, policy, drawn)
    return BlindDecision(blind_nil=decision.chosen, explanation=explanation)


class HandWithNumbers(NamedTuple):
    """What blind numbers and a look are worth with one random hand."""

    p_win: list[float]  # by number, as in `numbers_to_bid_blind`: win probability
    p_look: float  # win probability of the best bid after looking


def numbers_to_bid_blind(bids: tuple[int, ...], standing: Standing, rules: Rules) -> list[int]:
    """Return the numbers that may be bid blind after 0..3 previous bids, and are compared; [] if there are none."""
    numbers = blind_numbers(auction_after(bids), standing, rules)
    return [number for number in range(numbers.bit_length()) if numbers >> number & 1]


def hands_with_numbers(
    bids: tuple[int, ...], standing: Standing, rules: Rules, policy: Policy, tables: TableSet
) -> Iterator[Callable[[], HandWithNumbers]]:
    """Yield, for each random hand, a function that returns what `numbers_to_bid_blind` are worth with it.

    ``policy``: winprob. Each function works as long as two bids; other work can be done between them.
    """
    numbers, deck = numbers_to_bid_blind(bids, standing, rules), deck_of(rules)

    def worth(hand: int) -> HandWithNumbers:
        turn = turn_of(Position(hand, bids, standing, rules), policy, tables, None, NOT_EXPLAINED)
        look = win_decision(turn, tables.weights)
        p_look = look.p_win[look.bids.index(look.bid)]
        return HandWithNumbers(blind_win_probabilities(turn, numbers, tables.weights), p_look)

    for number in range(HANDS):
        yield partial(worth, random_hand(number, deck))


def decide_blind_number(
    decided: BlindDecision, bids: tuple[int, ...], standing: Standing, rules: Rules, hands: Sequence[HandWithNumbers]
) -> BlindDecision:
    """Return the decision with the blind number that wins more games than a look, if there is one.

    ``decided``: against a blind nil; ``hands``: the results of all `hands_with_numbers`.
    """
    numbers = numbers_to_bid_blind(bids, standing, rules)
    if not numbers:
        return decided
    p_win = [sum(hand.p_win[i] for hand in hands) / len(hands) for i in range(len(numbers))]
    p_look = sum(hand.p_look for hand in hands) / len(hands)
    best = max(range(len(numbers)), key=p_win.__getitem__)
    number = numbers[best] if is_worth_it(p_win[best], p_look) else None
    explained = explain_blind_numbers(numbers, p_win, p_look, number)
    return BlindDecision(blind_nil=False, explanation=decided.explanation | explained, number=number)

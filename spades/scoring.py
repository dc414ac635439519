"""The scoring of a round and the end of a game, as kernels.

Bids are tricks 0..13 or BLIND_NIL; all scores are points. The simulator uses these kernels for every round, and the
end-of-game rules use them for projections.
"""

from typing import NamedTuple

from spades.legal import BLIND_NIL, NIL, contract_of, is_nil
from spades.rules import TRICKS_ARE_BAGS, TRICKS_COUNT_FOR_CONTRACT, Rules

TEN_TRICKS = 10  # with `ten_for_200` a contract of exactly ten wins or loses TEN_POINTS
TEN_POINTS = 200


class Standing(NamedTuple):
    """Both sides' scores before a round, from the bidder's side: points and bags."""

    us: int
    them: int
    us_bags: int
    them_bags: int


START = Standing(0, 0, 0, 0)


def nil_stake(bid: int, rules: Rules) -> int:
    """Return the points won or lost on a nil bid; 0 for a regular bid."""
    if bid == NIL:
        return rules.nil_points
    if bid == BLIND_NIL:
        return rules.blind_nil_points
    return 0


def contract_points(contract: int, rules: Rules) -> int:
    """Return the points won or lost on a side's contract, without overtricks, which are bags.

    >>> contract_points(10, Rules()), contract_points(10, Rules(ten_for_200=1))
    (100, 200)
    """
    return TEN_POINTS if rules.ten_for_200 and contract == TEN_TRICKS else 10 * contract


def score_side(bid: int, taken: int, partner_bid: int, partner_taken: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return the points that a side wins in a round (negative: loses), and its bags after the round.

    ``taken`` and ``partner_taken``: tricks won; ``bags``: the side's bags before the round. The points include those of
    the bags and the penalty.

    >>> score_side(4, 5, 2, 4, 8, Rules())
    (-37, 1)
    """
    contract = contract_of(bid) + contract_of(partner_bid)
    made = 0  # tricks that count towards the contract
    spilled = 0  # tricks that are bags in any case, from a failed nil
    points = 0
    for own_bid, own_taken in ((bid, taken), (partner_bid, partner_taken)):
        if is_nil(own_bid):
            stake = nil_stake(own_bid, rules)
            points += -stake if own_taken else stake
            if rules.failed_nil_tricks == TRICKS_COUNT_FOR_CONTRACT:
                made += own_taken
            elif rules.failed_nil_tricks == TRICKS_ARE_BAGS:
                spilled += own_taken
        else:
            made += own_taken
    if made >= contract:
        points += contract_points(contract, rules)
        spilled += made - contract
    else:
        points -= contract_points(contract, rules)
    return apply_bags(points, spilled, bags, rules)


def score_seat(bid: int, taken: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return the points of a seat that plays alone (cutthroat), and its bags after the round.

    Arguments as in `score_side`. Tricks of a failed nil are bags.

    >>> score_seat(3, 4, 0, Rules()), score_seat(3, 2, 9, Rules()), score_seat(0, 1, 9, Rules())
    ((31, 1), (-30, 9), (-199, 0))
    """
    if is_nil(bid):
        stake = nil_stake(bid, rules)
        return apply_bags(-stake if taken else stake, taken, bags, rules)
    if taken >= bid:
        return apply_bags(10 * bid, taken - bid, bags, rules)
    return -10 * bid, bags


def apply_bags(points: int, spilled: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return ``points`` with the points and penalties of the bags ``spilled`` in a round, and the bags after the round.

    ``bags``: the bags before the round.
    """
    if not rules.bags:
        return points, bags
    points += spilled
    bags += spilled
    while bags >= rules.bag_limit:
        bags -= rules.bag_limit
        points -= rules.bag_penalty
    return points, bags


def effective_bag_rules(rules: Rules) -> tuple[int, int]:
    """Return the bag limit and penalty; without bags 1 and 1: each bag costs its own point."""
    return (rules.bag_limit, rules.bag_penalty) if rules.bags else (1, 1)


def game_winner(score: int, other: int, rules: Rules) -> int:
    """Return 1 if the first side has won, -1 if the other side has won, 0 if the game goes on.

    ``score`` and ``other``: the points of the sides. If a goal is reached and both have the same points, the game goes
    on.

    >>> game_winner(210, 205, Rules(win=200)), game_winner(-100, 50, Rules(win=200, lose=-100))
    (1, -1)
    """
    if score >= rules.win or other >= rules.win or score <= rules.lose or other <= rules.lose:
        if score > other:
            return 1
        if score < other:
            return -1
    return 0

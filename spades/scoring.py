"""The scoring of a round and the end of a game, as kernels.

Bids are tricks 0..13 or blind ones (`legal`); all scores are points. The simulator uses these kernels for every round,
and the end-of-game rules use them for projections.
"""

from collections.abc import Sequence
from typing import NamedTuple

from spades.legal import BLIND_NIL, NIL, contract_of, is_blind_number, is_nil
from spades.rules import (
    SET_COSTS_CONTRACT,
    SET_COSTS_MISSING,
    TRICKS_ARE_BAGS,
    TRICKS_COUNT_FOR_CONTRACT,
    TWO_NILS,
    Rules,
)

TEN_TRICKS = 10  # with `ten_for_200` a contract of exactly ten wins or loses TEN_POINTS
TEN_POINTS = 200
ALL_TRICKS = 13
SCORE_LIMIT = 10_000  # points, either way
MAX_BAGS = 99


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


def side_nil_stake(bid: int, partner_bid: int, rules: Rules) -> int:
    """Return the points won or lost on the nils of a side; 0 if neither partner has bid nil.

    >>> side_nil_stake(NIL, NIL, Rules()), side_nil_stake(NIL, NIL, Rules(double_nil_points=500))
    (200, 500)
    """
    if bid == NIL and partner_bid == NIL and rules.double_nil_points != TWO_NILS:
        return rules.double_nil_points
    return nil_stake(bid, rules) + nil_stake(partner_bid, rules)


def contract_points(contract: int, rules: Rules) -> int:
    """Return the points won with a contract that is made, without overtricks, which are bags.

    >>> contract_points(10, Rules()), contract_points(10, Rules(ten_for_200=1))
    (100, 200)
    """
    return TEN_POINTS if rules.ten_for_200 and contract == TEN_TRICKS else 10 * contract


def points_if_set(contract: int, missing: int, rules: Rules) -> int:
    """Return the points lost with a contract that misses ``missing`` tricks.

    >>> points_if_set(6, 2, Rules()), points_if_set(6, 2, Rules(set_points=SET_COSTS_MISSING))
    (60, 20)
    """
    if rules.set_points == SET_COSTS_CONTRACT:
        return contract_points(contract, rules)
    return 10 * missing if rules.set_points == SET_COSTS_MISSING else 0


def contract_factor(bid: int, partner_bid: int) -> int:
    """Return by what the points of a side's contract are multiplied: 2 if a partner has bid a number blind, else 1."""
    return 2 if is_blind_number(bid) or is_blind_number(partner_bid) else 1


def score_side(bid: int, taken: int, partner_bid: int, partner_taken: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return the points that a side wins in a round (negative: loses), and its bags after the round.

    ``taken`` and ``partner_taken``: tricks won; ``bags``: the side's bags before the round. The points include those of
    the bags and the penalty.

    >>> score_side(4, 5, 2, 4, 8, Rules())
    (-37, 1)
    >>> score_side(22, 5, 1, 3, 0, Rules(blind_min=6)), score_side(22, 5, 1, 1, 0, Rules(blind_min=6))  # blind 6, 1
    ((141, 1), (-140, 0))
    """
    contract, factor = contract_of(bid) + contract_of(partner_bid), contract_factor(bid, partner_bid)
    made = 0  # tricks that count towards the contract
    spilled = 0  # tricks that are bags in any case, from a failed nil
    points = rules.slam_points if taken + partner_taken == ALL_TRICKS else 0
    double = bid == NIL and partner_bid == NIL and rules.double_nil_points != TWO_NILS
    if double:
        points += -rules.double_nil_points if taken + partner_taken else rules.double_nil_points
    for own_bid, own_taken in ((bid, taken), (partner_bid, partner_taken)):
        if is_nil(own_bid):
            stake = 0 if double else nil_stake(own_bid, rules)
            points += -stake if own_taken else stake
            if rules.failed_nil_tricks == TRICKS_COUNT_FOR_CONTRACT:
                made += own_taken
            elif rules.failed_nil_tricks == TRICKS_ARE_BAGS:
                spilled += own_taken
        else:
            made += own_taken
    if made >= contract:
        points += factor * contract_points(contract, rules)
        spilled += made - contract
    else:
        points -= factor * points_if_set(contract, contract - made, rules)
    return apply_bags(points, spilled, bags, rules)


def score_seat(bid: int, taken: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return the points of a seat that plays alone (cutthroat), and its bags after the round.

    Arguments as in `score_side`. Tricks of a failed nil are bags.

    >>> score_seat(3, 4, 0, Rules()), score_seat(3, 2, 9, Rules()), score_seat(0, 1, 9, Rules())
    ((31, 1), (-30, 9), (-199, 0))
    """
    slam = rules.slam_points if taken == ALL_TRICKS else 0
    if is_nil(bid):
        stake = nil_stake(bid, rules)
        return apply_bags(slam - stake if taken else stake, taken, bags, rules)
    if taken >= bid:
        return apply_bags(slam + contract_points(bid, rules), taken - bid, bags, rules)
    return -points_if_set(bid, bid - taken, rules), bags


def apply_bags(points: int, spilled: int, bags: int, rules: Rules) -> tuple[int, int]:
    """Return ``points`` with the points and penalties of the bags ``spilled`` in a round, and the bags after the round.

    ``bags``: the bags before the round.
    """
    if not rules.bags:
        return points, bags
    points += rules.bag_points * spilled
    bags += spilled
    while bags >= rules.bag_limit:
        bags -= rules.bag_limit
        points -= rules.bag_penalty
    return points, bags


def bags_matter(rules: Rules) -> bool:
    """Return whether bags decide bids: they win points, or a penalty follows.

    >>> bags_matter(Rules()), bags_matter(Rules(bags=0)), bags_matter(Rules(bag_points=-1, bag_penalty=0))
    (True, False, False)
    """
    return rules.bags > 0 and (rules.bag_penalty > 0 or rules.bag_points > 0)


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


# ---- scores before a round -------------------------------------------------------------------------------------------


def bags_below(rules: Rules) -> int:
    """Return the number of bags that a side never reaches: the penalty removes them at that number."""
    return rules.bag_limit if rules.bags else MAX_BAGS + 1


def accepted_bags(rules: Rules) -> str:
    """Return what an error says about accepted bags."""
    why = ", because the penalty comes at rules.bag_limit" if rules.bags else ""
    return f"0..{bags_below(rules) - 1}{why}"


def scores_beyond_goals(points: Sequence[int], rules: Rules) -> list[tuple[int, str]]:
    """Return what cannot be true of the points of two sides or four seats before a round: nothing if the game goes on.

    Of each score that is at or beyond a goal: its index, and its value with what is accepted.
    """
    if not is_over(points, rules):
        return []
    found = []
    low, high = max(rules.lose + 1, -SCORE_LIMIT), rules.win - 1
    tie = "the same points for both sides" if len(points) == 2 else "a highest score that two seats share"
    for index, value in enumerate(points):
        if not low <= value <= high:
            goal = f"{rules.win} (rules.win)" if value > high else f"{rules.lose} (rules.lose)"
            found.append((index, f"{value}, but the game ends at {goal}; accepted: {low}..{high}, or {tie}"))
    return found


def is_over(points: Sequence[int], rules: Rules) -> bool:
    """Return whether a game with these points of two sides, or of four seats, is over."""
    if len(points) == 2:
        return game_winner(points[0], points[1], rules) != 0
    highest = max(points)
    return (highest >= rules.win or min(points) <= rules.lose) and points.count(highest) == 1

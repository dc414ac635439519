"""The outcomes of a bid that the model weighs, and what each is worth, as kernels.

Each side's round ends in one of a few ways, told by the bids: OURS x THEIRS outcomes, ours by row. With the model's
probabilities and the win table they make the win probability of a bid. Bids still to come count as their rounded means.
"""

from typing import Any

from service.bidding.game.rules import Rules
from service.bidding.game.scoring import contract_points, nil_stake
from service.bidding.winprob.games import WinTableSlice
from service.bidding.winprob.win_table import win_probability_after

OURS, THEIRS = 5, 4
OUTCOMES = OURS * THEIRS

# Bags of each way, and the signs of the contract and of the nils' stake. Ours without a nil: made with 0, 1, 2 and 4
# bags, set; with one: both made, both with 3 bags, the nil failed, the contract set, both lost.
OUR_BAGS = (0, 1, 2, 4, 0)
OUR_BAGS_NIL = (1, 3, 2, 0, 2)
OUR_CONTRACT = (1, 1, 1, 1, -1)
OUR_CONTRACT_NIL = (1, 1, 1, -1, -1)
OUR_NIL = (1, 1, -1, 1, -1)
# Theirs without a nil: made with 0, 2 and 4 bags, set; with one: both made, the nil failed, the contract set, both
# lost.
THEIR_BAGS = (0, 2, 4, 0)
THEIR_BAGS_NIL = (1, 3, 0, 2)
THEIR_CONTRACT = (1, 1, 1, -1)
THEIR_CONTRACT_NIL = (1, 1, -1, -1)
THEIR_NIL = (1, -1, 1, -1)


def contract_tens(contract: int, rules: Rules) -> int:
    """What a contract of so many tricks stakes, in tens of points: as many, but for `ten_for_200`."""
    return contract_points(contract, rules) // 10


def our_points(way: int, contract: int, stake: int) -> tuple[int, int]:
    """Points without bags, and bags, of our side in a way; ``contract`` in tens, ``stake`` of our nils, 0 without."""
    if stake:
        return 10 * contract * OUR_CONTRACT_NIL[way] + stake * OUR_NIL[way], OUR_BAGS_NIL[way]
    return 10 * contract * OUR_CONTRACT[way], OUR_BAGS[way]


def their_points(way: int, contract: int, stake: int) -> tuple[int, int]:
    """The same of the other side."""
    if stake:
        return 10 * contract * THEIR_CONTRACT_NIL[way] + stake * THEIR_NIL[way], THEIR_BAGS_NIL[way]
    return 10 * contract * THEIR_CONTRACT[way], THEIR_BAGS[way]


def nil_stakes(seat: int, b0: int, b1: int, b2: int, bid: int, rules: Rules) -> tuple[int, int]:
    """Points that our side's nils and theirs win or lose, as far as they are bid."""
    ours = nil_stake(bid, rules)
    theirs = 0
    for other in range(seat):
        stake = nil_stake(b0 if other == 0 else (b1 if other == 1 else b2), rules)
        if (seat - other) & 1:
            theirs += stake
        else:
            ours += stake
    return ours, theirs


def score_after(score: int, bags: int, points: int, more: int, rules: Rules) -> tuple[int, int]:
    """Score and bags after a round of ``points`` and ``more`` bags."""
    if not rules.bags:
        return score + points, bags
    score += points + more
    bags += more
    while bags >= rules.bag_limit:
        bags -= rules.bag_limit
        score -= rules.bag_penalty
    return score, bags


def nearest_outcome(
    points: int, bags: int, their: int, their_bags: int, contract: int, opposing: int, stake: int, their_stake: int
) -> int:
    """The outcome nearest to what a round brought both sides; contracts in tens, a bag counts for three points."""
    best = 0
    least = 1 << 30
    for way in range(OURS):
        score, more = our_points(way, contract, stake)
        ours = abs(score - points) + 3 * abs(more - bags)
        for other in range(THEIRS):
            score, more = their_points(other, opposing, their_stake)
            away = ours + abs(score - their) + 3 * abs(more - their_bags)
            if away < least:
                least = away
                best = way * THEIRS + other
    return best


def outcome_values(
    contract: int,
    opposing: int,
    stake: int,
    their_stake: int,
    us: int,
    them: int,
    us_bags: int,
    them_bags: int,
    next_first: int,
    win_slice: WinTableSlice,
    rules: Rules,
    win: Any,
    values: Any,
) -> None:
    """Write the win probability after each outcome to ``values`` (OUTCOMES,); contracts in tens, stakes in points."""
    for way in range(OURS):
        points, more = our_points(way, contract, stake)
        score, bags = score_after(us, us_bags, points, more, rules)
        for other in range(THEIRS):
            points, more = their_points(other, opposing, their_stake)
            opponents, their_bags = score_after(them, them_bags, points, more, rules)
            cell = way * THEIRS + other
            values[cell] = win_probability_after(score, bags, opponents, their_bags, next_first, win_slice, rules, win)

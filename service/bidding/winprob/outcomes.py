"""The outcomes of a round that the model distinguishes, and what the bids stake, as kernels.

Each side's round ends in one of a few ways: OURS x THEIRS outcomes, ours by row. The model gives their probabilities,
the win table what each is worth; together they make the win probability of a bid. Bids still to come count as their
rounded means.
"""

from service.bidding.game.auction import Auction
from service.bidding.game.rules import Rules
from service.bidding.game.scoring import contract_points, nil_stake

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
    """Return what a contract stakes, in tens of points: its tricks, unless `ten_for_200` applies."""
    return contract_points(contract, rules) // 10


def nil_stakes(auction: Auction, rules: Rules) -> tuple[int, int]:
    """Return the points at stake on nils that others have bid: partner's, and the opponents'."""
    ours, theirs = 0, 0
    for other in range(auction.seat):
        stake = nil_stake(auction.b0 if other == 0 else (auction.b1 if other == 1 else auction.b2), rules)
        if (auction.seat - other) & 1:
            theirs += stake
        else:
            ours += stake
    return ours, theirs

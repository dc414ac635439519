"""The outcomes of a round that the model distinguishes, and the points that bids put at stake, as kernels.

A round ends for our side in one of OURS ways and for theirs in one of THEIRS ways. Together these are OUTCOMES = OURS x
THEIRS outcomes; the number of an outcome is THEIRS x our way + their way. The model gives the probability of each
outcome, and the win table its value; the sum of the products is a bid's win probability. Bids still to come count as
their rounded means.
"""

from spades.position import Auction
from spades.rules import Rules
from spades.scoring import contract_points, nil_stake

OURS, THEIRS = 5, 4
OUTCOMES = OURS * THEIRS

# For each way: the bags, and the signs of the contract's points and of the nil's points. Our side without a nil: made
# with 0, 1, 2 or 4 bags, set. With a nil: both made with 1 bag, both made with 3 bags, only the nil fails, only the
# contract is set, both lost.
OUR_BAGS = (0, 1, 2, 4, 0)
OUR_BAGS_NIL = (1, 3, 2, 0, 2)
OUR_CONTRACT = (1, 1, 1, 1, -1)
OUR_CONTRACT_NIL = (1, 1, 1, -1, -1)
OUR_NIL = (1, 1, -1, 1, -1)
# Their side without a nil: made with 0, 2 or 4 bags, set. With a nil: both made, only the nil fails, only the contract
# is set, both lost.
THEIR_BAGS = (0, 2, 4, 0)
THEIR_BAGS_NIL = (1, 3, 0, 2)
THEIR_CONTRACT = (1, 1, 1, -1)
THEIR_CONTRACT_NIL = (1, 1, -1, -1)
THEIR_NIL = (1, -1, 1, -1)

# Sets of ways as bit masks, without a nil on the side and with one: the contract is made, and the contract is set.
_OUR_MADE, _OUR_SET = (0b01111, 0b00111), (0b10000, 0b11000)
_THEIR_MADE = (0b0111, 0b0011)
_OUR_NIL_MADE = 0b01011


def contract_tens(contract: int, rules: Rules) -> int:
    """Return the points of a contract in tens (`contract_points`)."""
    return contract_points(contract, rules) // 10


def our_impossible_ways(bid: int, contract: int, stake: int, beside: int, certain: int) -> int:
    """Return the set of our side's ways that are impossible, by its contract and the hand's ``certain`` tricks.

    Partner must have bid, so that the contract is known.
    ``contract``: our side's tricks with the hand's ``bid``; ``stake``: points at stake on our side's nils; ``beside``:
    those on partner's nil alone.
    """
    nil = 1 if stake > 0 else 0
    if contract > 13:
        return _OUR_MADE[nil]
    if bid == 0:
        return _OUR_NIL_MADE if nil and beside == 0 and certain > 0 else 0
    if certain < contract:
        return 0
    if nil:
        return _OUR_SET[1]
    bags = certain - contract  # at least
    return _OUR_SET[0] | ((1 << (bags if bags < 3 else 3)) - 1)


def their_impossible_ways(contract: int, stake: int, certain: int) -> int:
    """Return the set of the opponents' ways that our hand's ``certain`` tricks exclude.

    Both opponents must have bid: ``contract`` is their tricks, and ``stake`` the points at stake on their nils.
    """
    return _THEIR_MADE[1 if stake > 0 else 0] if contract + certain > 13 else 0


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

"""The outcomes of a round that the model distinguishes, and the win probability of the score after it, as kernels.

A round ends for our side in one of OURS ways and for theirs in one of THEIRS ways. Together these are OUTCOMES = OURS x
THEIRS outcomes; the number of an outcome is THEIRS x our way + their way. The model gives the probability of each
outcome, and the win table its value; the sum of the products is a bid's win probability. Bids still to come count as
their rounded means. In the last way of each side, a player of the side who is still to bid makes a nil, which no mean
of bids shows. If nobody of the side is still to bid, that way is one more in which the side makes its bids.

A game's win table is a slice of the array `win` or `extra_win` (see `games`), uint16 of shape (size, size, bags, bags).
The axes are the score rows of the side that bids first and of the other side, then the bags of both. A cell is a
probability in 65,535ths. A score has 10 x row + bags points: a bag adds one point, and a penalty takes a multiple of
ten points together with its bags. In a game that starts at 0-0 every score has this form; other scores use the nearest
row. If some points won or lost are not multiples of ten, one row covers fewer than ten points (`unit`).

A table may also value a game with another bag limit (`games.nearest_game`). Then the cell is chosen by the number of
bags that are missing until the penalty.
"""

from spades.legal import is_nil
from spades.position import Auction
from spades.rules import SET_COSTS_MISSING, Rules
from spades.scoring import Standing, game_winner, nil_stake, points_if_set, side_nil_stake
from spades.tables import View
from spades.winprob.games import WinTableSlice

WIN_SCALE = 65535.0
# Points that a set contract loses on average if only its missing tricks cost something. The outcomes do not say how
# many tricks are missing. In 40,000 rounds of `bis:tuned` against itself, contracts that were set missed 1.2 tricks;
# with one trick more in each contract, 1.3 tricks; with two more, 1.6.
MISSING_POINTS = 13
NO_NIL = -1  # points at stake on the nils of a side that has none; a nil may be worth 0 points
OURS, THEIRS = 6, 5
OUTCOMES = OURS * THEIRS

# For each way: the bags, the signs of the contract's points and of the nil's points, and whether a later nil counts.
# Our side without a nil: made with 0, 1, 2 or 4 bags, set, made with a later nil. With a nil: both made with 1 bag,
# both made with 3 bags, only the nil fails, only the contract is set, both lost, both made with a later nil.
OUR_BAGS = (0, 1, 2, 4, 0, 1)
OUR_BAGS_NIL = (1, 3, 2, 0, 2, 1)
OUR_CONTRACT = (1, 1, 1, 1, -1, 1)
OUR_CONTRACT_NIL = (1, 1, 1, -1, -1, 1)
OUR_NIL = (1, 1, -1, 1, -1, 1)
OUR_LATER = (0, 0, 0, 0, 0, 1)
# Their side without a nil: made with 0, 2 or 4 bags, set, made with a later nil. With a nil: both made, only the nil
# fails, only the contract is set, both lost, both made with a later nil.
THEIR_BAGS = (0, 2, 4, 0, 1)
THEIR_BAGS_NIL = (1, 3, 0, 2, 1)
THEIR_CONTRACT = (1, 1, 1, -1, 1)
THEIR_CONTRACT_NIL = (1, 1, -1, -1, 1)
THEIR_NIL = (1, -1, 1, -1, 1)
THEIR_LATER = (0, 0, 0, 0, 1)

LATER_CONTRACT = 30  # points that a later nil takes from its side's contract, in which it counted as about 3 tricks

# Sets of ways as bit masks, without a nil on the side and with one: the contract is made, and the contract is set.
_OUR_MADE, _OUR_SET = (0b101111, 0b100111), (0b010000, 0b011000)
_THEIR_MADE = (0b10111, 0b10011)
_OUR_NIL_MADE = 0b101011
_ONE_BAG = 0b100010  # our side without a nil: the ways with one bag


def likely_loss(contract: int, rules: Rules) -> int:
    """Return the points that a side loses on average with a contract that is set."""
    return MISSING_POINTS if rules.set_points == SET_COSTS_MISSING else points_if_set(contract, 1, rules)


def our_impossible_ways(bid: int, contract: int, stake: int, beside: int, certain: int) -> int:
    """Return the set of our side's ways that are impossible, by its contract and the hand's ``certain`` tricks.

    Partner must have bid, so that the contract is known.
    ``contract``: our side's tricks with the hand's ``bid``; ``stake``: points at stake on our side's nils, or
    NO_NIL; ``beside``: those on partner's nil alone.
    """
    nil = 1 if stake != NO_NIL else 0
    if contract > 13:
        return _OUR_MADE[nil]
    if bid == 0:
        return _OUR_NIL_MADE if nil and beside == NO_NIL and certain > 0 else 0
    if certain < contract:
        return 0
    if nil:
        return _OUR_SET[1]
    bags = certain - contract  # at least
    return _OUR_SET[0] | ((1 << (bags if bags < 3 else 3)) - 1) | (_ONE_BAG if bags > 1 else 0)


def their_impossible_ways(contract: int, stake: int, certain: int) -> int:
    """Return the set of the opponents' ways that our hand's ``certain`` tricks exclude.

    Both opponents must have bid: ``contract`` is their tricks, and ``stake`` the points at stake on their nils,
    or NO_NIL.
    """
    return _THEIR_MADE[1 if stake != NO_NIL else 0] if contract + certain > 13 else 0


def nil_stakes(auction: Auction, rules: Rules) -> tuple[int, int]:
    """Return the points at stake on nils that others have bid, partner's and the opponents', NO_NIL without a nil."""
    ours, theirs = NO_NIL, NO_NIL
    if auction.seat == 3:
        if is_nil(auction.b1):
            ours = nil_stake(auction.b1, rules)
        if is_nil(auction.b0) or is_nil(auction.b2):
            theirs = side_nil_stake(auction.b0, auction.b2, rules)
        return ours, theirs
    for other in range(auction.seat):
        bid = auction.b0 if other == 0 else (auction.b1 if other == 1 else auction.b2)
        if not is_nil(bid):
            continue
        if (auction.seat - other) & 1:
            theirs = max(theirs, 0) + nil_stake(bid, rules)
        else:
            ours = max(ours, 0) + nil_stake(bid, rules)
    return ours, theirs


def later_nils(seat: int, rules: Rules) -> tuple[int, int]:
    """Return what a nil of a player who bids after ``seat`` brings to our side and to theirs, in points.

    It is 0 if nobody of the side is still to bid. It is the same in games without nil: the net never saw such games and
    expects nils there too. With 0 points for them, its bids would be too high.
    """
    worth = rules.nil_points - LATER_CONTRACT
    if worth < 0 or seat == 3:
        worth = 0
    return worth if seat < 2 else 0, worth


# ---- the win table --------------------------------------------------------------------------------------------------


def win_array(win_slice: WinTableSlice, tables: View) -> View:
    """Return the array that contains the game's table."""
    return tables.extra_win if win_slice.extra else tables.win


def score_row(score: int, bags: int, win_slice: WinTableSlice) -> int:
    """Return the table row of a score with its bags.

    The first and the last row also serve all scores beyond them.
    """
    counted = bags if win_slice.bags > 1 else 0  # a table without bags values scores, whatever bags are in them
    row = (score - counted + win_slice.unit // 2) // win_slice.unit - win_slice.floor
    return 0 if row < 0 else (win_slice.size - 1 if row >= win_slice.size else row)


def table_bags(bags: int, win_slice: WinTableSlice) -> int:
    """Return the table's bag count for a side with ``bags``: as many bags are missing until the penalty, if possible.

    >>> table_bags(6, WinTableSlice(0, 20, 0, bags=10, bag_shift=3))
    9
    """
    counted = bags + win_slice.bag_shift
    return counted if counted > 0 else 0


def win_probability(standing: Standing, win_slice: WinTableSlice, win: View) -> float:
    """Return the probability that we win if our side bids first in the next round; no side may have reached a goal."""
    us, them, us_bags, them_bags = standing
    cell = score_row(us, us_bags, win_slice) * win_slice.size + score_row(them, them_bags, win_slice)
    cell = (cell * win_slice.bags + table_bags(us_bags, win_slice)) * win_slice.bags
    p: float = win[win_slice.start + cell + table_bags(them_bags, win_slice)] / WIN_SCALE
    return p


def win_probability_after(
    standing: Standing, next_first: int, win_slice: WinTableSlice, rules: Rules, win: View
) -> float:
    """Return the probability that we win with this standing after a round.

    ``next_first`` is 1 if our side bids first in the next round.
    """
    us, them, us_bags, them_bags = standing
    winner = game_winner(us, them, rules)
    if winner != 0:
        return 1.0 if winner > 0 else 0.0
    if next_first:
        return win_probability(standing, win_slice, win)
    return 1.0 - win_probability(Standing(us=them, them=us, us_bags=them_bags, them_bags=us_bags), win_slice, win)

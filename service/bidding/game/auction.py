"""Positions in the auction as kernels: sequence numbers, relations between seats, sums.

Seats are 0..3 in bidding order; previous bids come as three ints ``b0, b1, b2`` in that order, -1 where
nobody has bid yet. A bidder's seat equals the number of previous bids.
"""

from service.bidding.game.scoring import BLIND_NIL

NO_BID = -1
SEQUENCES = 1 + 14 + 14**2 + 14**3  # 2,955 sequences of 0..3 previous bids (ECAI 2020, section 4.3)


def sequence_index(seat: int, b0: int, b1: int, b2: int) -> int:
    """The row of a bid sequence in every table by sequence; a blind nil counts as nil.

    >>> sequence_index(0, -1, -1, -1), sequence_index(2, 3, 1, -1), sequence_index(3, 13, 13, 13)
    (0, 58, 2954)
    """
    if seat == 0:
        return 0
    if b0 == BLIND_NIL:
        b0 = 0
    if seat == 1:
        return 1 + b0
    if b1 == BLIND_NIL:
        b1 = 0
    if seat == 2:
        return 15 + 14 * b0 + b1
    if b2 == BLIND_NIL:
        b2 = 0
    return 211 + 196 * b0 + 14 * b1 + b2


def read_auction(seat: int, b0: int, b1: int, b2: int) -> tuple[int, int, int, int]:
    """Partner's bid, the opponents' nils, the sum of the bids and the row of the sequence, in one go.

    As `partner_bid`, `opponents_nils`, `sum_of_bids` and `sequence_index` give them.

    >>> read_auction(3, 4, 0, 14), read_auction(1, 14, -1, -1)
    ((0, 1, 4, 995), (-1, 1, 0, 1))
    """
    if seat == 0:
        return NO_BID, 0, 0, 0
    first = b0
    if first == BLIND_NIL:
        first = 0
    if seat == 1:
        return NO_BID, 0 if first else 1, first, 1 + first
    second = b1
    if second == BLIND_NIL:
        second = 0
    if seat == 2:
        return b0, 0 if second else 1, first + second, 15 + 14 * first + second
    third = b2
    if third == BLIND_NIL:
        third = 0
    nils = (1 if first == 0 else 0) + (1 if third == 0 else 0)
    return b1, nils, first + second + third, 211 + 196 * first + 14 * second + third


def partner_bid(seat: int, b0: int, b1: int) -> int:
    """Partner's bid, or NO_BID where she has yet to bid."""
    if seat == 2:
        return b0
    if seat == 3:
        return b1
    return NO_BID


def opponents_nils(seat: int, b0: int, b1: int, b2: int) -> int:
    """How many opponents have bid nil so far."""
    nils = 0
    if seat == 1 or seat == 3:
        if b0 == 0 or b0 == BLIND_NIL:
            nils += 1
        if seat == 3 and (b2 == 0 or b2 == BLIND_NIL):
            nils += 1
    elif seat == 2 and (b1 == 0 or b1 == BLIND_NIL):
        nils += 1
    return nils


def sum_of_bids(seat: int, b0: int, b1: int, b2: int) -> int:
    """Sum of the previous bids, nils as 0."""
    if seat == 0:
        return 0
    total = b0 if b0 != BLIND_NIL else 0
    if seat > 1 and b1 != BLIND_NIL:
        total += b1
    if seat > 2 and b2 != BLIND_NIL:
        total += b2
    return total

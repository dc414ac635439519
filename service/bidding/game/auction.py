"""The auction as kernels read it: the previous bids and what follows from them, made once for each decision.

Seats are 0..3 in bidding order. Previous bids are three ints ``b0, b1, b2`` in that order, NO_BID where nobody has bid
yet. A bidder's seat equals the number of previous bids.
"""

from functools import cache
from typing import NamedTuple

from service.bidding.game.scoring import BLIND_NIL, contract_of, is_nil
from service.bidding.record import record

NO_BID = -1
SEQUENCES = 1 + 14 + 14**2 + 14**3  # 2,955 sequences of 0..3 previous bids (ECAI 2020, section 4.3)

_UNBID = ((NO_BID, NO_BID, NO_BID), (NO_BID, NO_BID), (NO_BID,), ())


class Auction(NamedTuple):
    """The auction at a bidder's turn."""

    seat: int
    b0: int
    b1: int
    b2: int
    partner_bid: int  # NO_BID if partner has not bid yet, or if each player plays alone
    opponents_nils: int  # nils that opponents have bid so far
    sum_of_bids: int  # tricks; a nil counts 0
    sequence: int  # row of the previous bids in every table by sequence


def read_auction(seat: int, b0: int, b1: int, b2: int) -> Auction:
    """Return the auction at the turn of ``seat``; later bids are not read. A blind nil has the row of a nil.

    >>> read_auction(3, 4, 0, 14)[4:], read_auction(1, 14, -1, -1)[4:]
    ((0, 1, 4, 995), (-1, 1, 0, 1))
    """
    partner_bid, nils, total, sequence = NO_BID, 0, 0, 0
    if seat > 0:
        first = 0 if b0 == BLIND_NIL else b0
        if seat == 1:
            nils, total, sequence = 0 if first else 1, first, 1 + first
        else:
            second = 0 if b1 == BLIND_NIL else b1
            if seat == 2:
                partner_bid, nils = b0, 0 if second else 1
                total, sequence = first + second, 15 + 14 * first + second
            else:
                third = 0 if b2 == BLIND_NIL else b2
                partner_bid, nils = b1, (0 if first else 1) + (0 if third else 1)
                total, sequence = first + second + third, 211 + 196 * first + 14 * second + third
    return record(Auction, (seat, b0, b1, b2, partner_bid, nils, total, sequence))


@cache  # 3,616 auctions
def auction_after(bids: tuple[int, ...]) -> Auction:
    """Return the auction after 0..3 previous bids, first bidder first."""
    seat = len(bids)
    return read_auction(seat, *bids + _UNBID[seat])


def without_partner(auction: Auction) -> Auction:
    """Return the same auction in cutthroat, where all three others are opponents."""
    seat, b0, b1, b2, partner_bid, nils, total, sequence = auction
    return record(Auction, (seat, b0, b1, b2, NO_BID, nils + (1 if is_nil(partner_bid) else 0), total, sequence))


def sequence_after(sequence: int, bid: int) -> int:
    """Return the row of a sequence of bids after one more bid.

    >>> sequence_after(0, 3), sequence_after(sequence_after(0, 3), 14)
    (4, 57)
    """
    return 14 * sequence + 1 + contract_of(bid)

"""The auction as kernels read it: the previous bids and the numbers that follow from them.

Seats are 0..3 in bidding order. The previous bids are three ints ``b0, b1, b2`` in that order; a bid that has not been
made yet is NO_BID. The bidder's seat equals the number of previous bids. The record is made once for each decision.
"""

from functools import cache
from typing import NamedTuple

from spades.record import record
from spades.scoring import BLIND_NIL, contract_of, is_nil

NO_BID = -1
SEQUENCES = 1 + 14 + 14**2 + 14**3  # number of sequences of 0..3 previous bids: 2,955 (ECAI 2020, section 4.3)

_UNBID = ((NO_BID, NO_BID, NO_BID), (NO_BID, NO_BID), (NO_BID,), ())


class Auction(NamedTuple):
    """The auction at a bidder's turn."""

    seat: int  # 0..3 in bidding order
    b0: int  # first previous bid, NO_BID if not made yet; b1 and b2 likewise
    b1: int
    b2: int
    partner_bid: int  # NO_BID if partner has not bid yet, or if each player plays alone
    opponents_nils: int  # number of nils that opponents have bid so far, 0..3
    sum_of_bids: int  # tricks; a nil counts 0
    sequence: int  # row of the previous bids in every table that has one row per sequence of bids


def read_auction(seat: int, b0: int, b1: int, b2: int) -> Auction:
    """Return the auction at the turn of ``seat``.

    Bids of ``seat`` and later seats are ignored. A blind nil uses the table row of a nil.

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


@cache  # at most 3,616 entries: 1 + 15 + 15**2 + 15**3 auctions
def auction_after(bids: tuple[int, ...]) -> Auction:
    """Return the auction after 0..3 previous bids, in bidding order."""
    seat = len(bids)
    return read_auction(seat, *bids + _UNBID[seat])


def without_partner(auction: Auction) -> Auction:
    """Return the same auction for cutthroat, in which all three other players are opponents."""
    seat, b0, b1, b2, partner_bid, nils, total, sequence = auction
    return record(Auction, (seat, b0, b1, b2, NO_BID, nils + (1 if is_nil(partner_bid) else 0), total, sequence))


def sequence_after(sequence: int, bid: int) -> int:
    """Return the row of a sequence of bids that is longer by ``bid``.

    ``sequence`` is the row of the shorter sequence. A blind nil counts as a nil.

    >>> sequence_after(0, 3), sequence_after(sequence_after(0, 3), 14)
    (4, 57)
    """
    return 14 * sequence + 1 + contract_of(bid)

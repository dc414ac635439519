"""The layout of the tables of priors: how probable it is that each bidder holds each card, by the bids made so far.

Each sequence of one to four bids has a row: first all sequences of one bid, then of two, of three and of four. A bid
above MOST counts as MOST, and a blind nil as a nil. The columns are the 13 ranks of a side suit, then those of spades.
The three side suits share their columns, because bidders treat them alike.
"""

from spades.cards import FIRST_SPADE

MOST = 7  # largest bid that has rows of its own
BIDS = MOST + 1  # nil, then the numbers
RANKS = 13
COLUMNS = 2 * RANKS
# By number of bids: the first row of these sequences. The last entry is the number of all rows.
FIRST_ROWS = (0, 0, BIDS, BIDS + BIDS**2, BIDS + BIDS**2 + BIDS**3, BIDS + BIDS**2 + BIDS**3 + BIDS**4)


def bid_class(bid: int) -> int:
    """Return the number 0..MOST that stands for a bid in a sequence.

    >>> bid_class(0), bid_class(5), bid_class(9), bid_class(14)
    (0, 5, 7, 0)
    """
    return 0 if bid > 13 else min(bid, MOST)


def row_of(bids: tuple[int, ...]) -> int:
    """Return the row of one to four bids.

    >>> row_of((3,)), row_of((0, 0)), row_of((7, 7, 7, 7)) == FIRST_ROWS[5] - 1
    (3, 8, True)
    """
    row = 0
    for bid in bids:
        row = BIDS * row + bid_class(bid)
    return FIRST_ROWS[len(bids)] + row


def column_of(card: int) -> int:
    """Return the column of a card of the standard deck.

    >>> column_of(0), column_of(16), column_of(48)
    (0, 0, 13)
    """
    return card % 16 + (RANKS if card >= FIRST_SPADE else 0)

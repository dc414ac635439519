"""What the arena raises, beside the errors of the bidding.

ArenaError(ValueError)      a match can't be played as asked
└── BidderError             an outside bidder can't be opened, doesn't answer, or answers something that is no bid
"""


class ArenaError(ValueError):
    """A match can't be played as asked."""


class BidderError(ArenaError):
    """An outside bidder can't be opened, doesn't answer, or answers something that is no bid."""

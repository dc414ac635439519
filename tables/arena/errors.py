"""Errors of the arena, besides those of the bidding.

ArenaError(ValueError)      the requested match cannot be played
└── BidderError             an outside bidder cannot be opened, does not answer, or its answer is not a bid
"""


class ArenaError(ValueError):
    """The requested match cannot be played."""


class BidderError(ArenaError):
    """An outside bidder cannot be opened, does not answer, or its answer is not a bid."""

"""Errors of the arena and of what is built on it, besides those of the bidding.

BuildError(RuntimeError)    tables, a fit or a report cannot be made, or a command was given what it cannot use
ArenaError(ValueError)      the requested match cannot be played
└── BidderError             an outside bidder cannot be opened, does not answer, or its answer is not a bid
"""


class BuildError(RuntimeError):
    """Tables, a fit or a report cannot be made, or a command was given what it cannot use."""


class ArenaError(ValueError):
    """The requested match cannot be played."""


class BidderError(ArenaError):
    """An outside bidder cannot be opened, does not answer, or its answer is not a bid."""

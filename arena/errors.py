"""Errors of the arena and of what is built on it, besides those of the bidding (`spades.errors`)."""


class BuildError(RuntimeError):
    """Tables, a fit or a report cannot be made, or a command was given what it cannot use."""


class ArenaError(ValueError):
    """The requested match cannot be played."""


class AgentError(ArenaError):
    """A text names no agent, or an option of it is not accepted."""


class BidderError(ArenaError):
    """An agent outside the compiled code cannot be opened, does not answer, or its answer is wrong."""

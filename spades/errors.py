"""Every error that the bidding code raises.

BiddingError(ValueError)         a caller's input can't be used
├── CardError                    unknown or repeated card
├── HandSizeError                not 13 cards, or not four suits
├── PolicyError                  unknown policy or policy option
├── PositionError                bids, scores or cards that are out of range or cannot be true together
└── RulesError                   unknown preset or unsupported rule; names the field
ResultsError(RuntimeError)       the file of measured win rates is missing, can't be read, or lacks a win rate
TablesError(RuntimeError)        a table file is missing, too short, changed or does not match the manifest
"""


class BiddingError(ValueError):
    """A caller's input can't be used."""


class CardError(BiddingError):
    """An unknown or repeated card."""


class HandSizeError(BiddingError):
    """Not 13 cards, or not four suits."""


class PolicyError(BiddingError):
    """An unknown policy, or an option that the policy does not have."""


class PositionError(BiddingError):
    """Bids, scores or cards that are out of range or cannot be true together."""


class RulesError(BiddingError):
    """An unknown preset or an unsupported rule; ``field`` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class TablesError(RuntimeError):
    """A table file is missing, too short, changed or does not match the manifest."""


class ResultsError(RuntimeError):
    """The file of measured win rates is missing, can't be read, or lacks a win rate."""

"""Every error the bidding code raises.

BiddingError(ValueError)         a caller's input can't be used
├── CardError                    unknown or doubled card
├── HandSizeError                not 13 cards, or not four suits
├── PolicyError                  unknown policy or policy option
└── RulesError                   unknown preset or unsupported rule (carries the field)
TablesError(RuntimeError)        a table file is missing, short, changed or does not fit the manifest
"""


class BiddingError(ValueError):
    """A caller's input can't be used."""


class CardError(BiddingError):
    """Unknown or doubled card."""


class HandSizeError(BiddingError):
    """Not 13 cards, or not four suits."""


class PolicyError(BiddingError):
    """Unknown policy, or an option it does not have."""


class RulesError(BiddingError):
    """Unknown preset, or a rule that is not supported; ``field`` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class TablesError(RuntimeError):
    """A table file is missing, short, changed or does not fit the manifest."""

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

from collections.abc import Iterable
from typing import NamedTuple


class Contradiction(NamedTuple):
    """Something that cannot be true of bids, scores or cards, found by one of the checks of a position or a round."""

    place: tuple[str | int, ...]  # names of fields and indices, as in a request
    code: str  # a key of `contract.faults.CODES`
    detail: str  # what is wrong and what is accepted


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


def refuse(contradictions: Iterable[Contradiction]) -> None:
    """Raise `PositionError` with the first of ``contradictions``, if there is one."""
    for place, _, detail in contradictions:
        where = ".".join(map(str, place))
        raise PositionError(detail if detail.startswith(where) else f"{where}: {detail}")

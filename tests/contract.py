"""The faults of a request, for tests."""

from typing import Any

from service.bidding.winprob.games import SHIPPED, Games
from service.contract.request import read_bid
from service.problems import Fault, ProblemError


def faults_of(data: Any, games: Games = SHIPPED, read: Any = read_bid) -> list[Fault]:
    """Return all faults of a request; an empty list if it can be read."""
    try:
        read(data, games)
    except ProblemError as refused:
        return list(refused.faults)
    return []

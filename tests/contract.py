"""Requests as the contract reads them."""

from typing import Any

from service.bidding.winprob.games import SHIPPED, Games
from service.contract.request import RefusedError, read_bid
from service.problems import Fault


def faults_of(data: Any, games: Games = SHIPPED, read: Any = read_bid) -> list[Fault]:
    """All faults of a request; none when it can be read."""
    try:
        read(data, games)
    except RefusedError as refused:
        return refused.faults
    return []

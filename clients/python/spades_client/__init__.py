"""Client of the Spades bidding service: `Client` and `AsyncClient`, their errors, card helpers, a fallback bid.

The types of requests and answers are in `spades_client.models`.
"""

from spades_client.cards import CardError, format_hand, parse_card, parse_hand
from spades_client.client import AsyncClient, Client
from spades_client.errors import InvalidRequest, NoAnswer, ProblemError, SpadesError, Unavailable
from spades_client.fallback import LocalBid, simple_bid

__all__ = [
    "AsyncClient",
    "CardError",
    "Client",
    "InvalidRequest",
    "LocalBid",
    "NoAnswer",
    "ProblemError",
    "SpadesError",
    "Unavailable",
    "format_hand",
    "parse_card",
    "parse_hand",
    "simple_bid",
]

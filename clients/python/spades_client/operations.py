"""The endpoints of the service, each declared once for both clients. A test compares them with the contract."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from spades_client import models
from spades_client.fallback import LocalBid

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Operation(Generic[Answer]):
    """One endpoint. ``field``: a field that every answer has. A body without it is not an answer of the service.

    ``repeatable``: a second request after a lost connection does no harm.
    """

    method: str
    path: str
    field: str
    repeatable: bool = True


BID = Operation[LocalBid]("POST", "/v1/bid", "bid")
BIDS = Operation[models.BidsAnswer]("POST", "/v1/bids", "answers")
BLIND = Operation[models.BlindAnswer]("POST", "/v1/bid/blind", "blind_nil")
PASS_CARDS = Operation[models.PassAnswer]("POST", "/v1/pass", "cards")
CARD = Operation[models.CardAnswer]("POST", "/v1/card", "card")
CARDS = Operation[models.CardsAnswer]("POST", "/v1/cards", "answers")
INFERENCE = Operation[models.InferenceAnswer]("POST", "/v1/inference", "seats")
INFERENCES = Operation[models.InferencesAnswer]("POST", "/v1/inferences", "answers")
REVIEW = Operation[models.ReviewAnswer]("POST", "/v1/review", "decisions")
RESULTS = Operation[models.ResultsAnswer]("POST", "/v1/results", "accepted", repeatable=False)  # it counts results
LIST_POLICIES = Operation[models.PoliciesAnswer]("GET", "/v1/policies", "policies")
LIST_RULES = Operation[models.RulesAnswer]("GET", "/v1/rules", "presets")
LIST_REASONS = Operation[models.ReasonsAnswer]("GET", "/v1/reasons", "reasons")
VERSION = Operation[models.VersionAnswer]("GET", "/version", "service")

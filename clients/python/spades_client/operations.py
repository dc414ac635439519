"""The endpoints of the service, each declared once for both clients. A test compares them with the contract."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from spades_client import models

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Operation(Generic[Answer]):
    """One endpoint. ``repeatable``: a second request after a lost connection does no harm."""

    method: str
    path: str
    repeatable: bool = True


BID = Operation[models.BidAnswer]("POST", "/v1/bid")
BIDS = Operation[models.BidsAnswer]("POST", "/v1/bids")
BLIND = Operation[models.BlindAnswer]("POST", "/v1/bid/blind")
PASS_CARDS = Operation[models.PassAnswer]("POST", "/v1/pass")
CARD = Operation[models.CardAnswer]("POST", "/v1/card")
CARDS = Operation[models.CardsAnswer]("POST", "/v1/cards")
INFERENCE = Operation[models.InferenceAnswer]("POST", "/v1/inference")
INFERENCES = Operation[models.InferencesAnswer]("POST", "/v1/inferences")
RESULTS = Operation[models.ResultsAnswer]("POST", "/v1/results", repeatable=False)  # it counts results
LIST_POLICIES = Operation[models.PoliciesAnswer]("GET", "/v1/policies")
LIST_RULES = Operation[models.RulesAnswer]("GET", "/v1/rules")
LIST_REASONS = Operation[models.ReasonsAnswer]("GET", "/v1/reasons")
VERSION = Operation[models.VersionAnswer]("GET", "/version")

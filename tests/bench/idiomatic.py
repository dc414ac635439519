"""Yardstick (b): the same decision, served as FastAPI's tutorial would: a sync `def` with a model in and a model out.

It is not part of the service; `make bench` starts it beside the service. It checks less than the service does.
"""

from typing import Any, Literal

from fastapi import FastAPI
from pydantic import BaseModel

from spades.bidder import decide
from spades.cards import parse_card
from spades.contract.answer_types import BidAnswer
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import make_rules
from spades.scoring import Standing
from spades.tableset import open_tables

app = FastAPI()
_tables = open_tables()


class Scores(BaseModel):
    us: int = 0
    them: int = 0
    us_bags: int = 0
    them_bags: int = 0


class Request(BaseModel):
    hand: list[str]
    previous_bids: list[int]
    seat: int
    scores: Scores = Scores()
    convention: Literal["none"] = "none"
    policy: str = "bis"
    rules: dict[str, Any] = {"preset": "classic"}
    explain: bool = True


@app.get("/readyz")
def ready() -> dict[str, str]:
    return {"status": "ready"}


@app.post("/bid", response_model=BidAnswer)
def bid(request: Request) -> Any:
    """Return one bid."""
    hand = 0
    for card in request.hand:
        hand |= 1 << parse_card(card)
    scores = request.scores
    overrides = dict(request.rules)
    rules = make_rules(overrides.pop("preset"), overrides)
    bids = tuple(request.previous_bids)
    position = Position(hand, bids, Standing(scores.us, scores.them, scores.us_bags, scores.them_bags), rules)
    decision = decide(position, parse_policy(request.policy, rules.variant), _tables, None, request.explain)
    return {
        "bid": decision.bid,
        "kind": decision.kind,
        "policy": request.policy,
        "tables": _tables.version,
        "assumed": [],
        "explanation": decision.explanation,
    }

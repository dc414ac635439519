"""The yardstick (b): the same decision as FastAPI's tutorial would serve it: a sync `def`, a model in, a model out.

Not part of the service; `make bench` starts it beside the service. It checks less than the service does.
"""

from fastapi import FastAPI

from service.api.requests import BID_WORDS, policy_of
from service.bidding.bidder import Position, decide
from service.bidding.game.cards import parse_card
from service.bidding.game.rules import make_rules
from service.bidding.tableset import open_tables
from service.schemas import BidAnswer, BidRequest

app = FastAPI()
_tables = open_tables()


@app.get("/readyz")
def ready() -> dict[str, str]:
    return {"status": "ready"}


@app.post("/bid", response_model=BidAnswer)
def bid(request: BidRequest) -> BidAnswer:
    """One bid."""
    hand = 0
    for card in request.hand:
        hand |= 1 << parse_card(card)
    bids = tuple(BID_WORDS[str(bid)] for bid in request.previous_bids)
    scores = request.scores
    rules = make_rules(request.rules.preset, request.rules.model_dump(exclude_unset=True, exclude={"preset"}))
    found = policy_of(request.policy, request.convention, rules.variant)
    assert found is not None
    position = Position(hand, bids, scores.us, scores.them, scores.us_bags, scores.them_bags, rules)
    decision = decide(position, found[0], _tables, None, request.explain)
    return BidAnswer.model_validate(
        {
            "bid": decision.bid,
            "kind": decision.kind,
            "policy": request.policy,
            "tables": _tables.version,
            "assumed": [],
            "explanation": decision.explanation,
        }
    )

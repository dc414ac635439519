"""Requests for a review, a finished round, and their answers: POST /v1/review.

The fields that describe the round have the names and the form of the log of games (docs/reference/game-log.md).
"""

from collections.abc import Iterable
from typing import Annotated, Any, Final, NamedTuple, Required

from pydantic import Field, StrictInt, TypeAdapter
from typing_extensions import TypedDict

from spades.contract.answer_types import NotReviewed, ReviewAnswer, ReviewedDecision
from spades.contract.card_request import MAX_SEARCH_DEALS, SEARCH
from spades.contract.cards_and_bids import Exchanged, FourBids, Hand, Plays
from spades.contract.faults import Fault, RequestError, fault_of, pointer
from spades.contract.fields import (
    DEFAULT_BIDDER,
    BidderName,
    GameId,
    OptionalRules,
    TablesName,
    assumed_rules,
    read_fields,
    request_object,
)
from spades.options import Policy
from spades.round_review import PlayedRound, ReviewedChoice, contradictions_in, summary_of
from spades.rules import VARIANTS
from spades.scoring import MAX_BAGS, SCORE_LIMIT
from spades.set_options import SetOptions, bidder_of
from spades.winprob.games import SHIPPED, WON_VARIANTS, Games

JUDGE: Final = "winprob"  # the policy that judges bids
REVIEW_DEALS: Final = 64  # on which a card is tried, if the request does not say
_DECIMALS: Final = 6  # of probabilities
_SIDES = "of seats 0 and 2, then of seats 1 and 3"


@request_object
class ReviewRequest(TypedDict, total=False):
    """A finished round, with all cards. Seat 0 bids first, and leads the first trick if the rules name no other."""

    rules: OptionalRules
    hands: Required[
        Annotated[
            list[Hand],
            Field(min_length=4, max_length=4, description="By seat: the cards dealt, before any pass."),
        ]
    ]
    bids: Required[FourBids]
    passed: Annotated[
        Annotated[list[Exchanged], Field(min_length=4, max_length=4)] | None,
        Field(
            description="By seat: the cards given to partner after the bidding, null for a seat that gave none. Needed "
            "if the rules have a pass and a nil was bid."
        ),
    ]
    plays: Required[Annotated[Plays, Field(description="All 52 cards in the order of play.")]]
    scores: Annotated[
        Annotated[list[Annotated[StrictInt, Field(ge=-SCORE_LIMIT, le=SCORE_LIMIT)]], Field(min_length=2, max_length=2)]
        | None,
        Field(description=f"Points before the round, with those of bags: {_SIDES}. Default: 0."),
    ]
    bags: Annotated[
        Annotated[list[Annotated[StrictInt, Field(ge=0, le=MAX_BAGS)]], Field(min_length=2, max_length=2)] | None,
        Field(description=f"Bags since the last penalty: {_SIDES}. Default: 0."),
    ]
    deals: Annotated[
        Annotated[StrictInt, Field(ge=1, le=MAX_SEARCH_DEALS)] | None,
        Field(description=f"The number of random deals on which each card is tried. Default: {REVIEW_DEALS}."),
    ]
    policy: Annotated[
        BidderName | None,
        Field(
            description="The policy that all players are assumed to bid by, from which the deals follow. Default: "
            f"{DEFAULT_BIDDER}."
        ),
    ]
    tables: TablesName
    game: GameId


_REVIEW: Final = TypeAdapter[ReviewRequest](ReviewRequest).validator.validate_python


class ReviewCall(NamedTuple):
    """A round that can be reviewed."""

    played: PlayedRound
    judge: Policy
    judge_text: str  # the policy text of the judge
    deals: int
    bidder: str  # the policy that all players are assumed to bid by
    assumed: list[str]  # what the request left out


def read_review(data: Any, games: Games = SHIPPED, options: SetOptions = ()) -> ReviewCall:
    """Read a request for a review. Raises `RequestError`.

    ``games``: those that have a win table; ``options``: what the table set gives to policies.
    """
    request, rules = read_fields(data, _REVIEW)
    stated = data.get("rules") or {}
    nearest = games.nearest(rules)
    if nearest is None:
        accepted = ", ".join(VARIANTS[variant] for variant in WON_VARIANTS)
        detail = f"variant is {VARIANTS[rules.variant]}, which has no win table; accepted: {accepted}"
        raise RequestError([Fault(pointer("rules", "variant"), "unsupported-rules", detail)])
    if nearest.instead and stated.get("approximate") is False:
        detail = "approximate is false, and the rules have no win table of their own; accepted: true"
        raise RequestError([Fault(pointer("rules", "approximate"), "unsupported-rules", detail)])
    played = PlayedRound(
        rules=rules,
        hands=tuple(request["hands"]),
        bids=request["bids"],
        passed=tuple(cards or 0 for cards in request.get("passed") or (0, 0, 0, 0)),
        plays=request["plays"],
        scores=tuple(request.get("scores") or (0, 0)),
        bags=tuple(request.get("bags") or (0, 0)),
    )
    if found := contradictions_in(played):
        raise RequestError([fault_of(one) for one in found])
    bidder = bidder_of(JUDGE, None, rules.variant, True, options)
    assumed = ["rules.preset"] if stated.get("preset") is None else []
    assumed += [name for name in ("scores", "bags") if request.get(name) is None]
    return ReviewCall(
        played=played,
        judge=bidder.policy,
        judge_text=bidder.text,
        deals=request.get("deals") or REVIEW_DEALS,
        bidder=request.get("policy") or DEFAULT_BIDDER,
        assumed=assumed + assumed_rules(rules, games),
    )


# ---- the answer ------------------------------------------------------------------------------------------------------


def review_answer(
    call: ReviewCall, choices: Iterable[ReviewedChoice], not_reviewed: NotReviewed | None, version: str
) -> ReviewAnswer:
    """Return the answer; ``not_reviewed``: why the cards are not reviewed; ``version``: of the tables."""
    choices = list(choices)
    answer: ReviewAnswer = {
        "decisions": [_decision(one) for one in choices],
        "summary": [
            {**one._asdict(), "mean_loss": _rounded(one.mean_loss), "total_loss": _rounded(one.total_loss)}  # type: ignore[typeddict-item]
            for one in summary_of(choices)
        ],
        "cards_reviewed": not_reviewed is None,
        "policy": call.judge_text,
        "tables": version,
        "assumed": call.assumed,
    }
    if not_reviewed is None:
        answer["player"], answer["deals"] = SEARCH, call.deals
    else:
        answer["not_reviewed"] = not_reviewed
    return answer


def _decision(choice: ReviewedChoice) -> ReviewedDecision:
    decision = choice._asdict()
    for name in ("p_win", "best_p_win", "loss", "error"):
        decision[name] = _rounded(decision[name])
    if choice.error is None:
        del decision["error"]
    return decision  # type: ignore[return-value]


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, _DECIMALS)

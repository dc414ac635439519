"""The answers of POST /v1/bids, /v1/cards, /v1/inferences and /v1/results: an answer or a problem for each item."""

from typing import Annotated, Literal

from pydantic import Field, with_config
from typing_extensions import TypedDict

from service.problems import Problem
from spades.contract.answer_types import ANSWER_CONFIG, BidAnswer, CardAnswer, InferenceItemAnswer


@with_config(ANSWER_CONFIG)
class AnsweredItem(TypedDict):
    """The answer to one request of a batch."""

    status: Literal[200]
    body: BidAnswer


@with_config(ANSWER_CONFIG)
class RefusedItem(TypedDict):
    """The problem of one request of a batch."""

    status: Literal[422, 500, 503]
    body: Problem


# A client tells the two apart by `status`. The OpenAPI document declares no `discriminator`: a discriminator has only
# string values, so openapi-typescript would turn the number into a string.
BidsItem = AnsweredItem | RefusedItem


@with_config(ANSWER_CONFIG)
class BidsAnswer(TypedDict):
    """The answers, in the order of the requests."""

    answers: list[BidsItem]


@with_config(ANSWER_CONFIG)
class AnsweredCard(TypedDict):
    """The answer to one request of a batch."""

    status: Literal[200]
    body: CardAnswer


CardsItem = AnsweredCard | RefusedItem


@with_config(ANSWER_CONFIG)
class CardsAnswer(TypedDict):
    """The answers, in the order of the requests."""

    answers: list[CardsItem]


@with_config(ANSWER_CONFIG)
class AnsweredInference(TypedDict):
    """The answer to one request of a batch."""

    status: Literal[200]
    body: InferenceItemAnswer


InferencesItem = AnsweredInference | RefusedItem


@with_config(ANSWER_CONFIG)
class InferencesAnswer(TypedDict):
    """The answers, in the order of the requests."""

    answers: list[InferencesItem]


@with_config(ANSWER_CONFIG)
class RefusedResult(TypedDict):
    """A result that was not counted."""

    index: Annotated[int, Field(ge=0, description="Its place among the results.")]
    status: Literal[422, 500]
    body: Problem


@with_config(ANSWER_CONFIG)
class ResultsAnswer(TypedDict):
    """How many results were accepted, and what is wrong with the others."""

    accepted: int
    refused: list[RefusedResult]

"""The format of a log of rounds: each field declared once, for JSON Lines, Parquet and the JSON Schema.

One record is one round. In JSON Lines a record is a line. In Parquet it is a row with the same columns; `rules` is
there a text with the JSON object. Fields beyond these are dropped when a log is read: no player ids are needed.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AwareDatetime, ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from service.bidding.game.scoring import BLIND_NIL

SEATS = 4
HAND_CHARACTERS = 13 + 3  # of a PBN hand: cards and dots
PLAYS = 52

_Four = Field(min_length=SEATS, max_length=SEATS)
Hand: TypeAlias = Annotated[str, Field(pattern="^[2-9TJQKA.]{16}$")]
Card: TypeAlias = Annotated[str, Field(pattern="^[2-9TJQKA][CDHS]$")]
Points: TypeAlias = Annotated[int, Field(ge=-10_000, le=10_000)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=128)]


class Label(TypedDict, total=False):
    """Who sat in a seat. Every text is free; a report groups by it."""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)  # type: ignore[misc]

    kind: Annotated[Literal["human", "bot"] | None, Field(description="a person, or a program")]
    policy: Annotated[Text | None, Field(description="how a bot bids, such as `bis` or a name of your own")]
    skill: Annotated[Text | None, Field(description="a band of skill, such as `beginner`")]


class _Required(TypedDict):
    format: Annotated[Literal[1], Field(description="version of this format: 1")]
    game: Annotated[Text, Field(description="id of the game, the same in all its rounds")]
    round: Annotated[int, Field(ge=0, le=10_000, description="number of the round in its game, from 0")]
    bids: Annotated[
        list[Annotated[int, Field(ge=0, le=BLIND_NIL)]],
        _Four,
        Field(description=f"the bids in bidding order: tricks, 0 for nil, {BLIND_NIL} for blind nil"),
    ]


class RoundLog(_Required, total=False):
    """One round of one game. Seats are in bidding order: seat 0 bids first, seat 2 is its partner."""

    __pydantic_config__ = ConfigDict(extra="allow", strict=True)  # type: ignore[misc]

    time: Annotated[AwareDatetime | None, Field(description="when the round began, as in RFC 3339 with a time zone")]
    rules: Annotated[
        dict[str, Any] | None, Field(description="as in POST /bid: a preset and what differs; default: classic")
    ]
    hands: Annotated[
        list[Hand | None] | None,
        _Four,
        Field(description="the cards dealt, by seat, in PBN: spades.hearts.diamonds.clubs; null if not known"),
    ]
    tricks: Annotated[
        list[Annotated[int, Field(ge=0, le=13)]] | None, _Four, Field(description="the tricks that each seat took")
    ]
    plays: Annotated[
        list[Card] | None,
        Field(min_length=PLAYS, max_length=PLAYS, description="all cards in the order of play; seat 0 leads"),
    ]
    scores: Annotated[
        list[Points] | None,
        Field(min_length=2, max_length=2, description="points before the round: of seats 0 and 2, of seats 1 and 3"),
    ]
    bags: Annotated[
        list[Annotated[int, Field(ge=0, le=99)]] | None,
        Field(min_length=2, max_length=2, description="bags before the round, in the same order"),
    ]
    labels: Annotated[list[Label | None] | None, _Four, Field(description="who sat in each seat")]
    winner: Annotated[
        Literal[0, 1] | None,
        Field(description="who won the game: 0 for the side of seats 0 and 2, 1 for the other"),
    ]


FIELDS = tuple(RoundLog.__annotations__)
READER: TypeAdapter[RoundLog] = TypeAdapter(RoundLog)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of one record."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | READER.json_schema()

"""The format of a log of rounds: each field declared once, for JSON Lines, CSV, Parquet and the JSON Schema.

One record is one round. In JSON Lines a record is a line. In CSV it is a row with the same columns: the cells of TEXTS
hold the text itself, the others hold JSON, and an empty cell is null. In Parquet it is a row too, and `rules` is a text
that holds the JSON object. Other fields are dropped when a log is read: no player ids are needed.
"""

import re
from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from spades.legal import BLIND_NIL, BLIND_NUMBER, HIGHEST_BID

SEATS = 4
HAND_CHARACTERS = 13 + 3  # of a PBN hand: cards and dots
PLAYS = 52

_Four = Field(min_length=SEATS, max_length=SEATS)
_Two = Field(min_length=2, max_length=2)
_TIME = r"^(19[7-9]|20|21)\d+-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\d(\.\d{1,9})?(Z|[+-][0-2]\d:[0-5]\d)$"
Hand: TypeAlias = Annotated[str, Field(pattern="^[2-9TJQKA.]{16}$")]
Card: TypeAlias = Annotated[str, Field(pattern="^[2-9TJQKA][CDHS]$")]
Points: TypeAlias = Annotated[int, Field(ge=-10_000, le=10_000)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=128)]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[\w .:@+-]{1,64}$")]
Time: TypeAlias = Annotated[str, Field(pattern=_TIME)]
Bid: TypeAlias = Annotated[int, Field(ge=0, le=HIGHEST_BID)]
FourBids: TypeAlias = Annotated[list[Bid], _Four]
FourTricks: TypeAlias = Annotated[list[Annotated[int, Field(ge=0, le=13)]], _Four]
RoundNumber: TypeAlias = Annotated[int, Field(ge=0, le=10_000)]


class Label(TypedDict, total=False):
    """Who sat in a seat. A name has letters, digits, spaces and the characters . : @ + - _"""

    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)  # type: ignore[misc]

    kind: Annotated[str | None, Field(pattern="^(human|bot)$", description="`human` or `bot`")]
    policy: Annotated[Name | None, Field(description="how a bot bids, such as `bis` or a name of your own")]
    skill: Annotated[Name | None, Field(description="a band of skill, such as `beginner`")]


class _Required(TypedDict):
    format: Annotated[int, Field(ge=1, le=1, description="the version of this format: 1")]
    game: Annotated[Text, Field(description="a text of 1 to 128 characters, the same in all rounds of a game")]
    round: Annotated[RoundNumber, Field(description="the number of the round in its game, from 0")]
    bids: Annotated[
        FourBids,
        Field(
            description=f"four bids in bidding order: tricks, 0 for nil, {BLIND_NIL} for blind nil, and for a blind "
            f"number its tricks and {BLIND_NUMBER} more"
        ),
    ]


class RoundLog(_Required, total=False):
    """One round of one game. Seats are in bidding order: seat 0 bids first, seat 2 is its partner."""

    __pydantic_config__ = ConfigDict(extra="allow", strict=True)  # type: ignore[misc]

    time: Annotated[
        Time | None,
        Field(description="the start of the round in RFC 3339 with a time zone, such as 2026-11-02T18:03:11Z"),
    ]
    rules: Annotated[dict[str, Any] | None, Field(description="an object as in POST /bid: a preset and what differs")]
    hands: Annotated[
        list[Hand | None] | None,
        _Four,
        Field(description="four hands as dealt, in PBN such as AKJ62.AQ.Q.K9543; null for one that is not known"),
    ]
    tricks: Annotated[FourTricks | None, Field(description="the tricks that each seat took")]
    plays: Annotated[
        list[Card] | None,
        Field(min_length=PLAYS, max_length=PLAYS, description="52 cards such as KC in the order of play"),
    ]
    scores: Annotated[
        list[Points] | None,
        _Two,
        Field(description="points before the round, with those of bags: of seats 0 and 2, then of seats 1 and 3"),
    ]
    bags: Annotated[
        list[Annotated[int, Field(ge=0, le=99)]] | None,
        _Two,
        Field(description="bags since the last penalty, in the same order"),
    ]
    labels: Annotated[
        list[Label | None] | None, _Four, Field(description="four objects with kind, policy and skill, or null")
    ]
    winner: Annotated[
        Annotated[int, Field(ge=0, le=1)] | None,
        Field(description="the winner of the game: 0 for the side of seats 0 and 2, 1 for the other"),
    ]


def label_name(text: str) -> str:
    """Return a text as a `Name`: other characters become +.

    >>> label_name("bis:nil=30,endgame=off")
    'bis:nil+30+endgame+off'
    """
    return re.sub(r"[^\w .:@+-]", "+", text)[:64]


FIELDS = tuple(RoundLog.__annotations__)
TEXTS = ("game", "time")  # fields that are a text
LABEL_FIELDS = tuple(Label.__annotations__)
READER: TypeAdapter[RoundLog] = TypeAdapter(RoundLog)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of one record."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | READER.json_schema()


# By field, what it accepts, for the texts of faults.
ACCEPTED: dict[str, str] = {name: field["description"] for name, field in json_schema()["properties"].items()}

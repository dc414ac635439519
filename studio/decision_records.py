"""The records of a decision log, which the service writes: bids that it gave, and results that were posted.

They are lines of a log that may also hold whole rounds; only they have the field `record`. `joining` makes rounds of
them. A decision holds the unchanged request of POST /bid.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypeAlias

import orjson
from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from spades.cards import DECK, parse_card, parse_pbn
from spades.errors import BiddingError
from spades.legal import BLIND_NIL, BLIND_NUMBER, HIGHEST_BID, NIL, bid_word
from studio.round_log import SEATS, Bid, FourBids, FourTricks, RoundNumber, Text, Time

DECISION, RESULT = "decision", "result"
_WORDS = {str(bid): bid for bid in range(14)} | {"nil": NIL}
_WORDS |= {bid_word(bid): bid for bid in (BLIND_NIL, *range(BLIND_NUMBER + 1, HIGHEST_BID + 1))}
_OPEN = ConfigDict(extra="allow", strict=True)
_Seat: TypeAlias = Annotated[int, Field(ge=0, lt=SEATS)]
_Outcome: TypeAlias = Annotated[bool | None, Field(description="true, false or null")]
_Version: TypeAlias = Annotated[int, Field(ge=1, le=1, description="the version of this format: 1")]
_Dropped: TypeAlias = Annotated[int, Field(ge=0, description="the number of lines that the service dropped before")]
_MARK = b'"record"'


class RequestLog(TypedDict, total=False):
    """The fields of a request that a round is made from."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]

    round_id: Text
    seat: Annotated[_Seat | float, Field(ge=0, lt=SEATS)] | None
    hand: str | Annotated[list[str], Field(max_length=13)]
    previous_bids: Annotated[list[Bid | str | float], Field(max_length=SEATS - 1)]
    scores: dict[str, Any] | None
    rules: dict[str, Any] | None
    game: Text | None


class DecisionLog(TypedDict):
    """One bid that the service gave."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]

    format: _Version
    record: Literal["decision"]
    time: Time
    bid: Bid
    policy: str
    tables: str
    request: RequestLog
    dropped: NotRequired[_Dropped]


class _Reported(TypedDict):
    format: _Version
    record: Literal["result"]
    time: Time
    round_id: Text
    seat: _Seat


class ResultLog(_Reported, total=False):
    """What became of one bid."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]

    dropped: _Dropped
    won: _Outcome
    bids: FourBids | None
    tricks: FourTricks | None
    game: Text | None
    round: RoundNumber | None


READERS: dict[str, TypeAdapter[Any]] = {DECISION: TypeAdapter(DecisionLog), RESULT: TypeAdapter(ResultLog)}


def record_in(text: bytes) -> Any:
    """Return a line as JSON if it is a record of a decision log; None for any other line."""
    if _MARK not in text:
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and value.get("record") in READERS else None


class RecordError(ValueError):
    """A record that is neither a decision nor a result."""


class Decision(NamedTuple):
    """A bid that the service gave. Points and bags are those of seats 0 and 2, then of seats 1 and 3."""

    seat: int
    hand: int | None  # bits; None in a game that a log can't hold
    previous: tuple[int, ...]
    bid: int
    scores: tuple[int, int] | None
    bags: tuple[int, int] | None
    rules: Mapping[str, Any]
    policy: str
    time: str
    game: str | None


def decision_of(record: DecisionLog) -> Decision:
    """Return the bid of a record; raise `RecordError` with field, found and accepted."""
    request = record["request"]
    for name in ("round_id", "previous_bids", "hand"):
        if name not in request:
            raise RecordError(f"request/{name} is missing; accepted: a request of POST /bid")
    previous = tuple(_bid(bid, place) for place, bid in enumerate(request["previous_bids"]))
    seat = len(previous)
    if request.get("seat") not in (None, seat):
        found = f"request/seat is {request['seat']} after {seat} previous bid{'s' * (seat != 1)}"
        raise RecordError(f"{found}; accepted: {seat}, or leave seat out")
    scores = request.get("scores") or {}
    return Decision(
        seat,
        _hand(request["hand"]),
        previous,
        record["bid"],
        _pair(scores, "us", "them", seat),
        _pair(scores, "us_bags", "them_bags", seat),
        {name: rule.lower() if isinstance(rule, str) else rule for name, rule in (request.get("rules") or {}).items()},
        record["policy"],
        record["time"],
        request.get("game"),
    )


def _bid(bid: object, place: int) -> int:
    number = _WORDS.get(bid, -1) if isinstance(bid, str) else bid
    if not isinstance(number, int | float) or not NIL <= number <= HIGHEST_BID:
        accepted = "0 to 13, nil, blind_nil or a blind number such as blind_6"
        raise RecordError(f"request/previous_bids/{place} is {bid!r}; accepted: {accepted}")
    return int(number)


def _hand(given: str | list[str]) -> int | None:
    try:
        cards = {parse_card(name) for name in given} if isinstance(given, list) else parse_pbn(given)
    except BiddingError as error:
        raise RecordError(f"request/hand: {error}") from None
    hand = sum(1 << card for card in cards) if isinstance(cards, set) else cards
    return None if hand & ~DECK else hand


def _pair(scores: Mapping[str, Any], us: str, them: str, seat: int) -> tuple[int, int] | None:
    ours, theirs = scores.get(us), scores.get(them)
    if ours is None or theirs is None:
        return None
    for name, value in ((us, ours), (them, theirs)):
        if not isinstance(value, int | float):
            raise RecordError(f"request/scores/{name} is {value!r}; accepted: a number")
    return (int(theirs), int(ours)) if seat & 1 else (int(ours), int(theirs))

"""The records of a decision log, which the service writes, and the rounds that they make.

The records are bids that the service gave, and results that were posted. They are lines of a log that may also hold
whole rounds; only they have the field `record`. A decision holds the unchanged request of POST /bid.

Records of a round may be in several files, in any order, because each process writes its own lines. So they are
collected from all logs, and then grouped by the round's id. Nothing is guessed: records that contradict each other, or
that lack what a round needs, are a fault.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypeAlias

import orjson
import polars
from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from spades.cards import DECK, format_pbn, parse_card, parse_pbn
from spades.errors import BiddingError, RulesError
from spades.legal import BLIND_NIL, BLIND_NUMBER, HIGHEST_BID, NIL, bid_word
from studio.round_log import SEATS, Bid, FourBids, FourTricks, RoundNumber, Text, Time, label_name
from studio.rounds import Names

DECISION, RESULT = "decision", "result"
_WORDS = {str(bid): bid for bid in range(14)} | {"nil": NIL}
_WORDS |= {bid_word(bid): bid for bid in (BLIND_NIL, *range(BLIND_NUMBER + 1, HIGHEST_BID + 1))}
_OPEN = ConfigDict(extra="allow", strict=True)
_Seat: TypeAlias = Annotated[int, Field(ge=0, lt=SEATS)]
_Outcome: TypeAlias = Annotated[bool | None, Field(description="true, false or null")]
_Version: TypeAlias = Annotated[int, Field(ge=1, le=1, description="the version of this format: 1")]
_Dropped: TypeAlias = Annotated[int, Field(ge=0, description="the number of lines that the service dropped before")]
_MARK = b'"record"'
NO_DECISION, NO_BIDS, CONTRADICTION = "no-decision", "no-bids", "contradiction"  # names of faults
_REPEATED = ("time", "dropped")  # fields in which a repeated record may differ
# `record`: as JSON, with the fields that a round is made from.
_SCHEMA = {"round_id": polars.String, "file": polars.String, "line": polars.Int64, "record": polars.Binary}


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
    previous = tuple(_read_bid(bid, place) for place, bid in enumerate(request["previous_bids"]))
    seat = len(previous)
    if request.get("seat") not in (None, seat):
        found = f"request/seat is {request['seat']} after {seat} previous bid{'s' * (seat != 1)}"
        raise RecordError(f"{found}; accepted: {seat}, or leave seat out")
    scores = request.get("scores") or {}
    return Decision(
        seat,
        _read_hand(request["hand"]),
        previous,
        record["bid"],
        _read_pair(scores, "us", "them", seat),
        _read_pair(scores, "us_bags", "them_bags", seat),
        {name: rule.lower() if isinstance(rule, str) else rule for name, rule in (request.get("rules") or {}).items()},
        record["policy"],
        record["time"],
        request.get("game"),
    )


def _read_bid(bid: object, place: int) -> int:
    number = _WORDS.get(bid, -1) if isinstance(bid, str) else bid
    if not isinstance(number, int | float) or not NIL <= number <= HIGHEST_BID:
        accepted = "0 to 13, nil, blind_nil or a blind number such as blind_6"
        raise RecordError(f"request/previous_bids/{place} is {bid!r}; accepted: {accepted}")
    return int(number)


def _read_hand(given: str | list[str]) -> int | None:
    try:
        cards = {parse_card(name) for name in given} if isinstance(given, list) else parse_pbn(given)
    except BiddingError as error:
        raise RecordError(f"request/hand: {error}") from None
    hand = sum(1 << card for card in cards) if isinstance(cards, set) else cards
    return None if hand & ~DECK else hand


def _read_pair(scores: Mapping[str, Any], us: str, them: str, seat: int) -> tuple[int, int] | None:
    ours, theirs = scores.get(us), scores.get(them)
    if ours is None or theirs is None:
        return None
    for name, value in ((us, ours), (them, theirs)):
        if not isinstance(value, int | float):
            raise RecordError(f"request/scores/{name} is {value!r}; accepted: a number")
    return (int(theirs), int(ours)) if seat & 1 else (int(ours), int(theirs))


class Joined(NamedTuple):
    """A round made of the records with one round id. ``fault``: a name and a sentence, if they make no round."""

    file: str  # of the first record
    line: int
    record: dict[str, Any]  # as in `RoundLog`; for a fault, the records that were joined
    fault: tuple[str, str] | None


class Collector:
    """Collect the records of decision logs."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()  # decisions, results, dropped
        self._rows: list[tuple[str, str, int, bytes]] = []

    def add(self, value: Any, file: str, line: int) -> None:
        """Add a record; raise `ValidationError` or `RecordError` if it is neither a decision nor a result."""
        kind = value["record"]
        record = READERS[kind].validate_python(value)
        if kind == DECISION:
            decision_of(record)
            record["request"] = _known(record["request"], RequestLog)
        self.counts[f"{kind}s"] += 1
        self.counts["dropped"] += value.get("dropped") or 0
        kept = _known(record, DecisionLog if kind == DECISION else ResultLog)
        round_id = (kept["request"] if kind == DECISION else kept)["round_id"]
        self._rows.append((round_id, file, line, orjson.dumps(kept)))

    def records(self) -> polars.DataFrame:
        """Return the records, for `rounds_of_records`."""
        return polars.DataFrame(self._rows, _SCHEMA, orient="row")


def rounds_of_records(records: polars.DataFrame, names: Names, counts: Counter[str]) -> Iterator[Joined]:
    """Yield the rounds of records of decision logs; add to ``counts`` the number of those that were repeated."""
    rounds = records.group_by("round_id", maintain_order=True).agg(polars.all())
    for round_id, files, lines, texts in rounds.iter_rows():
        found = [orjson.loads(text) for text in texts]
        fault = None
        try:
            whole = _round(round_id, found, names, counts)
        except _FaultError as error:
            whole, fault = {"round_id": round_id, "records": found}, (error.name, f"round {round_id!r}: {error}")
        yield Joined(files[0], lines[0], whole, fault)


def _round(round_id: str, records: Sequence[Any], names: Names, counts: Counter[str]) -> dict[str, Any]:
    # The record of a round, or `_FaultError`.
    decisions: dict[int, Decision] = {}
    results: list[Any] = []
    for record in records:
        if record["record"] == RESULT:
            outcome = {name: value for name, value in record.items() if name not in _REPEATED}
            counts["repeats"] += outcome in results
            results.append(outcome)
            continue
        decision = decision_of(record)
        before = decisions.get(decision.seat)
        if before is None:
            decisions[decision.seat] = decision
            continue
        for name in ("hand", "previous", "bid", "scores", "bags", "rules"):
            one, other = getattr(before, name), getattr(decision, name)
            if one != other:
                shown = "" if name == "hand" else f" {one} and {other}"
                text = f"seat {decision.seat} has two decisions, which differ in {name}{shown}; accepted: one"
                raise _FaultError(CONTRADICTION, text)
        counts["repeats"] += 1
    if not decisions:
        text = f"{len(results)} results and no decision; accepted: at least one bid of the service"
        raise _FaultError(NO_DECISION, text)
    return _whole(round_id, decisions, results, names)


class _FaultError(Exception):
    """The reason why records make no round."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


def _whole(round_id: str, decisions: dict[int, Decision], results: list[Any], names: Names) -> dict[str, Any]:
    """Return the round of decisions by seat and of results."""
    bids = _one("bids", [result.get("bids") for result in results])
    last = decisions.get(SEATS - 1)
    if bids is None and last is not None:
        bids = [*last.previous, last.bid]
    if bids is None:
        text = "not all four bids are known; accepted: a result with bids, or the bid of seat 3"
        raise _FaultError(NO_BIDS, text)
    for seat, decision in decisions.items():
        known = [*decision.previous, decision.bid]
        if known != bids[: seat + 1]:
            text = f"bids are {bids}, but the request of seat {seat} and its answer say {known}; accepted: the same"
            raise _FaultError(CONTRADICTION, text)
    _one("rules", [_rules(decision, names) for decision in decisions.values()])
    winners = [result["seat"] & 1 ^ (not result["won"]) for result in results if result.get("won") is not None]
    first = decisions[min(decisions)]
    games = [decision.game for decision in decisions.values()] + [result.get("game") for result in results]
    game, number = _one("game", games), _one("round", [result.get("round") for result in results])
    tricks = _one("tricks", [result.get("tricks") for result in results])
    scores, bags = (_one(name, [getattr(one, name) for one in decisions.values()]) for name in ("scores", "bags"))
    fields = {
        "format": 1,
        # Several rounds of a game may have no number: those without results. They are not one round.
        "game": round_id if game is None or number is None else game,
        "round": number or 0,
        "bids": bids,
        "time": min(decision.time for decision in decisions.values()),
        "rules": dict(first.rules) or None,
        "hands": [_hand(decisions.get(seat)) for seat in range(SEATS)],
        "tricks": tricks,
        "scores": scores and list(scores),
        "bags": bags and list(bags),
        "labels": [
            {"kind": "bot", "policy": label_name(decisions[seat].policy)} if seat in decisions else None
            for seat in range(SEATS)
        ],
        "winner": _one("winner", winners),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _hand(decision: Decision | None) -> str | None:
    return None if decision is None or decision.hand is None else format_pbn(decision.hand)


def _one(name: str, values: Iterable[Any]) -> Any:
    """Return the value of all records that have one, None if no record has one; raise `_FaultError` if they differ."""
    known = [value for value in values if value is not None]
    for value in known:
        if value != known[0]:
            text = f"{name} is {known[0]} in one record and {value} in another; accepted: the same in all records"
            raise _FaultError(CONTRADICTION, text)
    return known[0] if known else None


def _rules(decision: Decision, names: Names) -> Any:
    number = names.rules_number(dict(decision.rules))
    return str(number) if isinstance(number, RulesError) else number


def _known(value: dict[str, Any], model: Any) -> dict[str, Any]:
    names = model.__required_keys__ | model.__optional_keys__
    return {name: member for name, member in value.items() if name in names}

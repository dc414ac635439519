"""Join the records of decision logs into rounds: the bids that the service gave, and the results that were posted.

Records of a round may be in several files, in any order, because each process writes its own lines. So they are
collected from all logs, and then grouped by the round's id. Nothing is guessed: records that contradict each other, or
that lack what a round needs, are a fault.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson
import polars

from spades.cards import format_pbn
from spades.errors import RulesError
from studio.decision_records import (
    DECISION,
    READERS,
    RESULT,
    Decision,
    DecisionLog,
    RequestLog,
    ResultLog,
    decision_of,
)
from studio.round_log import SEATS, label_name
from studio.rounds import Names

NO_DECISION, NO_BIDS, CONTRADICTION = "no-decision", "no-bids", "contradiction"  # names of faults
_REPEATED = ("time", "dropped")  # fields in which a repeated record may differ
# `record`: as JSON, with the fields that a round is made from.
_SCHEMA = {"round_id": polars.String, "file": polars.String, "line": polars.Int64, "record": polars.Binary}


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
    bids = _one("bids", [result["bids"] for result in results if result.get("bids")])
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
    games = [*(decision.game for decision in decisions.values()), *(result.get("game") for result in results)]
    game = _one("game", [game for game in games if game])
    number = _one("round", [result["round"] for result in results if result.get("round") is not None])
    fields = {
        "format": 1,
        # Several rounds of a game may have no number: those without results. They are not one round.
        "game": round_id if game is None or number is None else game,
        "round": number or 0,
        "bids": bids,
        "time": min(decision.time for decision in decisions.values()),
        "rules": dict(first.rules) or None,
        "hands": [_hand(decisions.get(seat)) for seat in range(SEATS)],
        "tricks": _one("tricks", [result["tricks"] for result in results if result.get("tricks")]),
        "scores": _pair("scores", [decision.scores for decision in decisions.values()]),
        "bags": _pair("bags", [decision.bags for decision in decisions.values()]),
        "labels": [
            {"kind": "bot", "policy": label_name(decisions[seat].policy)} if seat in decisions else None
            for seat in range(SEATS)
        ],
        "winner": _one("winner", winners),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _hand(decision: Decision | None) -> str | None:
    return None if decision is None or decision.hand is None else format_pbn(decision.hand)


def _one(name: str, values: Sequence[Any]) -> Any:
    """Return the value that all records have, None if no record has one; raise `_FaultError` if they differ."""
    for value in values:
        if value != values[0]:
            text = f"{name} is {values[0]} in one record and {value} in another; accepted: the same in all records"
            raise _FaultError(CONTRADICTION, text)
    return values[0] if values else None


def _pair(name: str, values: Sequence[tuple[int, int] | None]) -> list[int] | None:
    found = _one(name, [value for value in values if value is not None])
    return None if found is None else list(found)


def _rules(decision: Decision, names: Names) -> Any:
    number = names.rules_number(dict(decision.rules))
    return str(number) if isinstance(number, RulesError) else number


def _known(value: dict[str, Any], model: Any) -> dict[str, Any]:
    names = model.__required_keys__ | model.__optional_keys__
    return {name: member for name, member in value.items() if name in names}

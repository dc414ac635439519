"""The decision log: bids with their hands, and results, as JSON Lines. It is off unless SPADES_DECISION_LOG is set.

A record is logged if its request has a `round_id`. `python -m tables logs check` joins the records of a round
(docs/reference/game-log.md, "Logs of production"). Nothing but fields of the contract is written: no header, no key and
no address. With a share below 1, a hash of the round id decides, so that all records of a round are kept or dropped
together, in every process.
"""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from time import time
from typing import Any, Final

import orjson

from service.bidding.bidder import Position
from service.bidding.game.cards import RANK_BITS, RANKS
from service.bidding.game.rules import CUTTHROAT, JOKERS
from service.line_log import STANDARD_OUTPUT, LineLog, Sink
from service.rotating_file import RotatingFile
from service.settings import Settings, SettingsError

FORMAT: Final = 1  # of game logs (docs/reference/game-log.md)
DECISION, RESULT = "decision", "result"
_NOT_IN_A_LOG: Final = (CUTTHROAT, JOKERS)  # variants whose hands and scores the format can't hold
_GATHER_S = 0.02
_HASH_BYTES = 8
_MOST_HASH = 1 << 8 * _HASH_BYTES
_MIB = 1024 * 1024
_OPTIONS = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z


def decision_line(request: Mapping[str, Any], position: Position, bid: int, policy: str, tables: str) -> bytes:
    """Return the line about a bid. ``request``: as it came, without faults."""
    seat = len(position.bids)
    fields: dict[str, Any] = {
        "format": FORMAT,
        "record": DECISION,
        "round_id": request["round_id"],
        "time": _moment(int(time())),
        "seat": seat,
        "previous_bids": position.bids,
        "bid": bid,
        "policy": policy,
        "tables": tables,
    }
    rules = request.get("rules")
    if rules:
        fields["rules"] = rules
    if position.rules.variant not in _NOT_IN_A_LOG:
        fields["hand"] = hand_text(position.hand)
        scores = request.get("scores")
        if scores:
            turn = -1 if seat & 1 else 1  # the side of seats 0 and 2 comes first
            if scores.get("us") is not None and scores.get("them") is not None:
                fields["scores"] = (position.us, position.them)[::turn]
            if scores.get("us_bags") is not None and scores.get("them_bags") is not None:
                fields["bags"] = (position.us_bags, position.them_bags)[::turn]
    return orjson.dumps(fields, option=_OPTIONS)


def result_line(fields: Mapping[str, Any]) -> bytes:
    """Return the line about a result. ``fields``: as the contract reads them."""
    head = {"format": FORMAT, "record": RESULT, "time": _moment(int(time()))}
    known = {name: value for name, value in fields.items() if value is not None}
    return orjson.dumps(head | known, option=_OPTIONS)


@lru_cache(maxsize=4)
def _moment(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


@lru_cache(maxsize=1 << 13)
def _suit_text(holding: int) -> str:
    return "".join(rank for number, rank in enumerate(RANKS) if holding >> number & 1)[::-1]


def hand_text(hand: int) -> str:
    """Return a hand of the ordinary deck in PBN, as fast as possible.

    >>> hand_text(0b111 << 48 | 1 << 12)
    '432...A'
    """
    spades, hearts, diamonds, clubs = hand >> 48, hand >> 32 & RANK_BITS, hand >> 16 & RANK_BITS, hand & RANK_BITS
    return f"{_suit_text(spades)}.{_suit_text(hearts)}.{_suit_text(diamonds)}.{_suit_text(clubs)}"


class DecisionLog(LineLog):
    """The decision log of one process: the records of ``share`` (0..1) of all rounds."""

    def __init__(self, sink: Sink, share: float, count_dropped: Callable[[int], object]) -> None:
        super().__init__("decision log", sink, count_dropped, _GATHER_S)
        self._below = round(share * _MOST_HASH)  # rounds whose hash is below this are kept
        self._all = share == 1.0

    def decided(self, request: Mapping[str, Any], position: Position, bid: int, policy: str, tables: str) -> None:
        """Log the bid that answers ``request``, which has been read, if it has a `round_id`."""
        round_id = request.get("round_id")
        if round_id is not None and (self._all or self.keeps(round_id)):
            self.write_line(decision_line(request, position, bid, policy, tables))

    def reported(self, fields: Mapping[str, Any]) -> None:
        """Log a result, if it has a `round_id`. ``fields``: as the contract reads them."""
        round_id = fields.get("round_id")
        if round_id is not None and (self._all or self.keeps(round_id)):
            self.write_line(result_line(fields))

    def keeps(self, round_id: str) -> bool:
        """Return whether the records of the round are logged."""
        digest = blake2b(round_id.encode(), digest_size=_HASH_BYTES, person=b"decision log").digest()
        return int.from_bytes(digest, "big") < self._below


def decision_log(settings: Settings, count_dropped: Callable[[int], object]) -> DecisionLog | None:
    """Return the log that ``settings`` describe; None if it is off. Raises `SettingsError` if it can't be opened."""
    path = settings.decision_log
    if path is None or settings.decision_log_share == 0.0:
        return None
    if str(path) == "-":
        return DecisionLog(STANDARD_OUTPUT, settings.decision_log_share, count_dropped)
    try:
        file = RotatingFile(path, settings.decision_log_mib * _MIB, settings.decision_log_files)
    except OSError as error:
        accepted = "- for standard output, or a file that the service may write"
        why = os.strerror(error.errno or 0)
        raise SettingsError(f"SPADES_DECISION_LOG is {str(path)!r}: {why}; accepted: {accepted}") from None
    return DecisionLog(Sink(lambda: file), settings.decision_log_share, count_dropped)

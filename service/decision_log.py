"""The decision log: bids with their requests, and results, as JSON Lines. It is off unless SPADES_DECISION_LOG is set.

A record is logged if its request has a `round_id`. `python -m tables logs check` joins the records of a round
(docs/reference/game-log.md, "Logs of production"). Only fields of the contract are written: no header, no key and
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

from service.line_log import STANDARD_OUTPUT, LineLog, Sink
from service.rotating_file import RotatingFile
from service.settings import Settings, SettingsError

FORMAT: Final = 1  # version of the format of game logs (docs/reference/game-log.md)
DECISION, RESULT = "decision", "result"
_GATHER_S = 0.2  # seconds to wait for more lines: a busy process then writes a thousand or more together
_LINE_FEED, _CARRIAGE_RETURN = b"\n\r"  # integers, because `in` finds them in bytes three times as fast
_MOST_COPIED_BYTES = 1024  # a longer body may be mostly white space
_HASH_BYTES = 8
_MOST_HASH = 1 << 8 * _HASH_BYTES
_MIB = 1024 * 1024


class DecisionLog(LineLog):
    """The decision log of one process: the records of ``share`` (0..1) of all rounds."""

    def __init__(self, sink: Sink, share: float, count_dropped: Callable[[int], object]) -> None:
        super().__init__("decision log", sink, count_dropped, _GATHER_S)
        self._below = round(share * _MOST_HASH)  # rounds whose hash is below this are kept
        self._all = share == 1.0

    def decided(self, request: Mapping[str, Any], body: bytes | None, answer: Mapping[str, Any]) -> None:
        """Log a bid if its request has a `round_id`. ``request`` has no faults; ``body``: its JSON, if there is any."""
        round_id = request.get("round_id")
        if round_id is not None and (self._all or self.includes(round_id)):
            self.write_line(decision_line(request, body, answer))

    def reported(self, fields: Mapping[str, Any]) -> None:
        """Log a result, if it has a `round_id`. ``fields``: as the contract reads them."""
        round_id = fields.get("round_id")
        if round_id is not None and (self._all or self.includes(round_id)):
            self.write_line(result_line(fields))

    def includes(self, round_id: str) -> bool:
        """Return whether the records of the round are logged."""
        digest = blake2b(round_id.encode(), digest_size=_HASH_BYTES, person=b"decision log").digest()
        return int.from_bytes(digest, "big") < self._below


def decision_line(request: Mapping[str, Any], body: bytes | None, answer: Mapping[str, Any]) -> bytes:
    """Return the line about a bid. It copies the bytes of the request, because writing JSON anew takes longer."""
    if body is None or len(body) > _MOST_COPIED_BYTES or _LINE_FEED in body or _CARRIAGE_RETURN in body:
        body = orjson.dumps(request)
    bid = _bid(answer["bid"], answer["policy"], answer["tables"])
    return b"".join((_head(int(time())), bid, body, b"}\n"))


def result_line(fields: Mapping[str, Any]) -> bytes:
    """Return the line about a result. ``fields``: as the contract reads them."""
    head = {"format": FORMAT, "record": RESULT, "time": _moment(int(time()))}
    known = {name: value for name, value in fields.items() if value is not None}
    return orjson.dumps(head | known, option=orjson.OPT_APPEND_NEWLINE)


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


@lru_cache(maxsize=4)
def _head(second: int) -> bytes:
    """Return the beginning of the lines about bids, up to the bid."""
    return b'{"format":%d,"record":"%b","time":"%b",' % (FORMAT, DECISION.encode(), _moment(second).encode())


@lru_cache(maxsize=1024)
def _bid(bid: int, policy: str, tables: str) -> bytes:
    """Return the part of a line from the bid to the request."""
    return orjson.dumps({"bid": bid, "policy": policy, "tables": tables})[1:-1] + b',"request":'


@lru_cache(maxsize=4)
def _moment(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

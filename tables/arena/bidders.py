"""Who may bid in the arena: a policy text, a Python callable, or a server's POST /bid.

Built-in policies are compiled into the games and are no business of this module. An outside bidder is

- ``python:path/to/file.py:callable``: called with the POST /bid request as a dict; gives the bid, or an answer with
  a `bid`. Its file is run once a process. Where several threads play, calls are made one at a time.
- ``http://host:port/bid``: asked by POST over one kept connection a thread, through /v1/bids beside it where there
  is one. A ``?policy=rb`` is taken off the address and put into the requests.

On a cluster every worker opens its own: the file, or the address, has to be there too.

An answer must follow from the request alone (which has a `seed` for drawing lots), or matches don't repeat.
"""

import http.client
import importlib.util
import json
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from service.bidding.numerals import decimal
from tables.arena.errors import BidderError

Request = dict[str, Any]

BATCH = 512  # the contract's most for one /v1/bids
TIMEOUT_S = 30.0
TRIES = 5  # when the server sheds load, or has closed an idle connection
LONGEST_WAIT_S = 5.0
_JSON = {"Content-Type": "application/json", "Accept": "application/json, application/problem+json"}


class OutsideBidder(Protocol):
    """Answers many requests at once, in order."""

    def bids(self, requests: list[Request]) -> list[int]:
        """A bid 0..13 for each request; raises `BidderError`."""

    def close(self) -> None:
        """Let go of connections."""


def is_outside(text: str) -> bool:
    """Whether a bidder's text names an outside bidder; any other is a policy text."""
    return text.startswith(("python:", "http:"))


def open_bidder(text: str) -> OutsideBidder:
    """The outside bidder of a text; raises `BidderError`."""
    return PythonBidder(text) if text.startswith("python:") else HttpBidder(text)


def checked_bid(text: str, request: Request, answer: object) -> int:
    """The bid of an answer: 0..13, or an object with such a `bid`; raises `BidderError`."""
    bid = answer.get("bid") if isinstance(answer, dict) else answer
    if type(bid) is not int or not 0 <= bid <= 13:
        raise BidderError(f"{text}: found answer {answer!r} to {json.dumps(request)}; expected a bid 0..13")
    return bid


class PythonBidder:
    """A callable from a file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.call, self.lock = _load(text)

    def bids(self, requests: list[Request]) -> list[int]:
        """See `OutsideBidder`; what the callable raises goes through."""
        with self.lock:
            return [checked_bid(self.text, request, self.call(request)) for request in requests]

    def close(self) -> None:
        """Nothing to let go of."""


@lru_cache(maxsize=64)
def _load(text: str) -> tuple[Callable[[Request], object], threading.Lock]:
    file, colon, name = text.removeprefix("python:").rpartition(":")
    if not (colon and file and name):
        raise BidderError(f"found {text!r}; expected python:path/to/file.py:callable")
    path = Path(file)
    spec = importlib.util.spec_from_file_location(f"arena_bidder_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise BidderError(f"{text}: found no Python file {path}; expected one")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    call = getattr(module, name, None)
    if not callable(call):
        raise BidderError(f"{text}: found no callable {name} in {path}; expected one")
    return call, threading.Lock()


class HttpBidder:
    """A server that speaks the contract's POST /bid, and perhaps /v1/bids."""

    def __init__(self, text: str) -> None:
        parts = urlsplit(text)
        query = parse_qs(parts.query, strict_parsing=bool(parts.query))
        if parts.scheme != "http" or not parts.hostname or set(query) - {"policy"}:
            raise BidderError(f"found {text!r}; expected http://host:port/bid, with ?policy=... or nothing after it")
        self.text = text
        self.path = parts.path or "/"
        self.extra = {"policy": query["policy"][0]} if query else {}
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port or 80, timeout=TIMEOUT_S)
        base = self.path.removesuffix("/bid").removesuffix("/v1")
        self.batch_path: str | None = f"{base}/v1/bids" if self.path.endswith("/bid") else None

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def bids(self, requests: list[Request]) -> list[int]:
        """See `OutsideBidder`."""
        requests = [request | self.extra for request in requests]
        bids: list[int] = []
        for start in range(0, len(requests), BATCH):
            bids += self._batch(requests[start : start + BATCH])
        return bids

    def _batch(self, requests: list[Request]) -> list[int]:
        if self.batch_path is not None:
            status, content = self._post(self.batch_path, {"requests": requests})
            if status not in (404, 405):
                return self._answers(requests, status, content)
            self.batch_path = None  # not there: one by one from now on
        bids = []
        for request in requests:
            status, content = self._post(self.path, request)
            if status != 200:
                raise BidderError(f"{self.text}: found status {status}: {_shown(content)}; expected 200")
            bids.append(checked_bid(self.text, request, content))
        return bids

    def _answers(self, requests: list[Request], status: int, content: object) -> list[int]:
        answers = content.get("answers") if isinstance(content, dict) else None
        if status != 200 or not isinstance(answers, list) or len(answers) != len(requests):
            found = f"status {status}: {_shown(content)}"
            raise BidderError(f"{self.text}: found {found} from {self.batch_path}; expected {len(requests)} answers")
        bids = []
        for request, answer in zip(requests, answers, strict=True):
            if not isinstance(answer, dict) or answer.get("status") != 200:
                raise BidderError(f"{self.text}: found {_shown(answer)} to {json.dumps(request)}; expected status 200")
            bids.append(checked_bid(self.text, request, answer.get("body")))
        return bids

    def _post(self, path: str, content: object) -> tuple[int, object]:
        body = json.dumps(content).encode()
        for attempt in range(TRIES):
            try:
                self.connection.request("POST", path, body, _JSON)
                answer = self.connection.getresponse()
                text = answer.read()
            except (http.client.HTTPException, OSError) as error:
                self.connection.close()  # the next request opens it again
                if attempt + 1 == TRIES or isinstance(error, TimeoutError):
                    raise BidderError(f"{self.text}: found {error!r}; expected an answer to POST {path}") from error
                time.sleep(0.1 * attempt)
                continue
            if answer.status in (429, 503) and attempt + 1 < TRIES:
                time.sleep(min(_seconds(answer.getheader("Retry-After", "")), LONGEST_WAIT_S))
                continue
            try:
                return answer.status, json.loads(text)
            except ValueError:
                if answer.status == 200:
                    found = text[:200]
                    raise BidderError(f"{self.text}: found {found!r} from POST {path}; expected JSON") from None
                return answer.status, text.decode(errors="replace")
        raise AssertionError("the last attempt returns or raises")


def _seconds(retry_after: str) -> float:
    """The wait that a Retry-After header asks for; a second where it is a date or nothing at all."""
    try:
        return max(0.0, decimal(retry_after))
    except ValueError:
        return 1.0


def _shown(content: object) -> str:
    return repr(content)[:300]

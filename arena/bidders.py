"""Outside bidders of the arena: a public bot, a Python callable, or a server's POST /bid.

Built-in policies are compiled into the games and do not use this module. An outside bidder is one of these:

- ``public:NAME``, a bot of `arena.public`. It is compiled, so that no requests are made.
- ``python:path/to/file.py:callable``. The callable receives the POST /bid request as a dict. It returns the bid, or an
  answer with a field `bid`. The file runs once per process. If several threads play, only one calls at a time.
- ``http://host:port/bid``. The arena sends POST requests over one open connection per thread. It uses /v1/bids on the
  same server if that exists. ``?policy=rb`` is removed from the address and becomes a field of each request.

On a cluster, every worker opens its own outside bidder. The file or the address must exist there too.

An answer must depend on the request alone; otherwise a match cannot be repeated. The request has a `seed` for random
numbers.
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

from arena.batched import is_batched
from arena.errors import BidderError
from arena.players.q_names import parse_q
from arena.public.bots import BOTS, PREFIX
from spades.arguments import decimal

Request = dict[str, Any]

BATCH = 512  # the contract's maximum for one /v1/bids
TIMEOUT_S = 30.0
TRIES = 5  # if the server rejects requests under load, or has closed an idle connection
LONGEST_WAIT_S = 5.0
_JSON = {"Content-Type": "application/json", "Accept": "application/json, application/problem+json"}


class OutsideBidder(Protocol):
    """A bidder outside the compiled code that answers many requests at once, in order."""

    def bids(self, requests: list[Request]) -> list[int]:
        """Return a bid from 0 to 13 for each request. Raises `BidderError`."""

    def close(self) -> None:
        """Close the bidder's connections."""


def is_outside(text: str) -> bool:
    """Return whether a bidder bids outside the compiled games: all do, except policies without their own tables."""
    return text.startswith(("python:", "http:", PREFIX)) or parse_q(text) is not None or is_batched(text)


def bot_of(text: str) -> int | None:
    """Return the number of the public bot that a text names, None for other bidders. Raises `BidderError`."""
    if not text.startswith(PREFIX):
        return None
    if text.removeprefix(PREFIX) not in BOTS:
        raise BidderError(f"bidder is {text!r}; accepted: {', '.join(PREFIX + name for name in BOTS)}")
    return BOTS.index(text.removeprefix(PREFIX))


def open_bidder(text: str) -> OutsideBidder:
    """Return the outside bidder that a text names, except a public bot. Raises `BidderError`."""
    return PythonBidder(text) if text.startswith("python:") else HttpBidder(text)


def checked_bid(text: str, request: Request, answer: object) -> int:
    """Return the bid of an answer: a number from 0 to 13, or an object with such a `bid`. Raises `BidderError`."""
    bid = answer.get("bid") if isinstance(answer, dict) else answer
    if type(bid) is not int or not 0 <= bid <= 13:
        raise BidderError(f"{text}: found answer {answer!r} to {json.dumps(request)}; accepted: a bid from 0 to 13")
    return bid


class PythonBidder:
    """An outside bidder that calls a function from a Python file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.call, self.lock = _load(text)

    def bids(self, requests: list[Request]) -> list[int]:
        """Return a bid for each request; see `OutsideBidder`. Errors of the callable are not caught."""
        with self.lock:
            return [checked_bid(self.text, request, self.call(request)) for request in requests]

    def close(self) -> None:
        """Do nothing: there is no connection."""


@lru_cache(maxsize=64)
def _load(text: str) -> tuple[Callable[[Request], object], threading.Lock]:
    file, colon, name = text.removeprefix("python:").rpartition(":")
    if not (colon and file and name):
        raise BidderError(f"bidder is {text!r}; accepted: python:path/to/file.py:callable")
    path = Path(file)
    spec = importlib.util.spec_from_file_location(f"arena_bidder_{path.stem}", path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise BidderError(f"{text}: {path} is not a Python file; accepted: the path of an existing .py file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    call = getattr(module, name, None)
    if not callable(call):
        raise BidderError(f"{text}: {path} has no callable {name}; accepted: the name of a function in that file")
    return call, threading.Lock()


class HttpBidder:
    """An outside bidder on a server that has the contract's POST /bid, and perhaps /v1/bids."""

    def __init__(self, text: str) -> None:
        parts = urlsplit(text)
        query = parse_qs(parts.query, strict_parsing=bool(parts.query))
        if parts.scheme != "http" or not parts.hostname or set(query) - {"policy"}:
            raise BidderError(f"bidder is {text!r}; accepted: http://host:port/bid, optionally with ?policy=NAME")
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
        """Return a bid for each request; see `OutsideBidder`."""
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
            self.batch_path = None  # the server has no /v1/bids: send single requests from now on
        bids = []
        for request in requests:
            status, content = self._post(self.path, request)
            if status != 200:
                raise BidderError(f"{self.text}: status is {status}: {_shown(content)}; accepted: 200")
            bids.append(checked_bid(self.text, request, content))
        return bids

    def _answers(self, requests: list[Request], status: int, content: object) -> list[int]:
        answers = content.get("answers") if isinstance(content, dict) else None
        if status != 200 or not isinstance(answers, list) or len(answers) != len(requests):
            found = f"status {status}: {_shown(content)}"
            raise BidderError(f"{self.text}: found {found} from {self.batch_path}; accepted: {len(requests)} answers")
        bids = []
        for request, answer in zip(requests, answers, strict=True):
            if not isinstance(answer, dict) or answer.get("status") != 200:
                raise BidderError(f"{self.text}: found {_shown(answer)} to {json.dumps(request)}; accepted: status 200")
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
                    raise BidderError(f"{self.text}: POST {path} got no answer: {error!r}") from error
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
                    raise BidderError(f"{self.text}: found {found!r} from POST {path}; accepted: JSON") from None
                return answer.status, text.decode(errors="replace")
        raise AssertionError("the last attempt returns or raises")


def _seconds(retry_after: str) -> float:
    """Return the wait that a Retry-After header names, in seconds; 1 if it is a date or missing."""
    try:
        return max(0.0, decimal(retry_after))
    except ValueError:
        return 1.0


def _shown(content: object) -> str:
    return repr(content)[:300]

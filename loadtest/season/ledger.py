"""The client's own account: every request that it sent with its fate, every decision, every error.

A request is *answered*, or *lost*: its connection broke, or its caller waited no longer. What the service did with a
lost request is not known. An answer 503 or 504 may come from a proxy, so the service may have counted something else or
nothing: its fate is not known either. An item of a batch may be answered when nobody waits for it any longer: then only
the service counts its decision. All these are `unknown`, apart from the others, so that their number bounds the
difference between this account and the service's.

A process that ends takes its counters with it. What it answered after they were last read is counted by nobody: these
answers are `unread`.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import time
from typing import Any

import httpx2

UNSURE = (503, 504)  # statuses that a proxy may have answered
POLLED = ("/metrics", "/healthz", "/readyz", "/version")  # others ask for these too, so they are not compared
EXAMPLES = 3  # of each kind of error
# A 504 may come so much before the deadline: the service adds how far its event loop was behind, which is an estimate.
EARLY_S = 1.0
_BUCKET = math.log(1.02)  # times are kept in buckets of 2%
ITEMS = {"/v1/bids": "requests", "/v1/cards": "requests", "/v1/results": "results"}  # field with the items of a batch


@dataclass(eq=False)
class Sent:
    """One request on its way, and its fate."""

    path: str
    sent_at: float  # s, as `time.time`
    body: bytes = b""
    status: int | None = None
    ended_at: float = math.inf
    unread: bool = False  # it was under way while a process ended

    @property
    def bids(self) -> int:
        """Return how many bids the service may have made for it."""
        if self.path in ("/v1/bid", "/v1/bid/blind"):
            return 1
        return self.items if self.path == "/v1/bids" else 0

    @property
    def items(self) -> int:
        """Return how many requests or results it holds: 1 unless it is a batch."""
        return len(json.loads(self.body)[ITEMS[self.path]]) if self.path in ITEMS else 1


@dataclass
class Account:
    """Counts that can be added up and written as JSON."""

    answered: Counter[str] = field(default_factory=Counter)  # "path status", statuses in UNSURE too
    # By path, and "bids" and "results" in them; bids of a batch that nobody waited for are in "bids" only.
    unknown: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)  # "path status", and "bids", "results", "faults" in them
    decisions: Counter[str] = field(default_factory=Counter)  # by kind, such as "bid regular"
    tables: Counter[str] = field(default_factory=Counter)  # bids by version of the tables
    faults: Counter[str] = field(default_factory=Counter)  # of refused requests, by code
    times: dict[str, Counter[int]] = field(default_factory=dict)  # by path, answers 200 by bucket
    # By kind: count, whether the caller can act, examples.
    errors: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, other: "Account") -> None:
        """Add another account to this one."""
        for name in ("answered", "unknown", "unread", "decisions", "tables", "faults"):
            getattr(self, name).update(getattr(other, name))
        for path, times in other.times.items():
            self.times.setdefault(path, Counter()).update(times)
        for kind, error in other.errors.items():
            mine = self.errors.setdefault(kind, {"count": 0, "can_act": True, "examples": []})
            mine["count"] += error["count"]
            mine["can_act"] &= error["can_act"]
            mine["examples"] = (mine["examples"] + error["examples"])[:EXAMPLES]

    def as_json(self) -> dict[str, Any]:
        """Return the account as JSON values; `of_json` reads them."""
        return {**vars(self), "times": {path: sorted(times.items()) for path, times in self.times.items()}}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> "Account":
        """Read what `as_json` returns."""
        counts = {name: Counter(data[name]) for name in data if name not in ("times", "errors")}
        times = {path: Counter(dict(map(tuple, pairs))) for path, pairs in data["times"].items()}
        return cls(**counts, times=times, errors=dict(data["errors"]))

    def percentiles_ms(self, path: str) -> dict[str, float]:
        """Return the number of answers 200 of ``path``, and p50, p95 and p99 of their times in ms, within 1%."""
        buckets = sorted(self.times[path].items())
        count = sum(number for _, number in buckets)
        found: dict[str, float] = {"requests": count}
        for percent in (50, 95, 99):
            left = math.ceil(count * percent / 100)
            for bucket, number in buckets:
                left -= number
                if left <= 0:
                    found[f"p{percent}"] = round(math.exp(bucket * _BUCKET), 3)
                    break
        return found


class Ledger:
    """The account of a run, written while requests are sent."""

    def __init__(self) -> None:
        self.account = Account()
        self.broken: list[tuple[float, str]] = []  # when a request broke without its caller's deadline, and what it was
        self._recent: set[Sent] = set()  # under way, or answered since the counters were last read

    # ---- requests ----------------------------------------------------------------------------------------------------

    def send(self, path: str, body: bytes) -> Sent:
        """Note that a request is sent."""
        sent = Sent(path, time(), body)
        self._recent.add(sent)
        return sent

    def end(self, sent: Sent, status: int | None) -> None:
        """Note the answer of a request, or that there will be none (``status`` None)."""
        sent.status, sent.ended_at = status, time()
        account = self.account
        if status is not None:
            account.answered[f"{sent.path} {status}"] += 1
        if status is None or status in UNSURE:
            account.unknown[sent.path] += 1
            account.unknown["bids"] += sent.bids
            account.unknown["results"] += sent.items if sent.path == "/v1/results" else 0
        elif sent.unread:
            self._count_unread(sent)
        if status == 200:
            bucket = round(math.log(max(sent.ended_at - sent.sent_at, 1e-6) * 1000.0) / _BUCKET)
            account.times.setdefault(sent.path, Counter())[bucket] += 1

    def given_up(self, path: str) -> None:
        """Note that an item of a batch was answered when nobody waited for it any longer."""
        self.account.unknown["bids"] += path == "/v1/bids"

    def counters_read(self, asked_at: float) -> None:
        """Forget the requests that ended before the counters were asked for: the counters hold them."""
        self._recent = {sent for sent in self._recent if sent.ended_at >= asked_at}

    def process_ended(self, last_read_at: float, next_read_at: float) -> int:
        """Note that a process ended between two readings; return how many answers it may have taken with it.

        They are those of requests that were under way after the old process was last asked for its counters, and
        before the new one first answered.
        """
        count = 0
        for sent in self._recent:
            if sent.ended_at >= last_read_at and sent.sent_at <= next_read_at and not sent.unread:
                sent.unread = True
                count += 1
                if sent.status is not None and sent.status not in UNSURE:
                    self._count_unread(sent)
        return count

    def _count_unread(self, sent: Sent) -> None:
        unread = self.account.unread
        unread[f"{sent.path} {sent.status}"] += 1
        unread["bids"] += sent.bids
        unread["results"] += sent.items if sent.path == "/v1/results" else 0
        unread["faults"] += sent.status == 422 or sent.path in ITEMS

    # ---- decisions and errors ----------------------------------------------------------------------------------------

    def decided(self, kind: str, count: int = 1) -> None:
        """Count decisions of a kind."""
        self.account.decisions[kind] += count

    def refused(self, faults: Sequence[Mapping[str, Any]]) -> None:
        """Count the faults of a refused request."""
        self.account.faults.update(fault["code"] for fault in faults)

    def no_answer(self, what: str, error: Exception) -> None:
        """Note that a request broke. A caller can repeat it; the report says whether a restart explains it."""
        self.broken.append((time(), f"{what}: {error}"))
        self.error(f"{what}: no answer ({type(error).__name__})", True, error)

    def error(self, kind: str, can_act: bool, example: object) -> None:
        """Note an error; ``can_act``: whether it tells the caller what to do."""
        error = self.account.errors.setdefault(kind, {"count": 0, "can_act": True, "examples": []})
        error["count"] += 1
        if not can_act and error["can_act"]:
            error["can_act"], error["examples"] = False, [str(example)]
        elif len(error["examples"]) < EXAMPLES:
            error["examples"].append(str(example))


def can_act_on(status: int, problem: object, retry_after: str | None, left_s: float = 0.0) -> bool:
    """Return whether an error answer tells its caller what to do.

    A 422 names for every fault the field, what was found and what is accepted; 429 and 503 say when to try again; a 504
    is right only if the caller's own deadline has passed. ``left_s``: until this deadline when the answer came.
    """
    if not isinstance(problem, dict) or not str(problem.get("type", "")).startswith("/problems/"):
        return False
    if status in (429, 503):
        return retry_after is not None
    if status == 504:
        return left_s < EARLY_S
    if status == 422:
        faults = problem.get("errors") or []
        return bool(faults) and all(map(_tells_all, faults))
    return status != 500 and bool(problem.get("detail"))


def _tells_all(fault: Mapping[str, Any]) -> bool:
    """Return whether a fault names its field, and what is accepted; the code of some says that by itself."""
    told = fault.get("code") in ("missing-field", "unknown-field") or "accepted" in str(fault.get("detail"))
    return told and "pointer" in fault


class CountingTransport(httpx2.AsyncBaseTransport):
    """A transport of the client that writes every request and its fate into a ledger."""

    def __init__(self, ledger: Ledger, inner: httpx2.AsyncBaseTransport | None = None) -> None:
        self._ledger = ledger
        self._inner = inner or httpx2.AsyncHTTPTransport(
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=3.0)
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request, and read its whole answer."""
        path = request.url.path
        sent = self._ledger.send(path, request.content)
        try:
            response = await self._inner.handle_async_request(request)
            content = await response.aread()
        except BaseException as error:
            self._ledger.end(sent, None)
            if isinstance(error, httpx2.RequestError):
                self._ledger.no_answer(path, error)
            raise
        self._ledger.end(sent, response.status_code)
        if response.status_code != 200:
            deadline_ms = float(request.headers.get("X-Deadline-Ms", "inf"))
            self._note_error(path, response, content, deadline_ms / 1000.0 - (sent.ended_at - sent.sent_at))
        return response

    def _note_error(self, path: str, response: httpx2.Response, content: bytes, left_s: float) -> None:
        try:
            problem = json.loads(content)
        except ValueError:
            problem = None
        status, ledger = response.status_code, self._ledger
        if status == 422 and isinstance(problem, dict):
            ledger.refused(problem.get("errors", []))
        kind = problem.get("type") if isinstance(problem, dict) else "no problem"
        told = can_act_on(status, problem, response.headers.get("Retry-After"), left_s)
        ledger.error(f"{path}: {status} {kind}", told, problem if problem is not None else content[:200])

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

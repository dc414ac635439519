"""The gate: decide whether to accept a request, by capacity, API key and rate.

`endpoints/` checks a request's content. A request is shed (refused before its body is read) when it has waited too
long, or when too many requests are in progress. A late answer is useless, and shedding costs a fraction of an answer,
so that the other requests are answered in time. The wait is measured: from the arrival of the request's bytes to now.
The gate remembers no overload: the first request that has not waited too long is answered.

Health routes are never refused, so that a health check does not mistake a busy worker for a dead one.
"""

import math
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from time import monotonic

from service.asgi import Fields, Headers
from service.endpoints.body import MAX_BODY_BYTES
from service.endpoints.fixed_answers import OPENAPI
from service.endpoints.pages import is_file
from service.keys import Bucket, Key, Keys, read_keys
from service.metrics import Metrics
from service.problems import ProblemError
from service.settings import Settings

HEALTH_ROUTES = frozenset(("/healthz", "/readyz"))
METRICS = "/metrics"
_NEVER_SHED = HEALTH_ROUTES | {METRICS}  # during an overload, GET /metrics repeats its last answer
_OPEN_ROUTES = HEALTH_ROUTES | {OPENAPI}
# Requests per second on the costly routes together: /metrics and the routes that FastAPI answers. Such a request costs
# more than a bid. Requests over this rate wait.
COSTLY_RATE = 100.0
COSTLY_AT_ONCE = 100.0  # burst after a pause
_LONGEST_TURN_S = 0.5
MAX_LARGE_BODIES_BYTES = 24 * 1024 * 1024  # in all, for bodies too large for a single bid
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=@-]{1,128}")
_TRACEPARENT = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_RETRY_S = "1"
# By the label `reason` of the metric.
_BUSY = {"capacity": "the service is overloaded", "search": "all search processes are busy"}


def is_open(path: str) -> bool:
    """Return whether a path needs no API key: health, and the pages and their files, which hold no secret."""
    return path in _OPEN_ROUTES or is_file(path)


def may_shed(path: str) -> bool:
    """Return whether a request may be shed. Files of pages are never shed: they cost no more than the 503."""
    return path not in _NEVER_SHED and not is_file(path)


class Gate:
    """The gate of one process."""

    def __init__(self, settings: Settings, metrics: Metrics, clock: Callable[[], float] = monotonic) -> None:
        self._longest_wait_s = settings.queue_ms / 1000.0 or math.inf
        self._max_in_flight = settings.max_in_flight
        self._shed = metrics.shed
        self._costly = Bucket(COSTLY_RATE, clock, COSTLY_AT_ONCE)
        self._refusals = Bucket(COSTLY_RATE, clock, COSTLY_AT_ONCE)
        self.large_bodies_bytes = 0
        self._prefix = secrets.token_hex(6).encode()
        self._count = count(1)
        self.keys: Keys | None = None
        if settings.api_keys_file is not None:
            self.keys = read_keys(settings.api_keys_file, settings.key_rate)

    def marks(self, fields: Fields) -> Headers:
        """Return the headers that identify a request in its answer and in the log: its id, and its traceparent if any.

        A caller's id is used if it has 1 to 128 characters that are safe in a log; otherwise a new id is made.
        """
        given = fields.get(b"x-request-id")
        if given is None or not _REQUEST_ID.fullmatch(given):
            given = b"%b-%x" % (self._prefix, next(self._count))
        trace = fields.get(b"traceparent")
        if trace is not None and _TRACEPARENT.fullmatch(trace):
            return [(b"x-request-id", given), (b"traceparent", trace)]
        return [(b"x-request-id", given)]

    def overloaded(self, waited_s: float, in_flight: int) -> bool:
        """Return whether to shed a request that waited ``waited_s`` seconds, with ``in_flight`` in progress."""
        return waited_s > self._longest_wait_s or in_flight > self._max_in_flight

    def turn_s(self, path: str) -> float:
        """Return the seconds until a request on a costly route may start.

        Raises the 503 when too many wait, except for /metrics: it returns 0 instead.
        """
        wait_s = self._costly.take()
        if wait_s > _LONGEST_TURN_S:
            if path == METRICS:
                return 0.0
            raise self.shed()
        if wait_s > 0.0:
            self._costly.debit(1)
        return wait_s

    def refusal_turn_s(self) -> float:
        """Return how many seconds to delay a 401 on a costly route: 0 if none are needed, or if too many wait."""
        wait_s = self._refusals.take()
        if not 0.0 < wait_s <= _LONGEST_TURN_S:
            return 0.0
        self._refusals.debit(1)
        return wait_s

    @contextmanager
    def room(self) -> Iterator["Room"]:
        """Return a context manager that holds memory for a large body from its first byte until its answer."""
        room = Room(self)
        try:
            yield room
        finally:
            self.large_bodies_bytes -= room.held_bytes

    def key(self, path: str, fields: Fields) -> Key | None:
        """Return the caller's API key; None if no keys are set or for a route that needs none. Raises the 401."""
        if self.keys is None or is_open(path):
            return None
        key = self.keys.find(fields.get(b"authorization"))
        if key is None:
            challenge = [("www-authenticate", 'Bearer realm="spades"')]
            detail = "no valid API key; accepted: the header Authorization: Bearer KEY with a key of this service"
            raise ProblemError("unauthorized", detail, headers=challenge)
        return key

    def charge(self, key: Key | None) -> None:
        """Charge one bid or other request to ``key``; raise the 429 when the key's rate is used up."""
        if key is None or key.bucket is None:
            return
        wait_s = key.bucket.take()
        if wait_s > 0.0:
            self._shed["rate"].inc()
            after = str(math.ceil(wait_s))
            detail = f"this key has used up its rate; retry after {after} s"
            raise ProblemError("rate-limited", detail, headers=[("retry-after", after)])

    def shed(self, reason: str = "capacity") -> ProblemError:
        """Count a request that is refused because capacity is short, and return its 503; ``reason``: see `_BUSY`."""
        self._shed[reason].inc()
        return ProblemError("overloaded", f"{_BUSY[reason]}; retry later", headers=[("retry-after", _RETRY_S)])


class Room:
    """One large body's part of the memory for all large bodies."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.held_bytes = 0

    def hold(self, size_bytes: int) -> None:
        """Count a body of which ``size_bytes`` have arrived; raise the 503 if all bodies together take too much."""
        if size_bytes <= MAX_BODY_BYTES:
            return
        more = size_bytes - self.held_bytes
        if self._gate.large_bodies_bytes + more > MAX_LARGE_BODIES_BYTES:
            raise self._gate.shed()
        self._gate.large_bodies_bytes += more
        self.held_bytes = size_bytes

"""The gate: whether a request is taken up - capacity, API key, rate - and what is said of it afterwards.

Not the checks of a request's content (`api/`). A request that has waited too long for its turn, or comes while too many
are under way, is shed before anything of it is read: answering late helps nobody, and what is shed costs a fraction of
what is answered, so that the rest stays in time. The wait is measured, not guessed: from the moment that the server had
the request's bytes in hand to now. No state is kept: the first request that did not wait is answered again.

Health routes are never refused: a prober must not take a loaded worker for a dead one.
"""

import math
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from time import monotonic

from service.api.body import MAX_BODY_BYTES
from service.asgi import Fields, Headers
from service.keys import Bucket, Key, Keys, read_keys
from service.metrics import Metrics
from service.problems import ProblemError
from service.settings import Settings

OPEN_ROUTES = frozenset(("/healthz", "/readyz"))
METRICS = "/metrics"
_NEVER_SHED = OPEN_ROUTES | {METRICS}  # while overloaded, a scrape gets the text of the last one
# Requests a second for /metrics and what FastAPI answers, which cost more than a bid; more of them wait for their turn.
COSTLY_RATE = 100.0
COSTLY_AT_ONCE = 100.0  # after a pause
_LONGEST_TURN_S = 0.5
MAX_LARGE_BODIES_BYTES = 24 * 1024 * 1024  # of all bodies in memory that are larger than the largest single bid
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=@-]{1,128}")
_TRACEPARENT = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_RETRY_S = "1"


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
        """The headers that mark a request in its answer and in the log: the id, and a traceparent where one came.

        A caller's id is taken over when it is 1..128 characters that can't harm a log; else it gets a new one.
        """
        given = fields.get(b"x-request-id")
        if given is None or not _REQUEST_ID.fullmatch(given):
            given = b"%b-%x" % (self._prefix, next(self._count))
        trace = fields.get(b"traceparent")
        if trace is not None and _TRACEPARENT.fullmatch(trace):
            return [(b"x-request-id", given), (b"traceparent", trace)]
        return [(b"x-request-id", given)]

    def overloaded(self, waited_s: float, in_flight: int) -> bool:
        """Whether a request that has waited ``waited_s`` seconds, beside ``in_flight`` others, finds too much work."""
        return waited_s > self._longest_wait_s or in_flight > self._max_in_flight

    def check_load(self, path: str, waited_s: float, in_flight: int) -> None:
        """Raise the 503 if a request is shed: it waited ``waited_s`` seconds, beside ``in_flight`` others."""
        if self.overloaded(waited_s, in_flight) and path not in _NEVER_SHED:
            raise self.shed()

    def turn_s(self, path: str) -> float:
        """Seconds until the turn of a request on a costly route.

        Raises the 503 when too many wait; a scrape is then answered at once.
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
        """Seconds until the turn of a 401 on a costly route; 0 when too many wait. Such requests delay no other's."""
        wait_s = self._refusals.take()
        if not 0.0 < wait_s <= _LONGEST_TURN_S:
            return 0.0
        self._refusals.debit(1)
        return wait_s

    @contextmanager
    def room(self) -> Iterator["Room"]:
        """Room for a large body, from its first byte until it is answered."""
        room = Room(self)
        try:
            yield room
        finally:
            self.large_bodies_bytes -= room.held_bytes

    def key(self, path: str, fields: Fields) -> Key | None:
        """The caller's API key; None where none are set, and for health. Raises the 401."""
        if self.keys is None or path in OPEN_ROUTES:
            return None
        key = self.keys.find(fields.get(b"authorization"))
        if key is None:
            challenge = [("www-authenticate", 'Bearer realm="spades"')]
            detail = "expected Authorization: Bearer and one of this service's keys"
            raise ProblemError("unauthorized", detail, headers=challenge)
        return key

    def charge(self, key: Key | None) -> None:
        """Count one bid, or another request, to the key; raise the 429 when its rate is used up."""
        if key is None or key.bucket is None:
            return
        wait_s = key.bucket.take()
        if wait_s > 0.0:
            self._shed["rate"].inc()
            after = str(math.ceil(wait_s))
            detail = f"the key's rate is used up; retry after {after} s"
            raise ProblemError("rate-limited", detail, headers=[("retry-after", after)])

    def shed(self) -> ProblemError:
        """The 503 of a request that is refused for want of capacity, which is counted."""
        self._shed["capacity"].inc()
        return ProblemError("overloaded", "shed to keep the others in time", headers=[("retry-after", _RETRY_S)])


class Room:
    """The memory that one large body takes of what all may take together."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.held_bytes = 0

    def hold(self, size_bytes: int) -> None:
        """Count a body of which ``size_bytes`` have come; raise the 503 when others take too much."""
        if size_bytes <= MAX_BODY_BYTES:
            return
        more = size_bytes - self.held_bytes
        if self._gate.large_bodies_bytes + more > MAX_LARGE_BODIES_BYTES:
            raise self._gate.shed()
        self._gate.large_bodies_bytes += more
        self.held_bytes = size_bytes

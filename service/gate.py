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
from itertools import count

from service.api.body import Fields, Headers
from service.keys import Key, Keys, read_keys
from service.metrics import Metrics
from service.problems import ProblemError
from service.settings import Settings

OPEN_ROUTES = frozenset(("/healthz", "/readyz"))
_NEVER_SHED = OPEN_ROUTES | {"/metrics"}
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=@-]{1,128}")
_TRACEPARENT = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_RETRY_S = "1"


class Gate:
    """The gate of one process."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._longest_wait_s = settings.queue_ms / 1000.0 or math.inf
        self._max_in_flight = settings.max_in_flight
        self._shed = metrics.shed
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

    def overload(self, path: str, waited_s: float, in_flight: int) -> ProblemError | None:
        """The 503 for a request that has waited ``waited_s`` seconds beside ``in_flight`` others, or None: take it."""
        if (waited_s <= self._longest_wait_s and in_flight <= self._max_in_flight) or path in _NEVER_SHED:
            return None
        self._shed["capacity"].inc()
        return ProblemError("overloaded", "shed to keep the others in time", headers=[("retry-after", _RETRY_S)])

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
        """Count one bid to the key; raise the 429 when its rate is used up."""
        if key is None or key.bucket is None:
            return
        wait_s = key.bucket.take()
        if wait_s > 0.0:
            self._shed["rate"].inc()
            after = str(math.ceil(wait_s))
            detail = f"the key's rate is used up; retry after {after} s"
            raise ProblemError("rate-limited", detail, headers=[("retry-after", after)])

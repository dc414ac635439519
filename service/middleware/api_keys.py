"""The middleware of API keys: refuse a request without a valid key (401) or over its key's rate (429).

It is only there if SPADES_API_KEYS_FILE is set. Answers with 401 are sent at a limited rate, all others at once, so
that callers without a key cost little.
"""

import asyncio
import math

from starlette.types import ASGIApp, Receive, Scope, Send

from service.keys import Bucket, Key, Keys
from service.metrics import Metrics
from service.problems import ProblemError, send_problem

REFUSALS_RATE = 100.0  # answers with 401 per second; more of them wait
REFUSALS_AT_ONCE = 100.0  # burst after a pause
LONGEST_WAIT_S = 0.5  # a 401 that would wait longer is sent at once


class ApiKeyMiddleware:
    """Checks the API key of each request on a route that needs one."""

    def __init__(self, app: ASGIApp, keys: Keys, metrics: Metrics) -> None:
        self.app = app
        self._keys = keys
        self._metrics = metrics
        self._refusals = Bucket(REFUSALS_RATE, most=REFUSALS_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request with a valid key through; its state gets the key."""
        route = scope["state"]["route"] if scope["type"] == "http" else None
        if scope["type"] != "http" or (route is not None and not route.needs_key):
            await self.app(scope, receive, send)
            return
        key = self._keys.find(scope["state"]["headers"].get(b"authorization"))
        if key is None:
            await self._wait_to_refuse()
            await send_problem(_unauthorized(), scope, receive, send)
        elif (wait_s := _seconds_to_wait(key)) > 0.0:
            self._metrics.shed("rate")
            await send_problem(_rate_limited(wait_s), scope, receive, send)
        else:
            scope["state"]["key"] = key
            await self.app(scope, receive, send)

    async def _wait_to_refuse(self) -> None:
        wait_s = self._refusals.take()
        if 0.0 < wait_s <= LONGEST_WAIT_S:
            self._refusals.debit(1)
            await asyncio.sleep(wait_s)


def _seconds_to_wait(key: Key) -> float:
    """Charge one request to the key and return 0; if its rate is used up, return the seconds until the next one."""
    return 0.0 if key.bucket is None else key.bucket.take()


def _unauthorized() -> ProblemError:
    challenge = [("www-authenticate", 'Bearer realm="spades"')]
    detail = "no valid API key; accepted: the header Authorization: Bearer KEY with a key of this service"
    return ProblemError("unauthorized", detail, headers=challenge)


def _rate_limited(wait_s: float) -> ProblemError:
    after = str(math.ceil(wait_s))
    detail = f"this key has used up its rate; retry after {after} s"
    return ProblemError("rate-limited", detail, headers=[("retry-after", after)])

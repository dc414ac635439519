"""What both clients do: check settings, keep the deadline, send requests again, and play the fallback."""

import asyncio
import logging
import math
import random
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

import httpx2

from spades_client.errors import NoAnswer, SpadesError, Unavailable, error_of
from spades_client.fallback import Fallback, LocalBid, local_answer
from spades_client.models import BidRequest
from spades_client.operations import Operation

Answer = TypeVar("Answer")
OnFallback = Callable[[SpadesError, BidRequest], None]
FIRST_BACKOFF_S = 0.02
LABEL = r"[^\s.:/?#@%\\\[\]]{1,63}"  # of a host's name
# The same in all clients: httpx2 and others accept more, and no request could be sent.
ACCEPTED_URL = re.compile(
    rf"https?://(\[[0-9a-f:.]+\]|{LABEL}(\.{LABEL})*\.?)(:[1-9][0-9]{{0,4}})?(/[^\s?#\\]*)?", re.IGNORECASE
)
LARGEST_PORT = 65535
logger = logging.getLogger("spades_client")


class Exchange:
    """The settings and the connections of a client. ``attempts``: how often a request is sent at most."""

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        timeout_s: float = 1.0,
        attempts: int = 3,
        fallback: Fallback | None = None,
        on_fallback: OnFallback | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._timeout_s = _checked_timeout(timeout_s)
        if attempts < 1:
            raise ValueError(f"attempts is {attempts}; accepted: 1 or more")
        self._attempts = attempts
        self._fallback = fallback
        self._on_fallback = on_fallback
        headers = {} if key is None else {"Authorization": f"Bearer {_checked_header('key', key)}"}
        # Without timeouts of httpx2: each of them would be for one read, and the deadline is for the whole call.
        self._http = httpx2.AsyncClient(base_url=_checked_url(url), headers=headers, transport=transport, timeout=None)

    async def call(
        self, operation: Operation[Answer], body: object | None, timeout_s: float | None, request_id: str | None
    ) -> Answer:
        """Return the answer of ``operation``; raise a `SpadesError` if there is none before the deadline."""
        limit_s = self._timeout_s if timeout_s is None else _checked_timeout(timeout_s)
        headers = {} if request_id is None else {"X-Request-ID": _checked_header("request_id", request_id)}
        deadline_s = asyncio.get_running_loop().time() + limit_s
        try:
            async with asyncio.timeout_at(deadline_s):
                return await self._answer(operation, body, headers, deadline_s)
        except TimeoutError as late:
            raise NoAnswer(f"no answer in {limit_s:g} s") from late

    async def _answer(
        self, operation: Operation[Answer], body: object | None, headers: dict[str, str], deadline_s: float
    ) -> Answer:
        clock = asyncio.get_running_loop().time
        for attempt in range(1, self._attempts + 1):
            left_ms = max(deadline_s - clock(), 0.001) * 1000
            try:
                sent = headers | {"X-Deadline-Ms": f"{left_ms:.1f}"}
                response = await self._http.request(operation.method, operation.path, json=body, headers=sent)
                return _answer_of(operation, response)
            except httpx2.RequestError as lost:
                error: SpadesError = NoAnswer(f"the connection failed: {lost}")
                error.__cause__ = lost
            except SpadesError as refused:
                error = refused
            left_s = deadline_s - clock()
            wait_s = _wait_s(error, operation, attempt, left_s)
            if wait_s is None or attempt == self._attempts or wait_s >= left_s:
                raise error
            await asyncio.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")

    def fallback_bid(self, request: BidRequest, error: SpadesError) -> LocalBid:
        """Return the bid of `fallback`; raise ``error`` if there is no fallback, or if the caller must mend it."""
        if self._fallback is None or not error.temporary:
            raise error
        answer = local_answer(self._fallback(request), str(error))
        logger.warning("fallback bid %d: %s", answer["bid"], error)
        if self._on_fallback is not None:
            try:
                self._on_fallback(error, request)
            except Exception:  # of the caller's code, and the table still needs the bid
                logger.exception("on_fallback raised an error")
        return answer

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _checked_timeout(timeout_s: float) -> float:
    if not 0 < timeout_s < math.inf:
        raise ValueError(f"timeout_s is {timeout_s}; accepted: more than 0, and finite")
    return timeout_s


def _checked_header(name: str, value: str) -> str:
    """Return ``value`` if a header can hold it. The error does not quote it, because it may be a key."""
    if not re.fullmatch(r"[!-~]([ -~]*[!-~])?", value):
        raise ValueError(
            f"{name} is empty, has a sign that is not printable ASCII, such as a line break, or a space at an end; "
            "accepted: printable ASCII"
        )
    return value


def _checked_url(url: str) -> httpx2.URL:
    fault = (
        f"url is {url!r}; accepted: http:// or https:// and a host, such as http://127.0.0.1:8080; "
        f"a port up to {LARGEST_PORT}; no white space, user, query or fragment"
    )
    if not ACCEPTED_URL.fullmatch(url or ""):
        raise ValueError(fault)
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise ValueError(fault) from error
    if parsed.port is not None and parsed.port > LARGEST_PORT:
        raise ValueError(fault)
    return parsed


def _answer_of(operation: Operation[Answer], response: httpx2.Response) -> Answer:
    if response.status_code != 200:
        raise error_of(response)
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or operation.field not in answer:
        raise NoAnswer(f"the answer is {response.text[:200]!r}; accepted: a JSON object with {operation.field}")
    return cast(Answer, answer)


def _wait_s(error: SpadesError, operation: Operation[Any], attempt: int, left_s: float) -> float | None:
    """Return the seconds to wait before the next attempt; None: do not try again.

    If there is no time for the `Retry-After` of a 503, the wait is short: another replica may answer.
    """
    if isinstance(error, Unavailable):
        if error.status not in (429, 503):
            return None
        if error.retry_after_s is not None and (error.status == 429 or error.retry_after_s < left_s):
            return error.retry_after_s
    elif isinstance(error, NoAnswer):
        unsent = isinstance(error.__cause__, httpx2.ConnectError)
        if not (unsent or operation.repeatable):
            return None
    else:
        return None
    return FIRST_BACKOFF_S * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)

"""What both clients do, without input and output: deadlines, retries, errors and the fallback.

`Exchange.call` is a generator. It yields a `Send`, for which it gets the response or the error, or the seconds to
wait. In the end it returns the answer. `Client` and `AsyncClient` only send, and wait.
"""

import random
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast

import httpx

from spades_client.errors import NoAnswer, SpadesError, Unavailable, error_of
from spades_client.fallback import Fallback, LocalBid, local_answer
from spades_client.models import BidRequest
from spades_client.operations import BID, Operation

Answer = TypeVar("Answer")
FIRST_BACKOFF_S = 0.02


class Remaining(dict[str, float]):
    """Timeouts that end at one deadline: httpx looks each one up when it connects, sends or reads."""

    def __init__(self, deadline: float) -> None:
        super().__init__(dict.fromkeys(("connect", "read", "write", "pool"), 0.0))
        self.deadline = deadline

    def seconds(self) -> float:
        """Return the seconds until the deadline, at least a millisecond."""
        return max(self.deadline - time.monotonic(), 0.001)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the seconds until the deadline."""
        return self.seconds()


class Send(NamedTuple):
    """A request to send; the arguments of httpx's `build_request`."""

    method: str
    path: str
    json: object | None
    headers: Mapping[str, str]
    timeouts: Remaining

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `build_request`."""
        body = {} if self.json is None else {"json": self.json}
        extensions = {"timeout": self.timeouts}
        return {"method": self.method, "url": self.path, "headers": self.headers, "extensions": extensions, **body}


Steps = Generator[Send | float, httpx.Response | httpx.RequestError | None, Answer]


@dataclass(frozen=True)
class Exchange:
    """The settings of a client. ``attempts``: how often a request is sent at most."""

    key: str | None = None
    timeout_s: float = 1.0
    attempts: int = 3
    fallback: Fallback | None = None
    headers: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not self.timeout_s > 0:
            raise ValueError(f"timeout_s is {self.timeout_s}; accepted: more than 0")
        if self.attempts < 1:
            raise ValueError(f"attempts is {self.attempts}; accepted: 1 or more")
        if self.key is not None:
            self.headers["Authorization"] = f"Bearer {self.key}"

    def call(
        self, operation: Operation[Answer], body: object | None, timeout_s: float | None, request_id: str | None
    ) -> Steps[Answer]:
        """Return the answer of ``operation``; raise a `SpadesError` if there is none before the deadline."""
        limit_s = self.timeout_s if timeout_s is None else timeout_s
        if not limit_s > 0:
            raise ValueError(f"timeout_s is {limit_s}; accepted: more than 0")
        timeouts = Remaining(time.monotonic() + limit_s)
        headers = self.headers if request_id is None else self.headers | {"X-Request-ID": request_id}
        for attempt in range(1, self.attempts + 1):
            deadline = {"X-Deadline-Ms": f"{timeouts.seconds() * 1000:.1f}"}
            outcome = yield Send(operation.method, operation.path, body, headers | deadline, timeouts)
            assert outcome is not None, "what is sent has an outcome"
            error: SpadesError
            if isinstance(outcome, httpx.Response) and outcome.status_code == 200:
                try:
                    return cast(Answer, outcome.json())
                except ValueError:
                    error = NoAnswer(f"the answer is {outcome.text[:200]!r}; accepted: JSON")
            else:
                error = _error_of(outcome, limit_s)
            wait_s = _wait_s(error, operation, attempt, timeouts.seconds())
            if wait_s is None or attempt == self.attempts or wait_s >= timeouts.seconds():
                raise error
            yield wait_s
        raise AssertionError("the last attempt returns or raises")

    def bid(self, request: BidRequest, timeout_s: float | None, request_id: str | None) -> Steps[LocalBid]:
        """Return the bid of the service, or that of `fallback` if there is one and the service cannot answer."""
        try:
            return cast(LocalBid, (yield from self.call(BID, request, timeout_s, request_id)))
        except SpadesError as error:
            if self.fallback is None or not error.temporary:
                raise
            return local_answer(self.fallback(request), str(error))


def _error_of(outcome: httpx.Response | httpx.RequestError, limit_s: float) -> SpadesError:
    if isinstance(outcome, httpx.Response):
        return error_of(outcome)
    late = isinstance(outcome, httpx.TimeoutException)
    error = NoAnswer(f"no answer in {limit_s:g} s" if late else f"the connection failed: {outcome}")
    error.__cause__ = outcome
    return error


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
        unsent = isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
        if not (unsent or operation.repeatable):
            return None
    else:
        return None
    return FIRST_BACKOFF_S * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)

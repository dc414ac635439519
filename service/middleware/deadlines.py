"""X-Deadline-Ms: after so many milliseconds the caller waits no longer (400, 504). The middleware of limits uses it."""

import asyncio
import re
from time import perf_counter

from starlette.types import Message, Receive, Scope, Send

from service.problems import ProblemError, deadline_exceeded, send_problem
from service.requests import AppState

_MILLISECONDS = re.compile(rb"[0-9]{1,9}(\.[0-9]{1,6})?")


def read_deadline(value: bytes, arrived: float) -> float:
    """Return the deadline in a header's ``value``, for a request that came at ``arrived``: `perf_counter` times in s.

    Raises the 400 for what is not a number of milliseconds.
    """
    text = value.strip()
    if not _MILLISECONDS.fullmatch(text):
        quoted = text[:40].decode("ascii", "replace")
        raise ProblemError("invalid-deadline", f"X-Deadline-Ms is {quoted!r}; accepted: milliseconds, such as 25")
    return arrived + float(text) / 1000.0


def receive_in_time(deadline: float, receive: Receive, state: AppState) -> Receive:
    """Return a function that receives the parts of a body, and raises the 504 when the ``deadline`` passes."""

    async def receive_or_refuse() -> Message:
        try:
            message = await asyncio.wait_for(receive(), deadline - perf_counter())
        except TimeoutError:
            raise deadline_exceeded() from None
        if message["type"] == "http.request" and not message.get("more_body", False):
            state.check_deadline(deadline, perf_counter(), started=False)
        return message

    return receive_or_refuse


def send_in_time(deadline: float, scope: Scope, receive: Receive, send: Send) -> Send:
    """Return a function that sends an answer, or the 504 instead of a 200 that comes after the ``deadline``."""
    too_late = False

    async def send_or_refuse(message: Message) -> None:
        nonlocal too_late
        if message["type"] == "http.response.start" and message["status"] == 200 and perf_counter() > deadline:
            too_late = True
            await send_problem(deadline_exceeded(), scope, receive, send)
        elif not too_late:
            await send(message)

    return send_or_refuse

"""Read the body of an ASGI request within its limits and the caller's deadline.

The bytes are not parsed here. These requests are refused before the whole body is read: an unsupported media type or
content coding (415), too many bytes (413, by Content-Length or while chunks arrive), a deadline that has passed (504).
After an early answer, the server discards what the caller still sends, and the connection stays usable.
"""

import asyncio
import re
from collections.abc import Callable
from time import perf_counter

from service.asgi import Fields, Receive
from service.problems import ProblemError, deadline_exceeded

MAX_BODY_BYTES = 64 * 1024
MAX_BODIES_BYTES = 1024 * 1024  # POST /v1/bids, /v1/cards, /v1/inferences and /v1/results
NO_DEADLINE = float("inf")
_LIMIT_DIGITS = len(str(MAX_BODY_BYTES))  # a Content-Length with fewer digits is below every limit
_MILLISECONDS = re.compile(rb"[0-9]{1,9}(\.[0-9]{1,6})?")


class ClientGone(Exception):
    """The caller closed the connection before the body was complete, so there is no need to answer."""


def check_content_headers(fields: Fields, most: int) -> None:
    """Refuse an unread body that is not plain JSON, or whose Content-Length is over ``most`` bytes."""
    length = fields.get(b"content-length")
    # The server has refused values that are not numbers. `_read` counts the bytes of a chunked body.
    if length is not None and len(length) >= _LIMIT_DIGITS and (len(length) > 12 or int(length) > most):
        raise _too_large(most)
    kind = fields.get(b"content-type")
    if kind is not None and kind != b"application/json":
        if any(part.lstrip()[:10].lower() == b"multipart/" for part in kind.split(b",")):
            raise ProblemError("unsupported-media-type", "the body is multipart; accepted: plain JSON")
    coding = fields.get(b"content-encoding")
    if coding is not None and coding.strip().lower() not in (b"identity", b""):
        detail = "the body has a Content-Encoding; accepted: JSON without one"
        raise ProblemError("unsupported-media-type", detail, headers=[("accept-encoding", "identity")])


def deadline_of(fields: Fields, arrived: float) -> float:
    """Return the caller's deadline as a `perf_counter` time, s (inf: none), for a request that came at ``arrived``."""
    text = fields.get(b"x-deadline-ms")
    if text is None:
        return NO_DEADLINE
    text = text.strip()
    if not _MILLISECONDS.fullmatch(text):
        found = text[:40].decode("ascii", "replace")
        raise ProblemError("invalid-deadline", f"X-Deadline-Ms is {found!r}; accepted: milliseconds, such as 25")
    return arrived + float(text) / 1000.0


async def read_body(
    receive: Receive, deadline: float, most: int, hold: Callable[[int], None] = lambda size_bytes: None
) -> bytes:
    """Return the body, at most ``most`` bytes; raise `ProblemError` (413, 504) or `ClientGone`.

    ``hold`` is called with the number of bytes that have arrived so far. It may raise.
    """
    if deadline == NO_DEADLINE:
        return await _read(receive, most, hold)
    try:
        return await asyncio.wait_for(_read(receive, most, hold), deadline - perf_counter())
    except TimeoutError:
        raise deadline_exceeded() from None


def check_size(body: bytes, most: int) -> None:
    """Refuse a complete body of more than ``most`` bytes."""
    if len(body) > most:
        raise _too_large(most)


async def _read(receive: Receive, most: int, hold: Callable[[int], None]) -> bytes:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        check_size(body, most)
        hold(len(body))
        return body
    chunks = [body]
    size = len(body)
    while size <= most:
        hold(size)
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body = message.get("body", b"")
        size += len(body)
        chunks.append(body)
        if not message.get("more_body", False) and size <= most:
            return b"".join(chunks)
    raise _too_large(most)


def _too_large(most: int) -> ProblemError:
    return ProblemError("body-too-large", f"the body is too large; accepted: at most {most} bytes")

"""Types for ASGI and HTTP messages that several modules share, and the sending of an answer.

A `Reply` is an answer's status, its headers without Content-Length, and its body. A long body may come in parts,
because joining them would stop the event loop for a millisecond or more.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]  # names in lower case
Fields = dict[bytes, bytes]  # header fields by name
Body = bytes | list[bytes]
Reply = tuple[int, Headers, Body]

CLOSE = (b"connection", b"close")  # a header of answers


def join_headers(headers: Headers) -> Fields:
    """Return the headers by name; the values of a repeated name are joined by commas (RFC 9110, section 5.3).

    >>> join_headers([(b"host", b"a"), (b"accept", b"x"), (b"accept", b"y")])
    {b'host': b'a', b'accept': b'x, y'}
    """
    fields = dict(headers)
    if len(fields) == len(headers):
        return fields
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return {name: b", ".join(found) for name, found in values.items()}


async def send_reply(send: Send, method: str, reply: Reply) -> None:
    """Send an answer; for a HEAD request and with a 304, only its headers."""
    status, headers, body = reply
    parts = [body] if isinstance(body, bytes) else body
    headers = [*headers, (b"content-length", b"%d" % sum(map(len, parts)))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    if method == "HEAD" or status == 304:
        parts = [b""]
    for part in parts[:-1]:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": parts[-1]})

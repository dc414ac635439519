"""Exchange: one request that an ASGI task answers, and its answer.

The connection (`connection.py`) reads the request and writes the answer. This class is the ASGI side: the scope,
`receive` and `send`. An answer is written when it is complete, because no endpoint streams.
"""

import asyncio
import logging
from typing import Any, Protocol
from urllib.parse import unquote

import httptools

from service.protocol.messages import App, Body, Headers, Scope

HIGH_WATER_BYTES = 64 * 1024  # reading pauses when the app has not taken this much of a body
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_ASGI = {"version": "3.0", "spec_version": "2.3"}
_logger = logging.getLogger("service")


class Channel(Protocol):
    """The part of a connection that an exchange uses."""

    def write(self, data: bytes) -> None:
        """Send bytes to the peer."""

    def answer(self, status: int, headers: Headers, body: Body, keep_alive: bool, length: int | None = None) -> None:
        """Write an answer. ``headers`` lack Content-Length: it is ``length``, or else the size of ``body``."""

    def body_taken(self) -> None:
        """Continue reading: the app has taken the part of the body that was read."""

    def exchange_ended(self) -> None:
        """Continue with the next request: the app has returned."""


class Exchange:
    """One request and its answer.

    ``keep_alive``: the connection may stay open after the answer. ``expects_continue``: the peer waits for
    "100 Continue" before it sends the body.
    """

    __slots__ = (
        "_body",
        "_channel",
        "_event",
        "_expects_continue",
        "_head",
        "_parts",
        "_scope",
        "_taken",
        "answered",
        "disconnected",
        "keep_alive",
        "request_complete",
    )

    def __init__(self, channel: Channel, scope: Scope, keep_alive: bool, expects_continue: bool) -> None:
        self.keep_alive = keep_alive
        self.request_complete = False  # the whole request was read
        self.answered = False
        self.disconnected = False
        self._channel = channel
        self._scope = scope
        self._expects_continue = expects_continue
        self._event = asyncio.Event()
        self._body = bytearray()
        self._taken = False  # the app has the whole body
        self._head: tuple[int, Headers] | None = None
        self._parts: list[bytes] = []

    @property
    def holds_too_much(self) -> bool:
        """Whether reading must pause until the app takes the part of the body that was read."""
        return len(self._body) > HIGH_WATER_BYTES and not self.answered

    def feed(self, body: bytes) -> None:
        """Add a piece of the body; pieces that come after the answer are dropped."""
        if not self.answered:
            self._body += body
            self._event.set()

    def end_of_request(self) -> None:
        """Note that the whole request was read."""
        self.request_complete = True
        self._event.set()

    def disconnect(self, status: int | None = None) -> None:
        """Drop the app's answer: the peer has gone, or the connection has answered with ``status``."""
        self.disconnected = True
        if status is not None:
            self._scope["state"]["refused_status"] = status
        self._event.set()

    async def run(self, app: App) -> None:
        """Let ``app`` answer. If it raises, log that; the peer gets the 500 that the app sent, or an empty one."""
        try:
            await app(self._scope, self._receive, self._send)
        except Exception:
            _logger.exception("the app failed on %s", self._scope["method"])
        finally:
            if not self.answered and not self.disconnected:
                self.keep_alive = False
                self._answer(500, [], [])
            self._channel.exchange_ended()

    async def _receive(self) -> dict[str, Any]:
        if self._expects_continue:
            self._expects_continue = False
            if not (self.answered or self.disconnected or self._body or self.request_complete):
                self._channel.write(_CONTINUE)
        while not (self.disconnected or self.answered or self._body or (self.request_complete and not self._taken)):
            self._event.clear()
            await self._event.wait()
        if self.disconnected or self.answered:
            return {"type": "http.disconnect"}
        message = {"type": "http.request", "body": bytes(self._body), "more_body": not self.request_complete}
        self._body.clear()
        self._taken = self.request_complete
        self._channel.body_taken()
        return message

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            assert self._head is None, "the answer has begun"
            headers = [(name.lower(), value) for name, value in message["headers"]]
            for name, value in headers:
                assert not {10, 13} & {*name, *value}, "a header holds a line end"
            self._head = (message["status"], headers)
            return
        assert self._head is not None, "a body without a head"
        assert not self.answered, "a body after the end of the answer"
        self._parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            self._answer(*self._head, self._parts)

    def _answer(self, status: int, headers: Headers, body: list[bytes]) -> None:
        self.answered = True
        self._event.set()
        if self.disconnected:
            return
        length = next((int(value) for name, value in headers if name == b"content-length"), sum(map(len, body)))
        headers = [header for header in headers if header[0] != b"content-length"]
        if self._scope["method"] == "HEAD":
            body = []
        if self._expects_continue and not self.request_complete and not self._body:
            self.keep_alive = False  # the peer may or may not still send its body
        self._channel.answer(status, headers, body, self.keep_alive, length)


def http_scope(method: str, url: bytes, version: str, headers: Headers, transport: asyncio.BaseTransport) -> Scope:
    """Return the ASGI scope of a request; raise `ValueError` when ``url`` can't be parsed."""
    try:
        parsed = httptools.parse_url(url)
        raw_path = parsed.path or b"/"
        path = raw_path.decode("ascii")
    except (httptools.HttpParserError, UnicodeDecodeError):
        raise ValueError("url") from None
    return {
        "type": "http",
        "asgi": _ASGI,
        "http_version": version,
        "server": _address(transport.get_extra_info("sockname")),
        "client": _address(transport.get_extra_info("peername")),
        "scheme": "http",
        "root_path": "",
        "method": method,
        "path": unquote(path) if "%" in path else path,
        "raw_path": raw_path,
        "query_string": parsed.query or b"",
        "headers": headers,
    }


def _address(name: Any) -> tuple[str, int] | None:
    return (str(name[0]), int(name[1])) if isinstance(name, tuple) else None

"""The request reader: the parser of httptools, and the limits on what surrounds a body.

- **Size.** A head has at most `MAX_HEAD_BYTES` and `MAX_HEADER_FIELDS`. Trailer fields and chunk extensions have the
  same limit and are ignored.
- **No second protocol.** `Upgrade` is ignored: the request is read as HTTP/1.1.

`request_head.py` checks heads. `connection.Connection`, the subclass, decides which bytes are read when, and answers.
"""

import logging
from time import perf_counter
from typing import Any

import httptools

from service.problems import ProblemError, internal_error
from service.protocol.edge import Edge
from service.protocol.messages import Fields, Headers
from service.protocol.request_head import (
    LONG_HEAD_BYTES,
    MAX_HEAD_BYTES,
    MAX_HEADER_FIELDS,
    body_bytes,
    check_host,
    head_bytes,
    without_upgrade,
)
from service.requests import join_headers

# The phases of a connection: between requests, in a head, in a body, and after the last answer.
IDLE, HEAD, BODY, REFUSED = "idle", "head", "body", "refused"
# Bytes of a chunk besides its data: five, and one more for each further hexadecimal digit of its size.
_CHUNK_BYTES, _CHUNK_SHARE = 5, 16
_LINE_END = b"\r\n"
_HEAD_END = b"\r\n\r\n"
_logger = logging.getLogger("service")


class RequestReader:
    """Reads the requests of one connection, one after the other."""

    parser: Any  # httptools.HttpRequestParser; None once the connection is lost

    def __init__(self, edge: Edge) -> None:
        self.parser = httptools.HttpRequestParser(self)
        self._edge = edge
        self._phase = IDLE
        self._since = perf_counter()  # when the phase began, s
        self._arrived = self._since  # when the bytes that are parsed now arrived, s
        self._fresh = True  # no request has begun yet
        self._framing = 0  # bytes of the request's head, trailer and chunk extensions
        self._split = False  # the head has come in several pieces
        self._trailers = False
        self._keep_alive = True
        self._url = b""
        self._headers: Headers = []
        self._fields: Fields = {}
        self._left = 0  # bytes of a body with Content-Length that are still to come

    # ---- for the subclass ----

    def _head_read(self) -> None:
        """Start a request: its head is read and valid."""
        raise NotImplementedError

    def _body_read(self, body: bytes) -> None:
        """Take a piece of the body."""
        raise NotImplementedError

    def _request_read(self) -> None:
        """Answer the request: it is read completely."""
        raise NotImplementedError

    def _refuse(self, problem: ProblemError) -> None:
        """Answer with ``problem`` and close."""
        raise NotImplementedError

    # ---- pieces of input ----

    def _feed(self, data: bytes, at: int) -> int:
        """Parse the next piece of ``data``, from index ``at``, and act on it; return the number of bytes used."""
        # A piece contains the end of at most one request: a head, a chunked body and a trailer end with an empty line,
        # and after the last empty line come only a body and the beginning of another head.
        end = size = len(data)
        if self._left:
            end = min(size, at + self._left)
        elif data[at] in _LINE_END:
            end = _after_line_ends(data, at)  # the empty line may have begun in the last read
        elif (found := data.find(_HEAD_END, at)) >= 0 and (self._phase is BODY or data.find(_HEAD_END, found + 4) >= 0):
            end = found + 4
        piece = data if end - at == size else data[at:end]
        self._framing += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade as upgrade:
            self._read_without_upgrade()
            return int(upgrade.args[0])
        except httptools.HttpParserCallbackError:
            _logger.exception("bug in the HTTP protocol code")
            self._refuse(internal_error())
        except httptools.HttpParserError:
            self._refuse(ProblemError("invalid-http", "the request is not valid HTTP/1.1"))
        if self._trailers and self._phase is IDLE:
            self._trailers = False
            self.parser = httptools.HttpRequestParser(self)  # the old one has used the trailer's `Connection`
        if self._framing > MAX_HEAD_BYTES:
            self._refuse_size("trailer fields or chunk extensions" if self._phase is BODY else "headers")
        elif self._phase is HEAD:
            self._split = True
            if len(self._headers) > MAX_HEADER_FIELDS:
                self._refuse_fields()
        return len(piece)

    def _read_without_upgrade(self) -> None:
        """Parse the head again, without its `Upgrade` header."""
        if self.parser.get_method() == b"CONNECT":
            self._refuse(ProblemError("method-not-allowed", "CONNECT is not supported", headers=[("allow", "")]))
            return
        method, version = self.parser.get_method(), self.parser.get_http_version()
        head = without_upgrade(method, self._url, version, self._headers)
        self._phase = IDLE
        self._framing = 0
        self.parser = httptools.HttpRequestParser(self)
        self._feed(head, 0)

    # ---- httptools ----

    def on_message_begin(self) -> None:
        """Start a request: its first byte has arrived."""
        if self._phase is REFUSED:
            return
        self._phase = HEAD
        self._since = self._arrived
        self._fresh = False
        self._split = self._trailers = False
        self._url = b""
        self._headers = []

    def on_url(self, url: bytes) -> None:
        """Add a piece of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header field; ignore a trailer field."""
        if self._phase is HEAD:
            self._headers.append((name.lower(), value))
        else:
            self._trailers = True

    def on_headers_complete(self) -> None:
        """Check the complete head."""
        parser, headers = self.parser, self._headers
        if self._phase is not HEAD or parser.should_upgrade():
            return
        self._phase = BODY
        self._since = self._arrived
        if (self._split or self._framing > LONG_HEAD_BYTES) and head_bytes(self._url, headers) > MAX_HEAD_BYTES:
            self._refuse_size("headers")
            return
        if len(headers) > MAX_HEADER_FIELDS:
            self._refuse_fields()
            return
        self._fields = fields = join_headers(headers)
        host = fields.get(b"host")
        if host != self._edge.host or host is None:  # most callers always send the same host
            try:
                check_host(host, parser.get_http_version())
            except ProblemError as problem:
                self._refuse(problem)
                return
            self._edge.host = host
        self._left = body_bytes(fields)
        # After HTTP/1.0 the connection is always closed.
        self._keep_alive = parser.should_keep_alive() and (
            b"connection" not in fields or parser.get_http_version() != "1.0"
        )
        self._head_read()

    def on_chunk_header(self) -> None:
        """Do not count the size line of a chunk as framing."""
        self._framing -= _CHUNK_BYTES

    def on_body(self, body: bytes) -> None:
        """Do not count a piece of the body as framing."""
        self._framing -= len(body) + len(body) // _CHUNK_SHARE
        if self._left:
            self._left -= len(body)
        self._body_read(body)

    def on_message_complete(self) -> None:
        """End a request: its last byte has arrived."""
        if self._phase is not BODY:
            return
        if self._framing > MAX_HEAD_BYTES and b"transfer-encoding" in self._fields:
            self._refuse_size("trailer fields or chunk extensions")
            return
        self._framing = 0
        self._phase = IDLE
        self._since = self._arrived
        self._request_read()

    # ---- refusals ----

    def _refuse_fields(self) -> None:
        found = f"{len(self._headers)} header fields; accepted: at most {MAX_HEADER_FIELDS}"
        self._refuse(ProblemError("headers-too-large", found))

    def _refuse_size(self, what: str) -> None:
        self._refuse(ProblemError("headers-too-large", f"the {what} are too large; accepted: {MAX_HEAD_BYTES} bytes"))


def _after_line_ends(data: bytes, at: int) -> int:
    """Return the index after the line ends that begin at ``at`` in ``data``; at most ``at`` + 3."""
    end = at + 1
    while end < min(len(data), at + 3) and data[end] in _LINE_END:
        end += 1
    return end

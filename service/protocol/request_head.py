"""Checks of a request's head: its size, its host and its body; and the head without its `Upgrade` header."""

import re

from service.problems import ProblemError
from service.protocol.messages import Fields, Headers
from spades.contract.faults import quote

MAX_HEAD_BYTES = 32 * 1024
MAX_HEADER_FIELDS = 100
LONG_HEAD_BYTES = 2048  # only a head that may be longer is measured
_HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+;=:%\[\]-]*")


def head_bytes(url: bytes, headers: Headers) -> int:
    """Return the size of a head in bytes; method, version and line end of the first line count as 20."""
    return 20 + len(url) + sum(len(name) + len(value) + 4 for name, value in headers)


def check_host(host: bytes | None, version: str) -> None:
    """Raise the 400 if the Host header is missing or does not name exactly one host."""
    if host is None:
        if version != "1.0":
            raise ProblemError("invalid-http", "the Host header is missing; accepted: one Host header")
    elif not _HOST.fullmatch(host):  # also for two Host headers, which are joined by a comma
        raise ProblemError("invalid-http", f"Host is {quote(host.decode('latin-1'))}; accepted: the name of one host")


def body_bytes(fields: Fields) -> int:
    """Return the size in bytes of a body with Content-Length; 0 without one.

    The parser has checked that the header has only digits, at most 20 after leading zeros.
    """
    length = fields.get(b"content-length")
    if length is None:
        return 0
    return int(length) if len(length) < 20 else int(length.lstrip(b"0") or b"0")


def without_upgrade(method: bytes, url: bytes, version: str, headers: Headers) -> bytes:
    """Return the bytes of the head without its `Upgrade` header."""
    lines = [b"%b %b HTTP/%b" % (method, url, version.encode())]
    for name, value in headers:
        if name == b"connection":
            tokens = [token.strip() for token in value.lower().split(b",")]
            value = b", ".join(token for token in tokens if token not in (b"upgrade", b"http2-settings"))
        if name != b"upgrade":
            lines.append(b"%b: %b" % (name, value))
    return b"\r\n".join((*lines, b"", b""))

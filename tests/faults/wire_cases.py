"""Requests in which two readers may see the end at different bytes: ways to smuggle a request inside another.

The bytes of each case contain `HIDDEN`, a request to /smuggled. HTTP/1.1 does not allow reading it as a separate
request. A server that executes it could be tricked into taking one caller's bytes for another caller's request.
"""

import json
from typing import NamedTuple

HIDDEN = b"GET /smuggled-000 HTTP/1.1\r\nHost: service\r\nX-Request-ID: smuggled-000\r\n\r\n"
WORKED = json.dumps({"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}).encode()
UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"

_POST = b"POST /bid HTTP/1.1\r\nHost: service\r\n"


class Case(NamedTuple):
    """A case: its name and its bytes. It is refused, or gets one ordinary answer."""

    name: str
    data: bytes

    def numbered(self, number: int) -> bytes:
        """Return the bytes with a hidden request that differs from those of other cases."""
        return self.data.replace(b"smuggled-000", b"smuggled-%03d" % number)


def _lengths() -> list[Case]:
    whole = b"%d" % len(HIDDEN)
    cases = [
        Case("two lengths, short first", b"Content-Length: 0\r\nContent-Length: " + whole),
        Case("two lengths, long first", b"Content-Length: " + whole + b"\r\nContent-Length: 0"),
        Case("two lengths in a list", b"Content-Length: 0, " + whole),
        Case("a length twice in a list", b"Content-Length: %b, %b" % (whole, whole)),
        Case("the same length twice", b"Content-Length: %b\r\nContent-Length: %b" % (whole, whole)),
    ]
    for name, value in (
        ("negative", b"-1"),
        ("negative zero", b"-0"),
        ("plus", b"+0"),
        ("hexadecimal", b"0x0"),
        ("blank within", b"0 0"),
        ("vertical tab", b"\x0b0"),
        ("form feed", b"0\x0c"),
        ("empty", b""),
        ("letter", b"0a"),
        ("decimal point", b"0.0"),
        ("exponent", b"0e1"),
        ("underscore", b"0_0"),
        ("digits of another script", "٠".encode()),
        ("quoted", b'"0"'),
        ("semicolon", b"0;"),
        ("comma", b"0,"),
        ("over 64 bits", b"18446744073709551616"),
        ("folded", b"\r\n 0"),
        ("NUL", b"0\x00"),
        ("bare CR", b"0\r1"),
    ):
        cases.append(Case(f"length {name}", b"Content-Length: " + value))
    cases += [
        Case("length, blank before colon", b"Content-Length : " + whole),
        Case("length, tab before colon", b"Content-Length\t: " + whole),
        Case("length, blank before name", b" Content-Length: " + whole),
    ]
    return [Case(case.name, _POST + case.data + b"\r\n\r\n" + HIDDEN) for case in cases]


_CODINGS = [
    ("xchunked", b"Transfer-Encoding: xchunked"),
    ("not last", b"Transfer-Encoding: chunked, identity"),
    ("identity", b"Transfer-Encoding: identity"),
    ("identity first", b"Transfer-Encoding: identity, chunked"),
    ("gzip first", b"Transfer-Encoding: gzip, chunked"),
    ("doubled", b"Transfer-Encoding: chunked, chunked"),
    ("two fields", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
    ("two fields, the first unknown", b"Transfer-Encoding: cow\r\nTransfer-Encoding: chunked"),
    ("two fields, the second unknown", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: cow"),
    ("two fields, the second identity", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
    ("empty", b"Transfer-Encoding:"),
    ("comma", b"Transfer-Encoding: ,chunked"),
    ("tab before", b"Transfer-Encoding:\tchunked"),
    ("tab after", b"Transfer-Encoding: chunked\t"),
    ("capital", b"Transfer-Encoding: Chunked"),
    ("vertical tab before", b"Transfer-Encoding: \x0bchunked"),
    ("vertical tab after", b"Transfer-Encoding: chunked\x0b"),
    ("form feed before", b"Transfer-Encoding: \x0cchunked"),
    ("NUL after", b"Transfer-Encoding: chunked\x00"),
    ("high byte", b"Transfer-Encoding: chunked\xff"),
    ("quoted", b'Transfer-Encoding: "chunked"'),
    ("parameter", b"Transfer-Encoding: chunked;q=1"),
    ("folded", b"Transfer-Encoding:\r\n chunked"),
    ("folded, tab", b"Transfer-Encoding:\r\n\tchunked"),
    ("in another field's fold", b"X: a\r\n Transfer-Encoding: chunked"),
    ("blank before colon", b"Transfer-Encoding : chunked"),
    ("tab before colon", b"Transfer-Encoding\t: chunked"),
    ("vertical tab before colon", b"Transfer-Encoding\x0b: chunked"),
    ("NUL in the name", b"Transfer-Encoding\x00: chunked"),
    ("behind a bare CR", b"X: a\rTransfer-Encoding: chunked"),
    ("behind a bare LF", b"X: a\nTransfer-Encoding: chunked"),
]


def _codings() -> list[Case]:
    cases = []
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)
    first_line = b"%d" % (chunks.index(b"\n") + 1)
    after_last_chunk = b"0\r\n\r\n" + HIDDEN
    for name, field in _CODINGS:
        cases += [
            # read as chunks: an empty body and a second request
            Case(f"coding {name}, length of all", _POST + field + b"\r\nContent-Length: %d\r\n\r\n"),
            Case(f"coding {name}, behind length", _POST + b"Content-Length: %d\r\n" + field + b"\r\n\r\n"),
        ]
        cases[-2:] = [case._replace(data=case.data % len(after_last_chunk) + after_last_chunk) for case in cases[-2:]]
        cases += [
            # read by its length: a short body and a second request
            Case(
                f"coding {name}, length of the first line",
                _POST + field + b"\r\nContent-Length: " + first_line + b"\r\n\r\n" + chunks,
            ),
            # read without a body: two requests
            Case(f"coding {name}, no chunks", _POST + field + b"\r\n\r\n" + HIDDEN),
        ]
    return cases


def _chunks() -> list[Case]:
    head = _POST + b"Transfer-Encoding: chunked\r\n\r\n"
    end = b"0\r\n\r\n"
    size = b"%x" % len(HIDDEN)
    cases = [
        Case(f"chunk size {name}", value + b"\r\n\r\n" + HIDDEN)
        for name, value in (
            ("hexadecimal", b"0x0"),
            ("negative", b"-0"),
            ("minus one", b"-1"),
            ("plus", b"+0"),
            ("empty", b""),
            ("blank first", b" 0"),
            ("tab first", b"\t0"),
            ("letter", b"0g"),
            ("underscore", b"0_0"),
            ("vertical tab", b"0\x0b"),
            ("NUL", b"0\x00"),
            ("over 64 bits", b"10000000000000000"),
            ("far over 64 bits", b"f" * 40 + b"0"),
            ("bare CR", b"0\r0"),
        )
    ]
    cases += [
        Case("chunk size bare LF", b"0\n\n" + HIDDEN),
        Case("chunk size CR CR LF", b"0\r\r\n\r\n" + HIDDEN),
        Case("no line end after a chunk", b"1\r\na" + end + HIDDEN),
        Case("other bytes after a chunk", b"1\r\naXX" + end + HIDDEN),
        Case("bare LF after a chunk", b"1\r\na\n" + end + HIDDEN),
        Case("bare CR after a chunk", b"1\r\na\r" + end + HIDDEN),
        # one reader ends the extension at the LF and takes the next bytes for the chunk; another reads on to CR LF
        Case("bare LF in an extension", b"2;\nxx\r\n" + size + b"\r\n0\r\n\r\n" + HIDDEN),
        Case("bare CR in an extension", b"0;\ra\r\n\r\n" + HIDDEN),
        Case("NUL in an extension", b"0;\x00\r\n\r\n" + HIDDEN),
        Case("request in an extension", b'1;a="' + HIDDEN.replace(b"\r\n", b" ") + b'"\r\n \r\n' + end),
        Case("request in a trailer", b"1\r\n \r\n0\r\nX: " + HIDDEN.replace(b"\r\n", b" ") + b"\r\n\r\n"),
        Case("request as trailers", b"0\r\n" + HIDDEN),
        Case("request as a chunk", size + b"\r\n" + HIDDEN + b"\r\n" + end),
        Case("request in two chunks", b"3\r\nGET\r\n%x\r\n%b\r\n%b" % (len(HIDDEN) - 3, HIDDEN[3:], end)),
    ]
    for name, field in (
        ("a length", b"Content-Length: %d" % len(HIDDEN)),
        ("a short length", b"Content-Length: 1"),
        ("a coding", b"Transfer-Encoding: chunked"),
        ("an unknown coding", b"Transfer-Encoding: cow"),
        ("a host", b"Host: other"),
        ("an upgrade", b"Connection: Upgrade\r\nUpgrade: h2c"),
        ("an expectation", b"Expect: 100-continue"),
    ):
        body = b"%x\r\n%b\r\n0\r\n" % (len(WORKED), WORKED)
        cases.append(Case(f"{name} in a trailer", body + field + b"\r\n\r\n"))
        cases.append(
            Case(
                f"{name} in a trailer, request in a chunk",
                size + b"\r\n" + HIDDEN + b"\r\n0\r\n" + field + b"\r\n\r\n",
            )
        )
    for name, lines in (
        ("folded trailer", b"X: a\r\n b\r\n"),
        ("trailer with a bare CR", b"X: a\rb\r\n"),
        ("trailer without a colon", b"smuggled\r\n"),
        ("trailer with NUL", b"X: \x00\r\n"),
        ("trailer with a blank before the colon", b"X : a\r\n"),
        ("trailer with a bare LF", b"X: a\n"),
    ):
        cases.append(Case(name, b"1\r\n \r\n0\r\n" + lines + b"\r\n"))
    return [Case(case.name, head + case.data) for case in cases]


def _heads() -> list[Case]:
    body = b"Content-Length: %d\r\n\r\n%b" % (len(HIDDEN), HIDDEN)
    bare = (_POST + b"Content-Length: %d\r\n\r\n" % len(HIDDEN)).replace(b"\r\n", b"\n") + HIDDEN
    get = b"GET /healthz HTTP/1.1\r\nHost: service\r\n"
    chunked = b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN
    cases = [
        Case("bare LF line ends", bare),
        Case("bare LF once", b"POST /bid HTTP/1.1\r\nHost: service\n" + body),
        Case("bare LF before the body", (_POST + body).replace(b"\r\n\r\n", b"\r\n\n", 1)),
        Case("bare CR line end", b"POST /bid HTTP/1.1\r\nHost: service\rX: a\r\n" + body),
        Case("bare CR before the body", get + b"\r\r\n" + HIDDEN),
        Case("bare CR, bare CR", get + b"\r\r" + HIDDEN),
        Case("bare CR in a value", _POST + b"X: a\rb\r\n" + body),
        Case("length behind a bare CR", _POST + b"X: a\rContent-Length: 0\r\n" + body),
        Case("NUL in a value", _POST + b"X: a\x00b\r\n" + body),
        Case("NUL in a name", _POST + b"X\x00: a\r\n" + body),
        Case("blank before a colon", _POST + b"X : a\r\n" + body),
        Case("blank in a name", _POST + b"X Y: a\r\n" + body),
        Case("no name", _POST + b": a\r\n" + body),
        Case("no colon", _POST + b"X\r\n" + body),
        Case("folded value", _POST + b"X: a\r\n b\r\n" + body),
        Case("folded value, tab", _POST + b"X: a\r\n\tb\r\n" + body),
        Case("empty fold", _POST + b"X: a\r\n \r\n" + body),
        Case("fold of the first field", b"POST /bid HTTP/1.1\r\n X: a\r\nHost: service\r\n" + body),
        Case("blank before the method", b" " + _POST + body),
        Case("two blanks in the first line", _POST.replace(b" /bid", b"  /bid") + body),
        Case("tab in the first line", _POST.replace(b" /bid", b"\t/bid") + body),
        Case("blank in the path", _POST.replace(b"/bid", b"/bid x") + body),
        Case("bare CR in the path", _POST.replace(b"/bid", b"/bid\rx") + body),
        Case("no version", b"GET /healthz\r\n" + HIDDEN),
        Case("version 2", _POST.replace(b"HTTP/1.1", b"HTTP/2.0") + body),
        Case("version 1.10", _POST.replace(b"HTTP/1.1", b"HTTP/1.10") + body),
        Case("version 0.9", _POST.replace(b"HTTP/1.1", b"HTTP/0.9") + body),
        Case("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + HIDDEN),
        Case("empty line first", b"\r\n" + _POST + body),
        Case("absolute form", _POST.replace(b"/bid", b"http://service/bid") + body),
        Case("absolute form of another host", _POST.replace(b"/bid", b"http://other/bid") + body),
        Case("absolute form, mark in the query", _POST.replace(b"/bid", b"http://service/bid?/smuggled") + body),
        Case("HTTP/1.0 with chunks", b"POST /bid HTTP/1.0\r\nConnection: keep-alive\r\n" + chunked),
        Case("HTTP/1.0 closes", b"GET /healthz HTTP/1.0\r\n\r\n" + HIDDEN),
        Case("Connection: close closes", get + b"Connection: close\r\n\r\n" + HIDDEN),
        Case("Connection names the length", _POST + b"Connection: Content-Length\r\n" + body),
        Case("Expect with a body", _POST + b"Expect: 100-continue\r\n" + body),
    ]  # fmt: skip
    cases += [
        Case(f"{method.decode()} with a body", method + b" /healthz HTTP/1.1\r\nHost: service\r\n" + body)
        for method in (b"GET", b"HEAD", b"DELETE", b"OPTIONS", b"PUT", b"PATCH", b"TRACE")
    ]
    return cases


def upgrade_cases() -> list[Case]:
    """Return requests that ask for another protocol and whose bodies look like requests, and CONNECT requests."""
    cases = []
    for name, fields in (
        ("h2c", UPGRADE),
        ("websocket", b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"),
        ("unknown", b"Connection: keep-alive, upgrade\r\nUpgrade: cow/1\r\n"),
        ("TLS", b"Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n"),
    ):
        for what, body in (("a GET", HIDDEN), ("a POST", HIDDEN.replace(b"GET", b"POST"))):
            length = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
            chunked = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
            for method in (b"POST /bid", b"GET /healthz"):
                start = method + b" HTTP/1.1\r\nHost: service\r\n" + fields
                kind = f"upgrade to {name}, {method.decode()}, body is {what}"
                cases += [Case(kind, start + length), Case(f"{kind}, chunked", start + chunked)]
    body = b"Content-Length: %d\r\n\r\n%b" % (len(HIDDEN), HIDDEN)
    for target in (b"service:443", b"/bid", b"service"):
        start = b"CONNECT %b HTTP/1.1\r\nHost: service\r\n" % target
        cases += [
            Case(f"CONNECT {target.decode()}", start + b"\r\n" + HIDDEN),
            Case(f"CONNECT {target.decode()} with a body", start + body),
        ]
    return cases


def framing_cases() -> list[Case]:
    """Return cases about lengths, codings, chunks and heads."""
    return [*_lengths(), *_codings(), *_chunks(), *_heads()]

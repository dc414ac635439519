"""Requests for the other routes, and requests that are wrong or unusual as HTTP."""

from collections.abc import Iterator

from tests.same_answers.catalogue import Catalogue
from tests.same_answers.client import JSON_BODY, Request
from tests.same_answers.wrong import BATCH, BID, BLIND, GOOD, body_of


def http_requests(catalogue: Catalogue) -> Iterator[Request]:
    """The other routes, and what can be wrong about HTTP itself."""
    paths = ("/", "/docs", "/healthz", "/readyz", "/version", "/metrics", "/v1/rules", "/v1/policies")
    posts = (BID, "/bid", BLIND, BATCH)
    good, batch = body_of(GOOD), body_of({"requests": [GOOD]})
    for path in (*paths, *(f"/problems/{name}" for name in catalogue.problems)):
        for method in ("GET", "HEAD"):
            yield Request("route", path, None, method, ())
    for path in _NO_PATHS:
        yield Request("no such path", path, None, "GET", ())
        yield Request("no such path", path, good)
    for path in (*paths, *posts, "/nowhere"):
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            body = None if method in ("GET", "HEAD", "OPTIONS", "DELETE") else good
            yield Request("method", path, body, method)
    for path in posts:
        body = batch if path == BATCH else good
        for headers in _HEADERS:
            yield Request("header", path, body, headers=headers)
        yield Request("query", f"{path}?a=1", body)
    yield from (Request("query", f"{path}?a=1", None, "GET", ()) for path in ("/v1/rules", "/healthz"))
    yield from (Request("not HTTP", BID, raw=raw) for raw in _not_http(good))


_NO_PATHS = (
    "/nowhere",
    "/v1",
    "/v1/bid/",
    "/bid/",
    "/V1/bid",
    "/v1/rules/",
    "/problems/",
    "/problems/x",
    "/%2e%2e/",
    "//",
)
_KIND = "content-type"
_HEADERS: tuple[tuple[tuple[str, str], ...], ...] = (
    (),
    *(((_KIND, kind),) for kind in ("text/plain", "application/json; charset=utf-8", "APPLICATION/JSON", "x", "")),
    *(((_KIND, kind),) for kind in ("multipart/form-data; boundary=x", "text/plain, Multipart/mixed")),
    ((_KIND, "application/x-www-form-urlencoded"),),
    *(
        (*JSON_BODY, ("content-encoding", coding))
        for coding in ("gzip", "br", "identity", "", "IDENTITY", "deflate, gzip")
    ),
    *((*JSON_BODY, ("x-deadline-ms", text)) for text in ("60000", "60000.5", " 60000 ", "0", "0.0", "0.000001")),
    *((*JSON_BODY, ("x-deadline-ms", text)) for text in ("", "-1", "1e3", "soon", "25ms", "9999999999", "nan", "1,2")),
    (*JSON_BODY, ("x-deadline-ms", "60000"), ("x-deadline-ms", "60000")),
    *((*JSON_BODY, ("x-request-id", text)) for text in ("abc-1", "a b", "x" * 129)),
    (*JSON_BODY, ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")),
    (*JSON_BODY, ("traceparent", "00-00000000000000000000000000000000-b7ad6b7169203331-01")),
    *((*JSON_BODY, ("connection", text)) for text in ("close", "keep-alive", "upgrade")),
    (*JSON_BODY, ("transfer-encoding", "chunked")),
    (*JSON_BODY, ("expect", "100-continue")),
    (*JSON_BODY, ("authorization", "Bearer x"), ("accept", "text/html"), ("origin", "http://example.com")),
    (*JSON_BODY, ("x-long", "x" * 20_000)),
)


def _not_http(body: bytes) -> Iterator[bytes]:
    length = b"Content-Length: %d\r\n" % len(body)
    head = b"POST /v1/bid HTTP/1.1\r\nHost: a\r\n"
    yield from (
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\r\n\r\n",
        b"GET\r\n\r\n",
        b"FETCH /bid HTTP/1.1\r\nHost: a\r\n\r\n",
    )
    yield b"POST /v1/bid HTTP/1.0\r\n" + length + b"\r\n" + body
    yield b"POST /v1/bid HTTP/1.0\r\nConnection: keep-alive\r\n" + length + b"\r\n" + body
    yield b"POST /v1/bid HTTP/9.9\r\nHost: a\r\n" + length + b"\r\n" + body
    yield b"POST /v1/bid HTTP/1.1\r\n" + length + b"\r\n" + body  # no Host
    yield b"POST http://a/v1/bid HTTP/1.1\r\nHost: a\r\n" + length + b"\r\n" + body
    yield head + b"Content-Length: -1\r\n\r\n" + body
    yield head + b"Content-Length: x\r\n\r\n" + body
    yield head + length + b"Content-Length: 3\r\n\r\n" + body
    yield head + b"Content-Length: 99999999\r\n\r\n" + body
    yield head + length + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    yield head + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n"
    yield head + b"Bad Header: 1\r\n" + length + b"\r\n" + body
    yield head + b"X-Long: " + b"x" * 40_000  # too long before its end
    yield head + b"X-Long: " + b"x" * 40_000 + b"\r\n" + length + b"\r\n" + body
    yield head + b"".join(b"X-%d: 1\r\n" % index for index in range(4000)) + length + b"\r\n" + body
    yield b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n"

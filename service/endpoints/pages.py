"""The pages at / and /docs with their scripts and styles: read once at the start, and sent from memory.

The playground at / and the page at /docs are files in service/static. The assets of Swagger UI come from the package
fastapi-offline. A page holds no secret, so it needs no API key; the requests that it sends do (docs/adr/0064-pages.md).
"""

import hashlib
from importlib.resources import files
from typing import NamedTuple

from service.asgi import Fields, Headers, Reply
from service.problems import method_not_allowed

ROOT, DOCS = "/", "/docs"
ASSETS = "/static/"  # the prefix of the files that the pages load
_TYPES = {
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "svg": b"image/svg+xml",
}
_PAGES = {"index.html": ROOT, "docs.html": DOCS}
_PAGE_PATHS = frozenset(_PAGES.values())
_SWAGGER = ("swagger-ui-bundle.js", "swagger-ui.css")
_CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src {images}; object-src 'none'; frame-ancestors 'none'; base-uri 'none'"
)
# Swagger UI's CSS contains images as `data:` URLs.
_IMAGE_SOURCES = {ROOT: "'self'", DOCS: "'self' data:"}
_SECURITY = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]


def is_file(path: str) -> bool:
    """Return whether ``path`` is a page, or starts with `ASSETS` (even if no such file exists)."""
    return path in _PAGE_PATHS or path.startswith(ASSETS)


class _File(NamedTuple):
    """A file with the headers of its answers."""

    etag: bytes
    headers: Headers
    body: bytes


class StaticFiles:
    """The files that the service sends to browsers, by path."""

    def __init__(self) -> None:
        here, swagger = files("service") / "static", files("fastapi_offline") / "static"
        found = [file for file in here.iterdir() if _suffix(file.name) in _TYPES]
        found += [swagger / name for name in _SWAGGER]
        by_path = {_PAGES.get(file.name, ASSETS + file.name): file.read_bytes() for file in found}
        self._files = {path: _file(path, body) for path, body in by_path.items()}
        self.paths = frozenset(self._files)

    def get(self, path: str, method: str, fields: Fields) -> Reply:
        """Return the file at ``path``, which must be in `paths`, or a 304 if the caller already has it.

        Raises the 405 for a method other than GET and HEAD.
        """
        if method not in ("GET", "HEAD"):
            raise method_not_allowed(method, "GET, HEAD")
        etag, headers, body = self._files[path]
        known = fields.get(b"if-none-match", b"")
        if known == b"*" or etag in (one.strip().removeprefix(b"W/") for one in known.split(b",")):
            return 304, headers, body  # `send_reply` does not send the body, but uses it for content-length
        return 200, headers, body


def _suffix(name: str) -> str:
    return name.rpartition(".")[2]


def _file(path: str, body: bytes) -> _File:
    kind = _TYPES["html" if path in _PAGE_PATHS else _suffix(path)]
    etag = b'"%s"' % hashlib.sha256(body).hexdigest()[:20].encode()
    headers = [(b"content-type", kind), (b"etag", etag), (b"cache-control", b"no-cache"), *_SECURITY]
    if path in _PAGE_PATHS:
        policy = _CONTENT_SECURITY_POLICY.format(images=_IMAGE_SOURCES[path])
        headers += [(b"x-frame-options", b"DENY"), (b"content-security-policy", policy.encode())]
    return _File(etag, headers, body)

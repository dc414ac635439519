"""A service for the tests of clients that is busy, silent or broken, by the first part of the path."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import orjson

from service.contract.examples import ANSWER

BUSY = {"type": "/problems/overloaded", "title": "Over capacity", "status": 503, "detail": "retry later"}


class _Handler(BaseHTTPRequestHandler):
    """``/once/ID``: 503 with Retry-After 1 to the first request with this ID, then a bid. ``/busy``: always 503.

    ``/later/ID``: as ``/once/ID``, with Retry-After 60. ``/silent``: no answer. ``/html``: a proxy's page.
    """

    protocol_version = "HTTP/1.1"
    stopped = Event()
    seen: set[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        kind, _, rest = self.path.strip("/").partition("/")
        if kind == "silent":
            self.stopped.wait(30.0)
            self.close_connection = True
        elif kind == "html":
            self._answer(502, b"<html>")
        elif kind in ("once", "later") and rest in self.seen:
            self._answer(200, orjson.dumps(ANSWER))
        else:
            self.seen.add(rest)
            self._answer(503, orjson.dumps(BUSY), "60" if kind == "later" else "1")

    def _answer(self, status: int, body: bytes, retry_after: str = "") -> None:
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def bad_service() -> Iterator[str]:
    """Yield the address of a service; stop it at the end."""
    stopped = Event()
    handler = type("Handler", (_Handler,), {"stopped": stopped, "seen": set()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            stopped.set()
            server.shutdown()
            thread.join()

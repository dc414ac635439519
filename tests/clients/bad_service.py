"""A service for the tests of clients that is busy, silent, slow or broken, by the first part of the path."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import orjson

from spades.contract.examples import ANSWER

DRIP_S, DRIPS = 0.05, 1200  # a minute, beyond every deadline of the tests
ANSWERS = {  # that are no bids
    "bad-gateway": (502, b"<html>"),
    "redirect": (302, b""),
    "missing": (404, b"<html>"),
    "forbidden": (403, b"<html>"),
    "page": (200, b"<html>"),
    "other-json": (200, b'{"status": "ok"}'),
}
WRONG_TYPES = {  # answers for a client that has a class for each
    "bid-of-text": (200, b'{"bid": "many"}'),
    "bid-too-large": (200, b'{"bid": 99999999999}'),
    "item-without-status": (200, b'{"answers": [{"body": {"bid": 1}}]}'),
    "item-without-body": (200, b'{"answers": [{"status": 200}]}'),
    "item-of-a-list": (200, b'{"answers": [{"status": 200, "body": [1]}]}'),
    "item-of-text": (200, b'{"answers": [{"status": 200, "body": {"bid": "many"}}]}'),
    "item-too-large": (200, b'{"answers": [{"status": 200, "body": {"bid": 99999999999}}]}'),
    "item-of-wrong-faults": (200, b'{"answers": [{"status": 422, "body": {"errors": "many"}}]}'),
}
BUSY = {"type": "/problems/overloaded", "title": "Over capacity", "status": 503, "detail": "retry later"}


class _Handler(BaseHTTPRequestHandler):
    """``/once/ID``: 503 with Retry-After 1 to the first request with this ID, then a bid. ``/busy``: always 503.

    ``/later/ID``: as ``/once/ID``, with Retry-After 3600. ``/silent``: no answer. ``/slow-body``, ``/slow-head``: a
    bid, whose body or headers come byte by byte for a minute. The others, ``ANSWERS`` and ``WRONG_TYPES``, are of
    something between.
    """

    protocol_version = "HTTP/1.1"
    stopped = Event()
    seen: set[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        kind, _, rest = self.path.strip("/").partition("/")
        if kind == "silent":
            self.stopped.wait(30.0)
            self.close_connection = True
        elif kind in ("slow-body", "slow-head"):
            self._drip(in_head=kind == "slow-head")
        elif kind in ANSWERS | WRONG_TYPES:
            self._answer(*(ANSWERS | WRONG_TYPES)[kind])
        elif kind in ("once", "later") and rest in self.seen:
            self._answer(200, orjson.dumps(ANSWER))
        else:
            self.seen.add(rest)
            self._answer(503, orjson.dumps(BUSY), "3600" if kind == "later" else "1")

    def _drip(self, in_head: bool) -> None:
        bid = orjson.dumps(ANSWER)
        start = b"HTTP/1.1 200 OK\r\nX-Slow: " if in_head else b"HTTP/1.1 200 OK\r\nContent-Length: "
        end = b"\r\nContent-Length: %d\r\n\r\n" % len(bid) + bid if in_head else bid
        self.wfile.write(start if in_head else start + b"%d\r\n\r\n" % (DRIPS + len(bid)))
        try:
            for _ in range(DRIPS):
                self.wfile.write(b" ")
                if self.stopped.wait(DRIP_S):
                    break
            self.wfile.write(end)
        except ConnectionError:
            self.close_connection = True  # the client has given up, as it should

    def _answer(self, status: int, body: bytes, retry_after: str = "") -> None:
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        if status == 302:
            self.send_header("Location", "/page")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.do_POST()  # a client that follows the redirect must get an answer, too

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

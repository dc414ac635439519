"""The metrics listener: GET /metrics on an address of its own, by an event loop in a thread.

It answers while the service's own event loop is busy, and in the supervisor, which has none. Its connections have the
same limits as those of the service (`protocol.py`), but need no API key.
"""

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from threading import Thread
from time import perf_counter
from typing import Any

import orjson
from uvicorn.server import ServerState

from service.api.body import Receive, Scope, Send
from service.edge import Edge
from service.metrics import CONTENT_TYPE, Metrics
from service.problems import MEDIA_TYPE, ProblemError
from service.protocol import Connection
from service.settings import Settings, SettingsError

MAX_CONNECTIONS = 1000
_PATHS = frozenset(("/metrics", "/"))
_SWEEP_S = 1.0


def serve_metrics(address: tuple[str, int], text: Callable[[], bytes], settings: Settings) -> None:
    """Answer GET /metrics at ``address`` with ``text()`` until the process ends.

    Raises `SettingsError` if the address is taken or is not this machine's.
    """
    host, port = address
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise SettingsError(f"SPADES_METRICS_ADDRESS is {host}:{port}: {error.strerror}; expected a free one") from None
    limits = replace(settings, max_connections=min(settings.max_connections, MAX_CONNECTIONS))
    Thread(target=lambda: asyncio.run(_listen(listener, text, limits)), name="metrics", daemon=True).start()


async def _listen(listener: socket.socket, text: Callable[[], bytes], settings: Settings) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        status, kind, body = _answer(scope, text)
        headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    state = ServerState()
    # Scrapes are not requests of the service: they are counted apart, and the counts dropped.
    edge = Edge(app, settings, Metrics((), ()))
    loop = asyncio.get_running_loop()
    async with await loop.create_server(lambda: Connection(edge, state), sock=listener):
        while True:
            state.default_headers = [(b"date", formatdate(usegmt=True).encode())]
            connections: Any = state.connections
            edge.sweep(connections, perf_counter())
            await asyncio.sleep(_SWEEP_S)


def _answer(scope: Scope, text: Callable[[], bytes]) -> tuple[int, str, bytes]:
    """Status, media type and body."""
    if scope["path"] not in _PATHS:
        problem = ProblemError("not-found", "no such path here; /metrics is")
    elif scope["method"] not in ("GET", "HEAD"):
        problem = ProblemError("method-not-allowed", f"{scope['method'][:20]} is not allowed here; accepted: GET, HEAD")
    else:
        return 200, CONTENT_TYPE, text()
    return problem.status, MEDIA_TYPE, orjson.dumps(problem.body())

"""The metrics listener: GET /metrics on a separate address, served by an event loop in a separate thread.

It answers even while the service's own event loop is busy, and in the supervisor, which has no event loop. Its
connections have the same limits as those of the service (`service.protocol`), but need no API key.
"""

import asyncio
import socket
from collections.abc import Callable
from email.utils import formatdate
from threading import Thread
from time import perf_counter
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from service.metrics import Metrics
from service.problems import ProblemError, method_not_allowed, problem_response
from service.protocol.connection import Connection
from service.protocol.edge import Edge
from service.settings import Settings, SettingsError

MAX_CONNECTIONS = 1000
_PATHS = frozenset(("/metrics", "/"))
_SWEEP_S = 1.0


def serve_metrics(address: tuple[str, int], text: Callable[[], bytes], settings: Settings) -> None:
    """Answer GET /metrics at ``address`` with ``text()`` until the process ends.

    Raises `SettingsError` if the address is in use or does not belong to this machine.
    """
    host, port = address
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise SettingsError(
            f"SPADES_METRICS_ADDRESS is {host}:{port}: {error.strerror}; accepted: a free address of this machine"
        ) from None
    limits = settings.model_copy(update={"max_connections": min(settings.max_connections, MAX_CONNECTIONS)})
    Thread(target=lambda: asyncio.run(_listen(listener, text, limits)), name="metrics", daemon=True).start()


async def _listen(listener: socket.socket, text: Callable[[], bytes], settings: Settings) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await _answer(scope, text)(scope, receive, send)

    state = ServerState()
    # Scrapes do not count as requests of the service, so their metrics go to an object that nothing reads.
    edge = Edge(app, settings, Metrics((), ()))
    loop = asyncio.get_running_loop()
    async with await loop.create_server(lambda: Connection(edge, state), sock=listener):
        while True:
            state.default_headers = [(b"date", formatdate(usegmt=True).encode())]
            connections: Any = state.connections
            edge.sweep(connections, perf_counter())
            await asyncio.sleep(_SWEEP_S)


def _answer(scope: Scope, text: Callable[[], bytes]) -> Response:
    if scope["path"] not in _PATHS:
        return problem_response(ProblemError("not-found", "no such path on this listener; accepted: /metrics"))
    if scope["method"] not in ("GET", "HEAD"):
        return problem_response(method_not_allowed(scope["method"], "GET, HEAD"))
    return Response(text(), media_type=CONTENT_TYPE_LATEST)

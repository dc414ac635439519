"""The metrics listener: GET /metrics on an address of its own, by an event loop in a thread.

It answers while the service's own event loop is busy, and in the supervisor, which has none. Its connections have the
same limits as those of the service (`protocol.py`), but need no API key.
"""

import asyncio
import socket
from collections.abc import Callable
from email.utils import formatdate
from threading import Thread
from time import perf_counter
from typing import Any

from uvicorn.server import ServerState

from service.asgi import Receive, Reply, Scope, Send, send_reply
from service.edge import Edge
from service.metrics import CONTENT_TYPE, Metrics
from service.problems import ProblemError, written
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
    limits = settings.model_copy(update={"max_connections": min(settings.max_connections, MAX_CONNECTIONS)})
    Thread(target=lambda: asyncio.run(_listen(listener, text, limits)), name="metrics", daemon=True).start()


async def _listen(listener: socket.socket, text: Callable[[], bytes], settings: Settings) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send_reply(send, scope["method"], _answer(scope, text))

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


def _answer(scope: Scope, text: Callable[[], bytes]) -> Reply:
    if scope["path"] not in _PATHS:
        problem = ProblemError("not-found", "no such path here; /metrics is")
    elif scope["method"] not in ("GET", "HEAD"):
        problem = ProblemError("method-not-allowed", f"{scope['method'][:20]} is not allowed here; accepted: GET, HEAD")
    else:
        return 200, [(b"content-type", CONTENT_TYPE.encode())], text()
    return written(problem)

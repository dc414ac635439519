"""The server: uvicorn with this service's settings, protocol and shutdown.

On SIGTERM, /readyz answers 503 and every answer closes its connection. The socket stays open for `SPADES_DRAIN_S`
seconds, so that load balancers and callers notice. Then requests in progress are finished, and the exit code is 0. A
second signal stops the server at once. On SIGHUP the tables are read again, while requests are answered.
"""

import asyncio
import os
import resource
import signal
import socket
import sys
from time import monotonic, perf_counter
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from service import log
from service.app import create_app
from service.metrics_listener import serve_metrics
from service.protocol.connection import Connection
from service.protocol.edge import Edge
from service.protocol.listening import drop_new_connections
from service.requests import AppState
from service.searchers import check_settings
from service.settings import Settings
from service.table_sets import open_sets
from service.worker import Hangup, SupervisorLine

_SWEEP_TICKS = 10  # ticks of 0.1 s between two checks of all connections
_HANDSHAKE_S = 0.05  # for connections that have begun when the server stops listening
_SWITCH_S = 0.0001  # longest time that another thread may delay the event loop; Python's default is 5 ms


class DrainingServer(uvicorn.Server):
    """The server of one worker, which also ends when its ``supervisor`` ends."""

    def __init__(
        self,
        config: uvicorn.Config,
        state: AppState,
        edge: Edge,
        drain_s: float,
        hangup: Hangup,
        supervisor: SupervisorLine | None = None,
    ) -> None:
        super().__init__(config)
        self._hangup = hangup
        self._reloading: asyncio.Task[None] | None = None
        self._edge = edge
        self._supervisor = supervisor
        self._state = state
        self._drain_s = drain_s
        self._exit_at: float | None = None  # monotonic seconds

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop because of a signal. Unlike uvicorn, do not raise it again afterwards, so that the exit code is 0."""
        if self._exit_at is None:
            self._state.drain()
            self._exit_at = monotonic() + (self._drain_s if sig == signal.SIGTERM else 0.0)
        else:
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self._exit_at = 0.0

    async def on_tick(self, counter: int) -> bool:
        """Return whether to leave the main loop; uvicorn calls it every 0.1 s."""
        if self._exit_at is not None and monotonic() >= self._exit_at:
            self.should_exit = True
        if self._reloading is None or self._reloading.done():  # else the next tick looks again
            if self._hangup.taken() and self._exit_at is None:
                self._reloading = asyncio.get_running_loop().create_task(self._state.reload())
        if counter % _SWEEP_TICKS == 0:
            self._sweep()
            if self._supervisor is not None and self._exit_at is None:
                self._supervisor.tell_ready()
                if self._supervisor.gone:
                    self.handle_exit(signal.SIGTERM, None)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, then serve the connections that the system had accepted by then: they may hold requests."""
        listeners = [
            socket.socket(fileno=os.dup(listener.fileno())) for server in self.servers for listener in server.sockets
        ]
        if sockets is None:  # otherwise the other workers listen on the same sockets
            for listener in listeners:
                drop_new_connections(listener)
            await asyncio.sleep(_HANDSHAKE_S)
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        for listener in listeners:
            with listener:
                listener.setblocking(False)
                while True:
                    try:
                        connection, _ = listener.accept()
                    except BlockingIOError:
                        break
                    await loop.connect_accepted_socket(lambda: Connection(self._edge, self.server_state), connection)
        await super().shutdown(sockets)

    def _sweep(self) -> None:
        connections = self.server_state.connections
        self._state.metrics.connections.set(len(connections))
        self._edge.sweep(connections, perf_counter())


def serve(
    settings: Settings,
    host: str,
    port: int,
    listener: socket.socket | None = None,
    supervisor: SupervisorLine | None = None,
) -> int:
    """Serve until a signal and return the exit code.

    Raises `TablesError` before listening if the tables can't be used, and `SettingsError` if the settings want searches
    that cannot run here. A worker has a ``listener`` (a listening socket, used instead of ``host`` and ``port``), and
    ends when its ``supervisor`` ends.
    """
    hangup = Hangup()  # before the tables are read, so that a later change is not missed
    log.configure()
    app = create_app(settings)
    state: AppState = app.state  # type: ignore[assignment]
    edge = Edge(app, settings, state.metrics)

    def connect(server_state: ServerState, **_: Any) -> Connection:
        return Connection(edge, server_state)

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="uvloop",
        http=connect,  # type: ignore[arg-type]  # uvicorn calls it as it calls its own classes
        ws="none",
        log_config=None,  # `log.configure` has been called
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=settings.grace_s,
    )
    check_settings(settings)
    state.serve(open_sets(settings))  # no name for them here, so that a reload can release them
    allow_many_files()
    sys.setswitchinterval(_SWITCH_S)
    if settings.metrics_address is not None and listener is None:
        serve_metrics(settings.metrics_address, state.exposition.text, settings)
    server = DrainingServer(config, state, edge, settings.drain_s, hangup, supervisor)
    try:
        server.run(sockets=None if listener is None else [listener])
    except SystemExit:
        return 1  # the address can't be used; uvicorn has logged why
    return 0 if server.started else 1


def allow_many_files() -> None:
    """Raise the soft limit of open files to the hard limit: each connection is one open file."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

"""The server: uvicorn with this service's settings, its protocol and its way of stopping.

Not the app (`app.py`), the command line (`__main__`) nor the processes of `--workers` (`supervisor.py`). On SIGTERM:
/readyz says no and every answer asks to close its connection, the socket stays open for `SPADES_DRAIN_S` seconds so
that balancers notice and callers leave, requests under way are finished, exit 0. A second signal stops at once.
"""

import asyncio
import ipaddress
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

from service.api.state import State
from service.app import create_app
from service.bidding.tableset import open_tables
from service.edge import Edge
from service.metrics_listener import serve_metrics
from service.protocol import Connection
from service.responder import SINGLE
from service.settings import Settings, SettingsError
from service.worker import SupervisorLine

_SWEEP_TICKS = 10  # of .1 s between two looks at all connections
_SWITCH_S = 0.0001  # for which a thread (a scrape's text) may keep the event loop waiting; Python's own is 5 ms


class DrainingServer(uvicorn.Server):
    """One worker's server; ``state`` is the app's, ``supervisor`` what it ends with, if any."""

    def __init__(
        self,
        config: uvicorn.Config,
        state: State,
        edge: Edge,
        drain_s: float,
        supervisor: SupervisorLine | None = None,
    ) -> None:
        super().__init__(config)
        self._edge = edge
        self._supervisor = supervisor
        self._state = state
        self._drain_s = drain_s
        self._exit_at: float | None = None  # monotonic seconds

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop for a signal. Unlike uvicorn's own it is not raised again afterwards: a stop asked for exits 0."""
        if self._exit_at is None:
            self._state.drain()
            self._exit_at = monotonic() + (self._drain_s if sig == signal.SIGTERM else 0.0)
        else:
            self.force_exit = self.should_exit and sig == signal.SIGINT
            self._exit_at = 0.0

    async def on_tick(self, counter: int) -> bool:
        """Whether to leave the main loop; asked every 0.1 s."""
        if self._exit_at is not None and monotonic() >= self._exit_at:
            self.should_exit = True
        if counter % _SWEEP_TICKS == 0:
            self._sweep()
            if self._supervisor is not None and self._exit_at is None:
                self._supervisor.tell_ready()
                if self._supervisor.gone:
                    self.handle_exit(signal.SIGTERM, None)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, then take up the connections that the system had accepted by then: they may hold requests."""
        descriptors = [os.dup(listener.fileno()) for server in self.servers for listener in server.sockets]
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        for descriptor in descriptors:
            with socket.socket(fileno=descriptor) as listener:
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
        self._state.check_tables()
        self._state.metrics.connections.set(len(connections))
        self._edge.sweep(connections, perf_counter())


def serve(
    settings: Settings,
    host: str,
    port: int,
    listener: socket.socket | None = None,
    supervisor: SupervisorLine | None = None,
) -> int:
    """Serve until a signal; the exit code. Raises `TablesError` before anything listens when the tables are no good.

    ``listener``: a socket that listens already (a worker's), in place of ``host`` and ``port``; ``supervisor`` is what
    a worker ends with.
    """
    tables = open_tables(settings.tables_dir)
    app = create_app(settings, tables)
    allow_many_files()
    sys.setswitchinterval(_SWITCH_S)
    if settings.metrics_address is not None and listener is None:
        serve_metrics(settings.metrics_address, app.state.exposition.text, settings)
    responder = app.responder
    keyed = responder.gate.keys is not None
    edge = Edge(app, settings, app.state.metrics, responder.reply, SINGLE, keyed)

    def connect(server_state: ServerState, **_: Any) -> Connection:
        return Connection(edge, server_state)

    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="uvloop",
        http=connect,  # type: ignore[arg-type]  # uvicorn calls it as it calls its own classes
        ws="none",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=settings.grace_s,
    )
    server = DrainingServer(config, app.state, edge, settings.drain_s, supervisor)
    try:
        server.run(sockets=None if listener is None else [listener])
    except SystemExit:
        return 1  # the address is taken or not ours; uvicorn has said so
    return 0 if server.started else 1


def check_exposure(settings: Settings, host: str, allowed: bool) -> None:
    """Raise `SettingsError` when the service would be open to other machines without keys and nobody has said so."""
    if settings.api_keys_file is None and not allowed and not is_loopback(host):
        raise SettingsError(
            f"host is {host!r}, which other machines reach, and no API keys are set; expected SPADES_API_KEYS_FILE, "
            "a loopback host, or --allow-unauthenticated"
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to ``host``; a name counts when all its addresses do.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("")
    (True, True, False, False)
    """
    if not host:
        return False  # every address
    try:
        found = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except OSError:
        return False  # binding it will fail, and say why
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)


def allow_many_files() -> None:
    """Raise the soft limit of open files to the hard one: each connection is one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

"""`python -m service serve`: check the settings, the address and the tables, then run the app on uvicorn.

uvicorn does all HTTP. It parses with httptools on a loopback address and behind a proxy (SPADES_BEHIND_PROXY), and with
h11 otherwise, because h11 limits what one connection can cost (docs/adr/0075-stock-server.md). With several workers,
uvicorn's parent process starts them on one socket, replaces those that end, and restarts them one after the other on
SIGHUP; `signals` handles the signals of a worker.
"""

import ipaddress
import os
import signal
import socket
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import uvicorn
from fastapi import FastAPI
from prometheus_client import CollectorRegistry, start_http_server
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from service import logs
from service.app import check_tracing, create_app
from service.keys import read_keys
from service.metrics import MULTIPROC_DIR, workers_registry
from service.searchers import check_settings
from service.settings import Settings, SettingsError, from_environment
from service.table_sets import open_sets
from spades.errors import TablesError

# In which a new worker must be ready. For a worker that hangs, the parent waits as long before it heeds a signal.
WORKER_START_S: Final = 15


def serve(settings: Settings, host: str, port: int, workers: int, allow_unauthenticated: bool) -> int:
    """Serve until a signal; return the exit code.

    Raises `SettingsError` or `TablesError` before listening if a setting, the address or the tables can't be used.
    """
    check_exposure(settings, host, allow_unauthenticated)
    check_address(settings, host, port)
    # Until uvicorn handles these two, and when it raises them again at its end.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # `signals` logs it once the app runs
    logs.configure()
    options: dict[str, Any] = {
        "host": host,
        "port": port,
        "loop": "uvloop",
        "http": "httptools" if is_loopback(host) or settings.behind_proxy else "h11",
        "ws": "none",
        "log_config": None,  # `logs.configure` has been called, and `worker_app` calls it in each worker
        "access_log": False,
        "proxy_headers": False,
        "server_header": False,
        "timeout_keep_alive": settings.idle_s,
        "timeout_graceful_shutdown": settings.grace_s,
        "timeout_worker_healthcheck": WORKER_START_S,
    }
    return _serve_alone(settings, options) if workers == 1 else _serve_workers(settings, options, workers)


def _serve_alone(settings: Settings, options: dict[str, Any]) -> int:
    app = _app(settings)
    app.state.serve(open_sets(settings))
    _serve_metrics(settings, app.state.metrics.registry)
    server = uvicorn.Server(uvicorn.Config(app, **options))
    try:
        server.run()
    except SystemExit as stopped:
        return 1 if stopped.code == STARTUP_FAILURE else 0
    return 0


def _serve_workers(settings: Settings, options: dict[str, Any], workers: int) -> int:
    _check(settings)
    with ExitStack() as stack:
        directory = os.environ.get(MULTIPROC_DIR)
        if not directory:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="spades-metrics-"))
            os.environ[MULTIPROC_DIR] = directory
        _empty(Path(directory))
        _serve_metrics(settings, workers_registry(directory))
        config = uvicorn.Config("service.server:worker_app", factory=True, workers=workers, **options)
        parent = Multiprocess(config, [config.bind_socket()])
        parent.run()
    return 1 if any(process.exitcode == STARTUP_FAILURE for process in parent.processes) else 0


def _check(settings: Settings) -> None:
    """Raise `SettingsError` or `TablesError` for what a worker would refuse when it starts."""
    check_settings(settings)
    check_tracing(settings)
    logs.check_decision_log(settings)
    if settings.api_keys_file is not None:
        read_keys(settings.api_keys_file, settings.key_rate)
    open_sets(settings)


def _empty(directory: Path) -> None:
    """Remove the files of earlier processes from the directory of the workers' metrics."""
    if not directory.is_dir():
        raise SettingsError(
            f"{MULTIPROC_DIR} is {str(directory)!r}; accepted: a directory, or unset for a temporary one"
        )
    for kind in ("counter", "gauge", "histogram"):
        for path in directory.glob(f"{kind}_*.db"):
            path.unlink()


def worker_app() -> FastAPI:
    """Return the app of one of several workers; end the worker with one line of log if it can't be made."""
    logs.configure()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        settings = from_environment()
        app = _app(settings)
        app.state.serve(open_sets(settings))
    except (SettingsError, TablesError) as error:
        logs.complain("error", str(error))
        sys.exit(1)
    return app


def _app(settings: Settings) -> FastAPI:
    check_settings(settings)
    return create_app(settings, started_by_serve=True)


def _serve_metrics(settings: Settings, registry: CollectorRegistry) -> None:
    """Start the separate listener for metrics, if the settings name one."""
    if settings.metrics_address is None:
        return
    host, port = settings.metrics_address
    try:
        start_http_server(port, host, registry)
    except OSError as error:
        text = f"SPADES_METRICS_ADDRESS is {host}:{port}: {error.strerror}; accepted: a free address of this machine"
        raise SettingsError(text) from None


def check_exposure(settings: Settings, host: str, allowed: bool) -> None:
    """Raise `SettingsError` if other machines could use the service without API keys, unless ``allowed``."""
    if settings.api_keys_file is None and not allowed and not is_loopback(host):
        raise SettingsError(
            f"host is {host!r}, which other machines can reach, and no API keys are set; set SPADES_API_KEYS_FILE, "
            "use a loopback host, or pass --allow-unauthenticated"
        )


def check_address(settings: Settings, host: str, port: int) -> None:
    """Raise `SettingsError` if the service can't listen at the address, or if the metrics have the same one."""
    if settings.metrics_address == (host, port):
        raise SettingsError(f"SPADES_METRICS_ADDRESS is {host}:{port}, that of the service; accepted: another address")
    try:
        addresses = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, kind, protocol, _, address in addresses:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
    except OSError as error:
        accepted = "a free address of this machine"
        raise SettingsError(f"host {host}, port {port}: {error.strerror}; accepted: {accepted}") from None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to ``host``. All addresses of a name must be such addresses.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("")
    (True, True, False, False)
    """
    if not host:
        return False  # empty: all addresses
    try:
        addresses = socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)
    except OSError:
        return False  # listening there will fail with a message
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in addresses)

"""Start the service as a child process on a free loopback port, and query it, for the load tests.

The service is started with its command line and used over HTTP only.
"""

import http.client
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
START_S = 60.0
STOP_S = 30.0
_LOG_BYTES = 4000


class Server(NamedTuple):
    """The address of a service, its API key (empty: none), its process id and start time (0: not known)."""

    host: str
    port: int
    api_key: str = ""
    pid: int = 0
    ready_s: float = 0.0  # from the start of the process to its first 200 from /readyz

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that each request needs."""
        return {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}

    @property
    def url(self) -> str:
        """Return the base URL, without a slash at the end."""
        return f"http://{self.host}:{self.port}"

    def get(self, path: str) -> tuple[int, str]:
        """Return status and body of a GET."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            connection.request("GET", path, headers=self.headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()


class ServerError(RuntimeError):
    """The service did not start, or does not answer."""


def free_port() -> int:
    """Return a loopback port that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running_service(
    *arguments: str, cwd: Path = ROOT, start_s: float = START_S, **environment: str
) -> Iterator[Server]:
    """Run `python -m service serve` of the tree ``cwd`` until the block ends.

    Raises `ServerError` with the service's log if it is not ready after ``start_s`` seconds.
    """
    with _running(("service", "serve", *arguments), cwd, start_s, environment) as server:
        yield server


@contextmanager
def running_app(app: str, *, http: str = "httptools", **environment: str) -> Iterator[Server]:
    """Run the ASGI ``app``, such as service.main:app, with uvicorn until the block ends; see `running_service`."""
    quiet = ("--no-access-log", "--no-proxy-headers", "--log-level", "warning")
    with _running(("uvicorn", app, "--loop", "uvloop", "--http", http, *quiet), ROOT, START_S, environment) as server:
        yield server


def pin(server: Server) -> None:
    """Give a server the last core, so that its callers have the others."""
    os.sched_setaffinity(server.pid, {max(os.sched_getaffinity(0))})


@contextmanager
def _running(arguments: Sequence[str], cwd: Path, start_s: float, environment: Mapping[str, str]) -> Iterator[Server]:
    server = Server("127.0.0.1", free_port())
    command = [sys.executable, "-m", *arguments, "--host", server.host, "--port", str(server.port)]
    with tempfile.TemporaryFile() as log:  # not a pipe, because nothing reads it while the service runs
        started = monotonic()
        process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **environment}, stdout=log, stderr=log)
        try:
            _wait_ready(server, process, log, start_s)
            yield server._replace(pid=process.pid, ready_s=monotonic() - started)
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and wait for it; kill it after `STOP_S`."""
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_ready(server: Server, process: subprocess.Popen[bytes], log: IO[bytes], start_s: float) -> None:
    give_up = monotonic() + start_s
    while monotonic() < give_up:
        if process.poll() is not None:
            log.seek(0)
            said = log.read()[-_LOG_BYTES:].decode(errors="replace")
            raise ServerError(f"the service stopped with exit code {process.returncode}; its log:\n{said}")
        try:
            if server.get("/readyz")[0] == 200:
                return
        except OSError:
            pass  # the service does not listen yet
        sleep(0.01)
    raise ServerError(f"{server.url}/readyz did not answer 200 within {start_s:g} s")


def metric(text: str, name: str) -> float:
    """Return the sum of a metric's samples in a Prometheus exposition. Raises KeyError if it has none.

    >>> metric('a_total{x="1"} 2.0\\na_total{x="2"} 3.0\\na_totals 9.0\\n', "a_total")
    5.0
    """
    found = re.findall(rf"^{re.escape(name)}(?:\{{[^}}]*\}})? (\S+)$", text, re.MULTILINE)
    if not found:
        raise KeyError(f"the metrics have no sample of {name}")
    return sum(float(value) for value in found)

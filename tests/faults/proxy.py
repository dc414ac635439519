"""The proxy for tests: nginx with deploy/nginx/nginx.conf on a free port, in front of a service on loopback.

The service behind it is stock uvicorn with httptools, which is what `SPADES_BEHIND_PROXY` means.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from loadtest.servers import free_port, stop
from tests.patience import PATIENT, get, wait_until
from tests.service.conftest import ROOT

CONFIGURATION = ROOT / "deploy/nginx/nginx.conf"


@contextmanager
def running_proxy(directory: Path, service_port: int, changes: dict[str, str] | None = None) -> Iterator[int]:
    """Run nginx in front of a service on ``service_port``; yield its own port.

    ``directory``: an empty folder for its files. ``changes``: texts of the configuration, each of which must be in it
    once, and what replaces them, such as a shorter time limit.
    """
    directory.mkdir(exist_ok=True)
    port = free_port()
    text = CONFIGURATION.read_text().replace(" /tmp/", f" {directory}/").replace("stderr", f"{directory}/error.log")
    replaced = {"listen 8080 ": f"listen 127.0.0.1:{port} ", "server bidder:8080 ": f"server 127.0.0.1:{service_port} "}
    if os.geteuid() == 0:  # otherwise its worker is another user, who may not enter the folder
        replaced["daemon off;"] = "daemon off; user root;"
    for old, new in (replaced | (changes or {})).items():
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {CONFIGURATION.name}"
        text = text.replace(old, new)
    configuration = directory / "nginx.conf"
    configuration.write_text(text)
    process = subprocess.Popen(["nginx", "-e", str(directory / "error.log"), "-p", str(directory), "-c", configuration])
    try:

        def up() -> bool:
            assert process.poll() is None, (directory / "error.log").read_text()
            try:
                return get(f"http://127.0.0.1:{port}/metrics").status_code == 404  # the only answer that is its own
            except httpx.TransportError:
                return False

        wait_until(up, "nginx is not up in time")
        yield port
    finally:
        stop(process)


@contextmanager
def running_uvicorn(log: Path, **environment: str) -> Iterator[int]:
    """Run the app on stock uvicorn with httptools; yield its port. ``log``: a file for its standard output."""
    port = free_port()
    options = ("--http", "httptools", "--no-access-log", "--timeout-keep-alive", "75", "--port", str(port))
    command = [sys.executable, "-m", "uvicorn", "service.main:app", *options]
    settings: dict[str, Any] = os.environ | PATIENT | environment
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=output)
    try:

        def ready() -> bool:
            assert process.poll() is None, "uvicorn has stopped"
            try:
                return get(f"http://127.0.0.1:{port}/readyz").status_code == 200
            except httpx.TransportError:
                return False

        wait_until(ready, "the service is not ready in time")
        yield port
    finally:
        stop(process)

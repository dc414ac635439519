"""Servers of the service for tests: `python -m service serve` on a free port of loopback."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

from tests.patience import LIMIT_S, PATIENT

ROOT = Path(__file__).resolve().parents[1]
START_S = LIMIT_S
_LONGEST_START_S = 900.0  # a process that searches may have to compile


class RealServer:
    """A running server process; `url` and `port` are on loopback."""

    def __init__(self, process: subprocess.Popen[str], port: int, log: list[str]) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.log = log


def serve_command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "service", "serve", "--port", "0", *arguments]


def refused_start(*arguments: str, **environment: str) -> list[str]:
    """Run `python -m service serve` with ``environment``, which it must refuse; return the lines of its log."""
    done = subprocess.run(
        serve_command(*arguments),
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()


@contextmanager
def running_server(
    *arguments: str, stdout: Any = None, started: Any = True, **environment: str
) -> Iterator[RealServer]:
    """Run `python -m service serve` on a free port; kill it at the end if it still runs.

    ``stdout``: a descriptor. ``started``: whether to wait until all workers have started. ``environment``: settings;
    unless they say otherwise, no request is shed for its waiting time.
    """
    process = subprocess.Popen(
        serve_command(*arguments),
        cwd=ROOT,
        env=os.environ | PATIENT | environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
    )
    log: list[str] = []
    late = Timer(_LONGEST_START_S, process.kill)  # ends the wait for a line
    late.start()
    # One process says where it runs when it has started; of several, the parent says so before its workers have.
    starting = int(arguments[arguments.index("--workers") + 1]) if started and "--workers" in arguments else 0
    try:
        assert process.stderr is not None
        port = 0
        for line in process.stderr:
            log.append(line)
            if found := re.search(r"running on http://127\.0\.0\.1:(\d+)", line):
                port = int(found[1])
            starting -= "Application startup complete" in line
            if port and starting <= 0:
                break
        late.cancel()
        assert port, "".join(log)
        assert starting <= 0, "".join(log)
        yield RealServer(process, port, log)
    finally:
        late.cancel()
        if process.poll() is None:
            process.kill()
        process.wait(START_S)
        if process.stderr is not None:
            process.stderr.close()


def workers(pid: int) -> list[int]:
    """Return the ids of the worker processes that uvicorn's parent process ``pid`` has started and that still run."""
    return [child for child in children(pid) if "spawn_main" in _command(child)]


def children(pid: int) -> list[int]:
    """Return the ids of the processes that a process has started."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def _command(pid: int) -> str:
    """Return the command line of a process; empty if it has ended."""
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""

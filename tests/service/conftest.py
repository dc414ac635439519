"""Fixtures of the service's tests: an app on the committed tables, a client in the same process, real servers."""

import asyncio
import copy
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from service.app import create_app
from service.keys import Bucket
from service.settings import Settings
from service.table_sets import TableSets, open_sets
from spades.contract.examples import REQUEST
from tests.one_set import served
from tests.patience import LIMIT_S, PATIENT, patient
from tests.service.made_sets import Folder, make_set

ROOT = Path(__file__).resolve().parents[2]
START_S = LIMIT_S


class Clock:
    """A clock that stands still until a test moves it."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock by which the rates of API keys and of answers with 401 are gained, so that no test depends on speed."""
    clock = Clock()
    monkeypatch.setattr("service.keys.Bucket", partial(Bucket, clock=clock))
    monkeypatch.setattr("service.middleware.api_keys.Bucket", partial(Bucket, clock=clock))
    return clock


@pytest.fixture(scope="session")
def app() -> FastAPI:
    return served()


@pytest.fixture
def request_body() -> dict:
    """A valid request that tests may change."""
    return copy.deepcopy(REQUEST)


@pytest.fixture
def call(app: FastAPI) -> Callable[..., httpx.Response]:
    """A function call(method, path, **httpx arguments) that sends one request to the app in this process."""

    def send(method: str, path: str, service: FastAPI = app, **arguments) -> httpx.Response:
        async def run() -> httpx.Response:
            transport = httpx.ASGITransport(service, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
                return await client.request(method, path, **arguments)

        return asyncio.run(run())

    return send


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
def running_server(*arguments: str, stdout: Any = None, **environment: str) -> Iterator[RealServer]:
    """Run `python -m service serve` on a free port; kill it at the end if it still runs.

    ``stdout``: a descriptor. ``environment``: settings; unless they say otherwise, no request is shed for its waiting
    time.
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
    try:
        assert process.stderr is not None
        port = 0
        for line in process.stderr:
            log.append(line)
            if found := re.search(r"running on http://127\.0\.0\.1:(\d+)", line):
                port = int(found[1])
            # one process logs this after its start; of several, the supervisor logs "running" before they are up
            if port and ("--workers" not in arguments or "Application startup complete" in line):
                break
        assert port, "".join(log)
        yield RealServer(process, port, log)
    finally:
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


@pytest.fixture(scope="session")
def made_sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[str, ...]]:
    """A directory with three table sets, and their versions: 1.0 as committed, 1.1 bids more, 1.2 bids less."""
    directory = tmp_path_factory.mktemp("made-sets")
    return directory, tuple(make_set(directory, f"1.{index}", more) for index, more in enumerate((0.0, 1.5, -1.5)))


@pytest.fixture(scope="session")
def sets(made_sets: tuple[Path, tuple[str, ...]]) -> TableSets:
    """The `made_sets`, with the first as the default; tests choose a canary with `_replace`."""
    directory, versions = made_sets
    return open_sets(Settings(tables_dir=directory, tables_version=versions[0]))


@pytest.fixture
def folder(tmp_path: Path, made_sets: tuple[Path, tuple[str, ...]]) -> Folder:
    """An empty folder for links to and copies of `made_sets`."""
    return Folder(tmp_path / "sets", made_sets[0])


@pytest.fixture
def serving(sets: TableSets) -> FastAPI:
    """A service with the `sets`."""
    made = create_app(patient())
    made.state.serve(sets)
    return made


@pytest.fixture
def serve() -> Callable:
    return running_server


@pytest.fixture(scope="session")
def server() -> Iterator[RealServer]:
    """A server for all tests that don't stop it."""
    with running_server() as running:
        yield running

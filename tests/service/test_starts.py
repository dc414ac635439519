"""Each documented way to start the app answers the README's request with the README's answer."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from service.app import create_app
from service.main import app as main_app
from tests.patience import PATIENT, get, patient, post, wait_until
from tests.servers import START_S, RealServer
from tests.service.conftest import ROOT

_README = (ROOT / "README.md").read_text()
REQUEST = json.loads(re.search(r"curl .*/bid .* -d '\n(\{.*?\})'\n", _README, re.DOTALL)[1])  # type: ignore[index]
ANSWER = json.loads(re.search(r"```json\n(\{\"bid\".*?)```", _README, re.DOTALL)[1])  # type: ignore[index]


@contextmanager
def _running(*command: str) -> Iterator[str]:
    """Run a command that serves the app at the port ``PORT``; return the URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    arguments = [str(port) if word == "PORT" else word for word in command]
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=os.environ | PATIENT)

    def answers() -> bool:
        assert process.poll() is None, f"the server ended with {process.returncode}"
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_until(answers)
        yield url
        process.terminate()
        assert process.wait(START_S) in (0, -15)  # uvicorn raises the signal again when it has stopped
    finally:
        process.kill()
        process.wait(START_S)


@pytest.mark.server
@pytest.mark.parametrize(
    "command",
    [
        ("-m", "uvicorn", "service.app:create_app", "--factory", "--port", "PORT"),
        pytest.param(("-m", "uvicorn", "service.main:app", "--port", "PORT"), marks=pytest.mark.long),
        ("-m", "uvicorn", "service.main:app", "--http", "h11", "--port", "PORT"),
        ("-m", "fastapi", "run", "service/main.py", "--host", "127.0.0.1", "--port", "PORT"),
    ],
    ids=["factory", "main", "h11", "fastapi run"],
)
def test_a_stock_server(command):
    with _running(*command) as url:
        answer = post(f"{url}/bid", json=REQUEST)
        assert (answer.status_code, answer.json()) == (200, ANSWER)
        assert get(f"{url}/readyz").json()["status"] == "ready"
        assert get(f"{url}/").headers["content-security-policy"].startswith("default-src 'self'")
        assert "/v1/bid" in get(f"{url}/openapi.json").json()["paths"]


def test_serve(server: RealServer):
    assert post(f"{server.url}/bid", json=REQUEST).json() == ANSWER


@pytest.mark.slow
@pytest.mark.parametrize("made", [create_app, lambda: main_app], ids=["create_app", "main"])
def test_the_test_client(made: Callable[[], FastAPI]):
    """The client runs the lifespan, which opens the tables."""
    with TestClient(made()) as client:
        assert client.post("/bid", json=REQUEST).json() == ANSWER
        assert client.get("/readyz").status_code == 200


def test_routes_can_be_added(app: FastAPI, call: Any):
    """It is an ordinary FastAPI app: a studio's own routes are answered, documented and behind its middleware."""
    own = create_app(patient())

    @own.get("/v1/tables-of-ours")
    async def tables_of_ours(seats: int = 4) -> dict[str, int]:
        return {"seats": seats}

    answer = call("GET", "/v1/tables-of-ours?seats=3", own)
    assert answer.json() == {"seats": 3}
    assert answer.headers["x-request-id"]
    assert "/v1/tables-of-ours" in call("GET", "/openapi.json", own).json()["paths"]

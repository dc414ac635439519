"""What all client tests use: services, and the environment of the generators. `client.py` is not run here."""

import hashlib
from pathlib import Path

import httpx
import pytest

from clients.generate import BUILD
from clients.generate import generators as installed_generators
from tests.clients.bad_service import bad_service
from tests.service.conftest import running_server

collect_ignore = ["client.py"]
KEY = "a key of the tests"


@pytest.fixture(scope="session")
def url():
    """A service; its document is in build/clients/openapi.json."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with running_server(SPADES_ACCESS_LOG="0") as server:
        (BUILD / "openapi.json").write_bytes(httpx.get(f"{server.url}/openapi.json").content)
        yield server.url


@pytest.fixture(scope="session")
def keyed_url(tmp_path_factory: pytest.TempPathFactory):
    """A service that requires `KEY`."""
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text(f"tests {hashlib.sha256(KEY.encode()).hexdigest()}\n")
    with running_server(SPADES_ACCESS_LOG="0", SPADES_API_KEYS_FILE=str(file)) as server:
        yield server.url


@pytest.fixture(scope="session")
def bad_url():
    """A service that is busy, silent or gone (`bad_service`)."""
    with bad_service() as found:
        yield found


@pytest.fixture(scope="session")
def commands() -> Path:
    """The folder of commands of an environment with the generators in it."""
    return installed_generators()

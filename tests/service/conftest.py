"""Fixtures of the service's tests: an app on the committed tables, a client in the same process, table sets."""

import asyncio
import copy
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from service.app import create_app
from service.keys import Bucket
from service.settings import Settings
from service.table_sets import TableSets, open_sets
from spades.contract.examples import REQUEST
from tests.one_set import served
from tests.patience import LIMIT_S, patient
from tests.servers import RealServer, running_server
from tests.service.made_sets import Folder, make_set

ROOT = Path(__file__).resolve().parents[2]


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
def searching_client(searching_server: RealServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=searching_server.url, timeout=LIMIT_S) as client:
        yield client


@pytest.fixture
def serve() -> Callable:
    return running_server

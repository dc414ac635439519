"""Answers that never change are sent from memory, and equal those of FastAPI."""

import asyncio

import httpx
import pytest

from service.app import create_app
from service.endpoints.fixed_answers import FIXED_ROUTES
from tests.conftest import committed_tables
from tests.one_set import one_set
from tests.patience import patient

_PATHS = sorted(FIXED_ROUTES)


@pytest.fixture(scope="module")
def service():
    made = create_app(patient())
    made.state.serve(one_set(committed_tables()))
    return made


def _by_fastapi(service, path) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(service.fastapi)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await client.get(path)

    return asyncio.run(ask())


@pytest.mark.parametrize("path", _PATHS)
def test_the_answer_is_fastapis(call, service, path):
    expected = _by_fastapi(service, path)
    for _ in range(2):
        response = call("GET", path, service, headers={"x-request-id": "me"})
        assert response.status_code == expected.status_code == 200
        assert response.content == expected.content
        headers = dict(response.headers)
        assert headers.pop("x-request-id") == "me"
        assert headers == dict(expected.headers)


@pytest.mark.parametrize("path", _PATHS)
def test_fastapi_is_asked_once(call, path, monkeypatch):
    service = create_app(patient())
    asyncio.run(service.prepare())
    first = call("GET", path, service)
    monkeypatch.setattr(service, "fastapi", None)
    again = call("GET", f"{path}?x=1", service, headers={"host": "evil", "accept": "text/html"})
    assert again.content == first.content
    head = call("HEAD", path, service)
    assert head.content == b""
    assert head.headers["content-length"] == str(len(first.content))


@pytest.mark.parametrize("path", _PATHS)
def test_other_methods_are_refused(call, service, path):
    response = call("POST", path, service)
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD"


def test_they_are_counted(call, service):
    before = call("GET", "/metrics", service).text
    call("GET", "/v1/rules", service)
    after = call("GET", "/metrics", service).text
    name = 'spades_http_requests_total{route="/v1/rules",status="200"} '
    counts = [float(text.partition(name)[2].split()[0]) if name in text else 0.0 for text in (before, after)]
    assert counts[1] == counts[0] + 1

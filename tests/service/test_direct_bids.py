"""POST /bid gets the same answer from the innermost middleware as from its route."""

from typing import Any

import orjson
import pytest
from fastapi import FastAPI

from service.endpoints.bids import DirectBidsMiddleware
from spades.contract.examples import REQUEST
from tests.one_set import served


@pytest.fixture(scope="module")
def without() -> FastAPI:
    """The app without the middleware."""
    app = served()
    direct: Any = DirectBidsMiddleware
    app.user_middleware = [one for one in app.user_middleware if one.cls is not direct]
    return app


@pytest.mark.parametrize("path", ["/bid", "/v1/bid"])
@pytest.mark.parametrize(
    ("status", "content", "headers"),
    [
        (200, orjson.dumps(REQUEST), {}),
        (200, orjson.dumps(REQUEST).ljust(64 * 1024), {"x-deadline-ms": "60000"}),
        (400, b"{", {}),
        (413, orjson.dumps(REQUEST).ljust(64 * 1024 + 1), {}),
        (415, orjson.dumps(REQUEST), {"content-encoding": "gzip"}),
        (422, b"{}", {}),
        (504, orjson.dumps(REQUEST), {"x-deadline-ms": "0"}),
    ],
)
def test_the_route_answers_the_same(call, without, path, status, content, headers):
    async def in_parts():
        yield content[:100]
        yield content[100:]

    headers = headers | {"x-request-id": "me"}
    for service in ({}, {"service": without}):
        for body in (content, in_parts()):
            answer = call("POST", path, **service, content=body, headers=headers)
            assert answer.status_code == status
    first, second = (
        call("POST", path, **service, content=content, headers=headers) for service in ({}, {"service": without})
    )
    assert first.content == second.content
    assert dict(first.headers) == dict(second.headers)


@pytest.mark.parametrize("method", ["GET", "PUT", "HEAD"])
def test_the_route_refuses_other_methods(call, without, method):
    assert call(method, "/bid").headers["allow"] == call(method, "/bid", without).headers["allow"] == "POST"

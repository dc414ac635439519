"""Answers that change only with the tables: FastAPI makes each once, and then they are sent from memory.

Making the OpenAPI document or the catalogue takes as long as 30 bids. Sending it takes a fraction of one bid.
"""

from typing import Any

from fastapi import FastAPI

from service.asgi import Receive, Reply, Scope

OPENAPI = "/openapi.json"
FIXED_ROUTES = frozenset((OPENAPI, "/v1/rules", "/v1/policies", "/v1/reasons"))
_BY_TABLES = ("/v1/policies",)


class FixedAnswers:
    """The answers to GET on `FIXED_ROUTES`."""

    def __init__(self, fastapi: FastAPI) -> None:
        self._fastapi = fastapi
        self._answers: dict[str, Reply] = {}

    async def prepare(self) -> None:
        """Make all answers before the first request needs one."""
        for path in FIXED_ROUTES:
            await self.get(path)

    async def renew(self) -> None:
        """Make the answers again that depend on the tables, because others are in use."""
        for path in _BY_TABLES:
            self._answers[path] = await self._made(path)

    async def get(self, path: str) -> Reply:
        """Return the answer, which has status 200."""
        answer = self._answers.get(path)
        if answer is None:
            answer = self._answers[path] = await self._made(path)
        return answer

    async def _made(self, path: str) -> Reply:
        answer = await fastapi_answer(self._fastapi, _plain_get(path), _no_body)
        assert answer[0] == 200, f"GET {path} has status {answer[0]}; expected 200"
        return answer


async def fastapi_answer(fastapi: FastAPI, scope: Scope, receive: Receive) -> Reply:
    """Return FastAPI's complete answer to a request; raises what an endpoint raises."""
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    await fastapi(scope, receive, send)
    start, *rest = messages
    headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    return start["status"], headers, b"".join(message.get("body", b"") for message in rest)


def _plain_get(path: str) -> Scope:
    """Return a GET request without any data of a caller, because all callers will see its answer."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [],
        "client": None,
        "server": None,
    }


async def _no_body() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}

"""Answers that never change while the process runs: FastAPI makes each once, then it is served from memory.

Making the OpenAPI document or the catalogue costs as much as 30 bids each time; sending it costs a fraction of one.
"""

from typing import Any

from fastapi import FastAPI

from service.api.body import Headers

FIXED_ROUTES = frozenset(("/openapi.json", "/docs", "/v1/rules", "/v1/policies"))


class FixedAnswers:
    """The answers to GET on `FIXED_ROUTES`."""

    def __init__(self, fastapi: FastAPI) -> None:
        self._fastapi = fastapi
        self._answers: dict[str, tuple[Headers, bytes]] = {}

    async def prepare(self) -> None:
        """Make all answers, before the first request needs one."""
        for path in FIXED_ROUTES:
            await self.get(path)

    async def get(self, path: str) -> tuple[Headers, bytes]:
        """The headers and the body of the 200."""
        answer = self._answers.get(path)
        if answer is None:
            answer = self._answers[path] = await _ask(self._fastapi, path)
        return answer


async def _ask(fastapi: FastAPI, path: str) -> tuple[Headers, bytes]:
    """FastAPI's answer to a plain GET: nothing of a caller's request gets into an answer that others will see."""
    messages: list[Any] = []
    scope: dict[str, Any] = {
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

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    await fastapi(scope, receive, send)
    start, *rest = messages
    assert start["status"] == 200, f"GET {path} is answered with {start['status']}"
    body = b"".join(message.get("body", b"") for message in rest)
    return [(name, value) for name, value in start["headers"] if name != b"content-length"], body

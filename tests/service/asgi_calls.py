"""Requests to an app in this process, without an HTTP client."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import httpx
from starlette.types import ASGIApp


def send(
    app: ASGIApp,
    path: str,
    body: bytes = b"{}",
    headers: Mapping[bytes, bytes] | None = None,
    waited_s: float = 0.0,
    method: str = "POST",
) -> httpx.Response:
    """Return the answer to a request that arrived ``waited_s`` seconds ago."""
    return asyncio.run(answer(app, path, body, headers, waited_s, method))


async def answer(
    app: ASGIApp,
    path: str,
    body: bytes = b"{}",
    headers: Mapping[bytes, bytes] | None = None,
    waited_s: float = 0.0,
    method: str = "POST",
) -> httpx.Response:
    """Return the answer to a request; see `send`."""
    sent: list[Any] = []
    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "query_string": b""}
    scope["raw_path"] = path.encode()
    scope |= {"headers": [*(headers or {}).items()], "http_version": "1.1", "root_path": "", "scheme": "http"}
    scope["state"] = {"arrived": time.perf_counter() - waited_s}

    parts = [body]

    async def receive() -> dict[str, Any]:
        if not parts:
            await asyncio.Event().wait()  # the caller stays
        return {"type": "http.request", "body": parts.pop(), "more_body": False}

    async def take(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, take)
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return httpx.Response(sent[0]["status"], headers=sent[0]["headers"], content=content)

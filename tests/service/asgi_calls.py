"""Requests to an app in this process, without an HTTP client."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import httpx
from fastapi import FastAPI


def send(*arguments: Any, **options: Any) -> httpx.Response:
    """Run `answer` in an event loop of its own."""
    return asyncio.run(answer(*arguments, **options))


async def answer(
    app: FastAPI,
    path: str,
    body: bytes = b"{}",
    headers: Mapping[bytes, bytes] | None = None,
    waited_s: float = 0.0,
    method: str = "POST",
    server: str = "127.0.0.1",
) -> httpx.Response:
    """Return the answer to a request that has waited ``waited_s`` seconds in the event loop."""
    sent: list[Any] = []
    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "query_string": b""}
    scope["raw_path"] = path.encode()
    scope |= {"headers": [*(headers or {}).items()], "http_version": "1.1", "root_path": "", "scheme": "http"}
    scope["server"] = (server, 8080)

    parts = [body]

    async def receive() -> dict[str, Any]:
        if not parts:
            await asyncio.Event().wait()  # the caller stays
        return {"type": "http.request", "body": parts.pop(), "more_body": False}

    async def take(message: Any) -> None:
        sent.append(message)

    due = app.state.lag_tick_due
    app.state.lag_tick_due = time.perf_counter() - waited_s
    try:
        await app(scope, receive, take)
    finally:
        app.state.lag_tick_due = due
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return httpx.Response(sent[0]["status"], headers=sent[0]["headers"], content=content)

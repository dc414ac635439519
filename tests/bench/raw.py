"""Yardstick (a): a bare ASGI app that parses the body with orjson and returns as many bytes as the answer to a bid.

It is not part of the service; `make bench` starts it beside the service. BENCH_BYTES sets the number of bytes.
"""

import os

import orjson

_ANSWER = b'"%b"' % (b"x" * (int(os.environ.get("BENCH_BYTES", "1000")) - 2))
_HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(_ANSWER))]


async def app(scope, receive, send) -> None:
    """Parse the body and answer."""
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    body = b""
    if scope["method"] == "POST":
        while True:
            message = await receive()
            body += message["body"]
            if not message.get("more_body"):
                break
        orjson.loads(body)
    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": _ANSWER})

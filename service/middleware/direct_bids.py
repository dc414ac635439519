"""The innermost middleware: answer POST /bid and /v1/bid without the router (docs/adr/0073-one-fastapi-app.md).

It calls the same function as the route, and answers a refused request as the app's exception handlers do. Without it,
the same requests get the same answers from the route.
"""

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from service.endpoints.bids import bid, bid_json
from service.problems import REFUSALS, refused
from service.routes import ROUTES

_JSON = (b"content-type", b"application/json")


class DirectBidsMiddleware:
    """Answers the POST routes whose endpoint is `bids.bid`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._paths = frozenset(route.path for route in ROUTES if route.endpoint is bid)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] not in self._paths or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        try:
            content = bid_json(scope["app"].state, scope["state"], await _body(receive))
        except REFUSALS as error:
            await (await refused(Request(scope), error))(scope, receive, send)
            return
        headers = [(b"content-length", b"%d" % len(content)), _JSON]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body

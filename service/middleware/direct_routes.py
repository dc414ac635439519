"""The innermost middleware: call the endpoint of a POST without the router (docs/adr/0073-one-fastapi-app.md).

It calls the function of the route, and answers a refused request as the app's exception handlers do. Without it, the
same requests get the same answers from the router.
"""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from service.problems import REFUSALS, refused
from service.routes import ROUTES


class DirectRoutesMiddleware:
    """Answers the POST routes of `ROUTES`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._endpoints = {route.path: route.endpoint for route in ROUTES if route.method == "POST"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        endpoint = None
        if scope["type"] == "http" and scope["method"] == "POST":
            endpoint = self._endpoints.get(scope["path"])
        if endpoint is None:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive, send)
        try:
            response = await endpoint(request)
        except REFUSALS as error:
            response = await refused(request, error)
        await response(scope, receive, send)

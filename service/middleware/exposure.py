"""The middleware of an app that `python -m service serve` did not start, and that has no API keys.

`serve` refuses to listen for other machines without keys. Other commands choose the address themselves, so the app only
sees at a request on which address it came.
"""

import ipaddress
import logging

from starlette.types import ASGIApp, Receive, Scope, Send

_logger = logging.getLogger("service")


class ExposureMiddleware:
    """Log an error at the first request that came on an address that other machines can reach."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._logged = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if not self._logged and scope["type"] == "http" and is_reachable(scope.get("server")):
            self._logged = True
            _logger.error(
                "other machines can reach this app at %s, and no API keys are set: set SPADES_API_KEYS_FILE, listen on "
                "a loopback address, or start it with `python -m service serve`, which checks this",
                scope["server"][0],
            )
        await self.app(scope, receive, send)


def is_reachable(server: tuple[str, int | None] | None) -> bool:
    """Return whether other machines can reach ``server``, the address of a connection as ASGI gives it."""
    try:
        return server is not None and not ipaddress.ip_address(server[0].partition("%")[0]).is_loopback
    except ValueError:  # a name (as in a test client), or the path of a Unix socket
        return False

"""GET /, /docs and /static/{name}: the playground, the page of the API, and the files that they load.

The files are in service/static. The assets of Swagger UI come from the package fastapi-offline. A page holds no secret,
so it needs no API key; the requests that it sends do.
"""

import mimetypes
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from service.problems import no_such_path

mimetypes.add_type("text/javascript", ".js")  # Python 3.11 and some systems know an older name
_HEADERS: Final = {
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src {images}; object-src 'none'; frame-ancestors 'none'; base-uri 'none'"
)


async def playground(request: Request) -> Response:
    """Send the playground."""
    return await _page(request, "index.html", "'self'")


async def docs(request: Request) -> Response:
    """Send the page of the API, Swagger UI."""
    return await _page(request, "docs.html", "'self' data:")  # Swagger UI's CSS contains images as `data:` URLs


async def static(request: Request) -> Response:
    """Send a file that a page loads."""
    name = request.path_params["name"]
    if name.endswith(".html"):  # the pages have their own paths
        raise no_such_path()
    return await _file(request, name, {})


async def _page(request: Request, name: str, images: str) -> Response:
    policy = _CONTENT_SECURITY_POLICY.format(images=images)
    return await _file(request, name, {"content-security-policy": policy, "x-frame-options": "DENY"})


async def _file(request: Request, name: str, headers: dict[str, str]) -> Response:
    response = await _static_files().get_response(name, request.scope)
    response.headers.update(_HEADERS | headers)
    return response


@cache
def _static_files() -> StaticFiles:
    return StaticFiles(directory=str(files("service") / "static"), packages=[("fastapi_offline", "static")])

"""GET /docs: a page that shows the OpenAPI document.

The page is Swagger UI; its script and style come from the address that FastAPI uses. The Content-Security-Policy allows
these and the page's inline script, by its hash, and nothing else. `documentation.py` makes the document itself.
"""

import base64
import hashlib
import re
from urllib.parse import urlsplit

from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import Response

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_LINKED = re.compile(r'(?:src|href)="(https://[^"]+)"')


def docs_page(title: str) -> Response:
    """Return the page with its Content-Security-Policy."""
    page = get_swagger_ui_html(openapi_url="/openapi.json", title=title)
    text = bytes(page.body).decode("utf-8")
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in _INLINE.findall(text)]
    origins = sorted({"{0.scheme}://{0.netloc}".format(urlsplit(link)) for link in _LINKED.findall(text)})
    policy = "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src", *origins, *(f"'sha256-{value}'" for value in hashes))),
            " ".join(("style-src 'unsafe-inline'", *origins)),
            " ".join(("img-src 'self' data:", *origins)),
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )
    page.headers["content-security-policy"] = policy
    return page

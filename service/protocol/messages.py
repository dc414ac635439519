"""Types for ASGI and HTTP messages that the modules of this package share."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]  # names in lower case
Fields = dict[bytes, bytes]  # header fields by name
Body = bytes | list[bytes]

CLOSE = (b"connection", b"close")  # a header of answers

"""What makes a test pass on a busy machine: generous limits, and services that no pause makes shed a request.

No test may depend on how fast or how quiet the machine is: a test waits for a condition, with `LIMIT_S`.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx

from service.settings import Settings

LIMIT_S = 120.0  # for anything that a test waits for; a working product takes a small part of it
PATIENT = {"SPADES_QUEUE_MS": "0"}  # the environment of a service that sheds no request for its waiting time
get = partial(httpx.get, timeout=LIMIT_S)
post = partial(httpx.post, timeout=LIMIT_S)


def patient(**settings: Any) -> Settings:
    """Return settings with which a request may wait for a minute."""
    return Settings(**{"queue_ms": 60_000.0} | settings)


def wait_until(condition: Callable[[], object], what: str | Callable[[], object] = "it does not hold") -> None:
    """Wait until ``condition`` holds; fail after `LIMIT_S` with ``what``, or with what ``what`` returns."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(0.02)

"""Fixtures of the browser tests: a server, Chromium, and pages that watch for errors and other hosts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.patience import LIMIT_S
from tests.servers import RealServer
from tests.tools import BROWSERS, find_program

WAIT_MS = 5 * LIMIT_S * 1000.0  # in one wait, the page may ask the service for a whole round, 60 times
# Chromium reports each of these answers as an error. A page shows them to the user.
_EXPECTED = tuple(f"the server responded with a status of {status}" for status in (401, 422, 504))  # 504: a deadline


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run Chromium without a window."""
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu"]
        found = playwright.chromium.launch(executable_path=find_program(*BROWSERS), args=options)
        yield found
        found.close()


@pytest.fixture(scope="module")  # not longer: it runs an event loop, beside which other tests cannot run theirs
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def new_page(browser: Browser, server: RealServer) -> Iterator[Callable[..., Page]]:
    """A function that opens a window. At the end, no window may have had an error or sent a request elsewhere."""
    errors: list[str] = []
    hosts: set[str] = set()
    contexts = []

    def host_of(url: str) -> str:
        return "" if url.startswith(("data:", "blob:")) else url.split("/")[2]

    def make(width: int = 1280, height: int = 900, **options: Any) -> Page:
        size: Any = {"width": width, "height": height}
        context = browser.new_context(base_url=server.url, viewport=size, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("request", lambda request: hosts.add(host_of(request.url)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert [error for error in errors if not any(text in error for text in _EXPECTED)] == []
    assert hosts - {""} <= {f"127.0.0.1:{server.port}"}


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()

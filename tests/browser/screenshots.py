"""Make the pictures of the playground: `make screenshots`.

Each picture is written to docs/img, with few colours so that it stays small. Also printed: the time from the start of
the load to the first bid, and the size of the page's files.
"""

import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.conftest import WAIT_MS, chromium
from tests.browser.playground import NIL_HAND, finish_round, open_playground, open_round
from tests.servers import running_server
from tests.service.conftest import ROOT

IMAGES = ROOT / "docs" / "img"
COLOURS = 240
NIL_LINK = f"hand={NIL_HAND}&bids=3,4&policy=bis&us=420&them=300"
_FIRST_BID = "performance.getEntriesByName('first-bid')[0].startTime"


def new_page(browser: Browser, url: str, size: tuple[int, int], scheme: str) -> Page:
    """Open a window of ``size`` (width, height) in the colour scheme ``light`` or ``dark``."""
    context = browser.new_context(
        base_url=url,
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    return page


def write(page: Page, name: str, full_page: bool = False) -> None:
    """Write a picture of the window, or of the full page, and print its size."""
    path: Path = IMAGES / f"playground-{name}.png"
    picture = Image.open(io.BytesIO(page.screenshot(full_page=full_page))).convert("RGB")
    picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Make all pictures."""
    with running_server() as server, chromium() as browser:
        page = new_page(browser, server.url, (1280, 960), "light")
        open_playground(page)
        write(page, "desktop")
        loads = []
        for _ in range(5):
            page.reload()
            page.wait_for_selector("#result[aria-busy=false]")
            loads.append(page.evaluate(_FIRST_BID))
        page = new_page(browser, server.url, (1280, 960), "dark")
        open_playground(page, NIL_LINK)
        write(page, "dark", full_page=True)
        page = new_page(browser, server.url, (390, 844), "light")
        open_playground(page)
        write(page, "phone")
        page = new_page(browser, server.url, (1280, 800), "light")
        open_round(page, "deal=7")
        page.click(".bid-buttons .primary")
        page.wait_for_selector(".south .suggested")
        page.wait_for_selector(".south button:not(:disabled)")
        write(page, "round")
        finish_round(page)
    size = sum(file.stat().st_size for file in (ROOT / "service" / "static").iterdir())
    print(f"first bid after {min(loads):.0f} to {max(loads):.0f} ms in 5 loads; {size / 1000:.0f} kB of files")


if __name__ == "__main__":
    main()

"""What a user does on the playground: actions that the tests and the screenshots share."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

EXAMPLE = "AKJ62.AQ.Q.K9543"
NIL_HAND = "JT3.9742.T854.32"
SIZES = {"phone": (390, 844), "desktop": (1280, 800)}
_IN_VIEW = """selector => {
    const { top, bottom, left, right } = document.querySelector(selector).getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
}"""


def in_long_run(*values: object) -> Any:
    """Return a case of a test for `make test-long` only: one size, scheme or game stands for the others."""
    return pytest.param(*values, marks=pytest.mark.long)


both_sizes = pytest.mark.parametrize("size", [SIZES["phone"], in_long_run(SIZES["desktop"])], ids=SIZES)


def open_playground(page: Page, link: str = "") -> None:
    """Open the page with a link's fragment, and wait for its first bid."""
    page.goto(f"/#{link}")
    settled(page)


def settled(page: Page) -> None:
    """Wait until the answer to the last change is shown completely."""
    page.wait_for_selector("#result[aria-busy=false]", state="attached")


def bid(page: Page) -> str:
    """Return the bid that is shown."""
    settled(page)
    return page.inner_text("#bid")


def request_of(page: Page) -> dict[str, Any]:
    """Return the request that the page has sent."""
    settled(page)
    page.click("label[for=as-json]")
    request: dict[str, Any] = json.loads(page.inner_text("#code"))["request"]
    assert request.pop("explain") == "curve"
    return request


def click_card(page: Page, card: str) -> None:
    """Choose a card of the picker, or put it back."""
    page.click(f"#picker [data-card='{card}']")


def open_round(page: Page, link: str = "") -> None:
    """Open "Play a round", deal, and wait for the user's bid."""
    open_playground(page, f"{link}&mode=round" if link else "mode=round")
    page.click("#round-start")
    page.wait_for_selector(".bid-buttons .primary")


def in_view(page: Page, selector: str) -> None:
    """Wait until an element is completely in the window; nobody scrolls by hand."""
    page.wait_for_function(_IN_VIEW, arg=selector)


def own_cards(page: Page) -> Locator:
    """Return the cards that the user may play now; wait until it is their turn."""
    page.wait_for_selector(".south button:not(:disabled)")
    return page.locator(".south button:not(:disabled)")


def finish_round(page: Page) -> None:
    """Let the service play the rest of the round."""
    page.click("#round-end")
    page.wait_for_selector("#round-next")


def violations(page: Page, *impacts: str) -> list[tuple[str, str]]:
    """Return the violations that axe-core finds, of these impacts or of all: the rule, and one element."""
    found = Axe().run(page).response["violations"]
    return [(fault["id"], fault["nodes"][0]["html"]) for fault in found if not impacts or fault["impact"] in impacts]


def serious(page: Page) -> list[tuple[str, str]]:
    """Return the violations that axe-core calls serious or critical."""
    return violations(page, "serious", "critical")

"""/docs without the internet and for everyone, and both pages on a service that wants API keys."""

from collections.abc import Iterator

import pytest

from service.keys import new_key
from tests.browser.playground import bid, settled, violations
from tests.servers import RealServer, running_server

KEY = new_key("browser")


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[RealServer]:
    path = tmp_path_factory.mktemp("keys") / "keys"
    path.write_text(KEY.line + "\n")
    path.chmod(0o600)
    with running_server(SPADES_API_KEYS_FILE=str(path)) as running:
        yield running


def test_the_playground_asks_for_a_key(page):
    page.goto("/")
    page.wait_for_selector("#key-panel:not([hidden])")
    assert "no valid API key" in page.inner_text("#general-fault")
    page.fill("#key", "wrong")
    page.press("#key", "Enter")
    page.wait_for_load_state("networkidle")
    assert page.locator("#result").is_hidden()
    page.fill("#key", KEY.secret)
    page.click("#key-form button")
    page.wait_for_selector("#result:not([hidden])")
    assert bid(page) == "6"
    assert page.locator("#general-fault").is_hidden()
    assert KEY.secret not in page.url
    assert KEY.secret not in page.content()
    page.reload()
    settled(page)
    assert bid(page) == "6"


def open_docs(page):
    page.goto("/docs")
    page.wait_for_selector("#operations-bidding-bid")


def give_the_key(page):
    page.click("button.authorize")
    page.fill(".auth-container input", KEY.secret)
    page.click(".auth-btn-wrapper .authorize")
    page.click(".close-modal")


def execute(page, operation):
    """Open an operation, send its example, and wait for the answer's status."""
    page.click(f"{operation} .opblock-summary-control")
    page.click(f"{operation} .try-out__btn")
    page.click(f"{operation} .execute")
    status = f"{operation} .live-responses-table .response-col_status >> nth=1"
    page.wait_for_selector(status)
    while "504" in page.inner_text(status):  # the example has a deadline, which a busy machine misses
        page.click(f"{operation} .btn-clear")
        page.click(f"{operation} .execute")
        page.wait_for_selector(status)
    return page.inner_text(status)


def test_docs_send_the_key(page):
    open_docs(page)
    give_the_key(page)
    assert "200" in execute(page, "#operations-catalogue-list_reasons")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_page_of_the_api(new_page, scheme):
    page = new_page(color_scheme=scheme)
    open_docs(page)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert violations(page) == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_an_open_operation(new_page, scheme):
    page = new_page(color_scheme=scheme)
    open_docs(page)
    assert "401" in execute(page, "#operations-catalogue-list_reasons")
    assert violations(page) == []
    give_the_key(page)
    assert "200" in execute(page, "#operations-bidding-card")
    page.click("#operations-bidding-card .tab >> text=Schema >> nth=0")
    page.click("#operations-bidding-card .json-schema-2020-12-expand-deep-button >> nth=0")
    assert violations(page) == []
    page.click("button.authorize")
    page.wait_for_selector(".auth-container")
    assert violations(page) == []


def test_docs_open_an_operation_by_its_link(page):
    page.goto("/docs#/bidding/card")
    page.wait_for_selector("#operations-bidding-card .try-out__btn")

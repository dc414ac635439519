"""/docs without the internet, and both pages on a service that wants API keys."""

from collections.abc import Iterator

import pytest

from service.keys import new_key
from tests.browser.playground import bid, settled
from tests.service.conftest import RealServer, running_server

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


def test_docs_send_the_key(page):
    page.goto("/docs")
    page.wait_for_selector("#operations-bidding-bid")
    page.click("button.authorize")
    page.fill(".auth-container input", KEY.secret)
    page.click(".auth-btn-wrapper .authorize")
    page.click(".close-modal")
    page.click("#operations-catalogue-list_reasons .opblock-summary-control")
    page.click("#operations-catalogue-list_reasons .try-out__btn")
    page.click("#operations-catalogue-list_reasons .execute")
    page.wait_for_selector("#operations-catalogue-list_reasons .live-responses-table .response-col_status")
    assert "200" in page.inner_text(
        "#operations-catalogue-list_reasons .live-responses-table .response-col_status >> nth=1"
    )

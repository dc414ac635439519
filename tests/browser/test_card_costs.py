"""What other cards than the suggested ones cost, on a service that searches for cards."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.playground import SIZES, finish_round, in_view, open_round, own_cards
from tests.servers import RealServer


@pytest.fixture(scope="module")
def server(searching_server: RealServer) -> RealServer:
    return searching_server


@pytest.mark.compiled
def test_costs_of_cards_are_the_searchs_win_chances(new_page):
    page = new_page(*SIZES["phone"], reduced_motion="reduce")
    searches = []
    page.on("response", lambda one: searches.append(one) if "search@3" in (one.request.post_data or "") else None)
    open_round(page, "deal=7")
    page.click(".bid-buttons .primary")
    for _ in range(5):
        cards = own_cards(page)
        others = cards.and_(page.locator(":not(.suggested)"))
        (others if others.count() else cards).first.click()
    own_cards(page)
    finish_round(page)
    in_view(page, ".outcome")
    costs = page.locator(".differences .cost")
    assert costs.count() > 0
    for index in range(costs.count()):
        expect(costs.nth(index)).not_to_have_text("Cost: the service is asked.")
    in_view(page, ".outcome")  # the costs that came later did not scroll it away
    texts = costs.all_inner_texts()
    assert any("of win chance" in text for text in texts)
    for search, text in zip(searches, texts, strict=True):
        chances = [one["p_win"] for one in search.json()["search"]["cards"] if one["p_win"] is not None]
        shown = re.findall(r"([\d.]+)% ", text)
        assert shown or text == "Cost: the service gives no figure for one of the two."
        assert {float(percent) for percent in shown} <= {float(f"{100 * chance:.1f}") for chance in chances}

"""The playground at / in a real browser: a hand, its bid, faults, links, keyboard, phone, dark."""

import re
from pathlib import Path

import pytest

from spades.legal import NO_BID, possible_bids
from spades.rules import make_rules
from tests.browser.playground import (
    EXAMPLE,
    NIL_HAND,
    SIZES,
    bid,
    click_card,
    in_long_run,
    open_playground,
    open_round,
    request_of,
    serious,
    settled,
)

MOST_BYTES = 300_000  # of all files of the playground
STATIC = Path(__file__).resolve().parents[2] / "service" / "static"


def faults(page):
    """Return the texts of the faults, by the JSON pointer of their field."""
    found = page.query_selector_all(".fault")
    return {fault.evaluate("node => node.parentElement.dataset.pointer"): fault.inner_text() for fault in found}


def test_it_bids_at_once(page):
    open_playground(page)
    assert bid(page) == "6"
    assert "you win the game" in page.inner_text("#reasons")
    assert page.locator("#chances tr").count() > 9
    assert page.locator("#chances tr.chosen th").inner_text() == "6"
    assert page.locator("#cards li").count() == 13
    assert page.locator("#heat table").count() == 4
    assert page.locator("#curve polyline").count() == 1
    assert "Bid 6" in page.text_content("#announcement")


@pytest.mark.long
def test_deal_pick_and_clear(page):
    open_playground(page)
    for _ in range(2):
        page.click("#deal")
        settled(page)
        assert page.locator("#picker [aria-pressed=true]").count() == 13
        assert re.fullmatch("[2-9TJQKA]*[.].*", page.input_value("#hand"))
    page.click("#clear")
    for card in ("AS", "KS", "QS", "JS", "TS", "9S", "8S", "7S", "6S", "5S", "4S", "3S"):
        click_card(page, card)
    assert "1 more to pick" in page.inner_text("#hand-count")
    click_card(page, "2S")
    assert bid(page) == "10"  # partner has bid 3
    assert page.input_value("#hand") == "AKQJT98765432..."


@pytest.mark.long
def test_pasted_hands(page):
    open_playground(page, "policy=bis&bids=3,4")
    page.fill("#hand", NIL_HAND)
    assert bid(page) == "Nil"
    page.fill("#hand", "AS KS JS 6S 2S AH QH QD KC 9C 5C 4C 3C")
    assert bid(page) == "5"
    assert page.locator("#picker [aria-pressed=true]").count() == 13
    assert isinstance(request_of(page)["hand"], list)


def test_a_fault_is_shown_at_its_field(page):
    open_playground(page)
    page.fill("#hand", "AKJ62.AQ.Q.K954")
    page.fill("#f-scores-us", "many")
    page.wait_for_selector("[data-pointer='/scores/us'] .fault")
    assert faults(page).keys() == {"/hand", "/scores/us"}
    assert "accepted: 13" in faults(page)["/hand"]
    described = page.get_attribute("#f-scores-us", "aria-describedby")
    assert page.inner_text(f"[id='{described}']") == faults(page)["/scores/us"]
    assert page.get_attribute("#f-scores-us", "aria-invalid") == "true"
    page.fill("#hand", EXAMPLE)
    page.fill("#f-scores-us", "120")
    assert bid(page) == "6"
    page.wait_for_selector(".fault", state="detached")
    assert page.locator("[aria-invalid]").count() == 0


def test_rules_come_from_the_service(page):
    open_playground(page)
    names = page.eval_on_selector_all("#rules .field", "nodes => nodes.map(node => node.dataset.pointer)")
    listed = page.request.get("/v1/rules").json()
    assert names == [f"/rules/{name}" for name in listed["fields"]]
    page.select_option("#f-rules-preset", "jokers")
    settled(page)
    assert page.locator("#picker [data-card=BJ]").count() == 1
    page.click("#single-rules summary")
    page.fill("#f-rules-bag_limit", "500")
    page.press("#f-rules-bag_limit", "Tab")
    page.wait_for_selector("[data-pointer='/rules/bag_limit'] .fault")
    assert "accepted: at most 100" in faults(page)["/rules/bag_limit"]
    page.select_option("#f-rules-preset", "cutthroat")
    page.wait_for_selector("#f-scores-seats-3")


def offered(page, seat):
    """Return the bids that the select of a seat offers."""
    return page.eval_on_selector_all(f"#f-previous_bids-{seat} option", "options => options.map(one => one.value)")


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        in_long_run("classic", {}),
        in_long_run("blind-nil", {}),
        in_long_run("single-nil", {}),
        in_long_run("board-4", {}),
        ("suicide", {}),
        in_long_run("cutthroat", {}),
        in_long_run("mirror", {}),
        ("classic", {"team_max": 8, "min_bid": 2}),
    ],
)
def test_selects_offer_only_legal_bids(new_page, preset, overrides):
    """The third bid depends on the first, which is partner's."""
    page = new_page(*SIZES["phone"])
    rules = make_rules(preset, overrides)
    link = "".join(f"&rules.{name}={value}" for name, value in overrides.items())
    open_playground(page, f"hand=AKQ32.432.432.32&preset={preset}{link}&bids=4,2,3")
    for first in ("4", "0"):
        if first in offered(page, 0):
            page.select_option("#f-previous_bids-0", first)
            settled(page)
        for seat in (0, 1, 2):
            chosen = [page.input_value(f"#f-previous_bids-{other}") for other in range(seat)]
            partner = int(chosen[0]) if seat == 2 and preset != "cutthroat" else NO_BID
            legal = possible_bids(partner, rules)
            expected = [str(number) for number in range(14) if legal >> number & 1]
            if preset == "mirror":
                expected = [number for number in expected if int(number) + sum(map(int, chosen)) <= 13]
            if rules.blind_nil and legal & 1:
                expected.append("blind_nil")
            assert offered(page, seat) == expected
            assert page.input_value(f"#f-previous_bids-{seat}") in expected
        assert page.locator("#bids .fault").count() == 0


def test_a_blind_number_can_be_chosen(page):
    open_playground(page)
    page.click("label[for=seat-3]")
    page.click("#single-rules summary")
    page.fill("#f-rules-blind_min", "7")
    page.press("#f-rules-blind_min", "Tab")
    settled(page)
    assert offered(page, 0)[-8:] == ["13", *(f"blind_{number}" for number in range(7, 14))]
    page.select_option("#f-previous_bids-1", "blind_7")
    settled(page)
    assert page.locator("#f-previous_bids-1 option:checked").text_content() == "Blind 7"
    assert page.locator("#no-bid").is_hidden()
    assert page.locator("#bids .fault").count() == 0


@pytest.mark.long
def test_a_bid_that_becomes_illegal_is_replaced_and_the_page_says_so(page):
    open_playground(page)
    page.click("label[for=seat-3]")
    settled(page)
    page.select_option("#f-rules-preset", "suicide")
    settled(page)
    assert page.input_value("#f-previous_bids-2") == "0"
    field = page.inner_text("[data-pointer='/previous_bids/0']")
    assert "3 is not allowed by these rules; the nearest bid is 4." in field
    assert request_of(page)["previous_bids"] == [4, 4, 0]
    page.select_option("#f-previous_bids-0", "5")
    settled(page)
    assert "not allowed" not in page.inner_text("[data-pointer='/previous_bids/0']")


def test_a_link_repeats_everything(page, new_page):
    open_playground(page)
    page.fill("#hand", NIL_HAND)
    page.click("label[for=seat-3]")
    page.select_option("#f-previous_bids-0", "4")
    page.fill("#f-scores-them_bags", "9")
    page.select_option("#f-policy", "bis")
    page.select_option("#f-convention", "big5")
    page.select_option("#f-level", "2")
    page.fill("#f-options", "endgame=off")
    page.click("#single-rules summary")
    page.fill("#f-rules-bag_limit", "7")
    page.press("#f-rules-bag_limit", "Tab")
    page.wait_for_selector("[data-pointer='/scores/them_bags'] .fault")
    page.fill("#f-scores-them_bags", "6")
    sent = request_of(page)
    assert (sent["policy"], sent["convention"], sent["level"]) == ("bis:endgame=off", "big5", 2)
    assert sent["rules"] == {"preset": "classic", "bag_limit": 7}
    assert len(sent["previous_bids"]) == 3
    other = new_page()
    open_playground(other, page.evaluate("location.hash.slice(1)"))
    assert request_of(other) == sent
    assert bid(other) == bid(page)


@pytest.mark.long
def test_keyboard_only(page):
    open_playground(page)
    page.focus("#picker [data-card=AS]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.card") == "QS"
    page.keyboard.press("Space")
    assert page.input_value("#hand") == "KQJ62.AQ.Q.K9543"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.card") == "QH"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "deal"
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"hand", "seat-2", "f-scores-us", "f-rules-preset", "f-policy", "f-level", "as-curl", "copy-code"} <= reached


@pytest.mark.long
def test_links_to_parts_of_the_page_keep_the_state(page):
    open_playground(page, f"hand={NIL_HAND}&bids=3,4")
    for part in ("bid-form", "answer"):
        page.press(f".skip[href='#{part}']", "Enter")
        assert page.evaluate("document.activeElement.id") == part
    page.click("#mode-round")
    page.press(".skip >> nth=0", "Enter")
    assert page.evaluate("document.activeElement.id") == "table"
    assert page.input_value("#hand") == NIL_HAND
    assert "mode=round" in page.url


def test_every_choice_gives_an_answer_or_a_fault(page):
    open_playground(page)
    for policy in ("winprob", "bis:tuned", "rb", "ms", "io"):
        page.select_option("#f-policy", policy)
        assert bid(page).isdigit()
        assert policy.partition(":")[0] in page.inner_text("#decided-by")
    for language in ("curl", "python", "typescript", "csharp"):
        page.click(f"label[for=as-{language}]")
        assert EXAMPLE in page.inner_text("#code")


@pytest.mark.parametrize("width", [360, in_long_run(1280)])
def test_no_page_is_wider_than_its_window(new_page, width):
    page = new_page(width, 800)
    open_playground(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#single-rules summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    open_round(page)
    page.check("#round-open")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.long
def test_dark_and_light(new_page):
    page = new_page(color_scheme="dark")
    open_playground(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.reload()
    settled(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.parametrize("scheme", [in_long_run("light"), "dark"])
def test_axe_finds_nothing_serious(new_page, scheme):
    page = new_page(color_scheme=scheme)
    open_playground(page, f"hand={NIL_HAND}&policy=bis&scores=x")
    page.click("#single-rules summary")
    assert serious(page) == []
    open_round(page)
    page.check("#round-open")
    assert serious(page) == []


def test_the_files_are_small():
    assert sum(file.stat().st_size for file in STATIC.iterdir()) < MOST_BYTES

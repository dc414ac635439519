"""“Play a round” in a real browser: bids, passes and tricks to the end, and the score as the service counts it."""

import itertools
import re

import pytest
from playwright.sync_api import expect

from spades.legal import NO_BID, possible_bids
from spades.rules import PRESETS, describe, make_rules
from spades.scoring import score_seat, score_side
from tests.browser.playground import (
    SIZES,
    both_sizes,
    finish_round,
    in_long_run,
    in_view,
    open_playground,
    open_round,
    own_cards,
    serious,
    settled,
)

SOUTH = 3  # the user's seat in the first round


@pytest.mark.parametrize(
    "preset",
    [
        *("cutthroat", "pass-2"),
        *map(
            in_long_run,
            (
                *("classic", "jjdd"),
                "pass-2&rules.first_lead=lowest_club&rules.first_trick_spades=false&rules.sum_not_13=true",
                "whiz&rules.deck=jjdd&rules.spades_lead=any&rules.ten_for_200=true",
                "classic&rules.nil=false&rules.set_points=missing&rules.bag_points=-1&rules.bag_penalty=0",
            ),
        ),
    ],
)
def test_to_its_end(new_page, preset):
    page = new_page(reduced_motion="reduce")
    open_round(page, f"preset={preset}")
    finish_round(page)
    rows = page.eval_on_selector_all(
        ".score tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    assert len(rows) == (4 if preset == "cutthroat" else 2)
    assert sum(int(tricks) for row in rows for tricks in row[2].split(" + ")) == 13
    page.click("#round-next")
    page.wait_for_selector(".bid-buttons .primary")


@pytest.mark.long
def test_the_user_follows_or_not(new_page):
    page = new_page(reduced_motion="reduce")
    open_round(page)
    buttons = page.locator(".bid-buttons button")
    other = next(
        index for index in range(buttons.count()) if "primary" not in (buttons.nth(index).get_attribute("class") or "")
    )
    mine = buttons.nth(other).inner_text()
    buttons.nth(other).click()
    for trick in range(2):
        page.wait_for_selector(".south button:not(:disabled)")
        assert f"bid {mine}" in page.inner_text(".south .seat-name")
        legal = page.locator(".south button:not(:disabled)")
        assert page.locator(".south .card").count() == 13 - trick
        assert page.evaluate("document.activeElement.classList.contains('suggested')")
        legal.last.press("Enter")
        expect(page.locator(".south .card")).to_have_count(12 - trick)
    finish_round(page)


@pytest.mark.long
def test_a_link_repeats_the_deal(new_page):
    page, other = new_page(), new_page()
    open_round(page)
    open_round(other, page.evaluate("location.hash.slice(1)"))
    assert "deal=" in page.url
    hands = [
        one.eval_on_selector_all(".south .card", "cards => cards.map(card => card.dataset.card)")
        for one in (page, other)
    ]
    assert hands[0] == hands[1]
    assert len(hands[0]) == 13


@pytest.mark.long
def test_nobody_but_the_service(new_page):
    page = new_page(reduced_motion="reduce")
    open_playground(page, "mode=round")
    page.select_option("#round-seat", "none")
    page.click("#round-start")
    page.wait_for_selector("#round-next")
    assert page.locator(".seat .card").count() == 52  # the hands as dealt
    page.click("#round-result > details > summary")
    assert page.locator(".tricks tbody tr").count() == 13
    assert page.locator(".tricks .taken").count() == 13
    page.wait_for_selector("#review[aria-busy=false]")
    assert "Only bids and passes are reviewed" in page.inner_text("#review")
    assert serious(page) == []


@both_sizes
def test_the_end_of_a_game(new_page, size):
    page = new_page(*size, reduced_motion="reduce")
    open_playground(page, "mode=round&us=495&them=-900&rules.win=500")
    page.select_option("#round-seat", "none")
    for _ in range(12):
        page.click("#round-next" if page.locator("#round-next").count() else "#round-start")
        page.wait_for_selector("#round-next")
        in_view(page, ".outcome")
        assert "North and South" in page.inner_text(".score tbody tr >> nth=0")
        if page.inner_text("#round-next") == "New game":
            break
        assert "The round is over" in page.inner_text("#round-result h3")
    assert page.inner_text("#round-result h3") == "The game is over: North and South win"
    assert int(standing_of(page)["East and West"]["Score"]) < 0
    page.click("#round-next")
    expect(page.locator(".standing tbody tr >> nth=0 >> td >> nth=-1")).to_have_text("0")
    assert standing_of(page)["North and South"]["Bags"] == "0"


@pytest.mark.long
@both_sizes
def test_the_result_is_in_view(new_page, size):
    """Also when the page scrolls smoothly, and after the last card, not only after “Play to the end”."""
    page = new_page(*size)
    open_round(page)
    page.click(".bid-buttons .primary")
    for _ in range(13):
        own_cards(page).first.click()
        page.wait_for_selector(".south button:not(:disabled), #round-next")
    page.wait_for_selector("#round-next")
    for part in (".outcome", "#round-next"):
        in_view(page, part)
    page.click("#round-next")
    page.wait_for_selector(".bid-buttons .primary")
    in_view(page, ".south")
    finish_round(page)
    in_view(page, ".outcome")


def standing_of(page):
    """Return the table of the sides: the cells by the side's name and the column's name."""
    columns, *rows = page.eval_on_selector_all(
        ".standing tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return {row[0]: dict(zip(columns, row, strict=True)) for row in rows}


@pytest.mark.long
@both_sizes
def test_the_standing_of_both_sides_is_on_the_table(new_page, size):
    page = new_page(*size, reduced_motion="reduce")
    open_round(page, "us=210&us_bags=6&them=-40&them_bags=2")
    before = standing_of(page)
    assert {(row["Tricks"], row["Bags"], row["Score"]) for row in before.values()} == {
        ("0", "6", "210"),
        ("0", "2", "-40"),
    }
    assert re.fullmatch(r"(\d+|nil) \+ [?]", before["North and South"]["Contract"])
    page.click(".bid-buttons .primary")
    for _ in range(6):
        own_cards(page)
        in_view(page, ".standing")
        seats = [page.inner_text(f".{place} .seat-name") for place in ("north", "south", "east", "west")]
        bids, taken = zip(*(re.findall(r"bid (\w+), took (\d+)", seat)[0] for seat in seats), strict=True)
        for side, pair in (("North and South", slice(0, 2)), ("East and West", slice(2, 4))):
            row = standing_of(page)[side]
            assert int(row["Tricks"]) == sum(map(int, taken[pair]))
            numbers = sum(int(bid) for bid in bids[pair] if bid.isdigit())
            assert row["Contract"].count("nil") == bids[pair].count("Nil")
            assert numbers == sum(map(int, re.findall(r"\d+", row["Contract"])))
        own_cards(page).first.click()
    own_cards(page)
    assert serious(page) == []


@pytest.mark.long
def test_the_standing_of_players_who_play_alone(new_page):
    page = new_page(*SIZES["phone"], reduced_motion="reduce")
    open_round(page, "preset=cutthroat&seats=10,20,30,40&bags=1,2,3,4")
    rows = standing_of(page)
    assert [(name, row["Score"], row["Bags"]) for name, row in rows.items()] == [
        ("West", "10", "1"),
        ("North", "20", "2"),
        ("East", "30", "3"),
        ("South", "40", "4"),
    ]


def watch_suggestions(page):
    """Return a list that gets the service's answers about the user's bid and cards."""
    answers = []

    def keep(response):
        path = response.url.rpartition("/")[2]
        if path in ("bid", "card") and response.ok:
            request = response.request.post_data_json
            if request.get("seat") == SOUTH and request.get("explain") in ("brief", None) and "player" not in request:
                answers.append((path, request, response.json()))

    page.on("response", keep)
    return answers


def shows_no_suggestion(page):
    assert "Suggested" not in page.inner_text("#at-table") + page.text_content("#announcement")
    assert page.locator(".suggested, .advice .bid-buttons .primary, .advice ul").count() == 0
    assert "suggested" not in page.inner_html("#table")


@both_sizes
def test_a_round_with_hidden_suggestions(new_page, size):
    """The page suggests nothing; its list at the end has each difference, and the cost as the service states it."""
    page = new_page(*size, reduced_motion="reduce")
    open_playground(page, "mode=round&deal=7")
    page.check("#round-hide")
    answers = watch_suggestions(page)
    page.click("#round-start")
    page.wait_for_selector(".bid-buttons button")
    shows_no_suggestion(page)
    assert page.evaluate("document.activeElement.innerText") == "Nil"
    page.click(".bid-buttons button >> nth=6")
    played = []
    for _ in range(13):
        card = own_cards(page).last
        shows_no_suggestion(page)
        played.append(card.get_attribute("data-card"))
        card.press("Enter")
        page.wait_for_selector(".south button:not(:disabled), #round-next")
    page.wait_for_selector("#round-next")
    in_view(page, ".outcome")
    (_, request, suggested_bid), *cards = answers
    assert [path for path, _, _ in cards] == ["card"] * 13
    suggested = [answer["card"] for _, _, answer in cards]
    different = [trick for trick in range(1, 14) if played[trick - 1] != suggested[trick - 1]]
    items = page.locator(".differences li")
    expect(items).to_have_count(len(different) + 1)
    assert f"You chose differently in {len(different) + 1} of 14 choices." in page.inner_text("#round-result")
    assert items.nth(0).locator("strong").inner_text() == f"Bid: you bid 6; suggested: {suggested_bid['bid']}."
    candidates = page.request.post("/v1/bid", data=request | {"explain": True}).json()["explanation"]["candidates"]
    p_win = {one["bid"]: one["p_win"] for one in candidates}
    cost = 100 * (p_win[suggested_bid["bid"]] - p_win[6])
    expect(items.nth(0).locator(".cost")).to_contain_text(f"Cost: {cost:.1f} percentage points of win chance")
    for item, trick in enumerate(different, 1):
        assert items.nth(item).locator("strong").inner_text().startswith(f"Trick {trick}: you played ")
        expect(items.nth(item).locator(".cost")).to_have_text(
            "Cost: no figure, because this server does not search for cards."
        )
        assert items.nth(item).locator(".hint").inner_text().startswith("Why: ")
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert serious(page) == []


@pytest.mark.long
def test_followed_suggestions_are_no_differences(new_page):
    page = new_page(*SIZES["phone"], reduced_motion="reduce")
    open_round(page)
    page.click(".bid-buttons .primary")
    own_cards(page)
    page.click(".south .suggested")
    own_cards(page)
    finish_round(page)
    assert "You chose what was suggested every time." in page.inner_text("#round-result")


@pytest.mark.long
def test_the_switch_hides_at_once_and_is_in_the_link(new_page):
    page = new_page(*SIZES["phone"], reduced_motion="reduce")
    open_round(page, "preset=pass-2&deal=7")
    page.focus("#round-hide")
    page.keyboard.press("Space")
    shows_no_suggestion(page)
    page.click(".bid-buttons button >> nth=0")
    page.wait_for_selector("#pass-cards")
    shows_no_suggestion(page)
    assert page.locator(".south [aria-pressed=true]").count() == 0
    assert page.locator("#pass-cards").is_disabled()
    page.uncheck("#round-hide")
    assert page.locator(".south .suggested[aria-pressed=true]").count() == 2
    page.check("#round-hide")
    shows_no_suggestion(page)
    for card in ("9C", "5C"):
        page.click(f".south [data-card='{card}']")
    page.click("#pass-cards")
    own_cards(page)
    shows_no_suggestion(page)
    finish_round(page)
    text = page.inner_text(".differences")
    assert "Pass: you passed 9 of clubs, 5 of clubs; suggested: " in text
    assert "the service gives no figure for passed cards" in text
    assert "suggestions=hidden" in page.url
    page.reload()
    settled(page)
    assert page.locator("#round-hide").is_checked()


def test_reasons_address_the_player(new_page):
    page = new_page(*SIZES["phone"], reduced_motion="reduce")
    open_round(page, "deal=7")
    assert "you win the game" in page.inner_text("#advice")
    page.click(".bid-buttons .primary")
    own_cards(page)
    assert "Your side needs 6 of the 13 remaining tricks" in page.inner_text("#advice")
    page.check("#round-open")
    page.click(".south .suggested")
    own_cards(page)
    finish_round(page)


@pytest.mark.long
def test_reasons_of_others_say_who_is_addressed(new_page):
    page = new_page(*SIZES["phone"], reduced_motion="reduce")
    open_playground(page, "mode=round&deal=7")
    page.check("#round-open")
    seen = """new MutationObserver(() => {
        const advice = document.getElementById("advice");
        if (advice.querySelector("ul")) (window.headings ??= new Set()).add(advice.querySelector("h3").innerText);
    }).observe(document.getElementById("advice"), { childList: true })"""
    page.evaluate(seen)
    page.click("#round-start")
    page.wait_for_selector(".bid-buttons .primary")
    headings = page.evaluate("[...window.headings]")
    assert {f"What the service tells {place}" for place in ("West", "North", "East")} < set(headings)


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        in_long_run("classic", {}),
        ("classic", {"team_max": 8, "min_bid": 2}),
        in_long_run("single-nil", {}),
        in_long_run("board-4", {}),
        in_long_run("suicide", {}),
        ("cutthroat", {"min_bid": 3}),
        in_long_run("mirror", {}),
        in_long_run("whiz", {}),
        in_long_run("jjdd", {}),
    ],
)
def test_the_buttons_are_the_legal_bids(new_page, preset, overrides):
    page = new_page(*SIZES["phone"], reduced_motion="reduce")
    link = "".join(f"&rules.{name}={value}" for name, value in overrides.items())
    open_round(page, f"preset={preset}{link}")
    rules = make_rules(preset, overrides)
    partner = page.inner_text(".north .seat-name").partition("bid ")[2]
    partner_bid = NO_BID if preset == "cutthroat" else 0 if partner == "Nil" else int(partner)
    legal = possible_bids(partner_bid, rules)
    if preset in ("mirror", "whiz"):
        spades = page.locator(".south [data-card$=S]").count()
        legal = 1 << spades | (preset == "whiz")
    names = ["Nil" if bid == 0 else str(bid) for bid in range(14) if legal >> bid & 1]
    assert page.locator(".bid-buttons button").all_inner_texts() == names


def test_a_refused_round_says_why(page):
    open_playground(page, "mode=round&us_bags=40&them_bags=0")
    page.click("#round-start")
    page.wait_for_selector("#round-fault:not([hidden])")
    assert "bags is 40; accepted: 0..9" in page.inner_text("#round-fault")


def test_the_score_is_the_services(page):
    """The page scores by itself; both scores agree on a grid of cases."""
    open_playground(page)
    presets = ("classic", "no-bags", "five-bags", "ten-for-200", "nil-50", "bis-paper")
    rule_sets = [PRESETS[name] for name in presets] + [
        PRESETS["classic"]._replace(failed_nil_tricks=kind) for kind in (1, 2)
    ]
    rule_sets += [
        make_rules("ten-for-200", {"set_points": "missing", "slam_points": 150, "bag_points": 0}),
        make_rules("classic", {"set_points": "none", "double_nil_points": 500, "bag_points": -1, "bag_penalty": 0}),
    ]
    cases = []
    for rules, bid, partner, bags in itertools.product(rule_sets, (0, 1, 4, 6), (0, 4, 6), (0, 8)):
        for taken, others in ((0, 4), (1, 3), (5, 5), (2, 6), (4, 9)):
            cases.append((rules, bid, taken, partner, others, bags))
    sent = [
        [[{"bid": bid, "taken": taken}, {"bid": partner, "taken": others}], bags, describe(rules)]
        for rules, bid, taken, partner, others, bags in cases
    ]
    script = """async cases => {
        const { scoreSide, scoreSeat } = await import("/static/scoring.js");
        const score = ([both, bags, rules]) => [scoreSide(both, bags, rules), scoreSeat(both[0], bags, rules)];
        return cases.map(score);
    }"""
    found = page.evaluate(script, sent)
    for (rules, bid, taken, partner, others, bags), (side, seat) in zip(cases, found, strict=True):
        assert (side["points"], side["bags"]) == score_side(bid, taken, partner, others, bags, rules)
        if not rules.failed_nil_tricks:
            assert (seat["points"], seat["bags"]) == score_seat(bid, taken, bags, rules)

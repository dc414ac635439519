"""“Play a round” in a real browser: bids, passes and tricks to the end, and the score as the service counts it."""

import itertools

import pytest
from playwright.sync_api import expect

from service.bidding.game.rules import PRESETS, describe
from service.bidding.game.scoring import score_seat, score_side
from tests.browser.playground import finish_round, open_playground, open_round, serious


@pytest.mark.parametrize("preset", ["classic", "jjdd", "cutthroat", "pass-2"])
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


def test_nobody_but_the_service(new_page):
    page = new_page(reduced_motion="reduce")
    open_playground(page, "mode=round")
    page.select_option("#round-seat", "none")
    page.click("#round-start")
    page.wait_for_selector("#round-next")
    assert page.locator(".seat .card").count() == 52  # the hands as dealt
    page.click("#round-result summary")
    assert page.locator(".tricks tbody tr").count() == 13
    assert page.locator(".tricks .taken").count() == 13
    assert serious(page) == []


def test_the_end_of_a_game(new_page):
    page = new_page(reduced_motion="reduce")
    open_playground(page, "mode=round&us=495&them=-900&rules.win=500")
    page.select_option("#round-seat", "none")
    for _ in range(12):
        page.click("#round-next" if page.locator("#round-next").count() else "#round-start")
        page.wait_for_selector("#round-next")
        assert "North and South" in page.inner_text(".score tbody tr >> nth=0")
        if page.inner_text("#round-next") == "New game":
            break
        assert "The round is over" in page.inner_text("#round-result h3")
    assert page.inner_text("#round-result h3") == "The game is over: North and South win"
    assert "East and West -" in page.inner_text("#table-note")
    page.click("#round-next")
    expect(page.locator("#table-note")).to_contain_text("North and South 0 (0 bags)")


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

"""The review after a round in a real browser: with a search for cards, and without one."""

import pytest
from playwright.sync_api import expect

from tests.browser.playground import both_sizes, finish_round, open_playground, open_round, serious
from tests.servers import RealServer


@pytest.fixture(scope="module")
def server(searching_server: RealServer) -> RealServer:
    return searching_server


def wait_for_review(page):
    page.wait_for_selector("#review[aria-busy=false]")


@both_sizes
def test_every_decision_is_shown(new_page, size):
    page = new_page(*size, reduced_motion="reduce")
    open_round(page, "deal=7")
    with page.expect_response("**/v1/review") as answered:
        finish_round(page)
    wait_for_review(page)
    answer = answered.value.json()
    chart = page.locator("#review svg[role=img]")
    assert len(chart.locator("polyline").get_attribute("points").split()) == 52
    wrong = [one for one in answer["decisions"] if one["kind"] == "card" and one["grade"] not in ("best", "good", None)]
    expect(chart.locator("circle")).to_have_count(len(wrong))
    first, last = (answer["decisions"][index] for index in (4, -1))
    ours = [one["p_win"] if one["seat"] % 2 == 1 else 1 - one["p_win"] for one in (first, last)]  # South has seat 3
    words = [f"{100 * p + 1e-9:.0f}%" for p in ours]
    assert chart.get_attribute("aria-label").endswith(f"{words[0]} after the first, {words[1]} after the last.")
    page.click("#review summary")
    rows = page.locator(".decision")
    expect(rows).to_have_count(len(answer["decisions"]))
    grades = page.eval_on_selector_all(".decisions .grade", "cells => cells.map(cell => cell.innerText)")
    assert grades == [one["grade"] or "–" for one in answer["decisions"]]
    assert rows.last.locator("th").inner_text() == "Trick 13"
    players = page.eval_on_selector_all(".players tbody tr", "rows => rows.map(row => row.innerText.split('\\t'))")
    assert [row[0] for row in players] == ["South", "West", "North", "East"]
    assert [int(row[3]) for row in players] == [answer["summary"][seat]["grades"]["blunder"] for seat in (3, 0, 1, 2)]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the window"
    assert serious(page) == []


def test_a_pass_is_reviewed(new_page):
    page = new_page(reduced_motion="reduce")
    kinds: list[str] = []
    for deal in range(1, 30):
        open_playground(page, f"preset=pass-2&mode=round&deal={deal}")
        page.select_option("#round-seat", "none")
        with page.expect_response("**/v1/review") as answered:
            page.click("#round-start")
        wait_for_review(page)
        kinds = [one["kind"] for one in answered.value.json()["decisions"]]
        if "pass" in kinds:
            break
    page.click("#review summary")
    assert page.locator(".decisions tbody th").all_inner_texts().count("Pass") == kinds.count("pass") > 0


@pytest.mark.parametrize(("preset", "text"), [("mirror", "There is no review of this round."), ("cutthroat", None)])
def test_games_without_a_review(new_page, preset, text):
    page = new_page(reduced_motion="reduce")
    open_round(page, f"preset={preset}")
    finish_round(page)
    if text is None:
        expect(page.locator("#review")).to_have_count(0)
    else:
        wait_for_review(page)
        assert text in page.inner_text("#review")

"""POST /v1/review: the review of a finished round, with and without a search, and rounds that cannot be true."""

import asyncio

import httpx
import pytest

from spades.cards import CARD_NAMES, parse_cards, parse_hand
from spades.contract.examples import REQUEST, REVIEW_ANSWER, REVIEW_REQUEST
from spades.legal import deck_number, deck_of
from spades.play import ALL_PIECES, PlayState, play_card, srp4
from spades.round_review import GRADES
from spades.rules import make_rules
from tests.one_set import served

PASSES = {
    "rules": {"preset": "pass-2"},
    "bids": [0, 2, 4, 2],
    "passed": [["6S", "AC"], None, ["4C", "7C"], None],
}

JOKER_HANDS = [REVIEW_REQUEST["hands"][0], "BLJT9.AJ4.K.KQJ3", *REVIEW_REQUEST["hands"][2:]]


def test_without_a_search_bids_only(call, app):
    answer = call("POST", "/v1/review", json=REVIEW_REQUEST).json()
    assert [one["kind"] for one in answer["decisions"]] == ["bid"] * 4
    assert (answer["cards_reviewed"], answer["not_reviewed"]) == (False, "no-processes")
    assert {"player", "deals"}.isdisjoint(answer)
    assert answer["tables"] == app.state.sets.default.tables.version
    bid = answer["decisions"][1]
    assert bid["loss"] == pytest.approx(bid["best_p_win"] - bid["p_win"], abs=2e-6)
    assert list(bid) == list(REVIEW_ANSWER["decisions"][0])
    assert answer["summary"][1]["graded"] == 1
    assert answer["summary"][1]["total_loss"] == bid["loss"]


def test_what_was_assumed(call):
    short = {name: REVIEW_REQUEST[name] for name in ("hands", "bids", "plays")}
    assert call("POST", "/v1/review", json=short).json()["assumed"] == ["rules.preset", "scores", "bags"]
    rules = {"preset": "classic", "bag_limit": 9}
    (assumed,) = call("POST", "/v1/review", json=REVIEW_REQUEST | {"rules": rules}).json()["assumed"]
    assert assumed.startswith("rules.bag_limit=10")


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ({"hands": None}, [("/hands", "wrong-type")]),
        ({"hands": REVIEW_REQUEST["hands"][:3]}, [("/hands", "missing-field")]),
        ({"hands": [*REVIEW_REQUEST["hands"][:3], "AKQ..."]}, [("/hands/3", "hand-size")]),
        ({"hands": [*REVIEW_REQUEST["hands"][:3], REVIEW_REQUEST["hands"][0]]}, [("/hands/3", "duplicate-card")] * 13),
        ({"bids": [2, 2, 4]}, [("/bids", "bid-out-of-range")]),
        ({"bids": [9, 2, 5, 2]}, [("/bids/2", "team-over-limit")]),
        ({"bids": [4, 3, 4, 2], "rules": {"preset": "mirror"}}, [("/rules/variant", "unsupported-rules")]),
        ({"plays": REVIEW_REQUEST["plays"][:51]}, [("/plays", "hand-size")]),
        ({"plays": ["1S", *REVIEW_REQUEST["plays"][1:]]}, [("/plays/0", "unknown-card")]),
        ({"plays": [*REVIEW_REQUEST["plays"][:51], "AC"]}, [("/plays/51", "duplicate-card")]),
        ({"plays": [*REVIEW_REQUEST["plays"][1:], "AC"]}, [("/plays/0", "contradiction")]),
        ({"plays": {}}, [("/plays", "wrong-type")]),
        ({"scores": [1]}, [("/scores", "missing-field")]),
        ({"scores": [500, 0]}, [("/scores/0", "out-of-range")]),
        ({"scores": [0, 20_000]}, [("/scores/1", "out-of-range")]),
        ({"bags": [0, 10]}, [("/bags/1", "out-of-range")]),
        ({"passed": [["AC"], None, None, None]}, [("/passed/0", "unsupported-field")]),
        (PASSES | {"passed": None}, [("/passed/0", "missing-field"), ("/passed/2", "missing-field")]),
        (PASSES | {"passed": [["6S", "AS"], None, ["4C", "7C"], None]}, [("/passed/0", "contradiction")]),
        (PASSES | {"passed": ["6S", None, ["4C", "7C"], None]}, [("/passed/0", "wrong-type")]),
        ({"deals": 0}, [("/deals", "out-of-range")]),
        ({"policy": "rb"}, [("/policy", "unknown-policy")]),
        ({"rules": {"preset": "cutthroat"}}, [("/rules/variant", "unsupported-rules")]),
        ({"rules": {"win": 510, "lose": -100, "approximate": False}}, [("/rules/approximate", "unsupported-rules")]),
        ({"tricks": []}, [("/tricks", "unknown-field")]),
    ],
)
def test_faults(call, change, faults):
    response = call("POST", "/v1/review", json=REVIEW_REQUEST | change)
    assert response.status_code == 422
    assert [(one["pointer"], one["code"]) for one in response.json()["errors"]] == faults


@pytest.mark.server
@pytest.mark.compiled
def test_all_cards(searching_client):
    answer = searching_client.post("/v1/review", json=REVIEW_REQUEST).json()
    assert answer["cards_reviewed"]
    assert (answer["player"], answer["deals"], "not_reviewed" in answer) == ("search@3", 64, False)
    cards = [one for one in answer["decisions"] if one["kind"] == "card"]
    assert [one["choice"] for one in cards] == REVIEW_REQUEST["plays"]
    assert all(0 < one["p_win"] < 1 for one in cards)
    assert {one["grade"] for one in answer["decisions"]} <= {*GRADES, None}
    for one in answer["decisions"]:
        assert (one["loss"] or 0) >= 0
        assert (one["best"] == one["choice"]) == (not one["loss"])
        assert all(reason["sentence"] for reason in one["reasons"])
    assert sum(one["graded"] for one in answer["summary"]) == sum(
        one["grade"] is not None for one in answer["decisions"]
    )
    again = searching_client.post("/v1/review", json=REVIEW_REQUEST).json()
    assert again == answer


@pytest.mark.server
@pytest.mark.compiled
def test_the_search_does_not_know_the_other_hands(searching_client):
    """After two hands of others have changed cards that come later, the first card is judged as before."""
    hands, plays = [*REVIEW_REQUEST["hands"]], [*REVIEW_REQUEST["plays"]]
    swapped = {"7S": "6S", "6S": "7S"}  # of seats 3 and 0, in the same trick
    assert abs(plays.index("7S") - plays.index("6S")) == 1
    hands[0], hands[3] = "72.KQT7.QJ9742.A", "K6543.983.653.65"
    changed = REVIEW_REQUEST | {"hands": hands, "plays": [swapped.get(card, card) for card in plays]}
    first, second = (searching_client.post("/v1/review", json=one).json() for one in (REVIEW_REQUEST, changed))
    of_others = [one for one in range(4, 56) if first["decisions"][one]["seat"] in (1, 2)]
    before = [one for one in of_others if one < 4 + plays.index("7S")]
    assert [first["decisions"][one] for one in before] == [second["decisions"][one] for one in before]


def finished(change):
    """Return a request of a round that srp@4 plays; ``change``: rules, hands, bids and passes."""
    request = REVIEW_REQUEST | change
    rules = make_rules(request["rules"]["preset"])
    deck = deck_number(rules)
    hands = [parse_hand(hand, deck) for hand in request["hands"]]
    passed = [parse_cards(cards or [], deck) for cards in request.get("passed", [None] * 4)]
    state = PlayState(deck=deck_of(rules), bid=list(request["bids"]), pieces=[ALL_PIECES] * 4)
    state.hand = [hand & ~passed[seat] | passed[seat ^ 2] for seat, hand in enumerate(hands)]
    plays = []
    for _ in range(52):
        seat = (state.leader + state.trick_size) & 3
        card = srp4(state, seat)
        plays.append(CARD_NAMES[deck][card])
        play_card(state, seat, card)
    return request | {"plays": plays}


@pytest.mark.server
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("change", "passes"),
    [
        (PASSES, [(0, "6S AC"), (2, "7C 4C")]),
        ({"rules": {"preset": "jokers"}, "hands": JOKER_HANDS, "policy": "best"}, []),
    ],
    ids=["pass", "jokers"],
)
def test_other_games(searching_client, change, passes):
    request = finished(change)
    answer = searching_client.post("/v1/review", json=request).json()
    kinds = ["bid"] * 4 + ["pass"] * len(passes) + ["card"] * 52
    assert [one["kind"] for one in answer["decisions"]] == kinds
    assert [(one["seat"], one["choice"]) for one in answer["decisions"] if one["kind"] == "pass"] == passes
    assert [one["choice"] for one in answer["decisions"][-52:]] == request["plays"]
    assert all(one["p_win"] is not None for one in answer["decisions"][-52:])


@pytest.mark.server
@pytest.mark.compiled
def test_a_deadline(searching_client):
    late = searching_client.post("/v1/review", json=REVIEW_REQUEST, headers={"X-Deadline-Ms": "20"})
    assert (late.status_code, late.json()["type"]) == (504, "/problems/deadline-exceeded")


def test_single_bids_pass_between_the_cards():
    """A bid that comes during a review is answered before the review."""
    app = served()
    searching, bid_answered = asyncio.Event(), asyncio.Event()

    async def search(request, deadline, patient):
        searching.set()
        await bid_answered.wait()
        return {"valued": [(request["played"], 0.5, 0.0, 0.0)]}

    app.state.searchers.search, app.state.searchers._started = search, True

    async def run():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            review = asyncio.create_task(client.post("/v1/review", json=REVIEW_REQUEST))
            await searching.wait()
            bid = await client.post("/v1/bid", json=REQUEST)
            bid_answered.set()
            return bid, await review

    bid, review = asyncio.run(run())
    assert bid.status_code == review.status_code == 200
    assert len(review.json()["decisions"]) == 56

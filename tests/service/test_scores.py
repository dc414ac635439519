"""Scores that no round can start with, because the game is over: at or beyond a goal, unless the lead is shared."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.engine.results import cutthroat_winner
from spades.contract.examples import BLIND_REQUEST, CARD_REQUEST, INFERENCE_REQUEST, REQUEST
from spades.play import PlayState
from spades.rules import NO_LOSING_GOAL, PRESETS, Rules
from spades.scoring import game_winner, is_over

_GOING_ON = [
    ({"us": 499, "them": 499}, {}),
    ({"us": 510, "them": 510}, {}),
    ({"us": -10_000, "them": 0}, {}),
    ({"us": -99}, {"preset": "bis-paper"}),
    ({"us": -120, "them": -120}, {"preset": "bis-paper"}),
    ({"us": 500}, {"win": 501}),
    ({"us": None, "them": 499}, {}),
    ({"seats": [299, 0, 0, -500]}, {"preset": "cutthroat"}),
    ({"seats": [310, 0, 310, 305]}, {"preset": "cutthroat"}),
    ({"seats": [0, 0, 0, -200]}, {"preset": "cutthroat", "lose": -200}),
]
_OVER = [
    ({"us": 500}, {}, ["/scores/us"]),
    ({"them": 500}, {}, ["/scores/them"]),
    ({"us": 120.0, "them": 640.0}, {}, ["/scores/them"]),
    ({"us": 520, "them": 510}, {}, ["/scores/us", "/scores/them"]),
    ({"us": 250, "them": 240}, {"preset": "Short"}, ["/scores/us"]),
    ({"us": -100}, {"preset": "bis-paper"}, ["/scores/us"]),
    ({"us": -120, "them": 200}, {"preset": "bis-paper"}, ["/scores/us", "/scores/them"]),
    ({"seats": [310, 0, 0, 0]}, {"preset": "cutthroat"}, ["/scores/seats/0"]),
    ({"seats": [300, 310, 0, 310.0]}, {"preset": "cutthroat", "win": 310, "lose": None}, []),
    ({"seats": [300, 320, 300, 0]}, {"preset": "cutthroat"}, ["/scores/seats/0", "/scores/seats/1", "/scores/seats/2"]),
    ({"seats": [10, 0, 0, -200]}, {"preset": "cutthroat", "lose": -200}, ["/scores/seats/3"]),
]
_ROUTES = {
    "/v1/bid": REQUEST,
    "/v1/bid/blind": BLIND_REQUEST | {"convention": None},
    "/v1/card": CARD_REQUEST,
    "/v1/inference": INFERENCE_REQUEST,
}


def _request(path: str, scores: dict[str, Any], rules: dict[str, Any]) -> dict[str, Any]:
    return _ROUTES[path] | {"scores": scores, "rules": rules}


@pytest.mark.parametrize("path", _ROUTES)
@pytest.mark.parametrize(("scores", "rules"), _GOING_ON)
def test_a_game_that_goes_on(call, path, scores, rules):
    response = call("POST", path, json=_request(path, scores, rules))
    assert response.status_code == 200, response.text


@pytest.mark.parametrize("path", _ROUTES)
@pytest.mark.parametrize(("scores", "rules", "pointers"), _OVER)
def test_a_game_that_is_over(call, path, scores, rules, pointers):
    response = call("POST", path, json=_request(path, scores, rules))
    errors = response.json().get("errors", [])
    assert [(error["pointer"], error["code"]) for error in errors] == [(where, "out-of-range") for where in pointers]
    assert response.status_code == (422 if pointers else 200)


@pytest.mark.parametrize(
    ("scores", "rules", "detail"),
    [
        (
            {"us": 510},
            {},
            "scores.us is 510, but the game ends at 500 (rules.win); "
            "accepted: -10000..499, or the same points for both sides",
        ),
        (
            {"them": -100},
            {"preset": "bis-paper"},
            "scores.them is -100, but the game ends at -100 (rules.lose); "
            "accepted: -99..199, or the same points for both sides",
        ),
        (
            {"seats": [0, 0, 300, 0]},
            {"preset": "cutthroat"},
            "scores.seats.2 is 300, but the game ends at 300 (rules.win); "
            "accepted: -10000..299, or a highest score that two seats share",
        ),
    ],
)
def test_the_error_says_what_is_accepted_and_why(call, scores, rules, detail):
    (error,) = call("POST", "/v1/bid", json=_request("/v1/bid", scores, rules)).json()["errors"]
    assert error["detail"] == detail


_POINTS = st.integers(-3, 5).map(lambda tens: 100 * tens)
_GOALS = st.builds(Rules, win=st.sampled_from((200, 300)), lose=st.sampled_from((NO_LOSING_GOAL, -200, -100)))


@given(_POINTS, _POINTS, _GOALS)
def test_two_sides_as_in_the_simulator(us, them, rules):
    assert is_over([us, them], rules) == (game_winner(us, them, rules) != 0)


@given(st.lists(_POINTS, min_size=4, max_size=4), _GOALS)
def test_four_seats_as_in_the_simulator(points, goals):
    rules = PRESETS["cutthroat"]._replace(win=goals.win, lose=goals.lose)
    assert is_over(points, rules) == (cutthroat_winner(PlayState(seat_score=points), rules) >= 0)


@pytest.mark.parametrize("path", ["/v1/card", "/v1/inference"])
@pytest.mark.parametrize("bags", [10, 10.0])
def test_bags_at_the_limit_in_either_spelling(call, path, bags):
    """JSON has one kind of number, so 10.0 is refused as 10 is."""
    (error,) = call("POST", path, json=_request(path, {"us_bags": bags}, {})).json()["errors"]
    assert (error["pointer"], error["code"]) == ("/scores/us_bags", "out-of-range")

"""The field `players`: what a request says of the other players."""

import pytest

from spades.contract.bid_request import read_bid

PLAYERS = {"left": "bis", "partner": "weak", "right": "simple"}


def test_players_are_the_options_of_the_policy(request_body):
    def policy(text, players=None):
        return read_bid(request_body | {"policy": text, "players": players}).policy

    assert policy("winprob", PLAYERS) == policy("winprob:left=bis,partner=weak,right=simple")
    assert policy("winprob", {}) == policy("winprob", {"left": None}) == policy("winprob", {"left": "unknown"})
    assert policy("winprob:left=bis,partner=weak", {"left": "simple"}) == policy("winprob:left=simple,partner=weak")
    assert policy("best", PLAYERS) == policy("winprob", PLAYERS)


def test_winprob_judges_bids_by_the_players(call, request_body):
    request_body["policy"] = "winprob"
    chances = {
        call("POST", "/bid", json=request_body | {"players": players}).json()["explanation"]["candidates"][0]["p_win"]
        for players in ({}, {"partner": "weak"}, {"left": "weak", "right": "weak"}, {"left": "weak"})
    }
    assert len(chances) == 4


@pytest.mark.parametrize("policy", ["bis", "rb", "ms", "io", "bis:tuned,level=2"])
def test_other_policies_bid_the_same_beside_anyone(call, request_body, policy):
    request_body |= {"policy": policy, "seed": 3}
    alone = call("POST", "/bid", json=request_body).content
    assert call("POST", "/bid", json=request_body | {"players": PLAYERS}).content == alone

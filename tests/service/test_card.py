"""POST /v1/card and /v1/cards: a legal card with reasons, requests that are refused, and whole games over HTTP."""

import random

import httpx
import numpy as np
import orjson
import pytest

from examples.play_a_game import play_game as over_http
from service.api.card import PLAYERS
from service.bidding.game.decks import CARD_NAMES
from service.bidding.game.rules import CUTTHROAT, make_rules
from service.bidding.policies import parse_policy
from service.contract.card import MAX_CARD_ITEMS
from service.contract.examples import CARD_ANSWER, CARD_REQUEST
from service.playing.card_reasons import CARD_NUMBERS, CARD_TEMPLATES
from service.playing.state import PlayState
from tables.engine.deal import deal_round, open_table
from tables.engine.game import NILS, POINTS, ROUNDS, SUMS, Game, Lineup, play_game
from tables.engine.simulate import kernel_tables, player_rows, policies_by_chair, tables_for
from tables.players.names import player_for
from tests.conftest import committed_tables
from tests.service.playing.test_history import legal_round

NAMES = CARD_NAMES[0]


def request_of(seed):
    """Return a request for a card in a random round."""
    state, hands, tricks = legal_round(seed)
    seat = (state.leader + state.trick_size) & 3
    bids = ["blind_nil" if bid == 14 else bid for bid in state.bid]
    return {
        "hand": [NAMES[card] for card in range(64) if hands[seat] >> card & 1],
        "bids": bids,
        "seat": seat,
        "tricks": [[NAMES[card] for card in trick] for trick in tricks],
        "rules": {"blind_nil": True},
    }


def test_the_example(call):
    answer = call("POST", "/v1/card", json=CARD_REQUEST)
    assert (answer.status_code, answer.json()) == (200, CARD_ANSWER)


def test_random_rounds(call):
    """Every aim and every effect occurs; a sentence has all numbers of its reason."""
    codes = set()
    for seed in range(400):
        request = request_of(seed)
        answer = call("POST", "/v1/card", json=request)
        if answer.status_code == 422:  # the random bids of two partners may exceed 13
            assert {error["pointer"].split("/")[1] for error in answer.json()["errors"]} == {"bids"}
            continue
        card = answer.json()
        assert card["card"] in card["legal"]
        assert set(card["legal"]) <= set(request["hand"])
        for reason in card["reasons"]:
            codes.add(reason["code"])
            assert CARD_TEMPLATES[reason["code"]].format(**reason) == reason["sentence"]
            assert set(reason) - {"code", "sentence"} <= set(CARD_NUMBERS)
    assert set(CARD_TEMPLATES) - codes <= {"own-contract", "hopeless", "sure"}


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ({"tricks": [["KD", "2D", "QD", "6D"], ["4H"]]}, [("/seat", "seat-mismatch")]),
        ({"bids": [3, 1, 5]}, [("/bids", "bid-out-of-range")]),
        ({"tricks": [["KD", "2D", "QD"], ["4H", "5H"]]}, [("/tricks/0", "hand-size")]),
        ({"tricks": [["KD", "2D", "QD", "6D", "7D"]]}, [("/tricks/0", "too-many-items")]),
        ({"tricks": [["KD"]] * 14}, [("/tricks", "too-many-items")]),
        ({"tricks": {"0": []}}, [("/tricks", "wrong-type")]),
        ({"tricks": ["KD"]}, [("/tricks/0", "wrong-type")]),
        ({"tricks": [["KD", "1D", "QD", 6]]}, [("/tricks/0/1", "unknown-card"), ("/tricks/0/3", "wrong-type")]),
        ({"tricks": [["KD", "2D", "QD", "6D"], ["KD"]]}, [("/tricks/1/0", "contradiction")]),
        ({"tricks": [["KD", "2D", "QD", "6D"], ["4H", "AH"]]}, [("/tricks/1/1", "contradiction")]),
        ({"given": ["2C"]}, [("/received", "hand-size"), ("/given", "contradiction")]),
        ({"given": ["QH"], "received": ["AS"]}, [("/received", "contradiction")]),
        ({"scores": {"us": 0, "us_bags": 10}}, [("/scores/us_bags", "out-of-range")]),
        ({"cards": []}, [("/cards", "unknown-field")]),
    ],
)
def test_what_is_refused(call, change, faults):
    answer = call("POST", "/v1/card", json=CARD_REQUEST | change)
    assert answer.status_code == 422, answer.text
    assert [(error["pointer"], error["code"]) for error in answer.json()["errors"]] == faults


def test_a_fault_names_the_card(call):
    spoiled = CARD_REQUEST | {"tricks": [["KD", "2D", "QD", "6C"], ["4D", "7D", "9C", "8D"]]}
    (fault,) = call("POST", "/v1/card", json=spoiled).json()["errors"]
    assert fault["detail"] == "seat 3 plays 8D, but did not follow this suit before"


def test_nothing_is_left_to_play(call):
    rng = random.Random(5)
    request = request_of(11)
    whole = [NAMES[card] for card in range(64) if card in NAMES]
    rng.shuffle(whole)
    tricks = [whole[n : n + 4] for n in range(0, 52, 4)]
    answer = call("POST", "/v1/card", json=request | {"tricks": tricks})
    assert answer.status_code == 422


def test_cutthroat_has_its_own_player(call):
    rules = {"preset": "cutthroat"}
    request = CARD_REQUEST | {"rules": rules, "scores": {"seats": [10, 20, 30, 40], "bags": [0, 1, 2, 3]}}
    answer = call("POST", "/v1/card", json=request).json()
    assert (answer["player"], answer["reasons"][0]["code"]) == ("solo@1", "own-contract")
    for alone, (name, _) in PLAYERS.items():
        game = make_rules("cutthroat" if alone else "classic")
        assert player_for(game) == name
        assert (game.variant == CUTTHROAT) == alone


def test_other_decks(call):
    request = {"hand": "BA2.AK3.2A3.K943", "bids": [3, 4, 4, 2], "seat": 0, "rules": {"preset": "jjdd"}}
    answer = call("POST", "/v1/card", json=request).json()
    assert answer["card"] in answer["legal"]
    assert "BJ" not in answer["legal"]


def test_a_batch(call):
    requests = [request_of(seed) for seed in range(60)]
    single = [call("POST", "/v1/card", json=request) for request in requests]
    answers = call("POST", "/v1/cards", json={"requests": requests}).json()["answers"]
    assert [(one["status"], one["body"]) for one in answers] == [(one.status_code, one.json()) for one in single]


def test_the_largest_batch(call):
    """Requests of the last trick hold the most cards; the limits on JSON allow as many as the contract."""
    longest = max((request_of(seed) for seed in range(200)), key=lambda request: len(orjson.dumps(request)))
    longest |= {"scores": {"us": 1, "them": 2, "us_bags": 3, "them_bags": 4}}
    assert len(longest["tricks"]) == 13
    answer = call("POST", "/v1/cards", json={"requests": [longest] * MAX_CARD_ITEMS})
    assert answer.status_code == 200
    more = call("POST", "/v1/cards", json={"requests": [longest] * (MAX_CARD_ITEMS + 1)})
    assert more.json()["errors"][0]["code"] == "too-many-items"


@pytest.mark.parametrize("preset", ["short", "pass-2"])
def test_a_game_over_http_is_the_engines(server, preset):
    rules = make_rules(preset)
    state = open_table([PlayState()], rules)

    def deal(number):
        deal_round(state, 8, 0, number)
        return [[NAMES[card] for card in range(64) if hand >> card & 1] for hand in state.hand]

    with httpx.Client(base_url=server.url) as client:
        scores = over_http(client, preset, deal, "bis")
    policies = policies_by_chair(parse_policy("bis"), parse_policy("bis"))
    tables = tables_for(kernel_tables(committed_tables().arrays), rules, policies)
    sums = np.zeros(SUMS)
    play_game(state, Game(8, 0, 0), rules, Lineup(policies, player_rows("srp", "srp")), tables, sums)
    assert scores[-1] == (sums[POINTS], sums[POINTS + 1])
    assert len(scores) == sums[ROUNDS]
    assert sums[NILS : NILS + 2].any()

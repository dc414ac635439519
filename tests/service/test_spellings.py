"""Other spellings of cards, hands, bids, policies and rules: read on every route, and no text has two readings."""

from itertools import product
from typing import Any

import pytest

from spades.cards import CARD_CODES, DECKS
from spades.contract.bid_request import read_bid
from spades.contract.cards_and_bids import card_list
from spades.contract.examples import (
    BLIND_REQUEST,
    CARD_REQUEST,
    INFERENCE_REQUEST,
    PASS_REQUEST,
    REQUEST,
    SHORT_REQUEST,
)
from spades.contract.fields import CLASSIC
from tests.contract import faults_of

_RANKS = {rank: rank for rank in "23456789TJQKA"} | {rank.lower(): rank for rank in "TJQKA"} | {"10": "T"}
_SUITS = {text: suit for suit, texts in zip("SHDC", ("Ss♠", "Hh♥", "Dd♦", "Cc♣"), strict=True) for text in texts}
_JOKERS = {first + second: (first + second).upper() for first in "BLbl" for second in "Jj"}
_NAMES = {rank + suit: (rank, suit) for rank in "23456789TJQKA" for suit in "SHDC"}


def _readings(text: str) -> set[str]:
    """Every card that a text may mean, with the rank or the suit first."""
    found = {_JOKERS[text]} if text in _JOKERS else set()
    for cut in range(1, len(text)):
        for rank, suit in ((text[:cut], text[cut:]), (text[cut:], text[:cut])):
            if rank in _RANKS and suit in _SUITS:
                found.add(_RANKS[rank] + _SUITS[suit])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(DECKS)), ids=lambda number: DECKS[number].name)
def test_no_text_means_two_cards(number):
    """All texts of up to three characters: those that may be part of a card, and some others."""
    rules = CLASSIC._replace(deck=number)
    for length in range(4):
        for characters in product("0123456789TJQKAtjqkaSHDCshdc♠♥♦♣BLbl-: ", repeat=length):
            text = "".join(characters)
            readings = _readings(text)
            assert len(readings) <= 1, text
            wanted = [1 << CARD_CODES[number][card] for card in readings if card in CARD_CODES[number]]
            assert card_list([text], rules)[1] == wanted, text


@pytest.mark.parametrize("text", ["ſA", "Aſ", "A♤", "A ♠", "♠", "S", "10", "SAS", "♠A♠", "S01", "JB", "＊A", "K\u212a"])
def test_what_only_looks_like_a_card_is_refused(text):
    (fault,), _ = card_list([text], CLASSIC)
    assert fault[1] == "unknown-card"


@pytest.mark.parametrize(
    "text",
    [
        "N:AKJ62.AQT.-.K9543",
        "w:AKJ62.AQT..K9543",
        "E: akj62.aq10.-.k9543 ",
        "AKJ62.AQT.-.K9543",
    ],
)
def test_texts_of_a_hand(text):
    assert read_bid(SHORT_REQUEST | {"hand": text}) == read_bid(SHORT_REQUEST | {"hand": "AKJ62.AQT..K9543"})


@pytest.mark.parametrize(
    "text",
    [
        "X:AKJ62.AQT..K9543",
        "NN:AKJ62.AQT..K9543",
        "N AKJ62.AQT..K9543",
        "N:AKJ62.AQT..K9543 - - -",
        "AKJ62.AQT.--.K9543",
        "AKJ62.AQT-..K9543",
        "-.-.-.-",
    ],
)
def test_texts_that_are_no_hand(text):
    faults = faults_of(SHORT_REQUEST | {"hand": text})
    assert {fault.pointer for fault in faults} == {"/hand"}


def _suit_first(card: str) -> str:
    return "♠♥♦♣"["SHDC".index(card[1])] + card[0].lower() if card in _NAMES else card


def _respelled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _respelled(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_respelled(item) for item in value]
    if isinstance(value, str) and value.count(".") == 3:
        return f"N:{value}"
    return _suit_first(value) if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("path", "request_body"),
    [
        ("/bid", REQUEST),
        ("/v1/bid", {**REQUEST, "previous_bids": ["nil", 1], "legal_bids": ["nil", 4], "convention": "big5"}),
        ("/v1/bid/blind", {**BLIND_REQUEST, "previous_bids": ["nil", 4, "blind_nil"], "convention": "big6"}),
        ("/v1/pass", {**PASS_REQUEST, "bids": ["nil", 4, 5, 3]}),
        ("/v1/card", CARD_REQUEST),
        ("/v1/inference", INFERENCE_REQUEST),
        ("/v1/inference", {**INFERENCE_REQUEST, "bids": ["nil", 1, 5, 4]}),
    ],
)
def test_every_route_reads_them(call, path, request_body):
    words = {"nil": "NIL", "blind_nil": "Blind_Nil"}
    other = _respelled(request_body)
    for field in ("bids", "previous_bids", "legal_bids"):
        if field in other:
            other[field] = [words.get(bid, bid) for bid in other[field]]
    if "convention" in other:
        other["convention"] = other["convention"].title()
    if "policy" in other:
        other["policy"] = other["policy"].upper()
    if "rules" in other:
        other["rules"] = {**other["rules"], "preset": other["rules"]["preset"].title()}
    if "voids" in other:
        other["voids"] = {
            seat: ["♠♥♦♣"["SHDC".index(suit)] for suit in suits] for seat, suits in other["voids"].items()
        }
    assert other != request_body
    wanted = call("POST", path, json=request_body)
    assert wanted.status_code == 200, wanted.text
    assert call("POST", path, json=other).json() == wanted.json()


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("BIS", "bis"),
        ("RB:nil=5-8-t", "rb:nil=5-8-T"),
        ("Best", "winprob"),
        ("WinProb:Level=3,Partner=Weak", "winprob:level=3,partner=weak"),
        ("Bis:EndGame=OFF", "bis:endgame=off"),
        ("RB:nil=5-8-T", "rb:nil=5-8-T"),
        ("rb:nil=5-8-T", "rb:nil=5-8-T"),
    ],
)
def test_a_policy_in_any_case(text, policy):
    read = read_bid(SHORT_REQUEST | {"policy": text})
    assert (read.policy_text, read.base) == (policy, policy.partition(":")[0])
    assert read.policy == read_bid(SHORT_REQUEST | {"policy": policy}).policy
    with_numbers = {"scores": {"us": 120.0}, "rules": {"win": 300.0}, "policy": text}
    assert read_bid(SHORT_REQUEST | with_numbers).policy_text == policy


@pytest.mark.parametrize(
    "rules",
    [
        {"preset": "Bis-Paper"},
        {"preset": "SHORT", "win": 300.0},
        {"variant": "Whiz"},
        {"deck": "JJDD"},
        {"failed_nil_tricks": "Contract"},
    ],
)
def test_rules_in_any_case(rules):
    lower = {name: rule.lower() if isinstance(rule, str) else rule for name, rule in rules.items()}
    hand = "BL2.AK3.2A3.K943" if "deck" in rules else SHORT_REQUEST["hand"]
    request = SHORT_REQUEST | {"hand": hand}
    assert read_bid(request | {"rules": rules}) == read_bid(request | {"rules": lower})


def test_players_in_any_case():
    for case in (str.upper, str.title):
        players = {"left": case("bis"), "partner": case("weak"), "right": case("unknown")}
        request = SHORT_REQUEST | {"policy": "winprob"}
        lower = {place: kind.lower() for place, kind in players.items()}
        assert read_bid(request | {"players": players}) == read_bid(request | {"players": lower})


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"policy": "Strongest"}, "policy is Strongest; accepted: best, bis"),
        ({"policy": "Bis:Moon=1"}, "policy is Bis; accepted: best, bis"),
        ({"rules": {"preset": "Casino"}}, "rules.preset is Casino; accepted: 'classic'"),
        ({"rules": {"preset": "Classic", "variant": "Bridge"}}, "rules.variant is Bridge; accepted: 'partnership'"),
        ({"players": {"left": "Human"}}, "players.left is Human; accepted: 'unknown'"),
    ],
)
def test_unknown_words_are_quoted_as_they_were_sent(changes, detail):
    (fault,) = faults_of(SHORT_REQUEST | changes)
    assert fault.detail.startswith(detail)


def test_faults_name_what_was_found(call):
    response = call(
        "POST", "/bid", json={**SHORT_REQUEST, "previous_bids": ["NILL"], "convention": "Big7", "seat": 1.0}
    )
    details = [error["detail"] for error in response.json()["errors"]]
    assert details[0] == 'the bid is NILL; accepted: 0..13, "nil", "blind_nil" or "blind_6" to "blind_13"'
    assert details[1].startswith("convention is Big7; accepted: ")
    assert response.json()["detail"] == f"{details[0]} (the first of 2 faults)"

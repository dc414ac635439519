"""POST /v1/card and /v1/cards: a legal card with reasons, requests that are refused, and whole games over HTTP."""

from contextlib import closing
from typing import Any

import numpy as np
import orjson
import pytest

from arena.called import Resources
from arena.engine.deal import deal_round
from arena.engine.rounds import Batch
from arena.engine.simulate import kernel_tables, tables_for
from arena.games import play_games
from arena.match import Match, lineup_of
from examples.play_a_game import Client
from examples.play_a_game import play_game as over_http
from spades.bis.estimates import spade_tricks_against
from spades.card_net import DISTILLED
from spades.cards import CARD_NAMES, FIRST_SPADE, cards_of, spades_of
from spades.contract.card_request import MAX_CARD_ITEMS, card_answer, read_card
from spades.contract.examples import CARD_ANSWER, CARD_REQUEST
from spades.legal import contract_of, is_nil
from spades.play import (
    PLAYERS,
    beats,
    cards_above,
    cards_below,
    legal_cards,
    play_card,
    srp3,
    tricks_needed,
    unseen_cards,
)
from spades.play.solo import others_need
from spades.reasons import NUMBERS, REASONS
from spades.rules import CUTTHROAT, TRICKS_COUNT_FOR_CONTRACT, make_rules
from tests.arena.engine import states
from tests.conftest import committed_tables
from tests.spades.play.test_history import legal_round

NAMES = CARD_NAMES[0]


# Seat 0 has bid nil, and seat 2 is its partner.
PASSED = {"bids": [0, 1, 5, 4], "rules": {"preset": "pass-2"}, "given": ["QH", "3C"], "received": ["8D", "TH"]}
NOT_EXCHANGED = [("/given", "unsupported-field"), ("/received", "unsupported-field")]


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
    expected = CARD_ANSWER | {"tables": committed_tables().version}
    assert (answer.status_code, answer.json()) == (200, expected)


def test_a_player_by_rules_can_be_pinned(call):
    answer = call("POST", "/v1/card", json=CARD_REQUEST | {"player": "srp@4"}).json()
    left_out = ("not_searched", "tables")
    assert answer == {name: value for name, value in CARD_ANSWER.items() if name not in left_out} | {"player": "srp@4"}
    (fault,) = call("POST", "/v1/card", json=CARD_REQUEST | {"player": "solo@2"}).json()["errors"]
    assert (fault["pointer"], fault["detail"]) == (
        "/player",
        "player is solo@2 in variant partnership; accepted: best, distilled@1, srp@4",
    )


def test_a_level_forgets_and_says_so(call):
    """Weaker levels play more other cards, always legal ones; a seed repeats them, and the answer names it."""
    others = []
    for level in (5, 4, 2, 1):
        named = {"level": level, "player": "srp@4"}
        requests = [request_of(seed) | {**named, "seed": seed} for seed in range(250)]
        answers = call("POST", "/v1/cards", json={"requests": requests}).json()["answers"]
        bodies = [answer["body"] for answer in answers]
        assert all(body["card"] in body["legal"] for body in bodies)
        assert {body["player"] for body in bodies} == {"srp@4" if level == 5 else f"srp@4(level={level})"}
        assert [body.get("seed") for body in bodies] == ([None] * 250 if level == 5 else [*range(250)])
        overlooked = [body for body in bodies if body["reasons"][0]["code"] == "overlooks"]
        assert all(body["reasons"][0]["full"] != body["card"] for body in overlooked)
        others.append(len(overlooked))
    assert 0 == others[0] < others[1] < others[2] < others[3]


def test_the_seed_of_a_round_is_made_from_what_stays(call):
    later = CARD_REQUEST | {"tricks": [["KD", "2D", "QD", "6D"], ["4H", "6H"]], "level": 1}
    first, second = (call("POST", "/v1/card", json=request).json() for request in (CARD_REQUEST | {"level": 1}, later))
    assert first["seed"] == second["seed"]
    assert first["assumed"] == ["rules.preset", "scores", "seed"]


OTHER_RULES: tuple[dict[str, Any], ...] = (
    {},
    {"bags": False},
    {"failed_nil_tricks": "contract"},
    {"preset": "cutthroat"},
)


@pytest.mark.parametrize("rules", OTHER_RULES, ids=str)
def test_what_the_reasons_say_is_true(rules):
    codes = set()
    for seed in range(700):
        request = request_of(seed) | {"rules": {"blind_nil": True, **rules}}
        if "preset" in rules:
            bids = [0 if bid == "blind_nil" else bid for bid in request["bids"]]
            request |= {"rules": rules, "bids": bids}
        if "preset" not in rules:
            request["player"] = "srp@4"
        call = read_card(request)
        me = call.seat
        answer = card_answer(call, committed_tables())
        card = next(number for number, name in NAMES.items() if name == answer["card"])
        for reason in answer["reasons"]:
            codes.add(reason["code"])
            assert REASONS["card"][reason["code"]].format(**reason) == reason["sentence"]
            assert set(reason) - {"code", "sentence"} <= set(NUMBERS["card"])
            assert TRUE[reason["code"]](call.state, me, card, call.rules), (seed, reason["sentence"])
    by_rules = {code for code in REASONS["card"] if not code.startswith(("search-", "net-"))} - {"overlooks"}
    assert set(TRUE) == by_rules >= codes
    if not rules:
        assert by_rules - codes <= {
            "wants-tricks",
            "no-tricks",
            "own-contract",
            "set-one",
            "set-certain",
            "enough-no-bags",
        }


def _partner(me, rules):
    return None if rules.variant == CUTTHROAT else me ^ 2


def _wins(state, card):
    return not state.trick_size or beats(card, state.best_card)


def _later(state, me):
    """The seats that play to the trick after the player."""
    return [(me + step) & 3 for step in range(1, 4 - state.trick_size)]


def _others(state, me, card):
    """The unseen cards of the suit of a card, above it."""
    return unseen_cards(state, me) & cards_above(card)


def _made(state, me, rules):
    """Whether the player's side has its contract, as the rules count tricks."""
    seats = (me,) if rules.variant == CUTTHROAT else (me, me ^ 2)
    counts = rules.failed_nil_tricks == TRICKS_COUNT_FOR_CONTRACT
    taken = sum(state.taken[seat] for seat in seats if counts or not is_nil(state.bid[seat]))
    return taken - sum(contract_of(state.bid[seat]) for seat in seats)


def _alive(state, seat):
    return seat is not None and is_nil(state.bid[seat]) and not state.taken[seat]


def _an_enemy_nil(state, me, rules):
    return any(_alive(state, seat) for seat in range(4) if seat not in (me, _partner(me, rules)))


def _over_the_trick(state, me, card):
    """The unseen cards of the suit led above the best card, once ``card`` is played; 0 if a trump is the best."""
    best = card if _wins(state, card) else state.best_card
    led = state.trick[0] if state.trick_size else card
    return unseen_cards(state, me) & cards_above(best) if best >> 4 == led >> 4 else 0


def _left(state):
    return 13 - sum(state.taken)


# By code, whether its sentence is true: from state, seat, card and rules.
TRUE = {
    "only-card": lambda s, me, c, r: legal_cards(s.hand[me], s.trick_size, s.trick[0], s.broken) == 1 << c,
    "keep-nil": lambda s, me, c, r: _alive(s, me),
    "cover-nil": lambda s, me, c, r: (
        _alive(s, me ^ 2) and _wins(s, c) and (s.winner == me ^ 2 or me ^ 2 in _later(s, me))
    ),
    "cover-later": lambda s, me, c, r: _alive(s, me ^ 2) and s.winner != me ^ 2 and not _wins(s, c),
    "lead-safe": lambda s, me, c, r: _alive(s, me ^ 2) and not s.trick_size,
    "lead-risky": lambda s, me, c, r: _alive(s, me ^ 2) and not s.trick_size and _others(s, me, c),
    "nil-safe": lambda s, me, c, r: _an_enemy_nil(s, me, r) and not s.trick_size,
    "attack-nil": lambda s, me, c, r: _an_enemy_nil(s, me, r) and bool(_over_the_trick(s, me, c)),
    "nil-beaten": lambda s, me, c, r: _an_enemy_nil(s, me, r) and bool(s.trick_size) and not _alive(s, s.winner),
    "under-nil": lambda s, me, c, r: _alive(s, s.winner) and not _wins(s, c),
    "attack-later": lambda s, me, c, r: (
        _an_enemy_nil(s, me, r) and not _alive(s, s.winner) and not _wins(s, c) and s.hand[me] & cards_below(c)
    ),
    "contract": lambda s, me, c, r: 0 < -_made(s, me, r) <= _left(s),
    "own-contract": lambda s, me, c, r: 0 < s.bid[me] - s.taken[me] <= _left(s),
    "wants-tricks": lambda s, me, c, r: r.failed_nil_tricks == TRICKS_COUNT_FOR_CONTRACT,
    "no-tricks": lambda s, me, c, r: r.failed_nil_tricks == TRICKS_COUNT_FOR_CONTRACT,
    "set": lambda s, me, c, r: 0 < tricks_needed(s, (me + 1) & 3) <= _left(s),
    "set-one": lambda s, me, c, r: r.variant == CUTTHROAT and 0 < others_need(s, me) <= _left(s),
    "set-certain": lambda s, me, c, r: r.variant == CUTTHROAT and others_need(s, me) > _left(s),
    "enough": lambda s, me, c, r: r.bags and _made(s, me, r) >= 0 and not is_nil(s.bid[me]),
    "enough-no-bags": lambda s, me, c, r: not r.bags and _made(s, me, r) >= 0,
    "sure": lambda s, me, c, r: (
        spade_tricks_against(spades_of(s.hand[me]), unseen_cards(s, me) >> 48) >= -_made(s, me, r)
    ),
    "own-share": lambda s, me, c, r: (
        spade_tricks_against(spades_of(s.hand[me]), unseen_cards(s, me) >> 48) >= contract_of(s.bid[me]) - s.taken[me]
    ),
    "hopeless": lambda s, me, c, r: -_made(s, me, r) > _left(s),
    "failed-nil": lambda s, me, c, r: is_nil(s.bid[me]) and s.taken[me] > 0,
    "lead-top": lambda s, me, c, r: not s.trick_size and not _others(s, me, c),
    "lead": lambda s, me, c, r: not s.trick_size,
    "win": lambda s, me, c, r: (s.trick_size == 3 and _wins(s, c) and s.winner != _partner(me, r)) or _alive(s, me ^ 2),
    "win-sure": lambda s, me, c, r: c >= FIRST_SPADE and _wins(s, c) and not _others(s, me, c),
    "win-now": lambda s, me, c, r: _wins(s, c) and c < FIRST_SPADE and s.trick_size < 3,
    "ruff": lambda s, me, c, r: _wins(s, c) and c >= FIRST_SPADE > s.trick[0],
    "win-trump": lambda s, me, c, r: _wins(s, c) and s.trick[0] >= FIRST_SPADE,
    "side-wins": lambda s, me, c, r: s.trick_size == 3 and s.winner == _partner(me, r) and _wins(s, c),
    "partner-wins": lambda s, me, c, r: s.trick_size == 3 and s.winner == _partner(me, r) and not _wins(s, c),
    "partner-ahead": lambda s, me, c, r: s.trick_size == 2 and s.winner == _partner(me, r) and not _wins(s, c),
    "nil-in-danger": lambda s, me, c, r: s.winner == _partner(me, r) and _alive(s, me ^ 2) and not _wins(s, c),
    "lose": lambda s, me, c, r: s.trick_size and not _wins(s, c),
    "discard": lambda s, me, c, r: c >> 4 != s.trick[0] >> 4 and not _wins(s, c),
}


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
        ({"given": ["QH"], "received": ["2H"]}, NOT_EXCHANGED),
        ({**PASSED, "given": ["QH"]}, [("/given", "hand-size")]),
        ({**PASSED, "received": None}, [("/received", "missing-field")]),
        ({**PASSED, "given": ["QH", "2C"]}, [("/given", "contradiction")]),
        ({**PASSED, "received": ["AS", "2C"]}, [("/received", "contradiction")]),
        (
            {**PASSED, "rules": {"preset": "cutthroat"}},
            [("/given", "unsupported-field"), ("/received", "unsupported-field")],
        ),
        ({"scores": {"us": 0, "us_bags": 10}}, [("/scores/us_bags", "out-of-range")]),
        ({"cards": []}, [("/cards", "unknown-field")]),
    ],
)
def test_what_is_refused(call, change, faults):
    answer = call("POST", "/v1/card", json=CARD_REQUEST | change)
    assert answer.status_code == 422, answer.text
    assert [(error["pointer"], error["code"]) for error in answer.json()["errors"]] == faults


@pytest.mark.parametrize(
    ("tricks", "detail"),
    [
        (
            [["KD", "2D", "QD", "6C"], ["4D", "7D", "9C", "8D"]],
            "seat 3 plays 8D, but it did not follow this suit earlier; accepted: cards of other suits",
        ),
        (
            [["3S", "4S"]],
            "seat 0 leads 3S before a spade was played, so it has only spades, but the other hands cannot hold all "
            "other cards; accepted: a lead of another suit",
        ),
    ],
)
def test_a_fault_names_the_card(call, tricks, detail):
    (fault,) = call("POST", "/v1/card", json=CARD_REQUEST | {"tricks": tricks}).json()["errors"]
    assert fault["detail"] == detail


def test_nothing_is_left_to_play(call):
    state = states.dealt(5, 0)
    hands = list(state.hand)
    tricks: list[list[str]] = []
    for number in range(52):
        if number % 4 == 0:
            tricks.append([])
        card = srp3(state, states.to_play(state))
        tricks[-1].append(NAMES[card])
        play_card(state, states.to_play(state), card)
    hand = [NAMES[card] for card in cards_of(hands[1])]
    request = {"hand": hand, "bids": [3, 3, 3, 3], "seat": 1, "tricks": tricks}
    (fault,) = call("POST", "/v1/card", json=request).json()["errors"]
    assert (fault["pointer"], fault["code"]) == ("/tricks", "too-many-items")


def test_null_counts_as_left_out(call):
    optional = dict.fromkeys(("rules", "scores", "given", "received", "tricks"))
    request = {**CARD_REQUEST, **optional, "seat": 0}
    left_out = {name: value for name, value in request.items() if value is not None}
    answers = [call("POST", "/v1/card", json=one) for one in (request, left_out)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()


def test_cards_were_exchanged(call):
    assert call("POST", "/v1/card", json=CARD_REQUEST | PASSED | {"tricks": []}).status_code == 422  # seat 0 leads
    answer = call("POST", "/v1/card", json=CARD_REQUEST | PASSED | {"tricks": [["4H", "5H"]]}).json()
    assert answer["legal"] == ["TH", "AH"]


def test_a_card_may_come_back_only_to_who_gave_it_first(call):
    first = {"preset": "pass-2", "nil_pass": 1, "nil_passes_first": True}
    lead = CARD_REQUEST | {"rules": first, "tricks": [["4H", "5H"]]}
    nil = lead | {"bids": [3, 1, 0, 4]}
    assert call("POST", "/v1/card", json=nil | {"given": ["QH"], "received": ["QH"]}).json()["legal"] == ["QH", "AH"]
    faults = call("POST", "/v1/card", json=nil | {"given": ["3H"], "received": ["3H"]}).json()["errors"]
    assert [fault["pointer"] for fault in faults] == ["/given"]
    partner = lead | {"bids": [0, 1, 5, 4]}
    assert call("POST", "/v1/card", json=partner | {"given": ["3H"], "received": ["3H"]}).json()["legal"] == [
        "QH",
        "AH",
    ]
    faults = call("POST", "/v1/card", json=partner | {"given": ["QH"], "received": ["QH"]}).json()["errors"]
    assert [fault["pointer"] for fault in faults] == ["/received"]


def test_cutthroat_has_its_own_player(call):
    rules = {"preset": "cutthroat"}
    request = CARD_REQUEST | {"rules": rules, "scores": {"seats": [10, 20, 30, 40], "bags": [0, 1, 2, 3]}}
    answer = call("POST", "/v1/card", json=request).json()
    assert (answer["player"], answer["reasons"][0]["code"]) == ("solo@2", "own-contract")
    assert {alone: name for alone, (name, _) in PLAYERS.items()} == {False: "srp@4", True: "solo@2"}


def test_other_decks(call):
    request = {"hand": "BA2.AK3.2A3.K943", "bids": [3, 4, 4, 2], "seat": 0, "rules": {"preset": "jjdd"}}
    answer = call("POST", "/v1/card", json=request).json()
    assert answer["card"] in answer["legal"]
    assert "BJ" not in answer["legal"]


def test_a_batch(call):
    requests = [request_of(seed) for seed in range(60)]
    single = [call("POST", "/v1/card", json=request) for request in requests]
    answers = call("POST", "/v1/cards", json={"requests": requests}).json()["answers"]
    alone = [(one.status_code, one.json() | {"not_searched": "batch"}) for one in single]
    assert [(one["status"], one["body"]) for one in answers] == alone


def test_the_largest_batch(call):
    """Requests of the last trick hold the most cards; the limits on JSON allow as many as the contract."""
    longest = max((request_of(seed) for seed in range(200)), key=lambda request: len(orjson.dumps(request)))
    longest |= {"scores": {"us": 1, "them": 2, "us_bags": 3, "them_bags": 4}}
    assert len(longest["tricks"]) == 13
    answer = call("POST", "/v1/cards", json={"requests": [longest] * MAX_CARD_ITEMS})
    assert answer.status_code == 200
    more = call("POST", "/v1/cards", json={"requests": [longest] * (MAX_CARD_ITEMS + 1)})
    assert more.json()["errors"][0]["code"] == "too-many-items"


@pytest.mark.parametrize(("preset", "player"), [("nil-50", "srp@4"), ("pass-2", "srp@4"), ("short", DISTILLED)])
def test_a_game_over_http_is_the_engines(server, preset, player):
    rules = make_rules(preset)
    state = states.under(rules)

    def deal(number):
        deal_round(state, 8, 0, number)
        return [[NAMES[card] for card in range(64) if hand >> card & 1] for hand in state.hand]

    with closing(Client(server.url)) as client:
        scores = over_http(client, preset, deal, "bis")
    arrays = committed_tables().arrays
    lineup = lineup_of(Match("bis", "bis", (player, player), rules=rules), Resources(arrays, {}, ()))
    tables = tables_for(kernel_tables(arrays), rules, lineup.policies)
    batch = Batch(rules, np.zeros(1, np.int64))
    played = [batch.rounds[0].copy() for _ in play_games(batch, lineup, 8, tables)]
    after = [np.roll(row["scores"] + row["points"], row["first_chair"]) for row in played]  # by chair
    assert scores == [(us, them) for us, them, *_ in after]
    assert any((row["bids"] == 0).any() for row in played)

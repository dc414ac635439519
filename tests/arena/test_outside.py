"""Agents outside the compiled code: Python files, servers on loopback, and every error that they can cause."""

import json
import threading
from contextlib import contextmanager
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest

from arena.agent_text import parse_text
from arena.agents import parse_agent
from arena.called import outside
from arena.called.outside import HttpAgent, PythonAgent
from arena.engine.rounds import ROUND
from arena.errors import AgentError, BidderError
from arena.match import PAPER_RULES, Match
from arena.questions import BID, BLIND, CARD, PASS, Position, WrongAnswerError
from spades.cards import parse_pbn
from spades.contract.bid_request import read_bid, read_blind
from spades.contract.card_request import read_card
from spades.contract.pass_request import read_pass
from spades.legal import BLIND_NUMBER
from spades.play import PlayState
from spades.rules import Rules, make_rules
from tests.arena.conftest import called, chunk_of
from tests.arena.stub_server import stub_server
from tests.patience import LIMIT_S

REQUEST = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3, 1], "seat": 2}
HANDS = ("AKJ62.AQ.Q.K9543", "QT9.KJT9.KJT9.QJ", "8.8765.A876.AT87", "7543.432.5432.62")


# ---- the request -------------------------------------------------------------------------------------------------


def position(question, seat, bids, rules=PAPER_RULES, given=(0, 0, 0, 0), cards=(), seed=1, **identity):
    """Return a position of the round with HANDS, as a match asks about it; ``identity``: fields of the round."""
    state = PlayState()
    state.hand = [parse_pbn(hand) for hand in HANDS]
    state.bid = [*bids, -1, -1, -1, -1][:4]
    state.score, state.bags = [120, -95], [3, 5]
    for card in cards:
        state.played |= 1 << card
        for other in range(4):
            state.hand[other] &= ~(1 << card)
    state.trick_size, state.trick = len(cards), [*cards, 0, 0, 0, 0][:4]
    round_ = np.zeros(1, ROUND)[0]
    round_["hands"], round_["passed"], round_["plays"][: len(cards)] = [*map(parse_pbn, HANDS)], given, cards
    for name, value in identity.items():
        round_[name] = value
    return Position(question, state, round_, seat, seed, rules)


def test_request_by_hand():
    asked = position(BID, 3, (3, 0, 14))
    assert asked.request() == {
        "hand": ["7S", "5S", "4S", "3S", "4H", "3H", "2H", "5D", "4D", "3D", "2D", "6C", "2C"],
        "previous_bids": [3, 0, "blind_nil"],
        "seat": 3,
        "scores": {"us": -95, "them": 120, "us_bags": 5, "them_bags": 3},
        "rules": {"preset": "classic", "win": 200, "lose": -100},
        "convention": "none",
        "seed": asked.request()["seed"],
        "explain": False,
    }


def test_requests_are_those_that_the_service_takes():
    blind = Rules(win=300, blind_nil=1)
    for seat in range(4):
        read_bid(position(BID, seat, (3, 0, 14)[:seat], blind).request())
        read_blind(position(BLIND, seat, (3, 0, 4)[:seat], blind).request())
    first = parse_pbn("-.AQ.-.-"), parse_pbn("-.-.A8.-")
    for name in ("pass-2", "pass-4"):
        rules = make_rules(name, {})
        read_pass(position(PASS, 2, (3, 4, 0, 2), rules).request())
    read_pass(
        position(PASS, 0, (3, 4, 0, 2), make_rules("pass-2", {"nil_passes_first": True}), (0, 0, first[1], 0)).request()
    )
    read_card(position(CARD, 0, (3, 4, 0, 2), make_rules("pass-2", {}), (first[0], 0, first[1], 0)).request())
    ace_of_clubs, jack_of_clubs = 12, 9
    asked = position(CARD, 2, (3, 4, 5, 1), cards=(3, jack_of_clubs))
    assert asked.request()["tricks"] == [["5C", "JC"]]
    assert read_card(asked.request()).seat == 2
    assert asked.number_of({"card": "AC"}) == ace_of_clubs


def test_lots_differ_by_position_and_repeat():
    def lots(seat, **identity):
        return position(BID, seat, (3, 4, 5)[:seat], **identity).request()["seed"]

    seeds = [lots(0), lots(1), lots(1, seed=2), lots(1, deal=1), lots(1, swap=1), lots(1, number=1)]
    assert len(set(seeds)) == 6
    assert lots(1) == seeds[1]


# ---- the answer --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [None, "3", 3.0, True, -1, 14, {}, {"bid": "nil"}, [4], 11])
def test_answers_that_are_no_bid_are_refused(answer):
    with pytest.raises(ValueError, match=r"bid: one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10$"):
        position(BID, 2, (3, 4)).number_of(answer)


def test_answers_that_are_bids():
    assert position(BID, 2, (3, 4)).number_of(0) == 0
    assert position(BID, 2, (3, 4)).number_of({"bid": 10, "kind": "regular"}) == 10


@pytest.mark.parametrize("answer", [None, 12, "AS", "8C ", {}, {"card": "KD"}, ["AC"]])
def test_answers_that_are_no_card_are_refused(answer):
    with pytest.raises(ValueError, match="card: one of AC, TC, 8C, 7C"):
        position(CARD, 2, (3, 4, 5, 1), cards=(3, 9)).number_of(answer)


@pytest.mark.parametrize(
    "answer", [None, "AD", ["AD"], ["AD", "AD"], ["AD", "KD"], ["AD", "8D", "7D"], {"cards": [1, 2]}]
)
def test_answers_that_are_no_pass_are_refused(answer):
    with pytest.raises(ValueError, match="cards: a list of 2 of 8S, 8H"):
        position(PASS, 2, (3, 4, 0, 2), make_rules("pass-2", {})).number_of(answer)


def test_answers_about_blind_nils():
    asked = position(BLIND, 3, (3, 4, 2), Rules(blind_nil=1))  # 215 points behind
    assert [asked.number_of(answer) for answer in (True, False, {"blind_nil": True})] == [14, 0, 14]
    with pytest.raises(ValueError, match="blind_nil: true or false"):
        asked.number_of(1)
    with pytest.raises(ValueError, match="blind_nil: false"):
        position(BLIND, 3, (3, 0, 2), Rules(blind_nil=1, double_nil=0)).number_of(True)
    with pytest.raises(ValueError, match="blind_nil: false"):
        position(BLIND, 2, (3, 4), Rules(blind_nil=1)).number_of(True)


def test_answers_about_blind_numbers():
    asked = position(BLIND, 3, (3, 4, 2), Rules(blind_min=6))  # 215 points behind, and partner bid 4
    answers = ({"blind_nil": False, "blind_number": 9}, {"blind_nil": False, "blind_number": None}, False)
    assert [asked.number_of(answer) for answer in answers] == [BLIND_NUMBER + 9, 0, 0]
    for answer in ({"blind_nil": False, "blind_number": 10}, {"blind_nil": False, "blind_number": 5}, True):
        with pytest.raises(ValueError, match="blind_nil: false, with blind_number: null or one of 6, 7, 8, 9"):
            asked.number_of(answer)
    assert position(BID, 2, (BLIND_NUMBER + 6, 4), Rules(blind_min=6)).request()["previous_bids"] == ["blind_6", 4]


# ---- Python files ------------------------------------------------------------------------------------------------


def test_python_callable(bidder_file):
    agent = called(f"python:{bidder_file('def four(request):  return 4')}:four").connected()
    assert isinstance(agent, PythonAgent)
    assert agent.questions == {BID}
    assert agent.ask(BID, [REQUEST] * 3) == [4, 4, 4]


def test_the_methods_decide_what_a_python_agent_answers(bidder_file):
    source = """
        class Bot:
            calls = 0
            def bid(self, request):
                self.calls += 1
                return self.calls
            def card(self, request):
                return "AS"

        bot = Bot()
    """
    file = bidder_file(source)
    for name in ("Bot", "bot"):
        agent = called(f"python(file={file}, name={name})").connected()
        assert agent.questions == {BID, CARD}
        assert agent.ask(BID, [REQUEST]) == [1]
        assert agent.ask(CARD, [{}]) == ["AS"]
    assert parse_agent(f"python:{file}:Bot").plays_its_cards()
    assert not parse_agent(f"python:{file}:Bot(cards=srp)").plays_its_cards()


def test_a_file_runs_once(bidder_file):
    file = bidder_file("CALLS = []\ndef number(request):\n    CALLS.append(1)\n    return len(CALLS) - 1")
    text = f"python:{file}:number"
    assert called(text).connected().ask(BID, [REQUEST]) == [0]
    assert called(text).connected().ask(BID, [REQUEST]) == [1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python:", "accepted: python"),
        ("python:file.py", "file is ''; accepted: path/to/file.py"),
        ("python(file=file.py)", "name is missing; accepted: name=the name of a function"),
        ("python:nowhere.py:bid", "nowhere.py is not a Python file"),
        ("python:README.md:bid", "README.md is not a Python file"),
        ("http://localhost/bid?rule=1", "option is 'rule=1'; accepted: url="),
        ("http:///bid", "accepted: http://host:port/bid"),
        ("http://localhost/ask(cards=on)", "url has the path /ask; accepted: none, or one that ends in /bid"),
        ("http://localhost(cards=yes)", "cards is 'yes'; accepted: on, off, model, python, http"),
    ],
)
def test_texts_that_name_nobody(text, message):
    with pytest.raises((AgentError, BidderError), match=message):
        called(text).connected()


@pytest.mark.parametrize("source", ["bid = 4", "class bid:\n    def card(self, request): return 'AS'"])
def test_missing_callable(bidder_file, source):
    with pytest.raises(BidderError, match="has no callable bid, or it does not bid"):
        called(f"python:{bidder_file(source)}:bid").connected()


# ---- servers -----------------------------------------------------------------------------------------------------


@contextmanager
def stub(script):
    """Yield (agent, requests) of a server on loopback, and stop it at the end."""
    with stub_server(script) as server:
        bidder = HttpAgent(parse_text(f"http://127.0.0.1:{server.server_port}/bid?policy=ms"))
        try:
            yield bidder, server.seen
        finally:
            bidder.close()


def batch_of(content):
    return {"answers": [{"status": 200, "body": {"bid": len(r["previous_bids"])}} for r in content["requests"]]}


def test_batches_where_the_server_has_them():
    with stub(lambda path, content: (200, {}, batch_of(content))) as (bidder, seen):
        assert bidder.ask(BID, [REQUEST] * 600) == [{"bid": 2}] * 600
    assert [(path, len(content["requests"])) for path, content, _ in seen] == [("/v1/bids", 512), ("/v1/bids", 88)]
    assert seen[0][1]["requests"][0] == REQUEST | {"policy": "ms"}
    assert seen[0][2] == seen[1][2]  # the connection is kept open


def test_one_by_one_where_it_has_none():
    def script(path, content):
        return (200, {}, {"bid": 5}) if path == "/bid" else (404, {}, {"title": "not here"})

    with stub(script) as (bidder, seen):
        assert bidder.ask(BID, [REQUEST] * 3) == [{"bid": 5}] * 3
        assert bidder.ask(BID, [REQUEST]) == [{"bid": 5}]
    assert [path for path, _, _ in seen] == ["/v1/bids", "/bid", "/bid", "/bid", "/bid"]
    assert len({address for _, _, address in seen}) == 1


def paths_of(address):
    agent = HttpAgent(parse_text(address))
    return agent.batch_paths, agent.paths[BID]


def test_a_versioned_address_has_its_batches_beside_it():
    for address in ("http://localhost:1/bid", "http://localhost:1/v1/bid"):
        assert paths_of(address) == ({BID: "/v1/bids", CARD: "/v1/cards"}, urlsplit(address).path)
    assert paths_of("http://localhost:1") == ({BID: "/v1/bids", CARD: "/v1/cards"}, "/v1/bid")
    assert paths_of("http://localhost:1/spades/bid") == (
        {BID: "/spades/v1/bids", CARD: "/spades/v1/cards"},
        "/spades/bid",
    )
    assert paths_of("http://localhost:1/ask") == ({}, "/ask")


def test_shedding_is_waited_out():
    answers = iter([(code, {"Retry-After": "0"}, None) for code in (503, 429)])
    with stub(lambda path, content: next(answers, None) or (200, {}, batch_of(content))) as (bidder, seen):
        assert bidder.ask(BID, [REQUEST]) == [{"bid": 2}]
    assert len(seen) == 3


def test_a_closed_connection_is_opened_again():
    hung_up = []

    def script(path, content):
        hung_up.append(path)
        return (0, {}, b"") if len(hung_up) == 1 else (200, {}, batch_of(content))

    with stub(script) as (bidder, seen):
        assert bidder.ask(BID, [REQUEST]) == [{"bid": 2}]
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, {}, {"answers": []}), "accepted: 1 answers"),
        ((200, {}, [1]), "accepted: 1 answers"),
        ((500, {}, {"title": "broken"}), "status 500: {'title': 'broken'} from /v1/bids"),
        ((500, {}, b"<html>"), "status 500: '<html>'"),
        ((200, {}, b"<html>"), "found b'<html>' from POST /v1/bids; accepted: JSON"),
        ((200, {}, {"answers": [{"status": 422, "body": {"title": "no"}}]}), "'title': 'no'.*accepted: status 200"),
    ],
)
def test_wrong_answers_are_named(answer, message):
    with stub(lambda path, content: answer) as (bidder, _), pytest.raises(WrongAnswerError, match=message):
        bidder.ask(BID, [REQUEST])


def test_wrong_answers_one_by_one_are_named():
    with (
        stub(lambda path, content: (404 if path == "/v1/bids" else 422, {}, {})) as (bidder, _),
        pytest.raises(WrongAnswerError, match=r"status 422: \{\}; accepted: 200"),
    ):
        bidder.ask(BID, [REQUEST])


def test_nobody_listens(monkeypatch):
    monkeypatch.setattr(outside, "TRIES", 2)
    with stub(lambda path, content: (200, {}, {})) as (bidder, _):
        text = bidder.text
    silent = HttpAgent(parse_text(text))
    with pytest.raises(WrongAnswerError, match="no answer to POST /v1/bids"):
        silent.ask(BID, [REQUEST])


# ---- wrong answers and positions ---------------------------------------------------------------------------------


def asked(*positions):
    """Return what waiting games ask, without play states of compiled code."""
    return SimpleNamespace(question=positions[0].question, positions=lambda: list(positions))


def test_a_wrong_answer_of_a_batch_names_its_position():
    def script(path, content):
        bids = [4 if len(request["previous_bids"]) < 2 else 11 for request in content["requests"]]
        return 200, {}, {"answers": [{"status": 200, "body": {"bid": bid}} for bid in bids]}

    wrong = position(BID, 2, (3, 4))
    with stub(script) as (bidder, _), pytest.raises(BidderError) as error:
        bidder.answers(asked(position(BID, 1, (3,)), wrong))
    text = str(error.value)
    assert "found answer {'bid': 11}; accepted: bid: one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10; in seed 1, pair 0" in text
    assert json.loads(text.partition("to the request ")[2]) == wrong.request()


def test_a_server_that_takes_too_long_is_named_with_the_position(monkeypatch):
    monkeypatch.setattr(outside, "TIMEOUT_S", 0.1)
    over = threading.Event()

    def script(path, content):
        over.wait(LIMIT_S)
        return 0, {}, b""

    with stub(script) as (bidder, _):
        with pytest.raises(
            BidderError, match=r"no answer to POST /v1/bids: TimeoutError.*an answer within 0.1 s; in seed 1"
        ):
            bidder.answers(asked(position(BID, 2, (3, 4))))
        over.set()


@pytest.mark.server
def test_our_own_service_bids_as_the_engine_does(committed, server):
    """Policy ms inside the engine, and behind POST /v1/bids of a real server: the same games."""
    outside = chunk_of(Match("bis", f"{server.url}/bid?policy=ms", pairs=40), committed).play(0, 40)
    inside = chunk_of(Match("bis", "ms", pairs=40), committed).play(0, 40)
    assert (inside["scores"] == outside["scores"]).all()
    assert inside["sums"].tobytes() == outside["sums"].tobytes()

"""POST /v1/card with player search@1: the arena's card, and the processes beside the service that find it."""

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

import httpx
import numpy as np
import orjson
import pytest
import uvloop

from service import searchers
from service.api.search import search_request
from service.bidding.errors import TablesError
from service.bidding.game.decks import CARD_NAMES
from service.bidding.game.rules import make_rules
from service.bidding.inference.inference import readers_of
from service.bidding.policies import parse_policy
from service.bidding.winprob.win_table import win_array
from service.contract.card import DEFAULT_SEARCH_DEALS, MAX_SEARCH_DEALS, SEARCH, read_card
from service.contract.examples import CARD_REQUEST, SEARCH_REQUEST
from service.metrics import Metrics
from service.playing.card_reasons import CARD_NUMBERS, CARD_TEMPLATES
from service.playing.tricks import carry_rules, play_card
from service.problems import ProblemError
from service.settings import SettingsError
from tables.arena.searching import Boards, Searchers, Searching, weights_of
from tables.engine.deal import deal_round, open_table, seat_players
from tables.engine.jit import entry
from tables.engine.passing import exchange
from tables.engine.simulate import kernel_tables, player_rows, tables_for
from tables.engine.states import FIELDS, STATE, new_states
from tables.engine.winprob import slice_of
from tables.players import searcher
from tables.players.choose_card import choose_card
from tables.players.search import Effort, Value, search_card
from tests.conftest import committed_tables

NAMES = CARD_NAMES[0]
SEARCHING = {"SPADES_SEARCH_PROCESSES": "1", "SPADES_QUEUE_MS": "0"}


def _search(states, me, weights, deals, value):
    return search_card(states[0], states[1], me, weights, deals, value)


def played(rules, number, cards):
    """A round after ``cards`` cards: the state, the dealt hands and the tricks, all seats played by srp@3."""
    state = open_table(new_states(1), rules)
    carry_rules(state, rules)
    deal_round(state, 11, number, 0)
    seat_players(state, player_rows("srp", "srp"))
    state.bid[:] = [0 if rules.nil_pass else 3, 3, 2, 4]
    state.score[:], state.bags[:] = [120, 35], [3, 5]
    dealt = list(state.hand)
    if rules.nil_pass:
        exchange(state)
    kept = list(state.hand)
    tricks: list[list[str]] = []
    for place in range(cards):
        seat = (state.leader + state.trick_size) & 3
        if place % 4 == 0:
            tricks.append([])
        card = choose_card(state, seat)
        tricks[-1].append(NAMES[card])
        play_card(state, seat, card)
    return state, dealt, kept, tricks


def arena_card(rules, state, dealt, kept, policy, deals):
    """The card that the player of the arena plays in this place of the round."""
    me = (state.leader + state.trick_size) & 3
    opened = committed_tables()
    (won,) = tables_for(kernel_tables(opened.arrays), rules, [parse_policy("winprob")])
    nets = readers_of(opened.arrays).nets
    searching = Searching(
        Searchers(*np.array([[deals] * 4, [13] * 4, [0] * 4, [0] * 4])), (nets[policy],) * 4, won, rules
    )
    states = np.zeros(2, STATE)
    for name in FIELDS:
        states[0][name] = getattr(state, name)
    before = states[:1].copy()
    before["hand"] = kept
    games, hands = np.zeros((1, 9), np.int64), np.array([dealt])
    boards = Boards(before, states[1:], games, hands, np.zeros((1, 4, 64, 3)))
    weights = weights_of(boards, np.arange(4)[None], searching)[0, me]
    win_slice = slice_of(rules, won)
    return entry(_search)(states, me, weights, Effort(deals), Value(rules, win_slice, win_array(win_slice, won)))


def request_for(state, dealt, tricks, kept, preset):
    me = (state.leader + state.trick_size) & 3
    us, them = me & 1, 1 - (me & 1)
    scores = {
        "us": state.score[us],
        "them": state.score[them],
        "us_bags": state.bags[us],
        "them_bags": state.bags[them],
    }
    request = {"hand": cards(dealt[me]), "bids": list(state.bid), "seat": me, "tricks": tricks, "player": SEARCH}
    request |= {"rules": {"preset": preset}, "scores": scores, "deals": 32, "policy": "bis"}
    if dealt[me] != kept[me]:
        request |= {"given": cards(dealt[me] & ~kept[me]), "received": cards(kept[me] & ~dealt[me])}
    return request


def cards(hand):
    return [NAMES[card] for card in range(64) if hand >> card & 1]


@pytest.fixture(scope="module")
def searching_server():
    from tests.service.conftest import running_server

    with running_server(**SEARCHING) as server, httpx.Client(base_url=server.url, timeout=60) as client:
        yield client


@pytest.mark.compiled
@pytest.mark.parametrize("preset", ["classic", "pass-2"])
def test_the_card_is_the_arenas(searching_server, preset):
    rules = make_rules(preset)
    others = 0
    for number, played_cards in enumerate((0, 9, 18, 31, 42)):
        state, dealt, kept, tricks = played(rules, number, played_cards)
        answer = searching_server.post("/v1/card", json=request_for(state, dealt, tricks, kept, preset))
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert found["card"] == NAMES[arena_card(rules, state, dealt, kept, "bis", 32)]
        assert found["player"] == SEARCH
        assert found["card"] in found["legal"]
        assert found["search"]["deals"] <= 32
        tried = found["search"]["cards"]
        assert [one["p_win"] for one in tried] == sorted((one["p_win"] for one in tried), reverse=True)
        for reason in found["reasons"]:
            assert CARD_TEMPLATES[reason["code"]].format(**reason) == reason["sentence"]
            assert set(reason) - {"code", "sentence"} <= set(CARD_NUMBERS)
        others += found["reasons"][0]["code"] == "search-better"
    assert others, "in some round it plays another card than srp@3"


@pytest.mark.compiled
def test_a_server_that_searches(searching_server):
    answer = searching_server.post("/v1/card", json=CARD_REQUEST)
    assert answer.json()["player"] == "srp@3"
    found = searching_server.post("/v1/card", json=SEARCH_REQUEST).json()
    assert found["search"]["policy"] == "bis"
    assert found["search"]["tables"] == committed_tables().version
    late = searching_server.post("/v1/card", json=SEARCH_REQUEST | {"deals": 1000}, headers={"X-Deadline-Ms": "1"})
    assert late.json()["type"] == "/problems/deadline-exceeded"
    assert searching_server.post("/v1/card", json=SEARCH_REQUEST).status_code == 200, "the process is free again"
    text = searching_server.get("/metrics").text
    assert 'spades_searches_total{result="done"}' in text
    assert "spades_search_duration_seconds_bucket" in text


@pytest.mark.compiled
def test_one_card_needs_no_deals(searching_server):
    last = {"hand": "AKQJ.2.AKQJ.AKQJ", "bids": [3, 3, 3, 3], "seat": 1, "tricks": [["3H"]], "player": SEARCH}
    found = searching_server.post("/v1/card", json=last).json()
    assert found["search"] | {"tables": ""} == {
        "deals": 0,
        "cards": [{"card": "2H", "deals": 0, "p_win": None}],
        "policy": "bis",
        "tables": "",
    }
    assert [reason["code"] for reason in found["reasons"]] == ["only-card"]


def test_a_server_without_processes(call):
    answer = call("POST", "/v1/card", json=SEARCH_REQUEST)
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["pointer"], fault["code"]) == (422, "/player", "unsupported-player")
    assert "requirements/search.txt and set SPADES_SEARCH_PROCESSES" in fault["detail"]


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        ({"player": "srp@1"}, "/player", "out-of-range"),
        ({"deals": 0}, "/deals", "out-of-range"),
        ({"deals": MAX_SEARCH_DEALS + 1}, "/deals", "out-of-range"),
        ({"policy": "rb"}, "/policy", "unknown-policy"),
        ({"player": None, "deals": 5}, "/deals", "unsupported-field"),
        ({"player": None, "deals": None, "policy": "bis"}, "/policy", "unsupported-field"),
        ({"rules": {"preset": "cutthroat"}}, "/rules/variant", "unsupported-rules"),
        ({"tables": "1.0"}, "/tables", "unknown-tables"),
    ],
)
def test_faults(call, change, where, code):
    (fault,) = call("POST", "/v1/card", json=SEARCH_REQUEST | change).json()["errors"]
    assert (fault["pointer"], fault["code"]) == (where, code)


def test_a_batch_does_not_search(call):
    (answer,) = call("POST", "/v1/cards", json={"requests": [SEARCH_REQUEST]}).json()["answers"]
    assert answer["status"] == 422
    assert answer["body"]["errors"][0]["pointer"] == "/player"


def test_rules_whose_win_table_is_anothers_are_named():
    call = read_card(CARD_REQUEST | {"player": SEARCH, "rules": {"bag_limit": 7}})
    assert call.search is not None
    assert call.search.deals == DEFAULT_SEARCH_DEALS
    assert [text for text in call.assumed if text.startswith("rules.bag_limit=10")]


def test_what_is_missing_is_named(monkeypatch, capsys):
    monkeypatch.setattr(searchers, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match="SPADES_SEARCH_PROCESSES is 2, but numba is not installed; accepted: "):
        searchers.check_installed("SPADES_SEARCH_PROCESSES is 2")


def stub(tmp_path: Path, answers: str) -> tuple[str, ...]:
    """A command that plays a search process: it is ready, and runs ``answers`` for each later ``line``."""
    path = tmp_path / "stub.py"
    path.write_text(
        "import json, os, sys, time\n"
        "print('{}', flush=True)\n"
        "print('{}', flush=True) if sys.stdin.readline() else None\n"
        f"for line in sys.stdin:\n    {answers}\n"
    )
    return sys.executable, str(path)


def run_searches(monkeypatch, command, searches, queue_ms=0.0):
    """Start a process with ``command`` and run ``searches(pool)``."""
    monkeypatch.setattr(searchers, "COMMAND", command)
    monkeypatch.setattr(searchers, "_PAUSES_S", (0.01, 0.01))

    async def run():
        pool = searchers.Searchers(metrics)
        await pool.start(1, queue_ms, committed_tables())
        try:
            return await searches(pool)
        finally:
            await pool.close()

    metrics = Metrics(("bis",), ("none",))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # the service's loop
        return runner.run(run())


# uvloop forks, and JAX, which other tests of this process may have imported, warns of that.
forks = pytest.mark.filterwarnings("ignore:os.fork")
ANSWER = "print(json.dumps({'card': json.loads(line)['seat']}), flush=True)"


@forks
def test_a_process_that_ends_is_replaced(monkeypatch, tmp_path):
    async def searches(pool):
        with pytest.raises(ProblemError, match="the search failed; retry later"):
            await pool.search({"seat": 9}, np.inf)
        return await pool.search({"seat": 3}, np.inf)

    command = stub(tmp_path, f"os._exit(1) if '9' in line else {ANSWER}")
    assert run_searches(monkeypatch, command, searches) == {"card": 3}


@forks
def test_a_process_that_ends_while_it_waits_is_replaced(monkeypatch, tmp_path):
    async def searches(pool):
        pid = (await pool.search({"seat": 1}, np.inf))["card"]
        os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.2)
        with pytest.raises(ProblemError, match="the search failed; retry later"):
            await pool.search({"seat": 2}, np.inf)
        return pid, (await pool.search({"seat": 3}, np.inf))["card"]

    first, second = run_searches(
        monkeypatch, stub(tmp_path, "print(json.dumps({'card': os.getpid()}), flush=True)"), searches
    )
    assert first != second


@forks
def test_tables_that_cannot_be_used_leave_the_process(monkeypatch, tmp_path):
    async def searches(pool):
        with pytest.raises(ProblemError, match="not-ready"):
            await pool.search({"seat": 9}, np.inf)
        return await pool.search({"seat": 3}, np.inf)

    command = stub(tmp_path, f"print('{{\"error\": \"gone\"}}', flush=True) if '9' in line else {ANSWER}")
    assert run_searches(monkeypatch, command, searches) == {"card": 3}


@forks
def test_requests_that_wait_too_long_are_refused(monkeypatch, tmp_path):
    async def searches(pool):
        first = asyncio.create_task(pool.search({"seat": 1}, np.inf))
        await asyncio.sleep(0)
        with pytest.raises(searchers.BusyError):
            await pool.search({"seat": 2}, np.inf)
        return await first

    command = stub(tmp_path, f"time.sleep(0.3); {ANSWER}")
    assert run_searches(monkeypatch, command, searches, queue_ms=1.0) == {"card": 1}


@forks
def test_the_deadline_holds_while_a_request_waits(monkeypatch, tmp_path):
    async def searches(pool):
        first = asyncio.create_task(pool.search({"seat": 1}, np.inf))
        await asyncio.sleep(0)
        with pytest.raises(TimeoutError):
            await pool.search({"seat": 2}, perf_counter() + 0.01)
        assert not first.done()
        return await first, await pool.search({"seat": 3}, np.inf)

    command = stub(tmp_path, f"time.sleep(0.3); {ANSWER}")
    assert run_searches(monkeypatch, command, searches) == ({"card": 1}, {"card": 3})


@forks
def test_an_answer_that_is_not_json_replaces_the_process(monkeypatch, tmp_path):
    async def searches(pool):
        with pytest.raises(ProblemError, match="the search failed; retry later"):
            await pool.search({"seat": 9}, np.inf)
        return await pool.search({"seat": 3}, np.inf)

    command = stub(tmp_path, f"print('{{', flush=True) if '9' in line else {ANSWER}")
    assert run_searches(monkeypatch, command, searches) == {"card": 3}


@forks
def test_a_process_that_cannot_open_the_tables_is_ended(monkeypatch, tmp_path):
    path = tmp_path / "stub.py"
    path.write_text(
        f"import os, pathlib\npathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        "print('{}', flush=True)\ninput()\nprint('{\"error\": \"gone\"}', flush=True)\nimport time; time.sleep(60)\n"
    )

    async def searches(pool):
        raise AssertionError("the start fails")

    with pytest.raises(TablesError, match="gone"):
        run_searches(monkeypatch, (sys.executable, str(path)), searches)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@forks
def test_a_process_answers_lines(tmp_path):
    """What the process does with faulty tables, without compiling."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searcher, "_search_in", lambda *_: -1)
        searcher.serve(io.StringIO(json.dumps({"tables": [str(tmp_path), "0"]}) + "\n"), out)
    ready, refused = out.getvalue().splitlines()
    assert json.loads(ready) == {"ready": True}
    assert "manifest.json" in json.loads(refused)["error"]


@forks
def test_a_request_to_a_process_is_json():
    call = read_card(SEARCH_REQUEST)
    assert call.search is not None
    request = orjson.loads(orjson.dumps(search_request(call, call.search, committed_tables())))
    assert request["state"] == asdict(call.state)
    assert request["deals"] == SEARCH_REQUEST["deals"]


@pytest.mark.compiled
def test_a_process_ends_with_the_service():
    """A process that has lost its service reads the end of its input."""
    process = subprocess.Popen(searchers.COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert json.loads(process.stdout.readline()) == {"ready": True}
    process.stdin.close()
    assert process.wait(30) == 0
    process.stdout.close()

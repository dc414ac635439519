"""POST /v1/card with a search: the arena's card, and the processes beside the service that find it."""

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

import numpy as np
import orjson
import pytest
import uvloop

from arena import questions, searcher
from arena.called.searching import VERSIONS, SearchAnswers, SearchPlayer
from arena.engine.deal import deal_round
from arena.engine.playing import exchange
from arena.engine.rounds import ROUND
from arena.engine.simulate import kernel_tables, player_rows
from arena.engine.states import FIELDS, STATE
from arena.players.choose_card import choose_card
from arena.players.search import (
    BEHIND,
    BETTER,
    CARD,
    CELLS,
    DEALS,
    GAIN,
    LOOK,
    MORE,
    MOST_CARDS,
    PLAYABLE,
    SQUARES,
    WORTH,
)
from service.endpoints.cards import search_request
from service.problems import ProblemError
from service.requests import AppState
from service.searchers import COMMAND, BusyError, EndedError, LateError, Searchers, Times, check_installed
from service.settings import SettingsError
from service.table_sets import MOST_SETS
from spades.cards import CARD_NAMES, parse_card
from spades.contract.card_request import MAX_SEARCH_DEALS, SEARCH, SEARCH_DEALS, SEARCHES, read_card
from spades.contract.examples import CARD_ANSWER, CARD_REQUEST, SEARCH_REQUEST
from spades.errors import TablesError
from spades.inference import readers_of
from spades.play import play_card
from spades.reasons import NUMBERS, REASONS
from spades.rules import make_rules
from tests.arena.engine.states import under
from tests.conftest import committed_tables
from tests.one_set import one_set, served
from tests.patience import LIMIT_S, patient, wait_until

NAMES = CARD_NAMES[0]


def played(rules, number, cards):
    """A round after ``cards`` cards: the state, the dealt hands and the tricks, all seats played by srp@3."""
    state = under(rules)
    deal_round(state, 11, number, 0)
    state.player[:], state.pieces[:] = player_rows("srp", "srp").T.tolist()
    state.bid[:] = [0 if rules.nil_pass else 3, 3, 2, 4]
    state.score[:], state.bags[:] = [120, 35], [3, 5]
    dealt = list(state.hand)
    if rules.nil_pass:
        exchange(state, [0] * 4)
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


def arena_card(rules, state, dealt, kept, player):
    """The card that the player of the arena plays in this place of the round."""
    me = (state.leader + state.trick_size) & 3
    arrays = committed_tables().arrays
    states, rounds = np.zeros(1, STATE), np.zeros(1, ROUND)
    for name in FIELDS:
        states[name] = getattr(state, name)
    for name, values in (("scores", state.score), ("bags", state.bags)):
        rounds[name] = values * 2
    rounds["hands"], rounds["bids"] = dealt, state.bid
    rounds["passed"] = [had & ~has for had, has in zip(dealt, kept, strict=True)]
    answering = SearchAnswers(player, readers_of(arrays).nets[player.bids], rules, kernel_tables(arrays))
    (card,) = answering.answers(
        questions.Asked(questions.CARD, states, rounds, np.array([0]), np.array([me]), 11, rules)
    )
    return card


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


@pytest.mark.compiled
@pytest.mark.parametrize("preset", ["classic", "pass-2"])
@pytest.mark.parametrize("player", SEARCHES)
def test_the_card_is_the_arenas(searching_client, preset, player):
    rules = make_rules(preset)
    others = 0
    for number, played_cards in enumerate((0, 9, 18, 31, 42)):
        state, dealt, kept, tricks = played(rules, number, played_cards)
        request = request_for(state, dealt, tricks, kept, preset) | {"player": player}
        answer = searching_client.post("/v1/card", json=request)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        in_arena = SearchPlayer(32, bids="bis", version=VERSIONS[player])
        assert found["card"] == NAMES[arena_card(rules, state, dealt, kept, in_arena)]
        assert found["player"] == player
        assert found["card"] in found["legal"]
        assert found["search"]["deals"] <= 32 * (1 if player == "search@1" else MORE)
        tried = found["search"]["cards"]
        assert [one["p_win"] for one in tried] == sorted((one["p_win"] for one in tried), reverse=True)
        for reason in found["reasons"]:
            assert REASONS["card"][reason["code"]].format(**reason) == reason["sentence"]
            assert set(reason) - {"code", "sentence"} <= set(NUMBERS["card"])
        others += found["reasons"][0]["code"] == "search-better"
    assert others, "in some round it plays another card than the rules"


def searched(client, request):
    """Return the answer of the best player; ask again while a busy machine leaves its search too little time."""
    answer = {}

    def has_searched():
        nonlocal answer
        answer = client.post("/v1/card", json=request).json()
        return answer.get("not_searched") not in ("busy", "deadline")

    wait_until(has_searched, lambda: str(answer))
    return answer


@pytest.mark.compiled
def test_a_server_that_searches(searching_client):
    best = searched(searching_client, CARD_REQUEST)
    assert (best["player"], best["search"]["deals"] >= LOOK, best.get("not_searched")) == (SEARCH, True, None)
    found = searching_client.post("/v1/card", json=SEARCH_REQUEST).json()
    assert found["search"]["policy"] == "bis"
    assert found["search"]["tables"] == committed_tables().version
    late = searching_client.post("/v1/card", json=SEARCH_REQUEST | {"deals": 1000}, headers={"X-Deadline-Ms": "1"})
    assert late.json()["type"] == "/problems/deadline-exceeded"
    soon = searching_client.post("/v1/card", json=CARD_REQUEST, headers={"X-Deadline-Ms": "5"}).json()
    assert soon.get("not_searched", soon.get("type")) in ("deadline", "/problems/deadline-exceeded")
    assert searching_client.post("/v1/card", json=SEARCH_REQUEST).status_code == 200, "the process is free again"
    text = searching_client.get("/metrics").text
    assert 'spades_searches_total{result="done"}' in text
    assert "spades_search_duration_seconds_bucket" in text
    assert 'spades_search_processes{state="live"} 1.0' in text


@pytest.mark.compiled
def test_levels_of_a_server_that_searches(searching_client):
    """Levels 5 to 2 have fewer and fewer deals, and level 1 plays by rules and forgets."""
    first = {name: value for name, value in CARD_REQUEST.items() if name != "tricks"} | {"seat": 0}
    answers = [searched(searching_client, first | {"level": level}) for level in range(5, 0, -1)]
    assert [answer["player"] for answer in answers] == [SEARCH, SEARCH, SEARCH, SEARCH, "srp@4(level=4)"]
    for level, answer in zip((5, 4, 3, 2), answers[:4], strict=True):
        assert answer["search"]["deals"] <= MORE * SEARCH_DEALS[level]
    assert [answer.get("not_searched") for answer in answers] == [None, None, None, None, "level"]


@pytest.mark.compiled
def test_one_card_needs_no_deals(searching_client):
    last = {"hand": "AKQJ.2.AKQJ.AKQJ", "bids": [3, 3, 3, 3], "seat": 1, "tricks": [["3H"]], "player": SEARCH}
    found = searching_client.post("/v1/card", json=last).json()
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
    assert "installs numba and tqdm and sets SPADES_SEARCH_PROCESSES" in fault["detail"]


@pytest.mark.parametrize(
    ("change", "where", "code"),
    [
        ({"player": "srp@1"}, "/player", "out-of-range"),
        ({"deals": None, "level": 1}, "/level", "unsupported-field"),
        ({"deals": 0}, "/deals", "out-of-range"),
        ({"deals": MAX_SEARCH_DEALS + 1}, "/deals", "out-of-range"),
        ({"policy": "rb"}, "/policy", "unknown-policy"),
        ({"player": "srp@4", "deals": 5}, "/deals", "unsupported-field"),
        ({"player": "srp@4", "deals": None, "policy": "bis"}, "/policy", "unsupported-field"),
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
    (fault,) = answer["body"]["errors"]
    assert fault["pointer"] == "/player"
    assert fault["detail"].endswith("accepted: best, or send this request alone to POST /v1/card")
    unknown = CARD_REQUEST | {"tables": "1.0"}
    (answer,) = call("POST", "/v1/cards", json={"requests": [unknown]}).json()["answers"]
    assert answer["body"]["errors"][0]["code"] == "unknown-tables"


def app_whose_searches_raise(error, monkeypatch, deadlines=None):
    """Return an app whose searches raise ``error``; it adds their deadlines to ``deadlines``."""
    app = served()

    async def refuse(_request, deadline, **_):
        if deadlines is not None:
            deadlines.append(deadline)
        raise error

    monkeypatch.setattr(app.state.searchers, "search", refuse)
    return app


def test_a_server_whose_processes_are_busy_refuses_only_searches(call, monkeypatch):
    app = app_whose_searches_raise(BusyError(), monkeypatch)
    answer = call("POST", "/v1/card", app, json=SEARCH_REQUEST)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["detail"] == "all search processes are busy; retry later"
    assert shown(app.state, "spades_shed_total", reason="search") == 1
    assert shown(app.state, "spades_shed_total", reason="capacity") == 0, "no bid is refused"


WHY: dict[str, Exception] = {
    "busy": BusyError(),
    "deadline": TimeoutError(),
    "failed": ProblemError("not-ready", "the search failed"),
}


@pytest.mark.parametrize("why", WHY)
def test_the_best_player_chooses_at_once_if_it_cannot_search(call, monkeypatch, why):
    deadlines: list[float] = []
    app = app_whose_searches_raise(WHY[why], monkeypatch, deadlines)
    monkeypatch.setattr(Searchers, "started", True)
    monkeypatch.setattr("service.endpoints.cards.AT_ONCE_S", 30.0)
    asked = perf_counter()
    answer = call("POST", "/v1/card", app, json=CARD_REQUEST, headers={"X-Deadline-Ms": "50000"})
    assert answer.json() == CARD_ANSWER | {"not_searched": why, "tables": committed_tables().version}
    assert deadlines[0] < asked + 50, "some time before the deadline is left for another player"
    assert shown(app.state, "spades_search_fallbacks_total", reason=why) == 1
    assert shown(app.state, "spades_shed_total", reason="search") == 0, "no request is refused"
    assert shown(app.state, "spades_shed_total", reason="deadline") == 0


def test_no_process_was_free_before_the_deadline(call, monkeypatch):
    app = app_whose_searches_raise(LateError(), monkeypatch)
    monkeypatch.setattr(Searchers, "started", True)
    answer = call("POST", "/v1/card", app, json=CARD_REQUEST, headers={"X-Deadline-Ms": "50000"})
    assert answer.json()["not_searched"] == "busy"


def test_levels_of_players_by_rules_on_a_server_that_searches(call, monkeypatch):
    """A pinned player and one under other rules have their own levels; in a batch, the best player has those here."""
    app = served()
    monkeypatch.setattr(Searchers, "started", True)

    def player(path="/v1/card", **change):
        request = CARD_REQUEST | {"level": 2} | change
        answer = call("POST", path, app, json={"requests": [request]} if path == "/v1/cards" else request).json()
        return (answer["answers"][0]["body"] if path == "/v1/cards" else answer)["player"]

    assert player(player="srp@4") == "srp@4(level=2)"
    assert player(rules={"preset": "cutthroat"}) == "solo@2(level=2)"
    assert player(level=1, game="a", tables=committed_tables().version) == "srp@4(level=4)"
    assert player("/v1/cards") == "srp@4"
    assert player("/v1/cards", level=1) == "srp@4(level=4)"


def test_a_search_that_is_required_is_not_replaced(call, monkeypatch):
    app = app_whose_searches_raise(LateError(), monkeypatch)
    answer = call("POST", "/v1/card", app, json=SEARCH_REQUEST)
    assert answer.json()["type"] == "/problems/deadline-exceeded"
    assert shown(app.state, "spades_shed_total", reason="deadline") == 1


def test_a_card_that_was_left_out_is_as_far_behind_as_it_was():
    """Row 1 was the best, equal to row 0 and left out for it; row 2 overtook row 0; row 3 has all deals too."""
    tried = np.zeros((MOST_CARDS, CELLS))
    tried[:4, PLAYABLE] = 1.0
    tried[:4, CARD] = [10, 11, 12, 13]
    tried[:4, DEALS] = [32, 16, 64, 64]
    tried[:4, WORTH] = [32 * 0.5, 16 * 0.52, 64 * 0.6, 64 * 0.58]
    tried[0, BEHIND], tried[0, BETTER] = 0.03, 2
    rows = searcher._rows(tried)
    assert [(card, deals) for card, deals, _ in rows] == [(10, 32), (11, 16), (12, 64), (13, 64)]
    assert [p for _, _, p in rows] == pytest.approx([0.57, 0.57, 0.6, 0.58])


def test_the_values_of_a_review():
    """Two cards on four deals: the second gains 0.1 on two of them."""
    tried = np.zeros((MOST_CARDS, CELLS))
    tried[:2, PLAYABLE] = 1.0
    tried[:2, CARD] = [10, 11]
    tried[:2, DEALS] = 4
    tried[:2, WORTH] = [2.0, 2.2]
    tried[1, GAIN], tried[1, SQUARES] = 0.2, 0.02
    assert searcher._valued(tried) == [pytest.approx(row) for row in ((10, 0.5, 0, 0), (11, 0.55, 0.05, 0.025))]
    assert searcher._valued(np.zeros((MOST_CARDS, CELLS))) == []


def test_rules_without_a_win_table_are_played_by_rules(call):
    answer = call("POST", "/v1/card", json=CARD_REQUEST | {"rules": {"preset": "cutthroat"}}).json()
    assert (answer["player"], answer["not_searched"]) == ("solo@2", "rules")


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        ("QH", {"code": "search-better", "card": "QH", "percent": 62.5, "usual": "AH", "usual_percent": 58.2}),
        ("AH", {"code": "search-kept", "card": "AH", "percent": 58.2}),
    ],
)
def test_the_reason_compares_the_card_with_that_of_the_usual_player(call, monkeypatch, card, reason):
    """A search process tries the usual player's card first, here the ace."""
    app = served()
    tried = [(parse_card("AH"), 64, 0.58175), (parse_card("QH"), 64, 0.625)]

    async def answer(*_, **__):
        return {"card": parse_card(card), "tried": tried}

    monkeypatch.setattr(app.state.searchers, "search", answer)
    found = call("POST", "/v1/card", app, json=SEARCH_REQUEST).json()
    assert found["card"] == card
    assert found["reasons"][0].items() >= (reason | {"deals": 64}).items()
    assert [(one["card"], one["p_win"]) for one in found["search"]["cards"]] == [("QH", 0.625), ("AH", 0.58175)]


def test_rules_whose_win_table_is_anothers_are_named():
    call = read_card(CARD_REQUEST | {"player": SEARCH, "rules": {"bag_limit": 7}})
    assert call.search is not None
    assert call.search.deals == SEARCH_DEALS[5]
    assert [text for text in call.search.assumed if text.startswith("rules.bag_limit=10")]


def test_what_is_missing_is_named(monkeypatch):
    wanted = "SPADES_SEARCH_PROCESSES is 2"
    monkeypatch.setitem(sys.modules, "arena", None)
    with pytest.raises(SettingsError, match=f"{wanted}, but arena is not installed; accepted: "):
        check_installed(wanted)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(SettingsError, match=f"{wanted}, but numba is not installed; accepted: "):
        check_installed(wanted)


def stub(folder: Path, answers: str) -> tuple[str, ...]:
    """A command that plays a search process: it opens the tables ``opened``, and runs ``answers`` for each ``seat``."""
    path = folder / "stub.py"
    path.write_text(
        "import json, os, sys, time\n"
        "print('{}', flush=True)\n"
        "opened = json.loads(sys.stdin.readline() or sys.exit())['tables']\n"
        "print('{}', flush=True)\n"
        "for line in sys.stdin:\n"
        "    seat = json.loads(line)['seat']\n"
        f"    {answers}\n"
    )
    return sys.executable, str(path)


ANSWER = "print(json.dumps({'card': os.getpid()}), flush=True)"
QUICK = Times(search_s=LIMIT_S, pause_s=0.01, longest_pause_s=0.01)


def run_searches(command, searches, queue_ms=0.0, processes=1, times=QUICK):
    """Start ``processes`` with ``command`` and run ``searches(state)``."""

    async def run():
        state = AppState(patient())
        state.searchers = Searchers(state.metrics, command, times)
        state.serve(one_set(committed_tables()))
        await state.searchers.start(committed_tables(), processes, queue_ms)
        try:
            return await searches(state)
        finally:
            await state.searchers.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # the service's loop
        return runner.run(run())


async def search(state, seat=1, deadline=np.inf, patient=False):
    return (await state.searchers.search({"seat": seat}, deadline, patient=patient))["card"]


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def kill(pid):
    """End a process, and wait until the event loop has noticed."""
    os.kill(pid, signal.SIGKILL)
    while lives(pid):
        await asyncio.sleep(0.01)


def shown(shared, name, **labels):
    return shared.metrics.registry.get_sample_value(name, labels)


# uvloop forks, and JAX, which other tests of this process may have imported, warns of that.
forks = pytest.mark.filterwarnings("ignore:os.fork")


@forks
@pytest.mark.parametrize(
    ("faulty", "replaced"),
    [
        ("os._exit(1)", True),
        ("time.sleep(600)", True),
        ("print('{', flush=True)", True),
        ("print('[]', flush=True)", True),
        ("print('x' * 2**20, flush=True)", True),
        ("print(json.dumps({'error': 'the tables are gone'}), flush=True)", False),
    ],
    ids=["ends", "hangs", "no JSON", "no object", "long line", "no tables"],
)
def test_a_search_that_fails(tmp_path, faulty, replaced):
    async def searches(state):
        before = await search(state)
        with pytest.raises(ProblemError, match="the search failed; retry later"):
            await search(state, 9)
        assert shown(state, "spades_searches_total", result="failed") == 1
        return before, await search(state)

    command = stub(tmp_path, f"{faulty} if seat == 9 else {ANSWER}")
    # Only the process that hangs needs a limit that is short enough to wait for.
    limit_s = 5.0 if "sleep" in faulty else LIMIT_S
    before, after = run_searches(command, searches, times=QUICK._replace(search_s=limit_s))
    assert (before != after) is replaced


@forks
def test_a_process_that_ends_while_it_waits_costs_no_search(tmp_path):
    async def searches(state):
        first, second = await search(state), await search(state)
        await kill(first)
        while shown(state, "spades_search_processes", state="live") == 2:
            await asyncio.sleep(0.01)
        assert shown(state, "spades_search_processes", state="live") == 1
        assert shown(state, "spades_search_processes", state="wanted") == 2
        assert await search(state) == second != first

    run_searches(stub(tmp_path, ANSWER), searches, processes=2, times=Times(search_s=LIMIT_S, pause_s=600.0))


@forks
def test_each_process_opens_the_default_tables(tmp_path):
    async def searches(state):
        pid, directory = await search(state)
        await kill(pid)
        return directory, (await search(state))[1]

    command = stub(tmp_path, "print(json.dumps({'card': [os.getpid(), opened[0]]}), flush=True)")
    assert run_searches(command, searches) == (str(committed_tables().directory),) * 2


@forks
def test_no_search_begins_after_its_deadline(tmp_path):
    async def searches(state):
        with pytest.raises(LateError):
            await search(state, deadline=perf_counter() - 0.001)
        assert shown(state, "spades_searches_total", result="done") == 0
        return await search(state)

    assert run_searches(stub(tmp_path, "print(json.dumps({'card': seat}), flush=True)"), searches) == 1


@forks
def test_requests_that_wait_too_long_are_refused(tmp_path):
    async def searches(state):
        first = asyncio.create_task(search(state))
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await search(state)
        with pytest.raises(LateError):
            await search(state, deadline=perf_counter())
        patient_one = asyncio.create_task(search(state, patient=True))
        with pytest.raises(BusyError):
            await search(state)
        assert not first.done()
        (tmp_path / "go").touch()
        assert await first == await patient_one == await search(state)

    wait = f"while not os.path.exists({str(tmp_path / 'go')!r}): time.sleep(0.01)"
    run_searches(stub(tmp_path, f"{wait}\n    {ANSWER}"), searches, queue_ms=1.0)


@forks
@pytest.mark.parametrize(
    ("answers", "error"),
    [("print(json.dumps({'error': 'gone'}), flush=True)", TablesError), ("os._exit(1)", EndedError)],
)
def test_a_start_that_fails_leaves_no_process(tmp_path, answers, error):
    """Of three processes, one can't open the tables."""
    path = tmp_path / "stub.py"
    path.write_text(
        "import json, os, pathlib, time\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "(folder / f'{os.getpid()}.pid').touch()\n"
        "print('{}', flush=True)\n"
        "input()\n"
        "try:\n    (folder / 'failed').mkdir()\n"
        "except FileExistsError:\n    print('{}', flush=True)\n"
        f"else:\n    {answers}\n"
        "time.sleep(600)\n"
    )
    with pytest.raises(error):
        run_searches((sys.executable, str(path)), search, processes=3)
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 3
    assert not any(map(lives, pids))


@forks
def test_a_process_that_does_not_start():
    command = (sys.executable, "-c", "import time; time.sleep(600)")
    with pytest.raises(EndedError, match=r"did not answer within 0\.1 s"):
        run_searches(command, search, times=Times(start_s=0.1))


def test_a_process_opens_tables_again_that_changed(tmp_path):
    """What the process does with faulty tables, without compiling."""
    for path in committed_tables().directory.iterdir():
        (tmp_path / path.name).symlink_to(path)
    request = json.dumps({"tables": [str(tmp_path), committed_tables().sha256], "open": True})

    def lines():
        yield request
        (tmp_path / "factor.npy").unlink()
        yield request
        (tmp_path / "factor.npy").symlink_to(committed_tables().directory / "factor.npy")
        yield request

    out = io.StringIO()
    searcher.serve(lines(), out, lambda *_: -1)
    ready, opened, gone, again = map(json.loads, out.getvalue().splitlines())
    assert ready == opened == again == {"ready": True}
    assert "factor.npy: not found" in gone["error"]
    assert searcher.KEPT_OPEN >= MOST_SETS, "so that no search opens tables again"


def test_a_request_to_a_process_is_json():
    call = read_card(SEARCH_REQUEST)
    assert call.search is not None
    request = orjson.loads(orjson.dumps(search_request(call, call.search, committed_tables())))
    assert request["state"] == asdict(call.state)
    assert request["deals"] == SEARCH_REQUEST["deals"]


@pytest.mark.compiled
def test_a_process_ends_with_the_service():
    """A process that has lost its service reads the end of its input."""
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            assert json.loads(process.stdout.readline()) == {"ready": True}
            process.stdin.close()
            assert process.wait(LIMIT_S) == 0
        finally:
            process.kill()

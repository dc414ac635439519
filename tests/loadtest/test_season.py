"""`python -m loadtest season`: a small season against a real service, and faults that it must find."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from typing import cast

import pytest
from spades_client import AsyncClient

from loadtest.__main__ import main as loadtest_main
from loadtest.season import command, desk, service_counts
from loadtest.season.comparison import Row, compare_counters, compare_log, expected_tables, wrong_tables
from loadtest.season.draws import DISTILLED, Catalogue, plan_game
from loadtest.season.game import GameRecord, LoggedBid, TablesUsed, hands_after_pass
from loadtest.season.ledger import Account, Ledger, can_act_on
from loadtest.season.report import make_report
from loadtest.season.scorekeeper import Scorekeeper
from loadtest.season.season_files import SeasonFolder
from loadtest.season.service_counts import Roles, ServiceCounts
from loadtest.servers import ROOT, Server, free_port, running_service, stop
from service.endpoints.catalogue import rules_answer
from service.settings import Canary
from tests.patience import LIMIT_S, PATIENT, wait_until

SMALL = ("season", "--games", "2", "--seed", "15", "--at-once", "3", "--review-share", "0.5")


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    for module, name in ((desk, "USUAL_S"), (desk, "REVIEW_S"), (service_counts, "TIMEOUT_S"), (command, "TIMEOUT_S")):
        monkeypatch.setattr(module, name, LIMIT_S)
    monkeypatch.setattr(command, "LOG_S", LIMIT_S)


@pytest.fixture(scope="module")
def url():
    """The address of a service without a decision log."""
    with running_service(SPADES_QUEUE_MS=PATIENT["SPADES_QUEUE_MS"]) as server:
        yield server.url


def season(*arguments, out):
    """Run a small season; return its exit code and its report."""
    code = loadtest_main([*SMALL, *arguments, "--out", str(out)])
    return code, json.loads((out / "report.json").read_text())


# ---- with a service ------------------------------------------------------------------------------------------------


@pytest.mark.server
def test_a_small_season_and_its_continuation(tmp_path, capsys):
    code, report = season(out=tmp_path)
    assert (code, report["faults"]) == (0, [])
    assert (report["games"], report["games_given_up"]) == (2, 0)
    bids = sum(count for kind, count in report["decisions"].items() if kind.startswith("bid "))
    cards = sum(count for kind, count in report["decisions"].items() if kind.startswith("card "))
    assert (bids, cards) == (4 * report["rounds"], 52 * report["rounds"])
    assert report["checks"]["card"] == report["checks"]["legal cards"] == cards
    assert report["checks"]["score"] == report["rounds"]
    (run,) = report["runs"]
    assert run["log"]["missing"] == []
    assert run["log"]["bids"] == run["log"]["bid_records"] > 0
    assert all(row["equal"] for row in run["rows"])
    assert "2 games" in capsys.readouterr().out

    code, more = season("--games", "3", out=tmp_path)
    assert (code, more["games"], len(more["runs"])) == (0, 3, 2)
    assert more["rounds"] > report["rounds"]
    assert loadtest_main([*SMALL, "--seed", "6", "--out", str(tmp_path)]) == 1
    assert "accepted: {'seed': 6" in capsys.readouterr().err


@pytest.mark.server
def test_an_event_happens_once_and_its_failure_is_a_fault(tmp_path, url):
    script = tmp_path / "event.sh"
    script.write_text('echo "$1" >>"$0.log"; [ "$1" = good ]\n')
    events = ("--events", "1 good, 2 bad", "--on-event", f"sh {script}")
    code, report = season("--url", url, *events, out=tmp_path / "out")
    assert (tmp_path / "event.sh.log").read_text().split() == ["good", "bad"]
    assert (code, [event["exit_code"] for event in report["events"]]) == (1, [0, 1])
    assert report["faults"] == ["event bad: exit code 1: "]


@pytest.mark.server
def test_an_interrupted_season_compares_its_totals_and_goes_on(tmp_path, url):
    arguments = [*SMALL, "--games", "9", "--url", url, "--out", str(tmp_path)]
    process = subprocess.Popen([sys.executable, "-m", "loadtest", *arguments], cwd=ROOT, stdout=subprocess.DEVNULL)
    lines = tmp_path / "games.jsonl"
    wait_until(lambda: lines.exists() and lines.read_text(), "no game has ended in time")
    process.send_signal(signal.SIGINT)
    assert process.wait(LIMIT_S) == 130
    (run,) = json.loads((tmp_path / "report.json").read_text())["runs"]
    assert run["ended"]
    assert all(row["equal"] for row in run["rows"])
    finished = {json.loads(line)["number"] for line in lines.read_text().splitlines()}
    code, report = season("--url", url, out=tmp_path)
    assert (code, report["games"], len(report["runs"])) == (0, len(finished | {0, 1}), 2)


@pytest.mark.parametrize(("status", "unknown"), [(200, 2), (503, 0)])
def test_bids_of_a_batch_that_its_games_gave_up_are_unknown(status, unknown):
    """The service makes them all the same, and only it counts them."""

    async def run() -> tuple[list[bool], int]:
        games: list[asyncio.Task] = []

        class Client:
            async def bids(self, request, timeout_s):
                games[0].cancel()
                await asyncio.wait(games[:1])
                asyncio.get_running_loop().call_soon(games[1].cancel)  # after the answer has come, before it is seen
                return {"answers": [{"status": status, "body": {"bid": 3}} for _ in request["requests"]]}

        ledger = Ledger()
        at_desk = desk.Desk(cast(AsyncClient, Client()), ledger)
        games += [asyncio.create_task(at_desk.ask("bid", {}, batch=True, repeat=False)) for _ in range(3)]
        await asyncio.gather(*games, return_exceptions=True)
        await at_desk.close()
        return [game.cancelled() for game in games], ledger.account.unknown["bids"]

    assert asyncio.run(run()) == ([True, True, False], unknown)


@pytest.mark.long
@pytest.mark.server
def test_a_restart_on_the_way_is_seen(tmp_path, monkeypatch):
    """The service restarts under traffic: the totals agree within the requests under way then, and the log exactly."""
    log, port = tmp_path / "decisions.jsonl", free_port()
    processes = []

    def start():
        serve = [sys.executable, "-m", "service", "serve", "--port", str(port)]
        processes.append(subprocess.Popen(serve, cwd=ROOT, env=os.environ | {"SPADES_DECISION_LOG": str(log)}))
        wait_until(answers, "the service is not ready in time")

    def answers():
        with suppress(OSError):
            return Server("127.0.0.1", port).get("/readyz")[0] == 200

    class Restarting(command.Season):
        async def _events(self):
            await self._game_ended.wait()
            await asyncio.to_thread(stop, processes[-1])
            await asyncio.to_thread(start)

    monkeypatch.setattr(command, "Season", Restarting)
    start()
    try:
        arguments = ("--url", f"http://127.0.0.1:{port}", "--decision-log", str(log))
        code, report = season(*arguments, out=tmp_path / "out")
    finally:
        stop(processes[-1])
    assert (code, report["faults"]) == (0, [])
    assert (report["games"], report["restarts"], len(processes)) == (3, 1, 2)


# ---- faults that it must find --------------------------------------------------------------------------------------


@pytest.mark.server
def test_a_wrong_score_is_found(tmp_path, monkeypatch, url):
    right = Scorekeeper.score

    def wrong(self, bids, taken, bags):
        points, after = right(self, bids, taken, bags)
        return [points[0] + 1, *points[1:]], after

    monkeypatch.setattr(Scorekeeper, "score", wrong)
    code, report = season("--url", url, out=tmp_path)
    assert (code, report["games"], len(report["faults"])) == (1, 0, 2)
    assert all("score: found by the library" in fault for fault in report["faults"])


@pytest.mark.server
@pytest.mark.parametrize(
    ("method", "change", "what"),
    [
        ("card", lambda request, answer: {"card": [*request["hand"], "?"][-1]}, "card: found ?"),
        ("card", lambda request, answer: {"legal": answer["legal"][1:]}, "legal cards: found"),
        ("bid", lambda request, answer: {"bid": 14}, "bid: found 14"),
        ("bid", lambda request, answer: {"kind": "blind_nil"}, "kind of bid: found"),
    ],
)
def test_an_illegal_answer_is_found(tmp_path, monkeypatch, url, method, change, what):
    right = desk.Desk.ask
    asked: Counter[str] = Counter()

    async def wrong(self, name, request, **options):
        answer = await right(self, name, request, **options)
        asked[name] += 1
        if name == method and asked[name] == 5:
            answer.body.update(change({**request, "hand": []}, answer.body))
        return answer

    monkeypatch.setattr(desk.Desk, "ask", wrong)
    code, report = season("--url", url, out=tmp_path)
    illegal = [fault for fault in report["faults"] if what in fault]
    assert code == 1
    assert len(illegal) == 1
    assert report["games"] == 1


def bid(seat=0, number=3):
    return LoggedBid("season-1-0-0-run1", seat, number, "bis", "t")


def record(seat=0, number=3, run="run1"):
    request = {"round_id": f"season-1-0-0-{run}", "previous_bids": [1] * seat}
    return {"record": "decision", "bid": number, "policy": "bis", "tables": "t", "request": request}


def test_lost_changed_and_additional_decisions_are_found():
    game = GameRecord(0, bids=[bid(0), bid(1)], results=[("season-1-0-0-run1", 0)])
    result = {"record": "result", "round_id": "season-1-0-0-run1", "seat": 0}
    whole = [record(0), record(1), result, record(0, run="run2")]
    assert compare_log(whole, "run1", [game], 0).equal
    lost = compare_log([record(0), result], "run1", [game], 0)
    assert (lost.equal, lost.missing) == (False, [f"bid {('season-1-0-0-run1', 1)}"])
    assert compare_log([record(0), record(1)], "run1", [game], 0).missing
    changed = compare_log([record(0, 4), record(1), result], "run1", [game], 0)
    assert (changed.equal, len(changed.different)) == (False, 1)
    assert compare_log([*whole, record(2)], "run1", [game], 0).unexplained == 1
    assert compare_log([*whole, record(2)], "run1", [game], 1).equal, "its request was lost, so its fate is not known"
    assert compare_log([*whole, record(0)], "run1", [game], 0).unexplained == 1


def test_a_row_allows_what_is_not_known_and_no_more():
    assert Row("", 10, 10).equal
    assert not Row("", 10, 11).equal
    assert not Row("", 10, 9).equal
    assert Row("", 10, 12, unknown=2).equal
    assert not Row("", 10, 9, unknown=2).equal
    assert Row("", 10, 8, unread=2).equal
    assert "DIFFERENT" in Row("", 10, 13, unknown=2).text()


def test_a_counter_that_lacks_a_bid_is_found():
    ledger = Ledger()
    counts = ServiceCounts("", ledger)
    ledger.end(ledger.send("/v1/bid", b"{}"), 200)
    ledger.decided("bid regular")
    ledger.account.tables["t"] += 1
    counts._last = Counter(
        {
            'spades_http_requests_total{route="/v1/bid",status="200"}': 1,
            'spades_bids_total{convention="none",kind="regular",policy="bis"}': 1,
            'spades_tables_bids_total{kind="regular",version="t"}': 1,
        }
    )
    assert all(row.equal for row in compare_counters(ledger.account, counts))
    counts._last['spades_bids_total{convention="none",kind="regular",policy="bis"}'] = 0
    assert [row.name for row in compare_counters(ledger.account, counts) if not row.equal] == ["bids regular"]


def test_only_requests_near_the_end_of_a_process_are_unread():
    ledger = Ledger()
    before, during, lost = (ledger.send("/v1/bid", b"{}") for _ in range(3))
    ledger.end(before, 200)
    ledger.counters_read(before.ended_at + 1e-6)
    ledger.end(during, 200)
    assert ledger.process_ended(during.sent_at, during.ended_at) == 2
    ledger.end(lost, None)
    assert ledger.account.unread == {"/v1/bid 200": 1, "bids": 1, "results": 0, "faults": 0}
    assert (ledger.account.unknown["/v1/bid"], ledger.account.unknown["bids"]) == (1, 1)


def test_which_errors_a_caller_can_act_on():
    def problem(status, **fields):
        return {"type": "/problems/some", "status": status, "detail": "why", **fields}

    told = {"pointer": "/seat", "code": "out-of-range", "detail": "seat is 4; accepted: at most 3"}
    silent = {"pointer": "/seat", "code": "out-of-range", "detail": "seat is 4"}
    assert can_act_on(422, problem(422, errors=[told]), None)
    assert not can_act_on(422, problem(422, errors=[told, silent]), None)
    assert not can_act_on(422, problem(422), None)
    assert can_act_on(503, problem(503), "1")
    assert not can_act_on(503, problem(503), None)
    assert not can_act_on(500, problem(500), None)
    assert not can_act_on(502, "<html>", "1")
    assert can_act_on(504, problem(504), None, left_s=0.0)
    assert not can_act_on(504, problem(504), None, left_s=10.0), "the caller's deadline has not passed"


# ---- pieces ---------------------------------------------------------------------------------------------------------


def test_the_canary_gets_the_games_that_the_service_gives_it():
    roles = Roles("old", "new", 0.3, ("new", "old"), 100.0, 200.0)
    games = [f"season-1-{number}" for number in range(200)]
    assert {expected_tables(game, roles) for game in games} == {"old", "new"}
    for game in games:
        assert (expected_tables(game, roles) == "new") == Canary("new", 0.3).serves(game)
    assert expected_tables(None, roles) == "old"
    mine = next(game for game in games if expected_tables(game, roles) == "new")
    assert not wrong_tables([TablesUsed(mine, None, "new", 150.0, 151.0)], [roles])
    assert wrong_tables([TablesUsed(mine, None, "old", 150.0, 151.0)], [roles])
    assert not wrong_tables([TablesUsed(mine, "old", "old", 150.0, 151.0)], [roles])
    later = Roles("old", None, 0.0, ("old",), 195.0, float("inf"))
    assert not wrong_tables([TablesUsed(mine, None, "old", 198.0, 201.0)], [roles, later]), "near a restart"


def test_a_card_that_is_given_back_stays_with_its_first_owner():
    dealt = [["2S", "3S"], [], ["4S", "5S"], []]
    assert hands_after_pass(dealt, [["2S"], [], ["4S"], []]) == [["3S", "4S"], [], ["5S", "2S"], []]
    assert hands_after_pass(dealt, [["2S"], [], ["2S"], []]) == dealt


def test_a_seed_asks_for_the_same_games():
    catalogue = Catalogue.of(rules_answer())
    plans = [plan_game(1, number, catalogue) for number in range(300)]
    assert plans == [plan_game(1, number, catalogue) for number in range(300)]
    assert plans[0] != plan_game(2, 0, catalogue)
    assert {plan.rules["preset"] for plan in plans} == set(catalogue.presets)
    assert {plan.all_rules["variant"] for plan in plans} == set(catalogue.fixed)
    assert any(chair.card_player == DISTILLED for plan in plans for chair in plan.chairs)
    for field, plain in catalogue.presets["classic"].items():
        assert any(plan.all_rules[field] != plain for plan in plans), field


def test_an_account_survives_json():
    ledger = Ledger()
    ledger.end(ledger.send("/v1/bid", b"{}"), 200)
    ledger.error("/v1/bid: 500", False, "why")
    twice = Account()
    for _ in range(2):
        twice.add(Account.of_json(json.loads(json.dumps(ledger.account.as_json()))))
    assert twice.percentiles_ms("/v1/bid")["requests"] == 2
    assert twice.errors == {"/v1/bid: 500": {"count": 2, "can_act": False, "examples": ["why", "why"]}}


def test_a_killed_run_is_said_in_the_report(tmp_path):
    folder = SeasonFolder(tmp_path, {"seed": 1})
    (tmp_path / "games.jsonl").write_text('{"number": 0, "finished": tr')
    assert folder.games() == []
    report = make_report({}, [], folder.runs(), [])
    assert [run["ended"] for run in report["runs"]] == [False]
    assert SeasonFolder(tmp_path, {"seed": 1}).run == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--games", "0"],
        ["--url", "127.0.0.1"],
        ["--review-share", "2"],
        ["--events", "5 restart"],
        ["--events", "5 restart, 4 canary", "--on-event", "true"],
        ["--events", "9 restart", "--on-event", "true", "--games", "8"],
    ],
)
def test_wrong_arguments(arguments):
    with pytest.raises(SystemExit) as caught:
        loadtest_main(["season", *arguments])
    assert caught.value.code == 2


def test_no_service_is_said_in_a_line(tmp_path, capsys):
    assert loadtest_main([*SMALL, "--url", f"http://127.0.0.1:{free_port()}", "--out", str(tmp_path)]) == 1
    assert "/metrics cannot be read" in capsys.readouterr().err

"""From a log to an alert: tables fitted to a log are tried as a canary, and the drift alert tells which tables suit.

The players are weak, so that the shipped tables state their nils too high, and tables fitted to their log do not.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.table_sets import RELEASES
from spades.contract.bid_request import MAX_ITEMS
from spades.tableset import DEFAULT_DIRECTORY
from studio.__main__ import main
from tests.conftest import committed_tables
from tests.deploy.prometheus import query, running_prometheus
from tests.patience import LIMIT_S, wait_until
from tests.servers import RealServer, running_server

pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.long]
RULES = ("--win", "220")  # no win table is fitted to a log of this game, which would take a minute
GAMES = 2_000  # of the log, and of those that the service bids in
PARTS = 5


def play(path: Path, games: int, seed: int) -> list[dict[str, Any]]:
    """Return the rounds of weak players, and write their log."""
    command = ["play", str(path), "--studio", "weak", *RULES, "--games", str(games), "--seed", str(seed)]
    assert main(command) == 0
    return [json.loads(line) for line in path.read_text().splitlines()]


def post(server: RealServer, path: str, field: str, items: list[Any]) -> list[dict[str, Any]]:
    """Return the answers to a batch of any length."""
    found = []
    for start in range(0, len(items), MAX_ITEMS):
        body = {field: items[start : start + MAX_ITEMS]}
        answer = httpx.post(f"{server.url}{path}", json=body, timeout=LIMIT_S)
        assert answer.status_code == 200, answer.text
        found.append(answer.json())
    return found


def nils_of_people(rounds: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield a request for each nil of a person, and whether it was made."""
    for one in rounds:
        for seat, (bid, label) in enumerate(zip(one["bids"], one["labels"], strict=True)):
            if bid == 0 and label["kind"] == "human":
                us, them = one["scores"][seat % 2], one["scores"][1 - seat % 2]
                request = {
                    "hand": one["hands"][seat],
                    "previous_bids": one["bids"][:seat],
                    "seat": seat,
                    "rules": one["rules"],
                    "scores": {"us": us, "them": them},
                    "policy": "bis",
                    "explain": True,
                    "game": one["game"],
                }
                yield request, one["tricks"][seat] == 0


def results_of(server: RealServer, rounds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let the service bid, and return the results of the nils that it bids, with the chances that it states."""
    requests, made = zip(*nils_of_people(rounds), strict=True)
    answers = [one for batch in post(server, "/v1/bids", "requests", list(requests)) for one in batch["answers"]]
    assert {one["status"] for one in answers} == {200}
    return [
        {
            "policy": answer["body"]["policy"],
            "tables": answer["body"]["tables"],
            "p_nil_made": answer["body"]["explanation"]["nil"]["probability"],
            "nil_made": happened,
        }
        for answer, happened in zip(answers, made, strict=True)
        if answer["body"]["kind"] == "nil"
    ]


def report(server: RealServer, results: list[dict[str, Any]], prometheus: str) -> None:
    """Post results in parts, with a scrape after each: Prometheus does not count what a series has at first."""
    posted = 0
    for part in range(PARTS):
        some = results[part::PARTS]
        assert sum(answer["accepted"] for answer in post(server, "/v1/results", "results", some)) == len(some)
        posted += len(some)
        wait_for(f"sum(spades_results_total) == {posted}", prometheus)


def wait_for(condition: str, url: str) -> list[dict[str, Any]]:
    """Return the series of a condition as soon as it has some."""
    drift = '{__name__=~"job_kind_policy_tables:.*"}'
    found: list[dict[str, Any]] = []

    def holds() -> bool:
        found[:] = query(url, condition)
        return bool(found)

    wait_until(holds, lambda: f"{condition}; {query(url, drift)}")
    return found


def test_the_drift_alert_fires_for_the_tables_that_do_not_suit_the_players(tmp_path):
    sets, shipped = tmp_path / "sets", committed_tables().version
    sets.mkdir()
    (sets / shipped).symlink_to(DEFAULT_DIRECTORY)
    play(tmp_path / "log.jsonl", GAMES, seed=1)
    arguments = ["fit", str(tmp_path / "log.jsonl"), "--label", "kind=human", "--out", str(sets)]
    assert main(arguments) == 0
    (fitted,) = {path.name for path in sets.iterdir()} - {shipped}
    (sets / RELEASES).write_text(json.dumps({"default": shipped, "canary": f"{fitted}:0.5"}))
    with (
        running_server(stdout=subprocess.DEVNULL, SPADES_TABLES_DIR=str(sets)) as server,
        running_prometheus(tmp_path, f"127.0.0.1:{server.port}") as prometheus,
    ):
        wait_for(f'spades_tables_open{{version="{fitted}", role="canary"}} == 1', prometheus)
        results = results_of(server, play(tmp_path / "next.jsonl", GAMES, seed=2))
        assert {one["tables"] for one in results} == {shipped, fitted}
        report(server, results, prometheus)
        (alert,) = wait_for('ALERTS{alertname="BidderDrift", alertstate="firing"}', prometheus)
        assert alert["metric"]["tables"] == shipped
        assert (alert["metric"]["kind"], alert["metric"]["policy"]) == ("nil", "bis")
        assert [one["metric"]["tables"] for one in query(prometheus, 'ALERTS{alertname="BidderDrift"}')] == [shipped]
        enough = 'job_kind_policy_tables:spades_results_independent:increase1d{kind="nil"} >= 300'
        assert {one["metric"]["tables"] for one in query(prometheus, enough)} == {shipped, fitted}

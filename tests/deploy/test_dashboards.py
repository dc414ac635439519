"""Each query of the dashboard returns data from a real Prometheus that scraped a real service under traffic."""

import itertools
import json
import math
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import yaml

from loadtest import arrivals
from loadtest.arrivals import prepare, prepare_get
from loadtest.beside import beside
from loadtest.servers import Server, running_service
from loadtest.traffic import Question, questions
from spades.tableset import DEFAULT_DIRECTORY
from tests.conftest import committed_tables
from tests.deploy.prometheus import ask, query, running_prometheus
from tests.patience import LIMIT_S, PATIENT, wait_until
from tests.service.made_sets import make_set

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana/dashboards/bidder.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
VARIABLES = {"$job": "bidder", "$instance": ".*", "$__rate_interval": "1m", "$__range": "1m"}


def expressions() -> list[tuple[str, str]]:
    return [(panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]]


def traffic(server: Server, seconds: float) -> None:
    """Send bids of all kinds, wrong requests, batches, results, health checks, and a request with a passed deadline."""
    some = list(itertools.islice(questions(7, bad_share=0.2), 200))
    batch = Question("/v1/bids", json.dumps({"requests": [json.loads(some[0].body)] * 8}).encode(), 200, "batch")
    requests = [prepare(question, server.host, {}) for question in (batch, *some)]
    requests += [prepare(batch, server.host, {"X-Deadline-Ms": "0"})._replace(status=504)]
    requests += [prepare_get("/healthz", server.host)]
    stated = {
        "p_nil_made": 0.7,
        "nil_made": True,
        "p_contract_made": 0.8,
        "contract_made": False,
        "p_win": 0.5,
        "won": True,
    }
    outcome = {"policy": "winprob", "tables": "other"} | stated
    results = Question("/v1/results", json.dumps({"results": [outcome] * 20}).encode(), 200, "results")
    requests = [*requests[:50], prepare(results, server.host, {}), *requests[50:], prepare(results, server.host, {})]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrivals, "PATIENCE_S", LIMIT_S)
        patch.setattr(arrivals, "TIMEOUT_S", LIMIT_S)
        result = arrivals.run((server.host, server.port), requests, rate=100, seconds=seconds)
    assert result.statuses[200] > 100
    assert result.statuses[504] > 0


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Prometheus with the committed configuration but shorter times, while the service has traffic."""
    directory = tmp_path_factory.mktemp("prometheus")
    sets, default = directory / "sets", committed_tables().version
    sets.mkdir()
    (sets / default).symlink_to(DEFAULT_DIRECTORY)
    other = make_set(sets, "1.1", 1.5)
    roles: dict[str, Any] = PATIENT | {
        "SPADES_TABLES_VERSION": default,
        "SPADES_CANARY": f"{other}:0.5",
    }
    with (
        running_service(SPADES_TABLES_DIR=str(sets), **roles) as server,
        running_prometheus(directory, f"{server.host}:{server.port}") as url,
    ):
        traffic(server, 3.0)

        def more(ended: Event) -> None:
            while not ended.wait(1.0):
                traffic(server, 3.0)

        with beside(more):
            yield url


def has_data(url: str, expression: str) -> bool:
    """Return whether an expression gives a number now."""
    return any(math.isfinite(float(sample["value"][1])) for sample in query(url, expression))


@pytest.mark.parametrize(("title", "expression"), expressions())
def test_each_panel_gets_data(prometheus, title, expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    assert "$" not in expression
    wait_until(lambda: has_data(prometheus, expression), lambda: f"{title}: {query(prometheus, expression)}")


def test_what_the_panels_show_is_what_was_sent(prometheus):
    """The panels show the deadlines, faults and bids of this run, not just any series."""
    for expression in (
        'sum(spades_http_requests_total{route="/v1/bids", status="504"}) > 0',
        "sum(spades_deadline_exceeded_total) > 0",
        'sum(spades_validation_errors_total{code="seat-mismatch"}) > 0',
        'sum(spades_bids_total{kind="nil", policy="bis"}) > 0',
        "job:spades_bid_errors:ratio_rate5m > 0",
        "count(spades_tables_info == 1) == 1",
        "count(spades_tables_open == 1) == 2",
        'job_kind_policy_tables:spades_results_stated:ratio1d{kind="win"} == 0.5',
        "count(job_kind_policy_tables:spades_results_drift:standard_errors) == 3",
    ):
        wait_until(lambda: query(prometheus, expression), expression)  # noqa: B023


def test_all_rules_are_evaluated(prometheus):
    def not_ok() -> list[Any]:
        groups = ask(prometheus, "/api/v1/rules")["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        assert len(rules) > 30
        return [rule for rule in rules if rule["health"] != "ok"]

    wait_until(lambda: not not_ok(), not_ok)  # not evaluated yet: unknown


def test_variables_find_the_service(prometheus):
    def labels() -> Any:
        return ask(prometheus, "/api/v1/series", **{"match[]": "spades_build_info"})

    wait_until(labels)
    assert [series["job"] for series in labels()] == ["bidder"]


def test_every_panel_says_what_it_shows():
    assert len(PANELS) >= 20
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    assert len({panel["title"] for panel in PANELS}) == len(PANELS)
    assert all(panel["description"] and panel["targets"] for panel in PANELS)
    for panel in PANELS:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24


def test_grafana_is_given_what_the_dashboard_names():
    (source,) = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yml").read_text())["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert {panel["datasource"]["uid"] for panel in PANELS} == {source["uid"]}
    (provider,) = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/bidder.yml").read_text())["providers"]
    grafana = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["grafana"]
    assert f"./deploy/grafana/dashboards:{provider['options']['path']}:ro" in grafana["volumes"]

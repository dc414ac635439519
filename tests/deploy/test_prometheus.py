"""The alert rules, checked with promtool: they parse, their tests pass, and each alert fires in a test."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.tools import find_program

ROOT = Path(__file__).parents[2]
PROMETHEUS = ROOT / "deploy/prometheus"
RULES = sorted(PROMETHEUS.glob("rules/*.yml"))
TESTS = sorted(PROMETHEUS.glob("tests/*.yml"))


def promtool(*arguments: object) -> str:
    command = [find_program("promtool"), *map(str, arguments)]
    done = subprocess.run(command, cwd=PROMETHEUS, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def alerts() -> dict[str, dict]:
    groups = [group for path in RULES for group in yaml.safe_load(path.read_text())["groups"]]
    return {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}


def test_the_configuration_and_the_rules_parse():
    assert "SUCCESS: 2 rule files found" in promtool("check", "config", "prometheus.yml")
    assert promtool("check", "rules", *RULES).count("SUCCESS") == len(RULES) == 2


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_the_rules_do_what_they_say(path):
    assert "SUCCESS" in promtool("test", "rules", path)


def test_each_alert_is_seen_to_fire_and_not_to():
    fires: set[str] = set()
    stays_quiet: set[str] = set()
    for path in TESTS:
        for group in yaml.safe_load(path.read_text())["tests"]:
            for case in group["alert_rule_test"]:
                (fires if case["exp_alerts"] else stays_quiet).add(case["alertname"])
    assert fires == set(alerts())
    # For these three, every other group of samples is a case without an alert.
    assert stays_quiet | {"BidderNotReady"} == set(alerts())


def test_the_link_to_the_runbook_is_absolute():
    """The link begins with an external label, which compose sets; the tests of the rules check the rest of it."""
    config = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())
    assert config["global"]["external_labels"] == {"runbooks": "${RUNBOOKS}"}
    prometheus = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["prometheus"]
    assert prometheus["environment"]["RUNBOOKS"].startswith("${RUNBOOKS:-https://")
    # Prometheus 3 replaces variables in external labels. Before, that was a feature flag, which is unknown now.
    assert ":-prom/prometheus:v3." in prometheus["image"]
    assert not [argument for argument in prometheus["command"] if "--enable-feature" in argument]


def test_the_objectives_count_every_route_that_bids_at_once():
    """Batches count for errors only: they take longer."""
    text = (PROMETHEUS / "rules/recording.yml").read_text()
    asked = set(re.findall(r'route=~"([^"]+)"', text))
    bids = {"/bid", "/v1/bid", "/v1/bid/blind"}
    assert {frozenset(routes.split("|")) for routes in asked} == {frozenset(bids), frozenset(bids | {"/v1/bids"})}


def test_each_alert_is_told_in_the_operations_page():
    page = (ROOT / "docs/how-to/run-in-production.md").read_text()
    for name, rule in alerts().items():
        assert f"### {name}\n" in page, name
        assert rule["annotations"]["runbook_url"] == f"{{{{ $externalLabels.runbooks }}}}#{name.lower()}"
        assert rule["labels"]["severity"] in ("page", "ticket")
    told = {line.removeprefix("### ") for line in page.splitlines() if line.startswith("### Bidder")}
    assert told == set(alerts())

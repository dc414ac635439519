"""The counts in /metrics, with closed sets of labels."""

import os
import subprocess
import sys

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from service import __version__
from service.metrics import Decided, Metrics, workers_registry
from spades.contract.faults import CODES
from spades.policies import SERVED
from tests.one_set import served
from tests.service.conftest import ROOT


def _samples(response) -> dict:
    return _values(response.text)


def _values(text) -> dict:
    families = text_string_to_metric_families(text)
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
        if sample.name.startswith("spades_")
    }


def test_requests_bids_and_faults_are_counted(call, request_body):
    service = served()
    call("POST", "/bid", service, json=request_body)
    answer = call("POST", "/bid", service, json=request_body | {"policy": "rb"}).json()
    call("POST", "/bid", service, json=request_body | {"seat": 1})
    call("POST", "/v1/bids", service, json={"requests": [request_body, {}]})  # {}: no hand, no bids
    call("GET", "/wp-login.php", service)
    call("GET", "/problems/not-ready", service)
    response = call("GET", "/metrics", service)
    assert response.headers["content-type"].startswith("text/plain")
    samples = _samples(response)
    requests = "spades_http_requests_total"
    assert samples[requests, ("route", "/bid"), ("status", "200")] == 2
    assert samples[requests, ("route", "/bid"), ("status", "422")] == 1
    assert samples[requests, ("route", "/v1/bids"), ("status", "200")] == 1
    assert samples[requests, ("route", "other"), ("status", "404")] == 1
    assert samples[requests, ("route", "/problems/{name}"), ("status", "200")] == 1
    bids = [value for (name, *_), value in samples.items() if name == "spades_bids_total"]
    assert sum(bids) == 3
    assert samples["spades_bids_total", ("convention", "none"), ("kind", answer["kind"]), ("policy", "rb")] == 1
    assert samples["spades_decision_duration_seconds_count", ("policy", "bis")] == 2
    latency = "spades_http_request_duration_seconds_count"
    assert samples[latency, ("route", "/bid"), ("status", "200")] == 2
    assert samples[latency, ("route", "/bid"), ("status", "422")] == 1
    assert samples["spades_validation_errors_total", ("code", "seat-mismatch")] == 1
    assert samples["spades_validation_errors_total", ("code", "missing-field")] == 2
    assert samples["spades_http_requests_in_flight",] == 1  # the scrape itself


def test_info_and_readiness(call):
    service = served()
    tables = service.state.sets.default.tables
    assert tables is not None
    samples = _samples(call("GET", "/metrics", service))
    assert samples["spades_tables_info", ("sha256", tables.sha256), ("version", tables.version)] == 1
    assert any(key[0] == "spades_build_info" and ("version", __version__) in key for key in samples)
    assert samples["spades_ready",] == 1
    service.state.drain()
    assert _samples(call("GET", "/metrics", service))["spades_ready",] == 0


def test_policy_labels_are_the_base_names(call, request_body):
    service = served()
    call("POST", "/bid", service, json=request_body | {"policy": "bis:endgame=off"})
    samples = _samples(call("GET", "/metrics", service))
    policies = {dict(key[1:])["policy"] for key in samples if key[0] == "spades_bids_total"}
    assert policies == set(SERVED)


def test_every_series_of_a_closed_set_exists_from_the_start():
    """Otherwise Prometheus would not see the first increase."""
    samples = _values(Metrics().text().decode())
    assert {dict(key[1:])["code"] for key in samples if key[0] == "spades_validation_errors_total"} == set(CODES)
    assert samples["spades_deadline_exceeded_total",] == 0
    assert samples["spades_decision_duration_seconds_count", ("policy", "bis")] == 0


def test_open_tables_are_shown_until_their_files_change():
    metrics = Metrics()
    metrics.tables_opened(("1+0", "abc"), {"1+0": "default", "2+0": "named"}, refused=1)
    metrics.decided(Decided("nil", "bis", "none", "2+0", 0.001))
    samples = _values(metrics.text().decode())
    counted = "spades_tables_bids_total"
    assert samples[counted, ("kind", "nil"), ("version", "1+0")] == 0
    assert samples[counted, ("kind", "nil"), ("version", "2+0")] == 1
    assert samples["spades_tables_last_read_successful",] == 0
    metrics.tables_changed("2+0")
    samples = _values(metrics.text().decode())
    opened = "spades_tables_open"
    assert samples[opened, ("role", "default"), ("version", "1+0")] == 1
    assert samples[opened, ("role", "named"), ("version", "2+0")] == 0


@pytest.mark.slow
def test_the_live_gauges_of_a_worker_that_ended_are_dropped(tmp_path):
    """Its counters are kept."""
    script = "from service.metrics import Metrics; m = Metrics(); m.shed('rate'); m.gauge('spades_ready').set(1)"
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, check=True)
    assert list(tmp_path.glob("gauge_live*.db"))
    samples = _values(generate_latest(workers_registry(str(tmp_path))).decode())
    assert samples["spades_shed_total", ("reason", "rate")] == 1
    assert ("spades_ready",) not in samples

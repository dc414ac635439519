"""What /metrics counts, from closed label sets."""

from itertools import product

import pytest
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from service import __version__
from service.app import create_app
from service.bidding.policies import SERVED
from service.metrics import DECISION_BUCKETS, LATENCY_BUCKETS, Metrics, Times
from service.settings import Settings


def _fresh():
    service = create_app(Settings())
    service.state.start(None)
    return service


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
    service = _fresh()
    call("POST", "/bid", service, json=request_body)
    answer = call("POST", "/bid", service, json=request_body | {"policy": "rb"}).json()
    call("POST", "/bid", service, json=request_body | {"seat": 1})
    call("POST", "/v1/bids", service, json={"requests": [request_body, {}]})
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
    assert samples["spades_validation_errors_total", ("code", "missing-field")] == 3
    assert samples["spades_http_requests_in_flight",] == 1  # the scrape itself


def test_bids_counted_together_or_one_by_one():
    one, many = (Metrics(("bis", "rb"), ("none",)) for _ in range(2))
    times = [*DECISION_BUCKETS, 0.0, 3e-6, 7e-6, 7e-6, 1.0]
    made = [
        ((kind, policy, "none"), seconds)
        for seconds in times
        for kind, policy in product(("nil", "regular"), ("bis", "rb"))
    ]
    made = made[:-3]
    for decided in made:
        one.decided(decided)
    many.decided_many(made)
    many.decided_many([])
    shown = [_values(metrics.text().decode()) for metrics in (one, many)]
    assert shown[0].keys() == shown[1].keys()
    assert shown[0] == pytest.approx(shown[1], rel=1e-12)  # sums of the same times in another order
    assert shown[0]["spades_decision_duration_seconds_count", ("policy", "bis")] == len(made) / 2 + 0.5


@pytest.mark.parametrize("seconds", [0.0, 1e-9, *LATENCY_BUCKETS, 0.0003, 0.3, 1e9])
def test_times_count_as_a_histogram_does(seconds):
    shown = []
    for observe in (lambda child: child.observe(seconds), lambda child: Times(child).observe(seconds)):
        registry = CollectorRegistry()
        histogram = Histogram("a", "A.", ("x",), buckets=LATENCY_BUCKETS, registry=registry)
        observe(histogram.labels("1"))
        shown.append(generate_latest(registry))
    assert shown[0] == shown[1]


def test_info_and_readiness(call):
    service = _fresh()
    tables = service.state.tables
    assert tables is not None
    samples = _samples(call("GET", "/metrics", service))
    assert samples["spades_tables_info", ("sha256", tables.sha256), ("version", tables.version)] == 1
    assert any(key[0] == "spades_build_info" and ("version", __version__) in key for key in samples)
    assert samples["spades_ready",] == 1
    service.state.drain()
    assert _samples(call("GET", "/metrics", service))["spades_ready",] == 0


def test_policy_labels_are_the_base_names(call, request_body):
    service = _fresh()
    call("POST", "/bid", service, json=request_body | {"policy": "bis:endgame=off"})
    samples = _samples(call("GET", "/metrics", service))
    policies = {dict(key[1:])["policy"] for key in samples if key[0] == "spades_bids_total"}
    assert policies == set(SERVED)


def test_buckets_begin_where_answers_are():
    assert (LATENCY_BUCKETS[0], LATENCY_BUCKETS[-1]) == (0.0001, 0.25)
    assert list(DECISION_BUCKETS) == sorted(DECISION_BUCKETS)

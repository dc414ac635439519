"""The counts in /metrics, with closed sets of labels."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Lock

import pytest
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.parser import text_string_to_metric_families

from service import __version__
from service.app import create_app
from service.metrics import DECISION_BUCKETS, LATENCY_BUCKETS, Exposition, Metrics, observe_many
from spades.policies import SERVED
from tests.conftest import committed_tables
from tests.one_set import one_set
from tests.patience import patient


def _fresh():
    service = create_app(patient())
    service.state.serve(one_set(committed_tables()))
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


def test_bids_counted_together_or_one_by_one():
    one, many = (Metrics(("bis", "rb"), ("none",)) for _ in range(2))
    times = [*DECISION_BUCKETS, 0.0, 3e-6, 7e-6, 7e-6, 1.0]
    made = [
        ((kind, policy, "none", "1+0"), seconds)
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
    assert shown[0] == pytest.approx(shown[1], rel=1e-12)  # the same times, added in another order
    assert shown[0]["spades_decision_duration_seconds_count", ("policy", "bis")] == len(made) / 2 + 0.5


@pytest.mark.parametrize("name", ["_sum", "_buckets", "_upper_bounds"])
def test_what_the_library_does_not_document_is_there(name):
    """If this test fails, adapt `observe_many`, and raise the upper bound of prometheus-client in pyproject.toml."""
    assert hasattr(Metrics(("bis",), ("none",)).decisions["bis"], name)


_MANY = [1e9, *LATENCY_BUCKETS[::-1], 0.0003, 0.0003, 0.3, 1e-9, 0.0]


@pytest.mark.parametrize("times", [[], *([seconds] for seconds in _MANY), _MANY, _MANY[3:6] * 3])
def test_many_count_as_one_by_one(times):
    shown = []
    for many in (False, True):
        registry = CollectorRegistry()
        child = Histogram("a", "A.", ("x",), buckets=LATENCY_BUCKETS, registry=registry).labels("1")
        if many:
            observe_many(child, [*times])
        else:
            for seconds in times:
                child.observe(seconds)
        samples = [sample for metric in registry.collect() for sample in metric.samples]
        counted = [sample for sample in samples if not sample.name.endswith("_created")]  # time stamps
        shown.append({(sample.name, *sample.labels.values()): sample.value for sample in counted})
    assert shown[0] == pytest.approx(shown[1], rel=1e-15)  # sums may be rounded in another way


def test_info_and_readiness(call):
    service = _fresh()
    tables = service.state.sets.default.tables
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


class Scrapes:
    """An exposition with numbered texts, on a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self.made = 0
        self.exposition = Exposition(self._make, lambda: self.now)

    def _make(self) -> bytes:
        self.made += 1
        return b"%d" % self.made

    def burst(self, count: int, overloaded: bool = False) -> list[bytes]:
        """Get several texts in a row, half of them as the event loop does."""

        async def beside() -> bytes:
            return await self.exposition.text_beside_requests(overloaded)

        return [
            self.exposition.text() if number % 2 and not overloaded else asyncio.run(beside())
            for number in range(count)
        ]


def test_few_scrapes_get_a_new_text_each():
    scrapes = Scrapes()
    for number in range(1, 20):
        assert scrapes.burst(1) == [b"%d" % number]
        scrapes.now += 1.0
    scrapes.now += 100.0
    assert scrapes.burst(4) == [b"20", b"21", b"22", b"23"]


def test_a_flood_of_scrapes_gets_one_new_text_a_second():
    scrapes = Scrapes()
    assert scrapes.burst(7) == [b"1", b"2", b"3", b"4", b"4", b"4", b"4"]
    made_at = [(0.0, scrapes.made)]
    while scrapes.now < 10.0:
        scrapes.now += 0.0625
        scrapes.burst(5)
        if scrapes.made != made_at[-1][1]:
            made_at.append((scrapes.now, scrapes.made))
    assert made_at == [(float(second), 4 + second) for second in range(11)]


def test_while_overloaded_no_text_is_made_but_the_first():
    scrapes = Scrapes()
    assert scrapes.burst(3, overloaded=True) == [b"1"] * 3
    scrapes.now += 100.0
    assert scrapes.burst(3, overloaded=True) == [b"1"] * 3
    assert scrapes.burst(1) == [b"2"]


def test_threads_share_the_texts():
    """Many threads at once: no more new texts than allowed, made one at a time, and each thread gets a text."""
    making = Lock()
    made: list[bytes] = []

    def make() -> bytes:
        assert making.acquire(blocking=False)
        time.sleep(0.01)
        made.append(b"%d" % len(made))
        making.release()
        return made[-1]

    exposition = Exposition(make, lambda: 0.0)
    with ThreadPoolExecutor(16) as pool:
        texts = list(pool.map(lambda _: exposition.text(), range(200)))
    assert made == [b"0", b"1", b"2", b"3"]
    assert set(texts) <= set(made)
    assert exposition.text() == b"3"


def test_a_failed_text_is_tried_again():
    failures = [OSError("no file")]

    def make() -> bytes:
        if failures:
            raise failures.pop()
        return b"text"

    exposition = Exposition(make)
    with pytest.raises(OSError, match="no file"):
        exposition.text()
    assert exposition.text() == b"text"

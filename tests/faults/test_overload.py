"""More requests than a worker can answer: some are shed at once, the others are in time, and then all are answered."""

import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.faults.conftest import BODY, WORKED, ask, connected, free_port, read_response, request_bytes
from tests.faults.test_stopping import _ready
from tests.service.conftest import running_server

pytestmark = pytest.mark.alone


def _burst(server, count):
    """Send ``count`` requests at once on one connection; return the statuses in order."""
    with connected(server) as connection, connection.makefile("rb") as stream:
        connection.sendall(request_bytes() * count)
        return [read_response(stream) for _ in range(count)]


def test_what_waits_too_long_is_shed_and_the_next_is_answered():
    """600 requests at once take 10 ms or more, but here a request may wait only 1 ms."""
    with running_server(SPADES_QUEUE_MS="1") as server:
        _burst(server, 5)
        answers = _burst(server, 600)
        shed = [answer for answer in answers if answer[0] == 503]
        assert len(shed) > 50
        assert {status for status, _, _ in answers} == {200, 503}
        assert answers[0][0] == 200
        for _, headers, body in shed:
            assert headers["retry-after"] == "1"
            assert headers["content-type"] == "application/problem+json"
            assert json.loads(body)["type"] == "/problems/overloaded"
        statuses = [ask(server, request_bytes())[0] for _ in range(20)]
        assert statuses.count(200) >= 18  # a busy machine may delay one
        text = httpx.get(f"{server.url}/metrics").text
        counted = float(text.partition('spades_shed_total{reason="capacity"} ')[2].split()[0])
        assert counted >= len(shed)


def test_with_no_limit_everything_is_answered():
    with running_server(SPADES_QUEUE_MS="0") as server:
        assert {status for status, _, _ in _burst(server, 600)} == {200}


@pytest.mark.slow
def test_single_bids_are_served_beside_many(capsys):
    """Four callers send batches of 512 bids without a pause: single bids are answered between their turns."""
    many = request_bytes(json.dumps({"requests": [WORKED] * 512}).encode(), path="/v1/bids")
    with running_server(SPADES_QUEUE_MS="0") as server:
        end = time.monotonic() + 2.0

        def batches(_):
            found = 0
            with connected(server) as connection, connection.makefile("rb") as stream:
                while time.monotonic() < end:
                    connection.sendall(many)
                    status, _, body = read_response(stream)
                    assert status == 200
                    found += len(json.loads(body)["answers"])
            return found

        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(batches, index) for index in range(4)]
            times = []
            with connected(server) as connection, connection.makefile("rb") as stream:
                while time.monotonic() < end:
                    started = time.perf_counter()
                    connection.sendall(request_bytes())
                    assert read_response(stream)[0] == 200
                    times.append(time.perf_counter() - started)
                    time.sleep(0.01)
            assert all(future.result() >= 512 for future in futures)
        # a turn is 2 x 32 decisions, about 2 ms; one body has 512
        assert statistics.median(times) < 0.05


def test_metrics_have_a_listener_of_their_own():
    port = free_port()
    with running_server(SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}") as server:
        assert httpx.get(f"{server.url}/metrics").status_code == 404
        assert httpx.post(f"{server.url}/bid", content=BODY).status_code == 200
        text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        assert 'spades_http_requests_total{route="/bid",status="200"} 1.0' in text
        assert "process_resident_memory_bytes" in text
        assert "spades_connections " in text


@pytest.mark.slow
def test_metrics_of_several_workers_on_their_own_listener():
    port = free_port()
    with running_server("--workers", "2", SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}") as server:
        _ready(server)
        assert all(httpx.post(f"{server.url}/bid", content=BODY).status_code == 200 for _ in range(6))
        text = httpx.get(f"http://127.0.0.1:{port}/metrics").text
        assert 'spades_http_requests_total{route="/bid",status="200"} 6.0' in text

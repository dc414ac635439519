"""Long answers beside short ones, and the metrics' own listener, on real servers."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from loadtest.servers import free_port
from tests.faults.conftest import BODY, WORKED, ask, connected, read_response, ready, request_bytes
from tests.patience import get, post, wait_until
from tests.servers import running_server


@pytest.mark.slow
def test_single_bids_are_served_beside_many():
    """Four callers send a batch of 512 bids each: single bids are answered between their turns, before the batches."""
    many = request_bytes(json.dumps({"requests": [WORKED] * 512}).encode(), path="/v1/bids")
    with running_server() as server, ThreadPoolExecutor(4) as pool:

        def bids_before_the_first_batch():
            batches = [pool.submit(ask, server, many) for _ in range(4)]
            count = 0
            with connected(server) as connection, connection.makefile("rb") as stream:
                while not any(batch.done() for batch in batches):
                    connection.sendall(request_bytes())
                    assert read_response(stream)[0] == 200
                    count += 1
            for batch in batches:
                status, _, body = batch.result()
                assert status == 200
                assert len(json.loads(body)["answers"]) == 512
            return count

        # If a batch were one turn, at most a bid before each of the four would be answered.
        wait_until(lambda: bids_before_the_first_batch() > 8)


def metrics(port: int) -> str:
    """Return the metrics of a separate listener. The service counts an answer soon after it has sent it."""
    return get(f"http://127.0.0.1:{port}/metrics").text


def test_metrics_have_a_listener_of_their_own():
    port = free_port()
    with running_server(SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}") as server:
        assert get(f"{server.url}/metrics").status_code == 404
        assert post(f"{server.url}/bid", content=BODY).status_code == 200
        wait_until(lambda: 'spades_http_requests_total{route="/bid",status="200"} 1.0' in metrics(port))
        assert "process_resident_memory_bytes" in metrics(port)


@pytest.mark.slow
def test_metrics_of_several_workers_on_their_own_listener():
    port = free_port()
    with running_server("--workers", "2", SPADES_METRICS_ADDRESS=f"127.0.0.1:{port}") as server:
        ready(server)
        assert all(post(f"{server.url}/bid", content=BODY).status_code == 200 for _ in range(6))
        wait_until(lambda: 'spades_http_requests_total{route="/bid",status="200"} 6.0' in metrics(port))

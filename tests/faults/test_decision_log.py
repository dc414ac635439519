"""A decision log that can't be written: the service answers, and counts the lines that it drops."""

import json
import os
import signal

import httpx

from tests.faults.conftest import WORKED, metric
from tests.patience import LIMIT_S, wait_until
from tests.service.conftest import START_S, RealServer, running_server

DROPPED = "spades_decision_log_dropped_total"


def _bids(server: RealServer, count: int) -> None:
    with httpx.Client(base_url=server.url, timeout=LIMIT_S) as client:
        for number in range(count):
            assert client.post("/bid", json=WORKED | {"round_id": str(number)}).status_code == 200


def _wait_for_dropped(server: RealServer, count: int) -> None:
    wait_until(lambda: metric(server, DROPPED) >= count)


def _warnings(server: RealServer) -> list[str]:
    """Stop the server; return its warnings about the log."""
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(START_S) == 0
    assert server.process.stderr is not None
    lines = server.process.stderr.read().splitlines()
    assert not any("Traceback" in line for line in lines), lines
    return [line for line in lines if "the decision log can't be written" in line]


def test_a_full_disk():
    with running_server(SPADES_DECISION_LOG="/dev/full") as server:
        _bids(server, 50)
        _wait_for_dropped(server, 50)
        (warning,) = _warnings(server)
        assert "No space left on device" in warning


def test_standard_output_is_shared_with_the_access_log_and_its_reader_may_go():
    reader, writer = os.pipe()
    try:
        with running_server(stdout=writer, SPADES_DECISION_LOG="-", SPADES_ACCESS_LOG="1") as server:
            os.close(writer)
            writer = -1
            _bids(server, 200)
            received = b""
            while received.count(b"\n") < 400:
                received += os.read(reader, 65_536)
            records = [json.loads(line) for line in received.splitlines()]
            rounds = [int(one["request"]["round_id"]) for one in records if one.get("record") == "decision"]
            assert rounds == [*range(200)]
            assert sum("route" in one for one in records) == 200
            os.close(reader)
            reader = -1
            _bids(server, 50)
            _wait_for_dropped(server, 50)
            (warning,) = _warnings(server)
            assert "Broken pipe" in warning
    finally:
        for descriptor in (reader, writer):
            if descriptor >= 0:
                os.close(descriptor)

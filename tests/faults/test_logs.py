"""Logs that can't be written: the service answers, counts dropped lines, and writes again when possible."""

import fcntl
import json
import os
import resource
import signal

import httpx
import pytest

from tests.faults.conftest import WORKED, metric
from tests.patience import LIMIT_S, wait_until
from tests.servers import START_S, RealServer, running_server

_LIMIT_BYTES = 4096


def _bids(server: RealServer, count: int) -> None:
    with httpx.Client(base_url=server.url, timeout=LIMIT_S) as client:
        for number in range(count):
            assert client.post("/bid", json=WORKED | {"round_id": str(number)}).status_code == 200


def _dropped(server: RealServer, log: str = "access") -> float:
    return metric(server, f"spades_{log}_log_dropped_total")


def _stopped(server: RealServer) -> list[str]:
    """Stop the server; return its standard error."""
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(START_S) == 0
    assert server.process.stderr is not None
    return server.process.stderr.read().splitlines()


def _warnings(lines: list[str], log: str = "access") -> list[str]:
    assert not any("Traceback" in line for line in lines), lines
    return [line for line in lines if f"the {log} log can't be written" in line]


def test_a_full_disk_costs_lines_and_nothing_else(tmp_path):
    """The file can't exceed 4 KiB. When it can, lines are written again; the first has the number dropped."""
    path = tmp_path / "access.log"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        with running_server(stdout=descriptor, SPADES_ACCESS_LOG="1") as server:
            _, most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (_LIMIT_BYTES, most))
            _bids(server, 60)
            wait_until(lambda: _dropped(server) >= 60 - len(path.read_bytes().splitlines()), "not all are counted")
            dropped = _dropped(server)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, most))
            _bids(server, 3)

            def written() -> list[bytes]:
                return path.read_bytes()[_LIMIT_BYTES:].split(b"\n")[:-1]

            wait_until(lambda: len(written()) >= 3, "no line after the disk had room again")
            lines = [json.loads(line) for line in written() if line]
            told = [line["dropped"] for line in lines if "dropped" in line]
            assert lines[0]["status"] == 200
            assert told == [lines[0]["dropped"]]  # only the first line has it
            assert dropped <= told[0] == _dropped(server)
            assert len(_warnings(_stopped(server))) == 1
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("log", [pytest.param("access", marks=pytest.mark.long), "decision"])
def test_a_disk_that_stays_full(log):
    settings = {"SPADES_ACCESS_LOG": "1"} if log == "access" else {"SPADES_DECISION_LOG": "/dev/full"}
    descriptor = os.open("/dev/full", os.O_WRONLY)
    try:
        with running_server(stdout=descriptor, **({"SPADES_ACCESS_LOG": "0"} | settings)) as server:
            _bids(server, 50)
            wait_until(lambda: _dropped(server, log) >= 50)
            (warning,) = _warnings(_stopped(server), log)
            assert "No space left on device" in warning
    finally:
        os.close(descriptor)


def test_standard_output_is_shared_by_both_logs_and_its_reader_may_go():
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
            wait_until(lambda: _dropped(server) >= 50 and _dropped(server, "decision") >= 50)
            lines = _stopped(server)
            for log in ("access", "decision"):
                (warning,) = _warnings(lines, log)
                assert "Broken pipe" in warning
    finally:
        for descriptor in (reader, writer):
            if descriptor >= 0:
                os.close(descriptor)


def test_readers_that_hang_delay_neither_answers_nor_the_end(tmp_path):
    """Standard output and the decision log are full pipes that nobody reads."""
    path = tmp_path / "decisions"
    os.mkfifo(path)
    unread = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    reader, writer = os.pipe()
    for descriptor in (unread, writer):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _LIMIT_BYTES)
    try:
        with running_server(stdout=writer, SPADES_DECISION_LOG=str(path), SPADES_ACCESS_LOG="1") as server:
            _bids(server, 300)
            assert not _warnings(_stopped(server))
    finally:
        for descriptor in (unread, reader, writer):
            os.close(descriptor)

"""An access log that can't be written: the service answers, counts dropped lines, and writes again when possible."""

import json
import os
import resource
import signal

import httpx

from tests.faults.conftest import BODY
from tests.patience import LIMIT_S, get, wait_until
from tests.service.conftest import START_S, RealServer, running_server

_LIMIT_BYTES = 4096


def _bids(server: RealServer, count: int) -> None:
    with httpx.Client(base_url=server.url, timeout=LIMIT_S) as client:
        assert {client.post("/bid", content=BODY).status_code for _ in range(count)} == {200}


def _dropped(server: RealServer) -> float:
    text = get(f"{server.url}/metrics").text
    return float(text.partition("\nspades_access_log_dropped_total ")[2].split()[0])


def _stopped(server: RealServer) -> list[str]:
    """Stop the server; return its standard error."""
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(START_S) == 0
    assert server.process.stderr is not None
    return server.process.stderr.read().splitlines()


def _warnings(lines: list[str]) -> list[str]:
    assert not any("Traceback" in line for line in lines), lines
    return [line for line in lines if "access log" in line]


def test_a_full_disk_costs_lines_and_nothing_else(tmp_path):
    """The file can't exceed 4 KiB. When it is emptied, lines are written again; the first has the number dropped."""
    path = tmp_path / "access.log"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        with running_server(stdout=descriptor, SPADES_ACCESS_LOG="1") as server:
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (_LIMIT_BYTES, _LIMIT_BYTES))
            _bids(server, 60)
            full = _LIMIT_BYTES - 200
            wait_until(lambda: path.stat().st_size >= full and _dropped(server), "nothing is counted as dropped")
            written = len(path.read_bytes().splitlines())
            dropped = _dropped(server)
            assert dropped >= 60 - written
            os.truncate(path, 0)
            _bids(server, 3)
            wait_until(lambda: path.read_bytes().count(b"\n") >= 3, "no line after the file was emptied")
            lines = [json.loads(line) for line in path.read_bytes().splitlines() if line]
            told = [line["dropped"] for line in lines if "dropped" in line]
            assert lines[0]["status"] == 200
            assert told == [lines[0]["dropped"]]  # only the first line has it
            assert dropped <= told[0] == _dropped(server)
            assert len(_warnings(_stopped(server))) == 1
    finally:
        os.close(descriptor)


def test_dev_full_for_ever():
    descriptor = os.open("/dev/full", os.O_WRONLY)
    try:
        with running_server(stdout=descriptor, SPADES_ACCESS_LOG="1") as server:
            _bids(server, 50)
            wait_until(lambda: _dropped(server) >= 50)
            (warning,) = _warnings(_stopped(server))
            assert "No space left on device" in warning
    finally:
        os.close(descriptor)


def test_a_reader_that_has_gone():
    """Standard output is a pipe whose reader closes it while the service runs."""
    reader, writer = os.pipe()
    try:
        with running_server(stdout=writer, SPADES_ACCESS_LOG="1") as server:
            os.close(writer)
            writer = -1
            _bids(server, 1)
            assert json.loads(os.read(reader, 4096))["route"] == "/bid"
            os.close(reader)
            reader = -1
            _bids(server, 50)
            wait_until(lambda: _dropped(server) >= 50)
            (warning,) = _warnings(_stopped(server))
            assert "Broken pipe" in warning
    finally:
        for descriptor in (reader, writer):
            if descriptor >= 0:
                os.close(descriptor)

"""`--workers` if workers can't start or are killed: pauses, giving up, the directory of a killed supervisor."""

import os
import re
import shutil
import signal
import socket
from pathlib import Path

import pytest

from spades.tableset import DEFAULT_DIRECTORY
from tests.faults.conftest import BODY, children
from tests.faults.test_stopping import _alive, _ready
from tests.patience import post, wait_until
from tests.service.conftest import START_S, running_server

# Every Python process with this directory on PYTHONPATH imports it, so workers end at once while the file exists.
_CRASH = """import os, sys
if "work" in sys.orig_argv and os.path.exists({flag!r}):
    os.write(os.open({flag!r}, os.O_WRONLY | os.O_APPEND), b"x")
    os._exit(3)
"""


def _stderr(server):
    assert server.process.stderr is not None
    return server.process.stderr.read()


@pytest.mark.slow
def test_tables_that_break_end_the_service_after_a_few_starts(tmp_path):
    """Then the port is closed, so that callers are refused instead of kept waiting."""
    directory = tmp_path / "data"
    shutil.copytree(DEFAULT_DIRECTORY, directory)
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(directory)) as server:
        _ready(server)
        (directory / "manifest.json").unlink()
        workers = children(server.process.pid)
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        assert server.process.wait(2 * START_S) == 1
        with (
            pytest.raises(ConnectionRefusedError),
            socket.create_connection(("127.0.0.1", server.port), timeout=START_S),
        ):
            pass
        lines = _stderr(server).splitlines()
        # One of the two places fails 5 times in a row. Its first failure has no such line if the worker was killed
        # before it was ready. On a slow machine the other place may start fewer workers.
        assert 4 <= sum("manifest.json: not found" in line for line in lines) <= 12
        (end,) = (line for line in lines if "stopping" in line)
        assert "workers in a row ended before they were ready, and none is up" in end


@pytest.mark.slow
def test_one_that_cannot_start_beside_one_that_serves(tmp_path):
    """The other worker still serves; pauses get longer; after a stop during a pause no worker starts."""
    flag = tmp_path / "crash"
    (tmp_path / "sitecustomize.py").write_text(_CRASH.format(flag=str(flag)))
    with running_server("--workers", "2", PYTHONPATH=str(tmp_path)) as server:
        _ready(server)
        wait_until(lambda: len(children(server.process.pid)) == 2)
        flag.touch()
        os.kill(children(server.process.pid)[0], signal.SIGKILL)

        def crashed_five_times():
            assert post(f"{server.url}/bid", content=BODY).status_code == 200
            return flag.stat().st_size >= 5

        wait_until(crashed_five_times)
        wait_until(lambda: len(children(server.process.pid)) == 1)  # the supervisor pauses for 8 s
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0
        assert flag.stat().st_size == 5
        pauses = [float(pause) for pause in re.findall(r"ended with 3; starting another in (\S+) s", _stderr(server))]
        assert len(pauses) == 5
        assert pauses == [pauses[0] * 2.0**index for index in range(len(pauses))]


@pytest.mark.slow
def test_a_killed_supervisor_leaves_no_directory(tmp_path):
    """Its workers remove it. If they are killed too, the next supervisor removes it."""
    with running_server("--workers", "2", TMPDIR=str(tmp_path), SPADES_DRAIN_S="0") as server:
        _ready(server)
        (directory,) = tmp_path.iterdir()
        assert directory.name.startswith(f"spades-metrics-{server.process.pid}-")
        workers = children(server.process.pid)
        server.process.kill()
        wait_until(lambda: not any(_alive(pid) for pid in workers))
        wait_until(lambda: list(tmp_path.iterdir()) == [])
    with running_server("--workers", "2", TMPDIR=str(tmp_path)) as server:
        workers = children(server.process.pid)
        server.process.kill()
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(_alive(pid) for pid in workers))
        (left,) = tmp_path.iterdir()
        server.process.wait(START_S)
    with running_server(TMPDIR=str(tmp_path)):
        assert Path(left).is_dir()  # a server without workers has no such directory and removes none
    with running_server("--workers", "2", TMPDIR=str(tmp_path)) as server:
        assert [path.name.split("-")[2] for path in tmp_path.iterdir()] == [str(server.process.pid)]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0
    assert list(tmp_path.iterdir()) == []

"""The log of a serving process, as lines of JSON, and the check of its address."""

import json
import logging
import socket
import subprocess

import pytest

from service.log import JsonLines
from service.server import check_address
from service.settings import SettingsError
from tests.service.conftest import START_S, serve_command


def test_every_line_of_a_server_is_json(serve, tmp_path):
    with serve(stdout=subprocess.DEVNULL, SPADES_NO_SUCH="1") as server:
        server.process.terminate()
        server.process.wait(START_S)
        lines = [json.loads(line) for line in [*server.log, *server.process.stderr]]
    assert all({"time", "level", "message"} <= line.keys() for line in lines)
    assert lines[0]["level"] == "warning"
    assert "SPADES_NO_SUCH" in lines[0]["message"]
    assert any("running on http" in line["message"] for line in lines)


def test_a_record_with_a_stack_trace_is_one_line():
    try:
        raise ValueError("half \ud800 of a pair")
    except ValueError as error:
        record = logging.LogRecord("service", logging.ERROR, "", 0, "%s failed", ("/bid\n",), (ValueError, error, None))
    line = JsonLines().format(record)
    assert "\n" not in line
    fields = json.loads(line)
    assert (fields["level"], fields["message"]) == ("error", "/bid\n failed")
    assert fields["exception"].startswith("ValueError: half")


@pytest.mark.parametrize("more", [[], ["--workers=2"]])
def test_a_busy_port_is_reported_before_the_tables_are_read(more, tmp_path):
    """A directory without tables is reported later."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        command = serve_command(*more)
        command[command.index("0")] = str(other.getsockname()[1])
        done = subprocess.run(
            command,
            env={"SPADES_TABLES_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "Address already in use; accepted: a free address" in json.loads(line)["message"]


def test_a_free_address_is_accepted():
    check_address("127.0.0.1", 0)
    check_address("localhost", 0)
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(SettingsError, match="accepted: a free address"),
    ):
        check_address("127.0.0.1", other.getsockname()[1])

"""The check of the address before the start."""

import json
import socket

import pytest

from service.server import check_address
from service.settings import Settings, SettingsError
from tests.servers import refused_start


@pytest.mark.server
@pytest.mark.parametrize("more", [[], ["--workers=2"]])
def test_a_busy_port_is_reported_before_the_tables_are_read(more, tmp_path):
    """A directory without tables is reported later, and an unknown setting before."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        lines = refused_start("--port", port, *more, SPADES_TABLES_DIR=str(tmp_path), SPADES_QEUE_MS="1")
    unknown, busy = (json.loads(line)["message"] for line in lines)
    assert unknown.startswith("SPADES_QEUE_MS is set, but there is no such setting")
    assert "Address already in use; accepted: a free address" in busy


def test_a_free_address_is_accepted():
    check_address(Settings(), "127.0.0.1", 0)
    check_address(Settings(), "localhost", 0)
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(SettingsError, match="accepted: a free address"),
    ):
        check_address(Settings(), "127.0.0.1", other.getsockname()[1])


@pytest.mark.parametrize(("host", "port"), [("192.0.2.1", 0), ("no-such-host.invalid", 0), ("127.0.0.1", 9464)])
def test_an_address_that_cannot_be_used_is_refused(host, port):
    with pytest.raises(SettingsError, match="accepted: "):
        check_address(Settings(metrics_address=("127.0.0.1", 9464)), host, port)

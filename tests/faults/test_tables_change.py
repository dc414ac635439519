"""Tables that change on disk while the service runs: no more bids, and /readyz says why."""

import os
import shutil
import signal
import time

import pytest

from spades.tableset import DEFAULT_DIRECTORY
from tests.faults.conftest import BODY, ready
from tests.patience import get, post, wait_until
from tests.servers import START_S, running_server


def _overwrite(path):
    """Overwrite a file with other content of the same size, as `cp` and `rsync --inplace` do."""
    content = bytearray(path.read_bytes())
    content[-1000:] = bytes(1000)
    with path.open("r+b") as file:
        file.write(content)


def _replace(path):
    """Replace a file by a new file with the same content."""
    copy = path.with_suffix(".new")
    shutil.copy2(path, copy)
    copy.rename(path)


def _statuses(server, count):
    """Return the statuses of /readyz and of a bid, each requested ``count`` times on new connections."""
    ready = {get(f"{server.url}/readyz").status_code for _ in range(count)}
    return ready, {post(f"{server.url}/bid", content=BODY).status_code for _ in range(count)}


@pytest.mark.parametrize(
    ("name", "change", "arguments"),
    [
        pytest.param("win.npy", _overwrite, (), marks=pytest.mark.long),
        pytest.param("win.npy", _replace, (), marks=pytest.mark.long),
        ("cnil.npy", lambda path: path.unlink(), ()),
        pytest.param("manifest.json", lambda path: os.utime(path, ns=(0, 0)), (), marks=pytest.mark.long),
        pytest.param("win.npy", _overwrite, ("--workers", "2"), marks=pytest.mark.long),
    ],
    ids=["overwritten", "replaced", "gone", "touched", "overwritten, 2 workers"],
)
def test_changed_tables_are_bid_from_no_more(tmp_path, name, change, arguments):
    directory = tmp_path / "data"
    shutil.copytree(DEFAULT_DIRECTORY, directory)
    with running_server(*arguments, SPADES_TABLES_DIR=str(directory), SPADES_DRAIN_S="0") as server:
        ready(server)
        time.sleep(1.2)  # the service checks, and finds nothing
        assert _statuses(server, 4) == ({200}, {200})
        change(directory / name)
        wait_until(lambda: _statuses(server, 8) == ({503}, {503}), "it bids from tables that have changed")
        reason = f"the tables changed on disk ({name}); restart the service"
        for path, body in (
            ("/bid", {}),
            ("/v1/bid", {}),
            ("/v1/bids", {"requests": []}),
            ("/v1/bid/blind", {}),
            ("/readyz", None),
        ):
            url = f"{server.url}{path}"
            response = get(url) if body is None else post(url, json=body)
            assert response.status_code == 503, path
            assert response.json()["type"] == "/problems/not-ready"
            assert response.json()["detail"] == reason
            assert response.headers["retry-after"] == "1"
        assert get(f"{server.url}/healthz").status_code == 200
        assert "\nspades_ready 0.0\n" in get(f"{server.url}/metrics").text
        time.sleep(1.2)  # the service checks again
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0
        assert server.process.stderr is not None
        lines = [line for line in server.process.stderr.read().splitlines() if "changed on disk" in line]
        assert len(lines) == (2 if arguments else 1)
        assert str(directory / name) in lines[0]

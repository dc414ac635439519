"""A new table set under load: a rolling restart reads it, no request is lost, and a broken set changes nothing."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from tests.faults.conftest import Load, ready, restart
from tests.patience import post, wait_until
from tests.servers import START_S, running_server, workers
from tests.service.made_sets import HAND, Folder


@pytest.mark.slow
def test_a_new_set_comes_with_a_rolling_restart(folder: Folder, made_sets: tuple[Path, tuple[str, ...]]):
    old, new, _ = made_sets[1]
    folder.link(old, new)
    folder.releases(default=old)
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(folder.path)) as server:
        ready(server)

        async def run() -> Load:
            load = Load(server.port, callers=4, body=json.dumps(HAND).encode())
            task = asyncio.create_task(load.run())
            await load.answered(50, tables=old)
            folder.releases(default=new)
            await restart(server)
            await load.answered(50, tables=new)
            load.stop()
            await task
            return load

        load = asyncio.run(run())
        assert load.statuses.keys() == {200}
        assert (load.lost_at, load.refused) == ([], 0)
        assert load.tables.keys() == {old, new}
        assert post(f"{server.url}/bid", json=HAND).json()["tables"] == new


@pytest.mark.slow
def test_a_broken_set_leaves_the_old_workers_serving(folder: Folder, made_sets: tuple[Path, tuple[str, ...]]):
    old, new, _ = made_sets[1]
    folder.link(old)
    broken = folder.copy(new)
    (broken / "factor.npy").write_bytes(b"broken")
    folder.releases(default=old)
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(folder.path)) as server:
        ready(server)
        before = workers(server.process.pid)
        folder.releases(default=new)
        assert server.process.stderr is not None
        reasons: list[str] = []
        while not any(
            "factor.npy" in reason for reason in reasons
        ):  # a busy machine may end a worker before it says why
            server.process.send_signal(signal.SIGHUP)
            for line in server.process.stderr:
                reasons.append(json.loads(line)["message"])
                if "aborting the restart" in line:
                    break
        wait_until(lambda: workers(server.process.pid) == before)  # the list may lack one while another child ends
        assert post(f"{server.url}/bid", json=HAND).json()["tables"] == old
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0

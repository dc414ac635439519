"""`--workers`: workers that are killed, restarted or can't start, and the directory of their metrics."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys

import pytest

from tests.faults.conftest import BODY, Load, alive, metric, ready, restart
from tests.patience import post, wait_until
from tests.servers import START_S, running_server, workers
from tests.service.conftest import ROOT


@pytest.mark.long  # test_new_tables.py has one restart for every run
def test_rolling_restarts_under_load_lose_no_request():
    with running_server("--workers", "2") as server:
        ready(server)

        async def run() -> Load:
            load = Load(server.port, closing=4)
            task = asyncio.create_task(load.run())
            await load.answered(50)
            for _ in range(20):
                await restart(server)
                await load.answered(50)
            load.stop()
            await task
            return load

        load = asyncio.run(run())
        assert load.statuses.keys() == {200}
        assert load.lost_at == []
        assert load.refused == 0
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0


def test_one_worker_ignores_sighup_and_says_why():
    with running_server() as server:
        server.process.send_signal(signal.SIGHUP)
        assert server.process.stderr is not None
        line = next(line for line in server.process.stderr if "SIGHUP" in line)
        assert "needs --workers 2 or more" in line
        assert post(f"{server.url}/bid", content=BODY).status_code == 200


@pytest.mark.long
def test_a_worker_that_cannot_start_does_not_stop_the_other(tmp_path):
    """It is started again and again, and serves as soon as the tables are mended.

    Without a setting, the metrics of the workers are in a temporary folder, which goes with the service.
    """
    directory = tmp_path / "data"
    shutil.copytree(ROOT / "tables/data", directory)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(directory), TMPDIR=str(temporary)) as server:
        ready(server)
        assert [path.name.startswith("spades-metrics-") for path in temporary.iterdir()] == [True]
        manifest = (directory / "manifest.json").read_text()
        (directory / "manifest.json").write_text("{")
        first, second = workers(server.process.pid)
        os.kill(first, signal.SIGKILL)
        failed: set[int] = set()

        def failed_twice() -> bool:
            failed.update({*workers(server.process.pid)} - {first, second})
            return len(failed) >= 3

        wait_until(failed_twice)
        assert alive(second)
        (directory / "manifest.json").write_text(manifest)
        wait_until(lambda: len(workers(server.process.pid)) == 2)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0
    assert list(temporary.iterdir()) == [], "the service did not remove the folder of its metrics"


@pytest.mark.slow
def test_the_directory_of_metrics_is_emptied_at_the_start(tmp_path):
    """Counts of earlier processes are no counts of this one."""
    script = "from service.metrics import Metrics; Metrics().counter('spades_shed', 'rate').inc(5)"
    own = tmp_path / "own"
    own.mkdir()
    environment = {"PROMETHEUS_MULTIPROC_DIR": str(own)}
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=os.environ | environment, check=True)
    assert list(own.glob("*.db"))
    with running_server("--workers", "2", **environment) as server:
        ready(server)
        assert metric(server, r'spades_shed_total\{reason="rate"\}') == 0

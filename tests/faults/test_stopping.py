"""Killed workers and stops under load: which requests are lost."""

import asyncio
import os
import signal
import time
from functools import partial

import pytest

from tests.faults.conftest import Load, alive, ready
from tests.patience import get, wait_until
from tests.servers import START_S, running_server, workers

DRAIN_S = 3.0


@pytest.mark.parametrize("attempt", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, 20))])
def test_sigterm_under_load_loses_no_request(attempt):
    """Every request that was sent before the signal gets a 200; later ones get one while the service drains."""
    with running_server(SPADES_DRAIN_S=str(DRAIN_S)) as server:

        async def run():
            load = Load(server.port)
            task = asyncio.create_task(load.run())
            await load.answered(50)
            signalled_at = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            await load.answered(50)
            while server.process.poll() is None:
                await asyncio.sleep(0.05)
            load.stop()
            await task
            return load, signalled_at

        load, signalled_at = asyncio.run(run())
        assert server.process.returncode == 0
        assert load.statuses.keys() == {200}
        after_the_drain = signalled_at + DRAIN_S - 0.1
        assert all(sent_at > after_the_drain for sent_at in load.lost_at)
        assert load.refused > 0


@pytest.mark.slow
def test_a_killed_worker_returns_and_the_other_serves_meanwhile():
    with running_server("--workers", "2") as server:
        ready(server)
        before = workers(server.process.pid)
        assert len(before) == 2

        async def run():
            load = Load(server.port)
            task = asyncio.create_task(load.run())
            await load.answered(100)
            os.kill(before[0], signal.SIGKILL)
            worker_pids = partial(workers, server.process.pid)
            await asyncio.to_thread(wait_until, lambda: len(set(worker_pids()) - {before[0]}) == 2)
            await load.answered(100)
            load.stop()
            await task
            return load

        load = asyncio.run(run())
        assert load.statuses.keys() == {200}
        assert load.unanswered <= 8  # one request on each connection
        assert load.refused == 0

        def shows_the_living() -> bool:
            """The gauges of the dead worker go as soon as its parent has noticed its end."""
            found = get(f"{server.url}/metrics").text
            return "spades_tables_info{" in found and "\nspades_http_requests_in_flight 1.0\n" in found

        wait_until(shows_the_living)
        text = get(f"{server.url}/metrics").text
        counted = float(text.partition('spades_http_requests_total{route="/bid",status="200"} ')[2].split()[0])
        # The dead worker may have answered once on each connection without counting it, or counted an answer that did
        # not leave.
        assert -8 <= counted - load.statuses[200] <= load.unanswered
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0


@pytest.mark.slow
@pytest.mark.parametrize("started", [True, False], ids=["ready", "starting"])
def test_workers_end_with_a_killed_parent(started):
    """Nothing would stop or restart them, and their port must become free. This holds for starting workers too."""
    with running_server("--workers", "2", started=started, SPADES_DRAIN_S="0") as server:
        if started:
            ready(server)
        wait_until(lambda: len(workers(server.process.pid)) == 2)
        started_workers = workers(server.process.pid)
        server.process.kill()
        wait_until(lambda: not any(alive(pid) for pid in started_workers), "a worker outlives its parent")

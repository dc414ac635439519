"""A new table set under load: a rolling restart reads it, no request is lost, and a broken set changes nothing."""

import asyncio
import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.conftest import request_bytes, restart
from tests.faults.test_stopping import _ready
from tests.patience import post, wait_until
from tests.service.conftest import START_S, running_server, workers
from tests.service.made_sets import HAND, Folder

_BODY = json.dumps(HAND).encode()


class _Callers:
    """Callers that send the same bid without a pause; count their answers by table set, and the lost ones."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._stopping = False
        self.by_version: Counter[str] = Counter()
        self.lost: list[str] = []

    async def run(self) -> None:
        await asyncio.gather(*(self._call() for _ in range(4)))

    def stop(self) -> None:
        self._stopping = True

    async def answered(self, version: str, count: int = 50) -> None:
        """Wait until a set has answered ``count`` more bids."""
        before = self.by_version[version]
        await asyncio.to_thread(wait_until, lambda: self.by_version[version] >= before + count)

    async def _call(self) -> None:
        while not self._stopping:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            except OSError as error:
                self.lost.append(repr(error))
                await asyncio.sleep(0.02)
                continue
            try:
                open_for_more = True
                while open_for_more and not self._stopping:
                    writer.write(request_bytes(_BODY))
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = int(head.lower().partition(b"content-length:")[2].split()[0])
                    answer = json.loads(await reader.readexactly(length))
                    self.by_version[answer.get("tables") or str(answer)] += 1
                    open_for_more = b"connection: close" not in head.lower()
            except (OSError, asyncio.IncompleteReadError) as error:
                self.lost.append(repr(error))
            finally:
                writer.close()


@pytest.mark.slow
def test_a_new_set_comes_with_a_rolling_restart(folder: Folder, made_sets: tuple[Path, tuple[str, ...]]):
    old, new, _ = made_sets[1]
    folder.link(old, new)
    folder.releases(default=old)
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(folder.path)) as server:
        _ready(server)  # the start is logged before the workers listen

        async def run() -> _Callers:
            callers = _Callers(server.port)
            task = asyncio.create_task(callers.run())
            await callers.answered(old)
            folder.releases(default=new)
            await restart(server)
            await callers.answered(new)
            callers.stop()
            await task
            return callers

        callers = asyncio.run(run())
        assert callers.lost == []
        assert set(callers.by_version) == {old, new}
        assert post(f"{server.url}/bid", json=HAND).json()["tables"] == new


@pytest.mark.slow
def test_a_broken_set_leaves_the_old_workers_serving(folder: Folder, made_sets: tuple[Path, tuple[str, ...]]):
    old, new, _ = made_sets[1]
    folder.link(old)
    broken = folder.copy(new)
    (broken / "factor.npy").write_bytes(b"broken")
    folder.releases(default=old)
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(folder.path)) as server:
        _ready(server)
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

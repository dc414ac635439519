"""SIGHUP to real servers under load: no request is lost, each answer is that of the set that it names."""

import itertools
import os
import random
import re
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from threading import Thread
from typing import Any

import orjson
import pytest

from service.settings import Settings
from service.table_sets import open_sets
from tests.faults.conftest import ask, children, metric, request_bytes, status_number
from tests.faults.test_stopping import _ready
from tests.patience import LIMIT_S, wait_until
from tests.service.conftest import START_S, RealServer, running_server
from tests.service.made_sets import Folder, expected, make_set

HANDS = ("AKJ62.AQ.Q.K9543", "Q74.KQ3.AJ84.Q62", "AQT9752..K83.A74", "T8642.9.K5.AQJ83", "K5.AJ62.KQ87.J42")
CALLERS = 8
PIPELINED = 8  # requests that a caller sends together
ANSWERS = 20  # right ones of the new default, before the next swap
RATE = float(os.environ.get("SWAP_RATE", "5000"))  # requests/s of the long test
POLICIES = ("bis", "bis", "rb", "winprob")
MORE_TRICKS = {"a": 0.0, "b": 1.5, "c": -1.5}  # the sets by name


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Folder, dict[str, str]]:
    """A folder with sets a and b, of which only a is linked; the versions by name."""
    directory = tmp_path_factory.mktemp("swapped")
    (directory / "made").mkdir()
    versions = {name: make_set(directory / "made", f"1.{name}", more) for name, more in MORE_TRICKS.items()}
    return Folder(directory / "sets", directory / "made"), versions


@pytest.fixture
def folder(made) -> Folder:
    """The folder with the sets a and b, a by default."""
    folder, versions = made
    for path in folder.path.iterdir():
        path.unlink()
    folder.link(versions["a"], versions["b"])
    folder.releases(default=versions["a"])
    return folder


@pytest.fixture(scope="module")
def exchanges(made) -> list[tuple[bytes, dict[bytes, str]]]:
    """Requests, each with its right answers and the version that gives each; one answer if it names a version."""
    folder, versions = made
    sets = open_sets(Settings(tables_dir=folder.path.parent / "made", tables_version=versions["a"]))
    found = []
    for hand, policy, named in itertools.product(HANDS, POLICIES, (None, None, versions["a"], versions["b"])):
        request: dict[str, Any] = {"hand": hand, "previous_bids": [3], "seat": 1, "policy": policy}
        request["explain"] = policy != "winprob"  # its explanation would take half of the server's time
        answers = {v: orjson.dumps(expected(sets, v, request)) for v in versions.values() if named in (None, v)}
        if named is not None:
            request["tables"] = named
        found.append((request_bytes(orjson.dumps(request)), {answer: version for version, answer in answers.items()}))
    return found


class Load:
    """Callers that ask for bids until the block ends; each answer is compared with that of the set that it names.

    One thread sends `PIPELINED` requests on each of `CALLERS` connections and then reads all answers, because the
    server and its load share the machine: asyncio with one request at a time took as much time as the server.
    """

    def __init__(self, server: RealServer, exchanges: list[tuple[bytes, dict[bytes, str]]], rate: float) -> None:
        self._port = server.port
        self._exchanges = exchanges
        self._pause_s = CALLERS * PIPELINED / rate
        self._stopping = False
        self._thread = Thread(target=self._run)
        self.right: Counter[str] = Counter()  # answers by version
        self.wrong: list[bytes] = []

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._thread.join()

    def wait_for(self, version: str, count: int) -> None:
        """Wait for ``count`` more right answers of a set, or for the load's end."""
        before = self.right[version]
        while self.right[version] < before + count and self._thread.is_alive():
            time.sleep(0.005)

    def _run(self) -> None:
        rng = random.Random(1)
        with ExitStack() as stack:
            address = ("127.0.0.1", self._port)
            callers = [stack.enter_context(socket.create_connection(address, timeout=LIMIT_S)) for _ in range(CALLERS)]
            due = time.monotonic()
            while not self._stopping:
                asked = [rng.choices(self._exchanges, k=PIPELINED) for _ in callers]
                for caller, exchanges in zip(callers, asked, strict=True):
                    caller.sendall(b"".join(request for request, _ in exchanges))
                for caller, exchanges in zip(callers, asked, strict=True):
                    self._read(caller, [versions for _, versions in exchanges])
                due = max(due + self._pause_s, time.monotonic() - 1.0)
                if due > time.monotonic():
                    time.sleep(due - time.monotonic())

    def _read(self, caller: socket.socket, expected: list[dict[bytes, str]]) -> None:
        data = b""
        for versions in expected:
            while b"\r\n\r\n" not in data:
                data += _received(caller)
            head, _, data = data.partition(b"\r\n\r\n")
            size = int(head.rpartition(b"content-length: ")[2])
            while len(data) < size:
                data += _received(caller)
            body, data = data[:size], data[size:]
            if head.startswith(b"HTTP/1.1 200 ") and body in versions:
                self.right[versions[body]] += 1
            else:
                self.wrong.append(head + body)


def _received(caller: socket.socket) -> bytes:
    data = caller.recv(65_536)
    if not data:
        raise ConnectionError("the connection was closed before the last answer")
    return data


def _swapped(server: RealServer, default: str) -> None:
    """Send SIGHUP, and wait until another set is the default."""
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: _default(server) == default, f"{default} is not the default")


def _default(server: RealServer) -> str:
    return str(orjson.loads(ask(server, b"GET /readyz HTTP/1.1\r\nHost: service\r\n\r\n")[2])["tables"])


def _counted(server: RealServer, text: str, count: float) -> None:
    """Wait until a metric has a value; its text is new only once a second."""
    wait_until(lambda: metric(server, text) == count, f"{text} is not {count}")


@pytest.mark.parametrize(
    ("swaps", "rate"),
    [pytest.param(5, 300.0, id="5"), pytest.param(100, RATE, id="100", marks=pytest.mark.long)],
)
def test_swaps_under_load(made, folder, exchanges, swaps, rate, capsys):
    """The default changes with each SIGHUP. A third set comes and goes; a broken one is refused meanwhile."""
    versions = made[1]
    a, b, c = versions.values()
    settings = {"SPADES_TABLES_DIR": str(folder.path), "SPADES_ACCESS_LOG": "0"}
    with running_server(**settings) as server:
        memory = []
        load, started = Load(server, exchanges, rate), time.monotonic()
        with load:
            for swap in range(1, swaps + 1):
                if swap % 2:
                    folder.link(c)
                    folder.releases(default=b, canary=f"{a}:0.5")
                else:
                    folder.remove(c)
                    folder.releases(default=a, shadow=b)
                if swap % 3 == 0:
                    (folder.path / "7.7+0").symlink_to(folder.path / a)
                _swapped(server, b if swap % 2 else a)
                (folder.path / "7.7+0").unlink(missing_ok=True)
                load.wait_for(b if swap % 2 else a, ANSWERS)
                memory.append(status_number(server.process.pid, "RssAnon"))
        reached = load.right.total() / (time.monotonic() - started)
        assert load.wrong == []
        assert load.right.total() > ANSWERS * swaps
        assert load.right.keys() == {a, b}
        _counted(server, 'spades_tables_reloads_total{result="done"}', swaps)
        _counted(server, 'spades_tables_refused_total{reason="version"}', swaps // 3)
        _counted(server, 'spades_http_requests_total{route="/bid",status="200"}', load.right.total())
        assert metric(server, "spades_shadow_bids_total{.*}") > 0
        if swaps >= 20:
            with capsys.disabled():
                print(f"\n{swaps} swaps, {load.right.total()} right answers, {reached:.0f} a second of {rate:g}")
                print(f"anonymous memory: {memory[9]} KiB after 10 swaps, {memory[-1]} KiB at last")
            assert memory[-1] - memory[9] < 4096


def _mappings(pid: int, directory: str) -> dict[str, list[str]]:
    """The addresses at which each table file is mapped."""
    found: dict[str, list[str]] = {}
    with open(f"/proc/{pid}/maps") as file:
        for line in file:
            address, *_, path = line.split()
            if path.startswith(directory):
                found.setdefault(path, []).append(address)
    return found


def test_no_file_is_mapped_twice_and_old_ones_stay_where_they_are(made, folder):
    made_folder, versions = made
    directory = str(made_folder.path.parent / "made")
    a, b, c = versions.values()
    with running_server(SPADES_TABLES_DIR=str(folder.path)) as server:
        first = _mappings(server.process.pid, directory)
        assert _sets_of(first) == {a, b}
        folder.link(c)
        folder.remove(b)
        folder.releases(default=c)
        _swapped(server, c)
        # The reload itself holds the old sets until it ends, a moment after the new default answers.
        wait_until(lambda: _sets_of(_mappings(server.process.pid, directory)) == {a, c}, f"{b} is still mapped")
        second = _mappings(server.process.pid, directory)
        assert all(len(addresses) == 1 for addresses in second.values())
        kept = [{path: at for path, at in found.items() if f"/{a}/" in path} for found in (first, second)]
        assert kept[0] == kept[1]


def _defaults(server: RealServer, count: int) -> set[str]:
    """What answers on many new connections, of which each worker gets some."""
    return {_default(server) for _ in range(count)}


def _sets_of(mappings: Iterable[str]) -> set[str]:
    """Return the versions of the sets whose files are mapped."""
    return {path.split("/")[-2] for path in mappings}


@pytest.mark.slow
def test_the_supervisor_passes_sighup_on(made, folder):
    versions = made[1]
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(folder.path)) as server:
        _ready(server)
        assert _defaults(server, 20) == {versions["a"]}
        workers = children(server.process.pid)
        folder.releases(default=versions["b"])
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: _defaults(server, 20) == {versions["b"]})
        assert children(server.process.pid) == workers
        for name, is_default in (("a", 0.0), ("b", 1.0)):
            version = re.escape(versions[name])
            _counted(server, f'spades_tables_open{{role="default",version="{version}"}}', is_default)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0


@pytest.mark.slow
def test_sighup_does_not_end_a_worker_that_starts(made, folder):
    """It reads the tables again once it is ready."""
    with running_server("--workers", "2", SPADES_TABLES_DIR=str(folder.path), SPADES_DRAIN_S="0") as server:
        _ready(server)
        first, _ = workers = children(server.process.pid)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: set(children(server.process.pid)) - set(workers))
        new = set(children(server.process.pid)) - set(workers)
        folder.releases(default=made[1]["b"])

        def swapped() -> bool:
            server.process.send_signal(signal.SIGHUP)
            return _defaults(server, 10) == {made[1]["b"]}

        wait_until(swapped)
        _ready(server)
        assert set(children(server.process.pid)) >= new
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0


def test_a_refused_folder_is_logged_and_the_service_goes_on(made, folder):
    versions = made[1]
    with running_server(SPADES_TABLES_DIR=str(folder.path), SPADES_DRAIN_S="0") as server:
        folder.releases(default="7.7+0")
        server.process.send_signal(signal.SIGHUP)
        _counted(server, 'spades_tables_refused_total{reason="folder"}', 1)
        assert _default(server) == versions["a"]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(START_S) == 0
        assert server.process.stderr is not None
        (line,) = (line for line in server.process.stderr.read().splitlines() if "stay as they are" in line)
        assert f"default is '7.7+0'; expected one of {versions['a']}, {versions['b']}" in line

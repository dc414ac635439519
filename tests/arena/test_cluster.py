"""Chunks on a real Dask cluster of two workers, one of which is killed.

The commands are those of docs/how-to/several-machines.md.
"""

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from arena import cluster
from arena.chunks import LocalThreads
from arena.cluster import DaskCluster
from arena.engine.simulate import kernel_tables
from arena.errors import BuildError
from arena.match import Match, play
from arena.result import describe_match
from loadtest.servers import free_port
from spades.tableset import open_tables
from tables.run.build import build
from tables.run.family import Family

pytestmark = pytest.mark.compiled

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/several-machines.md"
SCHEDULER, WORKER, ARENA, BUILD = re.findall(r"^```sh\n(.+)\n```$", PAGE.read_text(), re.MULTILINE)
START_S = 300.0


class RealCluster:
    """A scheduler and two workers, started as the page shows, in a directory that is not the checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "SCHEDULER": self.address,
            "DASK_TEMPORARY_DIRECTORY": str(folder),
        }
        self.processes: list[subprocess.Popen] = []
        self.start(SCHEDULER)
        self.workers = [self.start(WORKER) for _ in range(2)]

    def start(self, command: str) -> subprocess.Popen:
        with (self.folder / f"{len(self.processes)}.log").open("w") as log:
            process = subprocess.Popen(
                ["bash", "-c", command],
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    def run(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Warning" not in done.stderr
        return done.stdout

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def kill(self, process: subprocess.Popen) -> None:
        """Kill a command and the processes that it started."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(START_S)

    def stop(self) -> None:
        for process in self.processes:
            self.kill(process)


@pytest.fixture(scope="module")
def real_cluster(tmp_path_factory) -> Iterator[RealCluster]:
    running = RealCluster(tmp_path_factory.mktemp("cluster"))
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cluster, "CONNECT_S", START_S)
            with DaskCluster(running.address) as executor:
                assert executor.client is not None
                executor.client.wait_for_workers(2, timeout=START_S)
            yield running
    finally:
        running.stop()


class KillOne:
    """The cluster's executor, which kills a worker after three chunks and counts the chunks after that."""

    def __init__(self, executor: DaskCluster, running: RealCluster) -> None:
        self.executor, self.running, self.after = executor, running, 0

    def map(self, fn, indices):
        for number, result in enumerate(self.executor.map(fn, indices)):
            if number == 2:
                self.running.kill(self.running.workers[0])
            self.after += number > 2
            yield result


@pytest.mark.slow
def test_a_match_survives_the_death_of_a_worker(real_cluster):
    match = Match("bis", "rb", pairs=15_000, seed=3)
    opened = open_tables()
    tables = kernel_tables(opened.arrays)
    alone = play(match, tables, LocalThreads(1))
    with DaskCluster(real_cluster.address) as executor:
        assert executor.client is not None
        executor.client.wait_for_workers(2, timeout=START_S)
        killing = KillOne(executor, real_cluster)
        together = play(match, tables, killing)
        left = len(executor.client.nthreads())
    assert killing.after > 30  # most chunks were done after the kill
    assert left == 1
    assert together.scores.tobytes() == alone.scores.tobytes()
    texts = [describe_match(match, played, opened).to_json(timing=False) for played in (alone, together)]
    assert texts[0].encode() == texts[1].encode()


def _histogram(ctx):
    n = ctx.size("draws")

    def draw(index, seed):
        assert ctx.executor is not None
        return {"histogram": np.bincount(np.random.default_rng(seed).integers(0, 7, n), minlength=7)}

    return {"histogram": ctx.chunks("draws", 12, draw)["histogram"].astype(np.int64)}


FAMILY = Family("dice", 1, _histogram, {"histogram": ("face",)}, sizes={"draws": 1000})


@pytest.mark.slow
def test_a_build_on_the_cluster_gives_the_same_bytes(real_cluster, tmp_path):
    folders = [tmp_path / "alone", tmp_path / "together"]
    build(folders[0], (FAMILY,), checkpoints=tmp_path / "work-0", progress=False)
    with DaskCluster(real_cluster.address) as executor:
        build(folders[1], (FAMILY,), checkpoints=tmp_path / "work-1", executor=executor, progress=False)
    names = sorted(path.name for path in folders[0].iterdir())
    assert names == ["histogram.npy", "manifest.json"]
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


@pytest.mark.slow
def test_the_documented_commands(real_cluster):
    assert "# bis v rb" in real_cluster.run(ARENA)
    assert "p_length: made p_length" in real_cluster.run(BUILD)
    assert (real_cluster.folder / "trial/p_length.npy").exists()


@pytest.mark.slow
def test_large_tables_are_sent_once(real_cluster):
    """Dask warns about functions over 10 MB that are sent with each chunk, and warnings are errors here."""
    large = np.arange(2_000_000)
    with DaskCluster(real_cluster.address) as executor:
        found = dict(executor.map(lambda index: {"sum": large[: index + 1].sum()}, range(40)))
    assert {index: arrays["sum"] for index, arrays in found.items()} == {n: n * (n + 1) // 2 for n in range(40)}


@pytest.mark.slow
def test_short_chunks_share_a_task(real_cluster, monkeypatch):
    """A task takes some milliseconds, whatever it does."""

    def long_chunk(index):
        time.sleep(1.1)
        return {}

    with DaskCluster(real_cluster.address) as executor:
        assert executor.client is not None
        submitted, submit = [], executor.client.submit

        def counted(function, payload, code, chunks, key):
            submitted.append(chunks)
            return submit(function, payload, code, chunks, key=key)

        monkeypatch.setattr(executor.client, "submit", counted)
        found = dict(executor.map(lambda index: {"index": np.array(index)}, range(5000)))
        assert found == {index: {"index": index} for index in range(5000)}
        assert sorted(itertools.chain.from_iterable(submitted)) == list(range(5000))
        assert len(submitted) < 500
        submitted.clear()
        assert len(list(executor.map(long_chunk, range(6)))) == 6
        assert submitted == [[index] for index in range(6)]


@pytest.mark.long
def test_workers_that_join_later_get_chunks(real_cluster):
    def chunk(index):
        time.sleep(0.1)
        return {"pid": np.array(os.getpid())}

    with DaskCluster(real_cluster.address) as executor:
        assert executor.client is not None
        workers = len(executor.client.nthreads())
        results = executor.map(chunk, range(100_000))
        first = {int(arrays["pid"]) for _, arrays in itertools.islice(results, 50)}
        assert len(first) <= workers
        later = real_cluster.start(WORKER)
        new = (int(arrays["pid"]) not in first for _, arrays in results)
        assert any(new)
        results.close()
        real_cluster.kill(later)


@pytest.mark.slow
def test_an_error_in_a_chunk_comes_back(real_cluster):
    def fail(index):
        raise LookupError(f"chunk {index}")

    with DaskCluster(real_cluster.address) as executor, pytest.raises(LookupError, match="chunk 0"):
        list(executor.map(fail, range(1)))


@pytest.mark.slow
def test_other_code_on_a_worker_is_refused(real_cluster, monkeypatch):
    monkeypatch.setattr(cluster, "chunk_code", lambda *modules: "other")
    with (
        DaskCluster(real_cluster.address) as executor,
        pytest.raises(BuildError, match=r"the code of a worker is \w+; accepted: other"),
    ):
        list(executor.map(lambda index: {}, range(1)))


def test_no_scheduler(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    with pytest.raises(BuildError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        DaskCluster("tcp://127.0.0.1:9")


@pytest.mark.long
def test_a_lost_function_is_sent_again(real_cluster):
    """All workers die during the run; one that joins later gets the function and the remaining chunks."""
    with DaskCluster(real_cluster.address) as executor:
        results = executor.map(lambda index: {"square": np.array([index * index])}, range(200))
        found = dict([next(results)])
        for worker in real_cluster.workers:
            real_cluster.kill(worker)
        real_cluster.start(WORKER)
        found |= dict(results)
    assert {index: int(arrays["square"][0]) for index, arrays in found.items()} == {n: n * n for n in range(200)}

"""Chunks on a real Dask scheduler with two worker processes on loopback, one of which is killed mid-run."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from service.bidding.tableset import open_tables
from tables.__main__ import main
from tables.arena.match import Match, play
from tables.arena.result import describe_match
from tables.engine.simulate import kernel_tables
from tables.run import cluster
from tables.run.build import build
from tables.run.cluster import DaskCluster
from tables.run.family import BuildError, Family, LocalThreads

ROOT = Path(__file__).resolve().parents[3]
START_S = 60.0


class RealCluster:
    """A scheduler and two workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen] = []
        self.file = folder / "scheduler.json"
        self.start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self.file))
        deadline = time.monotonic() + START_S
        while not self.file.exists():
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.1)
        self.address = self.read_address(deadline)
        self.workers = [self.start_worker() for _ in range(2)]

    def read_address(self, deadline: float) -> str:
        while True:
            try:
                return str(json.loads(self.file.read_text())["address"])
            except ValueError:  # being written
                assert time.monotonic() < deadline, self.logs()
                time.sleep(0.05)

    def start(self, name: str, *arguments: str) -> subprocess.Popen:
        log = (self.folder / f"{name}-{len(self.processes)}.log").open("w")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{name}", "--no-dashboard", *arguments],
                cwd=ROOT,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def start_worker(self) -> subprocess.Popen:
        local = str(self.folder / f"worker-{len(self.processes)}")
        return self.start(
            "dask_worker", self.address, "--host", "127.0.0.1", "--no-nanny", "--nthreads", "1",
            "--local-directory", local,
        )  # fmt: skip

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
        for process in self.processes:
            process.wait(START_S)


@pytest.fixture(scope="module")
def real_cluster(tmp_path_factory) -> Iterator[RealCluster]:
    running = RealCluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield running
    finally:
        running.stop()


class KillOne:
    """The cluster's executor; after three chunks it kills a worker, and remembers how it went."""

    def __init__(self, executor: DaskCluster, worker: subprocess.Popen) -> None:
        self.executor, self.worker, self.after = executor, worker, 0

    def map(self, fn, indices):
        for number, result in enumerate(self.executor.map(fn, indices)):
            if number == 2:
                self.worker.kill()
                self.worker.wait(START_S)
            self.after += self.worker.poll() is not None
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
        killing = KillOne(executor, real_cluster.workers[0])
        together = play(match, tables, killing)
        left = len(executor.client.nthreads())
    assert killing.after > 30  # most chunks came after it
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
def test_commands_take_a_scheduler(real_cluster, tmp_path, capsys):
    where = ["--scheduler", real_cluster.address]
    assert main(["arena", "--a", "rb", "--b", "rb", "--pairs", "20", "--json", *where]) == 0
    assert '"win_rate": 0.5,' in capsys.readouterr().out
    assert main(["build", "--only", "p_length", "--out", str(tmp_path), *where]) == 0
    assert (tmp_path / "p_length.npy").exists()


@pytest.mark.slow
def test_an_error_in_a_chunk_comes_back(real_cluster):
    def fail(index):
        raise LookupError(f"chunk {index}")

    with DaskCluster(real_cluster.address) as executor, pytest.raises(LookupError, match="chunk 0"):
        list(executor.map(fail, range(1)))


@pytest.mark.slow
def test_other_code_on_a_worker_is_refused(real_cluster, monkeypatch):
    monkeypatch.setattr(cluster, "CODE", "other")
    with (
        DaskCluster(real_cluster.address) as executor,
        pytest.raises(BuildError, match=r"found code \w+ on a worker; expected other"),
    ):
        list(executor.map(lambda index: {}, range(1)))


def test_no_scheduler(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    with pytest.raises(BuildError, match=r"found no scheduler at tcp://127\.0\.0\.1:9"):
        DaskCluster("tcp://127.0.0.1:9")

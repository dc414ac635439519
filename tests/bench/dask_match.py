"""Time a match on two Dask workers beside two local processes: `python -m tests.bench.dask_match`.

Dask's own commands start a scheduler and two workers with one thread each on this machine. Both ways play the same
match in turns, after a short match that compiles. The output is a table with the seconds that passed and the processor
time of all processes, and the medians of Dask's ratios. On a busy machine, that of the processor times says more. The
exit code is 1 if a result differs. On two quiet cores, 4,000,000 pairs of the default agents take about ten minutes.
"""

import argparse
import os
import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

import psutil
from tqdm import tqdm

from arena.chunks import LocalProcesses
from arena.cluster import DaskCluster
from arena.engine.simulate import kernel_tables
from arena.executors import executor_of
from arena.markdown import table
from arena.match import CHUNK_PAIRS, Match, play
from spades.arguments import integer
from spades.tableset import open_tables
from tests.bench.big_log import WORKERS, cluster

WAYS = ("processes", "dask")
GOAL = 1.15  # of the seconds that passed, for a match of ten minutes or more


class Run(NamedTuple):
    """A match that was played."""

    seconds: float
    cpu_seconds: float  # of all processes
    result: bytes


def cpu_seconds(cluster_pids: list[int], way: str) -> dict[int, float]:
    """Return the processor time of this process, and of the other processes that work in this way, by process."""
    dask = {one.pid: one for pid in cluster_pids for one in _family(pid)}
    own = {one.pid: one for one in _family(os.getpid())}
    counted = {os.getpid(): own[os.getpid()]} | dask if way == "dask" else {pid: own[pid] for pid in own.keys() - dask}
    times = {pid: one.cpu_times() for pid, one in counted.items()}
    return {pid: found.user + found.system for pid, found in times.items()}


def _family(pid: int) -> list[psutil.Process]:
    own = psutil.Process(pid)
    return [own, *own.children(recursive=True)]


def run(match: Match, way: str, address: str, cluster_pids: list[int]) -> Run:
    """Play ``match`` in one of the WAYS."""
    tables = kernel_tables(open_tables().arrays)
    before, started = cpu_seconds(cluster_pids, way), perf_counter()
    scheduler = address if way == "dask" else None
    with executor_of(scheduler, WORKERS, processes=True) as executor:
        assert isinstance(executor, DaskCluster if scheduler else LocalProcesses)
        played = play(match, tables, executor, progress=True)
    seconds = perf_counter() - started
    after = cpu_seconds(cluster_pids, way)
    used = sum(total - before.get(pid, 0.0) for pid, total in after.items())
    return Run(seconds, used, played.scores.tobytes() + played.sums.tobytes())


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.dask_match", description=__doc__)
    parser.add_argument("--a", default="winprob", metavar="AGENT", help="default: %(default)s")
    parser.add_argument("--b", default="bis", metavar="AGENT", help="default: %(default)s")
    parser.add_argument("--pairs", type=integer, default=400_000, help="pairs of games (default %(default)s)")
    parser.add_argument("--runs", type=integer, default=3, help="matches in each way (default %(default)s)")
    chosen = parser.parse_args(arguments)
    rows: list[tuple[str, ...]] = []
    slower: list[float] = []
    costlier: list[float] = []
    results: set[bytes] = set()
    with TemporaryDirectory() as folder, cluster(Path(folder)) as (address, cluster_pids):
        for way in WAYS:
            run(Match(chosen.a, chosen.b, pairs=8 * CHUNK_PAIRS), way, address, cluster_pids)  # compile
        for number in tqdm(range(chosen.runs), desc="runs", unit="run", disable=None):
            match = Match(chosen.a, chosen.b, pairs=chosen.pairs, seed=3)
            runs: dict[str, Run] = {}
            for way in WAYS if number % 2 == 0 else WAYS[::-1]:
                runs[way] = run(match, way, address, cluster_pids)
                rows.append((way, f"{runs[way].seconds:.1f}", f"{runs[way].cpu_seconds:.1f}"))
                print("; ".join(rows[-1]), file=sys.stderr, flush=True)
            results |= {one.result for one in runs.values()}
            slower.append(runs["dask"].seconds / runs["processes"].seconds)
            costlier.append(runs["dask"].cpu_seconds / runs["processes"].cpu_seconds)
    print(table("where | seconds | processor seconds", rows))
    seconds, cpu = statistics.median(slower), statistics.median(costlier)
    print(f"Dask: {seconds:.3f} times the seconds (goal: at most {GOAL}), {cpu:.3f} times the processor time; medians.")
    print("The results are the same, to the last digit." if len(results) == 1 else "THE RESULTS DIFFER.")
    return int(len(results) != 1)


if __name__ == "__main__":
    sys.exit(main())

"""Check and count a very large log: time, memory, and whether any number of workers gives the same bytes.

The command plays some rounds and writes them many times as Parquet files, each time as other games: their ids are new,
their cards and bids are not. The plays are left out. One more file has rounds that come twice, and rounds with a fault.
Then `studio check` and the counting of `studio fit` run in one process, in four, and on a Dask cluster of two workers
on this machine, and their outputs are compared byte for byte. Polars has one thread in each process.

    python -m tests.bench.big_log --folder FOLDER --rounds 100000000 [--ways one,four,dask]

Time is from the start of the command to its end. Memory is the highest sum over all processes of their shares of
memory (PSS), sampled every SAMPLE_S. The exit code is 1 if outputs differ.
"""

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import chain
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple, TypeAlias

import numpy as np
import polars
import psutil
from distributed import Client
from tqdm import tqdm

from arena.engine.deal import Deals
from arena.engine.simulate import kernel_tables
from arena.executors import add_executor_arguments, executor_of
from arena.markdown import table
from arena.store import forget
from loadtest.servers import ROOT, free_port
from spades.arguments import integer
from spades.rules import Rules
from spades.tableset import open_tables
from studio.columns import frame_of
from studio.fit.counting import Segments, count_log
from studio.pieces import PIECE_ROWS
from studio.play import studio_records, two_policies

BIDDERS = ("bis", "rb")
PLAYER = "wrp"
GAMES = 500  # that are played at a time
WRONG = 1_000  # rounds that come twice, and as many with a fault
ROW_GROUP = 100_000
WORKERS = 2
DASK_SETTINGS = {  # those of docs/how-to/several-machines.md
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}
START_S = 300.0
SAMPLE_S = 0.5
MIB = 2**20
WAYS = {"one": "one process", "four": "four processes", "dask": "two Dask workers"}
OUTPUTS = ("check.json", "bad.jsonl", "counts.npz")
_JOBS = {"one": ["--jobs", "1"], "four": ["--jobs", "4"]}
Place: TypeAlias = AbstractContextManager[tuple[str, list[int]]]  # of a cluster: its address and processes


class Measured(NamedTuple):
    """A command that ran to its end."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def make(folder: Path, rounds: int, different: int) -> list[Path]:
    """Write a log of ``rounds`` rounds, of which ``different`` were played, and a file of wrong ones."""
    folder.mkdir(parents=True)
    played = _played(min(rounds, different))
    paths = []
    for first in tqdm(range(0, rounds, PIECE_ROWS), desc="write", unit="file", disable=None):
        copies = range(first, min(first + PIECE_ROWS, rounds), len(played))
        frame = polars.concat([_copy(played, copy).head(rounds - copy) for copy in copies])
        paths.append(folder / f"{first // PIECE_ROWS:06d}.parquet")
        frame.head(PIECE_ROWS).write_parquet(paths[-1], row_group_size=ROW_GROUP)
    head = played.head(WRONG)
    tricks = polars.Series([[4, 4, 4, 4]] * len(head), dtype=polars.List(polars.Int8))
    wrong = [_copy(head, 0), _copy(head, rounds).with_columns(tricks.alias("tricks"))]
    paths.append(folder / "wrong.parquet")
    polars.concat(wrong).write_parquet(paths[-1])
    return paths


def _copy(played: polars.DataFrame, number: int) -> polars.DataFrame:
    return played.with_columns(polars.col("game") + f" {number}")


def _played(rounds: int) -> polars.DataFrame:
    rules = Rules()
    studio = two_policies(*BIDDERS, (PLAYER, PLAYER))
    profiles = kernel_tables(open_tables().arrays)
    frames: list[polars.DataFrame] = []
    with tqdm(total=rounds, desc="play", unit="round", disable=None) as bar:
        while sum(map(len, frames)) < rounds:
            games = Deals(1, GAMES * len(frames), GAMES * (len(frames) + 1))
            frames.append(frame_of(studio_records(studio, 0.0, games, rules, profiles)).drop("plays"))
            bar.update(len(frames[-1]))
    return polars.concat(frames).head(rounds)


def count(arguments: argparse.Namespace) -> int:
    """Count a log as `studio fit` does, and write all counts and samples to one file."""
    with executor_of(arguments.scheduler, arguments.jobs, processes=True) as executor:
        counted = count_log(arguments.files, Segments(), arguments.work, executor)
    arrays = {"rounds": np.array([counted.good, counted.bad])}
    for names, counts in counted.counts.items():
        arrays |= {f"{'-'.join(names)}-{name}": array for name, array in counts._asdict().items()}
    for segment, sample in counted.samples.items():
        arrays |= {f"sample-{segment}-{name}": array for name, array in sample._asdict().items()}
    with arguments.out.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
    forget(arguments.work)
    return 0


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """Run a Dask scheduler and WORKERS workers; return the address and the process ids. They stop at the end."""
    address = f"tcp://127.0.0.1:{free_port()}"
    dask = [sys.executable, "-m", "dask"]
    own = ["--no-dashboard", "--local-directory", str(folder)]
    commands = [[*dask, "scheduler", "--host", address, "--no-dashboard"]]
    commands += [[*dask, "worker", address, "--nthreads", "1", "--memory-limit", "0", *own]] * WORKERS
    processes: list[subprocess.Popen[bytes]] = []
    try:
        with (folder / "dask.log").open("wb") as log:
            for command in commands:
                processes.append(subprocess.Popen(command, cwd=ROOT, env=_environment(), stdout=log, stderr=log))
        with Client(address, timeout=START_S, set_as_default=False) as client:
            client.wait_for_workers(WORKERS, timeout=START_S)
        yield address, [process.pid for process in processes]
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            try:
                process.wait(START_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def measured(command: Sequence[str], output: Path, others: Sequence[int]) -> Measured:
    """Run a command, whose standard output goes to a file; ``others``: processes that work for it."""
    start = perf_counter()
    before = {pid: cpu for pid, (cpu, _) in _used(others).items()}
    cpu, peak = dict(before), 0
    with output.open("wb") as file:
        process = subprocess.Popen(command, cwd=ROOT, env=_environment(), stdout=file)
        try:
            while process.poll() is None:
                used = _used([process.pid, *others])
                cpu |= {pid: seconds for pid, (seconds, _) in used.items()}
                peak = max(peak, sum(size for _, size in used.values()))
                sleep(SAMPLE_S)
        finally:
            for one in _family(process.pid):  # after an error; a process that has ended has none
                with suppress(psutil.NoSuchProcess):
                    one.terminate()
            process.wait()
    if process.returncode not in (0, 1):  # 1: rounds with a fault
        raise RuntimeError(f"exit code {process.returncode} of {' '.join(command[:6])}")
    return Measured(perf_counter() - start, sum(cpu.values()) - sum(before.values()), peak / MIB)


def _used(pids: Sequence[int]) -> dict[int, tuple[float, int]]:
    # By process, also those that ``pids`` started: seconds of CPU time and bytes of memory.
    found = {}
    for process in chain.from_iterable(map(_family, pids)):
        with suppress(psutil.NoSuchProcess):  # it ended meanwhile
            times = process.cpu_times()
            found[process.pid] = times.user + times.system, process.memory_full_info().pss
    return found


def _family(pid: int) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        own = psutil.Process(pid)
        return [own, *own.children(recursive=True)]
    return []


def _environment() -> dict[str, str]:
    return os.environ | DASK_SETTINGS | {"POLARS_MAX_THREADS": "1", "PYTHONPATH": str(ROOT)}


def compare(folder: Path, files: Sequence[Path], ways: Sequence[str], rounds: int) -> bool:
    """Check and count in each of the ways, print what it took, and return whether all outputs are the same."""
    rows, names = [], list(map(str, files))
    with tqdm(total=2 * len(ways), desc="measure", unit="run", disable=None) as bar:
        for way in ways:
            own = folder / way
            own.mkdir()
            place: Place = cluster(own) if way == "dask" else nullcontext(("", []))
            with place as (address, others):
                options = _JOBS.get(way, ["--scheduler", address])
                checking = ["-m", "studio", "check", *names, "--json", "--bad", str(own / "bad.jsonl")]
                counting = ["-m", "tests.bench.big_log", "count", *names, "--out", str(own / "counts.npz")]
                for title, command in (("check", checking), ("count", counting)):
                    line = [sys.executable, *command, "--work", str(own / "work"), *options]
                    found = measured(line, own / f"{title}.json", others)
                    bar.update()
                    rate = rounds / found.cpu_seconds
                    figures = found.seconds, found.cpu_seconds, rate, found.peak_mib
                    rows.append((title, WAYS[way], *(f"{figure:,.0f}" for figure in figures)))
                    print("; ".join(rows[-1]), file=sys.stderr, flush=True)
    same = same_outputs(folder, ways)
    print(table("what | where | seconds | CPU seconds | rounds for each CPU second | peak memory, MiB", rows))
    print((folder / ways[0] / "check.json").read_text().strip())
    print("The outputs are the same, byte for byte." if same else "THE OUTPUTS DIFFER.")
    return same


def same_outputs(folder: Path, ways: Sequence[str]) -> bool:
    """Return whether all ways have the same outputs."""
    compared = [filecmp.cmpfiles(folder / ways[0], folder / way, OUTPUTS, shallow=False) for way in ways]
    return not any(different or missing for _, different, missing in compared)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.big_log", description="Check and count a huge log.")
    parser.add_argument("--folder", type=Path, required=True, help="where the log is written; a new folder")
    parser.add_argument("--rounds", type=integer, default=1_000_000, metavar="N", help="default %(default)s")
    text = "rounds that are played; the others are copies with other game ids (default %(default)s)"
    parser.add_argument("--different", type=integer, default=100_000, metavar="N", help=text)
    text = f"where to run, some of {', '.join(WAYS)} (default: all)"
    parser.add_argument("--ways", default=",".join(WAYS), metavar="WAY,...", help=text)
    parser.add_argument("--keep", action="store_true", help="keep the log and the outputs")
    return parser


def _count_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.big_log count", description="Count a log.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    add_executor_arguments(parser)
    return parser


def main(given: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    if given[:1] == ["count"]:
        return count(_count_parser().parse_args(given[1:]))
    parser = _parser()
    arguments = parser.parse_args(given)
    folder, ways = arguments.folder, arguments.ways.split(",")
    if folder.exists():
        parser.error(f"--folder is {folder}; accepted: a new folder")
    if not set(ways) <= WAYS.keys():
        parser.error(f"--ways is {arguments.ways}; accepted: some of {', '.join(WAYS)}")
    if arguments.rounds < 1 or arguments.different < 1:
        parser.error(f"found {arguments.rounds} rounds, {arguments.different} different; accepted: 1 or more")
    start = perf_counter()
    files = make(folder, arguments.rounds, arguments.different)
    size = sum(path.stat().st_size for path in files)
    made = f"{size / MIB:,.0f} MiB in {len(files)} files, in {perf_counter() - start:,.0f} s"
    print(f"{arguments.rounds:,} rounds, {min(arguments.rounds, arguments.different):,} of them played: {made}.\n")
    same = compare(folder, files, ways, arguments.rounds + 2 * WRONG)
    if not arguments.keep:
        shutil.rmtree(folder)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

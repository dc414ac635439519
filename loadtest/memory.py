"""Start time and memory of the service, and whether memory stays flat over many requests. `bench` runs these."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from statistics import median
from time import monotonic, sleep
from typing import Any, Final

import psutil

from loadtest.arrivals import prepare
from loadtest.comparisons import CONNECTIONS, IDIOMATIC
from loadtest.servers import START_S, Server, ServerError, running_app, running_service
from loadtest.traffic import mixed
from loadtest.turns import callers, shown

STARTS: Final = 5
REQUESTS: Final = 200_000
READY_GOAL_S: Final = 1.0
WORKER_GOAL_MIB: Final = 90.0
GROWTH_GOAL_MIB: Final = 1.0
_STEPS = 10  # of the requests; the memory after the second is compared with that at the end
_MIB = 2.0**20
_SEED = 1


def start_and_memory(starts: int) -> list[str]:
    """Print start times next to an idiomatic handler's, and workers' memory; return the goals that are not shown."""
    print(f"\nstart to ready, {starts} starts in turns, and memory")
    sides: dict[str, Callable[[], AbstractContextManager[Server]]] = {
        "service": running_service,
        "idiomatic handler": partial(running_app, IDIOMATIC),
    }
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(starts):
        for name, opened in sides.items():
            with opened() as server:
                times[name].append(server.ready_s)
    for name, seconds in times.items():
        listed = ", ".join(f"{one:.2f}" for one in seconds)
        print(f"  {name:20} median {median(seconds):.2f} s, best {min(seconds):.2f} s ({listed})")
    with running_service() as server:
        alone_mib = _rss_mib(psutil.Process(server.pid))
        print(f"  one worker: RSS {alone_mib:.1f} MiB")
    shared_mib = []
    with running_service("--workers", "2") as server:
        for number, worker in enumerate(_ready_workers(server, 2), 1):
            memory, tables = worker.memory_full_info(), [m for m in worker.memory_maps() if m.path.endswith(".npy")]
            shared_mib.append(memory.pss / _MIB)
            for part, (pss, rss) in {
                "all": (memory.pss, memory.rss),
                "mapped tables": (sum(m.pss for m in tables), sum(m.rss for m in tables)),
            }.items():
                print(f"  worker {number} of 2, {part}: PSS {pss / _MIB:.1f} MiB, RSS {rss / _MIB:.1f} MiB")
        print(f"  their parent: RSS {_rss_mib(psutil.Process(server.pid)):.1f} MiB")
    missed = shown(f"start to ready at most {READY_GOAL_S:g} s (median)", median(times["service"]) <= READY_GOAL_S)
    kept = max(alone_mib, *shared_mib) <= WORKER_GOAL_MIB
    return missed + shown(f"at most {WORKER_GOAL_MIB:g} MiB a worker, RSS of one and PSS of two", kept)


def flat(requests: int) -> list[str]:
    """Print the memory of one worker over ``requests`` of all kinds; return the goal if it is not shown."""
    print(f"RSS of one worker over {requests:,} bids, cards, batches and wrong requests, {CONNECTIONS} connections")
    sent, found_mib = 0, list[float]()
    with running_service(SPADES_QUEUE_MS="0") as server:
        process, drawn = psutil.Process(server.pid), mixed(_SEED)
        with callers(server, (prepare(one, server.host, {}) for one in drawn), CONNECTIONS) as made:
            made.open()
            for step in range(1, _STEPS + 1):
                while sent < requests * step // _STEPS:
                    sent += made.turn()
                found_mib.append(_rss_mib(process))
                print(f"  {sent:9,} requests: {found_mib[-1]:7.2f} MiB", flush=True)
    growth_mib = found_mib[-1] - found_mib[1]
    print(f"  growth after the first {2 * requests // _STEPS:,}: {growth_mib:.2f} MiB")
    return shown(f"growth at most {GROWTH_GOAL_MIB:g} MiB", growth_mib <= GROWTH_GOAL_MIB)


def _rss_mib(process: Any) -> float:
    return float(process.memory_info().rss / _MIB)


def _ready_workers(server: Server, count: int) -> list[Any]:
    """Return the worker processes of a server once all have the tables and their memory has stopped growing."""
    give_up, before = monotonic() + START_S, list[int]()
    while monotonic() < give_up:
        children = psutil.Process(server.pid).children(recursive=True)
        workers = [one for one in children if any(m.path.endswith(".npy") for m in one.memory_maps())]
        now = [one.memory_info().rss for one in workers]
        if len(workers) == count and now == before:
            return workers
        before = now
        sleep(1.0)
    raise ServerError(f"found {len(before)} workers with tables and steady memory; accepted: {count}")

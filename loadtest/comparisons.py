"""What parts of the service cost: POST /bid of another commit and app, the decision log, and POST /v1/results.

`bench` runs these measurements. All servers start on loopback, each on one core, and shed no request. A comparison
prints the two sides and their ratio with its 95% interval. A goal is *shown* if the whole interval keeps it.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import count, islice
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import Any, Final

from loadtest.arrivals import Prepared, Run, prepare, run
from loadtest.beside import beside
from loadtest.servers import ROOT, START_S, Server, ServerError, metric, running_app, running_service
from loadtest.traffic import Question, results
from loadtest.turns import (
    Callers,
    Interval,
    Opened,
    Plan,
    Spent,
    callers,
    figure,
    in_turns,
    mean_interval,
    ratio,
    ratio_interval,
)

CONNECTIONS: Final = 16
REQUEST: Final[dict[str, Any]] = {
    "hand": ["KC", "9C", "5C", "4C", "3C", "QD", "AH", "QH", "AS", "KS", "JS", "6S", "2S"],
    "previous_bids": [3, 1],
    "seat": 2,
    "scores": {"us": 120, "them": 95, "us_bags": 3, "them_bags": 5},
    "convention": "none",
    "policy": "bis",
    "rules": {"preset": "classic"},
    "explain": True,
}
RESULTS_GOAL: Final = 50_000  # results for each second of one core
LOG_GOAL: Final = 0.95  # of the rate without the decision log
APP_GOAL: Final = 0.68  # of the rate of the last commit with an HTTP server of its own
IDIOMATIC_GOAL: Final = 1.7  # times the rate of an idiomatic handler
RESULTS_CALLERS: Final = 2  # so that the server never waits for the next batch
LOG_PLAN: Final = Plan(starts=10, rounds=16, seconds=0.25)  # a round is longer than the log gathers lines
BASE_PLAN: Final = Plan(starts=10, rounds=60, seconds=0.05)
RESULTS_PLAN: Final = Plan(starts=5, rounds=6, seconds=0.5)
BESIDE_PLAN: Final = Plan(starts=4, rounds=3, seconds=4.0)
_SEED = 1
_OPEN: Final = {"SPADES_QUEUE_MS": "0", "SPADES_ACCESS_LOG": "0"}
_DROPPED = "spades_decision_log_dropped_total"


def compare_with(commit: str, plan: Plan) -> list[str]:
    """Print the cost and the rate of POST /bid for this tree next to those for ``commit``."""
    with _tree_of(commit) as base:
        sides = {name: partial(_bidders, REQUEST, cwd) for name, cwd in ((commit, base), ("this tree", ROOT))}
        _compare("POST /bid", sides, plan)
    return []


def compare_app(commit: str, plan: Plan) -> list[str]:
    """Print POST /bid of the app on uvicorn next to ``commit``'s `serve` and to an idiomatic FastAPI handler."""
    with _tree_of(commit) as base:
        sides = {
            f"serve of {commit}": partial(_bidders, REQUEST, base),
            "app on uvicorn": partial(_app_bidders, "service.main:app"),
            "idiomatic handler on uvicorn": partial(_app_bidders, "tests.bench.idiomatic:app"),
        }
        found = in_turns(sides, plan)
    print(f"POST /bid, {CONNECTIONS} connections, {_described(plan)}")
    _print_sides(found)
    before, app, idiomatic = found.values()
    shown = []
    for name, other, goal in ((commit, before, APP_GOAL), ("the idiomatic handler", idiomatic, IDIOMATIC_GOAL)):
        rate, cpu = ratio(app, other, Spent.rate), ratio(other, app, Spent.cpu_us)
        print(f"  app to {name}: requests/s {rate.text(3)}, requests for each second of CPU time {cpu.text(3)}")
        shown += _shown(f"at least {goal} of {name} for each second of CPU time", cpu.low >= goal)
    return shown


@contextmanager
def _tree_of(commit: str) -> Iterator[Path]:
    """The files of ``commit``, until the block ends."""
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory) / "base"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(base), commit], cwd=ROOT, check=True)
        try:
            yield base
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(base)], cwd=ROOT, check=True)


def decision_log(plan: Plan) -> list[str]:
    """Print what a decision log of all rounds costs POST /bid; return the goals that are not shown."""
    with tempfile.TemporaryDirectory() as directory:
        log = {"SPADES_DECISION_LOG": f"{directory}/decisions.jsonl", "SPADES_DECISION_LOG_SHARE": "1"}
        request = {**REQUEST, "round_id": "0d9c7a52-5b0e-4c1f-8a63-2f4de1c09b17"}
        sides = {"without a decision log": partial(_bidders, request, ROOT)}
        sides["with one of all rounds"] = partial(_bidders, request, ROOT, **log)
        rate, cpu = _compare("POST /bid", sides, plan)
    shown = _shown(f"rate with the log at least {LOG_GOAL} of that without", rate.low >= LOG_GOAL)
    return shown + _shown(f"CPU time with the log at most 1/{LOG_GOAL} of that without", cpu.high <= 1 / LOG_GOAL)


def results_rate(plan: Plan, batch: int) -> list[str]:
    """Print the results/s that POST /v1/results takes on one core; return the goal if it is not shown."""
    spent = in_turns({"results": partial(_reporters, batch)}, plan)["results"]
    print(f"POST /v1/results, batches of {batch}, {RESULTS_CALLERS} connections, {_described(plan)}")
    of_core = figure(spent, lambda one: batch * 1e6 / one.cpu_us())
    of_caller = figure(spent, lambda one: batch * one.rate())
    print(f"  results for each second of the worker's CPU time   {of_core.text(0)}")
    print(f"  results for each second of wall time               {of_caller.text(0)}")
    goal = f"at least {RESULTS_GOAL:,} results for each second of CPU time"
    return _shown(goal, of_core.low >= RESULTS_GOAL)


def bids_beside_results(plan: Plan, batch: int, rate: float, results_per_s: float) -> list[str]:
    """Print the latency of POST /bid at a constant rate, in turns with and without results posted at the same time."""
    runs: dict[bool, list[Run]] = {False: [], True: []}
    for start in range(plan.starts):
        with _service() as server:
            bid, post = _bid(server, REQUEST), _batch(server, batch)
            for number in range(plan.rounds + 1):
                for posting in (False, True) if (start + number) % 2 else (True, False):
                    with _posting(server, post, results_per_s / batch if posting else 0.0):
                        found = run((server.host, server.port), [bid], rate, plan.seconds)
                    if number:  # the first round warms up
                        runs[posting].append(found)
    of_bids = f"POST /bid at {rate:g}/s, with {results_per_s:g} results/s in batches of {batch} and without"
    print(f"{of_bids}, {_described(plan)}")
    for percent in (50, 99):
        alone, both = ([one.percentile(percent) for one in runs[posting]] for posting in (False, True))
        more = mean_interval([above - below for above, below in zip(both, alone, strict=True)])
        print(f"  p{percent}, ms: without {mean_interval(alone).text(3)}, with {mean_interval(both).text(3)}")
        times = ratio_interval([above / below for above, below in zip(both, alone, strict=True)])
        print(f"  p{percent}: with / without {times.text(3)}, difference {more.text(3)} ms")
    failures = sum(one.failures for one in (*runs[False], *runs[True]))
    return _shown("each bid has its right answer in time", failures == 0)


def _compare(what: str, sides: Mapping[str, Opened], plan: Plan) -> tuple[Interval, Interval]:
    """Print the two sides; return the ratios of their rates and CPU times, second to first."""
    found = in_turns(sides, plan)
    print(f"{what}, {CONNECTIONS} connections, {_described(plan)}")
    _print_sides(found)
    first, second = found.values()
    cpu, rate = ratio(second, first, Spent.cpu_us), ratio(second, first, Spent.rate)
    print(f"  {'ratio, second to first':28} CPU us/request {cpu.text(3):26} requests/s {rate.text(3)}")
    return rate, cpu


def _print_sides(found: Mapping[str, list[list[Spent]]]) -> None:
    for name, starts in found.items():
        cpu, rate = figure(starts, Spent.cpu_us), figure(starts, Spent.rate)
        print(f"  {name:28} CPU us/request {cpu.text(1):26} requests/s {rate.text(0)}")


def _described(plan: Plan) -> str:
    return f"{plan.starts} starts of {plan.rounds} rounds of {plan.seconds:g} s; 95% intervals"


def _shown(goal: str, kept: bool) -> list[str]:
    print(f"  goal: {goal}: {'shown' if kept else 'NOT SHOWN'}")
    return [] if kept else [goal]


@contextmanager
def _service(cwd: Path = ROOT, **environment: str) -> Iterator[Server]:
    with running_service(cwd=cwd, start_s=START_S, **_OPEN, **environment) as server:
        os.sched_setaffinity(server.pid, {max(os.sched_getaffinity(0))})
        yield server


def _bid(server: Server, request: Mapping[str, Any]) -> Prepared:
    return prepare(Question("/bid", json.dumps(request).encode(), 200, ""), server.host, {})


def _batch(server: Server, size: int) -> Prepared:
    reported = [*islice(results(_SEED, json.loads(server.get("/readyz")[1])["tables"]), size)]
    return prepare(Question("/v1/results", json.dumps({"results": reported}).encode(), 200, ""), server.host, {})


@contextmanager
def _bidders(request: Mapping[str, Any], cwd: Path, **environment: str) -> Iterator[Callers]:
    """Callers of a new server. Raises `ServerError` if its decision log drops a line."""
    with _service(cwd, **environment) as server, callers(server, _bid(server, request), CONNECTIONS) as made:
        yield made
        if environment and (dropped := metric(server.get("/metrics")[1], _DROPPED)):
            raise ServerError(f"the decision log dropped {dropped:g} lines; accepted: 0")


@contextmanager
def _app_bidders(app: str) -> Iterator[Callers]:
    """Callers of the ASGI ``app`` on uvicorn."""
    with running_app(app, start_s=START_S, **_OPEN) as server:
        os.sched_setaffinity(server.pid, {max(os.sched_getaffinity(0))})
        with callers(server, _bid(server, REQUEST), CONNECTIONS) as made:
            yield made


@contextmanager
def _reporters(batch: int) -> Iterator[Callers]:
    """Callers of a new server that post results. Raises `ServerError` if a result is refused."""
    with _service() as server, callers(server, _batch(server, batch), RESULTS_CALLERS) as made:
        yield made
        if refused := metric(server.get("/metrics")[1], "spades_validation_errors_total"):
            raise ServerError(f"{refused:g} faults in results; accepted: 0")


@contextmanager
def _posting(server: Server, request: Prepared, per_s: float) -> Iterator[None]:
    """Post a batch ``per_s`` times a second until the block ends, on a connection of its own; 0: post none.

    A batch is due at a fixed time after the start, so that a slow answer does not lower the rate.
    """

    def post(ended: Event) -> None:
        start = perf_counter()
        with callers(server, request, 1) as caller:
            for number in count(1):
                if ended.wait(max(0.0, start + number / per_s - perf_counter())):
                    return
                caller.load(0.0)

    with beside(post, threads=1 if per_s else 0):
        yield

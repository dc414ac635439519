"""What parts of the service cost: POST /bid next to other servers, batches, the decision log, and POST /v1/results.

`bench` runs these measurements. All servers start on loopback, each on one core, and shed no request. A comparison
prints its sides and their ratios with 95% intervals. A goal is *shown* if the whole interval keeps it.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from threading import Event
from typing import Any, Final, NamedTuple

from loadtest.arrivals import Connection, Prepared, Run, prepare, run
from loadtest.beside import beside, due_times
from loadtest.servers import ROOT, START_S, Server, ServerError, metric, pin, running_app, running_service
from loadtest.traffic import Question, results
from loadtest.turns import (
    Callers,
    Opened,
    Plan,
    Spent,
    Starts,
    callers,
    difference,
    figure,
    in_turns,
    ratio,
    shown,
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
OPEN: Final = {"SPADES_QUEUE_MS": "0", "SPADES_ACCESS_LOG": "0"}
ECHO: Final = "tests.bench.raw:app"
IDIOMATIC: Final = "tests.bench.idiomatic:app"
RESULTS_GOAL: Final = 50_000  # results for each second of one core
LOG_GOAL: Final = 0.95  # of the rate without the decision log
BATCHES_GOAL: Final = 3.0  # times the bids/s of single requests
P99_GOAL_MS: Final = 1.0  # above the p99 of the echo
BUSY_MS: Final = 5.0  # if the p99 of the echo is above this, the machine is busy with other work
BATCH_CALLERS: Final = 2  # so that the server never waits for the next batch
BIDS_PLAN: Final = Plan(starts=5, rounds=40, seconds=0.05)
BATCHES_PLAN: Final = Plan(starts=3, rounds=5, seconds=0.25)
LATENCY_PLAN: Final = Plan(starts=3, rounds=4, seconds=2.0)
LOG_PLAN: Final = Plan(starts=10, rounds=16, seconds=0.25)  # a round is longer than the log gathers lines
RESULTS_PLAN: Final = Plan(starts=5, rounds=6, seconds=0.5)
BESIDE_PLAN: Final = Plan(starts=4, rounds=3, seconds=4.0)
_SEED = 1
_DROPPED = "spades_decision_log_dropped_total"


def bids(plan: Plan, commit: str | None) -> list[str]:
    """Print POST /bid next to the app on uvicorn, a bare echo, an idiomatic handler, and ``commit``'s service."""
    with ExitStack() as stack:
        sides: dict[str, Opened[Spent]] = {
            "service": partial(_bidders, ROOT),
            "app, httptools": partial(_app_bidders, "service.main:app", **OPEN),
            "app, h11": partial(_app_bidders, "service.main:app", http="h11", **OPEN),
            "bare echo": partial(_app_bidders, ECHO, BENCH_BYTES=_answer_bytes()),
            "idiomatic handler": partial(_app_bidders, IDIOMATIC),
        }
        if commit is not None:
            sides[f"service of {commit}"] = partial(_bidders, stack.enter_context(tree_of(commit)))
        found = in_turns(sides, plan)
    _print_costs(f"POST /bid, {CONNECTIONS} connections", found, plan)
    return []


def batches(plan: Plan, size: int) -> list[str]:
    """Print the bids/s of POST /v1/bids next to those of POST /bid; return the goals that are not shown."""
    many = partial(_callers, "/v1/bids", {"requests": [REQUEST] * size}, BATCH_CALLERS, size)
    one = partial(_callers, "/bid", REQUEST, 1)
    found = in_turns({"batches": many, "one caller": one, f"{CONNECTIONS} callers": partial(_bidders, ROOT)}, plan)
    _print_costs(f"bids in batches of {size}, and single bids", found, plan)
    together, alone, single = found.values()
    goal = f"bids/s in batches at least {BATCHES_GOAL:g} times those of"
    missed = shown(f"{goal} one caller", ratio(together, alone, Spent.rate).low >= BATCHES_GOAL)
    of_core = ratio(together, single, Spent.core_rate).low
    return missed + shown(f"{goal} {CONNECTIONS} callers, for each second of CPU time", of_core >= BATCHES_GOAL)


def latency(plan: Plan, rate: float) -> list[str]:
    """Print the latency of POST /bid at a constant rate next to an echo's; return the goals that are not shown."""
    sides = {"service": partial(_steady, rate), "bare echo": partial(_steady_echo, rate, _answer_bytes())}
    found = in_turns(sides, plan)
    _print_latencies(f"POST /bid at a constant {rate:g}/s", found, plan)
    service, echo = found.values()
    if figure(echo, _p99).value > BUSY_MS:
        return shown(f"a machine on which the p99 of the echo is at most {BUSY_MS:g} ms", False)
    over = difference(service, echo, _p99).high
    return shown(f"p99 at most {P99_GOAL_MS:g} ms above the echo's", over <= P99_GOAL_MS) + _all_right(found)


def decision_log(plan: Plan) -> list[str]:
    """Print what a decision log of all rounds costs POST /bid; return the goals that are not shown."""
    with tempfile.TemporaryDirectory() as directory:
        log = {"SPADES_DECISION_LOG": f"{directory}/decisions.jsonl", "SPADES_DECISION_LOG_SHARE": "1"}
        request = {**REQUEST, "round_id": "0d9c7a52-5b0e-4c1f-8a63-2f4de1c09b17"}
        sides = {"with a log of all rounds": partial(_bidders, ROOT, request, **log)}
        sides["without"] = partial(_bidders, ROOT, request)
        found = in_turns(sides, plan)
    _print_costs(f"POST /bid, {CONNECTIONS} connections", found, plan)
    logged, bare = found.values()
    kept = ((name, ratio(logged, bare, of).low >= LOG_GOAL) for name, of in _RATES.items())
    return [goal for name, one in kept for goal in shown(f"{name} with the log at least {LOG_GOAL} of without", one)]


def results_rate(plan: Plan, batch: int) -> list[str]:
    """Print the results/s that POST /v1/results takes on one core; return the goal if it is not shown."""
    found = in_turns({"results": partial(_reporters, batch)}, plan)
    _print_costs(f"POST /v1/results, batches of {batch}, {BATCH_CALLERS} connections", found, plan)
    of_core = figure(found["results"], Spent.core_rate)
    return shown(f"at least {RESULTS_GOAL:,} results for each second of CPU time", of_core.low >= RESULTS_GOAL)


def bids_beside_results(plan: Plan, batch: int, rate: float, results_per_s: float) -> list[str]:
    """Print the latency of POST /bid at a constant rate, in turns with and without results posted at the same time."""
    sides = {"with results": partial(_steady, rate, batch, results_per_s), "without": partial(_steady, rate)}
    found = in_turns(sides, plan)
    what = f"POST /bid at {rate:g}/s, with {results_per_s:g} results/s in batches of {batch} and without"
    _print_latencies(what, found, plan)
    return _all_right(found)


# ---- what is printed -------------------------------------------------------------------------------------------------

_RATES: Final = {"requests/s": Spent.rate, "requests for each second of CPU time": Spent.core_rate}


def _print_costs(what: str, found: Mapping[str, Starts[Spent]], plan: Plan) -> None:
    """Print the sides, and the ratios of the first to the others."""
    print(f"\n{what}, {plan.text()}")
    for name, starts in found.items():
        cpu, of_core, rate = (figure(starts, of) for of in (Spent.cpu_us, Spent.core_rate, Spent.rate))
        print(f"  {name:26} CPU us {cpu.text(1):24} /s of CPU {of_core.text(0):28} /s {rate.text(0)}")
    first, *others = found
    for name in others:
        ratios = (f"{rate} {ratio(found[first], found[name], of).text(3)}" for rate, of in _RATES.items())
        print(f"  {first} to {name}: {', '.join(ratios)}")


def _print_latencies(what: str, found: Mapping[str, Starts[Run]], plan: Plan) -> None:
    """Print the two sides, their ratio and their difference."""
    print(f"\n{what}, {plan.text()}")
    first, second = found.values()
    for of, percent in ((_p50, 50), (_p99, 99)):
        sides = ", ".join(f"{name} {figure(starts, of).text(3)}" for name, starts in found.items())
        print(f"  p{percent}, ms: {sides}")
        print(f"    ratio {ratio(first, second, of).text(3)}, difference {difference(first, second, of).text(3)} ms")


def _p50(found: Run) -> float:
    return found.percentile(50)


def _p99(found: Run) -> float:
    return found.percentile(99)


def _all_right(found: Mapping[str, Starts[Run]]) -> list[str]:
    failures = sum(one.failures for starts in found.values() for rounds in starts for one in rounds)
    return shown("each request has its right answer in time", failures == 0)


# ---- servers and their callers ---------------------------------------------------------------------------------------


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """The files of ``commit``, until the block ends."""
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory) / "base"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(base), commit], cwd=ROOT, check=True)
        try:
            yield base
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(base)], cwd=ROOT, check=True)


def post(server: Server, path: str, body: Mapping[str, Any]) -> Prepared:
    """Return a POST request whose right answer is 200."""
    return prepare(Question(path, json.dumps(body).encode(), 200, ""), server.host, {})


def _answer_bytes() -> str:
    """Return the length of the answer to `REQUEST`, for the echo."""
    with running_service() as server, closing(Connection((server.host, server.port))) as connection:
        connection.exchange(post(server, "/bid", REQUEST))
        return str(len(connection.answer.partition(b"\r\n\r\n")[2]))


@contextmanager
def _service(cwd: Path = ROOT, **environment: str) -> Iterator[Server]:
    with running_service(cwd=cwd, start_s=START_S, **OPEN, **environment) as server:
        pin(server)
        yield server


@contextmanager
def _callers(path: str, body: Mapping[str, Any], connections: int, items: int = 1) -> Iterator[Callers]:
    with _service() as server, callers(server, repeat(post(server, path, body)), connections, items) as made:
        yield made


@contextmanager
def _bidders(cwd: Path, request: Mapping[str, Any] = REQUEST, **environment: str) -> Iterator[Callers]:
    """Callers of a new server. Raises `ServerError` if its decision log drops a line."""
    with _service(cwd, **environment) as server:
        with callers(server, repeat(post(server, "/bid", request)), CONNECTIONS) as made:
            yield made
        if environment and (dropped := metric(server.get("/metrics")[1], _DROPPED)):
            raise ServerError(f"the decision log dropped {dropped:g} lines; accepted: 0")


@contextmanager
def _app_bidders(app: str, http: str = "httptools", **environment: str) -> Iterator[Callers]:
    """Callers of the ASGI ``app`` on uvicorn."""
    with running_app(app, http=http, **environment) as server:
        pin(server)
        with callers(server, repeat(post(server, "/bid", REQUEST)), CONNECTIONS) as made:
            yield made


@contextmanager
def _reporters(batch: int) -> Iterator[Callers]:
    """Callers of a new server that post results. Raises `ServerError` if a result is refused."""
    with _service() as server, callers(server, repeat(_reported(server, batch)), BATCH_CALLERS, batch) as made:
        yield made
        if refused := metric(server.get("/metrics")[1], "spades_validation_errors_total"):
            raise ServerError(f"{refused:g} faults in results; accepted: 0")


def _reported(server: Server, size: int) -> Prepared:
    drawn = results(_SEED, json.loads(server.get("/readyz")[1])["tables"])
    return post(server, "/v1/results", {"results": [*islice(drawn, size)]})


class _Steady(NamedTuple):
    """Bids at a constant rate, while ``reported`` is posted ``posts_per_s`` times a second on its own connection."""

    server: Server
    rate: float
    reported: Prepared | None = None
    posts_per_s: float = 0.0

    def load(self, seconds: float) -> Run:
        with beside(self._report, threads=0 if self.reported is None else 1):
            bid = post(self.server, "/bid", REQUEST)
            return run((self.server.host, self.server.port), [bid], self.rate, seconds)

    def _report(self, ended: Event) -> None:
        assert self.reported is not None, "a thread reports only if there is something to report"
        with callers(self.server, repeat(self.reported), 1) as caller:
            for _ in due_times(ended, self.posts_per_s):
                caller.load(0.0)


@contextmanager
def _steady(rate: float, batch: int = 0, results_per_s: float = 0.0) -> Iterator[_Steady]:
    with _service() as server:
        reported = _reported(server, batch) if batch else None
        yield _Steady(server, rate, reported, results_per_s / max(1, batch))


@contextmanager
def _steady_echo(rate: float, answer_bytes: str) -> Iterator[_Steady]:
    with running_app(ECHO, BENCH_BYTES=answer_bytes) as server:
        pin(server)
        yield _Steady(server, rate)

"""Benchmark the service: speed compared with two yardsticks, time by stage, memory and start time.

It starts its own servers on loopback and uses HTTP only; `__main__` tests a deployment instead. The yardsticks are (a)
a bare ASGI app that parses the same body and returns as many bytes, and (b) the usual FastAPI handler around the same
decision (tests/bench). Rounds are interleaved and medians compared, because a machine's speed changes from minute to
minute. The exit code is 1 if a goal is missed. Without `wrk` the comparison is skipped.

    python -m loadtest.bench [--rounds 5] [--seconds 2]
    python -m loadtest.bench --base COMMIT   POST /bid next to that of another commit
    python -m loadtest.bench app --base COMMIT
                                             POST /bid of the app on uvicorn next to that commit's `serve` and to an
                                             idiomatic FastAPI handler
    python -m loadtest.bench log             what a decision log of all rounds costs POST /bid
    python -m loadtest.bench results         the results/s that POST /v1/results takes on one core
    python -m loadtest.bench beside          the latency of POST /bid with and without results posted at the same time

The last five are in `comparisons`.
"""

import argparse
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any, NamedTuple

from loadtest import comparisons
from loadtest.arrivals import Prepared, run
from loadtest.comparisons import CONNECTIONS, REQUEST
from loadtest.servers import ROOT, START_S, free_port, stop
from loadtest.turns import Plan
from spades.arguments import decimal, integer

ROUNDS, SECONDS = 5, 2.0
CONSTANT_RATE = 5000.0  # requests/s
BATCH = 512  # requests in one body of /v1/bids or /v1/results
_MANY = "service, /v1/bids"
_ONE_CALLER = "service, one caller"  # one connection, requests one after another
GOALS = {
    "of (a), requests/s": 0.5,
    "times (b), requests/s": 3.0,
    "/v1/bids: bids/s, times one caller's single bids": 3.0,
    f"/v1/bids: bids/s, times {CONNECTIONS} callers' single bids": 3.0,
}
P99_GOAL_MS = 0.5  # above the p99 of (a), at CONSTANT_RATE
BUSY_MS = 5.0  # if the p99 of (a) is above this, the machine is busy with other work
READY_GOAL_S = 1.0
_UVICORN = ("-m", "uvicorn", "--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning")


class Target(NamedTuple):
    """What is measured: a server's port, a path and a body."""

    name: str
    port: int
    path: str
    body: bytes


class Served(NamedTuple):
    """A server that answers: process id, port and the seconds from its start to its first 200."""

    pid: int
    port: int
    ready_s: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all measurements and print them. Return 1 if a goal is missed, otherwise 0."""
    parser = _parser()
    options = parser.parse_args(arguments)
    for name, value in vars(options).items():
        if isinstance(value, int | float) and value <= 0:
            parser.error(f"--{name.replace('_', '-')} is {value:g}; accepted: more than 0")
    if options.base is not None or options.what != "all":
        return _compare_parts(options)
    missed: list[str] = []
    _stages()
    _memory_and_start(missed)
    if shutil.which("wrk") is None:
        print("\nSKIPPED: wrk is not installed, so throughput and latency are not measured (apt-get install wrk)")
    else:
        _compare(options.rounds or ROUNDS, options.seconds or SECONDS, missed)
    print("\nverdict: " + ("every goal that was measured is met" if not missed else "MISSED: " + "; ".join(missed)))
    return 1 if missed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench")
    what = "all: the service next to its yardsticks (default); app, log, results, beside: see the module's text"
    parser.add_argument("what", nargs="?", choices=("all", "app", "log", "results", "beside"), default="all", help=what)
    parser.add_argument("--base", metavar="COMMIT", help="the commit of app; alone: only compare POST /bid with it")
    parser.add_argument("--starts", type=integer, help="how often the servers are started, except with all")
    parser.add_argument("--rounds", type=integer, help=f"rounds in turns (with all {ROUNDS}), of each start")
    parser.add_argument("--seconds", type=decimal, help=f"seconds of a round (with all {SECONDS:g})")
    batch = "results in one body of /v1/results (default %(default)s)"
    parser.add_argument("--batch", type=integer, default=BATCH, help=batch)
    rate = "bids per second with beside (default %(default)s)"
    parser.add_argument("--rate", type=decimal, default=1000.0, help=rate)
    results = "results per second with beside (default %(default)s)"
    parser.add_argument("--results-rate", type=decimal, default=1000.0, help=results)
    return parser


def _compare_parts(options: argparse.Namespace) -> int:
    def plan(default: Plan) -> Plan:
        return Plan(*(getattr(options, name) or value for name, value in default._asdict().items()))

    if options.what == "app":
        missed = comparisons.compare_app(options.base or "HEAD", plan(comparisons.BASE_PLAN))
    elif options.base is not None:
        missed = comparisons.compare_with(options.base, plan(comparisons.BASE_PLAN))
    elif options.what == "log":
        missed = comparisons.decision_log(plan(comparisons.LOG_PLAN))
    elif options.what == "results":
        missed = comparisons.results_rate(plan(comparisons.RESULTS_PLAN), options.batch)
    else:
        rates = (options.rate, options.results_rate)
        missed = comparisons.bids_beside_results(plan(comparisons.BESIDE_PLAN), options.batch, *rates)
    return 1 if missed else 0


def _stages() -> None:
    print("in-process, us per bid (the contract's example request)")
    for name, value in _printed_by("tests.bench.stages").items():
        print(f"  {name:28} {value:7.2f}")
    print("\nin-process, us per card of POST /v1/card (all plays of random rounds)")
    for name, value in _printed_by("tests.bench.cards").items():
        print(f"  {name:28} mean {value['mean']:7.2f}  p99 {value['p99']:7.2f}")


def _printed_by(module: str) -> Any:
    """Return the JSON value that a module prints."""
    done = subprocess.run([sys.executable, "-m", module], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _memory_and_start(missed: list[str]) -> None:
    print("\nstart and memory")
    times, resident = [], 0
    for _ in range(3):
        with _service() as served:
            times.append(served.ready_s)
            resident = _memory_kb(served.pid, "Rss")
    print(f"  start to ready               {min(times):7.2f} s   (best of {len(times)}: {_list(times)})")
    print(f"  RSS, one worker              {resident / 1024:7.1f} MiB")
    if min(times) > READY_GOAL_S:
        missed.append(f"start to ready {min(times):.2f} s, goal {READY_GOAL_S:g}")
    with _service("--workers", "2") as served:
        _ask(served.port, "/bid", json.dumps(REQUEST).encode())
        sleep(1.0)
        workers = Path(f"/proc/{served.pid}/task/{served.pid}/children").read_text().split()
        for index, worker in enumerate(map(int, workers)):
            shared = _memory_kb(worker, "Rss") - _memory_kb(worker, "Pss")
            print(
                f"  worker {index + 1} of 2: PSS {_memory_kb(worker, 'Pss') / 1024:7.1f} MiB, "
                f"shared part of its RSS {shared / 1024:.1f} MiB; mapped tables: PSS {_tables_kb(worker, 'Pss')} KiB, "
                f"RSS {_tables_kb(worker, 'Rss')} KiB"
            )


def _compare(rounds: int, seconds: float, missed: list[str]) -> None:
    body = json.dumps(REQUEST).encode()
    quiet = json.dumps(REQUEST | {"explain": False}).encode()
    many = json.dumps({"requests": [REQUEST] * BATCH}).encode()
    with ExitStack() as stack:
        service = stack.enter_context(_service(SPADES_QUEUE_MS="0", SPADES_ACCESS_LOG="0")).port
        size = len(_ask(service, "/bid", body))
        raw = stack.enter_context(_app("tests.bench.raw:app", BENCH_BYTES=str(size))).port
        idiomatic = stack.enter_context(_app("tests.bench.idiomatic:app")).port
        targets = [
            Target("(a) raw ASGI", raw, "/bid", body),
            Target("service", service, "/bid", body),
            Target("service, no explanation", service, "/bid", quiet),
            Target("(b) idiomatic FastAPI", idiomatic, "/bid", body),
            Target(_ONE_CALLER, service, "/bid", body),
            Target(_MANY, service, "/v1/bids", many),
        ]
        found: dict[str, list[float]] = {target.name: [] for target in targets}
        for _ in range(rounds):
            for target in targets:
                found[target.name].append(_wrk(target, seconds))
        found[_MANY] = [value * BATCH for value in found[_MANY]]
        print(f"\nrequests/s (/v1/bids: bids/s), {CONNECTIONS} connections, median of {rounds} interleaved rounds")
        for name, values in found.items():
            print(f"  {name:28} {median(values):9.0f}   ({_list(values, 0)})")
        ours = found["service"]
        ratios = dict(
            zip(
                GOALS,
                (
                    _ratio(ours, found["(a) raw ASGI"]),
                    _ratio(ours, found["(b) idiomatic FastAPI"]),
                    _ratio(found[_MANY], found[_ONE_CALLER]),
                    _ratio(found[_MANY], ours),
                ),
                strict=True,
            )
        )
        for name, value in ratios.items():
            print(f"  {name:50} {value:6.2f}   goal {GOALS[name]:g}")
            if value < GOALS[name]:
                missed.append(f"{value:.2f} {name}, goal {GOALS[name]:g}")
        _constant(targets[:2], rounds, seconds, missed)


def _constant(targets: list[Target], rounds: int, seconds: float, missed: list[str]) -> None:
    """Measure the two targets at a constant rate, in turns. Latencies count from the moment a request was due."""
    values: dict[str, list[float]] = {target.name: [] for target in targets}
    halves: dict[str, list[float]] = {target.name: [] for target in targets}
    late: list[float] = []
    failures = 0
    for _ in range(rounds):
        for target in targets:
            head = f"POST {target.path} HTTP/1.1\r\nHost: service\r\nContent-Length: {len(target.body)}\r\n\r\n"
            request = Prepared(head.encode() + target.body, 200)
            result = run(("127.0.0.1", target.port), [request], CONSTANT_RATE, seconds)
            values[target.name].append(result.percentile(99))
            halves[target.name].append(result.percentile(50))
            late.append(result.lateness_ms[len(result.lateness_ms) // 2])
            failures += result.failures
    print(f"\nat a constant {CONSTANT_RATE:g} requests/s, ms, medians of {rounds} interleaved rounds")
    for name, found in values.items():
        print(f"  {name:28} p50 {median(halves[name]):6.3f}  p99 {median(found):7.3f}   ({_list(found, 3)})")
    raw, ours = (values[target.name] for target in targets)
    over = median(b - a for a, b in zip(raw, ours, strict=True))
    print(f"  p99 above (a)'s {over:23.3f} ms   goal {P99_GOAL_MS:g}; the sender is late by {median(late):.3f} ms")
    if median(raw) > BUSY_MS:
        print(f"  NOT JUDGED: the p99 of (a) is over {BUSY_MS:g} ms, so this machine is too busy to measure")
    elif over > P99_GOAL_MS:
        missed.append(f"p99 {over:.2f} ms above (a)'s, goal {P99_GOAL_MS:g}")
    elif failures:
        missed.append(f"{failures} requests without the right answer at {CONSTANT_RATE:g}/s")


def _wrk(target: Target, seconds: float) -> float:
    """Return the requests per second that wrk measures. Raises RuntimeError if an answer is not 200."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write("wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\n")
        script.write(f"wrk.body = [==[{target.body.decode()}]==]\n")
        script.flush()
        url = f"http://127.0.0.1:{target.port}{target.path}"
        connections = 1 if target.name == _ONE_CALLER else CONNECTIONS
        command = ["wrk", "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "-s", script.name, url]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise RuntimeError(f"{target.name}: found other answers than 200; the end of wrk's output: {text[-300:]!r}")
    found = re.search(r"Requests/sec:\s+([\d.]+)", text)
    if found is None:
        raise RuntimeError(f"{target.name}: wrk's output has no Requests/sec; its end: {text[-300:]!r}")
    return float(found[1])


@contextmanager
def _service(*arguments: str, cwd: Path = ROOT, **environment: str) -> Iterator[Served]:
    port = free_port()
    with _started(port, ["-m", "service", "serve", "--port", str(port), *arguments], environment, cwd) as served:
        yield served


@contextmanager
def _app(name: str, **environment: str) -> Iterator[Served]:
    port = free_port()
    with _started(port, [*_UVICORN, "--port", str(port), name], environment) as served:
        yield served


@contextmanager
def _started(port: int, arguments: list[str], environment: dict[str, str], cwd: Path = ROOT) -> Iterator[Served]:
    """Start a Python process that answers GET /readyz. A single worker gets one core of its own."""
    begun = monotonic()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        if "--workers" not in arguments:
            os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
        while True:
            try:
                _ask(port, "/readyz")
                break
            except OSError:
                if process.poll() is not None or monotonic() - begun > START_S:
                    raise RuntimeError(f"{' '.join(arguments)} did not answer 200 within {START_S:g} s") from None
                sleep(0.01)
        yield Served(process.pid, port, monotonic() - begun)
    finally:
        stop(process)


def _ask(port: int, path: str, body: bytes | None = None) -> bytes:
    """Return the body of an answer. Raises ConnectionError if its status is not 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET" if body is None else "POST", path, body)
        response = connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise ConnectionError(f"{path}: status is {response.status}; accepted: 200")
        return answer
    finally:
        connection.close()


def _memory_kb(pid: int, field: str) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)[1])  # type: ignore[index]


def _tables_kb(pid: int, field: str) -> int:
    """Return the KiB of the mapped table files."""
    total, inside = 0, False
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            inside = line.endswith(".npy")
        elif inside and line.startswith(f"{field}:"):
            total += int(line.split()[1])
    return total


def _ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median of the ratios of single rounds."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def _list(values: Sequence[float], digits: int = 2) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in values)


if __name__ == "__main__":
    started = perf_counter()
    code = main()
    print(f"({perf_counter() - started:.0f} s)")
    sys.exit(code)

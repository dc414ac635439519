"""Benchmark the service: speed next to other servers, time by stage, memory, start time and overload.

It starts its own servers on loopback, the service with its command line and default server, and uses HTTP only;
`__main__` tests a deployment instead. Servers are measured in turns, because a machine's speed changes from minute to
minute. The exit code is 1 if a goal is not shown.

    python -m loadtest.bench             the next five
    python -m loadtest.bench stages      microseconds by stage of a bid and of a card, in-process
    python -m loadtest.bench start       start time next to an idiomatic FastAPI handler's, and the memory of workers
    python -m loadtest.bench bids        POST /bid next to the app on uvicorn with httptools and with h11, a bare ASGI
                                         echo, an idiomatic FastAPI handler around the same decision, and --base COMMIT
    python -m loadtest.bench batches     the bids/s of POST /v1/bids next to those of single bids
    python -m loadtest.bench latency     p50 and p99 of POST /bid at a constant rate next to the echo's
    python -m loadtest.bench overload --base COMMIT
                                         this tree and COMMIT under three times their capacity over 200 connections
    python -m loadtest.bench flat        the memory of one worker over 200,000 requests
    python -m loadtest.bench log         what a decision log of all rounds costs POST /bid
    python -m loadtest.bench results     the results/s that POST /v1/results takes on one core
    python -m loadtest.bench beside      the latency of POST /bid with and without results posted at the same time
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Final

from loadtest import comparisons, memory, overload
from loadtest.servers import ROOT
from loadtest.turns import Plan
from spades.arguments import decimal, integer

BATCH: Final = 512  # requests in one body of /v1/bids or /v1/results
RATE: Final = 1000.0
ALL: Final = ("stages", "start", "bids", "batches", "latency")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the measurements and print them. Return 1 if a goal is not shown, otherwise 0."""
    parser = _parser()
    options = parser.parse_args(arguments)
    for name, value in vars(options).items():
        if isinstance(value, int | float) and value <= 0:
            parser.error(f"--{name.replace('_', '-')} is {value:g}; accepted: more than 0")
    if options.what == "overload" and options.base is None:
        parser.error("overload has no --base; accepted: the commit to compare with")
    missed = [goal for what in (ALL if options.what == "all" else [options.what]) for goal in _measure(what, options)]
    print("\nverdict: " + ("NOT SHOWN: " + "; ".join(missed) if missed else "every goal that was measured is shown"))
    return 1 if missed else 0


def _measure(what: str, options: argparse.Namespace) -> list[str]:
    """Measure one thing and print it; return the goals that are not shown."""

    def plan(default: Plan) -> Plan:
        return Plan(*(getattr(options, name) or value for name, value in default._asdict().items()))

    parts: dict[str, Callable[[], list[str]]] = {
        "stages": _stages,
        "start": lambda: memory.start_and_memory(options.starts or memory.STARTS),
        "bids": lambda: comparisons.bids(plan(comparisons.BIDS_PLAN), options.base),
        "batches": lambda: comparisons.batches(plan(comparisons.BATCHES_PLAN), options.batch),
        "latency": lambda: comparisons.latency(plan(comparisons.LATENCY_PLAN), options.rate),
        "overload": lambda: overload.overload(plan(overload.PLAN), options.base),
        "flat": lambda: memory.flat(options.requests),
        "log": lambda: comparisons.decision_log(plan(comparisons.LOG_PLAN)),
        "results": lambda: comparisons.results_rate(plan(comparisons.RESULTS_PLAN), options.batch),
        "beside": lambda: comparisons.bids_beside_results(
            plan(comparisons.BESIDE_PLAN), options.batch, options.rate, options.results_rate
        ),
    }
    return parts[what]()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtest.bench")
    what = f"all: {', '.join(ALL)} (default); the module's text describes each"
    names = ("all", *ALL, "overload", "flat", "log", "results", "beside")
    parser.add_argument("what", nargs="?", choices=names, default="all", metavar="WHAT", help=what)
    parser.add_argument("--base", metavar="COMMIT", help="the commit of bids and overload whose service is compared")
    parser.add_argument("--starts", type=integer, help="how often the servers are started")
    parser.add_argument("--rounds", type=integer, help="rounds of each start, in turns")
    parser.add_argument("--seconds", type=decimal, help="seconds of a round")
    requests = "requests of flat (default %(default)s)"
    parser.add_argument("--requests", type=integer, default=memory.REQUESTS, help=requests)
    batch = "requests in one body of /v1/bids, results in one of /v1/results (default %(default)s)"
    parser.add_argument("--batch", type=integer, default=BATCH, help=batch)
    rate = "bids per second of latency and beside (default %(default)s)"
    parser.add_argument("--rate", type=decimal, default=RATE, help=rate)
    results = "results per second of beside (default %(default)s)"
    parser.add_argument("--results-rate", type=decimal, default=RATE, help=results)
    return parser


def _stages() -> list[str]:
    print("in-process, us per bid (the contract's example request)")
    for name, value in _printed_by("tests.bench.stages").items():
        print(f"  {name:28} {value:7.2f}")
    print("\nin-process, us per card of POST /v1/card (all plays of random rounds)")
    for name, value in _printed_by("tests.bench.cards").items():
        print(f"  {name:28} mean {value['mean']:7.2f}  p99 {value['p99']:7.2f}")
    return []


def _printed_by(module: str) -> Any:
    """Return the JSON value that a module prints."""
    done = subprocess.run([sys.executable, "-m", module], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    started = perf_counter()
    code = main()
    print(f"({perf_counter() - started:.0f} s)")
    sys.exit(code)

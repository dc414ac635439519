"""The command line of the load tests: `python -m loadtest [all|slo|curve|locust|web]`, which `make loadtest` runs.

`python -m loadtest season` plays whole games; `loadtest.season.command` has its options.

The command starts the service on a free port, sends load, prints a verdict and stops the service. `--url` names a
service that is already running. The *promise* is the p99 latency that callers may rely on (`slo`). Exit codes: 0 the
promise was kept, 1 it was not kept or there is no service, 2 wrong arguments.
"""

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from loadtest import slo
from loadtest.arrivals import percentile, run
from loadtest.servers import ROOT, Server, ServerError, running_service

CLOSED_PIPE = 141  # the exit code of a command that SIGPIPE has ended
LOCUSTFILE = Path(__file__).with_name("locustfile.py")
_NO_OP = f"GET {slo.NO_OP} (no-op)"
_COLUMNS = ((8, "rate/s"), *((9, name) for name in ("p50 ms", "p99 ms", "p99.9", "max")), (8, "missed"), (8, "failed"))
_LEGEND = """
late p99: how late the sender itself was, in ms; the other times include it. If it is nearly as long as they are, the
  machine is too busy
CPU us: CPU time of the service's process for each answer"""
_HEADER = " " * 20 + "".join(f"{name:>{width}}" for width, name in (*_COLUMNS, (10, "late p99"), (10, "CPU us")))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["season"]:
        return _season(words[1:])
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except ServerError as error:
        print(f"loadtest: {error}", file=sys.stderr)
        return 1


def _season(arguments: Sequence[str]) -> int:
    """Play a season with the Python client of this checkout."""
    sys.path.append(str(ROOT / "clients" / "python"))
    command = importlib.import_module("loadtest.season.command")
    code: int = command.main(arguments)
    return code


def _run(options: argparse.Namespace) -> int:
    place = nullcontext(_given(options.url, options.api_key)) if options.url else running_service()
    with place as server:
        if options.what == "web":
            return _locust_web(server, options.web_port)
        found: list[str] = []
        if options.what in ("all", "locust"):
            found += _locust(server, options)
        if options.what != "locust":
            print(_LEGEND)
        if options.what in ("all", "slo"):
            found += _slo(server, options)
        if options.what in ("all", "curve"):
            _curves(server, options)
    for fault in found:
        print(f"  {fault}")
    print(f"\nVerdict: {'FAILED' if found else 'kept'} (p99 within {options.promise_ms:g} ms at {options.rate:g}/s)")
    return 1 if found else 0


def _slo(server: Server, options: argparse.Namespace) -> list[str]:
    """Measure the service and the no-op at a constant rate, and return the reasons why the promise was broken."""
    print(f"\nOpen model, {options.duration:g} s at a constant {options.rate:g}/s\n{_HEADER}")
    bids = slo.bid_requests(server)
    run((server.host, server.port), bids, options.rate, 1.0)  # warm up connections and caches
    measured = slo.measure(server, bids, options.rate, options.duration)
    _line("POST /bid", measured)
    no_op = slo.measure(server, slo.no_op_requests(server), options.rate, max(1.0, options.duration / 3))
    _line(_NO_OP, no_op)
    if measured.cost is not None:
        print(f"The service uses {measured.cost.resident_mib:.0f} MiB of memory")
    found = slo.faults(measured.run, options.promise_ms)
    hint = slo.crowded(measured.run, no_op.run, options.promise_ms) if found else ""
    return [*found, hint] if hint else found


def _curves(server: Server, options: argparse.Namespace) -> None:
    step_s = max(1.0, options.duration / 15)
    end = f"until the p99 is over {options.promise_ms:g} ms or a request fails"
    print(f"\nCurve, {step_s:g} s per step, {end}\n{_HEADER}")
    for name, requests in (("POST /bid", slo.bid_requests(server)), (_NO_OP, slo.no_op_requests(server))):
        runs = []
        for measured in slo.curve(server, requests, step_s, options.promise_ms):
            _line(name, measured)
            runs.append(measured.run)
        print(f"{name}: knee (highest rate that keeps the promise) at {slo.knee(runs, options.promise_ms):g}/s")


def _line(name: str, measured: slo.Measured) -> None:
    result, cost = measured
    worst = result.latencies_ms[-1] if result.latencies_ms else float("nan")
    times = "".join(f"{value:9.2f}" for value in (*map(result.percentile, (50, 99, 99.9)), worst))
    failed = result.broken + result.wrong
    late = percentile(result.lateness_ms, 99)
    cpu = f"{cost.cpu_us:10.0f}" if cost is not None else f"{'-':>10}"
    print(f"{name:20}{result.rate:8g}{times}{result.missed:8}{failed:8}{late:10.2f}{cpu}", flush=True)


def _locust(server: Server, options: argparse.Namespace) -> list[str]:
    """Run Locust's users without the web page and return what failed."""
    print(f"\nLocust, {options.users} users for {options.duration:g} s, a closed model", flush=True)
    command = [
        *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--json", "--host", server.url),
        *("-u", str(options.users), "-r", str(options.users), "-t", f"{options.duration:g}s", "-L", "WARNING"),
    ]
    environment = os.environ | {"LOADTEST_API_KEY": server.api_key, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    try:
        entries = json.loads(done.stdout)
    except json.JSONDecodeError:
        return [f"locust: exit code is {done.returncode} and the output is not JSON:\n{done.stderr[-2000:]}"]
    for entry in sorted(entries, key=lambda entry: -entry["num_requests"]):
        times = locust_times(entry)
        print(
            f"{entry['method']:5}{entry['name']:24}{entry['num_requests']:8} requests{entry['num_failures']:5} failed"
            + "".join(f"  p{percent:g} {percentile(times, percent):.2f}" for percent in (50, 99, 99.9))
            + " ms",
            flush=True,
        )
    requests = sum(entry["num_requests"] for entry in entries)
    failures = sum(entry["num_failures"] for entry in entries)
    if failures or not requests or done.returncode:
        outcome = f"{failures} of {requests} requests failed, exit code is {done.returncode}; accepted: no failure, 0"
        return [f"locust: {outcome}:\n{done.stderr[-2000:]}"]
    return []


def locust_times(entry: dict[str, Any]) -> list[float]:
    """Return all response times of one entry of Locust's JSON in ms, ascending; the JSON holds them as a histogram.

    >>> locust_times({"response_times": {"0.42": 2, "0.1": 1}})
    [0.1, 0.42, 0.42]
    """
    histogram = {float(time): count for time, count in entry["response_times"].items()}
    return sorted(Counter(histogram).elements())


def _locust_web(server: Server, port: int) -> int:
    """Run Locust with its web page until Ctrl-C, and return the exit code."""
    print(f"Locust's page: http://127.0.0.1:{port}; the service: {server.url}; Ctrl-C stops both", flush=True)
    command = [
        *(sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--host", server.url),
        *("--web-host", "127.0.0.1", "--web-port", str(port)),
    ]
    environment = os.environ | {"LOADTEST_API_KEY": server.api_key, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the user stops both, and Locust gets the signal too
            process.wait()
            return 0


def _given(address: tuple[str, int], api_key: str) -> Server:
    server = Server(*address, api_key)
    try:
        server.get("/readyz")
    except OSError as error:
        raise ServerError(
            f"{server.url} does not answer ({error}); accepted: the address of a running service"
        ) from None
    return server


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m loadtest", description="Load tests of the bidding service.")
    what = "slo: constant rate; curve: rising rates; locust: simulated users; web: Locust's page (default all)"
    parser.add_argument("what", nargs="?", choices=("all", "slo", "curve", "locust", "web"), default="all", help=what)
    parser.add_argument("--url", type=_address, help="a running service; default: start one on a free port")
    parser.add_argument(
        "--duration", type=_positive, default=30.0, metavar="S", help="seconds of each run (default 30)"
    )
    parser.add_argument("--rate", type=_positive, default=500.0, help="requests per second with slo (default 500)")
    promise = "the promised p99 latency in ms (default %(default)s)"
    parser.add_argument("--promise-ms", type=_positive, default=slo.PROMISE_P99_MS, help=promise)
    parser.add_argument("--users", type=_count, default=8, help="number of Locust's users (default 8)")
    parser.add_argument("--web-port", type=_count, default=8089, help="port of Locust's page (default 8089)")
    key = "API key for the service (default: $LOADTEST_API_KEY)"
    parser.add_argument("--api-key", default=os.environ.get("LOADTEST_API_KEY", ""), help=key)
    return parser


def _address(text: str) -> tuple[str, int]:
    parts = urlsplit(text)
    if parts.scheme != "http" or not parts.hostname:
        raise argparse.ArgumentTypeError(f"value is {text!r}; accepted: http://HOST:PORT")
    return parts.hostname, parts.port or 80


def _positive(text: str) -> float:
    value = float(text) if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text) else 0.0
    if not 0.0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"value is {text!r}; accepted: a positive number such as 30 or 2.5")
    return value


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text):
        raise argparse.ArgumentTypeError(f"value is {text!r}; accepted: an integer such as 8")
    return int(text)


def _main_in_a_pipe() -> int:
    """Run `main`; end quietly if the reader of standard output has gone, such as `head`."""
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more when it exits
        return CLOSED_PIPE


if __name__ == "__main__":
    sys.exit(_main_in_a_pipe())

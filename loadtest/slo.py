"""The promised latency, and the measurements that check it.

`arrivals` sends the requests, and `__main__` is the command line. A step of the curve is good if every arrival got its
right answer and the p99 is within the promise. The *knee* is the highest rate of a good step; the curve ends at the
first rate at which two tries were not good.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loadtest.arrivals import Prepared, Run, percentile, prepare, prepare_get, run
from loadtest.servers import Server, metric
from loadtest.traffic import questions

# Measured at the caller: 5 ms in the service (objective 2 in deploy/prometheus), the rest for the network.
PROMISE_P99_MS = 25.0
# Requests per second of the curve's steps. Neighbours differ by more than the noise of a measurement.
CURVE = (250, 500, 1000, 1500, 2000, 3000, 4000, 5000, 6500, 8000, 10_000, 12_500, 16_000)
NO_OP = "/healthz"
_PREPARED = 2000


class Cost(NamedTuple):
    """The resources that the service's process used in a run, from its own metrics."""

    cpu_us: float  # per request
    resident_mib: float  # at the end of the run


class Measured(NamedTuple):
    """A run and its cost. The cost is None if /metrics is on another port, or if there are several workers."""

    run: Run
    cost: Cost | None


def bid_requests(server: Server, seed: int = 1) -> list[Prepared]:
    """Return bid requests drawn by `traffic`, ready to send."""
    stream = questions(seed)
    return [prepare(next(stream), server.host, server.headers) for _ in range(_PREPARED)]


def no_op_requests(server: Server) -> list[Prepared]:
    """Return requests to an endpoint that does nothing, which measure the network, the server and the sender alone."""
    return [prepare_get(NO_OP, server.host)]


def faults(result: Run, promise_ms: float) -> list[str]:
    """Return the reasons why a run breaks the promise; empty if it keeps it."""
    found = []
    if result.missed:
        found.append(f"{result.missed} of {result.arrivals} arrivals were missed; accepted: 0")
    if result.broken:
        found.append(f"{result.broken} requests got no complete answer; accepted: 0")
    if result.wrong:
        answered = ", ".join(f"{status}: {count}" for status, count in sorted(result.statuses.items()))
        found.append(f"{result.wrong} answers have a wrong status (all answers: {answered}); accepted: 0")
    if not result.percentile(99) <= promise_ms:
        found.append(f"p99 is {result.percentile(99):.2f} ms; promised: {promise_ms:g} ms")
    return found


def crowded(result: Run, no_op: Run, promise_ms: float) -> str:
    """Return a sentence if the machine, not the service, may have broken the promise; otherwise an empty string."""
    late = percentile(result.lateness_ms, 99)
    if late <= promise_ms / 4 and no_op.percentile(99) <= promise_ms / 2:
        return ""
    return (
        f"This machine had too little CPU: the sender itself was {late:.2f} ms late (p99), and the no-op's p99 was "
        f"{no_op.percentile(99):.2f} ms. Measure again on a machine without other work."
    )


def measure(server: Server, requests: Sequence[Prepared], rate: float, seconds: float) -> Measured:
    """Run the requests once and return the results with the service's cost."""
    before = _used(server)
    result = run((server.host, server.port), requests, rate, seconds)
    after = _used(server)
    if before is None or after is None:
        return Measured(result, None)
    return Measured(result, Cost((after[0] - before[0]) / max(1, len(result.latencies_ms)) * 1e6, after[1] / 2**20))


def curve(server: Server, requests: Sequence[Prepared], seconds: float, promise_ms: float) -> Iterator[Measured]:
    """Run the requests at each rate of `CURVE` and yield the results, up to the first rate that fails twice.

    The last result is the better of these two tries.
    """
    for rate in CURVE:
        tried = [measure(server, requests, rate, seconds)]
        if faults(tried[0].run, promise_ms):
            tried.append(measure(server, requests, rate, seconds))
        best = min(tried, key=lambda measured: (measured.run.failures, measured.run.percentile(99)))
        yield best
        if faults(best.run, promise_ms):
            return


def knee(runs: Iterable[Run], promise_ms: float) -> float:
    """Return the highest rate of a curve that kept the promise, or 0."""
    return max((result.rate for result in runs if not faults(result, promise_ms)), default=0.0)


def _used(server: Server) -> tuple[float, float] | None:
    """Return CPU seconds and resident bytes of the service's process, or None if its /metrics does not have them."""
    status, text = server.get("/metrics")
    if status != 200 or "\nprocess_cpu_seconds_total" not in text:
        return None
    return metric(text, "process_cpu_seconds_total"), metric(text, "process_resident_memory_bytes")

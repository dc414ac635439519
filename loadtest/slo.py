"""The promise, and the measurements that are held against it.

Not the sending (`arrivals.py`) nor the command line (`__main__.py`). A step of the curve is good when every
arrival got its right answer and the p99 is within the promise; the knee is the highest rate of a good step, before two
tries at one rate were not good.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loadtest.arrivals import Prepared, Run, percentile, prepare, prepare_get, run
from loadtest.servers import Server, metric
from loadtest.traffic import questions

# At the caller: 5 ms in the service (objective 2 in deploy/prometheus), the rest for the way there and back.
PROMISE_P99_MS = 25.0
# Requests a second of the curve's steps; neighbours differ by a factor that noise doesn't bridge.
CURVE = (250, 500, 1000, 1500, 2000, 3000, 4000, 5000, 6500, 8000, 10_000, 12_500, 16_000)
NO_OP = "/healthz"
_PREPARED = 2000


class Cost(NamedTuple):
    """What the service's process used in a run, by its own metrics."""

    cpu_us: float  # a request
    resident_mib: float  # at its end


class Measured(NamedTuple):
    """A run and its cost; None where the service shows its metrics elsewhere or has several workers."""

    run: Run
    cost: Cost | None


def bid_requests(server: Server, seed: int = 1) -> list[Prepared]:
    """Bids as `traffic.py` draws them, ready to send."""
    stream = questions(seed)
    return [prepare(next(stream), server.host, server.headers) for _ in range(_PREPARED)]


def no_op_requests(server: Server) -> list[Prepared]:
    """The endpoint that does nothing: what the network, the server and the sender cost by themselves."""
    return [prepare_get(NO_OP, server.host)]


def faults(result: Run, promise_ms: float) -> list[str]:
    """Why a run breaks the promise; empty when it is kept."""
    found = []
    if result.missed:
        found.append(f"{result.missed} of {result.arrivals} arrivals missed, expected 0")
    if result.broken:
        found.append(f"{result.broken} requests without a whole answer, expected 0")
    if result.wrong:
        answered = ", ".join(f"{status}: {count}" for status, count in sorted(result.statuses.items()))
        found.append(f"{result.wrong} answers with a status that was not expected (all answers: {answered})")
    if not result.percentile(99) <= promise_ms:
        found.append(f"p99 {result.percentile(99):.2f} ms, promised {promise_ms:g} ms")
    return found


def crowded(result: Run, no_op: Run, promise_ms: float) -> str:
    """A sentence for when the machine, not the service, may have broken the promise; empty when it had room."""
    late = percentile(result.lateness_ms, 99)
    if late <= promise_ms / 4 and no_op.percentile(99) <= promise_ms / 2:
        return ""
    return (
        f"This machine was short of CPU: the sender itself was {late:.2f} ms late (p99), the no-op's p99 was "
        f"{no_op.percentile(99):.2f} ms. Measure where nothing else runs."
    )


def measure(server: Server, requests: Sequence[Prepared], rate: float, seconds: float) -> Measured:
    """One run, and what it cost the service."""
    before = _used(server)
    result = run((server.host, server.port), requests, rate, seconds)
    after = _used(server)
    if before is None or after is None:
        return Measured(result, None)
    return Measured(result, Cost((after[0] - before[0]) / max(1, len(result.latencies_ms)) * 1e6, after[1] / 2**20))


def curve(server: Server, requests: Sequence[Prepared], seconds: float, promise_ms: float) -> Iterator[Measured]:
    """A run at each rate of `CURVE`, up to the first at which two tries were not good (its better one is the last)."""
    for rate in CURVE:
        tried = [measure(server, requests, rate, seconds)]
        if faults(tried[0].run, promise_ms):
            tried.append(measure(server, requests, rate, seconds))
        best = min(tried, key=lambda measured: (measured.run.failures, measured.run.percentile(99)))
        yield best
        if faults(best.run, promise_ms):
            return


def knee(runs: Iterable[Run], promise_ms: float) -> float:
    """The highest rate of a curve that kept the promise; 0 when none did."""
    return max((result.rate for result in runs if not faults(result, promise_ms)), default=0.0)


def _used(server: Server) -> tuple[float, float] | None:
    """CPU seconds and resident bytes of the service's process by its metrics; None when it does not tell them here."""
    status, text = server.get("/metrics")
    if status != 200 or "\nprocess_cpu_seconds_total" not in text:
        return None
    return metric(text, "process_cpu_seconds_total"), metric(text, "process_resident_memory_bytes")

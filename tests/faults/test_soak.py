"""Soak test: under a steady load for minutes, neither memory nor latency grows."""

import os
from statistics import median
from time import monotonic

import pytest

from loadtest import arrivals
from loadtest.arrivals import Prepared, run
from tests.faults.conftest import request_bytes, rss_kb
from tests.patience import LIMIT_S
from tests.servers import running_server

_RATE = float(os.environ.get("SOAK_RATE", "1000"))  # requests/s; half of the machine's capacity, see `make loadtest`
_SECONDS = int(os.environ.get("SOAK_S", "600"))


@pytest.mark.parametrize(
    ("seconds", "slice_s", "rate"), [(4, 1, 100.0), pytest.param(_SECONDS, 10, _RATE, marks=pytest.mark.long)]
)
def test_memory_and_latency_stay_flat(monkeypatch, seconds, slice_s, rate):
    if slice_s == 1:  # beside other tests
        monkeypatch.setattr(arrivals, "PATIENCE_S", LIMIT_S)
        monkeypatch.setattr(arrivals, "TIMEOUT_S", LIMIT_S)
    with running_server(SPADES_ACCESS_LOG="0") as server:
        request = Prepared(request_bytes(), 200)
        rows: list[tuple[int, float, float, int]] = []
        began = monotonic()
        while monotonic() - began < seconds or len(rows) < 4:
            result = run(("127.0.0.1", server.port), [request], rate, slice_s)
            rows.append((rss_kb(server.process.pid), result.percentile(50), result.percentile(99), result.failures))
            rss, p50, p99, failures = rows[-1]
            assert result.broken == 0
            assert result.statuses.keys() == {200}
            passed = monotonic() - began
            print(f"{passed:5.0f} s  RSS {rss} KiB  p50 {p50:.3f}  p99 {p99:.3f} ms  {failures} failed", flush=True)
        quarter = len(rows) // 4
        first, last = rows[1 : 1 + quarter], rows[-quarter:]
        assert max(row[0] for row in last) - max(row[0] for row in first) < 5_000
        if slice_s > 1:  # a busy machine delays some requests, which is much in a second
            assert median(row[1] for row in last) < 2 * median(row[1] for row in first) + 0.5

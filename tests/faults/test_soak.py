"""Soak test: under a steady load for minutes, neither memory nor latency grows."""

import os
from statistics import median
from time import monotonic

import pytest

from loadtest.arrivals import Prepared, run
from tests.faults.conftest import request_bytes, rss_kb
from tests.service.conftest import running_server

_SLICE_S = 10
_RATE = float(os.environ.get("SOAK_RATE", "1000"))  # requests/s; half of the machine's capacity, see `make loadtest`


@pytest.mark.parametrize("seconds", [pytest.param(int(os.environ.get("SOAK_S", "600")), marks=pytest.mark.long)])
def test_memory_and_latency_stay_flat(seconds):
    with running_server(SPADES_ACCESS_LOG="0") as server:
        request = Prepared(request_bytes(), 200)
        rows: list[tuple[int, float, float, int]] = []
        began = monotonic()
        while monotonic() - began < seconds or len(rows) < 4:
            result = run(("127.0.0.1", server.port), [request], _RATE, _SLICE_S)
            rows.append((rss_kb(server.process.pid), result.percentile(50), result.percentile(99), result.failures))
            rss, p50, p99, failures = rows[-1]
            assert result.broken == 0
            assert result.statuses.keys() == {200}
            passed = monotonic() - began
            print(f"{passed:5.0f} s  RSS {rss} KiB  p50 {p50:.3f}  p99 {p99:.3f} ms  {failures} failed", flush=True)
        quarter = len(rows) // 4
        first, last = rows[1 : 1 + quarter], rows[-quarter:]
        assert max(row[0] for row in last) - max(row[0] for row in first) < 5_000
        assert median(row[1] for row in last) < 2 * median(row[1] for row in first) + 0.5

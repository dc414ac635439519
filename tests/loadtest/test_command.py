"""`python -m loadtest`: it starts the service, judges it and stops it; and locust with its buckets."""

import subprocess
import sys

import pytest

from loadtest import slo
from loadtest.__main__ import main
from loadtest.arrivals import Run
from loadtest.servers import ROOT, ServerError, free_port, metric, running_service

pytestmark = pytest.mark.server


def a_run(rate=100.0, latencies=(1.0,), **counts):
    return Run(rate, 10, latencies_ms=list(latencies), **counts)


def test_what_breaks_the_promise():
    assert slo.faults(a_run(), 10) == []
    assert slo.faults(a_run(missed=1), 10) == ["1 of 10 arrivals were missed; accepted: 0"]
    assert slo.faults(a_run(latencies=[1.0] * 98 + [11.0] * 2), 10) == ["p99 is 11.00 ms; promised: 10 ms"]
    assert slo.faults(a_run(latencies=[1.0] * 99 + [11.0]), 10) == []
    assert len(slo.faults(a_run(broken=1, wrong=2), 10)) == 2
    assert len(slo.faults(a_run(latencies=[]), 10)) == 1  # without answers, no objective is met


def test_a_crowded_machine_is_named():
    quiet, late = a_run(lateness_ms=[0.1] * 10), a_run(lateness_ms=[0.1] * 9 + [9.0])
    assert slo.crowded(quiet, a_run(), 10) == ""
    assert "9.00 ms late" in slo.crowded(late, a_run(), 10)
    assert "no-op's p99 was 6.00 ms" in slo.crowded(quiet, a_run(latencies=[6.0]), 10)


def test_the_knee():
    curve = [a_run(250), a_run(500), a_run(1000, missed=3), a_run(2000)]
    assert slo.knee(curve[:3], 10) == 500
    assert slo.knee([a_run(250, missed=1)], 10) == 0
    assert slo.knee([], 10) == 0


def test_a_metric_that_is_not_there():
    with pytest.raises(KeyError, match="have no sample of a"):
        metric("a_total 1\n", "a")


def test_a_service_that_does_not_start_says_why():
    with pytest.raises(ServerError, match="SPADES_DRAIN_S is 'soon'"), running_service(SPADES_DRAIN_S="soon"):
        pass


def test_no_service_is_told_in_a_line(capsys, monkeypatch):
    assert main(["slo", "--url", f"http://127.0.0.1:{free_port()}"]) == 1
    assert "does not answer" in capsys.readouterr().err
    monkeypatch.setenv("SPADES_DRAIN_S", "soon")
    assert main(["slo"]) == 1
    assert "SPADES_DRAIN_S is 'soon'" in capsys.readouterr().err


def test_the_open_model_run(capsys):
    quick = ["slo", "--duration", "1", "--rate", "50"]
    with running_service() as server:
        assert main([*quick, "--url", server.url, "--promise-ms", "60000"]) == 0
        assert "Verdict: kept" in capsys.readouterr().out
        assert main([*quick, "--url", server.url, "--promise-ms", "0.001"]) == 1
    out = capsys.readouterr().out
    assert "Verdict: FAILED" in out
    assert "promised: 0.001 ms" in out
    assert "late p99: how late the sender itself was" in out
    assert "GET /healthz (no-op)" in out


def test_the_curve(capsys, monkeypatch):
    monkeypatch.setattr(slo, "CURVE", (20, 40))
    assert main(["curve", "--duration", "1", "--promise-ms", "60000"]) == 0
    assert "POST /bid: knee (highest rate that keeps the promise) at 40/s" in capsys.readouterr().out


def test_locust_headless(capsys):
    assert main(["locust", "--duration", "2", "--users", "2"]) == 0
    out = capsys.readouterr().out
    assert "POST /v1/bid " in out
    assert "(wrong)" in out


def test_locust_counts_in_parts_of_a_millisecond():
    """Runs in a separate process, because importing locust patches the standard library."""
    code = (
        "from loadtest.locustfile import bucket_ms\n"
        "import locust.stats\n"
        "entry = locust.stats.StatsEntry(None, '/bid', 'POST')\n"
        "[entry._log_response_time(t) for t in (0.4242, 4.2424, 42.424, 424.24)]\n"
        "print(sorted(entry.response_times))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[0.42, 4.24, 42.4, 424]\n"


@pytest.mark.parametrize("arguments", [["--rate", "0"], ["--duration", "-1"], ["--url", "https://one"], ["nothing"]])
def test_wrong_arguments(arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2

"""Patience: these tests judge the load tests, not the machine, which may stall for longer than a caller would wait."""

import pytest

from loadtest import arrivals


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(arrivals, "PATIENCE_S", 5.0)
    monkeypatch.setattr(arrivals, "TIMEOUT_S", 10.0)
    monkeypatch.setenv("SPADES_QUEUE_MS", "0")  # the services started here shed nothing

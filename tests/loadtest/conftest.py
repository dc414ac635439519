"""Settings for tests of the load tests: no request is shed, because a busy machine may stall for a while."""

import pytest

from loadtest import arrivals


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(arrivals, "PATIENCE_S", 5.0)
    monkeypatch.setattr(arrivals, "TIMEOUT_S", 10.0)
    monkeypatch.setenv("SPADES_QUEUE_MS", "0")  # the services that the tests start shed no request

"""Settings for tests of the load tests: no arrival is missed and no request is shed because the machine is busy."""

import pytest

from loadtest import arrivals
from tests.patience import LIMIT_S, PATIENT


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(arrivals, "PATIENCE_S", LIMIT_S)
    monkeypatch.setattr(arrivals, "TIMEOUT_S", LIMIT_S)
    for name, value in PATIENT.items():  # for the services that the tests start
        monkeypatch.setenv(name, value)

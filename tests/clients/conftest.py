"""The services that all client tests use. `client.py` is not run here."""

import hashlib
import json
from pathlib import Path
from random import Random
from typing import cast

import pytest
from spades_client import simple_bid
from spades_client.cards import DECK
from spades_client.models import BidRequest

from clients.generate import BUILD
from spades.rules import PRESETS
from tests.clients.bad_service import bad_service
from tests.patience import get
from tests.servers import running_server

collect_ignore = ["client.py"]
KEY = "a key of the tests"
URLS_FILE = Path(__file__).with_name("urls.json")


@pytest.fixture(scope="session")
def url():
    """A service; its document is in build/clients/openapi.json."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with running_server(SPADES_ACCESS_LOG="0") as server:
        (BUILD / "openapi.json").write_bytes(get(f"{server.url}/openapi.json").content)
        yield server.url


@pytest.fixture(scope="session")
def keyed_url(tmp_path_factory: pytest.TempPathFactory):
    """A service that requires `KEY`."""
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text(f"tests {hashlib.sha256(KEY.encode()).hexdigest()}\n")
    with running_server(SPADES_ACCESS_LOG="0", SPADES_API_KEYS_FILE=str(file)) as server:
        yield server.url


@pytest.fixture(scope="session")
def bad_url():
    """A service that is busy, silent or gone (`bad_service`)."""
    with bad_service() as found:
        yield found


@pytest.fixture(scope="session")
def fallback_cases() -> Path:
    """A file of requests, each with the bid of the Python client's fallback."""
    random = Random(66)
    cases = []
    for _ in range(500):
        bids: list[int | str] = [random.choice(["nil", "blind_nil", *range(14)]) for _ in range(random.randrange(4))]
        rules = {"preset": random.choice(list(PRESETS))} | random.choice([{}, {"min_bid": 2}, {"team_min": 4}])
        request = {"hand": random.sample(DECK, 13), "previous_bids": bids, "seat": len(bids), "rules": rules}
        if random.random() < 0.5:
            request["legal_bids"] = random.sample(["nil", *range(1, 14)], random.randint(1, 14))
        cases.append({"request": request, "bid": simple_bid(cast(BidRequest, request))})
    file = BUILD / "fallback_cases.json"
    file.write_text(json.dumps(cases))
    return file

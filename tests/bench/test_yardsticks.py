"""The yardsticks of `make bench` make the same decision and return as many bytes as the service."""

import asyncio
import itertools

import httpx
import pytest

from spades.contract.examples import REQUEST
from spades.contract.inference_request import read_inference
from tests.bench import idiomatic, inference, raw
from tests.bench.cards import requests_of, times_us
from tests.bench.stages import best_us
from tests.conftest import committed_tables
from tests.one_set import served


def _post(app, body) -> httpx.Response:
    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service") as client:
            return await client.post("/bid", json=body)

    return asyncio.run(send()).raise_for_status()


def test_the_idiomatic_app_decides_the_same():
    service = served()
    ours, theirs = _post(service, REQUEST).json(), _post(idiomatic.app, REQUEST).json()
    assert theirs["explanation"].items() >= ours["explanation"].items()  # its model adds the empty fields
    assert (theirs["bid"], theirs["kind"], theirs["tables"]) == (ours["bid"], ours["kind"], ours["tables"])


def test_the_echo_answers_as_many_bytes_as_asked():
    assert len(_post(raw.app, REQUEST).content) == 1000


def test_times_are_microseconds():
    assert 0 < best_us(lambda: None) < 1000
    ticks = itertools.count()
    assert times_us(len, "ab", lambda: next(ticks) / 1000.0)["mean"] == pytest.approx(1000.0)  # each call takes a tick


def test_the_requests_for_cards_are_whole_rounds():
    requests = requests_of(1, committed_tables())
    assert [sum(map(len, request["tricks"])) for request in requests] == list(range(52))


def test_the_requests_for_inferences_are_whole_rounds():
    requests = inference.requests_of(1, committed_tables())
    calls = [read_inference(request) for request in requests]
    assert [sum(cards.bit_count() for cards in call.view.played) for call in calls] == list(range(0, 52, 4))

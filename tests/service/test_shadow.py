"""The shadow: bids that other tables decide too, after the answer, and what is counted of them."""

import asyncio
from collections import Counter

import orjson
import pytest

from service import shadow as shadow_module
from service.roles import Canary
from service.settings import Settings
from service.table_sets import open_sets
from spades.bidder import decide
from spades.contract import bid_request
from tests.service.asgi_calls import answer
from tests.service.made_sets import BLIND, HAND, expected
from tests.service.test_metrics import _samples


@pytest.fixture
def with_shadow(sets, made_sets):
    return sets._replace(shadow=sets.by_version[made_sets[1][2]])


def _answers(serving, *requests):
    """Answer requests on one event loop, as the server does, and let the shadow decide."""

    async def run():
        made = [await answer(serving, "/v1/bid", orjson.dumps(request)) for request in requests]
        for _ in range(1000):
            await asyncio.sleep(0)
        return [response.json() for response in made]

    return asyncio.run(run())


def _shadowed(call, serving):
    samples = _samples(call("GET", "/metrics", serving))
    return {
        (dict(key[1:])["policy"], dict(key[1:])["result"]): value
        for key, value in samples.items()
        if key[0] == "spades_shadow_bids_total" and value
    }


def test_the_shadow_is_counted_by_policy(call, serving, sets, with_shadow, made_sets):
    serving.state.serve(with_shadow)
    shadow = with_shadow.shadow.version
    requests = [{**HAND, "policy": policy, "level": level} for policy in ("bis", "rb", "winprob") for level in (5, 2)]
    answers = [expected(sets, sets.default.version, request) for request in requests]
    assert _answers(serving, *requests) == answers
    counted = Counter(
        (request["policy"], "same" if answer["bid"] == expected(sets, shadow, request)["bid"] else "other")
        for request, answer in zip(requests, answers, strict=True)
    )
    assert _shadowed(call, serving) == counted
    assert {result for _, result in counted} == {"same", "other"}


def test_only_what_the_default_decides_has_a_shadow(call, serving, with_shadow, made_sets):
    one, two, _ = made_sets[1]
    serving.state.serve(with_shadow._replace(canary=Canary(two, 1.0)))
    _answers(serving, {**HAND, "tables": two}, {**HAND, "game": "1"}, {**HAND, "tables": one})
    assert sum(_shadowed(call, serving).values()) == 1


def test_a_blind_nil_and_a_batch_have_a_shadow(call, serving, with_shadow):
    serving.state.serve(with_shadow)
    assert call("POST", "/v1/bid/blind", serving, json=BLIND).status_code == 200
    assert call("POST", "/v1/bids", serving, json={"requests": [HAND, {}]}).status_code == 200
    assert sum(_shadowed(call, serving).values()) == 2


def test_a_fault_of_the_shadow_is_counted_and_logged_once(call, serving, sets, with_shadow, monkeypatch, caplog):
    serving.state.serve(with_shadow)

    def fail(position, policy, tables, *rest):
        if tables is with_shadow.shadow.tables:
            raise ValueError("a bug")
        return decide(position, policy, tables, *rest)

    monkeypatch.setattr(bid_request, "decide", fail)
    found = _answers(serving, *[HAND] * 5)
    assert found == [expected(sets, sets.default.version, HAND)] * 5
    assert _shadowed(call, serving) == {("bis", "failed"): 5}
    assert len([record for record in caplog.records if "could not decide" in record.message]) == 1


def test_a_queue_that_is_full_drops(call, serving, with_shadow, monkeypatch):
    monkeypatch.setattr(shadow_module, "MOST_WAITING", 3)
    serving.state.serve(with_shadow)
    _answers(serving, *[HAND] * 5)
    found = _shadowed(call, serving)
    assert found.pop(("bis", "dropped")) == 2
    assert sum(found.values()) == 3


def test_a_shadow_whose_files_changed_decides_nothing(call, serving, folder, made_sets):
    one, two, _ = made_sets[1]
    folder.link(one)
    copy = folder.copy(two)
    serving.state.serve(open_sets(Settings(tables_dir=folder.path, tables_version=one, shadow=two)))
    (copy / "win.npy").touch()
    serving.state.check_tables()
    assert _answers(serving, HAND)[0]["tables"] == one
    assert _shadowed(call, serving) == {("bis", "failed"): 1}

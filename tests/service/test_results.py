"""POST /v1/results: outcomes are counted by stated probability; a faulty result is refused alone; nothing is stored."""

import asyncio
import math

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.endpoints import batches, results
from service.endpoints.results import RESULTS_BATCH
from service.fair_turns import SLICE_S
from service.keys import new_key
from service.problems import ProblemError
from spades.contract.examples import RESULTS_REQUEST
from spades.contract.results import MAX_RESULTS, read_result
from tests.conftest import committed_tables
from tests.one_set import served

NIL = {"policy": "bis", "tables": "old", "p_nil_made": 0.75, "nil_made": True}


@pytest.fixture
def fresh():
    return served()


def counted(service) -> dict[tuple, tuple]:
    """By kind, policy, tables and bin: outcomes, those that happened, and the sum of the stated probabilities."""
    found: dict[tuple, list] = {}
    for family in text_string_to_metric_families(service.state.metrics.text().decode()):
        for sample in family.samples:
            if sample.name.startswith("spades_results"):
                labels = tuple(sample.labels[name] for name in ("kind", "policy", "tables", "bin"))
                found.setdefault(labels, []).append(round(sample.value, 6))
    return {labels: tuple(values) for labels, values in found.items()}


def post(call, service, *items):
    return call("POST", "/v1/results", service, json={"results": list(items)})


def test_outcomes_are_counted_by_kind_policy_tables_and_bin(call, fresh):
    version = committed_tables().version
    full = RESULTS_REQUEST["results"][0] | {"tables": version}
    edges = [NIL | {"p_nil_made": p, "nil_made": p > 0.5} for p in (0, 0.1, 0.0999, 1, 1.0, 0.95)]
    answer = post(call, fresh, full, full | {"won": True}, full | {"policy": "winprob:tuned=on"}, *edges)
    assert answer.status_code == 200
    assert answer.json()["accepted"] == 8
    (refused,) = answer.json()["refused"]
    assert (refused["index"], refused["status"]) == (2, 422)
    assert counted(fresh) == {
        ("contract", "winprob", version, "0.8"): (2, 2, 1.62),
        ("win", "winprob", version, "0.6"): (2, 1, 1.24),
        ("nil", "bis", "other", "0.0"): (2, 0, 0.0999),
        ("nil", "bis", "other", "0.1"): (1, 0, 0.1),
        ("nil", "bis", "other", "0.9"): (3, 3, 2.95),
    }


def test_options_are_no_label_and_an_outcome_without_a_statement_is_not_counted(call, fresh):
    items = [NIL | {"policy": "bis:endgame=off"}, {"policy": "rb", "tables": "x", "won": True, "contract_made": False}]
    assert post(call, fresh, *items).json() == {"accepted": 2, "refused": []}
    assert counted(fresh) == {("nil", "bis", "other", "0.7"): (1, 1, 0.75)}


@pytest.mark.parametrize(
    ("item", "faults"),
    [
        ({}, [("/policy", "missing-field"), ("/tables", "missing-field")]),
        (5, [("", "wrong-type")]),
        ({"policy": "bis", "tables": "x"}, [("", "missing-field")]),
        (NIL | {"policy": "best"}, [("/policy", "unknown-policy")]),
        (NIL | {"policy": "strongest"}, [("/policy", "unknown-policy")]),
        (NIL | {"policy": "bis:" + "x" * 300}, [("/policy", "unknown-policy")]),
        (NIL | {"tables": ""}, [("/tables", "out-of-range")]),
        (NIL | {"tables": "x" * 65}, [("/tables", "out-of-range")]),
        (NIL | {"p_nil_made": 1.5, "p_win": "a"}, [("/p_nil_made", "out-of-range"), ("/p_win", "wrong-type")]),
        (NIL | {"nil_made": None, "p_win": 0.5}, [("/nil_made", "missing-field"), ("/won", "missing-field")]),
        (NIL | {"nil_made": 1}, [("/nil_made", "wrong-type")]),
        (NIL | {"made": True}, [("/made", "unknown-field")]),
        (NIL | {"round_id": "a"}, [("/seat", "missing-field")]),
        (NIL | {"round_id": "", "game": 5}, [("/round_id", "out-of-range"), ("/game", "wrong-type")]),
        (NIL | {"seat": 4, "round": -1}, [("/seat", "out-of-range"), ("/round", "out-of-range")]),
        (NIL | {"bids": [0, 3, 4]}, [("/bids", "bid-out-of-range")]),
        (NIL | {"bids": [0, 3, 4, 5, 6]}, [("/bids", "too-many-items")]),
        (NIL | {"bids": "0"}, [("/bids", "wrong-type")]),
        (NIL | {"bids": [0, 3, 14, "x"]}, [("/bids/2", "bid-out-of-range"), ("/bids/3", "bid-out-of-range")]),
        (NIL | {"tricks": [0, 3, 4]}, [("/tricks", "missing-field")]),
        (NIL | {"tricks": [0, 3, 4, 5, 1]}, [("/tricks", "too-many-items")]),
        (NIL | {"tricks": [0, 3, 4, 5]}, [("/tricks", "contradiction")]),
        (NIL | {"tricks": [0, 14, "1", 5]}, [("/tricks/1", "out-of-range"), ("/tricks/2", "wrong-type")]),
        (NIL | {"seat": 0, "bids": [3, 3, 3, 3]}, [("/nil_made", "contradiction")]),
        (NIL | {"seat": 0, "tricks": [1, 4, 4, 4]}, [("/nil_made", "contradiction")]),
    ],
)
def test_every_fault_of_a_result_is_named_and_the_others_count(call, fresh, item, faults):
    answer = post(call, fresh, NIL, item, NIL).json()
    assert answer["accepted"] == 2
    (refused,) = answer["refused"]
    assert (refused["index"], refused["status"]) == (1, 422)
    assert [(fault["pointer"], fault["code"]) for fault in refused["body"]["errors"]] == faults
    assert all("accepted" in fault["detail"] or "field" in fault["code"] for fault in refused["body"]["errors"])
    assert counted(fresh) == {("nil", "bis", "other", "0.7"): (2, 2, 1.5)}


def test_words_and_whole_numbers_are_read_as_in_a_bid(call, fresh):
    item = NIL | {"seat": 1.0, "bids": ["blind_nil", "nil", "3", 4.0], "tricks": [0, 0, 6.0, 7], "game": None}
    assert post(call, fresh, item).json() == {"accepted": 1, "refused": []}


@pytest.mark.parametrize(
    ("body", "status"),
    [({"results": [NIL] * MAX_RESULTS}, 200), ({"results": [NIL] * (MAX_RESULTS + 1)}, 422), ([], 422), ({}, 422)],
)
def test_a_body_of_another_form_is_refused_whole(call, fresh, body, status):
    assert call("POST", "/v1/results", fresh, json=body).status_code == status
    assert bool(counted(fresh)) == (status == 200)


def test_each_result_is_charged_to_the_key(call, clock, tmp_path):
    key = new_key("studio", 3.0)
    path = tmp_path / "keys"
    path.write_text(key.line + "\n")
    path.chmod(0o600)
    service = served(api_keys_file=path)
    assert post(call, service, NIL).status_code == 401
    headers = {"authorization": f"Bearer {key.secret}"}
    body = {"results": [NIL] * 30}
    assert call("POST", "/v1/results", service, json=body, headers=headers).status_code == 200
    assert call("POST", "/v1/results", service, json=body, headers=headers).status_code == 429


class Clock:
    """A clock that each result advances; it notes when the event loop had its turns."""

    def __init__(self, monkeypatch, result_s: float) -> None:
        self.now = 0.0
        self.turns: list[float] = []
        for module in (batches, results):
            monkeypatch.setattr(module, "perf_counter", lambda: self.now)

        def read_slowly(item):
            self.now += result_s
            return read_result(item)

        monkeypatch.setattr(results, "read_result", read_slowly)

    async def watch(self) -> None:
        while True:
            before = self.now
            await asyncio.sleep(0)
            self.turns.append(self.now - before)


def test_results_share_the_event_loop_with_other_requests(monkeypatch, fresh):
    clock = Clock(monkeypatch, SLICE_S / 10)

    async def main() -> None:
        watcher = asyncio.create_task(clock.watch())
        body = orjson.dumps({"results": [NIL] * 200})
        await asyncio.gather(
            *(batches.answer_in_slices(fresh.state, RESULTS_BATCH, body, math.inf, None) for _ in range(3))
        )
        watcher.cancel()

    asyncio.run(main())
    assert max(clock.turns) <= 1.2 * SLICE_S
    assert counted(fresh) == {("nil", "bis", "other", "0.7"): (600, 600, 450)}


def test_a_batch_that_misses_its_deadline_counts_nothing(monkeypatch, fresh):
    Clock(monkeypatch, SLICE_S)
    body = orjson.dumps({"results": [NIL] * 100})

    async def main() -> None:
        with pytest.raises(ProblemError, match="deadline-exceeded"):
            await batches.answer_in_slices(fresh.state, RESULTS_BATCH, body, 10.5 * SLICE_S, None)

    asyncio.run(main())
    assert counted(fresh) == {}

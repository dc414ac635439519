"""The table sets of a running service: what metrics and answers say about them, and files that change on disk."""

import pytest
from pydantic import TypeAdapter

from service.app import create_app
from service.endpoints.batches import BidsAnswer, InferencesAnswer
from service.settings import Canary
from service.table_sets import open_sets
from spades.contract.examples import SHORT_INFERENCE_REQUEST
from tests.patience import patient
from tests.service.made_sets import HAND
from tests.service.test_metrics import _samples


def _serving(sets):
    """Return a service with ``sets``."""
    service = create_app(patient())
    service.state.serve(sets)
    return service


def _serving_folder(folder):
    return _serving(open_sets(patient(tables_dir=folder.path)))


def _reader(call, service):
    """Return a function that gives a metric's value of now; one text for all, because frequent scrapes share one."""
    samples = _samples(call("GET", "/metrics", service))
    return lambda name, **labels: samples[name, *sorted(labels.items())]


def test_a_broken_set_without_a_role_is_left_out(call, folder, made_sets, caplog):
    one, two, three = made_sets[1]
    folder.link(one, three)
    folder.copy(two, "7.7+0")
    folder.releases(default=one)
    service = _serving_folder(folder)
    assert list(service.state.sets.by_version) == [one, three]
    assert _reader(call, service)("spades_tables_last_read_successful") == 0
    (record,) = (record for record in caplog.records if record.levelname == "ERROR")
    assert record.message.startswith("a table set is refused: ")
    assert record.message.endswith(f"found tables {two}; expected 7.7+0")


def test_the_catalogue_has_the_win_tables_of_the_default(call, sets, monkeypatch):
    before = call("GET", "/v1/policies", _serving(sets)).json()
    without = type(sets.default.tables.games)({})
    monkeypatch.setitem(sets.default.tables.__dict__, "games", without)
    after = call("GET", "/v1/policies", _serving(sets)).json()
    assert after["policies"] == before["policies"]
    assert after["win_tables"] != before["win_tables"]


@pytest.mark.slow
def test_files_that_changed_end_the_use_of_their_set_only(call, folder, made_sets, caplog):
    one, two, three = made_sets[1]
    folder.link(one)
    copies = {version: folder.copy(version) for version in (two, three)}
    folder.releases(default=two, canary=f"{three}:1")
    service = _serving_folder(folder)
    (copies[three] / "win.npy").touch()
    service.state.check_tables()
    assert call("GET", "/readyz", service).status_code == 200
    assert call("POST", "/bid", service, json=HAND).json()["tables"] == two
    reason = "the tables changed on disk (win.npy); restart the service"
    for request in ({**HAND, "game": "1"}, {**HAND, "tables": three}):
        answer = call("POST", "/bid", service, json=request)
        assert (answer.status_code, answer.json()["detail"]) == (503, reason)
    listed = {one["version"]: one.get("changed") for one in call("GET", "/version", service).json()["table_sets"]}
    assert listed == {one: None, two: None, three: reason}
    value = _reader(call, service)
    for version, role, is_open in ((one, "named", 1), (two, "default", 1), (three, "canary", 0)):
        assert value("spades_tables_open", version=version, role=role) == is_open
    assert value("spades_ready") == 1
    (copies[two] / "win.npy").touch()
    service.state.check_tables()
    service.state.check_tables()
    assert call("GET", "/readyz", service).status_code == 503
    assert call("POST", "/bid", service, json={**HAND, "tables": one}).status_code == 503
    assert _reader(call, service)("spades_ready") == 0
    logged = [record.message for record in caplog.records if "has changed on disk" in record.message]
    assert [message.rpartition(" tables ")[2] for message in logged] == [
        f"{version}; restart the service" for version in (three, two)
    ]


@pytest.mark.parametrize(
    ("path", "request_", "answer_type"),
    [("/v1/bids", HAND, BidsAnswer), ("/v1/inferences", SHORT_INFERENCE_REQUEST, InferencesAnswer)],
    ids=["bids", "inferences"],
)
def test_one_request_of_a_batch_may_name_a_set_that_changed(call, folder, made_sets, path, request_, answer_type):
    one, two, _ = made_sets[1]
    folder.link(one)
    copy = folder.copy(two)
    folder.releases(default=one)
    service = _serving_folder(folder)
    (copy / "win.npy").touch()
    service.state.check_tables()
    body = call("POST", path, service, json={"requests": [request_, {**request_, "tables": two}]}).json()
    TypeAdapter(answer_type).validate_python(body)
    assert [item["status"] for item in body["answers"]] == [200, 503]
    assert body["answers"][1]["body"]["type"] == "/problems/not-ready"


def test_what_is_served_is_told(call, sets, made_sets):
    one, two, three = made_sets[1]
    service = _serving(sets._replace(canary=Canary(two, 0.3)))
    version = call("GET", "/version", service).json()
    assert version["tables"] == {"version": one, "sha256": sets.default.tables.sha256}
    assert [(info["version"], info["roles"]) for info in version["table_sets"]] == [
        (one, ["default"]),
        (two, ["canary"]),
        (three, []),
    ]
    assert version["canary_share"] == 0.3
    for tables in (two, two, three):
        call("POST", "/bid", service, json={**HAND, "tables": tables})
    value = _reader(call, service)
    assert value("spades_tables_info", version=one, sha256=sets.default.tables.sha256) == 1
    assert value("spades_tables_last_read_successful") == 1
    for tables, role, bids in ((one, "default", 0), (two, "canary", 2), (three, "named", 1)):
        assert value("spades_tables_open", version=tables, role=role) == 1
        assert value("spades_tables_bids_total", version=tables, kind="regular") == bids

"""SIGHUP in one process: which sets are kept, closed or refused, and what metrics and answers say about them."""

import asyncio
import weakref
from typing import Any

import orjson
from pydantic import TypeAdapter

from service.app import create_app
from service.endpoints import batches as batch_module
from service.endpoints.batches import BidsAnswer, InferencesAnswer
from service.roles import Canary
from service.table_sets import open_sets
from spades.contract.examples import SHORT_INFERENCE_REQUEST
from tests.patience import patient
from tests.service.made_sets import HAND
from tests.service.test_metrics import _samples


def _reloaded(settings):
    service = create_app(settings)
    service.state.serve(open_sets(settings))
    return service, lambda: asyncio.run(service.state.reload())


def _value(call, service, name, **labels):
    return _samples(call("GET", "/metrics", service)).get((name, *sorted(labels.items())))


def test_a_reload_opens_what_is_new_and_lets_go_what_is_gone(call, folder, made_sets):
    one, two, three = made_sets[1]
    folder.link(one, two)
    folder.releases(default=one)
    service, reload = _reloaded(patient(tables_dir=folder.path))
    kept, gone = (service.state.sets.by_version[version] for version in (one, two))
    folder.link(three)
    folder.remove(two)
    folder.releases(default=three, canary=f"{one}:0.5")
    reload()
    sets = service.state.sets
    assert list(sets.by_version) == [one, three]
    assert sets.by_version[one] is kept
    assert sets.default.version == three
    assert call("POST", "/bid", service, json=HAND).json()["tables"] == three
    assert call("POST", "/bid", service, json={**HAND, "tables": two}).status_code == 422
    assert _value(call, service, "spades_tables_reloads_total", result="done") == 1
    for version, role, value in ((one, "default", 0), (two, "named", 0), (three, "default", 1), (one, "canary", 1)):
        assert _value(call, service, "spades_tables_open", version=version, role=role) == value
    shas = {version: opened.tables.sha256 for version, opened in sets.by_version.items()}
    assert _value(call, service, "spades_tables_info", version=one, sha256=shas[one]) == 0
    assert _value(call, service, "spades_tables_info", version=three, sha256=shas[three]) == 1
    held = weakref.ref(gone.tables)
    del gone, sets
    assert held() is None  # without the garbage collector, which never sees what was there at the start


def test_a_reload_without_a_change_keeps_every_set(folder, made_sets):
    folder.link(*made_sets[1])
    folder.releases(default=made_sets[1][0])
    service, reload = _reloaded(patient(tables_dir=folder.path))
    before = service.state.sets
    reload()
    assert service.state.sets.by_version == before.by_version


def test_a_reload_that_fails_changes_nothing(call, folder, made_sets, caplog):
    one, two, _ = made_sets[1]
    folder.link(one)
    folder.releases(default=one)
    service, reload = _reloaded(patient(tables_dir=folder.path))
    before = service.state.sets
    copy = folder.copy(two)
    (copy / "win.npy").write_bytes(b"")
    folder.releases(default=two)
    reload()
    assert service.state.sets is before
    assert _value(call, service, "spades_tables_reloads_total", result="refused") == 1
    assert _value(call, service, "spades_tables_refused_total", reason="content") == 1
    (record,) = (record for record in caplog.records if record.levelname == "ERROR")
    assert "the tables stay as they are" in record.message
    assert "win.npy: found 0 bytes; expected" in record.message
    assert call("GET", "/readyz", service).json() == {"status": "ready", "tables": one}
    assert _value(call, service, "spades_tables_last_read_successful") == 0
    (folder.path / two).rename(folder.path / ".broken")
    folder.releases(default=one)
    reload()
    assert _value(call, service, "spades_tables_last_read_successful") == 1


def test_a_broken_set_without_a_role_is_left_out(call, folder, made_sets, caplog):
    one, two, three = made_sets[1]
    folder.link(one)
    folder.releases(default=one)
    service, reload = _reloaded(patient(tables_dir=folder.path))
    folder.copy(two, "7.7+0")
    folder.link(three)
    reload()
    assert list(service.state.sets.by_version) == [one, three]
    assert _value(call, service, "spades_tables_refused_total", reason="version") == 1
    assert _value(call, service, "spades_tables_last_read_successful") == 0
    assert f"found tables {two}; expected 7.7+0" in caplog.text


def test_a_bug_in_a_reload_changes_nothing(call, folder, made_sets, monkeypatch, caplog):
    folder.link(made_sets[1][0])
    service, reload = _reloaded(patient(tables_dir=folder.path))
    before = service.state.sets
    monkeypatch.setattr("service.requests.open_sets", lambda *_: 1 // 0)
    reload()
    assert service.state.sets is before
    assert _value(call, service, "spades_tables_reloads_total", result="refused") == 1
    assert "ZeroDivisionError" in caplog.text


def test_the_catalogue_has_the_win_tables_of_the_default(call, folder, made_sets, monkeypatch):
    one, two, _ = made_sets[1]
    folder.link(one, two)
    folder.releases(default=one)
    service, reload = _reloaded(patient(tables_dir=folder.path))
    before = call("GET", "/v1/policies", service).json()
    service.state.sets.by_version[two].tables.__dict__["games"] = type(service.state.sets.default.tables.games)({})
    folder.releases(default=two)
    reload()
    after = call("GET", "/v1/policies", service).json()
    assert after["policies"] == before["policies"]
    assert after["win_tables"] != before["win_tables"]


def test_a_batch_keeps_the_sets_that_it_began_with(made_sets, sets, monkeypatch):
    """A swap between two slices of a batch."""
    service = create_app(patient())
    state: Any = service.state
    state.serve(sets)
    one, two, _ = made_sets[1]
    monkeypatch.setattr(batch_module, "SLICE_S", -1.0)  # one request in each turn of the event loop

    async def run():
        body = orjson.dumps({"requests": [HAND, {**HAND, "tables": two}] * 3})
        task = asyncio.create_task(
            batch_module.answer_in_slices(state, batch_module.BIDS_BATCH, body, float("inf"), None)
        )
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        service.state.serve(sets._replace(default=sets.by_version[two], by_version={two: sets.by_version[two]}))
        return orjson.loads(await task)

    found = [item["body"]["tables"] for item in asyncio.run(run())["answers"]]
    assert found == [one, two] * 3


def test_files_that_changed_end_the_use_of_their_set_only(call, folder, made_sets):
    one, two, three = made_sets[1]
    folder.link(one)
    copies = {version: folder.copy(version) for version in (two, three)}
    folder.releases(default=two, canary=f"{three}:1")
    service, reload = _reloaded(patient(tables_dir=folder.path))
    (copies[three] / "win.npy").touch()
    service.state.check_tables()
    assert call("GET", "/readyz", service).status_code == 200
    assert call("POST", "/bid", service, json=HAND).json()["tables"] == two
    for request in ({**HAND, "game": "1"}, {**HAND, "tables": three}):
        answer = call("POST", "/bid", service, json=request)
        assert (answer.status_code, answer.json()["detail"]) == (
            503,
            "the tables changed on disk (win.npy); send SIGHUP or restart the service",
        )
    listed = {one["version"]: one.get("changed") for one in call("GET", "/version", service).json()["table_sets"]}
    reason = "the tables changed on disk (win.npy); send SIGHUP or restart the service"
    assert listed == {one: None, two: None, three: reason}
    assert _value(call, service, "spades_tables_open", version=three, role="canary") == 0
    (copies[two] / "win.npy").touch()
    service.state.check_tables()
    assert call("GET", "/readyz", service).status_code == 503
    assert call("POST", "/bid", service, json={**HAND, "tables": one}).status_code == 503
    assert _value(call, service, "spades_ready") == 0
    reload()  # the files are whole, so they are opened again
    assert call("GET", "/readyz", service).json() == {"status": "ready", "tables": two}
    assert call("POST", "/bid", service, json={**HAND, "game": "1"}).json()["tables"] == three
    assert _value(call, service, "spades_ready") == 1


def test_one_request_of_a_batch_may_name_a_set_that_changed(call, folder, made_sets):
    one, two, _ = made_sets[1]
    folder.link(one)
    copy = folder.copy(two)
    folder.releases(default=one)
    service, _ = _reloaded(patient(tables_dir=folder.path))
    (copy / "win.npy").touch()
    service.state.check_tables()
    for path, request, answer_type in (
        ("/v1/bids", HAND, BidsAnswer),
        ("/v1/inferences", SHORT_INFERENCE_REQUEST, InferencesAnswer),
    ):
        body = call("POST", path, service, json={"requests": [request, {**request, "tables": two}]}).json()
        TypeAdapter(answer_type).validate_python(body)
        assert [item["status"] for item in body["answers"]] == [200, 503]
        assert body["answers"][1]["body"]["type"] == "/problems/not-ready"


def test_what_is_served_is_told(call, serving, sets, made_sets):
    one, two, three = made_sets[1]
    serving.state.serve(sets._replace(canary=Canary(two, 0.3), shadow=sets.by_version[two]))
    version = call("GET", "/version", serving).json()
    assert version["tables"] == {"version": one, "sha256": sets.default.tables.sha256}
    assert [(info["version"], info["roles"]) for info in version["table_sets"]] == [
        (one, ["default"]),
        (two, ["canary", "shadow"]),
        (three, []),
    ]
    assert version["canary_share"] == 0.3
    assert _value(call, serving, "spades_tables_open", version=three, role="named") == 1
    for tables in (two, two, three):
        call("POST", "/bid", serving, json={**HAND, "tables": tables})
    for tables, count in ((one, 0), (two, 2), (three, 1)):
        assert _value(call, serving, "spades_tables_bids_total", version=tables, kind="regular") == count

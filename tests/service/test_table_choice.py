"""Which table set decides a request: the one that it names, the canary or the default."""

import pytest

from service.app import create_app
from service.keys import new_key
from service.settings import Canary
from tests.patience import patient
from tests.service.made_sets import BLIND, HAND, PLAY, VIEW, expected


def test_a_request_may_name_a_set(call, serving, sets):
    bids = set()
    for version in sets.by_version:
        answer = call("POST", "/v1/bid", serving, json={**HAND, "tables": version}).json()
        assert answer == expected(sets, version, HAND)
        bids.add(answer["bid"])
    assert len(bids) == 3
    assert call("POST", "/bid", serving, json={**HAND, "tables": None}).json()["tables"] == sets.default.version


@pytest.mark.parametrize(
    ("path", "request_"),
    [("/v1/bid", HAND), ("/v1/bid/blind", BLIND), ("/v1/inference", VIEW), ("/v1/card", PLAY)],
    ids=lambda x: str(x)[:9],
)
def test_every_route_that_reads_tables(call, serving, sets, path, request_):
    for version in sets.by_version:
        assert call("POST", path, serving, json={**request_, "tables": version}).json()["tables"] == version
    wrong = {**request_, "tables": "1.1", "seat": 7, "game": ""}
    errors = call("POST", path, serving, json=wrong).json()["errors"]
    listed = ", ".join(sorted(sets.by_version))
    assert errors[0] == {
        "pointer": "/tables",
        "code": "unknown-tables",
        "detail": f"tables is 1.1; accepted: {listed}",
    }
    assert {(error["pointer"], error["code"]) for error in errors[1:]} >= {
        ("/seat", "out-of-range"),
        ("/game", "out-of-range"),
    }
    (error,) = call("POST", path, serving, json={**request_, "tables": 3}).json()["errors"]
    assert (error["pointer"], error["code"], error["detail"]) == (
        "/tables",
        "wrong-type",
        "tables is an integer; accepted: a string",
    )
    (error,) = call("POST", path, serving, json={**request_, "game": "x" * 129}).json()["errors"]
    assert error["detail"] == "game has 129 characters; accepted: at most 128"


def test_each_request_of_a_batch_has_its_own_set(call, serving, sets):
    versions = [*sets.by_version, "7.7+0"]
    found = call("POST", "/v1/bids", serving, json={"requests": [{**HAND, "tables": v} for v in versions]}).json()
    assert [item["status"] for item in found["answers"]] == [200, 200, 200, 422]
    for version, item in zip(versions[:3], found["answers"], strict=False):
        assert item["body"] == expected(sets, version, HAND)
    items = {"requests": [{**VIEW, "tables": version} for version in versions]}
    found = call("POST", "/v1/inferences", serving, json=items).json()["answers"]
    assert [item["body"].get("tables") for item in found] == [*versions[:3], None]


def test_routes_without_tables_know_no_such_field(call, serving, sets):
    errors = call("POST", "/v1/pass", serving, json={"tables": sets.default.version}).json()["errors"]
    assert ("/tables", "unknown-field") in {(error["pointer"], error["code"]) for error in errors}


# ---- the canary ---------------------------------------------------------------------------------------------------


def test_the_share_of_the_callers():
    callers = [f"game-{number}" for number in range(20_000)]
    for share in (0.0, 0.01, 0.05, 0.5, 1.0):
        taken = sum(Canary("1.1+0", share).serves(caller) for caller in callers)
        deviation = (share * (1 - share) * len(callers)) ** 0.5
        assert abs(taken - share * len(callers)) <= 4 * deviation
    small, large = ({c for c in callers if Canary("1.1+0", share).serves(c)} for share in (0.05, 0.2))
    assert small < large
    other = {c for c in callers if Canary("1.2+0", 0.05).serves(c)}
    assert len(small & other) < 0.2 * len(small)


def test_the_choice_never_changes():
    """It would move games from one set to another, so it must be the same in every version of the service."""
    taken = [caller for caller in "abcdefghijklmnopqrstuvwxyz" if Canary("1.1+c7b169d3", 0.25).serves(caller)]
    assert taken == ["f", "o", "q"]


@pytest.fixture
def with_canary(sets, made_sets):
    return sets._replace(canary=Canary(made_sets[1][1], 0.3))


def test_a_game_always_gets_the_same_set(call, with_canary):
    serving = create_app(patient())
    serving.state.serve(with_canary)
    games = [f"game {number}" for number in range(40)]
    requests = [{**HAND, "game": game} for game in games]
    chosen = [call("POST", "/v1/bid", serving, json=request).json()["tables"] for request in requests]
    canary = with_canary.canary.version
    assert chosen == [canary if with_canary.canary.serves(game) else with_canary.default.version for game in games]
    assert set(chosen) == {canary, with_canary.default.version}
    items = call("POST", "/v1/bids", serving, json={"requests": requests}).json()["answers"]
    assert [item["body"]["tables"] for item in items] == chosen
    for path, request in (("/v1/bid/blind", BLIND), ("/v1/inference", VIEW), ("/v1/card", PLAY)):
        assert [
            call("POST", path, serving, json={**request, "game": game}).json()["tables"] for game in games[:9]
        ] == chosen[:9]
    for version in with_canary.by_version:  # a name counts more
        named = [call("POST", "/v1/bid", serving, json={**request, "tables": version}) for request in requests[:5]]
        assert {answer.json()["tables"] for answer in named} == {version}


def test_without_a_game_the_key_decides(call, tmp_path, with_canary):
    names = [f"caller-{number}" for number in range(12)]
    keys = [new_key(name) for name in names]
    path = tmp_path / "keys"
    path.write_text("".join(f"{key.line}\n" for key in keys))
    service = create_app(patient(api_keys_file=path))
    service.state.serve(with_canary)
    canary, default = with_canary.canary.version, with_canary.default.version
    seen = set()
    for name, key in zip(names, keys, strict=True):
        headers = {"authorization": f"Bearer {key.secret}"}
        chosen = canary if with_canary.canary.serves(name) else default
        seen.add(chosen)
        assert call("POST", "/bid", service, json=HAND, headers=headers).json()["tables"] == chosen
        answers = call("POST", "/v1/bids", service, json={"requests": [HAND]}, headers=headers).json()["answers"]
        assert answers[0]["body"]["tables"] == chosen
        # a game of the other set counts more
        game = next(game for game in map(str, range(99)) if with_canary.canary.serves(game) != (chosen == canary))
        answer = call("POST", "/bid", service, json={**HAND, "game": game}, headers=headers).json()
        assert {answer["tables"], chosen} == {canary, default}
    assert seen == {canary, default}


def test_without_game_and_key_the_default_answers(call, with_canary):
    serving = create_app(patient())
    serving.state.serve(with_canary._replace(canary=Canary(with_canary.canary.version, 1.0)))
    assert call("POST", "/bid", serving, json=HAND).json()["tables"] == with_canary.default.version
    assert call("POST", "/bid", serving, json={**HAND, "game": "1"}).json()["tables"] == with_canary.canary.version

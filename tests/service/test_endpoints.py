"""The endpoints, in this process: answers, and every HTTP status that does not need a real connection."""

import asyncio
import re
import shutil
import time
from types import SimpleNamespace

import httpx
import orjson
import pytest

from service import __version__
from service.app import create_app
from service.problems import MEDIA_TYPE, TYPES
from spades.bidder import Decision, decide
from spades.contract import bid_request
from spades.contract.examples import BLIND_REQUEST, PASS_REQUEST, REQUEST
from spades.errors import TablesError
from spades.manifest import RESEARCH
from spades.policies import POLICY_KINDS
from spades.rules import FIELDS, PRESETS
from spades.tableset import DEFAULT_DIRECTORY
from tests.one_set import served
from tests.patience import patient

_BAD_JSON = [
    b"",
    b"{",
    b"{'seat': 2}",
    b'{"seat": NaN}',
    b'{"seat": Infinity}',
    b'{"seat": 1e999}',
    b'{"hand": "\xff\xfe"}',
    b'{"hand": "\\ud800"}',
    b"[" * 2000,
    b'{"a":' * 400,
    b'\xef\xbb\xbf{"seat": 2}',
    "{}".encode("utf-16"),
]
_BODIES = {"/bid": REQUEST, "/v1/bids": {"requests": [REQUEST] * 3}, "/v1/bid/blind": BLIND_REQUEST}


def _problem(response: httpx.Response, name: str) -> dict:
    problem = response.json()
    assert response.headers["content-type"] == MEDIA_TYPE
    assert response.status_code == TYPES[name].status == problem["status"]
    assert (problem["type"], problem["title"]) == (f"/problems/{name}", TYPES[name].title)
    assert problem["detail"]
    return problem


@pytest.mark.parametrize("path", ["/bid", "/v1/bid"])
def test_bid(call, app, request_body, path):
    response = call("POST", path, json=request_body)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    answer = response.json()
    assert list(answer) == ["bid", "kind", "policy", "tables", "assumed", "explanation"]
    assert (answer["policy"], answer["tables"], answer["assumed"]) == ("bis", app.state.sets.default.tables.version, [])
    assert answer["explanation"]["sentence"]


@pytest.mark.parametrize("policy", ["bis", "rb", "ms", "io"])
def test_policies_and_legal_bids(call, request_body, policy):
    for legal in ([2], [5, 7], ["nil", 13], list(range(14))):
        answer = call("POST", "/bid", json=request_body | {"policy": policy, "legal_bids": legal}).json()
        assert answer["bid"] in [0 if bid == "nil" else bid for bid in legal]
        assert answer["policy"] == policy
        assert answer["kind"] == ("nil" if answer["bid"] == 0 else "regular")


def test_without_explanation(call, request_body):
    answer = call("POST", "/bid", json=request_body | {"explain": False}).json()
    assert "explanation" not in answer


def test_what_was_assumed_is_named(call):
    request = {"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [], "seat": 0}
    assert call("POST", "/bid", json=request).json()["assumed"] == ["rules.preset", "scores", "policy", "convention"]
    request["scores"] = {"us": 10, "them": 0}
    request["rules"] = {"win": 300}
    assert call("POST", "/bid", json=request).json()["assumed"] == [
        "rules.preset",
        "scores.us_bags",
        "scores.them_bags",
        "policy",
        "convention",
    ]


def test_the_same_request_gets_the_same_bytes(call, request_body):
    assert len({call("POST", "/bid", json=request_body).content for _ in range(3)}) == 1


@pytest.mark.parametrize("body", _BAD_JSON, ids=range(len(_BAD_JSON)))
@pytest.mark.parametrize("path", ["/bid", "/v1/bids", "/v1/bid/blind"])
def test_not_json(call, path, body):
    _problem(call("POST", path, content=body), "invalid-json")


@pytest.mark.parametrize(
    "nested", [b'{"rules":{"win":%s}}', b'{"rules":%s}', b'{"hand":%s}', b'{"previous_bids":[%s]}']
)
def test_nesting_that_json_may_have(call, nested):
    body = nested % (b"[" * 1000 + b"]" * 1000)
    _problem(call("POST", "/bid", content=body), "invalid-request")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/octet-stream", "application/x-www-form-urlencoded", "", "text/json"]
)
def test_content_types_that_are_read_as_json(call, request_body, content_type):
    headers = {"content-type": content_type}
    assert call("POST", "/bid", content=orjson.dumps(request_body), headers=headers).status_code == 200


def test_no_content_type(call, request_body):
    assert call("POST", "/bid", content=orjson.dumps(request_body)).status_code == 200


@pytest.mark.parametrize("path", ["/bid", "/v1/bids", "/v1/bid/blind"])
def test_forms_that_are_not_read(call, path):
    _problem(call("POST", path, files={"hand": b"AS"}), "unsupported-media-type")
    response = call("POST", path, content=b"x", headers={"content-encoding": "gzip"})
    _problem(response, "unsupported-media-type")
    assert response.headers["accept-encoding"] == "identity"


def test_identity_is_no_encoding(call, request_body):
    headers = {"content-encoding": "identity"}
    assert call("POST", "/bid", json=request_body, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("path", "most"), [("/bid", 64 * 1024), ("/v1/bids", 1024 * 1024), ("/v1/bid/blind", 64 * 1024)]
)
def test_body_sizes(call, path, most):
    body = orjson.dumps(_BODIES[path])
    assert call("POST", path, content=body.ljust(most)).status_code == 200
    _problem(call("POST", path, content=body.ljust(most + 1)), "body-too-large")

    async def chunks(size):
        yield body
        yield b" " * (size - len(body))

    assert call("POST", path, content=chunks(most)).status_code == 200
    _problem(call("POST", path, content=chunks(most + 1)), "body-too-large")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/bid", "/v1/bid", "/v1/bids", "/v1/bid/blind"])
def test_wrong_method_on_a_post(call, method, path):
    response = call(method, path)
    assert response.headers["allow"] == "POST"
    assert response.status_code == 405
    if method != "HEAD":
        _problem(response, "method-not-allowed")


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/version", "/metrics", "/v1/policies", "/v1/rules", "/v1/reasons"]
)
def test_wrong_method_elsewhere(call, path):
    response = call("POST", path)
    assert response.headers["allow"] == "GET, HEAD"
    _problem(response, "method-not-allowed")


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/version", "/v1/rules", "/docs", "/", "/nope", "/problems/nope"]
)
def test_head_is_get_without_the_body(call, path):
    head, get = call("HEAD", path), call("GET", path)
    assert head.content == b""
    assert head.status_code == get.status_code
    for answer in (head, get):
        del answer.headers["x-request-id"]
    assert head.headers == get.headers


@pytest.mark.parametrize("path", ["/nope", "/bid/", "/v2/bid", "/problems/nope", "/%2e%2e/etc"])
def test_no_such_path(call, path):
    _problem(call("GET", path), "not-found")


@pytest.mark.parametrize("path", _BODIES)
def test_deadline(call, path):
    body = _BODIES[path]
    assert call("POST", path, json=body, headers={"x-deadline-ms": "60000"}).status_code == 200
    assert call("POST", path, json=body, headers={"x-deadline-ms": "60000.5"}).status_code == 200
    _problem(call("POST", path, json=body, headers={"x-deadline-ms": "0"}), "deadline-exceeded")
    for wrong in ("soon", "-1", "nan", "inf", "1e3", "1_0", "", "9" * 30, "²"):
        response = call("POST", path, json=body, headers={"x-deadline-ms": wrong.encode("latin-1")})
        _problem(response, "invalid-deadline")


def test_a_decision_that_takes_too_long(call, request_body, monkeypatch):
    def slow(*_):
        time.sleep(0.02)
        return Decision(3, "regular", None)

    monkeypatch.setattr(bid_request, "decide", slow)
    _problem(call("POST", "/bid", json=request_body, headers={"x-deadline-ms": "10"}), "deadline-exceeded")
    body = {"requests": [request_body] * 2}
    _problem(call("POST", "/v1/bids", json=body, headers={"x-deadline-ms": "10"}), "deadline-exceeded")


def test_bids_are_those_of_single_requests_to_the_byte(call, request_body):
    """A batch over several turns of the event loop, with all policies, and right and wrong requests."""
    requests: list = [
        request_body | {"policy": policy, "scores": {"us": 10 * number}, "explain": number % 5 > 0}
        for number in range(24)
        for policy in ("bis", "bis:tuned", "rb", "io")
    ]
    requests[40]["seat"] = 3
    requests += [{}, 3]
    singles = [call("POST", "/bid", json=request) for request in requests]
    items = [b'{"status":%d,"body":%b}' % (single.status_code, single.content) for single in singles]
    answer = call("POST", "/v1/bids", json={"requests": requests}).content
    assert answer == b'{"answers":[%b]}' % b",".join(items)


def test_one_items_bug_fails_it_alone(call, request_body, monkeypatch):
    real = decide

    def sometimes(position, *others):
        if position.standing.us == 13:
            raise RuntimeError("/opt/secret")
        return real(position, *others)

    monkeypatch.setattr(bid_request, "decide", sometimes)
    unlucky = request_body | {"scores": {"us": 13}}
    response = call("POST", "/v1/bids", json={"requests": [request_body, unlucky, request_body]})
    assert [answer["status"] for answer in response.json()["answers"]] == [200, 500, 200]
    assert "secret" not in response.text


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ([], [("", "wrong-type")]),
        ({}, [("/requests", "missing-field")]),
        ({"requests": {}}, [("/requests", "wrong-type")]),
        ({"requests": [], "x": 1}, [("/x", "unknown-field")]),
        ({"requests": [{}] * 513}, [("/requests", "too-many-items")]),
        ({str(index): 1 for index in range(100)}, [("", "too-many-items")]),
    ],
)
def test_faults_of_many(call, body, found):
    problem = _problem(call("POST", "/v1/bids", json=body), "invalid-request")
    assert [(error["pointer"], error["code"]) for error in problem["errors"]] == found


def test_none_and_as_many_as_allowed(call, request_body):
    assert call("POST", "/v1/bids", json={"requests": []}).json() == {"answers": []}
    request_body["explain"] = False
    answers = call("POST", "/v1/bids", json={"requests": [request_body] * 512}).json()["answers"]
    assert [answer["status"] for answer in answers] == [200] * 512


def test_catalogue(call):
    policies = call("GET", "/v1/policies").json()
    assert policies["default"] == "bis"
    names = [policy["policy"] for policy in policies["policies"]]
    assert {"bis", "rb", "ms", "io"} <= set(names)
    assert "fixed" not in names
    assert {f"{name}:tuned" for name in (row.name for row in POLICY_KINDS if row.tuned)} <= set(names)
    rules = call("GET", "/v1/rules").json()
    assert set(rules["presets"]) == set(rules["descriptions"]) == set(PRESETS)
    assert rules["presets"]["bis-paper"]["win"] == 200
    assert rules["presets"]["bis-paper"]["lose"] == -100
    win = rules["fields"]["win"]
    assert win.pop("meaning") == "Points at which a side wins the game."
    assert win == {"type": "integer", "default": 500, "supported": "1..10000"}
    assert rules["fields"]["lose"]["supported"].endswith(", null")
    assert rules["fields"]["variant"]["supported"].startswith("partnership, cutthroat, mirror")
    assert (
        rules["fields"]["ten_for_200"].items()
        >= {"type": "boolean", "default": False, "supported": "true, false"}.items()
    )
    decks = rules["decks"]
    assert decks["standard"]["suits"]["D"] == [f"{rank}D" for rank in "AKQJT98765432"]
    assert decks["jjdd"]["suits"]["S"][:5] == ["BJ", "LJ", "2D", "2S", "AS"]
    assert {sum(map(len, deck["suits"].values())) for deck in decks.values()} == {52}
    assert rules["fixed_by_variant"]["jokers"] == {}
    assert rules["fixed_by_variant"]["partnership"] == {"deck": None}
    assert rules["fixed_by_variant"]["suicide"] == {
        "double_nil": True,
        "blind_nil": False,
        "deck": None,
        "nil": True,
        "double_nil_points": None,
        "blind_min": None,
    }


def test_a_studio_can_make_the_sentence_from_the_catalogue(call, request_body):
    catalogue = call("GET", "/v1/reasons").json()
    templates = {reason["code"]: reason for reason in catalogue["reasons"]}
    for policy in ("best", "bis", "rb"):
        request = request_body | {"policy": policy, "explain": True, "level": 3}
        explanation = call("POST", "/bid", json=request).json()["explanation"]
        sentences = []
        for reason in explanation["reasons"]:
            declared = templates[reason["code"]]
            assert set(declared["numbers"]) == set(reason) - {"code"} <= set(catalogue["numbers"])
            sentences.append(declared["template"].format(**reason))
        assert " ".join(sentences) == explanation["sentence"]
    templates = {reason["code"]: reason for reason in catalogue["pass_reasons"]}
    for reason in call("POST", "/v1/pass", json=PASS_REQUEST).json()["reasons"]:
        assert set(templates[reason["code"]]["numbers"]) <= set(reason) & set(catalogue["numbers"])
        assert templates[reason["code"]]["template"].format(**reason) == reason["sentence"]


def test_brief(call, request_body):
    request = request_body | {"policy": "best", "explain": "brief"}
    response = call("POST", "/bid", json=request)
    whole = call("POST", "/bid", json=request | {"explain": True}).json()
    brief = response.json()
    assert len(response.content) < 400
    assert brief["explanation"]["reasons"] == whole["explanation"]["reasons"][:4]
    assert brief["explanation"]["p_win"] == round(whole["explanation"]["p_win"], 4)
    assert brief | {"explanation": 0} == whole | {"explanation": 0}
    (item,) = call("POST", "/v1/bids", json={"requests": [request]}).json()["answers"]
    assert item["body"] == brief


def test_what_the_catalogue_says_of_combinations_is_what_is_refused(call, request_body):
    rules = call("GET", "/v1/rules").json()
    request_body = {field: request_body[field] for field in ("hand", "previous_bids", "seat")}
    request_body |= {"previous_bids": [], "seat": 0}
    for variant, fixed in rules["fixed_by_variant"].items():
        for field, field_info in rules["fields"].items():
            if field in ("variant", "lose", "win", "bags"):
                continue
            values = FIELDS[field].values
            others = (
                True,
                False,
                9 if field == "team_max" else 4,
                getattr(values, "low", None),
                *getattr(values, "json_words", ()),
            )
            other = next(o for o in others if o != field_info["default"] and values.number_of(o) is not None)
            answer = call("POST", "/bid", json=request_body | {"rules": {"variant": variant, field: other}})
            refused = [error["pointer"] for error in answer.json().get("errors", ())]
            assert (f"/rules/{field}" in refused) == (field in fixed), (variant, field)


def test_strengths_are_those_of_the_report(call):
    records = orjson.loads((DEFAULT_DIRECTORY.parents[1] / "docs" / "strength.json").read_bytes())
    measured = {}
    for section in ("opponents", "winprob"):
        for match, figures in records[section]["figures"].items():
            measured[match] = "{:.1f} [{:.1f}, {:.1f}]".format(*figures["wins"])
    told = {policy["policy"]: policy["strength"] for policy in call("GET", "/v1/policies").json()["policies"]}
    opponents = {"bis": ["rb", "ms", "io"], "bis:tuned": ["rb", "ms", "io"]}
    opponents["winprob"] = ["bis", "bis:tuned", "rb", "ms", "io"]
    for policy, others in opponents.items():
        shares = re.findall(r"([\d.]+ \[[\d.]+, [\d.]+\]) against ([\w:]+)", told[policy])
        assert shares == [(measured[f"{policy} v {other}"], other) for other in others]
    for other in ("rb", "ms", "io"):
        assert measured[f"bis v {other}"] in told[other]


def test_every_policy_of_the_catalogue_can_be_asked_for(call, request_body):
    for policy in call("GET", "/v1/policies").json()["policies"]:
        texts = [policy["policy"]]
        for option in policy["options"]:
            key, _, values = option.partition("=")
            values = {
                "POINTS": "10",
                "TRICKS": ".5",
                "PROBABILITY": ".4",
                "X-Y-Z": "5-8-T",
                "-1..1": "-.5",
            }.get(values, values)
            base = policy["policy"].partition(":")[0]
            texts += [f"{base}:{key}={value}" if value else f"{base}:{key}" for value in values.split("|")]
        for text in texts:
            response = call("POST", "/bid", json=request_body | {"policy": text})
            assert response.status_code == 200, response.text


def test_health(call, app):
    assert call("GET", "/healthz").json() == {"status": "ok"}
    assert call("GET", "/readyz").json() == {"status": "ready", "tables": app.state.sets.default.tables.version}
    version = call("GET", "/version").json()
    assert version["service"] == __version__
    assert version["tables"] == {
        "version": app.state.sets.default.tables.version,
        "sha256": app.state.sets.default.tables.sha256,
    }


def test_before_the_tables_are_mapped(call, request_body):
    unready = create_app(patient())
    assert call("GET", "/healthz", unready).status_code == 200
    for response in (
        call("GET", "/readyz", unready),
        call("POST", "/bid", unready, json=request_body),
        call("POST", "/v1/bids", unready, json={"requests": []}),
    ):
        _problem(response, "not-ready")
        assert response.headers["retry-after"] == "1"
    assert call("GET", "/version", unready).json()["tables"] is None


def test_draining(call, request_body):
    draining = served()
    draining.state.drain()
    _problem(call("GET", "/readyz", draining), "not-ready")
    assert call("GET", "/healthz", draining).status_code == 200
    assert call("POST", "/bid", draining, json=request_body).status_code == 200  # late requests are answered


@pytest.mark.slow
def test_lifespan_opens_the_tables_and_drains(tmp_path):
    service = create_app(patient())

    async def run(app) -> None:
        async with app.router.lifespan_context(app):
            assert app.state.ready
        assert not app.state.ready

    asyncio.run(run(service))
    shutil.copytree(DEFAULT_DIRECTORY, tmp_path / "data")
    shutil.rmtree(tmp_path / "data" / RESEARCH)
    asyncio.run(run(create_app(patient(tables_dir=tmp_path / "data"))))
    (tmp_path / "data" / "cnil.npy").unlink()
    broken = create_app(patient(tables_dir=tmp_path / "data"))
    with pytest.raises(TablesError, match=r"cnil\.npy"):
        asyncio.run(run(broken))
    assert not broken.state.ready


def test_health_never_touches_the_tables(call):
    service = create_app(patient())
    service.state.sets = SimpleNamespace()
    assert call("GET", "/healthz", service).status_code == 200


def test_problem_types_are_explained(call):
    for name, (status, title, meaning) in TYPES.items():
        info = call("GET", f"/problems/{name}").json()
        assert (info["status"], info["title"], info["meaning"]) == (status, title, meaning)
    assert "seat-mismatch" in call("GET", "/problems/invalid-request").json()["codes"]

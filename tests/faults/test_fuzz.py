"""Random bodies, and requests made from the OpenAPI document: no 500, no crash, no answer that it does not allow."""

import json
import os
import random
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.problems import MEDIA_TYPE
from spades.contract.examples import REQUEST
from tests.faults.attacks import running
from tests.faults.conftest import ask, connected, metric, request_bytes, rss_kb
from tests.patience import PATIENT
from tests.service.asgi_calls import send

_TOKENS = [
    *(b'"', b"{", b"}", b"[", b"]", b",", b":", b"0", b"-1", b"13", b"1e400", b"null", b"true", b"\xff", b"\\u0000"),
    *(b'"AS"', b'"nil"', b'"blind_nil"', b'"hand"', b'"previous_bids"', b'"seat"', b'"rules"', b'"variant"', b"9" * 20),
    *(
        b'"legal_bids"',
        b'"scores"',
        b'"policy"',
        b'"bis:nil_threshold=9"',
        b'"requests"',
        b"\xe2\x99\xa0",
        b" ",
        b"\x00",
    ),
]


def _mutate(rng, body):
    """Return a valid body with errors: bytes changed, removed or repeated, and tokens added."""
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(body) + 1)
        end = min(len(body), at + rng.randrange(1, 12))
        kind = rng.randrange(4)
        if kind == 0:
            body = body[:at] + rng.choice(_TOKENS) + body[at:]
        elif kind == 1:
            body = body[:at] + body[end:]
        elif kind == 2:
            body = body[:at] + bytes([rng.randrange(256)]) + body[end:]
        else:
            body = body[:end] + body[at:end] + body[end:]
    return body


def _check(response):
    status = response.status_code
    assert status in (200, 400, 413, 422), response.content[:300]
    answer = response.json()
    if status == 200:
        assert 0 <= answer["bid"] <= 13
    else:
        assert response.headers["content-type"] == MEDIA_TYPE
        assert answer["status"] == status


@pytest.mark.parametrize("count", [1000, pytest.param(100_000, marks=pytest.mark.long)])
def test_harmed_bodies(app, count):
    rng = random.Random(count)
    right = orjson.dumps(REQUEST | {"legal_bids": [0, 3, "5"], "seed": 7})
    found: dict[int, int] = {}
    for _ in range(count):
        response = send(app, "/bid", _mutate(rng, right))
        _check(response)
        found[response.status_code] = found.get(response.status_code, 0) + 1
    assert found.keys() >= {200, 400, 422}  # the errors reach every stage


_NAMES = st.sampled_from([*REQUEST, "level"]) | st.text()
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["AS", "nil", "bis"]),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.sampled_from([*REQUEST, "level"]) | st.text(), inner)
    ),
    max_leaves=30,
)


@settings(max_examples=100, deadline=None)
@given(value=_JSON)
def test_any_json(app, value):
    _check(send(app, "/bid", json.dumps(value).encode()))


@settings(max_examples=100, deadline=None)
@given(changes=st.dictionaries(st.sampled_from(sorted(REQUEST)), _JSON, min_size=1))
def test_right_requests_with_fields_of_any_json(app, changes):
    _check(send(app, "/bid", json.dumps(REQUEST | changes).encode()))


@settings(max_examples=100, deadline=None)
@given(body=st.binary(max_size=300))
def test_any_bytes(app, body):
    _check(send(app, "/bid", body))


@pytest.mark.parametrize("count", [100, pytest.param(20_000, marks=pytest.mark.long)])
def test_harmed_requests_on_the_wire(count):
    """Heads and bodies with errors: the process stays alive, and its memory does not grow."""
    rng = random.Random(count)
    right = request_bytes(orjson.dumps(REQUEST), "X-Request-ID: a", "X-Deadline-Ms: 1000")
    with running("h11", settings=PATIENT) as server:

        def send(data):
            """Send ``data`` and the end; what was harmed in its lengths would wait for more."""
            with connected(server) as connection, suppress(ConnectionError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65_536):
                    pass

        with ThreadPoolExecutor(16) as pool:
            harmed = [_mutate(rng, right) for _ in range(count)]
            list(pool.map(send, harmed[: count // 2]))
            half = rss_kb(server.service.pid)
            list(pool.map(send, harmed[count // 2 :]))
        assert rss_kb(server.service.pid) - half < 20_000
        assert ask(server, request_bytes())[0] == 200
        assert metric(server, r'spades_http_requests_total\{.*status="500".*\}') == 0
        assert server.service.poll() is None


@pytest.mark.slow
@pytest.mark.parametrize("examples", [3, pytest.param(500, marks=pytest.mark.long)])
def test_schemathesis_finds_nothing(tmp_path, server, examples):
    """Make requests from the OpenAPI document and check the answers against it. A deadline of 0 gives a 504."""
    (tmp_path / "schemathesis.toml").write_text(
        '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", 504]\n'
    )
    done = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/openapi.json"),
            *("--max-examples", str(examples), "--seed", "4", "--workers", "1", "--phases", "examples,fuzzing"),
            *("--request-timeout", "120", "--suppress-health-check", "too_slow"),
            *("--checks", "not_a_server_error,status_code_conformance,content_type_conformance"),
            *("--checks", "response_schema_conformance"),
        ],
        cwd=tmp_path,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert server.process.poll() is None

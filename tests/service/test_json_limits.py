"""The limits on a body's JSON: all valid requests are far below them, and no slow body passes."""

import asyncio
import gc
import math
from collections.abc import Callable
from time import perf_counter

import orjson
import pytest
from pydantic import TypeAdapter

from service.endpoints.batches import BIDS_BATCH, answer_in_slices
from service.problems import ProblemError
from service.requests import MAX_BATCH_MARKS, MAX_MARKS, read_json
from spades.contract.bid_request import MAX_ITEMS, BidRequest, BlindRequest
from spades.contract.examples import REQUEST
from spades.contract.faults import Fault, RequestError

_MIB = 1024 * 1024


def _marks(schema: dict, definitions: dict) -> int:
    """Return the number of marks in the largest value that ``schema`` allows."""
    if "$ref" in schema:
        return _marks(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return max(_marks(one, definitions) for one in schema["anyOf"])
    if schema.get("type") == "array":
        most = schema["maxItems"]
        return 1 + most - 1 + most * _marks(schema["items"], definitions)
    if schema.get("type") == "object":
        members = [_marks(one, definitions) for one in schema["properties"].values()]
        return 1 + len(members) - 1 + len(members) + sum(members)
    return 0


@pytest.mark.parametrize("model", [BidRequest, BlindRequest])
def test_the_largest_valid_request_is_within_the_limits(model):
    schema = TypeAdapter(model).json_schema()
    largest = _marks(schema, schema["$defs"])
    assert 10 * largest <= MAX_MARKS
    assert (largest + 1) * MAX_ITEMS + 4 <= MAX_BATCH_MARKS  # with a comma between requests, and what is around them


@pytest.mark.parametrize("mark", [b"[", b"{", b",", b":", b"\\"])
@pytest.mark.parametrize("most", [MAX_MARKS, MAX_BATCH_MARKS])
def test_one_more_than_the_limit(mark, most):
    with pytest.raises(ProblemError, match="invalid-json"):
        read_json(mark * most + b"]} a" * 1000, most)
    with pytest.raises(RequestError) as refused:
        read_json(mark * (most + 1) + b"]} a" * 1000, most)
    detail = f"the body has {most + 1} brackets, commas, colons and backslashes; accepted: at most {most}"
    assert tuple(refused.value.faults) == (Fault("", "too-many-items", detail),)


@pytest.mark.parametrize(("path", "most"), [("/bid", MAX_MARKS), ("/v1/bid/blind", MAX_MARKS), ("/v1/bids", 87_040)])
def test_a_body_over_the_limits_is_refused_unparsed(call, monkeypatch, path, most):
    monkeypatch.setattr(orjson, "loads", None)
    response = call("POST", path, content=b"[" * (most + 1))
    assert response.status_code == 422
    assert response.json()["type"] == "/problems/invalid-request"
    (fault,) = response.json()["errors"]
    assert (fault["pointer"], fault["code"]) == ("", "too-many-items")


def test_the_fullest_valid_batch_is_answered(call):
    rules = call("GET", "/v1/rules").json()["presets"]["classic"]
    full = REQUEST | {
        "previous_bids": [3, 1, 2],
        "seat": 3,
        "rules": rules,
        "explain": False,
        "legal_bids": list(range(14)),
        "seed": 7,
        "level": 5,
        "style": {"aggression": 0.5, "nil_bias": -0.5},
        "players": {"left": "weak", "partner": "bis", "right": "unknown"},
    }
    body = orjson.dumps({"requests": [full] * MAX_ITEMS}, option=orjson.OPT_INDENT_2)[:_MIB]
    body = body if len(body) < _MIB else orjson.dumps({"requests": [full] * MAX_ITEMS})
    answers = call("POST", "/v1/bids", content=body).json()["answers"]
    assert [answer["status"] for answer in answers] == [200] * MAX_ITEMS


def _fill(head: bytes, item: bytes, tail: bytes, most: int | None = None) -> bytes:
    """Return a body of up to 1 MiB with ``item`` repeated, at most ``most`` times; %d in it becomes its number."""
    items, size = [], len(head) + len(tail)
    for number in range(_MIB if most is None else most):
        text = item % number if b"%" in item else item
        size += len(text)
        if size > _MIB:
            break
        items.append(text)
    return head + b"".join(items) + tail


_HALF = MAX_BATCH_MARKS // 2 - 2
_THIRD = MAX_BATCH_MARKS // 3 - 2
_ITEMS = MAX_BATCH_MARKS - 1
_SHAPES: dict[str, Callable[[], bytes]] = {  # made by the tests, because that takes a second
    "one string": lambda: _fill(b'"', b"a", b'"'),
    "escapes": lambda: _fill(b'"', b"\\u0041", b'"'),
    "as many escapes as there may be": lambda: _fill(b'"', b"\\u20ac", b'"', MAX_BATCH_MARKS),
    "two bytes a character": lambda: _fill(b'"', "é".encode(), b'"'),
    "four bytes a character": lambda: _fill(b'"', "😀".encode(), b'"'),
    "digits": lambda: b"9" * _MIB,
    "a fraction": lambda: b"0." + b"7" * (_MIB - 2),
    "spaces": lambda: b" " * (_MIB - 2) + b"{}",
    "lines, then no JSON": lambda: b"\n" * (_MIB - 2) + b"{x",
    "different keys": lambda: _fill(b"{", b'"%d":1,', b'"a":1}', _HALF),
    "different long keys": lambda: _fill(b"{", b'"%018d":1,', b'"a":1}', _HALF),
    "numbers": lambda: _fill(b"[", b"1.2345678901234567,", b"1]", _ITEMS),
    "strings": lambda: _fill(b"[", '"€%d",'.encode(), b"1]", _ITEMS),
    "small arrays": lambda: _fill(b"[", b"[],", b"[]]", _HALF),
    "small objects": lambda: _fill(b"[", b'{"%d":1},', b"{}]", _THIRD),
    "deep arrays": lambda: b"[" + b",".join([b"[" * 1000 + b"]" * 1000] * 8) + b"]",
    "no end": lambda: b"[" * _MIB,
}


@pytest.mark.long
@pytest.mark.parametrize("shape", _SHAPES)
def test_no_body_blocks_the_event_loop(app, capsys, shape):
    """Takes the best of several runs, because other work on the machine may slow down a run."""
    body = _SHAPES[shape]()
    assert len(body) <= _MIB

    async def once() -> float:
        slowest = 0.0
        task = asyncio.create_task(answer_in_slices(app.state, BIDS_BATCH, body, math.inf, None))
        while not task.done():
            started = perf_counter()
            await asyncio.sleep(0)
            slowest = max(slowest, perf_counter() - started)
        with pytest.raises(RequestError):
            await task
        return slowest

    gc.collect()
    best = min(asyncio.run(once()) for _ in range(9))
    with capsys.disabled():
        print(f"\n{shape}: {best * 1000:.2f} ms")
    assert best < 0.01

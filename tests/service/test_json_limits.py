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
from service.json_limits import BATCH_LIMITS, SINGLE_LIMITS, SMALL_BYTES, JsonLimits, excess
from spades.contract.bid_request import MAX_ITEMS, BidRequest, BlindRequest
from spades.contract.examples import REQUEST
from spades.contract.faults import RequestError

_MIB = 1024 * 1024
_BLOCK = 64 * 1024


def _largest(schema: dict, definitions: dict) -> JsonLimits:
    """Return the counts of JSON characters in the largest value that ``schema`` allows."""
    if "$ref" in schema:
        return _largest(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        sizes = [_largest(one, definitions) for one in schema["anyOf"]]
        return JsonLimits(*(max(of_each) for of_each in zip(*sizes, strict=True)))
    if schema.get("type") == "array":
        most = schema["maxItems"]
        item = _largest(schema["items"], definitions)
        return JsonLimits(1 + most * item.brackets, most - 1 + most * item.commas, most * item.keys, 0)
    if schema.get("type") == "object":
        sizes = [_largest(one, definitions) for one in schema["properties"].values()]
        members = len(sizes)
        own = JsonLimits(1, members - 1, members, 0)
        return JsonLimits(*(sum(of_each) for of_each in zip(own, *sizes, strict=True)))
    return JsonLimits(0, 0, 0, 0)


@pytest.mark.parametrize("model", [BidRequest, BlindRequest])
def test_the_largest_valid_request_is_within_the_limits(model):
    schema = TypeAdapter(model).json_schema()
    largest = _largest(schema, schema["$defs"])
    if model is BidRequest:
        # as in the table in json_limits.py; `scores` hold the numbers of two sides or the lists of four seats, not both
        assert largest == JsonLimits(10, 78, 49, 0)
    assert all(most >= 10 * found for found, most in zip(largest, SINGLE_LIMITS, strict=True))
    # a batch also has a comma between requests, and two brackets around them
    assert 2 + largest.brackets * MAX_ITEMS <= BATCH_LIMITS.brackets
    assert (largest.commas + 1) * MAX_ITEMS <= BATCH_LIMITS.commas
    assert largest.keys * MAX_ITEMS <= BATCH_LIMITS.keys


@pytest.mark.parametrize("limits", [SINGLE_LIMITS, BATCH_LIMITS])
@pytest.mark.parametrize(
    ("text", "field", "name"),
    [
        (b"[", 0, "opening brackets"),
        (b"{", 0, "opening brackets"),
        (b",", 1, "commas"),
        (b'":', 2, "keys"),
        (b"\\", 3, "backslashes"),
    ],
)
def test_one_more_than_the_limit(limits, text, field, name):
    most = limits[field]
    padding = b" " * SMALL_BYTES
    assert excess(text * most + padding, limits) is None
    fault = excess(text * (most + 1) + padding, limits)
    assert fault is not None
    assert fault == ("", "too-many-items", f"the body has {most + 1} {name}; accepted: at most {most}")


def test_both_brackets_count_and_their_neighbours_in_the_alphabet_do_not():
    half = SINGLE_LIMITS.brackets // 2
    assert excess(b"[" * half + b"{" * half + b"Zz|]}\xfb\xdb" * 3000, SINGLE_LIMITS) is None
    assert excess(b"[" * half + b"{" * (half + 1), SINGLE_LIMITS) is not None


@pytest.mark.parametrize("before", [b'"', b" ", b"\t", b"\n", b"\r"])
def test_a_colon_counts_after_a_quote_or_white_space(before):
    most = SINGLE_LIMITS.keys
    assert excess((before + b":") * (most + 1), SINGLE_LIMITS) is not None
    assert excess(b"bis:nil=30" * 100_000, SINGLE_LIMITS) is None
    # across the blocks that are counted at a time
    body = b"a" * (_BLOCK - 1) + before + b":" + (before + b":") * (most - 1)
    assert excess(body, SINGLE_LIMITS) is None
    assert excess(body + before + b":", SINGLE_LIMITS) is not None


def test_a_small_body_is_not_counted():
    assert min(*SINGLE_LIMITS, *BATCH_LIMITS) == SMALL_BYTES
    assert excess(b"[" * SMALL_BYTES, JsonLimits(1, 1, 1, 1)) is None


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/bid", b"[" * 50_000, "the body has 50000 opening brackets; accepted: at most 2048"),
        ("/v1/bid/blind", b'{"a":' * 3000, "the body has 3000 opening brackets; accepted: at most 2048"),
        ("/bid", b'["' + b"," * 3000 + b'"]', "the body has 3000 commas; accepted: at most 2048"),
        ("/v1/bids", b"[],\n" * 200_000, "the body has 200000 opening brackets; accepted: at most 8192"),
        ("/v1/bids", b'"' + b"\\u0041" * 100_000 + b'"', "the body has 100000 backslashes; accepted: at most 8192"),
    ],
)
def test_a_body_over_the_limits_is_refused_unparsed(call, monkeypatch, path, body, detail):
    monkeypatch.setattr(orjson, "loads", None)
    response = call("POST", path, content=body)
    assert response.status_code == 422
    assert response.json()["type"] == "/problems/invalid-request"
    assert response.json()["errors"] == [{"pointer": "", "code": "too-many-items", "detail": detail}]


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


_KEYS = BATCH_LIMITS.keys - 1
_ITEMS = BATCH_LIMITS.commas
_SHAPES: dict[str, Callable[[], bytes]] = {  # made by the tests, because that takes a second
    "one string": lambda: _fill(b'"', b"a", b'"'),
    "escapes": lambda: _fill(b'"', b"\\u0041", b'"'),
    "as many escapes as there may be": lambda: _fill(b'"', b"\\u20ac", b'"', BATCH_LIMITS.escapes),
    "two bytes a character": lambda: _fill(b'"', "é".encode(), b'"'),
    "four bytes a character": lambda: _fill(b'"', "😀".encode(), b'"'),
    "digits": lambda: b"9" * _MIB,
    "a fraction": lambda: b"0." + b"7" * (_MIB - 2),
    "spaces": lambda: b" " * (_MIB - 2) + b"{}",
    "lines, then no JSON": lambda: b"\n" * (_MIB - 2) + b"{x",
    "different keys": lambda: _fill(b"{", b'"%d":1,', b'"a":1}', _KEYS),
    "different long keys": lambda: _fill(b"{", b'"%018d":1,', b'"a":1}', _KEYS),
    "numbers": lambda: _fill(b"[", b"1.2345678901234567,", b"1]", _ITEMS),
    "strings": lambda: _fill(b"[", '"€%d",'.encode(), b"1]", _ITEMS),
    "small arrays": lambda: _fill(b"[", b"[],", b"[]]", BATCH_LIMITS.brackets - 2),
    "small objects": lambda: _fill(b"[", b'{"%d":1},', b"{}]", BATCH_LIMITS.brackets - 2),
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
    assert best < 0.005

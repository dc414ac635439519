"""Requests that the service should refuse for what is in their bodies: every kind of fault, and random damage."""

import copy
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.same_answers.catalogue import Catalogue, Values
from tests.same_answers.client import Request

BID, BLIND, BATCH = "/v1/bid", "/v1/bid/blind", "/v1/bids"
HAND = ["KC", "9C", "5C", "4C", "3C", "QD", "AH", "QH", "AS", "KS", "JS", "6S", "2S"]
GOOD: Values = {"hand": HAND, "previous_bids": [3, 1], "seat": 2}
GOOD_BLIND: Values = {"previous_bids": [3, 1], "seat": 2, "rules": {"preset": "blind-nil"}}
CARD = "/v1/card"
INFERENCE, INFERENCES = "/v1/inference", "/v1/inferences"
GOOD_INFERENCE: Values = {
    **{"hand": HAND, "bids": [3, 1, 5, 4], "seat": 2, "deals": 2, "voids": {"3": ["D"]}},
    "played": {"0": ["KD", "4H"], "1": ["2D", "5H"], "2": ["QD"], "3": ["6C"]},
}
GOOD_CARD: Values = {"hand": HAND, "bids": [3, 1, 5, 4], "seat": 2, "tricks": [["KD", "2D", "QD", "6D"], ["4H", "5H"]]}
_PLAYED = GOOD_INFERENCE["played"]
_WRONG_PLAYED: tuple[tuple[str, list[str]], ...] = (
    *(("1", ["KD", "5H"]), ("1", ["AS"]), ("2", ["2D"]), ("0", []), ("3", ["6C", "7C"])),
    ("0", ["KD", "AC", "KD"]),
)
_CONTRADICTIONS: tuple[Values, ...] = (
    *({"played": {**_PLAYED, seat: cards}} for seat, cards in _WRONG_PLAYED),
    *({"voids": {seat: suits}} for seat, suits in (("2", ["D"]), ("0", ["D"]), ("3", ["S", "H", "D", "C"]))),
    {"voids": {"0": ["C"], "1": ["C"], "3": ["C"]}},
    {"bids": [3, 1]},
    {"bids": [9, 1, 9, 4]},
    {"bids": [3, 1, 5, 4], "rules": {"preset": "mirror"}},
    {"given": ["QD", "3C"], "received": ["8D", "TH"], "bids": [0, 1, 5, 4], "rules": {"preset": "pass-2"}},
    {"given": ["7D", "3C"], "received": ["9C", "TH"], "bids": [0, 1, 5, 4], "rules": {"preset": "pass-2"}},
)
_MANY = {f"field{index}": 0 for index in range(65)}
# Values of the wrong type or size for every field.
JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 14, 99, 100, 10**15, 2**63, 2**64, 10**19, -(10**19)),
    *(120.0, 1.5, -0.0, 1e30, -1e30, "", "x", "0", "nil", "blind_nil", "true", "null", "classic", "bis", "AS"),
    *(" ", "\x00", "é", "𝄞", "a" * 300, [], [[]], [None], [0], ["AS"], [1, 2, 3, 4], [0, 0, 0, 0]),
    *({}, {"a": 1}, {"preset": "whiz"}, {"a": [1, {"b": [1, [2, {"c": None}]]}]}),
)
# One JSON object a line: the fields to change in `GOOD`.
_WRONG_FIELDS = Path(__file__).with_name("wrong_fields.jsonl")
_FIELDS_OF_BLIND = ("hand", "legal_bids", "explain", "level", "style")  # that a blind request has not


def body_of(data: object) -> bytes:
    """The shortest JSON text."""
    return json.dumps(data, separators=(",", ":")).encode()


def wrong_requests(catalogue: Catalogue) -> Iterator[Request]:
    """Every kind of fault once, at least."""
    optional = ("scores", "convention", "policy", "rules", "explain", "legal_bids", "seed", "level", "style", "tables")
    for changes in _changes():
        yield Request("wrong field", BID, body_of({**GOOD, **changes}))
        if not changes.keys() & set(_FIELDS_OF_BLIND):
            yield Request("wrong field, blind", BLIND, body_of({**GOOD_BLIND, **changes}))
    for good, path in ((GOOD, BID), (GOOD_BLIND, BLIND)):
        for left_out in good:
            yield Request("missing field", path, body_of({field: good[field] for field in good if field != left_out}))
    for field in _FIELDS_OF_BLIND:
        yield Request("field of a hand, blind", BLIND, body_of({**GOOD_BLIND, field: 3}))
    for field in (*GOOD, *optional, "game"):
        for value in JUNK:
            yield Request(f"junk as {field}", BID, body_of({**GOOD, field: value}))
    for field, values in catalogue.beyond.items():
        for value in values:
            yield Request(f"unsupported rule {field}", BID, body_of({**GOOD, "rules": {field: value}}))
    for name, options in catalogue.bad_options.items():
        for option in options:
            yield Request(f"wrong option of {name}", BID, body_of({**GOOD, "policy": f"{name}:{option}"}))
    for body in _broken_bodies():
        for path in (BID, BLIND, BATCH):
            yield Request("broken body", path, body)
    for batch in _wrong_batches():
        yield Request("wrong batch", BATCH, body_of(batch))
    if CARD in catalogue.paths:
        yield Request("card", CARD, body_of(GOOD_CARD))
        yield Request("search at a server without searches", CARD, body_of({**GOOD_CARD, "player": "search@1"}))
        for tricks in ([], [["KD"]], [["KD", "2D", "QD", "2D"]], [["KD", "AS"]], [["KD", "2D", "AH"]], *JUNK):
            yield Request("junk as tricks", CARD, body_of({**GOOD_CARD, "tricks": tricks}))
    if INFERENCE in catalogue.paths:
        yield from _inferences()


def _inferences() -> Iterator[Request]:
    """Every field with junk, every contradiction, and batches."""
    others = ("scores", "policy", "rules", "given", "received", "seed", "tables", "game")
    for field in (*GOOD_INFERENCE, *others):
        for value in JUNK:
            yield Request(f"junk as {field}", INFERENCE, body_of({**GOOD_INFERENCE, field: value}))
    for left_out in GOOD_INFERENCE:
        fields = {field: value for field, value in GOOD_INFERENCE.items() if field != left_out}
        yield Request("missing field", INFERENCE, body_of(fields))
    wrong = [{**GOOD_INFERENCE, **change} for change in _CONTRADICTIONS]
    for request in wrong:
        yield Request("contradiction", INFERENCE, body_of(request))
    item = {field: value for field, value in GOOD_INFERENCE.items() if field != "deals"}
    for batch in ([], [item, *wrong, GOOD_INFERENCE, None, 1, {}], [item] * 64, [item] * 65, item, None):
        yield Request("batch of inferences", INFERENCES, body_of({"requests": batch}))


def _changes() -> Iterator[Values]:
    for line in _WRONG_FIELDS.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
    yield {"x" * 500: 1}
    yield _MANY
    yield from ({part: _MANY} for part in ("scores", "rules", "style"))
    yield from ({"hand": hand} for hand in ("A" * 64, "A" * 65, "A" * 1000, ["AS"] * 64, ["AS"] * 65))
    for length in (199, 200, 201, 60_000):  # a policy's text may have 200 characters
        yield {"policy": "bis:offset=0." + "0" * (length - 13)}
    yield {"rules": {"preset": "x" * 3000}}
    yield {f"field{index}": 0 for index in range(61)}  # 64 in all


def _broken_bodies() -> Iterator[bytes]:
    good = body_of(GOOD)
    yield from (b"", b" ", b"\n", b"null", b"true", b"3", b'"x"', b"[]", b"{}", b"[{}]", b"NaN", b"Infinity", b"nul")
    yield from (good[:-1], good[:-20], good + b",", good + b"}", good + good, good.replace(b'"', b"'"))
    yield from (b"\xef\xbb\xbf" + good, good.decode().encode("utf-16"))
    for number in (b"NaN", b"1e400", b"-0", b"2e0", b"2.0", b"2.", b"02", b"+2", b"0x2", b"9" * 400):
        yield good.replace(b":2", b":" + number)
    for end in (b",", b',"a":1,', b"//x", b',"seat":2', b',"seat":3', b',"a":"\x01"'):
        yield good.replace(b"}", end + b"}")
    for card in (b'"\xff"', b'"\\ud800"', b'"\\u0000"', b'"\\x41"', b'"\\u004bC"', b'"K\xc3"'):
        yield good.replace(b'"KC"', card)
    for depth in (10, 200, 900, 1500, 20_000):
        yield b'{"a":' + b"[" * depth + b"]" * depth + b"}"
        yield good.replace(b'"seat":2', b'"seat":2,"rules":' + b'{"win":' * depth + b"1" + b"}" * depth)
    yield b" " * 3000 + good + b"\r\n\t " * 500
    for limit in (1 << 16, 1 << 20):  # of the bytes of one bid and of a batch
        for length in (limit - 1, limit, limit + 1):
            yield good[:-1] + b" " * (length - len(good)) + b"}"
            yield b'{"requests":[' + b" " * (length - 15) + b"]}"


def _wrong_batches() -> Iterator[object]:
    yield from ([], GOOD, {"request": []}, {"requests": [], "a": 1})
    yield from ({"requests": value} for value in (None, {"0": GOOD}, "x", 1))
    yield from ({"requests": []}, {"requests": [None, 1, "x", [], {}, True]}, {"requests": [[GOOD], GOOD]}, _MANY)
    yield from ({"requests": [0] * 512}, {"requests": [0] * 513}, {**_MANY, "requests": []}, {"requests": [GOOD] * 40})


class Damage:
    """Random damage to a request that was right."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def body(self, data: Values) -> bytes:
        """The request's JSON with one to three faults in its values, or one in its text."""
        rng = self._rng
        if rng.random() < 0.12:
            return self._text(body_of(data))
        data = copy.deepcopy(data)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            self._value(data)
        return body_of(data)

    def _value(self, data: Values) -> None:
        """Change one value somewhere in ``data``."""
        rng = self._rng
        places = list(_places(data))
        if not places or rng.random() < 0.05:
            data[rng.choice(("who", "Hand", "previous-bids", "x", "bid", "0"))] = self._junk()
            return
        holder, key = rng.choice(places)
        value = holder[key]
        kind = rng.randrange(9)
        if kind == 0:
            del holder[key]
        elif kind == 1:
            holder[key] = None
        elif kind == 2 and type(value) is int:
            holder[key] = rng.choice(
                (float(value), value + 0.5, str(value), value * 10**15, -value, value + 1, value - 1)
            )
        elif kind == 3 and isinstance(value, str):
            holder[key] = rng.choice((value.upper(), value + "x", value[:-1], f" {value}", [value], "", value * 2))
        elif kind == 4 and isinstance(value, list):
            holder[key] = rng.choice((value + value[:1], value[:-1], value * 2, [value], value[::-1], {}))
        elif kind == 5 and isinstance(value, dict):
            value[rng.choice(("x", "us", "win", "seats", "preset", "level"))] = self._junk()
        elif kind == 6 and isinstance(holder, dict):
            holder[f"{key}{rng.choice('_ sX')}"] = holder.pop(key)
        else:
            holder[key] = self._junk()

    def _junk(self) -> Any:
        return copy.deepcopy(self._rng.choice(JUNK))  # the next fault may change what is in it

    def _text(self, body: bytes) -> bytes:
        """Change the JSON text: doubled keys, other numbers, cut or broken."""
        rng = self._rng
        keys = [match.group(1) for match in re.finditer(rb'"([a-z_]+)":', body)]
        key, junk = rng.choice(keys), body_of(rng.choice(JUNK))
        at = rng.randrange(len(body))
        objects = [match.end() for match in re.finditer(rb"\{", body)]
        inside = rng.choice(objects)
        rest = b"," if body[inside : inside + 1] != b"}" else b""
        return rng.choice(
            (
                body[:inside] + b'"%b":%b' % (key, junk) + rest + body[inside:],  # the last of a doubled key counts
                body[:-1] + b',"%b":%b}' % (key, junk),
                re.sub(rb":(-?\d+)([,}])", rb":\1.0\2", body, count=1),
                re.sub(rb":(-?\d+)([,}])", rb":\1e0\2", body, count=1),
                re.sub(rb":(-?\d+)([,}])", rb":\g<1>00000000000000000000\2", body, count=1),
                body[:at],
                body[:at] + bytes([rng.randrange(256)]) + body[at + 1 :],
                body[:at] + body[at + 1 :],
            )
        )


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member and item in a JSON value, as its holder with its key or index."""
    if isinstance(value, dict):
        for key in value:
            yield value, key
            yield from _places(value[key])
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield value, index
            yield from _places(item)

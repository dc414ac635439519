"""The requests that both services get: the positions, requests derived from them by seed, batches, and routes.

What a service takes is read from the documents of the base service (/v1/rules, /v1/policies, /openapi.json): this
module knows cards and JSON, but not the rules of Spades. Many derived requests are refused; refusals are compared too.
"""

import copy
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.golden.positions import Values, requests_of
from tests.golden.services import JSON, Answer, Connection, Request

BATCHES = {"/v1/bid": "/v1/bids", "/v1/card": "/v1/cards", "/v1/inference": "/v1/inferences"}
BATCH_ITEMS = 32
ITEM_BYTES = 10_000  # of a request in a batch, so that no batch is refused for its length or depth
SHARES = {"/v1/bid": 60, "/v1/bid/blind": 8, "/v1/pass": 4, "/v1/card": 18, "/v1/inference": 10}  # of derived requests
DAMAGED = 0.25  # of the derived requests
BIDS = (0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 9, "nil", "blind_nil", "3")
# Values of policy options, by the word that /v1/policies has for them.
_OPTION_VALUES = {
    "POINTS": ("-60", "-5.5", "0", "12.5", "1000"),
    "TRICKS": ("-1", "0", "0.15", "1.25"),
    "PROBABILITY": ("0", "0.1", "0.45", "1"),
    "X-Y-Z": ("5-8-T", "2-2-2", "A-K-Q"),
}


class Documents(NamedTuple):
    """What a service says that it takes."""

    presets: list[str]
    rules: dict[str, list[Any]]  # by rule: its values, and some beyond them
    policies: dict[str, list[str]]  # by policy: options with values
    words: dict[str, list[str]]  # by policy option with words as values: the words
    routes: list[str]  # paths of GET
    codes: list[str]  # of faults


def read_documents(port: int) -> Documents:
    """Read the documents of a service."""
    connection = Connection(port)
    paths = ("/v1/rules", "/v1/policies", "/openapi.json", "/problems/invalid-request")
    rules, policies, openapi, problem = (connection.ask(Request(path, None, "GET")).json for path in paths)
    options = {row["policy"].partition(":")[0]: row["options"] for row in policies["policies"]}
    words = [option.partition("=") for texts in options.values() for option in texts if "|" in option]
    problems = sorted(set(re.findall(r"/problems/[a-z-]+", json.dumps(openapi))))
    routes = [path for path, methods in openapi["paths"].items() if "get" in methods and "{" not in path]
    used = [(field, preset.get(field)) for preset in rules["presets"].values() for field in rules["fields"]]
    return Documents(
        list(rules["presets"]),
        {
            field: _rule_values(row, [value for name, value in used if name == field])
            for field, row in rules["fields"].items()
        },
        {name: [text for option in texts for text in _option_texts(option)] for name, texts in options.items()},
        {name: values.split("|") for name, _, values in words},
        [*routes, *problems, "/", "/docs", "/openapi.json", "/nowhere", "/v1/bid/", "/problems/x"],
        list(problem["codes"]),
    )


def _rule_values(row: Values, used: Sequence[Any]) -> list[Any]:
    said = str(row.get("supported", row))
    found = [row["default"], *used, None]
    if numbers := [int(number) for number in re.findall(r"-?\d+", said.replace("..", " "))]:
        low, high = min(numbers), max(numbers)
        found += [low, high, low + 1, high - 1, (low + high) // 2, low - 1, high + 1, float(high), str(low)]
    else:
        found += [{"true": True, "false": False}.get(word, word) for word in re.findall(r"[\w-]+", said)]
    return [value for at, value in enumerate(found) if repr(value) not in map(repr, found[:at])]


def _option_texts(option: str) -> list[str]:
    name, equals, form = option.partition("=")
    values = _OPTION_VALUES.get(form) or (form.split("..") if ".." in form else form.split("|"))
    return [f"{name}={value}" for value in (*values, "banana")] if equals else [name]


class Source:
    """Derives requests from positions; the same positions, documents and seed give the same requests."""

    def __init__(self, positions: Sequence[Values], documents: Documents, seed: int) -> None:
        self.documents = documents
        self.rng = random.Random(seed)
        self.positions = [(one["path"], request) for one in positions for request in requests_of(one)]
        self.hands = [request["hand"] for path, request in self.positions if path == "/v1/bid"]
        self.scores = [request["scores"] for _, request in self.positions if "scores" in request]

    def requests(self, count: int) -> Iterator[Request]:
        """Return the positions' requests, then derived ones, ``count`` in all, then all routes."""
        for path, request in self.positions:
            yield Request(path, body_of(request))
        by_path = {path: [request for one, request in self.positions if one == path] for path in SHARES}
        for _ in range(count - len(self.positions)):
            (path,) = self.rng.choices(list(SHARES), list(SHARES.values()))
            request = copy.deepcopy(self.rng.choice(by_path[path]))
            for kind in self.rng.sample(CHANGES[path], self.rng.choice((1, 1, 2, 3))):
                getattr(self, kind)(request)
            if self.rng.random() >= DAMAGED:
                path = "/bid" if path == "/v1/bid" and self.rng.random() < 0.1 else path
                yield Request(path, body_of(request))
            else:
                yield self.damaged(path, request)
        for path in self.documents.routes:
            for method in ("GET", "HEAD", "POST", "OPTIONS", "DELETE"):
                yield Request(path, b"{}" if method == "POST" else None, method)

    # ---- changes: each changes one thing of a request --------------------------------------------------------------

    def policy(self, request: Values) -> None:
        """Another policy, with up to three options."""
        name = self.rng.choice(list(self.documents.policies))
        options = self.documents.policies[name]
        chosen = self.rng.sample(options, min(len(options), self.rng.choice((0, 0, 1, 1, 2, 3))))
        request["policy"] = f"{name}:{','.join(chosen)}" if chosen else name

    def preset(self, request: Values) -> None:
        """The rules of a preset."""
        request["rules"] = {"preset": self.rng.choice(self.documents.presets)}

    def rule(self, request: Values) -> None:
        """Another value of one rule."""
        field = self.rng.choice(list(self.documents.rules))
        request["rules"] = {**request.get("rules", {}), field: self.rng.choice(self.documents.rules[field])}

    def score(self, request: Values) -> None:
        """The score of another position, or the same one after some more points; often all points near each other."""
        scores = copy.deepcopy(self.rng.choice((request.get("scores") or {}, *self.rng.choices(self.scores, k=2))))
        points = [value for name, value in scores.items() if isinstance(value, int) and "bags" not in name]
        around = self.rng.choice(points) if points and self.rng.random() < 0.5 else None
        for name, value in scores.items():
            if isinstance(value, int) and self.rng.random() < 0.8:
                more = 10 * self.rng.randint(-6, 6) if self.rng.random() < 0.7 else self.rng.randint(-60, 60)
                start = value if around is None else around
                scores[name] = self.rng.randrange(12) if "bags" in name else start + more
        request["scores"] = scores

    def seat(self, request: Values) -> None:
        """Fewer or more bids before this one, and the seat that follows from them."""
        bids = (request["previous_bids"] + self.rng.choices(BIDS, k=3))[: self.rng.randrange(4)]
        request |= {"previous_bids": bids, "seat": len(bids)}

    def other_bid(self, request: Values) -> None:
        """Another bid of one player."""
        bids = request["bids" if "bids" in request else "previous_bids"]
        if bids:
            bids[self.rng.randrange(len(bids))] = self.rng.choice(BIDS)

    def hand(self, request: Values) -> None:
        """The hand of another position."""
        request["hand"] = self.rng.choice(self.hands)

    def spelling(self, request: Values) -> None:
        """The hand in another form."""
        hand = request.get("hand")
        if isinstance(hand, str) and self.rng.random() < 0.5:
            suits = hand.strip().upper().replace("10", "T").split(".")
            request["hand"] = [rank + suit for suit, ranks in zip("SHDC", suits, strict=False) for rank in ranks]
        elif hand:
            request["hand"] = json.loads(json.dumps(hand).lower().replace("t", "10"))

    def earlier(self, request: Values) -> None:
        """An earlier card of the same player in the same round."""
        hand = json.dumps(request["hand"]).upper().replace("10", "T")
        suits = hand.strip(' "').split(".")
        own = [rank + suit for suit, ranks in zip("SHDC", suits, strict=False) for rank in ranks if "." in hand]
        tricks = request.get("tricks", [])
        for at in self.rng.sample(range(len(tricks)), len(tricks)):
            places = [place for place, card in enumerate(tricks[at]) if card in own or f'"{card}"' in hand]
            if places:
                request["tricks"] = [*tricks[:at], tricks[at][: places[0]]]
                return

    def other(self, request: Values) -> None:
        """Another value of a field that has few, or the field left out."""
        field, values = self.rng.choice(OTHER_FIELDS)
        request[field] = self.rng.choice((*values, *self.documents.words.get(field, ()), None))
        if self.rng.random() < 0.1:
            del request[field]

    def legal_bids(self, request: Values) -> None:
        """The bids that are legal."""
        request["legal_bids"] = self.rng.sample(range(14), self.rng.choice((1, 2, 5, 13)))

    # ---- damage ------------------------------------------------------------------------------------------------------

    def damaged(self, path: str, request: Values) -> Request:
        """Return a request with one kind of damage, in a value or in its HTTP."""
        kind = self.rng.choice((*VALUE_DAMAGE, *VALUE_DAMAGE, *VALUE_DAMAGE, *HTTP_DAMAGE))
        if kind in HTTP_DAMAGE:
            return HTTP_DAMAGE[kind](Request(path, body_of(request)), self.rng)
        holder, key = self.rng.choice(list(_places(request)))
        VALUE_DAMAGE[kind](holder, key, self.rng)
        return Request(path, body_of(request))


CHANGES = {
    "/v1/bid": (
        *("policy", "policy", "preset", "rule", "score", "score", "seat", "other_bid", "hand", "spelling"),
        *("other", "other", "legal_bids"),
    ),
    "/v1/bid/blind": ("policy", "preset", "rule", "score", "score", "seat", "other_bid", "other"),
    "/v1/pass": ("preset", "rule", "other_bid", "hand", "spelling"),
    "/v1/card": ("preset", "rule", "score", "other_bid", "spelling", "earlier", "earlier", "other"),
    "/v1/inference": ("policy", "preset", "rule", "score", "other_bid", "spelling", "other"),
}
OTHER_FIELDS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("level", (1, 2, 3, 4, 5, 6)),
    ("style", ({"aggression": 0.5}, {"aggression": -1, "nil_bias": 1}, {"nil_bias": -0.3}, {"aggression": 2}, {})),
    ("convention", ()),
    ("players", ({"left": "weak", "right": "bis"}, {"partner": "winprob"}, {"partner": "x"})),
    ("explain", (True, False, "brief", "curve")),
    ("seed", (0, 1, 12345, 2**53 - 1, 2**53)),
    ("deals", (0, 1, 10, 1000)),
    ("tables", ("default", "1.0")),
    ("player", ("srp@3", "search@1", "search@3", "x")),
    ("game", ("a", "x" * 300)),
)
JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    14,
    1.5,
    10**19,
    -(2**63),
    "",
    "x",
    "nil",
    "é\x00",
    [],
    [None],
    [[1]],
    {},
    {"a": 1},
)


def _rename(holder: Any, key: Any, rng: random.Random) -> None:
    if isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
    else:
        holder[key] = f"{holder[key]}x"


def _replace(holder: Any, key: Any, rng: random.Random) -> None:
    holder[key] = copy.deepcopy(rng.choice(JUNK))


def _beyond(holder: Any, key: Any, rng: random.Random) -> None:
    value = holder[key]
    if isinstance(value, dict):
        value["x"] = 1
    elif isinstance(value, list) and value:
        value[0] = value[-1]
    else:
        holder[key] = value * 2 if isinstance(value, (str, list)) else (value or 1) * rng.choice((-1, 14, 10**4))


# What may be wrong with a value at a place of a request's JSON.
VALUE_DAMAGE: dict[str, Callable[[Any, Any, random.Random], None]] = {
    "missing field": lambda holder, key, rng: holder.__delitem__(key),
    "wrong type": _replace,
    "out of range": _beyond,
    "unknown name": _rename,
}


def _cut(body: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(body))
    return rng.choice((body[:at], body[:at] + b"\xff" + body[at:], body[:at] + body[at + 1 :], b"", body * 2))


# What may be wrong with a request as HTTP. None of the bodies is a valid request, except where the body is unchanged.
HTTP_DAMAGE: dict[str, Callable[[Request, random.Random], Request]] = {
    "malformed JSON": lambda one, rng: one._replace(body=_cut(one.body or b"", rng)),
    "not an object": lambda one, rng: one._replace(body=rng.choice((b"null", b"[]", b"1", b'"x"', b"NaN", b"{}"))),
    "deep JSON": lambda one, rng: one._replace(body=b'{"hand":' + b"[" * rng.choice((10, 900, 20_000))),
    "repeated key": lambda one, rng: one._replace(body=(one.body or b"")[:-1] + b',"seat":9}'),
    "many fields": lambda one, rng: one._replace(body=body_of({f"field{at}": 0 for at in range(65)})),
    "large body": lambda one, rng: one._replace(body=(one.body or b"") + b" " * rng.choice((1 << 16, 1 << 20))),
    "wrong method": lambda one, rng: one._replace(method=rng.choice(("PUT", "DELETE", "PATCH", "OPTIONS"))),
    "wrong path": lambda one, rng: one._replace(path=one.path + rng.choice(("/", "x", "/x", "?a=1", "%00"))),
    "wrong media type": lambda one, rng: one._replace(
        headers=rng.choice(({}, {"content-type": "text/plain"}, {"content-type": "multipart/form-data; boundary=x"}))
    ),
    "content encoding": lambda one, rng: one._replace(headers={**JSON, "content-encoding": "gzip"}),
    "deadline": lambda one, rng: one._replace(
        headers={**JSON, "x-deadline-ms": rng.choice(("60000", "0", "-1", "soon", "", "1e3"))}
    ),
    "other headers": lambda one, rng: one._replace(
        headers={**JSON, **rng.choice(({"x-request-id": "a b"}, {"connection": "close"}, {"x-long": "x" * 20_000}))}
    ),
}


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Return every member and item in a JSON value, as its holder with its key or index."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def body_of(data: object) -> bytes:
    """Return the shortest JSON text."""
    return json.dumps(data, separators=(",", ":")).encode()


def batches(asked: Sequence[tuple[Request, Answer]], paths: Sequence[str]) -> Iterator[tuple[Request, list[Request]]]:
    """Return batches of the single requests that were read as JSON, each with the requests in it."""
    for path in paths:
        read = [one for one, answer in asked if one.path == path and answer.status in (200, 422)]
        whole = [one for one in read if one.body and len(one.body) < ITEM_BYTES]
        for start in range(0, len(whole), BATCH_ITEMS):
            items = whole[start : start + BATCH_ITEMS]
            yield Request(BATCHES[path], batch_of(items)), items


def batch_of(items: Sequence[Request]) -> bytes:
    """Return the body of a batch."""
    return b'{"requests":[%b]}' % b",".join(one.body or b"" for one in items)

"""All requests of a run, in order: everything once, then random ones up to the number asked for."""

import itertools
import random
from collections.abc import Iterator, Sequence

from tests.same_answers.catalogue import Catalogue, Values
from tests.same_answers.client import JSON_BODY, Answer, Request
from tests.same_answers.positions import LEVELS, STYLES, Positions
from tests.same_answers.rounds import STAGES, Rounds
from tests.same_answers.wrong import BATCH, BID, BLIND, CARD, INFERENCE, Damage, body_of, wrong_requests
from tests.same_answers.wrong_http import http_requests

BATCH_ITEMS = 64
_BATCH_BYTES = 900_000  # under the limit of a body
_PATHS = (BID, BID, "/bid")
_IN_TIME = (*JSON_BODY, ("x-deadline-ms", "60000"))
# Kinds of random requests, with their shares.
_SHARES = {"bid": 48, "blind": 10, "rules": 14, INFERENCE: 8, CARD: 4}
_DAMAGED = 0.25  # of the random requests


def make_requests(catalogue: Catalogue, count: int, seed: int) -> list[Request]:
    """At least ``count`` requests; those that cover everything once are always there.

    The same catalogue, count and seed make the same requests.
    """
    rng = random.Random(seed)
    positions = Positions(catalogue, rng)
    made = [*_sweeps(positions), *_rounds(positions), *wrong_requests(catalogue), *http_requests(catalogue)]
    made += itertools.islice(_random_requests(positions), max(0, count - len(made)))
    return made


def batches(requests: Sequence[Request], answers: Sequence[Answer]) -> Iterator[Request]:
    """The single requests that were read as JSON once more, in POST /v1/bids."""
    items: list[Request] = []
    size = 0
    for request, answer in zip(requests, answers, strict=True):
        if answer.status not in (200, 422) or request.path not in _PATHS or not request.body:
            continue
        if len(items) == BATCH_ITEMS or size + len(request.body) > _BATCH_BYTES:
            yield _batch(items)
            items, size = [], 0
        items.append(request)
        size += len(request.body)
    if items:
        yield _batch(items)


def _batch(items: list[Request]) -> Request:
    bodies = b",".join(item.body or b"" for item in items)
    singles = tuple(Request(f"{item.label}, in a batch", BATCH, item.body, in_batch=True) for item in items)
    return Request("batch", BATCH, b'{"requests":[%b]}' % bodies, items=singles)


def _sweeps(positions: Positions) -> Iterator[Request]:
    """Every policy, option, preset, rule, pair of rules, level, style, convention and seat."""
    catalogue, rng = positions.catalogue, positions.rng

    def bid(label: str, data: Values) -> Request:
        return Request(label, rng.choice(_PATHS), body_of(data))

    for preset, policy in itertools.product(catalogue.presets, catalogue.policies):
        for data in (positions.bid({"preset": preset}, policy) for _ in range(3)):
            yield bid(f"{policy} with preset {preset}", data)
    for preset, seat in itertools.product(catalogue.presets, range(4)):
        yield bid(f"preset {preset}, seat {seat}", positions.bid({"preset": preset}, None, seat))
        yield Request("blind", BLIND, body_of(positions.blind({"preset": preset}, None, seat)))
    for policy, options in catalogue.options.items():
        for option in options:
            yield bid(f"option {option} of {policy}", positions.bid({"preset": "classic"}, f"{policy}:{option}"))
            yield bid(f"option {option} of {policy}", positions.bid(None, f"{policy}:{option}"))
            yield Request("option, blind", BLIND, body_of(positions.blind(None, f"{policy}:{option}")))
    for field, values in catalogue.fields.items():
        for value in values:
            yield bid(f"rule {field}", positions.bid({field: value}))
            yield bid(f"rule {field}", positions.bid({"preset": rng.choice(list(catalogue.presets)), field: value}))
            yield Request("rule, blind", BLIND, body_of(positions.blind({"blind_nil": True, field: value})))
    for preset, field in itertools.product(catalogue.presets, catalogue.fields):
        given = {"preset": preset, field: rng.choice(catalogue.fields[field])}
        yield bid(f"rule {field} with preset {preset}", positions.bid(given))
        yield Request("rule with preset, blind", BLIND, body_of(positions.blind({"blind_nil": True, **given})))
    for one, other in itertools.combinations(catalogue.fields, 2):
        for wrong in (False, False, False, True):
            given = {one: rng.choice(catalogue.fields[one]), other: rng.choice(catalogue.fields[other])}
            if wrong:
                field = rng.choice((one, other))
                given[field] = rng.choice(catalogue.beyond[field])
            yield bid(f"rules {one} and {other}", positions.bid(given))
    for policy, level, explain in itertools.product(catalogue.policies, (*LEVELS, None), (True, False)):
        yield bid(f"level {level} of {policy}", {**positions.bid(None, policy), "level": level, "explain": explain})
    for policy, style, value in itertools.product(catalogue.policies, STYLES, (-1, -0.4, 0.4, 1)):
        yield bid(f"style of {policy}", {**positions.bid(None, policy), "style": {style: value}})
    for convention, policy in itertools.product(
        catalogue.conventions, ("bis", "bis:tuned", "bis:convention=big6", "rb")
    ):
        for seat in range(4):
            data = positions.bid({"preset": "classic"}, policy, seat)
            yield bid(f"convention {convention}", {**data, "convention": convention})


def _rounds(positions: Positions) -> Iterator[Request]:
    """Every preset, stage, policy and viewer of an inference; and a card with every preset."""
    rounds, catalogue = Rounds(positions), positions.catalogue
    for preset in catalogue.presets:
        given = {"preset": preset}
        if INFERENCE in catalogue.paths:
            for stage, policy, watched in itertools.product(STAGES, ("bis", "best"), (False, True)):
                request = rounds.inference(given, stage, policy, watched)
                yield Request(f"inference, {stage}, preset {preset}", INFERENCE, body_of(request))
        if CARD in catalogue.paths:
            yield from (Request(f"card, preset {preset}", CARD, body_of(rounds.card(given))) for _ in range(4))


def _random_requests(positions: Positions) -> Iterator[Request]:
    rng, catalogue = positions.rng, positions.catalogue
    damage, rounds = Damage(rng), Rounds(positions)
    shares = {kind: share for kind, share in _SHARES.items() if not kind.startswith("/") or kind in catalogue.paths}
    while True:
        kind = rng.choices(list(shares), list(shares.values()))[0]
        path = kind if kind.startswith("/") else BLIND if kind == "blind" else rng.choice(_PATHS)
        if kind == "rules":
            given = {
                field: rng.choice(catalogue.fields[field] if rng.random() < 0.9 else catalogue.beyond[field])
                for field in rng.sample(list(catalogue.fields), rng.randint(1, 5))
            }
            data = positions.bid(given)
        elif kind == INFERENCE:
            data = rounds.inference(watched=rng.random() < 0.2)
        elif kind == CARD:
            data = rounds.card()
        else:
            data = positions.blind() if kind == "blind" else positions.bid()
        damaged = rng.random() < _DAMAGED
        body = damage.body(data) if damaged else body_of(data)
        headers = _IN_TIME if rng.random() < 0.05 else JSON_BODY
        writes = 2 if rng.random() < 0.1 else 1
        yield Request(f"damaged {kind}" if damaged else kind, path, body, headers=headers, writes=writes)

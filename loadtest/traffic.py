"""The requests that a load test sends, each with the status that is its right answer.

Hands and bids are drawn with a seed, so that two runs send the same requests. The bids' weights resemble real play. A
given share of requests is wrong on purpose, because game backends have bugs too, and the service must reject these
requests as fast as it answers others. `arrivals` and `locustfile` send the requests.
"""

import itertools
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

SUITS, RANKS = "SHDC", "23456789TJQKA"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
BAD_SHARE = 0.05
POLICIES, POLICY_WEIGHTS = ("bis", "bis:tuned", "rb", "ms", "io"), (80, 5, 5, 5, 5)
# Estimated weights of the bids 0 to 7: about one bid in eleven is a nil, and the mean of the others is 3.2.
BIDS, BID_WEIGHTS = range(8), (9, 10, 18, 24, 19, 11, 6, 3)
TRICKS = 13


class Question(NamedTuple):
    """One POST request: path, JSON body, expected status, and its kind (``full``, ``short`` or the name of a fault)."""

    path: str
    body: bytes
    status: int
    what: str


def deal(rng: random.Random) -> list[list[str]]:
    """Return four hands of 13 cards, the first bidder's first."""
    cards = rng.sample(DECK, len(DECK))
    return [cards[start : start + TRICKS] for start in range(0, len(DECK), TRICKS)]


def pbn(hand: Sequence[str]) -> str:
    """Return a hand as one text, spades first, high cards first.

    >>> pbn(["2S", "AS", "TD", "KC"])
    'A2..T.K'
    """
    return ".".join("".join(r for r in reversed(RANKS) if r + suit in hand) for suit in SUITS)


def previous_bids(rng: random.Random, seat: int) -> list[int]:
    """Return legal bids of the seats before ``seat`` (0 to 3): the bids of one side never exceed 13."""
    bids: list[int] = []
    for _ in range(seat):
        most = TRICKS - (bids[-2] if len(bids) > 1 else 0)
        bids.append(min(most, rng.choices(BIDS, BID_WEIGHTS)[0]))
    return bids


def scores(rng: random.Random) -> dict[str, int]:
    """Return scores in the middle of a game with classic rules (to 500; ten bags are removed with a penalty)."""
    return {
        "us": rng.randrange(-200, 500),
        "them": rng.randrange(-200, 500),
        "us_bags": rng.randrange(10),
        "them_bags": rng.randrange(10),
    }


def request(hand: Sequence[str], bids: Sequence[int], rng: random.Random) -> dict[str, Any]:
    """Return a valid request. Most requests set all fields; some leave them to the service's defaults."""
    body: dict[str, Any] = {"hand": list(hand), "previous_bids": list(bids), "seat": len(bids)}
    if rng.random() < 0.25:
        body["hand"] = pbn(hand)
    if rng.random() < 0.8:
        body |= {"scores": scores(rng), "convention": "none", "rules": {"preset": "classic"}}
        body["policy"] = rng.choices(POLICIES, POLICY_WEIGHTS)[0]
    if rng.random() < 0.3:
        body["explain"] = False
    return body


def fault(body: dict[str, Any], rng: random.Random) -> tuple[str, dict[str, Any]]:
    """Put one common mistake into a valid request, whose right answer is then 422.

    Returns the mistake's name and the request.
    """
    what = rng.choice(
        ("hand-size", "unknown-card", "duplicate-card", "seat-mismatch", "bid-out-of-range", "unknown-field")
    )
    hand = body["hand"] if isinstance(body["hand"], list) else ["AS"] * TRICKS  # a wrong hand is always a list
    wrong = {
        "hand-size": {"hand": hand[1:]},
        "unknown-card": {"hand": ["1S", *hand[1:]]},
        "duplicate-card": {"hand": [hand[1], *hand[1:]]},
        "seat-mismatch": {"seat": (body["seat"] + 1) % 4},
        "bid-out-of-range": {"previous_bids": [14, *body["previous_bids"][1:]], "seat": max(1, body["seat"])},
        "unknown-field": {"player": "north"},
    }
    return what, body | wrong[what]


def questions(seed: int, bad_share: float = BAD_SHARE) -> Iterator[Question]:
    """Yield requests without end, all seats in turn. A share ``bad_share`` (0 to 1) of them is wrong."""
    rng = random.Random(seed)
    while True:
        for seat, hand in enumerate(deal(rng)):
            body = request(hand, previous_bids(rng, seat), rng)
            what, status = "full" if "scores" in body else "short", 200
            if rng.random() < bad_share:
                if rng.random() < 0.2:
                    yield Question("/v1/bid", json.dumps(body).encode()[:-1], 400, "invalid-json")
                    continue
                what, body = fault(body, rng)
                status = 422
            yield Question("/bid" if rng.random() < 0.5 else "/v1/bid", json.dumps(body).encode(), status, what)


def mixed(seed: int) -> Iterator[Question]:
    """Yield requests of all kinds without end: `questions`, cards, batches, and paths that do not exist."""
    rng, bids = random.Random(seed), questions(seed)
    for number in itertools.count():
        what = rng.choices(("bid", "card", "batch", "path"), (80, 12, 4, 4))[0]
        if what == "bid":
            yield next(bids)
        elif what == "card":
            body: dict[str, Any] = {"hand": deal(rng)[0], "bids": previous_bids(rng, 4), "seat": 0, "tricks": [[]]}
            yield Question("/v1/card", json.dumps(body).encode(), 200, what)
        elif what == "batch":
            hands = [hand for _ in range(4) for hand in deal(rng)]
            body = {"requests": [request(hand, previous_bids(rng, at % 4), rng) for at, hand in enumerate(hands)]}
            yield Question("/v1/bids", json.dumps(body).encode(), 200, what)
        else:
            yield Question(f"/nothing/{number}", b"{}", 404, what)


def results(seed: int, tables: str) -> Iterator[dict[str, Any]]:
    """Yield results without end, as a backend reports them in POST /v1/results: for each round, those of all seats.

    ``tables``: the version of the tables that decided. A third of the results is of a game that has ended.
    """
    rng = random.Random(seed)
    for number in itertools.count():
        bids = previous_bids(rng, 4)
        winners = rng.choices(range(4), k=TRICKS)
        taken = [winners.count(seat) for seat in range(4)]
        for seat, bid in enumerate(bids):
            made = "nil_made" if bid == 0 else "contract_made"
            happened = taken[seat] == 0 if bid == 0 else rng.random() < 0.7
            result: dict[str, Any] = {"policy": rng.choices(POLICIES, POLICY_WEIGHTS)[0], "tables": tables}
            result["round_id"] = f"round-{number}"
            result |= {"seat": seat, "bids": bids, "tricks": taken, f"p_{made}": rng.random(), made: happened}
            if rng.random() < 1 / 3:
                result |= {"p_win": rng.random(), "won": rng.random() < 0.5}
            yield result

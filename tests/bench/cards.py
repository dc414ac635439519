"""Print the time of POST /v1/card by stage, in-process: mean and p99 in microseconds over the plays of random rounds.

`make bench` runs it (`python -m tests.bench.cards`); it tests nothing. The requests are all 52 plays of each round:
random deals, bids of `bis`, cards of `srp@4`. The time of a request is the fastest of several runs.
"""

import json
import random
from collections.abc import Callable, Sequence
from statistics import mean
from time import perf_counter
from typing import Any

import orjson

from spades.bidder import decide
from spades.cards import CARD_NAMES, DECK, cards_of
from spades.contract.card_request import card_answer, read_card
from spades.play import explain_card, net_choice, play_card, srp4
from spades.policies import parse_policy
from spades.position import Position
from spades.rules import PRESETS
from spades.tableset import TableSet, open_tables

ROUNDS = 20
_RUNS = 15


def requests_of(rounds: int, tables: TableSet, seed: int = 1) -> list[dict[str, Any]]:
    """Return the requests for a card of whole rounds, in order of play."""
    draw, names, made = random.Random(seed), CARD_NAMES[0], []
    policy, rules = parse_policy("bis"), PRESETS["classic"]
    for _ in range(rounds):
        deck = draw.sample(cards_of(DECK), 52)
        hands = [deck[13 * seat : 13 * seat + 13] for seat in range(4)]
        bids: list[int] = []
        for hand in hands:
            position = Position(sum(1 << card for card in hand), tuple(bids), rules=rules)
            bids.append(decide(position, policy, tables, None, False).bid)
        tricks: list[list[str]] = [[]]
        seat = 0
        for _ in range(52):
            request = {
                "rules": {"preset": "classic"},
                "hand": [names[card] for card in hands[seat]],
                "bids": bids,
                "seat": seat,
                "scores": {"us": 120, "them": 95, "us_bags": 3, "them_bags": 5},
                "tricks": [[*trick] for trick in tricks],
            }
            made.append(request)
            state = read_card(request).state
            card = srp4(state, seat)
            tricks[-1].append(names[card])
            play_card(state, seat, card)
            seat = (state.leader + state.trick_size) & 3
            if state.trick_size == 0:
                tricks.append([])
    return made


def times_us(
    call: Callable[[Any], object], items: Sequence[Any], clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Return the mean and the 99th percentile over ``items`` of the microseconds of the fastest run of each."""
    best = [float("inf")] * len(items)
    for _ in range(_RUNS):
        for index, item in enumerate(items):
            started = clock()
            call(item)
            best[index] = min(best[index], clock() - started)
    ordered = sorted(best)
    return {"mean": mean(best) * 1e6, "p99": ordered[len(ordered) * 99 // 100] * 1e6}


def stages() -> dict[str, dict[str, float]]:
    """Return mean and p99 by stage."""
    tables = open_tables()
    requests = requests_of(ROUNDS, tables)
    net = tables.card_net
    assert net is not None
    bodies = [orjson.dumps(request) for request in requests]
    calls = [read_card(request) for request in requests]
    played = [(call, srp4(call.state, call.seat)) for call in calls]
    return {
        "parse": times_us(orjson.loads, bodies),
        "read, replay the tricks": times_us(read_card, requests),
        "decide, by srp@4": times_us(lambda call: srp4(call.state, call.seat), calls),
        "decide, by distilled@1": times_us(lambda call: net_choice(call.state, call.seat, net), calls),
        "explain": times_us(lambda one: explain_card(one[0].state, one[0].seat, one[1], one[0].rules), played),
        "whole": times_us(lambda body: orjson.dumps(card_answer(read_card(orjson.loads(body)), tables)), bodies),
    }


if __name__ == "__main__":
    print(json.dumps(stages()))

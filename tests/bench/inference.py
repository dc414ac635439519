"""Print the time of POST /v1/inference in-process: mean and p99 in microseconds over the tricks of random rounds.

`python -m tests.bench.inference` runs it, for a minute or less; it tests nothing. The requests are those of the player
who leads, before each trick of the rounds of `tests.bench.cards`, and the same ones of a spectator. The time of a
request is the shortest of several runs, in time of the thread: other work on the machine does not count.
"""

import json
from time import thread_time
from typing import Any

import orjson

from service.endpoints.inferences import parts
from spades.cards import SUITS
from spades.contract.card_request import read_card
from spades.contract.inference_request import MAX_DEALS, read_inference
from spades.inference import readers_of
from spades.tableset import TableSet, open_tables
from tests.bench import cards
from tests.bench.cards import times_us

ROUNDS = 5


def requests_of(rounds: int, tables: TableSet) -> list[dict[str, Any]]:
    """Return what the leader of each trick asks before it, for whole rounds."""
    plays, made = cards.requests_of(rounds, tables), []
    for index, play in enumerate(plays):
        if index % 4:
            continue
        played: dict[str, list[str]] = {str(seat): [] for seat in range(4)}
        names = [name for trick in play["tricks"] for name in trick]
        for earlier, name in zip(plays[index - len(names) : index], names, strict=True):
            played[str(earlier["seat"])].append(name)
        voids = enumerate(read_card(play).state.void)
        known = {name: play[name] for name in ("rules", "hand", "bids", "seat", "scores")}
        shown = {str(seat): [name for suit, name in enumerate(SUITS) if void >> suit & 1] for seat, void in voids}
        made.append({**known, "played": played, "voids": shown})
    return made


def times() -> dict[str, dict[str, float]]:
    """Return mean and p99 by viewer and number of deals."""
    tables = open_tables()
    readers, found = readers_of(tables.arrays), {}

    def answer(body: bytes) -> bytes:
        return b"".join(parts(read_inference(orjson.loads(body)), readers, tables.version))

    leaders = requests_of(ROUNDS, tables)
    spectators = [{key: value for key, value in one.items() if key not in ("hand", "seat")} for one in leaders]
    for viewer, requests in (("player", leaders), ("spectator", spectators)):
        for deals in (0, 100, MAX_DEALS):
            bodies = [orjson.dumps(request | {"deals": deals}) for request in requests]
            found[f"{viewer}, {deals} deals"] = times_us(answer, bodies, thread_time)
    return found


if __name__ == "__main__":
    print(json.dumps(times()))

"""Searches for cards beside bids: `python -m loadtest.searches`. Needs the dependency group `search`.

The command starts a service with search processes and measures the times of `POST /v1/card`: with more and fewer deals;
of all cards of whole rounds, also with a deadline and beside other callers; and those of bids at a constant rate with
and without callers that search all the time. Then it prints the memory of a search process. It checks nothing.
"""

import argparse
import http.client
import json
import random
from contextlib import closing
from copy import deepcopy
from functools import partial
from statistics import mean
from threading import Event
from time import perf_counter
from typing import Any, NamedTuple

import psutil

from examples.play_a_game import DECK, Client, play_game
from loadtest import slo
from loadtest.arrivals import percentile, run
from loadtest.beside import beside
from loadtest.servers import Server, ServerError, running_service

HAND = {"hand": "AKJ62.AQ.Q.K9543", "bids": [3, 1, 5, 4], "player": "search@3"}
PLACES = {
    "first trick": {"seat": 2, "tricks": [["KD", "2D"]], "hand": "AKJ62.AQT..K9543"},
    "second trick": {"seat": 2, "tricks": [["KD", "2D", "QD", "6D"], ["6C", "7C"]]},
}
DEALS = (64, 256, 1000)
DEFAULT_DEALS = 1000  # at full strength
DEADLINE_MS = 20
CALLERS = 4
START_S = 180.0  # a first start compiles


class Answer(NamedTuple):
    """The answer to a request for a card."""

    status: int
    ms: float
    searched: bool  # whether a search chose the card


def ask(connection: http.client.HTTPConnection, request: dict[str, object], deadline_ms: float | None = None) -> Answer:
    """Return the answer to one request."""
    headers = {"Content-Type": "application/json"}
    if deadline_ms is not None:
        headers["X-Deadline-Ms"] = f"{deadline_ms:g}"
    began = perf_counter()
    connection.request("POST", "/v1/card", json.dumps(request), headers)
    answer = connection.getresponse()
    body = answer.read()
    ms = 1e3 * (perf_counter() - began)
    return Answer(answer.status, ms, answer.status == 200 and "search" in json.loads(body))


def searches(server: Server, count: int) -> None:
    """Print the times of searches, one after the other."""
    print("| card of the | deals | p50 ms | p99 ms |\n|---|---|---|---|")
    with closing(http.client.HTTPConnection(server.host, server.port, timeout=60)) as connection:
        for name, place in PLACES.items():
            for deals in DEALS:
                found = [ask(connection, HAND | place | {"deals": deals}) for _ in range(count)]
                if wrong := {answer.status for answer in found if answer.status != 200}:
                    raise ServerError(f"{name}, {deals} deals: status is {min(wrong)}; accepted: 200")
                times = sorted(answer.ms for answer in found)
                print(f"| {name} | {deals} | {percentile(times, 50):.1f} | {percentile(times, 99):.1f} |")


class Recorder(Client):
    """A client that keeps the requests for cards."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.cards: list[dict[str, Any]] = []

    def ask(self, path: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer; see `Client`."""
        if path == "/v1/card" and request is not None:
            self.cards.append(deepcopy(request))  # the game goes on with its lists
        return super().ask(path, request)


def cards_of_a_game(server: Server) -> list[dict[str, Any]]:
    """Return the requests for all cards of one game."""
    draw = random.Random(1)

    def deal(_: int) -> list[list[str]]:
        cards = draw.sample(DECK, 52)
        return [cards[13 * seat : 13 * seat + 13] for seat in range(4)]

    with closing(Recorder(f"http://{server.host}:{server.port}")) as client:
        play_game(client, "short", deal)
        return client.cards


def whole_game(server: Server) -> None:
    """Print the times of all cards of a game: alone, beside callers that search all the time, and with a deadline."""
    requests = cards_of_a_game(server)
    print(f"\nAll {len(requests)} cards of a game, {DEFAULT_DEALS} deals each:\n")
    print("| callers beside | deadline, ms | mean ms | p50 ms | p99 ms | worst ms | without a search | 503 or 504 |")
    print("|---|---|---|---|---|---|---|---|")
    for callers in (0, CALLERS):
        for deadline_ms in (None, DEADLINE_MS):
            others = beside(partial(_search_on, server, []), callers)
            with others, closing(http.client.HTTPConnection(server.host, server.port, timeout=60)) as connection:
                found = [ask(connection, request, deadline_ms) for request in requests]
            times = sorted(answer.ms for answer in found)
            figures = (mean(times), percentile(times, 50), percentile(times, 99), times[-1])
            refused = sum(answer.status != 200 for answer in found)
            at_once = len(found) - refused - sum(answer.searched for answer in found)
            shown = " | ".join(f"{figure:.2f}" for figure in figures)
            print(f"| {callers} | {deadline_ms or '-'} | {shown} | {at_once} | {refused} |")


def beside_bids(server: Server, rate: float, seconds: float) -> None:
    """Print the times of bids alone, and while callers search without a pause."""
    print(
        f"\n| load beside {rate:g} bids/s | p50 ms of bids | p99 ms of bids | p99.9 ms of bids | searches/s "
        "| refused/s |\n|---|---|---|---|---|---|"
    )
    bids = slo.bid_requests(server)
    run((server.host, server.port), bids, rate, 1.0)  # warm up connections and caches
    for callers in (0, CALLERS):
        statuses: list[int] = []
        with beside(partial(_search_on, server, statuses), callers):
            found = run((server.host, server.port), bids, rate, seconds)
        times = " | ".join(f"{found.percentile(percent):.2f}" for percent in (50, 99, 99.9))
        refused = sum(status != 200 for status in statuses)
        rates = f"{(len(statuses) - refused) / seconds:.1f} | {refused / seconds:.1f}"
        print(f"| {f'{callers} callers that search' if callers else 'no searches'} | {times} | {rates} |")


def _search_on(server: Server, statuses: list[int], ended: Event) -> None:
    with closing(http.client.HTTPConnection(server.host, server.port, timeout=60)) as connection:
        while not ended.is_set():
            answer = ask(connection, HAND | PLACES["second trick"])
            statuses.append(answer.status)
            if answer.status != 200:
                ended.wait(0.1)  # shorter than Retry-After


def memory_mib(server: Server) -> float:
    """Return the memory of the largest search process of a server, MiB. Raises `ServerError` if it has none."""
    children = psutil.Process(server.pid).children(recursive=True)
    found = [child.memory_info().rss for child in children if child.cmdline()[-2:] == ["arena", "searcher"]]
    if not found:
        raise ServerError(f"found no search process among {len(children)} child processes of the service")
    return float(max(found) / 2**20)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.searches", description=__doc__)
    parser.add_argument("--processes", type=int, default=1, help="search processes (default %(default)s)")
    parser.add_argument("--count", type=int, default=50, help="searches of each kind (default %(default)s)")
    parser.add_argument("--rate", type=float, default=200.0, help="bids a second (default %(default)s)")
    parser.add_argument("--duration", type=float, default=10.0, help="seconds of bids (default %(default)s)")
    options = parser.parse_args()
    with running_service(start_s=START_S, SPADES_SEARCH_PROCESSES=str(options.processes)) as server:
        searches(server, options.count)
        whole_game(server)
        beside_bids(server, options.rate, options.duration)
        print(f"\nA search process uses {memory_mib(server):.0f} MiB of memory.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

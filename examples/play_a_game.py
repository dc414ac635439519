"""Play a game of four seats over HTTP: all bids, passes and cards come from the service, the score is kept here.

    make run
    .venv/bin/python examples/play_a_game.py http://127.0.0.1:8080 --preset pass-2 --seed 7

A game backend does the same, except that people sit in some of the seats. It needs the standard library only.
"""

import argparse
import json
import random
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

RANKS = "23456789TJQKA"
DECK = [rank + suit for suit in "CDHS" for rank in RANKS]
Hands = list[list[str]]  # by seat; seat 0 bids first and leads first


class Client:
    """A connection to the service."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self.connection = HTTPConnection(urlsplit(url).netloc, timeout=10)
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def ask(self, path: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer to a POST of ``request``, or to a GET; raise `RuntimeError` for a problem."""
        body = None if request is None else json.dumps(request)
        self.connection.request("GET" if body is None else "POST", path, body, self.headers)
        answer = self.connection.getresponse()
        found: dict[str, Any] = json.loads(answer.read())
        if answer.status != 200:
            raise RuntimeError(f"{path}: {found}")
        return found

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


class Round:
    """One round: the hands as they were dealt, and what happened since."""

    def __init__(self, client: Client, rules: dict[str, Any], hands: Hands, scores: list[dict[str, int]]) -> None:
        self.client = client
        self.rules = rules
        self.hands = hands
        self.scores = scores  # by seat, each from its own side
        self.bids: list[int] = []
        self.given: list[list[str]] = [[], [], [], []]
        self.tricks: list[list[str]] = []
        self.taken = [0, 0, 0, 0]

    def ask(self, path: str, seat: int, **fields: Any) -> dict[str, Any]:
        """Return the answer to a request from ``seat``."""
        return self.client.ask(path, {"rules": self.rules, "hand": self.hands[seat], "seat": seat, **fields})

    def play(self, policy: str) -> None:
        """Bid, exchange cards and play all tricks."""
        for seat in range(4):
            fields = {"previous_bids": self.bids, "scores": self.scores[seat], "policy": policy, "explain": False}
            self.bids.append(self.ask("/v1/bid", seat, **fields)["bid"])
        for seat in range(4):
            if self.rules["nil_pass"] and 0 in (self.bids[seat], self.bids[seat ^ 2]):
                self.given[seat] = self.ask("/v1/pass", seat, bids=self.bids)["cards"]
        leader = 0
        for _ in range(13):
            trick: list[str] = []
            for place in range(4):
                trick.append(self.card((leader + place) % 4, [*self.tricks, trick]))
            self.tricks.append(trick)
            leader = (leader + trick.index(best_of(trick))) % 4
            self.taken[leader] += 1

    def card(self, seat: int, tricks: Hands) -> str:
        """Return the card that ``seat`` plays."""
        exchange = {"given": self.given[seat], "received": self.given[seat ^ 2]} if self.given[seat] else {}
        answer = self.ask("/v1/card", seat, bids=self.bids, scores=self.scores[seat], tricks=tricks, **exchange)
        return str(answer["card"])


def best_of(trick: list[str]) -> str:
    """Return the card that wins a trick."""
    return max(trick, key=lambda card: (card[1] == "S", card[1] == trick[0][1], RANKS.index(card[0])))


def points_of(bids: list[int], taken: list[int], bags: int, rules: dict[str, Any]) -> tuple[int, int]:
    """Return a side's points for a round and its bags after it, from the bids and tricks of its two players."""
    points = 0
    contract = made = 0
    for bid, tricks in zip(bids, taken, strict=True):
        if bid == 0:
            points += tricks - rules["nil_points"] if tricks else rules["nil_points"]
            bags += tricks  # of a failed nil (rules.failed_nil_tricks is bags)
        else:
            contract += bid
            made += tricks
    if made < contract:
        points -= 10 * contract
    else:
        points += 10 * contract + made - contract
        bags += made - contract
    while bags >= rules["bag_limit"]:
        bags -= rules["bag_limit"]
        points -= rules["bag_penalty"]
    return points, bags


def is_over(score: list[int], rules: dict[str, Any]) -> bool:
    """Return whether a side has reached a goal; with equal scores the game goes on."""
    reached = max(score) >= rules["win"] or (rules["lose"] is not None and min(score) <= rules["lose"])
    return reached and score[0] != score[1]


def play_game(client: Client, preset: str, deal: Callable[[int], Hands], policy: str = "best") -> list[tuple[int, int]]:
    """Play until the game is over; return the scores of both sides after each round.

    ``deal`` returns the hands of a round by its number. The player who bids first moves on by one each round.
    """
    rules = client.ask("/v1/rules")["presets"][preset]
    score, bags = [0, 0], [0, 0]
    after: list[tuple[int, int]] = []
    while not is_over(score, rules):
        number = len(after)
        sides = [(number + seat) % 2 for seat in range(4)]
        scores = [
            {"us": score[us], "them": score[1 - us], "us_bags": bags[us], "them_bags": bags[1 - us]} for us in sides
        ]
        this = Round(client, rules, deal(number), scores)
        this.play(policy)
        for seat in range(2):
            side, pair = sides[seat], slice(seat, 4, 2)
            points, bags[side] = points_of(this.bids[pair], this.taken[pair], bags[side], rules)
            score[side] += points
        after.append((score[0], score[1]))
    return after


def main() -> None:
    """Play one game and print the scores."""
    parser = argparse.ArgumentParser(description="Play a game of four seats over HTTP.")
    parser.add_argument("url")
    parser.add_argument("--preset", default="classic", choices=("classic", "short", "pass-2", "pass-4"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--key", help="API key, if the service needs one")
    options = parser.parse_args()
    rng = random.Random(options.seed)

    def deal(_: int) -> Hands:
        cards = rng.sample(DECK, 52)
        return [cards[13 * seat : 13 * seat + 13] for seat in range(4)]

    with closing(Client(options.url, options.key)) as client:
        for number, (us, them) in enumerate(play_game(client, options.preset, deal), 1):
            print(f"round {number}: {us} to {them}")


if __name__ == "__main__":
    main()

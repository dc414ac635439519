"""A short bot that bids and plays cards: start here to match your own.

    .venv/bin/python -m arena match --a "python(file=examples/my_bot.py, name=Bot)" --b bis --pairs 100

Each method gets the request that a server would get (docs/reference/http.md), and returns the field that counts.
"""

from typing import Any

RANKS = "23456789TJQKA"
Request = dict[str, Any]


class Bot:
    """Bids a trick for each ace and king and for each spade after the third; wins tricks as cheaply as it can."""

    def bid(self, request: Request) -> int:
        """Return the bid. Partner's is the last but one; together they are at most 13."""
        hand: list[str] = request["hand"]
        high = sum(card[0] in "AK" for card in hand)
        spades = sum(card[1] == "S" and card[0] not in "AK" for card in hand)
        partner = sum(tricks_of(bid) for bid in request["previous_bids"][-2:-1])
        return max(1, min(high + max(0, spades - 3), 13 - partner))

    def card(self, request: Request) -> str:
        """Return the cheapest card that wins the trick so far, or else the cheapest legal card."""
        tricks: list[list[str]] = request["tricks"]
        trick = tricks[-1] if tricks and len(tricks[-1]) < 4 else []
        played = [card for cards in tricks for card in cards]
        hand: list[str] = [card for card in request["hand"] if card not in played]
        if trick:
            legal = [card for card in hand if card[1] == trick[0][1]] or hand
        else:
            broken = any(card[1] == "S" for card in played)
            legal = [card for card in hand if broken or card[1] != "S"] or hand
        best = max((rank(card, trick) for card in trick), default=0)
        winning = [card for card in legal if rank(card, trick) > best]
        return min(winning or legal, key=lambda card: (card[1] == "S", RANKS.index(card[0])))


def tricks_of(bid: int | str) -> int:
    """Return the tricks of a bid: blind bids are "blind_nil" and "blind_6" to "blind_13"."""
    if isinstance(bid, int):
        return bid
    return 0 if bid == "blind_nil" else int(bid.removeprefix("blind_"))


def rank(card: str, trick: list[str]) -> int:
    """Return how high a card is in a trick; 0 if it cannot win."""
    if card[1] == "S":
        return 14 + RANKS.index(card[0])
    return 1 + RANKS.index(card[0]) if not trick or card[1] == trick[0][1] else 0

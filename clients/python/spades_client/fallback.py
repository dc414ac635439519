"""A bid that needs no service, for a table that must not wait.

It is weaker than every policy of the service, but legal: it knows `legal_bids`, partner's bid, the variants, `min_bid`
and `team_min`. If your game has other limits, such as `team_max`, send `legal_bids`.
"""

from collections.abc import Callable
from typing import NotRequired

from spades_client.cards import JOKERS, SUITS, parse_hand
from spades_client.models import BidAnswer, BidRequest, RuleSet

POLICY = "fallback"  # `policy` of such an answer
Fallback = Callable[[BidRequest], int]


class LocalBid(BidAnswer):
    """The answer to a request for a bid; with ``fallback`` if the bid was made without the service."""

    fallback: NotRequired[str]
    """Why the service made no bid."""


def simple_bid(request: BidRequest) -> int:
    """Return a simple bid for the request, 0 for nil only if nothing else is legal.

    Jokers and aces count one trick, a king beside another card half a trick, and each spade after the third one trick.
    The sum is rounded down, and raised or lowered to what the rules allow. In mirror and whiz the bid is the number of
    spades; in suicide it is nil if partner bid a number. From ``legal_bids`` it takes the nearest number.

    >>> simple_bid({"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3], "seat": 1})
    5
    >>> simple_bid({"hand": "AKJ62.AQ.Q.K9543", "previous_bids": [3], "seat": 1, "legal_bids": ["nil", 2, 3]})
    3
    """
    cards = parse_hand(request["hand"])
    rules = request.get("rules") or {}
    before = request["previous_bids"]
    partner = _tricks(before[-2]) if len(before) > 1 else None
    bid = _by_rules(cards, partner, rules)
    legal = request.get("legal_bids")
    if legal is None:
        return bid
    numbers = sorted({_tricks(one) for one in legal} - {0})
    if not numbers or (bid == 0 and any(_tricks(one) == 0 for one in legal)):
        return 0
    return min(numbers, key=lambda number: abs(number - bid))


def _by_rules(cards: list[str], partner: int | None, rules: RuleSet) -> int:
    """Return the bid that the rules allow; ``partner``: the tricks of partner's bid, None if partner has not bid."""
    variant = rules.get("variant") or rules.get("preset") or ""
    jokers = [card for card in cards if card in JOKERS]
    holdings = [[card[0] for card in cards if card not in JOKERS and card[1] == suit] for suit in SUITS]
    spades = len(jokers) + len(holdings[0])
    if variant in ("mirror", "whiz", "whiz-strict"):
        return spades
    if variant == "suicide" and partner:
        return 0
    aces = sum("A" in ranks for ranks in holdings)
    kings = sum("K" in ranks and len(ranks) > 1 for ranks in holdings)
    tricks = len(jokers) + aces + kings // 2 + max(0, spades - 3)
    least = rules.get("min_bid") or 1
    if variant == "cutthroat":
        return max(least, tricks)
    team_min = rules.get("team_min") or (4 if variant in ("suicide", "board-4") else 0)
    if partner is not None or variant == "suicide":
        least = max(least, team_min - (partner or 0))
    return max(least, min(tricks, 13 - (partner or 0)))


def _tricks(bid: int | str) -> int:
    """Return the tricks of a bid as a request writes it; both nils are 0."""
    return int(bid) if str(bid).isdigit() else 0


def local_answer(bid: int, reason: str) -> LocalBid:
    """Return the answer with a bid that was made without the service."""
    return {
        "bid": bid,
        "kind": "regular" if bid else "nil",
        "policy": POLICY,
        "tables": "",
        "assumed": [],
        "fallback": reason,
    }

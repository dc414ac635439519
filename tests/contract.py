"""The faults and the hands of requests, for tests."""

from typing import Any

from spades.cards import CARD_CODES, RANKS, SUITS
from spades.contract.bid_request import read_bid
from spades.contract.faults import Fault, RequestError
from spades.winprob import SHIPPED, Games


def faults_of(data: Any, games: Games = SHIPPED, read: Any = read_bid) -> list[Fault]:
    """Return all faults of a request; an empty list if it can be read."""
    try:
        read(data, games)
    except RequestError as refused:
        return list(refused.faults)
    return []


def format_pbn_of(hand: int, deck: int) -> str:
    """Return a hand of ``DECKS[deck]`` in PBN form: each card in its own suit, the jokers L and B among the spades.

    >>> deck = 3  # jjdd
    >>> format_pbn_of(sum(1 << CARD_CODES[deck][name] for name in ("BJ", "2D", "AS", "3D")), deck)
    'BA..32.'
    """
    names = [name for name, code in CARD_CODES[deck].items() if hand >> code & 1]
    return ".".join(_ranks(names, suit) for suit in reversed(SUITS))


def _ranks(names: list[str], suit: str) -> str:
    jokers = "BL" if suit == "S" else ""
    ranks = [name[0] for name in names if name[1] == suit or (name[1] == "J" and name[0] in jokers)]
    return "".join(sorted(ranks, key=(RANKS + "LB").index, reverse=True))

"""Cards and hands as text: the spellings that the service reads, and one form for programs.

A card is a rank and a suit, such as ``"QS"``, ``"TH"`` (the ten) or the jokers ``"BJ"`` and ``"LJ"``. A hand is a list
of cards, spades first and high cards first.
"""

import re
from collections.abc import Iterable

SUITS = "SHDC"
RANKS = "AKQJT98765432"
JOKERS = ("BJ", "LJ")
DECK = (*JOKERS, *(rank + suit for suit in SUITS for rank in RANKS))  # spades first, high cards first
_SYMBOLS = str.maketrans("♠♥♦♣", SUITS)
_ORDER = {card: index for index, card in enumerate(DECK)}


class CardError(ValueError):
    """A text is not a card or not a hand, or a hand has a card twice."""


def parse_card(text: str) -> str:
    """Return a card in the form ``"QS"``; read all spellings of the service, such as ``sq``, ``♠Q`` and ``10h``.

    >>> parse_card("sq"), parse_card("♥10"), parse_card("bj")
    ('QS', 'TH', 'BJ')
    """
    plain = text.upper().translate(_SYMBOLS).replace("10", "T")
    for card in (plain, plain[::-1]):
        if card in _ORDER and not (card in JOKERS and card != plain):
            return card
    raise CardError(f"card is {text!r}; accepted: a rank (2 to 9, T or 10, J, Q, K, A) and a suit (S, H, D, C), BJ, LJ")


def parse_hand(hand: str | Iterable[str]) -> list[str]:
    """Return the cards of a PBN text or of a list of cards, spades first and high cards first.

    >>> parse_hand("N:BA2.-.T.K9")
    ['BJ', 'AS', '2S', 'TD', 'KC', '9C']
    >>> parse_hand(["9c", "♠A"])
    ['AS', '9C']
    """
    cards = _cards_of_pbn(hand) if isinstance(hand, str) else [parse_card(card) for card in hand]
    for card in cards:
        if cards.count(card) > 1:
            raise CardError(f"hand has {card} twice; accepted: each card once")
    return sorted(cards, key=_ORDER.__getitem__)


def _cards_of_pbn(text: str) -> list[str]:
    suits = re.sub(r"^\s*[NESW]:", "", text.upper()).strip().replace("10", "T").split(".")
    if len(suits) != len(SUITS):
        raise CardError(f"hand is {text!r}, with {len(suits)} suits; accepted: spades.hearts.diamonds.clubs")
    cards = []
    for suit, ranks in zip(SUITS, suits, strict=True):
        for rank in "" if ranks == "-" else ranks:
            joker = suit == "S" and rank in "BL"
            cards.append(parse_card(rank + ("J" if joker else suit)))
    return cards


def format_hand(hand: str | Iterable[str]) -> str:
    """Return a hand as a PBN text: the ranks of spades, hearts, diamonds and clubs with dots between.

    >>> format_hand(["QH", "AS", "BJ", "9C", "2S"])
    'BA2.Q..9'
    """
    suits = dict.fromkeys(SUITS, "")
    for card in parse_hand(hand):
        suits["S" if card in JOKERS else card[1]] += card[0]
    return ".".join(suits.values())

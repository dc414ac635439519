"""The encoding of cards and hands as ints, and their text forms.

A card is an int 0..63: ``suit * 16 + rank``, with suits C D H S = 0..3 and ranks 2..A = 0..12. In variant `jokers`,
spades have two more ranks above the ace: the little joker LJ = 13 and the big joker BJ = 14. A hand is an int in which
the bits of its cards are set. A holding is the 16-bit field of one suit; bit 0 is the deuce. Spades are the highest
field, so a spade is a larger int than every card of a side suit. Bit 63 is never used, so that the hand is a positive
int64 in numba. The request's hand is read by `service.contract.hand`.
"""

from service.bidding.errors import CardError, HandSizeError

CLUBS, DIAMONDS, HEARTS, SPADES = 0, 1, 2, 3
SUITS = "CDHS"
RANKS = "23456789TJQKA"
NINE, TEN, JACK, QUEEN, KING, ACE = 7, 8, 9, 10, 11, 12
LITTLE_JOKER, BIG_JOKER = 61, 62

SUIT_BITS = 0xFFFF
RANK_BITS = 0x1FFF  # the 13 ranks of a suit without jokers
HOLDINGS = 8192  # number of holdings of a 13-card suit
DECK = RANK_BITS | RANK_BITS << 16 | RANK_BITS << 32 | RANK_BITS << 48
JOKER_DECK = RANK_BITS - 1 | RANK_BITS << 16 | RANK_BITS - 1 << 32 | 0x7FFF << 48  # 12 clubs, 12 hearts, 15 spades
FIRST_SPADE = 48  # a card from here on is a spade
SPADE_BITS = 0x7FFF << 48

PBN_JOKERS = {"L": "LJ", "B": "BJ"}  # letters of the jokers among the spades of a PBN text
_NAMES = {s * 16 + r: RANKS[r] + SUITS[s] for s in range(4) for r in range(13)} | {
    LITTLE_JOKER: "LJ",
    BIG_JOKER: "BJ",
}
_CARDS = {name: card for card, name in _NAMES.items()} | {"10" + s: SUITS.index(s) * 16 + TEN for s in SUITS}


def holding(hand: int, suit: int) -> int:
    """Return the 16-bit holding of ``suit`` (0..3) in ``hand``."""
    return (hand >> (suit << 4)) & SUIT_BITS


def suits_of(hand: int) -> tuple[int, int, int, int]:
    """Return the holdings of a hand, clubs first."""
    return hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF, hand >> 48


def lowest(cards: int) -> int:
    """Return the lowest card of a non-empty set."""
    return (cards & -cards).bit_length() - 1


def highest(cards: int) -> int:
    """Return the highest card of a non-empty set."""
    return cards.bit_length() - 1


def parse_card(text: str) -> int:
    """Read ``"QS"``, ``"10h"`` or ``"BJ"``; raise `CardError` for anything else.

    >>> parse_card("2C"), parse_card("10c"), parse_card("as")
    (0, 8, 60)
    """
    card = _CARDS.get(text)
    if card is None:
        card = _CARDS.get(text.upper())
    if card is None:
        raise CardError(f"{text!r} is not a card; accepted: a rank of {RANKS} (or 10) and a suit of SHDC, BJ or LJ")
    return card


def format_card(card: int) -> str:
    """Return the text of a card: the inverse of `parse_card`.

    >>> format_card(60)
    'AS'
    """
    return _NAMES[card]


def pbn_card(rank: str, suit: str) -> str:
    """Return the name of a card of a PBN text, unchecked. B and L among the spades are the jokers.

    >>> pbn_card("Q", "H"), pbn_card("B", "S"), pbn_card("B", "H")
    ('QH', 'BJ', 'BH')
    """
    return PBN_JOKERS.get(rank.upper(), rank + suit) if suit == "S" else rank + suit


def parse_pbn(text: str) -> int:
    """Read a hand in PBN form, spades.hearts.diamonds.clubs. B and L among the spades are the jokers.

    Raises `CardError` for an unknown rank or a repeated card, `HandSizeError` if there are not four suits.

    >>> format_pbn(parse_pbn("AKJ62.AQ.Q.K9543")), format_pbn(parse_pbn("LBA3.AQ.Q2.K9543"))
    ('AKJ62.AQ.Q.K9543', 'BLA3.AQ.Q2.K9543')
    """
    suits = text.strip().upper().replace("10", "T").split(".")
    if len(suits) != 4:
        raise HandSizeError(f"{text!r} has {len(suits)} suits; accepted: 4, as in AKJ62.AQ.Q.K9543")
    hand = 0
    for suit, ranks in zip("SHDC", suits, strict=True):
        for rank in ranks:
            name = pbn_card(rank, suit)
            bit = 1 << parse_card(name)
            if hand & bit:
                raise CardError(f"{name} is twice in {text!r}; accepted: each card once")
            hand |= bit
    return hand


def format_pbn(hand: int) -> str:
    """Return a hand in PBN form: the inverse of `parse_pbn`."""
    return ".".join(
        "".join((RANKS + "LB")[r] for r in range(14, -1, -1) if hand >> (suit * 16 + r) & 1)
        for suit in (SPADES, HEARTS, DIAMONDS, CLUBS)
    )


def without_jokers(hand: int) -> int:
    """Return a hand without jokers: each joker becomes the highest spade that the hand does not hold.

    >>> hex(without_jokers(1 << 62 | 1 << 60 | 1 << 50) >> 48)
    '0x1804'
    """
    while hand >> LITTLE_JOKER:
        lacked = SPADE_BITS & ~(3 << LITTLE_JOKER) & ~hand
        hand = hand & ~(1 << highest(hand)) | 1 << highest(lacked)
    return hand


def cards_of(hand: int) -> list[int]:
    """Return the cards of a hand, lowest first."""
    return [card for card in range(63) if hand >> card & 1]

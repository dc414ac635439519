"""The encoding of cards and hands as ints, and their text forms.

A card is an int 0..63: ``suit * 16 + rank``, with suits C D H S = 0..3 and ranks 2..A = 0..12. Spades may have up to
three more ranks, for jokers and raised deuces (`decks`). A hand is an int in which the bits of its cards are set. A
holding is the 16-bit field of one suit; bit 0 is the lowest rank. Spades are the highest field, so a spade is a larger
int than every card of a side suit. With 16 spades, bit 63 is used, and the hand is a negative int64 in numba: take
fields with `& 0xFFFF`, and compare cards, not hands. `decks.parse_hand` reads a hand of any deck.
"""

from spades.errors import CardError, HandSizeError

CLUBS, DIAMONDS, HEARTS, SPADES = 0, 1, 2, 3
SUITS = "CDHS"
RANKS = "23456789TJQKA"
NINE, TEN, JACK, QUEEN, KING, ACE = 7, 8, 9, 10, 11, 12
LITTLE_JOKER, BIG_JOKER = 61, 62  # in the deck `jokers`

SUIT_BITS = 0xFFFF
RANK_BITS = 0x1FFF  # the 13 ranks of a suit without jokers
HOLDINGS = 8192  # number of holdings of a 13-card suit
DECK = RANK_BITS | RANK_BITS << 16 | RANK_BITS << 32 | RANK_BITS << 48
FIRST_SPADE = 48  # a card from here on is a spade
SPADE_BITS = -(1 << 48)  # all bits from the spades on; negative, because 0xFFFF << 48 is no int64

SUIT_TEXTS = {suit: (suit, suit.lower(), symbol) for suit, symbol in zip("SHDC", "♠♥♦♣", strict=True)}
MAX_PBN_CHARS = 64
COMPASS = tuple("NESWnesw")  # before a colon and a hand in PBN
PBN_JOKERS = {"L": "LJ", "B": "BJ"}  # letters of the jokers among the spades of a PBN text
_NAMES = {s * 16 + r: RANKS[r] + SUITS[s] for s in range(4) for r in range(13)} | {
    LITTLE_JOKER: "LJ",
    BIG_JOKER: "BJ",
}
_CARDS = {name: card for card, name in _NAMES.items()} | {"10" + s: SUITS.index(s) * 16 + TEN for s in SUITS}


def suits_of(hand: int) -> tuple[int, int, int, int]:
    """Return the holdings of a hand, clubs first."""
    return hand & 0xFFFF, hand >> 16 & 0xFFFF, hand >> 32 & 0xFFFF, hand >> 48 & 0xFFFF


def spades_of(hand: int) -> int:
    """Return the holding of spades in ``hand``."""
    return hand >> 48 & SUIT_BITS


def lowest(cards: int) -> int:
    """Return the lowest card of a non-empty set (a bit mask), or the lowest rank of a holding."""
    return (cards & -cards).bit_length() - 1


def highest(cards: int) -> int:
    """Return the highest card of a non-empty set (a bit mask), or the highest rank of a holding."""
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
    """Return the name of a card of a PBN text; it may be no card. B and L among the spades are the jokers.

    >>> pbn_card("Q", "H"), pbn_card("B", "S"), pbn_card("B", "H")
    ('QH', 'BJ', 'BH')
    """
    return PBN_JOKERS.get(rank.upper(), rank + suit) if suit == "S" else rank + suit


def texts_of(card: str) -> set[str]:
    """Return every accepted text of a card.

    >>> sorted(texts_of("2S"))
    ['2S', '2s', '2♠', 'S2', 's2', '♠2']
    """
    rank, suit = card[0], card[1]
    ranks = {rank, rank.lower()} | ({"10"} if rank == "T" else set())
    if suit not in SUIT_TEXTS:  # a joker
        return {letter + j for letter in ranks for j in (suit, suit.lower())}
    return {text for one in ranks for other in SUIT_TEXTS[suit] for text in (one + other, other + one)}


def pbn_names(text: str) -> list[str] | None:
    """Return the unchecked card names of a PBN text; None if it is too long or does not have four suits.

    A seat letter and a colon before the hand are ignored, and a void may be written as ``-``.

    >>> pbn_names("N:A2.-.B.10"), pbn_names("A2")
    (['AS', '2S', 'BD', 'TC'], None)
    """
    if len(text) > MAX_PBN_CHARS:
        return None
    suits = text.strip().replace("10", "T").split(".")
    if ":" in suits[0]:
        seat, _, ranks = suits[0].partition(":")
        suits[0] = ranks.lstrip() if seat in COMPASS else suits[0]
    if "-" in suits:  # a void, as some programs write it
        suits = ["" if ranks == "-" else ranks for ranks in suits]
    if len(suits) != 4:
        return None
    return [pbn_card(rank, suit) for suit, ranks in zip("SHDC", suits, strict=True) for rank in ranks]


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
    """Return a hand as one of the standard deck: each spade above rank 12 becomes the highest lower spade not held.

    >>> hex(without_jokers(1 << 62 | 1 << 60 | 1 << 50) >> 48)
    '0x1804'
    """
    spades = hand >> 48 & 0xFFFF
    while spades > RANK_BITS:
        spades = spades & ~(1 << highest(spades)) | 1 << highest(RANK_BITS & ~spades)
    return hand & ~SPADE_BITS | spades << 48


def cards_of(hand: int) -> list[int]:
    """Return the cards of a hand, lowest first."""
    return [card for card in range(64) if hand >> card & 1]

"""Cards, hands and decks: their encoding as ints, and their text forms.

A card is an int 0..63: ``suit * 16 + rank``, with suits C D H S = 0..3 and ranks 2..A = 0..12. Spades may have up to
three more ranks, for jokers and raised deuces. A hand is an int in which the bits of its cards are set. A holding is
the 16-bit field of one suit; bit 0 is the lowest rank. Spades are the highest field, so a spade is a larger int than
every card of a side suit. With 16 spades, bit 63 is used, and the hand is a negative int64 in numba: take fields with
`& 0xFFFF`, and compare cards, not hands.

A deck says which cards are trumps above the spades, in which order, and which cards are taken out. It is data: to add
another order of trumps, add a row to `DECKS`. Everything else follows from it: the names and codes of the cards, the
cards that are dealt, and the tables to use. The tables depend only on the number of cards of each suit, so only a deck
with other numbers of cards needs tables of its own (`tables.PROFILES`).

The lowest bits of the spades are those of the standard deck that a deck leaves in their order. The bits above them are
the trumps of `Deck.trumps`. So two decks with the same number of spades use the same bits, and differ only in the names
of the cards.
"""

from collections.abc import Iterable
from typing import NamedTuple

from spades.errors import CardError, HandSizeError

CLUBS, DIAMONDS, HEARTS, SPADES = 0, 1, 2, 3
SUITS = "CDHS"
EVERY_SUIT, SIDE_SUITS = 0b1111, 0b0111  # sets of suits; bit 0 is clubs
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
    """Read any number of cards in PBN form, spades.hearts.diamonds.clubs. B and L among the spades are the jokers.

    Raises `CardError` for an unknown rank or a repeated card, `HandSizeError` if there are not four suits.

    >>> format_pbn(parse_pbn("AKJ62.AQ.Q.K9543")), format_pbn(parse_pbn("LBA3.AQ.Q2.K9543"))
    ('AKJ62.AQ.Q.K9543', 'BLA3.AQ.Q2.K9543')
    """
    names = pbn_names(text.upper())
    if names is None:
        raise HandSizeError(f"{text!r} is no hand; accepted: four suits with dots between them, as in AKJ62.AQ.Q.K9543")
    hand = 0
    for name in names:
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


# ---- decks -----------------------------------------------------------------------------------------------------------


class Deck(NamedTuple):
    """A deck of 52 cards."""

    name: str  # in `rules.deck`
    meaning: str
    trumps: tuple[str, ...] = ()  # the trumps above the ace of spades, highest first; jokers are BJ and LJ
    removed: tuple[str, ...] = ()  # cards of the standard deck that are not in this one


STANDARD, JOKERS_DECK, JOKERS_DEUCE_DECK, JJDD_DECK, JJDD_SPADE_DECK = range(5)  # indices in DECKS
_DEUCES_OUT = ("2H", "2C")
# Rules and seeds know a deck by its index: add new decks at the end.
DECKS = (
    Deck("standard", "52 cards, the ace of spades is the highest"),
    Deck("jokers", "two jokers above the ace of spades", ("BJ", "LJ"), _DEUCES_OUT),
    Deck("jokers-deuce", "two jokers, then the deuce of spades", ("BJ", "LJ", "2S"), _DEUCES_OUT),
    Deck("jjdd", "two jokers, the deuce of diamonds, then that of spades", ("BJ", "LJ", "2D", "2S"), _DEUCES_OUT),
    Deck("jjdd-spade", "two jokers, the deuce of spades, then that of diamonds", ("BJ", "LJ", "2S", "2D"), _DEUCES_OUT),
)


def codes_of(deck: Deck) -> dict[str, int]:
    """Return the int of each card of a deck, by name.

    >>> codes = codes_of(DECKS[JJDD_DECK])
    >>> codes["3S"], codes["AS"], codes["2S"], codes["2D"], codes["BJ"], codes["3D"]
    (48, 59, 60, 61, 63, 17)
    """
    left = {*deck.trumps, *deck.removed}
    codes = {
        rank + suit: 16 * number + place
        for number, suit in enumerate(SUITS)
        for place, rank in enumerate(RANKS)
        if number != SPADES and rank + suit not in left
    }
    spades = [rank + "S" for rank in RANKS if rank + "S" not in left]
    codes |= {name: 16 * SPADES + place for place, name in enumerate((*spades, *reversed(deck.trumps)))}
    return codes


CARD_CODES = tuple(codes_of(deck) for deck in DECKS)
CARD_NAMES = tuple({code: name for name, code in codes.items()} for codes in CARD_CODES)
# By deck: the bit of each card, by every text of the card.
CARD_BITS = tuple({text: 1 << code for name, code in codes.items() for text in texts_of(name)} for codes in CARD_CODES)
DECK_BITS = tuple(sum(1 << code for code in codes.values()) for codes in CARD_CODES)
# DECK_BITS by suit, clubs first, for compiled code: the bits of a whole deck may not fit into an int64.
DECK_SUITS = tuple(tuple(bits >> 16 * suit & SUIT_BITS for suit in range(4)) for bits in DECK_BITS)
# By deck: the number of spades beyond 13. The standard deck has none.
EXTRA_SPADES = tuple(spades.bit_count() - len(RANKS) for *_, spades in DECK_SUITS)


def parse_card_of(text: str, deck: int) -> int:
    """Return the card of ``text`` in the deck with index ``deck``; raise `CardError` if it is not one.

    >>> parse_card_of("\u2660A", STANDARD), parse_card_of("as", JOKERS_DEUCE_DECK)
    (60, 59)
    """
    bit = CARD_BITS[deck].get(text)
    if bit is None:
        raise CardError(f"{text!r} is not a card of deck {DECKS[deck].name}; accepted: cards such as QS, 10h or S2")
    return bit.bit_length() - 1


def parse_cards(texts: Iterable[str], deck: int) -> int:
    """Return a set of cards as a bit mask; raise `CardError` for an unknown or repeated card.

    >>> hex(parse_cards(["2C", "AS"], STANDARD))
    '0x1000000000000001'
    """
    cards = 0
    for text in texts:
        bit = 1 << parse_card_of(text, deck)
        if cards & bit:
            raise CardError(f"{text} appears twice; accepted: each card once")
        cards |= bit
    return cards


def parse_hand(hand: str | Iterable[str], deck: int = STANDARD) -> int:
    """Read 13 cards, from a PBN text or from the texts of the cards, and return them as a bit mask.

    Raises `HandSizeError` for another number of cards or suits, `CardError` for an unknown or repeated card.

    >>> parse_hand("AKJ62.AQ.Q.K9543") == parse_hand("AS KS JS 6S 2S AH QH QD KC 9C 5C 4C 3C".split())
    True
    """
    names = pbn_names(hand) if isinstance(hand, str) else list(hand)
    if names is None:
        raise HandSizeError(
            f"hand is {hand!r}; accepted: four suits with dots between them, as in AKJ62.AQ.Q.K9543, "
            f"{MAX_PBN_CHARS} characters at most"
        )
    if len(names) != len(RANKS):
        raise HandSizeError(f"hand has {len(names)} card{'s' * (len(names) != 1)}; accepted: {len(RANKS)}")
    return parse_cards(names, deck)

"""The decks: which cards are trumps above the spades, in which order, and which cards are taken out.

A deck is data. To add another order of trumps, add a row to `DECKS`. Everything else follows from it: the names and
codes of the cards, the cards that are dealt, and the tables to use. The tables depend only on the number of cards of
each suit, so only a deck with other numbers of cards needs tables of its own (`table_profile`).

A deck keeps the encoding of `cards`: spades are the highest 16 bits of a hand. The lowest bits are the spades of the
standard deck that this deck leaves in their order, from the lowest. The bits above them are the trumps of
`Deck.trumps`. So two decks with the same number of spades use the same bits, and differ only in the names of the cards.
"""

from collections.abc import Iterable
from typing import NamedTuple

from spades.cards import MAX_PBN_CHARS, RANKS, SPADES, SUIT_BITS, SUITS, pbn_names, texts_of
from spades.errors import CardError, HandSizeError


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

    Raises `TypeError` if the deck does not have 52 cards, or has only one joker.

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
    if len(codes) != 52 or {"BJ", "LJ"} - set(deck.trumps) not in (set(), {"BJ", "LJ"}):
        raise TypeError(f"deck {deck.name}: found {len(codes)} cards; accepted: 52, with both jokers or none")
    return codes


# Cards of clubs, diamonds, hearts and spades in the decks that have tables (`table_profile`).
SHAPES = ((13, 13, 13, 13), (12, 13, 12, 15), (12, 12, 12, 16))
CARD_CODES = tuple(codes_of(deck) for deck in DECKS)
CARD_NAMES = tuple({code: name for name, code in codes.items()} for codes in CARD_CODES)
# By deck: the bit of each card, by every text of the card.
CARD_BITS = tuple({text: 1 << code for name, code in codes.items() for text in texts_of(name)} for codes in CARD_CODES)
DECK_BITS = tuple(sum(1 << code for code in codes.values()) for codes in CARD_CODES)
for _deck, _codes in zip(DECKS, CARD_CODES, strict=True):
    _shape = tuple(sum(code >> 4 == suit for code in _codes.values()) for suit in range(4))
    if _shape not in SHAPES:
        raise TypeError(f"deck {_deck.name}: found {_shape} cards by suit; accepted: {SHAPES}, which have tables")
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

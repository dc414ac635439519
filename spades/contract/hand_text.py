"""Cards in requests: `hand` as a list of names or as one PBN text, and the cards that partners have exchanged."""

from typing import Annotated, Any, Final

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema

from spades.cards import CARD_BITS, DECK_BITS, DECKS, MAX_PBN_CHARS, RANKS, SUIT_TEXTS, pbn_names
from spades.contract.faults import Place, json_type, quote, refusal
from spades.legal import TRICKS, deck_number
from spades.passing import MOST_PASSED
from spades.rules import Rules

_SUIT_PATTERN = f"[{''.join(text for texts in SUIT_TEXTS.values() for text in texts)}]"
_RANK_PATTERN = f"(10|[{RANKS}{RANKS[8:].lower()}])"
CARD_SCHEMA: Final = {
    "type": "string",
    "pattern": f"^({_RANK_PATTERN}{_SUIT_PATTERN}|{_SUIT_PATTERN}{_RANK_PATTERN}|[BLbl][Jj])$",
    "description": "rank 2..9, T or 10, J, Q, K, A and suit S, H, D, C or ♠, ♥, ♦, ♣, in either order; with variant "
    "jokers BJ and LJ too; any case",
    "examples": ["QS"],
}
HAND_SCHEMA = {
    "anyOf": [
        {"type": "array", "items": CARD_SCHEMA, "minItems": TRICKS, "maxItems": TRICKS, "uniqueItems": True},
        {
            "type": "string",
            "maxLength": MAX_PBN_CHARS,
            "description": "PBN: the ranks of spades.hearts.diamonds.clubs; B and L among the spades are the jokers. A "
            "void is empty or -. A seat letter and a colon before the hand, as in N:, are ignored.",
        },
    ],
    "description": "13 cards, or one PBN text",
    "examples": ["AKJ62.AQ.Q.K9543"],
}


class _Cards:
    """How the cards of one deck are written."""

    def __init__(self, number: int) -> None:
        self.name = DECKS[number].name
        self.deck = DECK_BITS[number]
        self.bits = CARD_BITS[number]
        # For each suit in PBN order: rank in PBN -> bit of the card. Only of cards with a rank.
        ranks = (*RANKS, *RANKS.lower())
        self.ranks = [
            {rank: self.bits[rank + suit] for rank in ranks if rank + suit in self.bits}.__getitem__ for suit in "SHDC"
        ]


_DECKS = [_Cards(number) for number in range(len(DECKS))]
_SPELLINGS = {spelling for cards in _DECKS for spelling in cards.bits}


def _read(value: Any, info: ValidationInfo[Rules]) -> int:
    """Return the cards as bits; raise `ValidationError` with every fault of the hand."""
    cards = _DECKS[deck_number(info.context)]
    names: Any = value
    if type(value) is str:
        if len(value) == TRICKS + 3 and value.count(".") == 3:  # no jokers, no "10", no spaces
            spades, hearts, diamonds, clubs = value.split(".")
            of_spades, of_hearts, of_diamonds, of_clubs = cards.ranks
            try:
                bits = sum(map(of_spades, spades)) + sum(map(of_hearts, hearts))
                bits += sum(map(of_diamonds, diamonds)) + sum(map(of_clubs, clubs))
            except KeyError:  # `_faults` finds the card
                bits = 0
            if bits.bit_count() == TRICKS and not bits & ~cards.deck:
                return bits
        names = pbn_names(value)
    if type(names) is list and len(names) == TRICKS:
        try:
            bits = sum(map(cards.bits.__getitem__, names))
        except (KeyError, TypeError):  # unknown, or not hashable
            bits = 0
        # If a card is there twice, its bits carry: the sum has fewer bits than the hand has cards.
        if bits.bit_count() == TRICKS and not bits & ~cards.deck:
            return bits
    raise refusal(*_faults(value, names, cards))


def _read_exchanged(value: Any, info: ValidationInfo[Rules]) -> int | None:
    """Return the cards of a list as bits, None for null; raise `ValidationError` with every fault."""
    if value is None:
        return None
    if type(value) is not list:
        raise refusal(((), "wrong-type", f"{info.field_name} is {json_type(value)}; accepted: an array of cards"))
    if not 0 < len(value) <= MOST_PASSED:
        raise refusal(((), "hand-size", f"{info.field_name} has {len(value)} cards; accepted: 1..{MOST_PASSED}"))
    faults, bits = card_list(value, info.context)
    if faults:
        raise refusal(*faults)
    return sum(bits)


def card_list(names: list[Any], rules: Rules, most: int = TRICKS) -> tuple[list[tuple[Place, str, str]], list[int]]:
    """Return the faults of a list of at most ``most`` cards, and the bit of each card if there are none."""
    cards = _DECKS[deck_number(rules)]
    if len(names) > most:
        return [((), "too-many-items", f"{len(names)} cards; accepted: at most {most}")], []
    try:
        bits = [cards.bits[name] for name in names]
    except (KeyError, TypeError):  # unknown, or not hashable
        bits = [0, 0]
    if len(set(bits)) == len(bits):
        return [], bits
    return _card_faults(names, cards), []


def _faults(value: Any, names: Any, cards: _Cards) -> list[tuple[Place, str, str]]:
    if type(value) not in (str, list):
        accepted = "an array of cards or a PBN text"
        return [((), "wrong-type", f"hand is {json_type(value)}; accepted: {accepted}")]
    if names is None:
        accepted = f"four suits with dots between them, as in AKJ62.AQ.Q.K9543, {MAX_PBN_CHARS} characters at most"
        return [((), "hand-form", f"hand is {quote(value)}; accepted: {accepted}")]
    faults: list[tuple[Place, str, str]] = []
    if len(names) != TRICKS:
        faults.append(((), "hand-size", f"hand has {len(names)} card{'s' * (len(names) != 1)}; accepted: {TRICKS}"))
        if len(names) > MAX_PBN_CHARS:
            return faults
    return faults + _card_faults(names, cards, () if type(value) is str else None)


def _card_faults(names: list[Any], cards: _Cards, where: Place | None = None) -> list[tuple[Place, str, str]]:
    """Return the faults of the cards; ``where``: the place of all faults; None: each card has its own."""
    faults: list[tuple[Place, str, str]] = []
    seen = 0
    for index, name in enumerate(names):
        place: Place = (index,) if where is None else where
        bit = cards.bits.get(name) if type(name) is str else None
        if type(name) is not str:
            faults.append((place, "wrong-type", f"a card is {json_type(name)}; accepted: a string such as QS"))
        elif name not in _SPELLINGS:
            accepted = f"a rank of {RANKS} (or 10) and a suit of SHDC or ♠♥♦♣; with variant jokers also BJ and LJ"
            faults.append((place, "unknown-card", f"{quote(name)} is not a card; accepted: {accepted}"))
        elif bit is None:
            faults.append((place, "unknown-card", f"{quote(name)} is not in the deck {cards.name}"))
        elif seen & bit:
            faults.append((place, "duplicate-card", f"{name} appears twice; accepted: each card once"))
        else:
            seen |= bit
    return faults


Hand = Annotated[int, PlainValidator(_read), WithJsonSchema(HAND_SCHEMA)]
_EXCHANGED = {"type": "array", "items": CARD_SCHEMA, "minItems": 1, "maxItems": MOST_PASSED, "uniqueItems": True}
Exchanged = Annotated[
    int | None, PlainValidator(_read_exchanged), WithJsonSchema({"anyOf": [_EXCHANGED, {"type": "null"}]})
]


Given = Annotated[Exchanged | None, Field(description="The cards that the player gave to partner after the bidding.")]
Received = Annotated[Exchanged | None, Field(description="The cards that the player got from partner.")]

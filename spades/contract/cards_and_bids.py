"""The cards and bids of requests.

Cards: `hand` as a list of names or as one PBN text, and the cards that partners have exchanged. Bids: as numbers or
words, and which of them the rules do not allow.
"""

from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema

from spades.cards import CARD_BITS, DECK_BITS, DECKS, MAX_PBN_CHARS, RANKS, SUIT_TEXTS, pbn_names
from spades.contract.faults import TABLE_OF_FOUR, Place, is_huge, json_type, quote, refusal
from spades.contract.fields import CLASSIC
from spades.legal import (
    BLIND_NIL,
    BLIND_NUMBER,
    HIGHEST_BID,
    TRICKS,
    bid_contradictions,
    bid_word,
    contract_of,
    deck_number,
    is_blind_bid,
)
from spades.passing import MOST_PASSED
from spades.round_review import PLAYS
from spades.rules import LEAST_BLIND, Rules

Faults = list[tuple[Place, str, str]]


# ---- cards -----------------------------------------------------------------------------------------------------------


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


def _read_hand(value: Any, info: ValidationInfo[Rules]) -> int:
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
    raise refusal(*_hand_faults(value, names, cards))


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


def card_list(names: list[Any], rules: Rules, most: int = TRICKS) -> tuple[Faults, list[int]]:
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


def _hand_faults(value: Any, names: Any, cards: _Cards) -> Faults:
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


def _card_faults(names: list[Any], cards: _Cards, where: Place | None = None) -> Faults:
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


Hand = Annotated[int, PlainValidator(_read_hand), WithJsonSchema(HAND_SCHEMA)]
_EXCHANGED = {"type": "array", "items": CARD_SCHEMA, "minItems": 1, "maxItems": MOST_PASSED, "uniqueItems": True}
Exchanged = Annotated[
    int | None, PlainValidator(_read_exchanged), WithJsonSchema({"anyOf": [_EXCHANGED, {"type": "null"}]})
]


def _read_plays(value: Any, info: ValidationInfo[Rules]) -> tuple[int, ...]:
    """Return the cards of a whole round in order of play, as numbers."""
    if type(value) is not list:
        raise refusal(((), "wrong-type", f"plays is {json_type(value)}; accepted: an array of cards"))
    if len(value) != PLAYS:
        raise refusal(((), "hand-size", f"plays has {len(value)} cards; accepted: {PLAYS}"))
    faults, bits = card_list(value, info.context, PLAYS)
    if faults:
        raise refusal(*faults)
    return tuple([bit.bit_length() - 1 for bit in bits])


_PLAYS = {"type": "array", "items": CARD_SCHEMA, "minItems": PLAYS, "maxItems": PLAYS, "uniqueItems": True}
Plays = Annotated[tuple[int, ...], PlainValidator(_read_plays), WithJsonSchema(_PLAYS)]
Given = Annotated[Exchanged | None, Field(description="The cards that the player gave to partner after the bidding.")]
Received = Annotated[Exchanged | None, Field(description="The cards that the player got from partner.")]


# ---- bids ------------------------------------------------------------------------------------------------------------


BLIND_BIDS: Final = (BLIND_NIL, *range(BLIND_NUMBER + LEAST_BLIND, HIGHEST_BID + 1))
MAX_LEGAL_BIDS: Final = TRICKS + 1 + len(BLIND_BIDS)
BID_WORDS = {str(bid): bid for bid in range(TRICKS + 1)} | {"nil": 0} | {bid_word(bid): bid for bid in BLIND_BIDS}
_ACCEPTED = 'accepted: 0..13, "nil", "blind_nil" or "blind_6" to "blind_13"'
_BID = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": TRICKS},
        {"type": "string", "enum": list(BID_WORDS), "description": "Words may be in any case, such as NIL."},
    ]
}
_NUMBERS: Final = {word: bid for word, bid in BID_WORDS.items() if bid <= TRICKS}
_INT: Final = frozenset((int,))
_MOST_AUCTIONS: Final = 16_384  # that `_are_possible` keeps; each set of rules has 2,955 without a blind nil
_ANY_BIDS = CLASSIC._replace(blind_nil=1, blind_min=LEAST_BLIND)  # rules that allow every bid by itself
_PREVIOUS = {
    "type": "array",
    "items": _BID,
    "maxItems": 3,
    "description": "The bids made so far, first bidder first. Nil is 0; blind bids such as blind_nil and blind_6 only "
    "where the rules allow them.",
}
_FOUR = {"type": "array", "items": _BID, "minItems": 4, "maxItems": 4, "description": "All bids, first bidder first."}
_MADE = {
    "type": "array",
    "items": _BID,
    "minItems": 1,
    "maxItems": 4,
    "description": "The bids made so far, first bidder first. Nil is 0.",
}
_REPORTED = {
    "anyOf": [{"type": "array", "items": _BID, "minItems": 4, "maxItems": 4}, {"type": "null"}],
    "description": "All four bids, first bidder first, for the decision log.",
}
_LEGAL = {
    "anyOf": [{"type": "array", "items": _BID, "minItems": 1, "maxItems": MAX_LEGAL_BIDS}, {"type": "null"}],
    "description": "The answer is always one of these. No blind bid is chosen, because the hand has been seen. "
    "Default: every bid that the rules allow.",
}


def _read_previous(value: Any, info: ValidationInfo[Rules]) -> tuple[int, ...]:
    """Return the bids as numbers."""
    rules = info.context
    if type(value) is list and len(value) <= 3:
        bids = tuple(value)
        if _INT.issuperset(map(type, bids)) or _INT.issuperset(map(type, bids := _in_numbers(bids))):
            if _are_possible(bids, rules):
                return bids
    value = _in_lower_case(value)
    faults = _previous_faults(value, rules)
    if faults:
        raise refusal(*faults)
    return _numbers(value)


def _in_numbers(bids: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the bids with numbers for words, except for blind bids."""
    return tuple([_NUMBERS.get(bid, bid) if type(bid) is str else bid for bid in bids])


@lru_cache(maxsize=_MOST_AUCTIONS)
def _are_possible(bids: tuple[int, ...], rules: Rules) -> bool:
    """Return whether at most three numbers can be the previous bids."""
    return not _previous_faults([*bids], rules)


def _in_lower_case(bids: Any) -> Any:
    """Return a list of bids with its words in lower case; anything else stays as it is."""
    if type(bids) is not list:
        return bids
    return [bid.lower() if type(bid) is str and bid.lower() in BID_WORDS else bid for bid in bids]


def _numbers(bids: list[Any]) -> tuple[int, ...]:
    return tuple(BID_WORDS[bid] if type(bid) is str else bid for bid in bids)


def _previous_faults(previous: Any, rules: Rules) -> Faults:
    if type(previous) is list and len(previous) > 3:
        return [((), "too-many-items", f"{len(previous)} previous bids; accepted: at most 3, {TABLE_OF_FOUR}")]
    return _list_faults(previous, rules, "previous_bids")


def _list_faults(previous: Any, rules: Rules, field: str) -> Faults:
    if type(previous) is not list:
        return [((), "wrong-type", f"{field} is {json_type(previous)}; accepted: an array")]
    faults = _faults_of_each(previous, rules)
    if faults:
        return faults
    bids = _numbers(previous)
    return list(bid_contradictions(bids, rules))


def _read_all(value: Any, info: ValidationInfo[Rules]) -> tuple[int, ...]:
    """Return the four bids as numbers."""
    return _checked(value, 4, info.context)


def _read_reported(value: Any) -> tuple[int, ...] | None:
    """Return the four bids of a round that was played, as numbers; None for null. The rules are not known."""
    if value is None:
        return None
    if type(value) is not list:
        raise refusal(((), "wrong-type", f"bids is {json_type(value)}; accepted: an array"))
    faults = _count_faults(value, 4) or _faults_of_each(value, _ANY_BIDS)
    if faults:
        raise refusal(*faults)
    return _numbers(value)


def _read_made(value: Any, info: ValidationInfo[Rules]) -> tuple[int, ...]:
    """Return one to four bids as numbers."""
    return _checked(value, 1, info.context)


def _checked(value: Any, least: int, rules: Rules) -> tuple[int, ...]:
    """Return the bids of the field `bids`, ``least`` to four, as numbers."""
    value = _in_lower_case(value)
    faults = _count_faults(value, least) or _list_faults(value, rules, "bids")
    if faults:
        raise refusal(*faults)
    return _numbers(value)


def _count_faults(bids: Any, least: int) -> Faults:
    """Return the fault of a list that does not have ``least`` to four bids."""
    if type(bids) is not list or least <= len(bids) <= 4:
        return []
    code = "too-many-items" if len(bids) > 4 else "bid-out-of-range"
    bids_of = f"{len(bids)} bid{'s' * (len(bids) != 1)}"
    return [((), code, f"{bids_of}; accepted: {'4' if least == 4 else f'{least}..4'}, {TABLE_OF_FOUR}")]


def _faults_of_each(bids: list[Any], rules: Rules) -> Faults:
    """Return the faults of the bids, each by itself."""
    return [fault for index, bid in enumerate(bids) for fault in _bid_faults((index,), bid, rules, "bid-out-of-range")]


def _bid_faults(place: Place, bid: Any, rules: Rules, code: str) -> Faults:
    if type(bid) not in (int, str) and not is_huge(bid):
        return [(place, "wrong-type", f"a bid is {json_type(bid)}; {_ACCEPTED}")]
    if is_huge(bid) or (type(bid) is int and not 0 <= bid <= TRICKS) or (type(bid) is str and bid not in BID_WORDS):
        return [(place, code, f"the bid is {quote(bid)}; {_ACCEPTED}")]
    number = BID_WORDS[bid] if type(bid) is str else bid
    if number > TRICKS and not is_blind_bid(number, rules):
        needed = (
            "rules.blind_nil true" if number == BLIND_NIL else f"a rules.blind_min of at most {contract_of(number)}"
        )
        return [(place, code, f"the bid is {bid}; accepted: only with {needed}")]
    return []


def _read_legal(items: Any, info: ValidationInfo[Rules]) -> tuple[int, ...] | None:
    """Return the legal bids, sorted and without blind bids; None for null."""
    if items is None:
        return None
    faults, bids = _legal(items, info.context)
    if faults:
        faults, bids = _legal(_in_lower_case(items), info.context)
    if faults:
        raise refusal(*faults)
    return tuple(sorted(bids - {*BLIND_BIDS}))


def _legal(items: Any, rules: Rules) -> tuple[Faults, set[int]]:
    """Return the faults of the list, and its bids."""
    seen: set[int] = set()
    if type(items) is not list:
        return [((), "wrong-type", f"legal_bids is {json_type(items)}; accepted: an array")], seen
    if not 0 < len(items) <= MAX_LEGAL_BIDS:
        return [((), "illegal-bids", f"{len(items)} legal bids; accepted: 1..{MAX_LEGAL_BIDS}")], seen
    faults: Faults = []
    for index, item in enumerate(items):
        item_faults = _bid_faults((index,), item, rules, "illegal-bids")
        bid = BID_WORDS.get(item, -1) if type(item) is str else item
        if not item_faults and bid in seen:
            item_faults = [((index,), "illegal-bids", f"{quote(item)} is in legal_bids twice; accepted: each bid once")]
        if item_faults:
            faults += item_faults
        else:
            seen.add(bid)
    if not faults and seen <= {*BLIND_BIDS}:
        blind = ", ".join(map(bid_word, sorted(seen)))
        only = f"the only legal bid is {blind}" if len(seen) == 1 else f"the only legal bids are {blind}"
        detail = f"{only}; accepted: at least one other, because the hand has been seen"
        faults.append(((), "illegal-bids", detail))
    return faults, seen


FourBids = Annotated[tuple[int, ...], PlainValidator(_read_all), WithJsonSchema(_FOUR)]
ReportedBids = Annotated[tuple[int, ...] | None, PlainValidator(_read_reported), WithJsonSchema(_REPORTED)]
MadeBids = Annotated[tuple[int, ...], PlainValidator(_read_made), WithJsonSchema(_MADE)]
PreviousBids = Annotated[tuple[int, ...], PlainValidator(_read_previous), WithJsonSchema(_PREVIOUS)]
LegalBids = Annotated[tuple[int, ...] | None, PlainValidator(_read_legal), WithJsonSchema(_LEGAL)]

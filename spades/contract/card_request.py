"""Requests for a card, a round in progress, and their answers: POST /v1/card."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, Required

from pydantic import Field, PlainValidator, StrictInt, TypeAdapter, ValidationInfo, WithJsonSchema, with_config
from typing_extensions import TypedDict

from spades.cards import CARD_NAMES, cards_of
from spades.contract.answer_types import (
    CardAnswer,
)
from spades.contract.cards_and_bids import CARD_SCHEMA, FourBids, Given, Hand, Received, card_list
from spades.contract.faults import Fault, Place, RequestError, fault_of, json_type, pointer, refusal
from spades.contract.fields import (
    DEFAULT_BIDDER,
    REQUEST_CONFIG,
    BidderName,
    GameId,
    OptionalRules,
    OptionalScores,
    TablesName,
    assumed_rules,
    items_schema,
    read_batch,
    read_fields,
    score_faults,
    scores_in,
)
from spades.legal import TRICKS, deck_number, deck_of
from spades.passing import check_pass
from spades.play.card_explanation import NEWEST, NEWEST_ALONE, PLAYERS, explain_card
from spades.play.history import Known, state_at_turn, write_scores
from spades.play.state import PlayState
from spades.play.tricks import legal_cards, write_rules
from spades.rules import CUTTHROAT, VARIANTS, Rules
from spades.winprob.games import SHIPPED, WON_VARIANTS, Games

SEARCH: Final = "search@1"
DEFAULT_SEARCH_DEALS: Final = 256
MAX_SEARCH_DEALS: Final = 1000
_TRICKS = {
    "anyOf": [
        {"type": "array", "items": {"type": "array", "items": CARD_SCHEMA, "maxItems": 4}, "maxItems": TRICKS},
        {"type": "null"},
    ]
}


def _read_tricks(value: Any, info: ValidationInfo[Rules]) -> tuple[tuple[int, ...], ...]:
    """Return the tricks as card numbers; raise `ValidationError` that lists everything wrong with their form."""
    if value is None:
        return ()
    if type(value) is not list:
        raise refusal(((), "wrong-type", f"tricks is {json_type(value)}; accepted: an array of tricks"))
    if len(value) > TRICKS:
        raise refusal(((), "too-many-items", f"{len(value)} tricks; accepted: at most {TRICKS}"))
    faults: list[tuple[Place, str, str]] = []
    tricks = []
    for index, names in enumerate(value):
        if type(names) is not list:
            faults.append(((index,), "wrong-type", f"a trick is {json_type(names)}; accepted: an array of cards"))
            continue
        card_faults, bits = card_list(names, info.context, 4)
        faults += [((index, *place), code, detail) for place, code, detail in card_faults]
        if len(names) < 4 and index + 1 < len(value):
            faults.append(((index,), "hand-size", f"{len(names)} cards; accepted: 4, except in the last trick"))
        tricks.append(tuple([bit.bit_length() - 1 for bit in bits]))
    if faults:
        raise refusal(*faults)
    return tuple(tricks)


@with_config(REQUEST_CONFIG)
class CardRequest(TypedDict, total=False):
    """A round in progress, as seen by the player whose turn it is."""

    rules: OptionalRules
    hand: Required[Hand]
    bids: Required[FourBids]
    seat: Required[Annotated[StrictInt, Field(ge=0, le=3, description="The player's place in the bidding order.")]]
    scores: OptionalScores
    given: Given
    received: Received
    tricks: Annotated[
        tuple[tuple[int, ...], ...],
        PlainValidator(_read_tricks),
        WithJsonSchema(_TRICKS),
        Field(
            description="The tricks so far, each in order of play. The last one may be incomplete or empty. Seat 0 "
            "leads the first trick, and the winner of a trick leads the next one. Default: none."
        ),
    ]
    player: Annotated[
        Literal[SEARCH] | None,  # type: ignore[valid-type]
        Field(
            description=f"The card player. {SEARCH} plays each card on random deals; servers offer it only if their "
            f"operator wants it. Default: the newest rule-based player, {NEWEST}, or in cutthroat {NEWEST_ALONE}."
        ),
    ]
    deals: Annotated[
        Annotated[StrictInt, Field(ge=1, le=MAX_SEARCH_DEALS)] | None,
        Field(description=f"{SEARCH}: the maximum number of random deals. Default: {DEFAULT_SEARCH_DEALS}."),
    ]
    policy: Annotated[
        BidderName | None,
        Field(description=f"{SEARCH}: the policy that all players are assumed to bid by. Default: {DEFAULT_BIDDER}."),
    ]
    tables: TablesName
    game: GameId


_FOR_SEARCH: Final = ("deals", "policy", "tables", "game")  # fields that only a search reads
MAX_CARD_ITEMS: Final = 256  # requests in one POST /v1/cards; fewer than for bids, because each request is longer


@with_config(REQUEST_CONFIG)
class CardsRequest(TypedDict):
    """Up to 256 requests; a request with a fault gets its own error."""

    requests: Annotated[list[Any], Field(max_length=MAX_CARD_ITEMS), items_schema("CardRequest", MAX_CARD_ITEMS)]


class Search(NamedTuple):
    """How to search for a card."""

    player: str
    deals: int
    bidder: str  # the policy that all players are assumed to bid by


class CardCall(NamedTuple):
    """A round in which the player can play a card."""

    state: PlayState
    seat: int
    rules: Rules
    assumed: list[str]
    dealt: int  # the player's cards before an exchange
    given: int  # of these, the cards that the player gave to partner and did not get back
    search: Search | None  # None: NEWEST or NEWEST_ALONE plays


_CARD: Final = TypeAdapter[CardRequest](CardRequest).validator.validate_python
_CARDS: Final = TypeAdapter[CardsRequest](CardsRequest).validator.validate_python


def read_card(data: Any, games: Games = SHIPPED) -> CardCall:
    """Read a request for a card. ``games``: the games that have a win table.

    Raises `RequestError`: with every fault of the fields; if there is none, with the first played card that is
    impossible, or because the round is over, or because it is another seat's turn.
    """
    request, rules = read_fields(data, _CARD)
    seat, scores = request["seat"], request.get("scores")
    given, received = request.get("given") or 0, request.get("received") or 0
    passed, contradictions = check_pass(request["hand"], request["bids"], seat, given, received, rules)
    faults = [fault_of(one) for one in contradictions]
    if scores is not None:
        faults += score_faults(scores, rules)
    faults += _search_faults(request, rules, games)
    if faults:
        raise RequestError(faults)
    known = Known(deck_of(rules), seat, request["hand"], *passed, request["bids"], request.get("tricks", ()))
    state, contradiction = state_at_turn(known, rules)
    if contradiction is not None:
        raise RequestError([fault_of(contradiction)])
    read = scores_in(request, rules, data, seat)
    assumed = read.assumed
    write_scores(state, seat, read.standing, read.seat_scores, read.seat_bags, rules)
    write_rules(state, rules)
    search = None
    if request.get("player") is not None:
        assumed += assumed_rules(rules, games)
        deals, bidder = request.get("deals") or DEFAULT_SEARCH_DEALS, request.get("policy") or DEFAULT_BIDDER
        search = Search(request["player"], deals, bidder)
    return CardCall(state, seat, rules, assumed, request["hand"], passed.given, search)


def no_searches() -> Fault:
    """Return the fault of a request for a search at a server without search processes."""
    detail = f"player is {SEARCH}, but this server has no search processes; accepted: leave out player. To allow "
    detail += "searches, the server's operator installs numba and tqdm and sets SPADES_SEARCH_PROCESSES"
    return Fault("/player", "unsupported-player", detail)


def _search_faults(request: Mapping[str, Any], rules: Rules, games: Games) -> list[Fault]:
    if request.get("player") is None:
        return [
            Fault(pointer(name), "unsupported-field", f"{name} is present; accepted: only with player {SEARCH}")
            for name in _FOR_SEARCH
            if request.get(name) is not None
        ]
    if games.nearest(rules) is not None:
        return []
    accepted = ", ".join(VARIANTS[variant] for variant in WON_VARIANTS)
    detail = f"variant is {VARIANTS[rules.variant]} with player {SEARCH}; accepted: {accepted}"
    return [Fault(pointer("rules", "variant"), "unsupported-rules", detail)]


def read_cards(data: Any) -> list[Any]:
    """Return the unread requests in the body of a batch. Raises `RequestError`."""
    return read_batch(data, _CARDS)


# ---- the answer ------------------------------------------------------------------------------------------------------


def card_answer(call: CardCall) -> CardAnswer:
    """Choose the card with a rule-based player; return the answer."""
    state, seat = call.state, call.seat
    names = CARD_NAMES[deck_number(call.rules)]
    player, choose = PLAYERS[call.rules.variant == CUTTHROAT]
    card = choose(state, seat)
    legal = legal_cards(state.hand[seat], state.trick_size, state.trick[0], state.broken)
    return {
        "card": names[card],
        "player": player,
        "legal": [names[one] for one in cards_of(legal)],
        "assumed": call.assumed,
        "reasons": explain_card(state, seat, card, call.rules),  # type: ignore[typeddict-item]
    }

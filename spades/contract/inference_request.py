"""Requests about the unseen cards, what a viewer knows of a round, and their answers: POST /v1/inference."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, NamedTuple, Required

from pydantic import Field, PlainValidator, StrictInt, TypeAdapter, ValidationInfo, WithJsonSchema
from typing_extensions import TypedDict

from spades.cards import CARD_NAMES, SUIT_TEXTS, SUITS
from spades.contract.answer_types import (
    InferenceAnswer,
    InferenceItemAnswer,
)
from spades.contract.cards_and_bids import CARD_SCHEMA, HAND_SCHEMA, Given, Hand, MadeBids, Received, card_list
from spades.contract.faults import FIELD_NAMES, Fault, Place, RequestError, fault_of, json_type, pointer, quote, refusal
from spades.contract.fields import (
    DEFAULT_BIDDER,
    BidderName,
    GameId,
    OptionalRules,
    Scores,
    Seed,
    TablesName,
    items_schema,
    read_batch,
    read_fields,
    request_object,
    score_faults,
    scores_in,
)
from spades.inference.holders import Bids, Inferred, Readers, infer_from_view, nils_unread, random_deals, reads_bids
from spades.inference.knowledge import (
    NOTHING_FITS,
    SPECTATOR,
    View,
    contradictions,
    under,
    viewers_pass,
    with_first_trick,
)
from spades.legal import TRICKS, deck_number, deck_of
from spades.rules import VARIANTS, Rules

MAX_DEALS: Final = 1000
MAX_INFERENCE_ITEMS: Final = 64  # requests in one POST /v1/inferences; each takes as long as many bids
_SEATS: Final = ("0", "1", "2", "3")
_SUIT_BITS: Final = {text: 1 << SUITS.index(suit) for suit, texts in SUIT_TEXTS.items() for text in texts}
_NOTHING: Final = (0, 0, 0, 0)


def _object_of_lists(items: Mapping[str, Any], most: int, description: str) -> WithJsonSchema:
    """Return the schema of an object with a list for each of some seats, or null."""
    member = {"type": "array", "items": items, "maxItems": most}
    seats = {"type": "object", "propertyNames": {"enum": list(_SEATS)}, "additionalProperties": member}
    return WithJsonSchema({"anyOf": [seats, {"type": "null"}], "description": description})


def _by_seat(value: Any, field: str, most: int, what: str) -> list[tuple[int, list[Any]]]:
    """Return the seats and lists of an object, none for null; raise `ValidationError` with every fault of its form."""
    if value is None:
        return []
    if type(value) is not dict:
        raise refusal(((), "wrong-type", f"{field} is {json_type(value)}; accepted: an object with a list by seat"))
    if len(value) > len(_SEATS):
        raise refusal(((), "too-many-items", f"{field} has {len(value)} members; accepted: at most 4, one for a seat"))
    faults: list[tuple[Place, str, str]] = []
    for seat, items in value.items():
        if seat not in _SEATS:
            faults.append(((seat,), "unknown-field", f"{field} has {quote(seat)}; accepted: {', '.join(_SEATS)}"))
        elif type(items) is not list:
            faults.append(
                ((seat,), "wrong-type", f"{field}.{seat} is {json_type(items)}; accepted: an array of {what}")
            )
        elif len(items) > most:
            detail = f"{field}.{seat} has {len(items)} {what}; accepted: at most {most}"
            faults.append(((seat,), "too-many-items", detail))
    if faults:
        raise refusal(*faults)
    return [(int(seat), items) for seat, items in value.items()]


def _read_played(value: Any, info: ValidationInfo[Rules]) -> tuple[int, ...]:
    """Return the cards that each seat has played, as bits."""
    played = [0, 0, 0, 0]
    faults: list[tuple[Place, str, str]] = []
    for seat, names in _by_seat(value, "played", TRICKS, "cards"):
        card_faults, bits = card_list(names, info.context)
        faults += [((str(seat), *place), code, detail) for place, code, detail in card_faults]
        played[seat] = sum(bits)
    if faults:
        raise refusal(*faults)
    return tuple(played)


def _read_voids(value: Any) -> tuple[int, ...]:
    """Return the suits that each seat is out of, as sets."""
    voids = [0, 0, 0, 0]
    faults: list[tuple[Place, str, str]] = []
    for seat, suits in _by_seat(value, "voids", len(SUITS), "suits"):
        for index, suit in enumerate(suits):
            place, where = (str(seat), index), f"voids.{seat}.{index}"
            if type(suit) is not str:
                faults.append((place, "wrong-type", f"{where} is {json_type(suit)}; accepted: a suit"))
            elif suit not in _SUIT_BITS:
                faults.append((place, "out-of-range", f"{where} is {quote(suit)}; accepted: {', '.join(SUIT_TEXTS)}"))
            else:
                voids[seat] |= _SUIT_BITS[suit]
    if faults:
        raise refusal(*faults)
    return tuple(voids)


_PLAYED = _object_of_lists(
    CARD_SCHEMA, TRICKS, "By seat, the cards that the seat has played; a seat without cards may be left out."
)
_VOIDS = _object_of_lists(
    {"type": "string", "enum": list(SUIT_TEXTS)},
    len(SUITS),
    "By seat, the suits that the seat has shown to be out of. Suits of which no card is unseen may be left out. As in "
    "cards, s or ♠ is S too.",
)
_Seat = Annotated[StrictInt, Field(ge=0, le=3)]


@request_object
class InferenceItemRequest(TypedDict, total=False):
    """What one player, or a spectator, knows of a round. A spectator has no hand and no seat."""

    rules: OptionalRules
    # Without null in the schema: some generators of clients cannot read a choice within a choice.
    hand: Annotated[
        Hand | None,
        WithJsonSchema(HAND_SCHEMA),
        Field(description="The 13 cards that the player was dealt. A spectator leaves it out."),
    ]
    bids: Required[MadeBids]
    seat: Annotated[_Seat | None, Field(description="The player's place in the bidding order; null for a spectator.")]
    scores: Annotated[
        Scores | None,
        Field(description="The score before the round; a spectator gives it as the first bidder. Default: all 0."),
    ]
    policy: Annotated[
        BidderName | None,
        Field(description=f"The policy that all players are assumed to bid by. Default: {DEFAULT_BIDDER}."),
    ]
    given: Given
    received: Received
    played: Annotated[tuple[int, int, int, int], PlainValidator(_read_played), _PLAYED]
    voids: Annotated[tuple[int, int, int, int], PlainValidator(_read_voids), _VOIDS]
    tables: TablesName
    game: GameId


@request_object
class InferenceRequest(InferenceItemRequest, total=False):
    """What one player, or a spectator, knows of a round, and how many deals to draw."""

    deals: Annotated[
        Annotated[StrictInt, Field(ge=0, le=MAX_DEALS)] | None,
        Field(description="How many random deals of the unseen cards to draw. Default: 0."),
    ]
    seed: Annotated[Seed | None, Field(description="Seed of the deals. Default: 0.")]


def _refuse_in_batch(value: Any, info: ValidationInfo[Rules]) -> None:
    """Refuse a field of POST /v1/inference in a request of a batch."""
    raise refusal(((), "unsupported-field", f"{info.field_name} is present; accepted: only in POST /v1/inference"))


_NotInBatch = Annotated[Any, PlainValidator(_refuse_in_batch)]


@request_object
class _Item(InferenceItemRequest, total=False):
    """A request of a batch as it is read: with the fields that only POST /v1/inference has, to refuse them."""

    deals: _NotInBatch
    seed: _NotInBatch


FIELD_NAMES[_Item.__name__] = FIELD_NAMES[InferenceItemRequest.__name__]


@request_object
class InferencesRequest(TypedDict):
    """Up to 64 requests without deals; a request with a fault gets its own error."""

    requests: Annotated[
        list[Any], Field(max_length=MAX_INFERENCE_ITEMS), items_schema("InferenceItemRequest", MAX_INFERENCE_ITEMS)
    ]


class InferenceCall(NamedTuple):
    """A request whose fields do not contradict each other."""

    view: View
    bids: Bids
    rules: Rules
    deals: int
    seed: int
    assumed: list[str]


_INFERENCE: Final = TypeAdapter[InferenceRequest](InferenceRequest).validator.validate_python
_ITEM: Final = TypeAdapter[_Item](_Item).validator.validate_python
_INFERENCES: Final = TypeAdapter[InferencesRequest](InferencesRequest).validator.validate_python


def read_inference(data: Any) -> InferenceCall:
    """Read a request about the unseen cards. Raises `RequestError` with every fault of it."""
    return _call_of(data, _INFERENCE)


def read_inference_item(data: Any) -> InferenceCall:
    """Read a request of a batch, which has no deals. Raises `RequestError`."""
    return _call_of(data, _ITEM)


def _call_of(data: Any, validate: Any) -> InferenceCall:
    request, rules = read_fields(data, validate)
    hand, seat, bids = request.get("hand"), request.get("seat"), request["bids"]
    played, voids = request.get("played", _NOTHING), request.get("voids", _NOTHING)
    faults = []
    if (hand is None) != (seat is None):
        missing, other = ("hand", "seat") if hand is None else ("seat", "hand")
        detail = f"{missing} is missing, but {other} is present; accepted: both, or neither for a spectator"
        faults.append(Fault(pointer(missing), "missing-field", detail))
    given, received = request.get("given") or 0, request.get("received") or 0
    passed, of_pass = viewers_pass(hand, seat, bids, given, received, any(played), rules)
    faults += [fault_of(one) for one in of_pass]
    if request.get("scores") is not None:
        faults += score_faults(request["scores"], rules)
    if len(bids) < 4:
        faults += [
            Fault(
                pointer(field),
                "contradiction",
                f"{field} is present after {len(bids)} bids; accepted: only after 4 bids",
            )
            for field, by_seat in (("played", played), ("voids", voids))
            if any(by_seat)
        ]
    if faults:
        raise RequestError(faults)
    view = under(View(deck_of(rules), SPECTATOR if seat is None else seat, hand or 0, *passed, played, voids), rules)
    of_view = contradictions(view, bids, rules)
    if of_view:
        raise RequestError([fault_of(one) for one in of_view])
    shown = with_first_trick(view)
    scores = scores_in(request, rules, data, seat or 0)
    assumed = scores.assumed
    policy = request.get("policy")
    if policy is None:
        assumed.append("policy")
    if not reads_bids(rules):
        assumed.append(f"bids, not read in variant {VARIANTS[rules.variant]}")
    elif nils_unread(shown, bids, rules):
        assumed.append("bids, nils not read before the exchange")
    made = Bids(bids, policy or DEFAULT_BIDDER, scores.standing)
    return InferenceCall(shown, made, rules, request.get("deals") or 0, request.get("seed") or 0, assumed)


def read_inferences(data: Any) -> list[Any]:
    """Return the unread requests in the body of a batch. Raises `RequestError`."""
    return read_batch(data, _INFERENCES)


# ---- the answer ------------------------------------------------------------------------------------------------------


_DECIMALS: Final = 9  # of probabilities in inferences; their sum over up to 52 cards is exact to 1e-7


def inferred_from(call: InferenceCall, readers: Readers) -> Inferred:
    """Return who may hold each unseen card; raise `RequestError` if no deal fits. ``readers``: of the tables."""
    inferred = infer_from_view(call.view, call.bids, call.rules, readers)
    if inferred is None:
        raise RequestError([Fault("/bids", "contradiction", NOTHING_FITS)])
    return inferred


def probabilities_answer(call: InferenceCall, inferred: Inferred, version: str) -> InferenceItemAnswer:
    """Return the answer without deals, made from the result of `inferred_from`. ``version``: of the tables."""
    unseen, exact = inferred.unseen, inferred.deals.probabilities
    names = [CARD_NAMES[deck_number(call.rules)][card] for card in unseen.cards]
    columns = list(zip(exact.round(_DECIMALS).T.tolist(), exact.T.tolist(), strict=True))
    seats = sorted((seat, column) for column, seat in enumerate(unseen.seats))
    return {
        "seats": {
            # A probability above 0 is not rounded to 0.
            str(seat): {name: rounded or p for name, rounded, p in zip(names, *columns[column], strict=True) if p}
            for seat, column in seats
        },
        "tables": version,
        "policy": call.bids.bidder,
        "assumed": call.assumed,
    }


def inference_answer(call: InferenceCall, readers: Readers, version: str) -> InferenceAnswer:
    """Return the answer with its deals; raise `RequestError` if no deal fits. ``version``: of the tables."""
    inferred = inferred_from(call, readers)
    answer: InferenceAnswer = {**probabilities_answer(call, inferred, version)}  # type: ignore[typeddict-item]
    if call.deals:
        names = CARD_NAMES[deck_number(call.rules)]
        answer["deals"] = [
            {str(seat): [names[card] for card in cards] for seat, cards in deal.items()}
            for deal in random_deals(inferred, call.deals, call.seed)
        ]
    return answer

"""Results: what POST /v1/results accepts, what became of rounds whose bids the service gave.

A result pairs a stated probability with what happened. The other fields are for the decision log, where
`round_id` connects the records of a round.
"""

from functools import lru_cache
from typing import Annotated, Any, Final, NamedTuple, Required

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    WithJsonSchema,
)
from typing_extensions import TypedDict

from spades.contract.bid_request import MAX_ITEMS
from spades.contract.cards_and_bids import ReportedBids
from spades.contract.faults import Fault, RequestError, refusal
from spades.contract.fields import (
    NO_RULES,
    POLICY_CHARS,
    POLICY_PATTERN,
    GameId,
    RoundId,
    four_numbers,
    items_schema,
    policy_fault,
    read_batch,
    read_fields,
    request_object,
)
from spades.legal import TRICKS, is_nil
from spades.policies import BEST

MAX_RESULTS: Final = MAX_ITEMS  # in one POST /v1/results
MAX_ROUND: Final = 10_000
_VERSION_CHARS: Final = 64
# By kind of outcome: the field with the stated probability, and the one that says whether it happened.
OUTCOMES: Final = {
    "nil": ("p_nil_made", "nil_made"),
    "contract": ("p_contract_made", "contract_made"),
    "win": ("p_win", "won"),
}


@lru_cache(maxsize=1024)
def _decider_fault(text: str) -> str | None:
    if text.partition(":")[0] == BEST:
        return f"policy is {BEST}; accepted: the policy that decided, as the answer names it"
    return policy_fault(text)


def _checked_decider(text: str) -> str:
    detail = _decider_fault(text) if len(text) <= POLICY_CHARS else policy_fault(text)
    if detail is not None:
        raise refusal(((), "unknown-policy", detail))
    return text


def _read_tricks(values: Any) -> tuple[int, ...] | None:
    """Return the tricks that each seat took; None for null."""
    tricks = four_numbers("tricks", values, 0, TRICKS)
    if tricks is not None and sum(tricks) != TRICKS:
        raise refusal(((), "contradiction", f"tricks sum to {sum(tricks)}; accepted: {TRICKS}"))
    return tricks


_TRICKS = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": TRICKS}, "minItems": 4, "maxItems": 4}
_Probability = Annotated[StrictFloat, Field(ge=0, le=1)]
_Seat = Annotated[StrictInt, Field(ge=0, le=3)]


@request_object
class Result(TypedDict, total=False):
    """The outcome of one bid: probabilities as its answer stated them, and what happened.

    An outcome without a stated probability is not counted, and only enters the decision log.
    """

    policy: Required[
        Annotated[
            StrictStr,
            AfterValidator(_checked_decider),
            WithJsonSchema(
                {
                    "type": "string",
                    "pattern": POLICY_PATTERN,
                    "maxLength": POLICY_CHARS,
                    "description": "`policy` of the answer, which is never best.",
                }
            ),
        ]
    ]
    tables: Required[
        Annotated[
            StrictStr,
            Field(
                min_length=1,
                max_length=_VERSION_CHARS,
                description="`tables` of the answer. Sets that are not open are counted as other.",
            ),
        ]
    ]
    p_nil_made: Annotated[
        _Probability | None,
        Field(
            description="Stated probability that the bidder's nil is made: `explanation.nil.probability`, or for "
            "winprob `nil_made` in the bid's `outcomes`."
        ),
    ]
    nil_made: Annotated[StrictBool | None, Field(description="Whether the bidder made the nil.")]
    p_contract_made: Annotated[
        _Probability | None,
        Field(description="Stated probability that the side makes its contract: `made` in the bid's `outcomes`."),
    ]
    contract_made: Annotated[StrictBool | None, Field(description="Whether the side made its contract.")]
    p_win: Annotated[
        _Probability | None, Field(description="Stated probability that the side wins the game: `explanation.p_win`.")
    ]
    won: Annotated[StrictBool | None, Field(description="Whether the side won the game.")]
    round_id: RoundId
    seat: Annotated[_Seat | None, Field(description="The bidder's place in the bidding order. Needed with round_id.")]
    bids: ReportedBids
    tricks: Annotated[
        tuple[int, ...] | None,
        PlainValidator(_read_tricks),
        WithJsonSchema(
            {
                "anyOf": [_TRICKS, {"type": "null"}],
                "description": "The tricks that each seat took, first bidder first, for the decision log.",
            }
        ),
    ]
    game: GameId
    round: Annotated[
        Annotated[StrictInt, Field(ge=0, le=MAX_ROUND)] | None,
        Field(description="The number of the round in its game, from 0, for the decision log."),
    ]


@request_object
class ResultsRequest(TypedDict):
    """Up to 512 results; a faulty one is refused alone."""

    results: Annotated[list[Any], Field(max_length=MAX_RESULTS), items_schema("Result", MAX_RESULTS)]


_RESULTS: Final = TypeAdapter[ResultsRequest](ResultsRequest).validator.validate_python
_RESULT = TypeAdapter[Result](Result).validator.validate_python


class ResultCall(NamedTuple):
    """A result that can be counted and logged."""

    fields: Any  # as in `Result`, without faults
    base: str  # the policy without options


def read_result(data: Any) -> ResultCall:
    """Read one result. Raises `RequestError` with every fault."""
    fields, _ = read_fields(data, _RESULT, NO_RULES)
    faults = _conflicts(fields)
    if faults:
        raise RequestError(faults)
    return ResultCall(fields, fields["policy"].partition(":")[0])


def _conflicts(fields: Any) -> list[Fault]:
    """Return the faults of fields that are valid separately, but not together."""
    faults = []
    get = fields.get
    for stated, happened in OUTCOMES.values():
        if get(stated) is not None and get(happened) is None:
            detail = f"{happened} is missing; accepted: true or false with {stated}"
            faults.append(Fault(f"/{happened}", "missing-field", detail))
    seat, bids, tricks, nil_made = get("seat"), get("bids"), get("tricks"), get("nil_made")
    if get("round_id") is not None and seat is None:
        faults.append(Fault("/seat", "missing-field", "seat is missing; accepted: 0..3 with round_id"))
    if nil_made is None:
        if get("contract_made") is None and get("won") is None and bids is None and tricks is None and not faults:
            accepted = ", ".join(happened for _, happened in OUTCOMES.values())
            faults.append(Fault("", "missing-field", f"no outcome; accepted: at least one of {accepted}, bids, tricks"))
    elif seat is not None:
        if bids is not None and not is_nil(bids[seat]):
            detail = f"nil_made is present, but bids.{seat} is {bids[seat]}; accepted: only for a seat that bid nil"
            faults.append(Fault("/nil_made", "contradiction", detail))
        if tricks is not None and nil_made != (tricks[seat] == 0):
            stated = f"nil_made is {str(nil_made).lower()}, but tricks.{seat} is {tricks[seat]}"
            faults.append(Fault("/nil_made", "contradiction", f"{stated}; accepted: true exactly for 0 tricks"))
    return faults


def read_results(data: Any) -> list[Any]:
    """Return the unread results in the body of POST /v1/results. Raises `RequestError`."""
    return read_batch(data, _RESULTS, "results")

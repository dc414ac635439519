"""The public contract: what callers send and get, as pydantic models.

Not the way the hot path reads a body (that is `api/requests.py`, which must accept exactly what these models
and its own checks of hands, bids and rules accept). The models serve three ends: the OpenAPI document, the
structural faults of a refused request, and tests that hold real answers against them.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SkipValidation,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    WithJsonSchema,
)

from service.bidding.game.rules import FIELDS

MAX_ITEMS = 512  # requests in one POST /v1/bids
SCORE_LIMIT = 10_000  # points, either way
MAX_SEED = 2**53 - 1  # the largest integer that every JSON reader keeps exactly
POLICY_CHARS = 200

_CARD = {
    "type": "string",
    "description": "rank 23456789TJQKA (or 10), then suit SHDC; with variant jokers BJ and LJ too; any case",
    "examples": ["QS"],
}
_BID = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": 13},
        {"type": "string", "enum": [*(str(bid) for bid in range(14)), "nil", "blind_nil"]},
    ]
}


def _four(what: str, low: int, high: int) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "integer", "minimum": low, "maximum": high},
        "minItems": 4,
        "maxItems": 4,
        "description": f"variant cutthroat: {what} of the four seats, first bidder first",
    }


# Lists whose faults are told item by item are checked in api/requests.py; pydantic only documents them.
Hand = Annotated[
    SkipValidation[Any],
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "items": _CARD, "minItems": 13, "maxItems": 13, "uniqueItems": True},
                {"type": "string", "description": "PBN: spades.hearts.diamonds.clubs; jokers are spades B and L"},
            ],
            "description": "13 cards, or one PBN string",
            "examples": ["AKJ62.AQ.Q.K9543"],
        }
    ),
]
PreviousBids = Annotated[
    SkipValidation[Any],
    WithJsonSchema(
        {
            "type": "array",
            "items": _BID,
            "maxItems": 3,
            "description": "first bidder first; nil is 0; blind_nil only where the rules allow it",
        }
    ),
]
LegalBids = Annotated[
    SkipValidation[Any],
    WithJsonSchema(
        {
            "anyOf": [{"type": "array", "items": _BID, "minItems": 1, "maxItems": 15}, {"type": "null"}],
            "description": "the answer is always one of them; a blind_nil is never chosen once the hand is seen",
        }
    ),
]
Points = Annotated[StrictInt, Field(ge=-SCORE_LIMIT, le=SCORE_LIMIT, description="points")]
Bags = Annotated[StrictInt, Field(ge=0, le=99, description="bags since the last penalty, below rules.bag_limit")]
SeatPoints = Annotated[SkipValidation[Any], WithJsonSchema(_four("points", -SCORE_LIMIT, SCORE_LIMIT))]
SeatBags = Annotated[SkipValidation[Any], WithJsonSchema(_four("bags since the last penalty", 0, 99))]


class Contract(BaseModel):
    """What callers send: unknown fields are refused, nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Scores(Contract):
    """The score before the round: of two sides, from the caller's, or with variant cutthroat of the four seats."""

    us: Points = 0
    them: Points = 0
    us_bags: Bags = 0
    them_bags: Bags = 0
    seats: SeatPoints = Field(default_factory=lambda: [0, 0, 0, 0])
    bags: SeatBags = Field(default_factory=lambda: [0, 0, 0, 0])


def _rule(name: str) -> Any:
    rule = FIELDS[name]
    return Field(default=rule.json_default, description=rule.meaning)


class RuleSet(Contract):
    """A preset and overrides; the supported values are listed by GET /v1/rules."""

    preset: StrictStr = Field(default="classic", description="one of GET /v1/rules")
    win: StrictInt = _rule("win")
    lose: StrictInt | None = _rule("lose")
    nil_points: StrictInt = _rule("nil_points")
    blind_nil_points: StrictInt = _rule("blind_nil_points")
    double_nil: StrictBool = _rule("double_nil")
    blind_nil: StrictBool = _rule("blind_nil")
    blind_nil_deficit: StrictInt = _rule("blind_nil_deficit")
    bags: StrictBool = _rule("bags")
    bag_limit: StrictInt = _rule("bag_limit")
    bag_penalty: StrictInt = _rule("bag_penalty")
    failed_nil_tricks: Literal["bags", "contract", "none"] = _rule("failed_nil_tricks")
    min_bid: StrictInt = _rule("min_bid")
    team_min: StrictInt = _rule("team_min")
    team_max: StrictInt | None = _rule("team_max")
    ten_for_200: StrictBool = _rule("ten_for_200")
    variant: Literal["partnership", "cutthroat", "mirror", "whiz", "whiz_strict", "suicide", "jokers"] = _rule(
        "variant"
    )


for _name in FIELDS.keys() ^ (RuleSet.model_fields.keys() - {"preset"}):
    raise TypeError(
        f"RuleSet.{_name}: in one of RuleSet and Rules only; declare it in both, here with _rule({_name!r})"
    )


_MORE_TRICKS = "to more tricks, or to fewer; left out, what the policy's text says"
_MORE_NILS = "to nils, or away from them; left out, what the policy's text says"


class Style(Contract):
    """How a policy leans; 0 is the policy itself."""

    aggression: Annotated[StrictFloat, Field(ge=-1, le=1, description=_MORE_TRICKS)] = 0.0
    nil_bias: Annotated[StrictFloat, Field(ge=-1, le=1, description=_MORE_NILS)] = 0.0


_CONVENTION = "none, big5, big6 or auto: what both partners play; only bis in a partnership plays one"


class BidRequest(Contract):
    """One position: a hand, the bids before it, the score and the rules. Of a doubled JSON key the last one counts."""

    hand: Hand
    previous_bids: PreviousBids
    seat: Annotated[
        StrictInt, Field(ge=0, le=3, description="place in the bidding order; equals the number of previous bids")
    ]
    scores: Scores = Field(default_factory=Scores)
    convention: StrictStr = Field(default="none", description=_CONVENTION)
    policy: StrictStr = Field(
        default="bis", description="bis, rb, ms, io or winprob, with options as in bis:endgame=off"
    )
    rules: RuleSet = Field(default_factory=RuleSet)
    explain: StrictBool = True
    legal_bids: LegalBids = None
    seed: Annotated[StrictInt, Field(ge=0, le=MAX_SEED)] | None = Field(
        default=None, description="of the lots that a level below 5 draws; left out, it follows from the position"
    )
    level: Annotated[StrictInt, Field(ge=1, le=5)] | None = Field(
        default=None, description="strength, 5 (or left out) full: a lower one misjudges hands as people do"
    )
    style: Style | None = Field(default=None, description="a policy's own where left out")


class BlindRequest(Contract):
    """A position before the hand is seen: the fields of `BidRequest` but those of a hand."""

    previous_bids: PreviousBids
    seat: Annotated[
        StrictInt, Field(ge=0, le=3, description="place in the bidding order; equals the number of previous bids")
    ]
    scores: Scores = Field(default_factory=Scores)
    convention: StrictStr = Field(default="none", description=_CONVENTION)
    policy: StrictStr = Field(default="bis", description="only bis ever bids blind nil")
    rules: RuleSet = Field(default_factory=RuleSet)
    seed: Annotated[StrictInt, Field(ge=0, le=MAX_SEED)] | None = Field(
        default=None, description="of the lot that decides in fourth seat; left out, it follows from the request"
    )


class BidsRequest(Contract):
    """Up to 512 requests; each fails alone."""

    requests: Annotated[
        list[SkipValidation[Any]],
        Field(max_length=MAX_ITEMS),
        WithJsonSchema({"type": "array", "items": {"$ref": "#/components/schemas/BidRequest"}, "maxItems": MAX_ITEMS}),
    ]


class Answer(BaseModel):
    """What callers get: fields may be added in later versions."""

    model_config = ConfigDict(extra="allow")


class Adjustment(Answer):
    """A step after the estimate that changed, or could have changed, the bid."""

    rule: str
    before: int
    after: int
    why: str


class Explanation(Answer):
    """The numbers that made the bid, enough to redo it by hand; which are there depends on the policy."""

    regular: dict[str, Any] | None = Field(
        default=None, description="regular takes: by suit, spades, ruffs, factor, estimate"
    )
    nil: dict[str, Any] | None = Field(
        default=None, description="nil value by suit, probability, expected points, threshold"
    )
    adjustments: list[Adjustment] = Field(default_factory=list)
    candidates: list[dict[str, Any]] = Field(default_factory=list, description="where the policy knows them")
    sentence: str


class BidAnswer(Answer):
    """One bid."""

    bid: Annotated[int, Field(ge=0, le=13)]
    kind: Literal["regular", "nil", "blind_nil"]
    policy: str
    tables: str = Field(description="version of the tables that made it")
    assumed: list[str] = Field(description="what the request left out, as dotted names")
    seed: int | None = Field(default=None, description="of the lots drawn; left out where none was")
    explanation: Explanation | None = Field(default=None, description="left out when explain is false")


class BlindExplanation(Answer):
    """Why; the numbers are there where the rules know blind nils at all."""

    rule: str = Field(description="the rule that spoke, for a blind nil or against one")
    p_ace_of_spades: float | None = Field(default=None, description="that the unseen hand holds it")
    p_made: float | None = Field(default=None, description="that a blind nil here is made; from self-play")
    expected_points: float | None = Field(default=None, description="of a blind nil, the side's contract aside")
    floor: float | None = Field(default=None, description="least p_made at which the policy bids it")
    frequency: float | None = Field(default=None, description="with which the rule bids it")
    lot: float | None = Field(default=None, description="drawn by the seed; a blind nil where it is below frequency")
    projected: dict[str, float] | None = Field(
        default=None, description="scores when all make regular bids, and the sum of the four bids; null after a nil"
    )
    sentence: str


class BlindAnswer(Answer):
    """Blind nil, or look."""

    blind_nil: bool
    policy: str
    tables: str = Field(description="version of the tables that made it")
    assumed: list[str] = Field(description="what the request left out, as dotted names")
    explanation: BlindExplanation


class FaultItem(Answer):
    """One fault of a request."""

    pointer: str = Field(description="JSON pointer (RFC 6901); empty: the whole body")
    code: str
    detail: str


class Problem(Answer):
    """An error answer (RFC 9457)."""

    type: str = Field(description="stable URI reference, such as /problems/invalid-request")
    title: str
    status: int
    detail: str
    errors: list[FaultItem] = Field(default_factory=list, description="every fault of the request, at most 64")


class ProblemTypeInfo(Answer):
    """What a problem's type means; codes are those of its `errors`."""

    type: str
    status: int
    title: str
    meaning: str
    codes: dict[str, str]


class BidsItem(Answer):
    """The answer to one request of many."""

    status: int
    body: BidAnswer | Problem


class BidsAnswer(Answer):
    """The answers, in the order of the requests."""

    answers: list[BidsItem]


class PolicyInfo(Answer):
    """A policy that may be asked for."""

    policy: str
    version: str
    description: str
    options: list[str]
    strength: str | None = Field(description="how it fares, with the page that says so; null: not measured yet")


class PoliciesAnswer(Answer):
    """The policies."""

    default: str
    policies: list[PolicyInfo]
    grades: dict[str, str] = Field(description="how a request colours any of them, by field")


class RuleField(Answer):
    """A rule field: its JSON type, which values are supported and the default."""

    type: str
    default: Any
    supported: str


class RulesAnswer(Answer):
    """Presets with all their values, the fields, and which of them a variant does not take."""

    default: str
    presets: dict[str, RuleSet]
    descriptions: dict[str, str] = Field(description="what each preset is")
    fields: dict[str, RuleField]
    fixed_by_variant: dict[str, dict[str, Any]] = Field(
        description="fields that take one value only in a variant; any other is refused as unsupported-rules"
    )


class Status(Answer):
    """Alive or ready."""

    status: Literal["ok", "ready"]


class TablesInfo(Answer):
    """The tables in use."""

    version: str
    sha256: str


class VersionAnswer(Answer):
    """Which code and which tables answer."""

    service: str
    python: str
    tables: TablesInfo | None = Field(description="null until they are mapped")

"""Answers: their fields, as typed dicts, so that type checking verifies them.

Clients must ignore fields that they don't know: later versions may add some.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from spades.bis.estimates import VOID_FACTOR
from spades.contract.fields import POLICY_PATTERN, BidderName
from spades.reasons import NUMBERS, REASONS, Number
from spades.round_review import GRADES

ANSWER_CONFIG = ConfigDict(extra="allow")
Assumed = Annotated[
    list[str],
    Field(
        description="The fields that the request left out, as dotted names. `rules.bag_limit=10, error 0.6` means: the "
        "win table in use was made for bag_limit 10 and not for these rules, so win probabilities are wrong by 0.6 "
        "percentage points on average. `error not measured`: the error is not known."
    ),
]
TablesVersion = Annotated[str, Field(description="Version of the tables that the answer was made with.")]
_Policy = Annotated[
    str,
    Field(
        description="The policy that decided, as the request named it; for best, its choice.", pattern=POLICY_PATTERN
    ),
]


# By suit: S, H, D, C. Not declared as fields: openapi-python-client would make a variable `d` from the key D, and the
# code that it generates already uses `d`.
Suits = dict[str, float]


@with_config(ANSWER_CONFIG)
class Regular(TypedDict):
    """How many tricks the hand takes.

    bis and winprob give the tricks of high cards, spades and ruffs. The other policies give the tricks of each suit.
    """

    estimate: Annotated[float, Field(description="Tricks.")]
    takes: Annotated[int, Field(description="The estimate as a whole number of tricks that can be bid.")]
    offset: Annotated[float, Field(description="Tricks added to the estimate by the policy's options or the rules.")]
    side_high: NotRequired[Annotated[Suits, Field(description="Tricks by high cards of hearts, diamonds and clubs.")]]
    spade_high: NotRequired[Annotated[float, Field(description="Tricks by high spades.")]]
    spade_long: NotRequired[Annotated[float, Field(description="Tricks by the length in spades.")]]
    ruffs: NotRequired[Annotated[float, Field(description="Tricks won with spades in short side suits (ruffs).")]]
    previous_bids_factor: NotRequired[Annotated[float, Field(description="Tricks added for the bids made so far.")]]
    suits: NotRequired[Annotated[Suits, Field(description="Tricks by suit.")]]
    shape: NotRequired[Annotated[float, Field(description="Tricks added for short suits.")]]


@with_config(ANSWER_CONFIG)
class Nil(TypedDict):
    """The reasons for and against a nil.

    If a nil is ruled out, the policy bids it only if no other bid is possible. winprob has two exceptions. It also
    considers a nil with four spades below the king. And if it would compare none of the bids in `legal_bids`, it
    compares all of them.
    """

    chosen: Annotated[bool, Field(description="Whether the policy wants a nil; later steps may still change the bid.")]
    cnil: NotRequired[Annotated[Suits, Field(description="By suit: probability that its 3 lowest cards win no trick.")]]
    void_factor: NotRequired[Annotated[float, Field(description=f"{VOID_FACTOR} with a void side suit, otherwise 1.")]]
    value: NotRequired[Annotated[float, Field(description="Product of the 4 `cnil` and `void_factor`, at most 1.")]]
    probability: NotRequired[Annotated[float, Field(description="Probability that the nil is made.")]]
    expected_points: NotRequired[Annotated[float, Field(description="Points that the nil itself wins on average.")]]
    threshold: NotRequired[
        Annotated[float | None, Field(description="Points that a nil must be worth. Null: not used by this policy.")]
    ]
    ruled_out: NotRequired[Annotated[str | None, Field(description="Why a nil is ruled out; null if it is not.")]]
    rule: NotRequired[Annotated[str, Field(description="The nil rule of rb, ms and io in words.")]]
    curve: NotRequired[
        Annotated[
            list[float],
            Field(description="With explain curve: the probability for values 0, 0.01, ... 1 in this auction."),
        ]
    ]


@with_config(ANSWER_CONFIG)
class Projected(TypedDict):
    """The scores if all four players make their bids."""

    us: float
    them: float
    sum_of_bids: float
    mean_bids: NotRequired[Annotated[list[float], Field(description="Mean bids of the players still to bid.")]]


@with_config(ANSWER_CONFIG)
class Adjustment(TypedDict):
    """A step after the estimate that changed the bid or its meaning, or could have changed the bid."""

    rule: str
    before: int
    after: int
    why: str
    projected: NotRequired[Projected]
    aggression: NotRequired[float]
    nil_bias: NotRequired[float]
    level: NotRequired[int]
    seed: NotRequired[int]


@with_config(ANSWER_CONFIG)
class Outcomes(TypedDict):
    """Probabilities of the outcomes of a bid; which ones are given depends on the nils that were bid."""

    made: Annotated[float, Field(description="The side makes its contract.")]
    set: Annotated[float, Field(description="The side fails its contract.")]
    bags: NotRequired[Annotated[float, Field(description="The contract is made with two bags or more.")]]
    nil_made: NotRequired[float]
    nil_failed: NotRequired[float]
    opponents_set: float
    opponents_nil_failed: NotRequired[float]


@with_config(ANSWER_CONFIG)
class Candidate(TypedDict):
    """One bid, with its win probability.

    A full explanation lists every bid that is allowed and legal. The policy compared only some of them.
    """

    bid: int
    p_win: Annotated[float, Field(description="Probability of winning the game with this bid.")]
    contract: Annotated[int, Field(description="The side's contract with this bid, tricks.")]
    opponents_contract: int
    outcomes: Outcomes


def reason_config(numbers: Mapping[str, Number]) -> ConfigDict:
    """Return the pydantic configuration for a type of reason. It adds each of ``numbers`` to the JSON schema."""

    def add(schema: dict[str, Any]) -> None:
        for name, number in numbers.items():
            description = f"{number.meaning} Unit: {number.unit}."
            schema["properties"][name] = {"type": number.json_type, "title": name, "description": description}

    return ConfigDict(extra="allow", json_schema_extra=add)


@with_config(reason_config(NUMBERS["bid"]))
class Reason(TypedDict):
    """A reason for the bid: its code, and the numbers in its sentence. GET /v1/reasons has the sentences."""

    code: Annotated[str, Field(json_schema_extra={"enum": list(REASONS["bid"])})]


@with_config(ANSWER_CONFIG)
class Explanation(TypedDict):
    """The reasons for the bid, and the numbers behind it, enough to redo it by hand.

    The policy decides which fields are present. With explain brief there are only `reasons` and `p_win`.
    """

    regular: NotRequired[Regular]
    nil: NotRequired[Nil]
    adjustments: NotRequired[list[Adjustment]]
    candidates: NotRequired[Annotated[list[Candidate], Field(description="winprob: every allowed legal bid.")]]
    inputs: NotRequired[
        Annotated[dict[str, float], Field(description="winprob: the scaled inputs of its network, by name.")]
    ]
    reasons: Annotated[list[Reason], Field(description="The most important first; brief: at most four.")]
    sentence: NotRequired[Annotated[str, Field(description="The sentences of the reasons, in English.")]]
    p_win: NotRequired[Annotated[float, Field(description="winprob: probability of winning the game with the bid.")]]


@with_config(ANSWER_CONFIG)
class BidAnswer(TypedDict):
    """One bid.

    `kind` is never blind_nil: POST /v1/bid/blind decides whether to bid it, before the hand is seen.
    """

    bid: Annotated[int, Field(ge=0, le=13, description="0 is nil.")]
    kind: Literal["regular", "nil", "blind_nil"]
    policy: _Policy
    tables: TablesVersion
    assumed: Assumed
    seed: NotRequired[Annotated[int, Field(description="Seed of the random numbers; left out if none were used.")]]
    explanation: NotRequired[Annotated[Explanation, Field(description="Left out when explain is false.")]]


@with_config(ANSWER_CONFIG)
class BlindNumber(TypedDict):
    """A number that may be bid blind, and the win probability of the side with it."""

    number: int
    p_win: float


@with_config(ANSWER_CONFIG)
class BlindExplanation(TypedDict):
    """The reasons of the decision; the figures of a blind nil are given if the rules allow one.

    The answer is blind nil if `lot` is below `frequency` and `p_made` is at least `floor`.
    """

    rule: Annotated[str, Field(description="The rule that decided.")]
    p_ace_of_spades: NotRequired[Annotated[float, Field(description="Probability that the hand has this card.")]]
    p_made: NotRequired[Annotated[float, Field(description="Probability that a blind nil is made; from self-play.")]]
    expected_points: NotRequired[Annotated[float, Field(description="Points that a blind nil itself wins on average.")]]
    floor: NotRequired[Annotated[float, Field(description="Smallest p_made at which the policy bids blind nil.")]]
    frequency: NotRequired[Annotated[float, Field(description="How often the rule bids blind nil.")]]
    lot: NotRequired[Annotated[float, Field(description="A random number from 0 to 1, made from the seed.")]]
    projected: NotRequired[Annotated[Projected | None, Field(description="Null if an earlier bid is a nil.")]]
    p_look: NotRequired[
        Annotated[float, Field(description="Win probability of a look, if blind numbers were compared with it.")]
    ]
    numbers: NotRequired[Annotated[list[BlindNumber], Field(description="The blind numbers that were compared.")]]
    sentence: str


@with_config(ANSWER_CONFIG)
class BlindAnswer(TypedDict):
    """A blind bid, or look at the hand."""

    blind_nil: bool
    blind_number: NotRequired[
        Annotated[
            int | None,
            Field(description="The number to bid blind; null: none. Only if the rules have a blind_min."),
        ]
    ]
    policy: _Policy
    tables: TablesVersion
    assumed: Assumed
    explanation: BlindExplanation


@with_config(reason_config(NUMBERS["card"]))
class CardReason(TypedDict):
    """Why the card is played: the player's goal in the round, what the card does, or what a search or a net found.

    GET /v1/reasons has the sentences.
    """

    code: Annotated[str, Field(json_schema_extra={"enum": list(REASONS["card"])})]
    sentence: str


@with_config(ANSWER_CONFIG)
class TriedCard(TypedDict):
    """A card that was tried on random deals.

    A card that is clearly worse is dropped early, so its number of deals is smaller. `p_win` is null if no deal was
    tried, because all legal cards are equivalent, or because no deal fits what is known.
    """

    card: str
    deals: Annotated[int, Field(description="Number of deals on which it was tried.")]
    p_win: Annotated[float | None, Field(description="Estimated win probability of the player's side after this card.")]


@with_config(ANSWER_CONFIG)
class SearchFigures(TypedDict):
    """What a search found."""

    deals: Annotated[int, Field(description="Random deals that were played.")]
    cards: Annotated[
        list[TriedCard],
        Field(
            description="Highest p_win first. The first is not always the card played: the card of "
            "the rules is kept unless another is clearly better. Equivalent cards are listed once."
        ),
    ]
    policy: Annotated[str, Field(description="The policy that all players were assumed to bid by.")]
    tables: TablesVersion


NotSearched = Literal["no-processes", "busy", "deadline", "failed", "rules", "level", "batch"]


@with_config(ANSWER_CONFIG)
class CardAnswer(TypedDict):
    """One card."""

    card: str
    player: Annotated[str, Field(description="The card player that decided, with its version.")]
    legal: Annotated[list[str], Field(description="The cards that may be played, lowest first.")]
    assumed: Assumed
    reasons: Annotated[list[CardReason], Field(description="The goal first, or what a search or the net found.")]
    seed: NotRequired[
        Annotated[int, Field(description="Seed of what a level below 5 forgets; left out if it forgets nothing.")]
    ]
    tables: NotRequired[
        Annotated[str, Field(description="Version of the tables, if the card player `distilled@1` decided.")]
    ]
    search: NotRequired[SearchFigures]
    not_searched: NotRequired[
        Annotated[
            NotSearched,
            Field(
                description="Why the player `best` did not search: the server has no search processes, they were all "
                "busy, the deadline was near, the search failed, no win table fits the rules, the level is below those "
                "that search, or the request came in a batch."
            ),
        ]
    ]


@with_config(ANSWER_CONFIG)
class PassReason(TypedDict):
    """Why a card is given, with the unseen cards of its suit."""

    code: Annotated[str, Field(json_schema_extra={"enum": list(REASONS["pass"])})]
    card: str
    above: Annotated[int, Field(description="Unseen cards of the suit that are higher.")]
    below: Annotated[int, Field(description="Unseen cards of the suit that are lower.")]
    sentence: str


@with_config(ANSWER_CONFIG)
class PassAnswer(TypedDict):
    """The cards to give partner."""

    cards: Annotated[list[str], Field(description="As many as the rules say: spades, hearts, diamonds, clubs.")]
    to: Annotated[int, Field(ge=0, le=3, description="The seat of the partner.")]
    reasons: Annotated[list[PassReason], Field(description="One for each card.")]


Grade = Literal[GRADES]  # type: ignore[valid-type]
NotReviewed = Literal["no-processes"]
_REVIEW_CODES = [*dict.fromkeys(code for one in ("review", "bid", "pass", "card") for code in REASONS[one])]


@with_config(ANSWER_CONFIG)
class ReviewReason(TypedDict):
    """A reason in a review: how the choice compares with the best one, then why the best choice is good.

    It has the numbers of its sentence, which addresses the player. GET /v1/reasons has the sentences.
    """

    code: Annotated[str, Field(json_schema_extra={"enum": _REVIEW_CODES})]
    sentence: str


@with_config(ANSWER_CONFIG)
class ReviewedDecision(TypedDict):
    """A bid, a pass or a card, judged by what its player could know at the time."""

    seat: Annotated[int, Field(ge=0, le=3)]
    kind: Literal["bid", "pass", "card"]
    choice: Annotated[
        str,
        Field(description="The choice: a number, nil or blind_nil; a card; or the cards given, with spaces between."),
    ]
    best: Annotated[str, Field(description="The best choice; the player's own if no other is clearly better.")]
    p_win: Annotated[
        float | None,
        Field(description="Probability that the player's side wins the game after the choice; null: not known."),
    ]
    best_p_win: Annotated[float | None, Field(description="The same after the best choice.")]
    loss: Annotated[float | None, Field(description="What the choice cost in win probability; null: not known.")]
    error: NotRequired[Annotated[float, Field(description="Standard error of the loss; left out if not measured.")]]
    grade: Annotated[
        Grade | None,
        Field(description="Null if there was no other choice, or if the loss is not known. `reasons` say which."),
    ]
    reasons: list[ReviewReason]


@with_config(ANSWER_CONFIG)
class ReviewSummary(TypedDict):
    """The grades of one player."""

    seat: Annotated[int, Field(ge=0, le=3)]
    graded: Annotated[int, Field(description="Number of decisions with a grade.")]
    grades: Annotated[dict[str, int], Field(description="Number of decisions by grade.")]
    mean_loss: Annotated[float, Field(description="Win probability lost by a graded decision on average.")]
    total_loss: Annotated[float, Field(description="Sum of these losses.")]


@with_config(ANSWER_CONFIG)
class ReviewAnswer(TypedDict):
    """What each decision of a round cost its player."""

    decisions: Annotated[list[ReviewedDecision], Field(description="In the order of time: bids, passes, cards.")]
    summary: Annotated[list[ReviewSummary], Field(description="By seat.")]
    cards_reviewed: bool
    not_reviewed: NotRequired[
        Annotated[NotReviewed, Field(description="Why the cards are not reviewed: the server does not search.")]
    ]
    policy: Annotated[str, Field(description="The policy that judged the bids.", pattern=POLICY_PATTERN)]
    player: NotRequired[Annotated[str, Field(description="The card player whose search judged the cards.")]]
    deals: NotRequired[Annotated[int, Field(description="Number of random deals on which each card was tried.")]]
    tables: TablesVersion
    assumed: Assumed


@with_config(ANSWER_CONFIG)
class InferenceItemAnswer(TypedDict):
    """Who may hold each card that the viewer cannot see."""

    seats: Annotated[
        dict[str, dict[str, float]],
        Field(
            description="By seat and card, the probability that the seat holds the card now. Cards that a seat cannot "
            "hold are left out. The probabilities of a card sum to 1, those of a seat to its number of cards."
        ),
    ]
    tables: TablesVersion
    policy: Annotated[BidderName, Field(description="The policy that all players are assumed to bid by.")]
    assumed: Annotated[
        list[str],
        Field(
            description="The fields that the request left out, as dotted names; and, as in `bids, not read in variant "
            "whiz`, that the bids were not used."
        ),
    ]


@with_config(ANSWER_CONFIG)
class InferenceAnswer(InferenceItemAnswer):
    """Who may hold each card that the viewer cannot see, and random deals of these cards."""

    deals: NotRequired[
        Annotated[
            list[dict[str, list[str]]],
            Field(description="Of each deal, by seat, the cards that it holds now; left out if deals is 0."),
        ]
    ]

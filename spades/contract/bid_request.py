"""Requests for a bid and for a blind bid, and their answers: POST /v1/bid, /v1/bid/blind and /v1/bids.

`BidRequest` and `BlindRequest` declare the fields; reading, faults and the OpenAPI document come from them. A null
counts as left out. `read_bid` and `read_blind` turn a JSON value into a call that the bidding code takes, or raise
`RequestError` with every fault at once. `bid_answer` and `blind_answer` decide a call and return the fields of
`answer_types` in the order of the contract.
"""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, Required

from pydantic import Field, StrictInt, TypeAdapter
from pydantic_core import core_schema
from typing_extensions import TypedDict

from spades.bidder import (
    BlindDecision,
    HandWithNumbers,
    decide,
    decide_blind,
    decide_blind_number,
    hands_with_numbers,
    numbers_to_bid_blind,
)
from spades.contract.answer_types import (
    BidAnswer,
    BlindAnswer,
)
from spades.contract.cards_and_bids import Hand, LegalBids, PreviousBids
from spades.contract.faults import Fault, RequestError, pointer, quote
from spades.contract.fields import (
    DEFAULT_POLICY,
    Convention,
    GameId,
    Level,
    OptionalRules,
    OptionalScores,
    Players,
    PolicyText,
    RoundId,
    RulesRead,
    ScoresRead,
    Seed,
    Style,
    TablesName,
    assumed_rules,
    fields_of,
    items_schema,
    read_batch,
    request_object,
    score_faults,
    scores_in,
    with_level_and_style,
    with_players,
)
from spades.explanations import success_curve
from spades.options import Policy
from spades.policies import BEST, POLICY_KINDS, SERVED, with_skill
from spades.position import BRIEF, EXPLAINED, NOT_EXPLAINED, Position
from spades.rules import FIELDS, VARIANTS, Rules, describe, seed_values
from spades.scoring import Standing
from spades.set_options import Bidder, SetOptions, bidder_of, plays_conventions
from spades.skill import decide_with_skill, position_seed
from spades.tableset import TableSet
from spades.winprob.games import SHIPPED, WON_VARIANTS, Games

MAX_ITEMS: Final = 512  # requests in one POST /v1/bids

_Seat = Annotated[
    Annotated[StrictInt, Field(ge=0, le=3)] | None,
    Field(
        description="Place in the bidding order: the number of previous bids. It may be left out; if it is present and "
        "wrong, the request is refused, because then a bid is missing or there is one too many."
    ),
]
_Policy = Annotated[
    PolicyText | None,
    Field(
        description=f"Who bids: {BEST} (the strongest for the rules), {', '.join(SERVED)}, with options as in "
        f"bis:endgame=off. Upper and lower case are equal. GET /v1/policies describes them. Default: {DEFAULT_POLICY}."
    ),
]
_Convention = Annotated[
    Convention | None,
    Field(
        description="The convention that both partners play. Upper and lower case are equal. Only bis plays "
        "conventions, and only in variant partnership. Default: the policy's option."
    ),
]


class _ExplainSchema:
    """The schema of `explain`: read as fast as a boolean, and with one fault for any other value."""

    def __get_pydantic_core_schema__(self, *_: Any) -> Any:
        return core_schema.union_schema(
            [core_schema.bool_schema(strict=True), core_schema.literal_schema(["brief", "curve"])],
            mode="left_to_right",
            custom_error_type="explain_type",
            custom_error_message="neither true, false, brief nor curve",
        )


_Explain = Annotated[
    Annotated[bool | Literal["brief", "curve"], _ExplainSchema()] | None,
    Field(
        description="The explanation in the answer. true: everything. false: none. brief: only the main reasons, and "
        "the win probability if the policy computes one. curve: like true, plus the success curve of a nil in this "
        "auction. Default: true."
    ),
]
CURVE: Final = "curve"  # a value of `explain`
WINPROB: Final = "winprob"  # the policy that decides about blind numbers
_CHANGES: Final = frozenset(("level", "style", "players"))  # fields that change the policy
_EXPLAIN: Final[dict[Any, int]] = {
    None: EXPLAINED,
    True: EXPLAINED,
    False: NOT_EXPLAINED,
    "brief": BRIEF,
    CURVE: EXPLAINED,
}


@request_object
class BidRequest(TypedDict, total=False):
    """One position: a hand, the bids before it, the score and the rules."""

    rules: OptionalRules
    hand: Required[Hand]
    previous_bids: Required[PreviousBids]
    seat: _Seat
    scores: OptionalScores
    convention: _Convention
    policy: _Policy
    explain: _Explain
    legal_bids: LegalBids
    seed: Annotated[
        Seed | None,
        Field(description="Seed of the random numbers of a level below 5. Default: made from the position."),
    ]
    level: Annotated[
        Level | None,
        Field(description="Strength: 5 is full strength, a lower level misjudges hands as people do. Default: 5."),
    ]
    style: Annotated[Style | None, Field(description="Bid more or fewer tricks or nils. Default: the policy's own.")]
    players: Annotated[
        Players | None,
        Field(description="How the other players bid, as far as it is known. winprob uses it. Default: unknown."),
    ]
    tables: TablesName
    game: GameId
    round_id: RoundId


@request_object
class BlindRequest(TypedDict, total=False):
    """A position before the hand is seen."""

    rules: OptionalRules
    previous_bids: Required[PreviousBids]
    seat: _Seat
    scores: OptionalScores
    convention: _Convention
    policy: _Policy
    seed: Annotated[
        Seed | None,
        Field(description="Seed that decides whether the fourth seat bids blind nil. Default: made from the request."),
    ]
    tables: TablesName
    game: GameId


@request_object
class BidsRequest(TypedDict):
    """Up to 512 requests; a request with a fault gets its own error and does not affect the others."""

    # Each request is read separately, so that its faults do not affect the others.
    requests: Annotated[list[Any], Field(max_length=MAX_ITEMS), items_schema("BidRequest", MAX_ITEMS)]


_BID = TypeAdapter[BidRequest](BidRequest).validator.validate_python
_BIDS: Final = TypeAdapter[BidsRequest](BidsRequest).validator.validate_python
_BLIND = TypeAdapter[BlindRequest](BlindRequest).validator.validate_python


class BidCall(NamedTuple):
    """A request that can be decided. ``base`` and ``convention`` are the metrics' labels."""

    position: Position
    policy: Policy  # with the request's level, style and players
    policy_text: str  # policy text that decides; for `best` not the text in the request
    base: str  # the name in it
    convention: str
    legal: tuple[int, ...] | None
    explain: int  # position.NOT_EXPLAINED, EXPLAINED or BRIEF
    assumed: list[str]  # what the request left out
    seed: int = 0  # of the policy's random numbers, if it uses any
    curve: bool = False  # whether the explanation has the success curve


class _Common(NamedTuple):
    """What a request for a bid and one for a blind nil have in common."""

    fields: dict[str, Any]  # of the request, as pydantic reads them
    rules: Rules  # in force
    bidder: Bidder  # the policy that decides
    scores: ScoresRead
    assumed: list[str]  # what the request left out
    numbers: Bidder | None  # who compares blind numbers with a look; None: nobody


class BlindCall(NamedTuple):
    """A request before the hand is seen. ``seed`` None: made from the request."""

    bids: tuple[int, ...]
    standing: Standing
    rules: Rules
    bidder: Bidder
    assumed: list[str]  # what the request left out
    seed: int | None
    numbers: Bidder | None  # who compares blind numbers with a look; None: nobody


def read_bid(data: Any, games: Games = SHIPPED, options: SetOptions = ()) -> BidCall:
    """Read a request for a bid. Raises `RequestError`.

    ``games``: those that have a win table; ``options``: what the table set gives to policies.
    """
    read = _read(data, _BID, games, options)
    fields, bidder, assumed = read.fields, read.bidder, read.assumed
    policy = bidder.policy
    if not _CHANGES.isdisjoint(fields):
        policy = _changed(policy, fields)
    position = Position(
        hand=fields["hand"],
        bids=fields["previous_bids"],
        standing=read.scores.standing,
        rules=read.rules,
        seat_scores=read.scores.seat_scores,
    )
    stated_seed, seed = fields.get("seed"), 0
    if policy.noise_sd:
        if stated_seed is None:
            assumed.append("seed")
        seed = position_seed(position) if stated_seed is None else stated_seed
    explain = fields.get("explain")
    return BidCall(
        position=position,
        policy=policy,
        policy_text=bidder.text,
        base=bidder.base,
        convention=bidder.convention,
        legal=fields.get("legal_bids"),
        explain=_EXPLAIN[explain],
        assumed=assumed,
        seed=seed,
        curve=explain == CURVE,
    )


def _changed(policy: Policy, fields: Mapping[str, Any]) -> Policy:
    """Return ``policy`` with the request's level, style and players."""
    level, style, players = map(fields.get, ("level", "style", "players"))
    if level is not None or style is not None:
        policy = with_level_and_style(policy, level, style)
    return policy if players is None else with_players(policy, players)


def read_blind(data: Any, games: Games = SHIPPED, options: SetOptions = ()) -> BlindCall:
    """Read a request for a blind bid; arguments: see `read_bid`. Raises `RequestError`."""
    read = _read(data, _BLIND, games, options, blind=True)
    return BlindCall(
        bids=read.fields["previous_bids"],
        standing=read.scores.standing,
        rules=read.rules,
        bidder=read.bidder,
        assumed=read.assumed,
        seed=read.fields.get("seed"),
        numbers=read.numbers,
    )


def _read(data: Any, validate: Any, games: Games, options: SetOptions, blind: bool = False) -> _Common:
    """Read a request with ``validate``, and find its policy and its score. Raises `RequestError`.

    ``blind``: the request is about a blind bid. Then the policy is that of blind nils, which is never `winprob` for
    `best`; `numbers` is that of blind numbers.
    """
    fields = fields_of(data, validate)
    faults, rules, data = fields.faults, fields.rules.rules, fields.data
    if faults:
        refused = {fault.pointer for fault in faults}
        # Without the fields that could not be read at all.
        data = {name: value for name, value in data.items() if pointer(name) not in refused}
    policy, convention = data.get("policy"), data.get("convention")
    text = policy or DEFAULT_POLICY
    has_win_table = text.startswith(BEST) and not blind and _has_win_table(fields.rules, games)
    bidder = bidder_of(text, convention, rules.variant, has_win_table, options)
    conflicts = conflicts_in(data, fields.rules, bidder, games)
    if faults or conflicts:
        known = {(fault.pointer, fault.code) for fault in faults}
        raise RequestError(faults + [fault for fault in conflicts if (fault.pointer, fault.code) not in known])
    scores = scores_in(fields.values, rules, data, len(fields.values["previous_bids"]))
    assumed = scores.assumed
    if policy is None:
        assumed.append("policy")
    if convention is None:
        assumed.append("convention")
    numbers = None
    if blind and rules.blind_min and (bidder.needs_win_table or _has_win_table(fields.rules, games)):
        numbers = _bidder_of_numbers(text, rules, options)
    if bidder.needs_win_table or numbers is not None:
        assumed += assumed_rules(rules, games)
    return _Common(fields=fields.values, rules=rules, bidder=bidder, scores=scores, assumed=assumed, numbers=numbers)


def _bidder_of_numbers(text: str, rules: Rules, options: SetOptions) -> Bidder | None:
    """Return who compares blind numbers with a look: `winprob`, with the options of the policy ``text``, or nobody."""
    bidder = bidder_of(text, None, rules.variant, True, options)
    return bidder if bidder.base == WINPROB and not bidder.policy.ignores_rules else None


def _has_win_table(read: RulesRead, games: Games) -> bool:
    """Return whether the rules have a win table, or a similar one that the request accepts."""
    nearest = games.nearest(read.rules)
    return nearest is not None and (read.approximate or not nearest.instead)


def conflicts_in(data: Mapping[str, Any], read: RulesRead, bidder: Bidder, games: Games) -> list[Fault]:
    """Return the faults of fields that are valid separately, but not together. ``data`` holds only valid fields."""
    faults, rules = [], read.rules
    previous, seat = data.get("previous_bids"), data.get("seat")
    if previous is not None and seat is not None and seat != len(previous):
        bids = len(previous)
        detail = f"seat is {seat} after {bids} previous bid{'s' * (bids != 1)}; accepted: {bids}, or leave seat out"
        faults.append(Fault("/seat", "seat-mismatch", detail))
    scores = data.get("scores")
    if scores is not None:
        faults += score_faults(scores, rules)
    if not bidder.plays_convention:
        faults.append(_convention_fault(data.get("policy") or DEFAULT_POLICY, bidder.convention, rules))
    if bidder.needs_win_table:
        nearest = games.nearest(rules)
        if nearest is None:
            accepted = " or ".join(json.dumps(VARIANTS[variant]) for variant in WON_VARIANTS)
            faults.append(_no_win_table("variant", rules, bidder, accepted))
        elif nearest.instead and not read.approximate:
            for field, number in nearest.instead:
                accepted = json.dumps(FIELDS[field].values.json_of(number))
                faults.append(_no_win_table(field, rules, bidder, f"{accepted}, or any with approximate: true"))
    return faults


def _no_win_table(field: str, rules: Rules, bidder: Bidder, accepted: str) -> Fault:
    value = json.dumps(describe(rules)[field])
    detail = f"{field} is {value}, for which policy {bidder.base} has no win table; accepted: {accepted}"
    return Fault(pointer("rules", field), "unsupported-rules", detail)


def _convention_fault(policy: str, convention: str, rules: Rules) -> Fault:
    if not plays_conventions(policy):
        players = ", ".join(kind.name for kind in POLICY_KINDS if "convention" in kind.options)
        detail = (
            f"convention is {convention} with policy {quote(policy)}; accepted: none, because only {players} plays one"
        )
    else:
        detail = f"convention is {convention} with variant {VARIANTS[rules.variant]}; accepted: none in this variant"
    return Fault("/convention", "unsupported-convention", detail)


def read_bids(data: Any) -> list[Any]:
    """Return the unread requests in the body of a batch. Raises `RequestError`."""
    return read_batch(data, _BIDS)


# ---- the answer ------------------------------------------------------------------------------------------------------


_SEEDED: Final = Policy._fields.index("level")  # a blind nil's seed has the policy's fields before this one


def bid_answer(call: BidCall, tables: TableSet, version: str) -> BidAnswer:
    """Decide a bid; return the answer. ``version``: of the tables, as the answer names it."""
    policy = call.policy
    if policy.level:
        decision = decide_with_skill(call.position, policy, tables, call.legal, call.explain, call.seed)
    else:
        decision = decide(call.position, policy, tables, call.legal, call.explain)
    answer: BidAnswer = {
        "bid": decision.bid,
        "kind": decision.kind,
        "policy": call.policy_text,
        "tables": version,
        "assumed": call.assumed,
    }
    if policy.noise_sd:
        answer["seed"] = call.seed
    explanation = decision.explanation
    if explanation is not None:
        if call.curve and "probability" in explanation["nil"]:
            explanation["nil"]["curve"] = success_curve(call.position, policy, tables)
        answer["explanation"] = explanation  # type: ignore[typeddict-item]  # tests check its fields
    return answer


def decide_blind_nil(call: BlindCall, tables: TableSet) -> BlindDecision:
    """Decide whether to bid blind nil. Without a seed, one is made from the request, the same in every process."""
    standing, rules, seed = call.standing, call.rules, call.seed
    # Level and style apply to a hand, which has not been seen yet.
    policy = with_skill(call.bidder.policy._replace(level=0, aggression=0.0, nil_bias=0.0))
    if seed is None:
        content = (*call.bids, *standing, *seed_values(rules), *policy[:_SEEDED])
        seed = zlib.crc32(repr(content).encode())
    return decide_blind(call.bids, standing.us, standing.them, rules, policy, seed, tables)


def steps_to_number(
    call: BlindCall, decided: BlindDecision, tables: TableSet
) -> Iterator[Callable[[], HandWithNumbers]]:
    """Return the steps of a decision about blind numbers (`hands_with_numbers`); none if there is nothing to decide.

    ``decided``: from `decide_blind_nil`.
    """
    if call.numbers is None or decided.blind_nil or not numbers_to_bid_blind(call.bids, call.standing, call.rules):
        return iter(())
    return hands_with_numbers(call.bids, call.standing, call.rules, call.numbers.policy, tables)


def with_number(call: BlindCall, decided: BlindDecision, hands: Sequence[HandWithNumbers]) -> BlindDecision:
    """Return the decision about blind nils and numbers; ``hands``: the results of all steps."""
    return decide_blind_number(decided, call.bids, call.standing, call.rules, hands) if hands else decided


def decide_blind_bid(call: BlindCall, tables: TableSet) -> BlindDecision:
    """Decide whether to bid blind nil or a number."""
    decided = decide_blind_nil(call, tables)
    return with_number(call, decided, [step() for step in steps_to_number(call, decided, tables)])


def decider_of_blind(call: BlindCall, decision: BlindDecision) -> Bidder:
    """Return the policy that decided: that of blind numbers if they were compared with a look."""
    return call.numbers if call.numbers is not None and "numbers" in decision.explanation else call.bidder


def blind_answer(call: BlindCall, decision: BlindDecision, version: str) -> BlindAnswer:
    """Return the answer with a decision of `decide_blind_bid`. ``version``: of the tables."""
    number: dict[str, int | None] = {"blind_number": decision.number} if call.rules.blind_min else {}
    return {
        "blind_nil": decision.blind_nil,
        **number,  # type: ignore[typeddict-item]
        "policy": decider_of_blind(call, decision).text,
        "tables": version,
        "assumed": call.assumed,
        "explanation": decision.explanation,
    }

"""Fields that several requests share: rules, scores, who bids and how, the tables, and the names of a game and round.

The other fields of a request depend on the rules, which determine the deck and the possible bids. So `rules` is read
first and put into the `Context`, which the validators of the other fields get. Faulty rules are read as far as
possible, so that the same answer can list the faults of the other fields.
"""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeAlias

import orjson
from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    with_config,
)
from typing_extensions import TypedDict

from spades.contract.faults import (
    TABLE_OF_FOUR,
    Fault,
    Place,
    joined,
    json_type,
    lines_of,
    pointer,
    quote,
    refusal,
    rule_line,
)
from spades.errors import PolicyError, RulesError
from spades.inference.holders import BIDDERS
from spades.options import CONVENTIONS, FULL_LEVEL, PLAYER_KINDS, Policy
from spades.policies import BEST, SERVED, decider_of, parse_policy, with_skill
from spades.position import is_over
from spades.rules import CUTTHROAT, FIELDS, PRESETS, VARIANTS, Flag, Integer, Rule, Rules, make_rules
from spades.winprob.games import Games
from spades.winprob.nearest_errors import ERRORS

DEFAULT_PRESET: Final = "classic"
CLASSIC: Final = PRESETS[DEFAULT_PRESET]
REQUEST_CONFIG = ConfigDict(extra="forbid", strict=True)  # of every object that callers send


class Context:
    """The data that the validators of one request share."""

    rules = CLASSIC  # in force, as far as they could be read
    approximate = True  # whether a win table for similar rules may be used


def _type_of(rule: Rule) -> Any:
    """Return the type of a rule, with null: the preset's value, unless null is one of the rule's own values."""
    values = rule.values
    if isinstance(values, Flag):
        accepted: Any = StrictBool
    elif isinstance(values, Integer):
        accepted = Annotated[StrictInt, Field(ge=values.low, le=values.high)]
    else:
        accepted = Literal[values.json_words]
    otherwise = "Default: the preset's value."
    return Annotated[accepted | None, Field(description=f"{rule.meaning} {otherwise}")]


_Preset: Any = Annotated[
    Literal[tuple(PRESETS)] | None,
    Field(description=f"The rule set that the other fields change. Default: {DEFAULT_PRESET}."),
]
_Approximate: Any = Annotated[
    StrictBool | None,
    Field(
        description="Whether a policy that needs a win table may use the one for the most similar rules. If it does, "
        "`assumed` names the rules that differ. Default: true."
    ),
]
_FIELDS = {"preset": _Preset, "approximate": _Approximate, **{name: _type_of(rule) for name, rule in FIELDS.items()}}
RuleSet: Any = with_config(REQUEST_CONFIG)(TypedDict("RuleSet", _FIELDS, total=False))  # type: ignore[operator]
RuleSet.__doc__ = (
    "A preset and the rules that differ from it. GET /v1/rules lists all with what each accepts. Upper and lower case "
    "are equal."
)
_VALIDATE = TypeAdapter[dict[str, Any]](RuleSet).validator.validate_python


# Rules that were read before, by their JSON text, because reading them takes longer than any other field. Few rule sets
# are in use. When this cache is full, other rules are read each time.
_KNOWN: dict[bytes, tuple[Rules, bool]] = {}
_MOST_KNOWN: Final = 1024
_MOST_KNOWN_BYTES: Final = 1024  # longest text; longer rules are useless


def _read(given: Any, info: ValidationInfo[Context]) -> Rules:
    """Return the rules in force; they are put into the context even if some rules are refused."""
    try:
        text = orjson.dumps(given)
    except orjson.JSONEncodeError:  # nested too deeply, although rules are not nested
        text = b""
    context = info.context
    if text in _KNOWN:
        context.rules, context.approximate = _KNOWN[text]
        return context.rules
    lines = []
    try:
        fields = _VALIDATE(given)
    except ValidationError as error:
        if type(given) is not dict:
            raise
        lines = lines_of(error)
        broken = {line["loc"][0] for line in lines}
        fields = {name: value for name, value in given.items() if name not in broken}
    try:
        rules = _made(fields)
    except RulesError as error:  # each value is supported, but not the combination
        lines.append(rule_line(error.field, str(error)))
        rules = PRESETS[fields.get("preset") or DEFAULT_PRESET]
    context.rules, context.approximate = rules, fields.get("approximate") is not False
    if lines:
        raise joined(lines)
    if len(_KNOWN) < _MOST_KNOWN and len(text) <= _MOST_KNOWN_BYTES:
        _KNOWN[text] = rules, context.approximate
    return rules


def _made(fields: Mapping[str, Any]) -> Rules:
    overrides = {name: value for name, value in fields.items() if value is not None or takes_null(name)}
    overrides.pop("approximate", None)
    return make_rules(overrides.pop("preset", DEFAULT_PRESET), overrides)


def takes_null(name: str) -> bool:
    """Return whether null is a value of the rule ``name``: no losing goal, no largest contract."""
    return name in FIELDS and getattr(FIELDS[name].values, "null", None) is not None


# A plain validator, because a wrap validator would make an object for each request.
RulesInForce: TypeAlias = Annotated[Any, PlainValidator(_read, json_schema_input_type=RuleSet)]
OptionalRules = Annotated[RulesInForce | None, Field(description="The rules of the game. Default: preset classic.")]


SCORE_LIMIT: Final = 10_000  # points, either way
MAX_BAGS: Final = 99
SIDE_FIELDS: Final = ("us", "them", "us_bags", "them_bags")  # in games of two sides
SEAT_FIELDS: Final = ("seats", "bags")  # in games of four seats
_SIDE_BAGS: Final = ("us_bags", "them_bags")
NO_SCORES: Final = (0, 0, 0, 0)
FourInts: TypeAlias = tuple[int, int, int, int]
_NOTHING: Final[dict[str, Any]] = {}


def bags_below(rules: Rules) -> int:
    """Return the number of bags that a side never reaches, because the penalty removes them at that number."""
    return rules.bag_limit if rules.bags else MAX_BAGS + 1


def four_numbers(name: str, values: Any, low: int, high: int) -> FourInts | None:
    """Read four numbers of the field ``name``, one for each seat in bidding order; None for null."""
    if values is None:
        return None
    faults: list[tuple[Place, str, str]] = []
    if type(values) is not list:
        faults.append(((), "wrong-type", f"{name} is {json_type(values)}; accepted: an array"))
    elif len(values) != 4:
        code = "missing-field" if len(values) < 4 else "too-many-items"
        faults.append(((), code, f"{name} has {len(values)} numbers; accepted: 4, first bidder first, {TABLE_OF_FOUR}"))
    else:
        for index, value in enumerate(values):
            where = f"{name}.{index}"
            if type(value) is not int:
                faults.append(((index,), "wrong-type", f"{where} is {json_type(value)}; accepted: an integer"))
            elif not low <= value <= high:
                faults.append(((index,), "out-of-range", f"{where} is {value}; accepted: {low}..{high}"))
    if faults:
        raise refusal(*faults)
    return values[0], values[1], values[2], values[3]


def _read_seats(values: Any, info: ValidationInfo[Context]) -> Any:
    """Return the points of four seats. In games of two sides, return them unread: `score_faults` refuses them."""
    rules = info.context.rules
    return four_numbers("scores.seats", values, -SCORE_LIMIT, SCORE_LIMIT) if rules.variant == CUTTHROAT else values


def _read_bags(values: Any, info: ValidationInfo[Context]) -> Any:
    rules = info.context.rules
    return four_numbers("scores.bags", values, 0, bags_below(rules) - 1) if rules.variant == CUTTHROAT else values


def _four_schema(what: str, low: int, high: int) -> WithJsonSchema:
    numbers = {"type": "integer", "minimum": low, "maximum": high}
    return WithJsonSchema(
        {
            "anyOf": [{"type": "array", "items": numbers, "minItems": 4, "maxItems": 4}, {"type": "null"}],
            "description": f"Variant cutthroat: {what} of the four seats, first bidder first. Default: four times 0.",
        }
    )


_Points = Annotated[StrictInt, Field(ge=-SCORE_LIMIT, le=SCORE_LIMIT)]
_Bags = Annotated[StrictInt, Field(ge=0, le=MAX_BAGS)]
_FOUR_POINTS = _four_schema("points", -SCORE_LIMIT, SCORE_LIMIT)
_FOUR_BAGS = _four_schema("bags since the last penalty", 0, MAX_BAGS)
_BAGS = "since the last penalty, fewer than rules.bag_limit. Default: 0."


@with_config(REQUEST_CONFIG)
class Scores(TypedDict, total=False):
    """The score before the round: of two sides, or with variant cutthroat of the four seats."""

    us: Annotated[_Points | None, Field(description="Points of the bidder's side. Default: 0.")]
    them: Annotated[_Points | None, Field(description="Points of the other side. Default: 0.")]
    us_bags: Annotated[_Bags | None, Field(description=f"Bags of the bidder's side {_BAGS}")]
    them_bags: Annotated[_Bags | None, Field(description=f"Bags of the other side {_BAGS}")]
    seats: Annotated[FourInts | None, PlainValidator(_read_seats), _FOUR_POINTS]
    bags: Annotated[FourInts | None, PlainValidator(_read_bags), _FOUR_BAGS]


OptionalScores = Annotated[Scores | None, Field(description="The score before the round. Default: all 0.")]


def score_faults(scores: Any, rules: Rules) -> list[Fault]:
    """Return the faults of `scores` that depend on the rules.

    These are too many bags, points after which the game is over, and fields of no use in the variant.
    """
    if type(scores) is not dict:
        return []
    faults = _game_over_faults(scores, rules)
    value_of, solo = scores.get, rules.variant == CUTTHROAT
    if rules.bags:
        below = rules.bag_limit
        for field in _SIDE_BAGS:
            bags = value_of(field)
            if type(bags) is int and bags >= below and bags <= MAX_BAGS:
                accepted = f"0..{below - 1}, because the penalty comes at rules.bag_limit"
                detail = f"scores.{field} is {bags}; accepted: {accepted}"
                faults.append(Fault(f"/scores/{field}", "out-of-range", detail))
    for field in SIDE_FIELDS if solo else SEAT_FIELDS:
        if value_of(field) is not None:
            fields = SEAT_FIELDS if solo else SIDE_FIELDS
            accepted = f"{', '.join(fields)} with variant {VARIANTS[rules.variant]}"
            detail = f"scores.{field} has no meaning in this variant; accepted: {accepted}"
            faults.append(Fault(pointer("scores", field), "unsupported-field", detail))
    return faults


def _game_over_faults(scores: Mapping[str, Any], rules: Rules) -> list[Fault]:
    """Return a fault for each score that is at or beyond a goal if the game is over."""
    solo = rules.variant == CUTTHROAT
    points: Any = scores.get("seats") if solo else (scores.get("us") or 0, scores.get("them") or 0)
    if type(points) not in (list, tuple) or any(type(value) is not int for value in points):
        return []  # missing, or of a wrong form
    if len(points) != (4 if solo else 2) or not is_over(points, rules):
        return []
    faults = []
    low, high = max(rules.lose + 1, -SCORE_LIMIT), rules.win - 1
    tie = "a highest score that two seats share" if solo else "the same points for both sides"
    for place, value in enumerate(points):
        if not low <= value <= high:
            where: Place = ("scores", "seats", place) if solo else ("scores", SIDE_FIELDS[place])
            goal = f"{rules.win} (rules.win)" if value > high else f"{rules.lose} (rules.lose)"
            detail = f"{'.'.join(map(str, where))} is {value}, but the game ends at {goal}; accepted: {low}..{high}"
            faults.append(Fault(pointer(*where), "out-of-range", f"{detail}, or {tie}"))
    return faults


def scores_in(request: Mapping[str, Any], rules: Rules, data: Mapping[str, Any]) -> tuple[list[Any], list[str]]:
    """Return the values of SIDE_FIELDS, or in cutthroat of SEAT_FIELDS, and the missing fields of rules and scores."""
    assumed = []
    given = data.get("rules")
    if given is None or given.get("preset") is None:
        assumed.append("rules.preset")
    scores = request.get("scores")
    solo = rules.variant == CUTTHROAT
    if scores is None:
        assumed.append("scores")
        scores = _NOTHING
    names = SEAT_FIELDS if solo else SIDE_FIELDS
    values: list[Any] = [*map(scores.get, names)]
    if None in values:
        if scores is not _NOTHING:
            assumed += [f"scores.{name}" for name, value in zip(names, values, strict=True) if value is None]
        none = NO_SCORES if solo else 0
        values = [none if value is None else value for value in values]
    return values, assumed


POLICIES: Final = (BEST, *SERVED)
DEFAULT_POLICY: Final = "bis"
POLICY_CHARS: Final = 200
POLICY_PATTERN: Final = f"^({'|'.join(POLICIES)})(:.*)?$"


def policy_fault(text: str) -> str | None:
    """Return why ``text`` is not a policy of the service; None if it is one."""
    if len(text) > POLICY_CHARS:
        return f"policy has {len(text)} characters; accepted: at most {POLICY_CHARS}"
    base = text.partition(":")[0]
    if base not in POLICIES:
        return f"policy is {quote(base)}; accepted: {', '.join(POLICIES)}, each with options or without"
    try:
        parse_policy(decider_of(text, True))
    except PolicyError as error:
        return str(error)
    return None


@lru_cache(maxsize=1024)  # keeps accepted texts only; for these, pydantic runs no Python function
def _accepted(text: str) -> str:
    fault = policy_fault(text)
    if fault is None:
        return text
    raise refusal(((), "unknown-policy", fault))


PolicyText = Annotated[
    StrictStr,
    AfterValidator(_accepted),
    WithJsonSchema({"type": "string", "pattern": POLICY_PATTERN, "maxLength": POLICY_CHARS, "examples": ["bis"]}),
]
Convention = Literal[CONVENTIONS]  # type: ignore[valid-type]
Level = Annotated[StrictInt, Field(ge=1, le=FULL_LEVEL)]
_Leaning = Annotated[StrictFloat, Field(ge=-1, le=1)]
_OWN = "Default: the policy's own."


@with_config(REQUEST_CONFIG)
class Style(TypedDict, total=False):
    """A preference added to a policy; 0: no preference."""

    aggression: Annotated[_Leaning | None, Field(description=f"Bid fewer tricks (-1) or more (1). {_OWN}")]
    nil_bias: Annotated[_Leaning | None, Field(description=f"Bid fewer nils (-1) or more (1). {_OWN}")]


_Kind = Literal[PLAYER_KINDS]  # type: ignore[valid-type]
_UNKNOWN = "Default: unknown, or what the policy's option says."


@with_config(REQUEST_CONFIG)
class Players(TypedDict, total=False):
    """How the others bid: like `bis`, by simple counts like `rb` and `ms`, like `winprob`, or weakly."""

    left: Annotated[_Kind | None, Field(description=f"The opponent who bids next. {_UNKNOWN}")]
    partner: Annotated[_Kind | None, Field(description=f"The partner. {_UNKNOWN}")]
    right: Annotated[_Kind | None, Field(description=f"The opponent who bids before. {_UNKNOWN}")]


def with_players(policy: Policy, players: Players) -> Policy:
    """Return ``policy`` with what the request says about the other players."""
    known = {place: PLAYER_KINDS.index(str(kind)) for place, kind in players.items() if kind is not None}
    return policy._replace(**known)


def with_level_and_style(policy: Policy, level: int | None, style: Style | None) -> Policy:
    """Return ``policy`` with the request's `level` and `style`; parts that are left out stay as the policy has them."""
    changes: dict[str, Any] = {}
    if level is not None:
        changes["level"] = level
    for name, value in (style or {}).items():
        if value is not None:
            changes[name] = float(value) + 0.0  # type: ignore[arg-type]  # not -0.0, which the answer would show
    return with_skill(policy._replace(**changes))


MAX_ID_CHARS: Final = 128  # as in a log of games (docs/reference/game-log.md)

Id = Annotated[StrictStr, Field(min_length=1, max_length=MAX_ID_CHARS)]  # of a round or a game
RoundId = Annotated[
    Id | None,
    Field(
        description="The caller's name for the round, the same in all requests and results of a round and in no other. "
        "It is used only if the operator has set a decision log. It must not name a person."
    ),
]


TablesName = Annotated[
    StrictStr | None,
    Field(
        description="Version of the tables that decide, one of table_sets in GET /version; for A/B tests. Default: "
        "chosen by the service.",
        examples=["2026.11.9+fedcf0a0"],
    ),
]
GameId = Annotated[
    Id | None,
    Field(
        description="The caller's name for the game, the same in all its rounds. While new tables are tried on a share "
        "of the callers, all requests of a game get the same tables. Default: the API key counts as one game."
    ),
]


def unknown_tables(version: str, accepted: Iterable[str]) -> Fault:
    """Return the fault of a request that names tables which are not open."""
    return Fault("/tables", "unknown-tables", f"tables is {quote(version)}; accepted: {', '.join(sorted(accepted))}")


def assumed_rules(rules: Rules, games: Games) -> list[str]:
    """Return the texts in `assumed` for the rules in which the nearest win table differs.

    A win table must exist for ``rules``.
    """
    nearest = games.nearest(rules)
    assert nearest is not None, "the reader of the request refuses such rules"
    return [_differing_rule_text(field, number) for field, number in nearest.instead]


def _differing_rule_text(field: str, number: int) -> str:
    """Return how `assumed` names a rule of the nearest win table.

    >>> _differing_rule_text("bag_limit", 10).partition(",")[0]
    'rules.bag_limit=10'
    """
    error = f"error {ERRORS[field]}" if field in ERRORS else "error not measured"
    return f"rules.{field}={json.dumps(FIELDS[field].values.json_of(number))}, {error}"


DEFAULT_BIDDER: Final = BIDDERS[0]
BidderName = Literal[BIDDERS]  # type: ignore[valid-type]

"""Fields that several requests share: rules, scores, who bids and how, the tables, and the names of a game and round.

The other fields of a request depend on the rules, which determine the deck and the possible bids. So `read_rules` reads
them first, and the validators of the other fields get them as pydantic's context. Faulty rules are read as far as
possible, so that the same answer can list the faults of the other fields. Other spellings of a request's values are
tried only after the canonical ones have failed.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    PlainValidator,
    SkipValidation,
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

from spades.bis.cutthroat import own_and_best
from spades.contract.faults import (
    FIELD_NAMES,
    MODELS,
    REQUIRED,
    TABLE_OF_FOUR,
    Fault,
    Place,
    RequestError,
    faults_in,
    is_huge,
    json_type,
    pointer,
    quote,
    refusal,
)
from spades.errors import PolicyError, RulesError
from spades.inference.holders import BIDDERS
from spades.levels import LARGEST_SEED
from spades.options import CONVENTIONS, FULL_LEVEL, PLAYER_KINDS, Policy
from spades.policies import BEST, SERVED, decider_of, parse_policy, with_skill
from spades.position import NO_SCORES
from spades.rules import CUTTHROAT, FIELDS, PRESETS, VARIANTS, Flag, Integer, Rule, Rules, make_rules
from spades.scoring import MAX_BAGS, SCORE_LIMIT, START, Standing, accepted_bags, bags_below, scores_beyond_goals
from spades.winprob.games import Games, nearest_errors

DEFAULT_PRESET: Final = "classic"
CLASSIC: Final = PRESETS[DEFAULT_PRESET]
T = TypeVar("T")


def request_object(model: type[T]) -> type[T]:
    """Make a `TypedDict` an object that callers send: unknown fields and other JSON types are refused."""
    FIELD_NAMES[model.__name__] = tuple(model.__annotations__)
    nameless: frozenset[str] = model.__required_keys__ - REQUIRED.keys()  # type: ignore[attr-defined]
    assert not nameless, f"faults.REQUIRED says what each required field holds; it lacks {sorted(nameless)}"
    return with_config(ConfigDict(extra="forbid", strict=True))(model)


# ---- rules -----------------------------------------------------------------------------------------------------------


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
RuleSet: Any = request_object(TypedDict("RuleSet", _FIELDS, total=False))  # type: ignore[operator]
RuleSet.__doc__ = (
    "A preset and the rules that differ from it. GET /v1/rules lists all with what each accepts. Upper and lower case "
    "are equal."
)
_VALIDATE = TypeAdapter[dict[str, Any]](RuleSet).validator.validate_python


class RulesRead(NamedTuple):
    """The rules of a request as far as they could be read, and the faults of the others."""

    rules: Rules
    approximate: bool = True  # whether a win table for similar rules may be used
    faults: tuple[Fault, ...] = ()


NO_RULES: Final = RulesRead(CLASSIC)  # of a request without `rules`


def read_rules(value: Any) -> RulesRead:
    """Read the `rules` of a request; None: it has none."""
    if value is None:
        return NO_RULES
    if type(value) is dict:
        try:
            return _valid_rules(tuple(value.items()), tuple(map(type, value.values())))
        except (TypeError, RequestError):  # a value that cannot be a key of the cache, or a fault
            pass
    return _read_rules(value)


@lru_cache(maxsize=1024)  # few rule sets are in use, and reading one takes longer than any other field
def _valid_rules(items: tuple[tuple[str, Any], ...], types: tuple[type, ...]) -> RulesRead:
    """Read rules without faults. ``types``: of the values, because 1 == True. Raises `RequestError`."""
    read = _read_rules(dict(items))
    if read.faults:
        raise RequestError(read.faults)
    return read


def _read_rules(value: Any) -> RulesRead:
    faults: list[Fault] = []
    try:
        fields = _VALIDATE(value)
    except ValidationError as error:
        faults = faults_in(error, ("rules",))
        if type(value) is not dict:
            return RulesRead(CLASSIC, faults=tuple(faults))
        refused = {line["loc"][0] for line in error.errors(include_url=False)}
        fields = {name: rule for name, rule in value.items() if name not in refused}
    changes = {name: rule for name, rule in fields.items() if rule is not None or takes_null(name)}
    approximate = changes.pop("approximate", True)
    preset = changes.pop("preset", DEFAULT_PRESET)
    try:
        rules = make_rules(preset, changes)
    except RulesError as error:  # each value is supported, but not the combination
        rules = PRESETS[preset]
        faults.append(Fault(pointer("rules", error.field), "unsupported-rules", str(error)))
    return RulesRead(rules, approximate, tuple(faults))


def takes_null(name: str) -> bool:
    """Return whether null is a value of the rule ``name``: no losing goal, no largest contract."""
    return name in FIELDS and getattr(FIELDS[name].values, "null", None) is not None


# `read_rules` reads them, before the other fields are read.
RulesField: TypeAlias = Annotated[RuleSet | None, SkipValidation]
OptionalRules = Annotated[RulesField, Field(description="The rules of the game. Default: preset classic.")]


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
    errors = nearest_errors()
    error = f"error {errors[field]}" if field in errors else "error not measured"
    return f"rules.{field}={json.dumps(FIELDS[field].values.json_of(number))}, {error}"


# ---- scores ----------------------------------------------------------------------------------------------------------


SIDE_FIELDS: Final = ("us", "them", "us_bags", "them_bags")  # in games of two sides
SEAT_FIELDS: Final = ("seats", "bags")  # in games of four seats
_SIDE_BAGS: Final = ("us_bags", "them_bags")
FourInts: TypeAlias = tuple[int, int, int, int]


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


def _read_seats(values: Any, info: ValidationInfo[Rules]) -> Any:
    """Return the points of four seats. In games of two sides, return them unread: `score_faults` refuses them."""
    rules = info.context
    return four_numbers("scores.seats", values, -SCORE_LIMIT, SCORE_LIMIT) if rules.variant == CUTTHROAT else values


def _read_bags(values: Any, info: ValidationInfo[Rules]) -> Any:
    rules = info.context
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


@request_object
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
    for field in _SIDE_BAGS:
        bags = value_of(field)
        if type(bags) is int and bags_below(rules) <= bags <= MAX_BAGS:
            detail = f"scores.{field} is {bags}; accepted: {accepted_bags(rules)}"
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
    if len(points) != (4 if solo else 2):
        return []
    faults = []
    for index, detail in scores_beyond_goals(points, rules):
        where: Place = ("scores", "seats", index) if solo else ("scores", SIDE_FIELDS[index])
        faults.append(Fault(pointer(*where), "out-of-range", f"{'.'.join(map(str, where))} is {detail}"))
    return faults


class ScoresRead(NamedTuple):
    """The scores of a request, as the player in one seat sees them."""

    standing: Standing  # in cutthroat: of the player, and of the player with the best score of the three others
    seat_scores: FourInts  # in cutthroat: points of the four seats, otherwise NO_SCORES; seat_bags likewise
    seat_bags: FourInts
    assumed: list[str]  # the missing fields of rules and scores


def scores_in(values: Mapping[str, Any], rules: Rules, data: Mapping[str, Any], seat: int) -> ScoresRead:
    """Return the scores in the fields ``values`` of the request ``data``, for the player in ``seat``."""
    assumed = []
    stated_rules = data.get("rules")
    if stated_rules is None or stated_rules.get("preset") is None:
        assumed.append("rules.preset")
    scores = values.get("scores")
    solo = rules.variant == CUTTHROAT
    if scores is None:
        assumed.append("scores")
        return ScoresRead(START, NO_SCORES, NO_SCORES, assumed)
    assumed += [f"scores.{name}" for name in (SEAT_FIELDS if solo else SIDE_FIELDS) if scores.get(name) is None]
    if not solo:
        standing = Standing(*(scores.get(name) or 0 for name in SIDE_FIELDS))
        return ScoresRead(standing, NO_SCORES, NO_SCORES, assumed)
    points, bags = (scores.get(name) or NO_SCORES for name in SEAT_FIELDS)
    us, them = own_and_best(seat, points)
    return ScoresRead(Standing(us=us, them=them, us_bags=bags[seat], them_bags=0), points, bags, assumed)


# ---- who decides, and how --------------------------------------------------------------------------------------------


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
Seed = Annotated[StrictInt, Field(ge=0, le=LARGEST_SEED)]
_Leaning = Annotated[StrictFloat, Field(ge=-1, le=1)]
_OWN = "Default: the policy's own."


@request_object
class Style(TypedDict, total=False):
    """A preference added to a policy; 0: no preference."""

    aggression: Annotated[_Leaning | None, Field(description=f"Bid fewer tricks (-1) or more (1). {_OWN}")]
    nil_bias: Annotated[_Leaning | None, Field(description=f"Bid fewer nils (-1) or more (1). {_OWN}")]


_Kind = Literal[PLAYER_KINDS]  # type: ignore[valid-type]
_UNKNOWN = "Default: unknown, or what the policy's option says."


@request_object
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


DEFAULT_BIDDER: Final = BIDDERS[0]
BidderName = Literal[BIDDERS]  # type: ignore[valid-type]


# ---- the names of rounds, games and tables ---------------------------------------------------------------------------


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


# ---- a request, and a batch of requests ------------------------------------------------------------------------------


MAX_KEYS: Final = 64  # maximum number of fields in a request, including those in its objects


class Fields(NamedTuple):
    """The fields of a request, as far as they could be read."""

    data: dict[str, Any]  # the request, in its canonical form if it was not accepted as it is
    values: dict[str, Any]  # as pydantic reads them; empty if there is a fault
    rules: RulesRead
    faults: list[Fault]


def fields_of(data: Any, validate: Any, rules: RulesRead | None = None) -> Fields:
    """Read the rules of a request, and then its fields with ``validate``; ``rules``: for requests without such a field.

    Raises `RequestError` for what is no object, or has too many fields.
    """
    if type(data) is not dict:
        raise RequestError([Fault("", "wrong-type", f"the request is {json_type(data)}; accepted: an object")])
    read = read_rules(data.get("rules")) if rules is None else rules
    faults, values = [*read.faults], {}
    try:
        values = validate(data, context=read.rules)
    except ValidationError as error:
        faults += faults_in(error)
    if faults:
        check_field_count(data)
        if (respelled := in_canonical_form(data)) is not None:
            return fields_of(respelled, validate, rules)
    return Fields(data, values, read, faults)


def read_fields(data: Any, validate: Any, rules: RulesRead | None = None) -> tuple[dict[str, Any], Rules]:
    """Return the fields of a request and the rules in force; arguments: see `fields_of`. Raises `RequestError`."""
    fields = fields_of(data, validate, rules)
    if fields.faults:
        raise RequestError(fields.faults)
    return fields.values, fields.rules.rules


def items_schema(model: str, most: int) -> WithJsonSchema:
    """Return the schema of a batch's items, which `read_batch` does not read: up to ``most`` of ``model``."""
    return WithJsonSchema({"type": "array", "items": {"$ref": f"#/components/schemas/{model}"}, "maxItems": most})


def read_batch(data: Any, validate: Any, field: str = "requests") -> list[Any]:
    """Return the unread items of ``field`` in the body of a batch, as ``validate`` reads it. Raises `RequestError`."""
    if type(data) is not dict:
        raise RequestError([Fault("", "wrong-type", f"the body is {json_type(data)}; accepted: an object")])
    check_field_count(data)
    try:
        return validate(data)[field]  # type: ignore[no-any-return]
    except ValidationError as error:
        raise RequestError(faults_in(error)) from None


def check_field_count(data: Any) -> None:
    """Refuse a request with more than MAX_KEYS fields; for large bodies, before the fields are read."""
    if type(data) is not dict:
        return
    if len(data) <= MAX_KEYS:
        fields = len(data)
        for value in data.values():
            if type(value) is dict:
                fields += len(value)
        if fields <= MAX_KEYS:
            return
    sizes = {"": len(data)}
    sizes |= {f"/{name}": len(data[name]) for name in MODELS if type(data.get(name)) is dict}
    for where, size in sizes.items():
        if size > MAX_KEYS:
            detail = f"{size} fields; accepted: at most {MAX_KEYS}"
            raise RequestError([Fault(where, "too-many-items", detail)])
    if sum(sizes.values()) > MAX_KEYS:
        detail = f"{sum(sizes.values())} fields, those of {', '.join(MODELS)} included; accepted: at most {MAX_KEYS}"
        raise RequestError([Fault("", "too-many-items", detail)])


# ---- other spellings -------------------------------------------------------------------------------------------------


_MOST_ITEMS: Final = 15  # of the longest list of numbers in a request
_WORDS: Final[dict[str, Collection[str]]] = {"convention": CONVENTIONS, "explain": ("brief", "curve")}
_DEPTH: Final = 3  # levels of a request that hold numbers
_RULE_WORDS: Final[dict[str, Collection[Any]]] = {"preset": PRESETS} | {
    name: getattr(rule.values, "json_words", ()) for name, rule in FIELDS.items()
}
_PLAYER_WORDS: Final = dict.fromkeys(("left", "partner", "right"), PLAYER_KINDS)


def in_canonical_form(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return ``request`` with whole numbers as integers and known words in lower case; None if that changes nothing.

    JSON has one kind of number, and some languages write 120 as 120.0. The words are those of policy, convention,
    explain, rules and players. The ranks in a policy get upper case.

    >>> in_canonical_form({"seat": 2.0, "policy": "BIS", "rules": {"preset": "Short"}}), in_canonical_form({"seat": 2})
    ({'seat': 2, 'policy': 'bis', 'rules': {'preset': 'short'}}, None)
    """
    numbers: dict[str, Any] = _with_integers(request, _DEPTH) or request
    words: dict[str, Any] = {**_in_lower_case(numbers, _WORDS)}
    policy = request.get("policy")
    if type(policy) is str and policy_fault(policy) is not None and policy_fault(policy.lower()) is None:
        words["policy"] = re.sub("(?<=:nil=|,nil=)[^,]*", lambda ranks: ranks[0].upper(), policy.lower())
    for field, accepted in (("rules", _RULE_WORDS), ("players", _PLAYER_WORDS)):
        members = numbers.get(field)
        if type(members) is dict and (lower := _in_lower_case(members, accepted)):
            words[field] = members | lower
    return None if numbers is request and not words else numbers | words


def _in_lower_case(members: Mapping[str, Any], accepted: Mapping[str, Collection[Any]]) -> dict[str, str]:
    """Return those of ``members`` that are ``accepted`` words only in lower case, by name, in lower case."""
    return {
        name: value.lower()
        for name, value in members.items()
        if type(value) is str and value != value.lower() and value.lower() in accepted.get(name, ())
    }


def _with_integers(value: Any, depth: int) -> Any:
    """Return ``value`` with integers instead of whole numbers; None if there are no such numbers."""
    if type(value) is float:
        return int(value) if value.is_integer() and not is_huge(value) else None
    if depth == 0:
        return None
    if type(value) is dict:
        members = {name: _with_integers(member, depth - 1) for name, member in value.items() if name != "style"}
        changed = {name: member for name, member in members.items() if member is not None}
        return value | changed if changed else None
    if type(value) is list and len(value) <= _MOST_ITEMS:
        items = [_with_integers(item, depth - 1) for item in value]
        if any(item is not None for item in items):
            return [old if new is None else new for old, new in zip(value, items, strict=True)]
    return None
